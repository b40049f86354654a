"""Tables of results at the terminal: names on the left, numbers on the right."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text


def result_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], title: str, caption: str | None = None
) -> Table:
    """A table whose first column may wrap and whose other columns are numbers."""
    table = Table(title=Text(title), caption=caption)
    table.add_column(header[0], overflow="fold")
    for name in header[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for first, *cells in rows:
        table.add_row(Text(first), *cells)
    return table

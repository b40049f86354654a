"""Tables of results at the terminal: names on the left, numbers on the right."""

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text


def result_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], title: str, caption: str | None = None
) -> Table:
    """A table whose first column may wrap and whose other columns are numbers."""
    return grouped_table(header, {"": rows}, title, caption)


def grouped_table(
    header: Sequence[str],
    groups: Mapping[str, Iterable[Sequence[str]]],
    title: str,
    caption: str | None = None,
) -> Table:
    """A table as `result_table` with several groups of rows, each below its name."""
    # No lines between columns and no edges: names need the room.
    table = Table(title=Text(title), caption=caption, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(header[0], overflow="fold")
    for name in header[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for group, rows in groups.items():
        table.add_section()
        if group:
            table.add_row(Text(group, style="bold"))
        for first, *cells in rows:
            table.add_row(Text(first), *cells)
    return table

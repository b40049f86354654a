"""Writes the tables of docs/SPEC.md and of the data sheet in azul_env/azul_v0.py from the code: `make spec`."""

import inspect
import re
from pathlib import Path

from azul_env import azul_v0, num_actions, num_factories, observation_layout
from azul_env.core import state
from azul_env.observation import observation_size
from azul_env.observation.layout import Part

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "docs" / "SPEC.md"
DATA_SHEET = ROOT / "azul_env" / "azul_v0.py"
PLAYERS = (2, 3, 4)
COLORED, GRAY = "colored", "gray"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sizes_table() -> str:
    """What depends on the number of players and the variant."""
    rows = [
        ["factories", *(str(num_factories(n)) for n in PLAYERS)],
        ["actions", *(str(num_actions(n)) for n in PLAYERS)],
        ["observation", *(str(observation_size(n)) for n in PLAYERS)],
        ["actions, gray wall", *(str(num_actions(n, GRAY)) for n in PLAYERS)],
        ["observation, gray wall", *(str(observation_size(n, GRAY)) for n in PLAYERS)],
    ]
    return table(["", *(f"{n} players" for n in PLAYERS)], rows)


def board_table(variant: str) -> str:
    """The parts of one board in the observation."""
    prefix = "own_"
    layouts = [
        [p for p in observation_layout(n, variant) if p.name.startswith(prefix)] for n in PLAYERS
    ]
    rows = [
        [f"`{own.name.removeprefix(prefix)}`", _indices(own), _high(own, *others), own.meaning]
        for own, *others in zip(*layouts, strict=True)
    ]
    return table([f"part of a board{_of(variant)}", "index", "high", "meaning"], rows)


def table_table(variant: str) -> str:
    """The parts behind the boards, with their places for every number of players."""
    boards = ("own_", "next_")
    layouts = [
        [p for p in observation_layout(n, variant) if not p.name.startswith(boards)]
        for n in PLAYERS
    ]
    rows = [
        [f"`{parts[0].name}`", *map(_indices, parts), _high(*parts), parts[0].meaning]
        for parts in zip(*layouts, strict=True)
    ]
    players = (f"{n} players" for n in PLAYERS)
    return table([f"part of the table{_of(variant)}", *players, "high", "meaning"], rows)


def _of(variant: str) -> str:
    return "" if variant == COLORED else f", {variant} wall"


def state_tables() -> list[str]:
    """The fields of a row, and those that only gray games have, from the lines that declare them."""
    source = inspect.getsource(state)
    fields = re.findall(
        r'^ +\("(\w+)", np\.int64(?:, \((.+?)\))?\),  # (.+)$', source, re.MULTILINE
    )
    names = {"MAX_SOURCES,": "10", "MAX_PLAYERS,": "4", "MAX_PLAYERS, NUM_COLORS": "20", "": "1"}
    common = list(state.STATE.names or ())
    assert [name for name, *_ in fields] == [*common, "columns", "wall_colors"]
    rows = [[f"`{name}`", names[length], meaning] for name, length, meaning in fields]
    return [
        table(["field", "words", "meaning"], rows[: len(common)]),
        table(["field of gray games", "words", "meaning"], rows[len(common) :]),
    ]


def _indices(part: Part) -> str:
    last = part.stop - 1
    return str(part.start) if part.start == last else f"{part.start}..{last}"


def _high(*parts: Part) -> str:
    """The largest values of a part, which are given for all numbers of players."""
    if [part.high for part in parts] == [(n - 1,) for n in PLAYERS]:
        return "n - 1"
    return ", ".join(map(str, parts[0].high))


def with_tables(text: str, tables: list[str]) -> str:
    """A text whose Markdown tables that begin like the given ones are replaced by them."""
    for fresh in tables:
        start = re.escape(fresh.splitlines()[0])
        pattern = rf"^{start}\n(?:\|.*\n?)+"
        assert len(re.findall(pattern, text, re.MULTILINE)) == 1, (
            f"one table must begin with {start}"
        )
        text = re.sub(pattern, lambda _, fresh=fresh: fresh + "\n", text, flags=re.MULTILINE)
    return text


def fresh_data_sheet() -> str:
    """The module of the data sheet with its tables regenerated."""
    parts = [make(variant) for variant in (COLORED, GRAY) for make in (board_table, table_table)]
    return with_tables(DATA_SHEET.read_text(), [sizes_table(), *parts])


def fresh_spec() -> str:
    """The specification with its tables regenerated and the data sheet in it."""
    sheet = inspect.cleandoc(azul_v0.__doc__ or "").partition("\n\n")[2]
    begin, end = (
        "<!-- the data sheet of azul_env/azul_v0.py -->\n",
        "\n<!-- end of the data sheet -->",
    )
    text = SPEC.read_text()
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return with_tables(before + begin + sheet + end + after, state_tables())


def main() -> None:
    """Write both files."""
    DATA_SHEET.write_text(fresh_data_sheet())
    SPEC.write_text(fresh_spec())


if __name__ == "__main__":
    main()

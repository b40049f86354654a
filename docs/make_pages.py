"""Writes what the site shows of the code: pictures and the page of the training settings. `make pages` runs it."""

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

import azul_env as az
from azul_env.observation.layout import Part
from azul_train.config import TrainConfig
from azul_train.search.config import SearchConfig

ROOT = Path(__file__).parents[1]
POSITION_PICTURE = ROOT / "docs" / "pictures" / "position.svg"
OBSERVATION_PICTURE = ROOT / "docs" / "pictures" / "observation.svg"
SETTINGS_PAGE = ROOT / "docs" / "guide" / "training_settings.md"
# The example of docs/SPEC.md.
POSITION = (
    "azul 2p round 1/50 turn 1 start 0 | RKKW - - BYYW - | YRW* | bag B16Y16R15K17W16 lid - "
    "| 3 B:...../.Y:W..../...:...../..RR:...../.....:..... K "
    "| 0 .:..R../..:...../...:...../....:...../...BB:..... -"
)

CELL, ROW_HEIGHT, LEFT, TOP = 21, 30, 250, 86
MEANING_GAP, GROUP_GAP = 16, 6
FONT = 'font-family="system-ui, sans-serif"'
INK, QUIET, EDGE, PAPER = "#2f2b26", "#6b6253", "#d6c8ad", "#fffdf8"
FILL = (31, 122, 114)  # of a cell at its largest value


def observation_picture() -> str:
    """The observation of the player to move in POSITION: a row of cells for each part."""
    state = az.parse_state(POSITION)
    values = az.observe(state, dtype=np.uint8)
    layout = az.observation_layout(state.num_players)
    parts = [part for part in layout if not part.name.startswith("next_")]
    board = sum(1 for part in parts if part.name.startswith("own_"))
    lines = [_head(state.current_player, len(values))]
    for number, part in enumerate(parts):
        gap = ROW_HEIGHT if number >= board else 0  # between the boards and the table
        lines.append(_part_row(part, values[part.slice], TOP + number * ROW_HEIGHT + gap))
    size = parts[board - 1].stop
    others = f"{size}–{parts[board].start - 1}: the same {size} numbers of the other board"
    lines.append(_words(LEFT, TOP + board * ROW_HEIGHT + 16, others, 14, QUIET))
    width = LEFT + 25 * CELL + 4 * GROUP_GAP + MEANING_GAP + 270
    height = TOP + (len(parts) + 1) * ROW_HEIGHT + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}"><rect width="{width}" height="{height}" rx="14" fill="{PAPER}"/>'
        f"{''.join(lines)}</svg>\n"
    )


def _head(player: int, size: int) -> str:
    title = f"What player {player}, who is to move, sees: {size} numbers"
    note = (
        "Index, name, values, meaning. A full cell is the largest value; "
        "float32 observations are value / largest value."
    )
    return _words(20, 36, title, 20, INK) + _words(20, 62, note, 14, QUIET)


def _part_row(part: Part, values: np.ndarray, y: int) -> str:
    """Index, name, cells and meaning of a part."""
    last = part.stop - 1
    index = str(part.start) if part.start == last else f"{part.start}–{last}"
    highs = np.broadcast_to(part.high, part.shape).ravel()
    groups = [k // part.shape[-1] if len(part.shape) > 1 else 0 for k in range(part.size)]
    lefts = [LEFT + k * CELL + group * GROUP_GAP for k, group in enumerate(groups)]
    cells = [_cell(*cell, y) for cell in zip(values, highs, lefts, strict=True)]
    right = max(lefts[-1] + CELL, LEFT + 5 * CELL) + MEANING_GAP
    return (
        _words(20, y + 16, index, 13, QUIET)
        + _words(90, y + 16, part.name, 14, INK)
        + "".join(cells)
        + _words(right, y + 16, part.meaning, 13, QUIET)
    )


def _cell(value: int, high: int, x: int, y: int) -> str:
    share = int(value) / int(high)
    red, green, blue = (round(255 + (full - 255) * share) for full in FILL)
    ink = "#ffffff" if share > 0.6 else INK if value else "#c9bb9f"
    return (
        f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{CELL}" rx="3" '
        f'fill="rgb({red},{green},{blue})" stroke="{EDGE}"/>'
        f'<text x="{x + (CELL - 2) / 2}" y="{y + 15}" {FONT} font-size="11" fill="{ink}" '
        f'text-anchor="middle">{value}</text>'
    )


def _words(x: int, y: int, words: str, size: int, ink: str) -> str:
    return f'<text x="{x}" y="{y}" {FONT} font-size="{size}" fill="{ink}">{escape(words)}</text>'


SETTINGS_HEAD = """# Training settings

Every setting of `azul train` and of `azul train-search`, from the docstrings of their configs. A config file holds only what
differs from the defaults; `--set key=value` changes one setting, such as `--set ppo.entropy=0.01`. An unknown key is an error.
The configs that we ran are in `configs/train` and `configs/train_search`; `--config quick` finds them by name from any folder.
"""


def settings_page() -> str:
    """All training settings with their defaults and meanings."""
    policies = _sections(TrainConfig, "", "`azul train`")
    networks = _sections(SearchConfig, "", "`azul train-search`")
    return "\n".join([SETTINGS_HEAD, *policies, *networks])


def _sections(config: type, prefix: str, heading: str) -> Iterator[str]:
    """The table of a config's own settings, then the sections of the configs inside it."""
    docs = _field_docs(config)
    summary = (inspect.getdoc(config) or "").partition("\n")[0].partition(" Raises")[0]
    yield f"##{'#' if prefix else ''} {heading}\n\n{summary}\n"
    yield "| setting | default | meaning |\n|---|---|---|"
    groups = []
    for field in dataclasses.fields(config):
        default = _default(field)
        if dataclasses.is_dataclass(default):
            groups.append((type(default), f"{prefix}{field.name}."))
        else:
            yield f"| `{prefix}{field.name}` | `{_shown(default)}` | {docs[field.name]} |"
    yield ""
    for group, inner in groups:
        yield from _sections(group, inner, f"`{inner.rstrip('.')}`")


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _shown(value: Any) -> str:
    """A value as YAML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if value is None:
        return "null"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else str(value)


def _field_docs(config: type) -> dict[str, str]:
    """The docstring below each field of a class."""
    tree = ast.parse(inspect.getsource(sys.modules[config.__module__]))
    (body,) = (
        node.body
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == config.__name__
    )
    found = {}
    for field, doc in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            assert isinstance(field.target, ast.Name) and isinstance(doc.value, ast.Constant)
            found[field.target.id] = " ".join(str(doc.value.value).split())
    return found


def fresh_pages() -> dict[Path, str]:
    """All generated files with their contents."""
    return {
        POSITION_PICTURE: az.svg(az.parse_state(POSITION)) + "\n",
        OBSERVATION_PICTURE: observation_picture(),
        SETTINGS_PAGE: settings_page(),
    }


def main() -> None:
    """Write all files."""
    for path, text in fresh_pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

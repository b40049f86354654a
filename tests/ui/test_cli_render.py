"""`azul render`: films and pictures of recorded games, and what it says to bad input."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from azul_ui.cli import app

GAME = str(Path(__file__).parents[2] / "docs" / "game.jsonl")


def run(*arguments: str):
    return CliRunner().invoke(app, ["render", *arguments])


def test_png__shows_the_position_after_so_many_moves(tmp_path: Path) -> None:
    pictures = []
    for move in ("0", "20"):
        path = tmp_path / f"{move}.png"
        assert run(GAME, "--move", move, "--png", str(path), "--scale", "0.2").exit_code == 0
        pictures.append(path.read_bytes())
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[0] != pictures[1]


def test_svg__draws_a_position_given_as_text(tmp_path: Path) -> None:
    from azul_env import new_game

    path = tmp_path / "position.svg"
    assert run("--position", repr(new_game(3, rng=1)), "--svg", str(path)).exit_code == 0
    assert "<svg" in path.read_text(encoding="utf-8")


def test_gif__holds_the_whole_game(tmp_path: Path) -> None:
    path = tmp_path / "game.gif"
    assert run(GAME, "--gif", str(path), "--scale", "0.1").exit_code == 0
    assert path.read_bytes().startswith(b"GIF8")
    # Nothing half-written is left.
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "either a file of records or --position"),
        ((GAME,), "say what to write"),
        ((GAME, "--png", "x.png", "--move", "999"), "no position after 999"),
        ((GAME, "--png", "x.png", "--game", "5"), "there is no game 5"),
        (("--position", "nonsense", "--png", "x.png"), "cannot read 'nonsense'"),
        (("--position", "azul", "--gif", "x.gif"), "a film needs a file of records"),
    ],
)
def test_bad_input__is_explained(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, ValueError)
    assert message in str(result.exception)

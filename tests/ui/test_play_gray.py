"""`azul play --variant gray`: a game by typed lines, with columns chosen by their numbers."""

import io
import re
import sys
from dataclasses import replace

from azul_env import GameRecorder, format_action, legal_actions, read_records, verify, write_records
from azul_ui.games.game_file import GameSummary
from azul_ui.games.session import GameSession
from azul_ui.terminal.help_text import GRAY_RULES, RULES
from azul_ui.terminal.words import games_table
from ui.command import here


def typed_game(seed: int) -> tuple[GameRecorder, list[str]]:
    """A game of one round in which both seats are people, and what they type."""
    recorder = GameRecorder(2, 0, seed, max_rounds=1, agents=["human", "human"], variant="gray")
    lines = []
    while not recorder.state.is_terminal:
        state = recorder.state
        action = legal_actions(state)[-1 if state.columns_to_choose else 0]
        name = format_action(action, 2, "gray")
        lines.append(name.removeprefix("T"))  # a column is its number
        recorder.draft(action)
    return recorder, lines


def test_typed_columns__play_the_game_that_was_meant(monkeypatch, capsys, tmp_path) -> None:
    expected, lines = typed_game(seed=11)
    columns = [line for line in lines if len(line) == 1]
    assert columns, "somebody must have to choose"
    begun = GameRecorder(2, 0, 11, max_rounds=1, agents=["human", "human"], variant="gray")
    path = tmp_path / "game.jsonl"
    write_records(path, [begun.record])
    first = lines.index(columns[0])
    given = [*lines[:first], "0B0", "9", "moves", "rules", *lines[first:], ""]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in given)))
    code, out, err = here(monkeypatch, capsys, "play", "--load", path, "--save", path)
    assert code == 0, err
    text = " ".join(out.split())
    assert re.search(r"0B0 is not possible: your line \d is to be tiled: choose a column", text)
    assert "is not a move" in text  # 9
    assert "This is the gray wall" in text
    assert f"T{columns[0]} line" in text and "Column for line" in text
    (record,) = read_records(path)
    assert record.events == expected.record.events
    assert verify(record).is_terminal


def test_undo_and_redo__go_over_choices_of_columns() -> None:
    expected, _ = typed_game(seed=11)
    session = GameSession(["human", "human"], record=expected.record)
    final = session.state
    tiles = [event["type"] for event in expected.record.events].count("tile")
    for _ in range(tiles):
        session.undo()
    assert not session.is_over
    for _ in range(tiles):
        session.redo()
    assert session.state == final and session.record.events == expected.record.events


def test_variant_of_an_agent__is_checked_before_the_game(monkeypatch, capsys) -> None:
    code, _, err = here(monkeypatch, capsys, "play", "--variant", "gray", "--vs", "guided")
    assert code == 2 and "guided does not play the variant 'gray'" in err


def test_rules__do_not_speak_of_printed_colors() -> None:
    lines = GRAY_RULES.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) < 80
    assert "small letter" in RULES and "small letter" not in GRAY_RULES
    assert "\n\nThis is the gray wall: it has no printed colors." in GRAY_RULES


def test_list_of_games__names_the_wall() -> None:
    game = GameSummary("1", ("human", "greedy"), (0, 0), 0, False, (), (), "gray", "", "")
    _, on_gray, on_colors = games_table([game, replace(game, variant="colored")])
    assert on_gray.endswith("  gray wall: human, greedy")
    assert on_colors.endswith("  human, greedy") and "wall" not in on_colors

"""Tables of moves, games and results in words for a person at the terminal."""

import textwrap
from collections.abc import Sequence
from typing import Final

from azul_agents import Analysis
from azul_env import (
    COLOR_NAMES,
    FLOOR,
    Action,
    GameState,
    describe_action,
    format_action,
    legal_actions,
    move_previews,
    printable,
    ranking,
)
from azul_env.core.variant import COLORED, variant_of
from azul_ui.games.game_file import GameSummary
from azul_ui.games.session import PERSON
from azul_ui.games.words import move_words, short_name, source_words, sources, takes_marker

WIDTH: Final = 80  # letters in a line of a sentence
MAX_LINE_LETTERS: Final = 200


def seating(seats: Sequence[str], seed: int) -> str:
    """Who sits where."""
    people = [seat for seat, name in enumerate(seats) if name == PERSON]
    parts = [f"seat {seat} is {name}" for seat, name in enumerate(seats) if name != PERSON]
    if people:
        parts.insert(0, f"you have seat{'s' * (len(people) > 1)} {' and '.join(map(str, people))}")
    return f"{', '.join(parts)}. The deals are those of seed {seed}."


def games_table(games: Sequence[GameSummary]) -> list[str]:
    """The games of a store, a line for each."""
    if not games:
        return ["There are no games yet."]
    lines = [f"{'ID':<22}  {'last played (UTC)':<19}  {'round':>5}  {'points':<15}  players"]
    for game in games:
        points = "-".join(map(str, game.scores)) + (" final" if game.is_finished else "")
        players = ", ".join(map(short_name, game.players))
        if game.variant != COLORED.name:
            players = f"{game.variant} wall: {players}"
        played = game.updated[:19].replace("T", " ")
        line = f"{game.id:<22}  {played:<19}  {game.round:>5}  {points:<15}  {players}"
        lines.append(line[:MAX_LINE_LETTERS])  # a file may hold names of any length
    return lines


def moves_table(state: GameState) -> list[str]:
    """All legal moves, a line for each color of each source; or the columns to choose from."""
    if state.line_to_tile is not None:
        previews = move_previews(state)
        return [
            f"  {format_action(each.action, state.num_players, state.variant)}  "
            f"{move_words(each, state.num_players)}"
            for each in previews
        ]
    groups: dict[tuple[int, int], list[str]] = {}
    for action in legal_actions(state):
        name = format_action(action, state.num_players)
        groups.setdefault((action.source, action.color), []).append(name)
    lines = []
    for (source, color), names in groups.items():
        words = source_words(state, source).removeprefix("the ")
        tiles = f"{sources(state)[source][color]} {COLOR_NAMES[color]}"
        marker = " and the marker" if takes_marker(state, Action(source, color, FLOOR)) else ""
        lines.append(f"  {words:<10} {tiles:<9}  {' '.join(names)}{marker}")
    return lines


def hint_lines(state: GameState, analysis: Analysis, count: int) -> list[str]:
    """The best moves, with their chances, and what the numbers of the best one mean."""
    moves = [move[:3] for move in analysis.candidates[:count]]
    _, value, chance = moves[0]
    return [
        f"{analysis.spec} would play (margin of points, move, win chance):",
        *ranked_lines(state, moves),
        f"{value:+.2f}: {value_words(value, chance)}.",
    ]


def ranked_lines(state: GameState, moves: Sequence[tuple[int, float, float]]) -> list[str]:
    """Moves with their values and win chances, numbered and in words."""
    return [
        f"{number:>3}. {format_action(action, state.num_players, state.variant):<3}  {value:+7.2f}  "
        f"{describe_action(action, state.num_players, state.variant):<26}  {percent(chance):>4}"
        for number, (action, value, chance) in enumerate(moves, 1)
    ]


def value_words(value: float, win_chance: float) -> str:
    """What value and win chance mean, as in `expected to end 1.8 points ahead; 62% to win`."""
    points = round(abs(value), 1)
    margin = f"{points} points {'ahead' if value > 0 else 'behind'}" if points else "level"
    return f"expected to end {margin}; {percent(win_chance)} to win"


def line_text(line: Sequence[int], num_players: int, variant: str = "colored") -> str:
    """Moves one after another, in notation."""
    return " ".join(format_action(action, num_players, variant) for action in line)


def percent(share: float) -> str:
    """A share in whole percent; 0% and 100% only if it is exactly that."""
    whole = round(100 * share) if share in (0, 1) else min(99, max(1, round(100 * share)))
    return f"{whole}%"


def result_lines(state: GameState, names: Sequence[str]) -> list[str]:
    """The breakdown of every player's points, the winner first."""
    lines = [f"  {'':<16}{'rows':>9}{'columns':>9}{'colors':>9}{'points':>9}"]
    ranks = ranking(state)
    variant = variant_of(state.rows)
    for seat in sorted(range(state.num_players), key=lambda seat: ranks[seat]):
        board = state.players[seat]
        bonuses = "".join(f"{points:>+9d}" for points in variant.bonuses(board.wall))
        gone = "  resigned" if board.resigned is not None else ""
        lines.append(f"{ranks[seat]}. {names[seat][:15]:<15}{bonuses}{board.score:>9d}{gone}")
    return [*lines, "Points include the bonuses for complete rows, columns and colors."]


def wrapped(words: str) -> str:
    """A sentence, broken into lines and without control characters."""
    plain = printable(words)
    return textwrap.fill(
        plain[:1].upper() + plain[1:],
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,  # paths must stay whole, to be copied
        break_on_hyphens=False,
    )

"""Random games to test with: `walks` is the Hypothesis strategy, `steps_of` plays one through the pure functions.

A walk is a plan of a few numbers, so that a failing example is short and plays the same game again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from azul_env import (
    Action,
    GameRecorder,
    GameState,
    StepResult,
    apply_action,
    decode_action,
    from_dict,
    legal_mask,
    new_game,
    resign,
    to_dict,
)
from positions import FLOOR

STYLES = ("uniform", "floor", "greedy", "patient")
NAMES = ("blue", "yellow", "red", "black", "white")


@dataclass(frozen=True)
class Walk:
    """A plan of a game; `resignations` are pairs of a turn's number and a seat."""

    num_players: int
    starting_player: int
    seed: int
    style: str
    max_rounds: int
    resignations: tuple[tuple[int, int], ...] = ()
    is_late: bool = False  # start with walls nearly full and hardly a tile left
    variant: str = "colored"


class Step(NamedTuple):
    """A move or a resignation, and what came of it."""

    before: GameState
    done: Action | int  # an action, or the seat that resigned
    result: StepResult


def _cap(style: str) -> st.SearchStrategy[int]:
    # Those who keep off the wall would play to the cap each time.
    return st.sampled_from([1, 2, 3, 6] if style in ("floor", "patient") else [1, 2, 3, 50])


@st.composite
def walks(draw: st.DrawFn, styles: tuple[str, ...] = STYLES, variant: str = "colored") -> Walk:
    num_players = draw(st.integers(2, 4))
    style = draw(st.sampled_from(styles))
    leaving = st.tuples(st.integers(0, 60), st.integers(0, num_players - 1))
    return Walk(
        num_players,
        draw(st.integers(0, num_players - 1)),
        draw(st.integers(0, 2**32 - 1)),
        style,
        draw(_cap(style)),
        tuple(sorted(draw(st.lists(leaving, max_size=3)))),
        draw(st.booleans()),
        variant,
    )


def start_of(walk: Walk) -> GameState:
    state = new_game(
        walk.num_players,
        walk.starting_player,
        rng=walk.seed,
        max_rounds=walk.max_rounds,
        variant=walk.variant,
    )
    return late_in_the_game(state, walk.seed) if walk.is_late else state


def late_in_the_game(state: GameState, seed: int) -> GameState:
    """A position with four tiles in every wall row, most others waiting in lines, and a few on the table."""
    rng = np.random.default_rng(seed)
    position = to_dict(state)
    left = np.full(5, 20)
    table = rng.multinomial(int(rng.integers(1, 9)), [0.2] * 5)
    left -= table
    for player in position["players"]:
        player["score"] = int(rng.integers(60))
        for row, cells in enumerate(player["wall"]):
            for column in rng.permutation(5)[:4].tolist():
                color = (column - row) % 5
                is_there = bool(left[color] > 0)
                cells[column] = is_there * (1 if state.variant == "colored" else color + 1)
                left[color] -= is_there
            missing = [c for c in range(5) if not cells[(c + row) % 5]]
            color = int(rng.choice(missing))
            count = int(min(left[color], max(0, row - rng.integers(2))))
            if count:
                player["pattern_lines"][row] = {"color": NAMES[color], "count": count}
                left[color] -= count
    position["discard"], position["bag"] = left.tolist(), [0] * 5
    position["factories"] = [[0] * 5 for _ in position["factories"]]
    position["center"] = table.tolist()
    return from_dict(position)


def steps_of(walk: Walk) -> Iterator[Step]:
    """Every step of the walk, to the end of the game."""
    rng = np.random.default_rng(walk.seed)
    state = start_of(walk)
    turn = 0
    while not state.is_terminal:
        for when, seat in walk.resignations:
            if when == turn and not state.is_terminal and state.players[seat].resigned is None:
                result = resign(state, seat, rng)
                yield Step(state, seat, result)
                state = result.state
        if not state.is_terminal:
            action = chosen_action(state, walk.style, rng)
            result = apply_action(state, action, rng=rng)
            yield Step(state, action, result)
            state = result.state
        turn += 1


def states_of(walk: Walk) -> list[GameState]:
    return [start_of(walk), *(step.result.state for step in steps_of(walk))]


def recorded(walk: Walk, agents: tuple[str, ...] = ()) -> tuple[GameRecorder, list[GameState]]:
    """The recorder of a played walk, and every state it stood in."""
    recorder = GameRecorder(
        walk.num_players,
        walk.starting_player,
        walk.seed,
        walk.max_rounds,
        agents,
        walk.variant,
    )
    rng = np.random.default_rng(walk.seed)
    states = [recorder.state]
    turn = 0
    while not recorder.state.is_terminal:
        for when, seat in walk.resignations:
            state = recorder.state
            if when == turn and not state.is_terminal and state.players[seat].resigned is None:
                states.append(recorder.resign(seat, "time" if seat % 2 else None))
        if not recorder.state.is_terminal:
            states.append(recorder.draft(chosen_action(recorder.state, walk.style, rng)))
        turn += 1
    return recorder, states


def chosen_action(state: GameState, style: str, rng: np.random.Generator) -> Action:
    """A legal action: any, mostly one to the floor, one that fits a line best, or one that fills none."""
    choices = np.flatnonzero(legal_mask(state))
    if state.phase == "wall_tiling":
        return decode_action(int(rng.choice(choices)), state.num_players, state.variant)
    if style == "floor" and rng.random() < 0.95:
        choices = choices[choices % 6 == FLOOR]
        if rng.random() < 0.9 and any(map(any, state.factories)):
            # Only who shuns the center can meet the marker with a floor that is full already (R3.9).
            choices = choices[choices < 30 * len(state.factories)]
    actions = [decode_action(number, state.num_players) for number in choices]
    sources = [*state.factories, state.center]
    if style == "floor":
        return max(actions, key=lambda action: (sources[action.source][action.color], rng.random()))
    counts = [line.count for line in state.players[state.current_player].pattern_lines]
    if style in ("greedy", "patient"):
        waste = _waste if style == "greedy" else _haste
        return min(actions, key=lambda action: (waste(action, sources, counts), rng.random()))
    return actions[int(rng.integers(len(actions)))]


def _missing(action: Action, sources: list[tuple[int, ...]], counts: list[int]) -> int:
    """Free places in the line after an action; below 0, tiles that fall."""
    taken = sources[action.source][action.color]
    return action.destination + 1 - counts[action.destination] - taken


def _waste(action: Action, sources: list[tuple[int, ...]], counts: list[int]) -> int:
    """How far an action is from filling a line just so; a tile too many counts as three too few."""
    if action.destination == FLOOR:
        return 3 * sources[action.source][action.color]
    missing = _missing(action, sources, counts)
    return missing if missing >= 0 else -3 * missing


def _haste(action: Action, sources: list[tuple[int, ...]], counts: list[int]) -> int:
    """The less, the longer the game: lines that stay open, then the floor, then lines that get full."""
    if action.destination == FLOOR:
        return 1
    return 0 if _missing(action, sources, counts) > 0 else 2

"""The game as pure functions over `GameState`: no call changes its arguments."""

from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from azul_env.core.actions import Action, as_action, decode_action, encode_action
from azul_env.core.actions import AnyAction as AnyAction  # for all who call these functions
from azul_env.core.arguments import number_between, player_count, shown, whole_number
from azul_env.core.batch import (
    REFUSED,
    TURN_PASSED,
    draft_one,
    finish_one,
    resign_one,
    start_one,
    write_masks,
)
from azul_env.core.ranking import write_ranks
from azul_env.core.spec import (
    COUNTER_LIMIT,
    DEFAULT_MAX_ROUNDS,
    FLOOR,
    IllegalReason,
    num_actions,
)
from azul_env.core.state import Rows
from azul_env.core.variant import COLORED, variant_named, variant_of
from azul_env.deals import Deal, RandomSource, as_generator, deal_logged, deal_randomly
from azul_env.errors import IllegalActionError, MissingDealError
from azul_env.notation import describe_action
from azul_env.state import GameState, check_state


class StepResult(NamedTuple):
    """What a move leads to: the next state, and everybody's final score if the game is over."""

    state: GameState
    final_scores: tuple[int, ...] | None


def new_game(
    num_players: int = 2,
    starting_player: int = 0,
    rng: RandomSource | None = None,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    deal: Deal | None = None,
    variant: str = COLORED.name,
) -> GameState:
    """A new game with its displays filled: as `deal` says, else by `rng`, a generator or a seed.

    Without either, fresh entropy is drawn, as NumPy does. For more than one round pass one generator everywhere.
    """
    seats = player_count(num_players)
    starter = number_between(starting_player, 0, seats - 1, "starting_player")
    cap = number_between(max_rounds, 1, COUNTER_LIMIT, "max_rounds")
    rows = np.zeros(1, variant_named(variant).dtype)
    start_one(rows, seats, starter, cap)
    if deal is not None:
        deal_logged(rows, deal)
    else:
        deal_randomly(rows, as_generator(rng))
    return GameState(rows)


def legal_mask(state: GameState) -> NDArray[np.bool_]:
    """Which actions are legal, by their numbers: 180, 240 or 300 of them. All false once the game is over."""
    check_state(state)
    mask = np.zeros(num_actions(state.num_players), np.bool_)
    write_masks(state.rows, mask.reshape(1, -1), 0, 1)
    return mask


def legal_actions(state: GameState) -> list[Action]:
    """The legal actions, in the order of their numbers."""
    return [
        decode_action(number, state.num_players)
        for number in np.flatnonzero(legal_mask(state)).tolist()
    ]


def illegal_reason(
    state: GameState, action: AnyAction, player: int | None = None
) -> IllegalReason | None:
    """Why a player may not play an action, the first reason of R9 that applies; None if it is legal.

    Without `player`, the one to move is meant.
    """
    check_state(state)
    turn = as_action(action, state.num_players)
    seat = state.current_player if player is None else whole_number(player, "player")
    if turn is None or not 0 <= seat < state.num_players:
        return IllegalReason.OUT_OF_RANGE
    if state.is_terminal:
        return IllegalReason.WRONG_PHASE
    if seat != state.current_player:
        return IllegalReason.NOT_PLAYERS_TURN
    if [*state.factories, state.center][turn.source][turn.color] == 0:
        return IllegalReason.SOURCE_EMPTY
    if turn.destination == FLOOR:
        return None
    board = state.players[seat]
    line = board.pattern_lines[turn.destination]
    if line.count == turn.destination + 1:
        return IllegalReason.PATTERN_LINE_COMPLETE
    if line.color not in (None, turn.color):
        return IllegalReason.COLOR_MISMATCH
    if turn.color in variant_of(state.rows).row_colors(board.wall, turn.destination):
        return IllegalReason.WALL_CONFLICT
    return None


def apply_action(
    state: GameState,
    action: AnyAction,
    rng: RandomSource | None = None,
    deal: Deal | None = None,
) -> StepResult:
    """The state after the player to move plays an action, given as an `Action` or its number.

    Where this ends a round and the game goes on, the displays are filled as `deal` says, else by `rng`; without
    either, MissingDealError is raised there. Everywhere else both are left alone.
    """
    check_state(state)
    turn = as_action(action, state.num_players)
    if turn is None:
        refuse(state, action)
    rows = state.rows.copy()
    answer = draft_one(rows, encode_action(turn, state.num_players))
    if answer == REFUSED:
        refuse(state, turn)
    if answer != TURN_PASSED and finish_one(rows):
        _fill_displays(rows, rng, deal)
    return _step_result(rows)


def resign(state: GameState, player: int) -> StepResult:
    """The state after a player resigns, in turn or not (R8)."""
    check_state(state)
    seat = whole_number(player, "player")
    if not 0 <= seat < state.num_players:
        reason = IllegalReason.OUT_OF_RANGE
    elif state.players[seat].resigned is not None:
        reason = IllegalReason.ALREADY_RESIGNED
    elif state.is_terminal:
        reason = IllegalReason.WRONG_PHASE
    else:
        rows = state.rows.copy()
        resign_one(rows, seat)
        return _step_result(rows)
    raise IllegalActionError(f"resignation of player {shown(seat)}", reason, state)


def ranking(state: GameState) -> tuple[int, ...]:
    """The rank of each seat, from 1; equal ranks are shared (R7). Raises ValueError while the game is on."""
    check_state(state)
    if not state.is_terminal:
        raise ValueError(f'the game is still on: "{state!r}"')
    ranks = np.zeros(state.num_players, np.int64)
    write_ranks(state.rows, ranks)
    return tuple(ranks.tolist())


def winners(state: GameState) -> tuple[int, ...]:
    """The seats that won, more than one if they share the victory. Raises ValueError while the game is on."""
    return tuple(seat for seat, rank in enumerate(ranking(state)) if rank == 1)


def _fill_displays(rows: Rows, rng: RandomSource | None, deal: Deal | None) -> None:
    if deal is not None:
        deal_logged(rows, deal)
    elif rng is not None:
        deal_randomly(rows, as_generator(rng))
    else:
        raise MissingDealError(
            "this action ends a round: pass rng=, a numpy Generator that draws the next tiles, or deal=, "
            "the displays from a log"
        )


def _step_result(rows: Rows) -> StepResult:
    state = GameState(rows)
    return StepResult(state, state.scores if state.is_terminal else None)


def refuse(state: GameState, action: AnyAction) -> NoReturn:
    """Raise the error for an action that is illegal."""
    reason = illegal_reason(state, action)
    assert reason is not None, "the compiled and the plain test of legality disagree"
    turn = as_action(action, state.num_players)
    if turn is None:
        described = f"action {shown(action)}"
    else:
        number = encode_action(turn, state.num_players)
        described = f"action {number} ({describe_action(turn, state.num_players)})"
    raise IllegalActionError(described, reason, state)

"""The rules as pure functions of `GameState`: no function changes its arguments."""

from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from azul_env.chance import (
    Deal,
    RandomSource,
    check_random_source,
    deal_given,
    deal_randomly,
)
from azul_env.core.actions import (
    Action,
    as_action,
    decode_action,
    encode_action,
    placement_column,
)
from azul_env.core.actions import AnyAction as AnyAction  # for callers' annotations
from azul_env.core.arguments import number_between, player_count, shown, whole_number
from azul_env.core.batch import resign_one, start_one, step_one, write_masks
from azul_env.core.chance import NO_CHANCE
from azul_env.core.ranking import write_ranks
from azul_env.core.spec import (
    COUNTER_LIMIT,
    DEFAULT_MAX_ROUNDS,
    FLOOR,
    IllegalReason,
)
from azul_env.core.state import Rows
from azul_env.core.step import ILLEGAL, ROUND_OVER
from azul_env.core.variant import COLORED, variant_named, variant_of
from azul_env.errors import IllegalActionError, MissingDealError
from azul_env.notation import describe_action
from azul_env.state import GameState, check_state, trusted_state


class StepResult(NamedTuple):
    """The state after a move, and the final scores by seat if the game is over."""

    state: GameState
    final_scores: tuple[int, ...] | None


def undealt_game(
    num_players: int = 2,
    starting_player: int = 0,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    variant: str = COLORED.name,
) -> GameState:
    """A new game before its first deal: the root of a search with chance nodes."""
    seats = player_count(num_players)
    starter = number_between(starting_player, 0, seats - 1, "starting_player")
    cap = number_between(max_rounds, 1, COUNTER_LIMIT, "max_rounds")
    rows = np.zeros(1, variant_named(variant).dtype)
    start_one(rows, seats, starter, cap)
    return trusted_state(rows)


def new_game(
    num_players: int = 2,
    starting_player: int = 0,
    rng: RandomSource | None = None,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    deal: Deal | None = None,
    variant: str = COLORED.name,
) -> GameState:
    """A new game with its first round dealt: as given in `deal`, else from `rng`, a generator or a seed.

    Without either, fresh entropy is drawn, as in NumPy. Pass the same seed or generator to `apply_action` to play the
    game of that seed, which is also the game of every environment with that seed.
    """
    rows = undealt_game(num_players, starting_player, max_rounds, variant).rows
    _deal(rows, rng, deal)
    return trusted_state(rows)


def legal_mask(state: GameState) -> NDArray[np.bool_]:
    """The legal mask over the 180, 240 or 300 actions, 5 more in gray games. All false once the game is over."""
    check_state(state)
    mask = np.zeros(variant_of(state.rows).num_actions(state.num_players), np.bool_)
    write_masks(state.rows, mask.reshape(1, -1), 0, 1)
    return mask


def legal_actions(state: GameState) -> list[Action]:
    """The legal actions, in ascending order of their numbers."""
    return [
        decode_action(number, state.num_players, state.variant)
        for number in np.flatnonzero(legal_mask(state)).tolist()
    ]


def illegal_reason(
    state: GameState, action: AnyAction, player: int | None = None
) -> IllegalReason | None:
    """Why an action of `player` (default: the player to move) is illegal; None if it is legal.

    Returns the first reason of R9 that applies.
    """
    check_state(state)
    move = as_action(action, state.num_players, state.variant)
    seat = state.current_player if player is None else whole_number(player, "player")
    if move is None or not 0 <= seat < state.num_players:
        return IllegalReason.OUT_OF_RANGE
    column = placement_column(move, state.num_players)
    if state.is_terminal or bool(state.columns_to_choose) != (column is not None):  # R10.17
        return IllegalReason.WRONG_PHASE
    if seat != state.current_player:
        return IllegalReason.NOT_PLAYERS_TURN
    if column is not None:
        return None if column in state.columns_to_choose else IllegalReason.WALL_CONFLICT
    return _draft_reason(state, move)


def _draft_reason(state: GameState, move: Action) -> IllegalReason | None:
    """Why a draft of the player to move is illegal; None if it is legal."""
    if [*state.factories, state.center][move.source][move.color] == 0:
        return IllegalReason.SOURCE_EMPTY
    if move.destination == FLOOR:
        return None
    board = state.players[state.current_player]
    line = board.pattern_lines[move.destination]
    if line.count == move.destination + 1:
        return IllegalReason.PATTERN_LINE_COMPLETE
    if line.color not in (None, move.color):
        return IllegalReason.COLOR_MISMATCH
    if move.color in variant_of(state.rows).row_colors(board.wall, move.destination):
        return IllegalReason.WALL_CONFLICT
    return None


def apply_action(
    state: GameState,
    action: AnyAction,
    rng: RandomSource | None = None,
    deal: Deal | None = None,
) -> StepResult:
    """The state after the player to move plays an action, given as an `Action` or its number.

    If this ends a round but not the game, the next round is dealt as given in `deal`, else from `rng`; without either,
    MissingDealError is raised. Otherwise both are ignored. See also `afterstate`.
    """
    check_random_source(rng)
    rows, outcome = _played(state, action)
    if outcome == ROUND_OVER:
        _deal_next(rows, rng, deal, "action", "; or ask for its afterstate")
    return _step_result(rows)


def afterstate(state: GameState, action: AnyAction) -> GameState:
    """The state after an action, before any chance: a round that ends is scored, but the next one is not dealt.

    Such a state `awaits_deal`; continue with `azul_env.tile_chances`, `drawn_deal` and `dealt`.
    """
    return trusted_state(_played(state, action)[0])


def resign(
    state: GameState,
    player: int,
    rng: RandomSource | None = None,
    deal: Deal | None = None,
) -> StepResult:
    """The state after a player resigns, whether or not it is the player's turn (R8).

    `rng` or `deal` is needed, as in `apply_action`, only if this ends a round: in a gray game, where the last player to
    tile resigns instead of choosing a column (R10.13).
    """
    after = resignation_afterstate(state, player)
    if after.awaits_deal and not state.awaits_deal:
        _deal_next(after.rows, rng, deal, "resignation", "")
    return _step_result(after.rows)


def resignation_afterstate(state: GameState, player: int) -> GameState:
    """The state after a player resigns, before any chance. Raises IllegalActionError."""
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
        return trusted_state(rows)
    raise IllegalActionError(f"resignation of player {shown(seat)}", reason, state)


def ranking(state: GameState) -> tuple[int, ...]:
    """The rank of each seat, from 1; tied seats share a rank (R7). Raises ValueError while the game is on."""
    check_state(state)
    if not state.is_terminal:
        raise ValueError(f'the game is still on: "{state!r}"')
    ranks = np.zeros(state.num_players, np.int64)
    write_ranks(state.rows, ranks)
    return tuple(ranks.tolist())


def winners(state: GameState) -> tuple[int, ...]:
    """The seats that won, several if they share the win. Raises ValueError while the game is on."""
    return tuple(seat for seat, rank in enumerate(ranking(state)) if rank == 1)


def _played(state: GameState, action: AnyAction) -> tuple[Rows, int]:
    """The rows after an action, without a deal, and the outcome of the step."""
    check_state(state)
    move = as_action(action, state.num_players, state.variant)
    rows = state.rows.copy()
    outcome = ILLEGAL
    if move is not None:
        number = encode_action(move, state.num_players, state.variant)
        outcome = step_one(rows, number, NO_CHANCE)
    if outcome == ILLEGAL:
        refuse(state, action)
    return rows, outcome


def _deal(rows: Rows, rng: RandomSource | None, deal: Deal | None) -> None:
    if deal is not None:
        deal_given(rows, deal)
    else:
        deal_randomly(rows, rng)


def _deal_next(
    rows: Rows, rng: RandomSource | None, deal: Deal | None, ender: str, hint: str
) -> None:
    """Deal the round that `ender` makes due. Raises MissingDealError if there is nothing to deal from."""
    if rng is None and deal is None:
        raise MissingDealError(
            f"this {ender} ends a round: pass rng=, a numpy Generator or a seed that draws the next tiles, or "
            f"deal=, the factories from a log{hint}"
        )
    _deal(rows, rng, deal)


def _step_result(rows: Rows) -> StepResult:
    state = trusted_state(rows)
    return StepResult(state, state.scores if state.is_terminal else None)


def refuse(state: GameState, action: AnyAction, game: int | None = None) -> NoReturn:
    """Raise IllegalActionError for an illegal action; `game` is the index of the game in a batch."""
    reason = illegal_reason(state, action)
    assert reason is not None, "the kernel and illegal_reason disagree"
    players, variant = state.num_players, state.variant
    move = as_action(action, players, variant)
    if move is None:
        described = f"action {shown(action)}"
    else:
        number = encode_action(move, players, variant)
        described = f"action {number} ({describe_action(move, players, variant)})"
    if game is not None:
        described += f" in game {game}"
    raise IllegalActionError(described, reason, state)

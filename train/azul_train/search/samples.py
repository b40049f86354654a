"""Recorded games as training samples: the networks' inputs and targets."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.search.evaluator import DECIDED
from azul_agents.search.network.features import (
    MAX_LISTED,
    NUM_ROUNDS,
    TABLE_LISTED,
    write_features,
)
from azul_agents.search.network.offers import offers_listed, write_offers
from azul_agents.search.self_play import NO_END, Recording
from azul_env import Rows

Floats = NDArray[np.float32]

WALL_ROW: Final = 31  # the five cells of a row


class Samples(NamedTuple):
    """Positions as seats see them; arrays by position unless noted."""

    boards: NDArray[np.int16]  # (position, seat, listed features), the viewer's board first
    table: NDArray[np.int16]  # (position, listed features)
    offers: NDArray[np.int16]  # (position, listed features); 0 at ends of rounds
    points: NDArray[np.int16]  # (position, seat)
    rounds: NDArray[np.int8]
    is_end: NDArray[np.bool_]  # of a round
    next_end: NDArray[np.int64]  # the sample that ends the round, as the same seat sees it; NO_END
    sign: NDArray[np.int8]  # -1 if `next_end` is seen by the other player, with 2 players
    margin: Floats  # how the game ended
    share: Floats  # of the win
    # The margin that the search found; NaN where there was no search, or the game is decided.
    searched: Floats
    game: NDArray[np.int64]


def samples_of(recordings: Iterable[Recording]) -> Samples:
    """The samples of recorded games: with 2 players one per position, else one per position and seat."""
    parts = []
    positions = games = 0
    for recording in recordings:
        part = _samples(recording)
        next_end = np.where(part.next_end == NO_END, NO_END, part.next_end + positions)
        parts.append(part._replace(next_end=next_end, game=part.game + games))
        positions += len(part.game)
        games += len(recording.finals)
    return Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _samples(recording: Recording) -> Samples:
    rows = np.ascontiguousarray(recording.rows)
    count, num_players = len(rows), int(recording.finals["num_players"].max())
    boards = np.zeros((count, num_players, MAX_LISTED), np.int16)
    table = np.zeros((count, TABLE_LISTED), np.int16)
    points = np.zeros((count, num_players), np.int16)
    write_features(rows, boards, table, points, np.zeros(MAX_LISTED, np.int64))
    offers = np.zeros((count, num_players, offers_listed(num_players)), np.int16)
    write_offers(rows, offers, np.zeros(offers.shape[2], np.int64))
    margins, shares = results_of(recording.finals, num_players)
    mover = rows["current_player"]
    index = np.arange(count)
    # A row for every seat that sees a position: with 2 players the mover, else all.
    if num_players == 2:
        seats, positions = mover, index
    else:
        seats = np.tile(np.arange(num_players), count)
        positions = np.repeat(index, num_players)
    order = (seats[:, None] + np.arange(num_players)) % num_players
    ends = recording.ends[positions]
    if num_players == 2:
        next_end, sign = ends, np.where(mover[ends] == mover, 1, -1)
    else:
        next_end = np.where(ends == NO_END, NO_END, num_players * ends + seats)
        sign = np.ones(len(ends))
    game = recording.games[positions]
    return Samples(
        boards=boards[positions[:, None], order],
        table=table[positions],
        offers=offers[positions, seats],
        points=points[positions[:, None], order],
        rounds=np.minimum(rows["round"], NUM_ROUNDS - 1).astype(np.int8)[positions],
        is_end=(rows["available"] == 0)[positions],
        next_end=next_end,
        sign=sign.astype(np.int8),
        margin=margins[game, seats],
        share=shares[game, seats],
        searched=margins_found(recording)[positions, seats],
        game=game,
    )


def margins_found(recording: Recording) -> Floats:
    """The margins that the searches of all seats found; NaN where they did not search, or the game is decided.

    Values of decided games include more than the margin: see `evaluator.DECIDED`.
    """
    is_margin = (recording.ends != NO_END)[:, None] & (np.abs(recording.values) < DECIDED)
    return np.where(is_margin, recording.values, np.float32(np.nan))


def results_of(finals: Rows, num_players: int) -> tuple[Floats, Floats]:
    """Margin over the mean of the others, and share of the win, by game and seat."""
    scores = finals["scores"][:, :num_players]
    margins = scores - (scores.sum(axis=1, keepdims=True) - scores) / (num_players - 1)
    walls = finals["walls"][:, :num_players]
    full_rows = sum(
        ((walls >> 5 * row & WALL_ROW) == WALL_ROW).astype(np.int64) for row in range(5)
    )
    rank = 10 * scores + full_rows
    is_won = rank == rank.max(axis=1, keepdims=True)
    return margins.astype(np.float32), (is_won / is_won.sum(axis=1, keepdims=True)).astype(
        np.float32
    )

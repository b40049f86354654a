"""Learning the weights of the linear evaluator: compiled self-play, then ridge regression on the final margin of points.

Players search with the current weights, one move ahead or within a node limit, and with probability epsilon play at
random. Every position they pass is a sample: the features of the boards, the player's minus the others', against the
margin that the game ended with. Samples are not kept, only the sums that the regression needs, one set for each bucket.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.array_file import read_arrays
from azul_agents.search.deepening import choose
from azul_agents.search.evaluator import prepare, round_end_value, value
from azul_agents.search.features import (
    NUM_BUCKETS,
    SUPPLIES,
    bucket_of,
    tiles_to_come,
)
from azul_agents.search.linear import (
    MOST_LISTED,
    NAMES_OF_FEATURES,
    LinearEvaluator,
    Weights,
    features_of,
    linear_evaluator,
)
from azul_agents.search.moves import action_of, list_with_keys, move_parts, next_best
from azul_agents.search.pvs import MAX_PLIES, SearchMemory, new_memory
from azul_agents.search.tiling import chooser_of, tiled
from azul_env.core.actions import action_parts
from azul_env.core.chance import Chances, chances_from, checked_chances, deal, random_below
from azul_env.core.jit import called_kernel, kernel
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import DEFAULT_MAX_ROUNDS, MAX_PLAYERS
from azul_env.core.state import Row, Rows, empty_rows
from azul_env.core.step import (
    RANDOM_SEAT,
    ROUND_OVER,
    TURN_PASSED,
    play_move,
    reset_game,
)
from azul_env.core.variant import variant_named
from azul_env.core.words import as_bool, as_int64
from azul_env.files import atomic_file

LOOKED_AT: Final = 12  # moves that a player compares, the best by expected gain
DRAWN_FROM: Final = 6  # a random move is one of this many, the best by expected gain
EPSILON: Final = 0.08
MAX_SAMPLES: Final = 2_000  # a game has fewer positions

Sums = NDArray[np.float64]


@kernel
def is_random_move(chances: Chances, k: int, epsilon: float) -> bool:
    """True with probability epsilon, in steps of 0.001."""
    return random_below(chances, k, as_int64(1000)) < 1000 * epsilon


@kernel
def choose_one_ply(
    rows: Rows,
    evaluator: LinearEvaluator,
    chances: Chances,
    k: int,
    epsilon: float,
    memory: SearchMemory,
) -> int:
    """The action whose position is worth most to the mover of rows[0]; with probability epsilon a random good one.

    rows[1] is scratch space for the position after a move.
    """
    row = rows[0]
    player = row["current_player"]
    moves, keys = memory.moves[0], memory.sort_keys[0]
    prepare(evaluator, row)
    count = list_with_keys(evaluator, row, moves, memory.gains, keys, as_bool(True))
    drawn = as_int64(-1)
    if is_random_move(chances, k, epsilon):
        drawn = random_below(chances, k, min(count, DRAWN_FROM))
    best_value = -np.inf
    best = as_int64(0)
    for rank in range(min(count, LOOKED_AT)):
        move = moves[next_best(keys, count)]
        if rank == drawn:
            return action_of(move)
        if drawn >= 0:
            continue
        rows[1] = rows[0]
        source, color, destination = move_parts(move)
        outcome = play_move(rows[1], source, color, destination)
        if tiled(rows[1], outcome, chooser_of(row)) != TURN_PASSED:
            found = round_end_value(evaluator, rows[1], player)
        else:
            found = value(evaluator, rows[1], player)
        if found > best_value:
            best_value = found
            best = move
    return action_of(best)


@kernel
def note_sample(
    row: Row, player: int, samples: NDArray[np.float64], sample: int, evaluator: LinearEvaluator
) -> None:
    """Write down a position from a player's side: pairs of feature and amount, the player's minus the others'.

    A sample begins with its bucket, its player and the number of pairs.
    """
    indices, amounts = evaluator.indices, evaluator.amounts
    others = row["num_players"] - 1
    tiles = tiles_to_come(row)
    written = 3
    for seat in range(row["num_players"]):
        share = 1.0 if seat == player else -1.0 / others
        for listed in range(features_of(row, seat, tiles, indices, amounts)):
            if amounts[listed] != 0.0:
                samples[sample, written] = indices[listed]
                samples[sample, written + 1] = share * amounts[listed]
                written += 2
    samples[sample, 0] = bucket_of(row, tiles)
    samples[sample, 1] = player
    samples[sample, 2] = (written - 3) // 2


@kernel
def add_samples(
    row: Row, samples: NDArray[np.float64], count: int, grams: Sums, moments: Sums, squares: Sums
) -> None:
    """Add the positions of a finished game to the sums of their buckets."""
    total = 0
    for seat in range(row["num_players"]):
        total += row["scores"][seat]
    for sample in range(count):
        bucket = int(samples[sample, 0])
        own = row["scores"][int(samples[sample, 1])]
        margin = own - (total - own) / (row["num_players"] - 1)
        end = 3 + 2 * int(samples[sample, 2])
        for one in range(3, end, 2):
            feature, amount = int(samples[sample, one]), samples[sample, one + 1]
            moments[bucket, feature] += amount * margin
            for other in range(3, end, 2):
                grams[bucket, feature, int(samples[sample, other])] += (
                    amount * samples[sample, other + 1]
                )
        squares[bucket, 0] += 1.0
        squares[bucket, 1] += margin * margin


@called_kernel
def play_and_sum(
    num_players: int,
    games: int,
    evaluator: LinearEvaluator,
    chances: Chances,
    k: int,
    epsilon: float,
    grams: Sums,
    moments: Sums,
    squares: Sums,
    rows: Rows,
    samples: NDArray[np.float64],
    memory: SearchMemory,
) -> None:
    """Play games and add all their positions to the sums. With a node limit of 0 players look one move ahead."""
    root, max_depth = as_int64(0), as_int64(MAX_PLIES)
    max_rounds = as_int64(DEFAULT_MAX_ROUNDS)
    for _ in range(games):
        reset_game(rows[0], num_players, as_int64(RANDOM_SEAT), max_rounds, chances, k)
        row = rows[0]
        count = as_int64(0)
        while row["end_reason"] == PLAYING and count + num_players < MAX_SAMPLES:
            if row["available"] != 0:  # no wall is being tiled
                note_sample(row, row["current_player"], samples, count, evaluator)
                count += 1
            action = choose_one_ply(rows, evaluator, chances, k, epsilon, memory)
            if memory.control[0]["node_limit"] > 0 and not is_random_move(chances, k, epsilon):
                action = choose(rows, root, memory, evaluator, max_depth)
            source, color, destination = action_parts(action)
            if play_move(row, source, color, destination) == ROUND_OVER:
                for seat in range(num_players):
                    note_sample(row, seat, samples, count, evaluator)
                    count += 1
                deal(row, chances, k)
        if row["end_reason"] != PLAYING:
            add_samples(row, samples, count, grams, moments, squares)


@dataclass
class SelfPlay:
    """The sums of a number of self-play games, from which weights are fitted or judged."""

    grams: Sums
    moments: Sums
    squares: Sums

    @classmethod
    def nothing(cls, num_features: int) -> "SelfPlay":
        """The sums of no games."""
        return cls(
            np.zeros((NUM_BUCKETS, num_features, num_features)),
            np.zeros((NUM_BUCKETS, num_features)),
            np.zeros((NUM_BUCKETS, 2)),
        )

    def __add__(self, other: "SelfPlay") -> "SelfPlay":
        return SelfPlay(
            self.grams + other.grams, self.moments + other.moments, self.squares + other.squares
        )

    def fit(self, ridge: float) -> Weights:
        """Weights of all buckets by ridge regression; a bucket without samples gets those of the one before."""
        weights = np.zeros(self.moments.shape)
        for bucket in range(NUM_BUCKETS):
            if self.squares[bucket, 0] < 100:
                weights[bucket] = weights[bucket - 4] if bucket >= 4 else 0.0
                continue
            gram = self.grams[bucket] + ridge * np.eye(self.moments.shape[1])
            weights[bucket] = np.linalg.solve(gram, self.moments[bucket])
        return weights

    def unexplained(self, weights: Weights) -> float:
        """The share of the margins' variance that weights leave unexplained on these games."""
        error = total = 0.0
        for bucket in range(NUM_BUCKETS):
            own = weights[bucket]
            squares = self.squares[bucket, 1]
            error += squares - 2 * own @ self.moments[bucket] + own @ self.grams[bucket] @ own
            total += squares
        return float(error / total)


class SelfPlayGames:
    """Self-play in progress: how many games were played, their sums, and the generator of the next."""

    def __init__(
        self,
        num_players: int,
        weights: Weights,
        seed: int,
        nodes: int = 0,
        epsilon: float = EPSILON,
        variant: str = "colored",
    ) -> None:
        self.played = 0
        self.sums = SelfPlay.nothing(weights.shape[1])
        self._chances = chances_from(seed, 1)
        self._num_players, self._epsilon = num_players, epsilon
        self._evaluator = linear_evaluator(num_players, weights)
        # A search uses nothing that the last one stored, so a resumed run may begin with an empty memory.
        dtype = variant_named(variant).dtype
        memory = new_memory(breadth=10, node_limit=nodes)
        self._memory = memory._replace(stack=empty_rows(len(memory.stack), dtype))
        self._rows = empty_rows(2, dtype)
        self._samples = np.zeros((MAX_SAMPLES, 3 + 2 * MAX_PLAYERS * MOST_LISTED))

    def play(self, games: int) -> None:
        """Play games in compiled code, without the interpreter lock."""
        play_and_sum(
            self._num_players,
            games,
            self._evaluator,
            self._chances,
            0,
            self._epsilon,
            self.sums.grams,
            self.sums.moments,
            self.sums.squares,
            self._rows,
            self._samples,
            self._memory,
        )
        self.played += games

    def save(self, path: Path) -> None:
        """Save the games so far; `load` resumes them with identical results."""
        with atomic_file(path) as file:
            np.savez(file, played=self.played, chances=self._chances, **vars(self.sums))

    def load(self, path: Path) -> None:
        """Resume from a file of `save`. Raises ValueError if it is broken."""
        parts = vars(self.sums) | {"played": np.array(self.played), "chances": self._chances}
        headers = {name: (part.shape, part.dtype) for name, part in parts.items()}
        try:
            saved = read_arrays(path, headers)
            checked_chances(saved["chances"])
            sums = [saved[name] for name in vars(self.sums)]
            if saved["played"] < 0 or not all(np.isfinite(part).all() for part in sums):
                raise ValueError(f"{path} is broken: its numbers are out of range")
        except ValueError as error:
            raise ValueError(f"{error}: remove it, and its games are played again") from None
        self.played = int(saved["played"])
        for name, part in parts.items():
            part[...] = saved[name]


def self_play(
    num_players: int,
    games: int,
    weights: Weights,
    seed: int,
    nodes: int = 0,
    epsilon: float = EPSILON,
    variant: str = "colored",
) -> SelfPlay:
    """The sums of games in which `nodes` bounds each search."""
    under_way = SelfPlayGames(num_players, weights, seed, nodes, epsilon, variant)
    under_way.play(games)
    return under_way.sums


def first_weights(variant: str = "colored") -> Weights:
    """Hand-set weights to begin with: points count, and progress counts as its bonus times the square of its share."""
    names = NAMES_OF_FEATURES[variant]
    value = dict.fromkeys(names, 0.0) | {"points": 1.0, "starts_next": 1.5}
    for cells in range(32):
        share = (cells.bit_count() / 5) ** 2
        value[f"column_{cells:05b}"] = 7 * share
        for row in range(5):
            value[f"row_{row}_{cells:05b}"] = 2 * share
    for count in range(6):
        value[f"color_{count}"] = value[f"color_{count}_blocked_0"] = 10 * (count / 5) ** 2
        for row in range(5):
            value[f"open_{row}_{count}"] = 0.15 * count
    for line in range(5):
        for count in range(1, line + 1):
            for supply in SUPPLIES:
                promise = 0.6 * (count / (line + 1)) ** 2
                value[f"line_{line}_{count}_{supply}_points"] = promise
    return np.tile([value[name] for name in names], (NUM_BUCKETS, 1))

"""The Evaluator interface: what a leaf is worth and which moves come first, as parameters of a search.

An evaluator is a NamedTuple of arrays (weights, caches, scratch space) whose class names its kernels. Searches take one as
an argument and call the functions of this module, which Numba resolves by the argument's type when it compiles: a search
is specialized for each evaluator class, at no cost per call, and cached on disk, since the type is pickled by its name.

To add an evaluator, write such a class in a module of azul_agents; `linear` is an example. No search changes. One that is
defined elsewhere works too, but is compiled in every process: see `_keep_out_of_cache`.

All values are in points: the expected final margin over the mean of the opponents, plus DECIDED times the chance of
winning minus that of losing. So an evaluator may predict margin, win probability or both.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from azul_env.core.jit import KERNELS, kernel
from azul_env.core.rounds import PLAYING
from azul_env.core.scoring import complete_rows
from azul_env.core.state import Row

# A won game is worth this many points more than the same margin that is only expected.
DECIDED: Final = 40.0

Moves = NDArray[np.int64]  # packed: see `moves`
Gains = NDArray[np.float64]


@kernel
def no_policy(evaluator: Any, row: Row, moves: Moves, count: int, logits: Gains) -> bool:
    """`write_logits` of evaluators without a policy."""
    return False


class EvaluatorKernels(NamedTuple):
    """The kernels of an evaluator; each takes the evaluator as its first argument."""

    prepare: Callable[[Any, Row], None]
    """A search of this position begins. Walls and scores stay as they are until its round ends."""
    value: Callable[[Any, Row, int], float]
    """Value of a position within a round to a seat."""
    afterstate_value: Callable[[Any, Row, int], float]
    """Value to a seat of a position between rounds: scored, not dealt, and the game goes on."""
    write_gains: Callable[[Any, Row, Moves, int, Gains], None]
    """Write what each of `count` moves is expected to gain the player to move: the order of search and the priors."""
    write_logits: Callable[[Any, Row, Moves, int, Gains], bool] = no_policy
    """Write the logits of a policy for `count` moves; false if there is no policy."""


class Evaluator(Protocol):
    """A NamedTuple of arrays; one instance serves one search at a time."""

    @staticmethod
    def kernels() -> EvaluatorKernels:
        """The kernels of the class."""
        ...


def _keep_out_of_cache(evaluator_class: type) -> None:
    """Stop caching compiled code, for the rest of this process, if a class is not part of this package.

    The cache is keyed on the sources of the package, so edits of the class would go unnoticed.
    """
    package = __name__.partition(".")[0]
    if evaluator_class.__module__.partition(".")[0] != package:
        for compiled in KERNELS:
            compiled._cache.disable()


F = TypeVar("F", bound=Callable[..., Any])


def _resolved_by_type(function: F) -> F:
    """Make compiled calls of a function dispatch statically to the kernel of that name, by the evaluator's type."""

    def chosen(evaluator: Any, *arguments: Any) -> Any:
        _keep_out_of_cache(evaluator.instance_class)
        evaluator_kernel = getattr(evaluator.instance_class.kernels(), function.__name__)
        return lambda evaluator, *arguments: evaluator_kernel(evaluator, *arguments)

    options: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}  # as for kernels
    overload(function, jit_options=options, strict=False)(chosen)
    return function


@_resolved_by_type
def prepare(evaluator: Evaluator, row: Row) -> None:
    """Tell the evaluator that a search of this position begins."""
    evaluator.kernels().prepare(evaluator, row)


@_resolved_by_type
def value(evaluator: Evaluator, row: Row, seat: int) -> float:
    """Value of a position within a round to a seat."""
    return evaluator.kernels().value(evaluator, row, seat)


@_resolved_by_type
def afterstate_value(evaluator: Evaluator, row: Row, seat: int) -> float:
    """Value to a seat of a position between rounds of a game that goes on."""
    return evaluator.kernels().afterstate_value(evaluator, row, seat)


@_resolved_by_type
def write_gains(evaluator: Evaluator, row: Row, moves: Moves, count: int, gains: Gains) -> None:
    """Write the expected gain of the first `count` moves to the player to move."""
    evaluator.kernels().write_gains(evaluator, row, moves, count, gains)


@_resolved_by_type
def write_logits(evaluator: Evaluator, row: Row, moves: Moves, count: int, logits: Gains) -> bool:
    """Write the policy's logits of the first `count` moves; false if the evaluator has no policy."""
    return evaluator.kernels().write_logits(evaluator, row, moves, count, logits)


@kernel
def round_end_value(evaluator: Evaluator, row: Row, seat: int) -> float:
    """Value of a position whose round has been scored: the result of a finished game, else the evaluator's."""
    if row["end_reason"] != PLAYING:
        return final_value(row, seat)
    return afterstate_value(evaluator, row, seat)


@kernel
def final_value(row: Row, player: int) -> float:
    """The margin of a finished game plus or minus DECIDED for each opponent beaten or not (R7.1)."""
    others = 0.0
    beaten = 0.0
    own = row["scores"][player]
    own_rows = complete_rows(row["walls"][player])
    for seat in range(row["num_players"]):
        if seat != player:
            theirs = row["scores"][seat]
            their_rows = complete_rows(row["walls"][seat])
            others += theirs
            if own > theirs or (own == theirs and own_rows > their_rows):
                beaten += 1.0
            elif own < theirs or (own == theirs and own_rows < their_rows):
                beaten -= 1.0
    return own + (DECIDED * beaten - others) / (row["num_players"] - 1)

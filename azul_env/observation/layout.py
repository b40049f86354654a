"""The building blocks of an observation encoding, and what follows from them: names, places and ranges of all numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env.core.simd import EIGHT, HALF_BITS
from azul_env.core.spec import num_factories
from azul_env.core.state import Row


@dataclass(frozen=True)
class Field:
    """Numbers with a name: bit-fields of a word, each within one half of it."""

    name: str
    shape: tuple[int, ...]
    high: tuple[int, ...]  # the largest value, by the last axis (or one for all)
    shifts: tuple[int, ...]  # the lowest bit of each number
    meaning: str
    keys: tuple[int, ...] = ()  # if given, a number is 0 unless its bits of the key word equal this

    @property
    def highs(self) -> list[int]:
        """The largest value of each number."""
        return np.broadcast_to(self.high, self.shape).ravel().tolist()

    def numbers(self) -> Iterator[tuple[int, int, int]]:
        """For each number: its shift, its unshifted mask, and its key (0 if it has none)."""
        mask = (1 << max(*self.high, *self.keys, 0).bit_length()) - 1
        for k, shift in enumerate(self.shifts):
            yield shift, mask, self.keys[k] if self.keys else 0


class Codec(NamedTuple):
    """How a word is read from a state and written back."""

    read: Callable[[Row, int], int]  # a kernel: row, index
    restore: Callable[[Row, int, int], None]  # plain Python: row (all 0 at first), index, word


@dataclass(frozen=True)
class Word:
    """A word and the fields in it."""

    codec: Codec
    fields: tuple[Field, ...]
    keys: Codec | None = None  # the key word, if the fields have keys

    @property
    def size(self) -> int:
        """Number of numbers."""
        return sum(len(field.shifts) for field in self.fields)

    def halves(self, first: int) -> tuple[int, ...]:
        """The half of the word that holds each of eight numbers; padded by repeating the last one."""
        shifts = [shift for field in self.fields for shift in field.shifts][first : first + EIGHT]
        return tuple(shift // HALF_BITS for shift in shifts + shifts[-1:] * (EIGHT - len(shifts)))


@dataclass(frozen=True)
class Encoding:
    """All words of an observation, in order; the comments say what index the codecs get."""

    num_players: int
    board: tuple[Word, ...]  # the seat; once per player, the observer first, then in turn order
    factory: Word  # the factory; once per factory
    table: tuple[Word, ...]  # the observer's seat

    def words(self, player: int = 0) -> Iterator[tuple[Word, int]]:
        """Every word with its index, in the order of the observation of a player."""
        for turn in range(self.num_players):
            for word in self.board:
                yield word, (player + turn) % self.num_players
        for factory in range(num_factories(self.num_players)):
            yield self.factory, factory
        for word in self.table:
            yield word, player

    def fields(self) -> Iterator[Field]:
        """Every field, those of boards and factories as often as there are any."""
        return (field for word, _ in self.words() for field in word.fields)

    @property
    def size(self) -> int:
        """Number of numbers in an observation."""
        return sum(word.size for word, _ in self.words())

    def highs(self) -> NDArray[np.uint8]:
        """The largest value of each number."""
        return np.array([high for field in self.fields() for high in field.highs], np.uint8)

    def scales(self) -> NDArray[np.float32]:
        """The factor that scales each number to [0, 1]."""
        return (1 / self.highs().astype(np.float64)).astype(np.float32)

    def layout(self) -> list["Part"]:
        """The parts of an observation in order; together they cover it without gaps."""
        parts: list[Part] = []

        def add(word: Word, whose: str = "", copies: tuple[int, ...] = ()) -> None:
            for field in word.fields:
                start = parts[-1].stop if parts else 0
                shape = (*copies, *field.shape)
                parts.append(Part(whose + field.name, start, shape, field.high, field.meaning))

        for turn in range(self.num_players):
            for word in self.board:
                add(word, f"next_{turn}_" if turn else "own_")
        add(self.factory, copies=(num_factories(self.num_players),))
        for word in self.table:
            add(word)
        return parts


class Part(NamedTuple):
    """A named slice of the observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: tuple[int, ...]  # the largest value, by the last axis (or one for all)
    meaning: str

    @property
    def size(self) -> int:
        """Number of numbers."""
        return prod(self.shape)

    @property
    def stop(self) -> int:
        """One past the last number."""
        return self.start + self.size

    @property
    def slice(self) -> slice:
        """The part's place in the observation."""
        return slice(self.start, self.stop)

"""Mutated rows, judged by the compiled check and by `problems`; what passes is played to the end in every way there is.

As a program it prints counts: `python tests/fuzz/rows.py MUTATIONS SEED`. A test runs it in processes of its own, one of
them with NUMBA_BOUNDSCHECK=1, because what it looks for is a crash.
"""

import json
import random
import sys
from collections import Counter
from functools import cache

import numpy as np

from azul_agents import make_agent
from azul_env import (
    AzulEnv,
    AzulTurnsVectorEnv,
    AzulVectorEnv,
    GameBatch,
    GameState,
    InvalidPositionError,
    Rows,
    azul_v0,
    legal_mask,
    observe,
    ranking,
    resign,
)
from azul_env.core.soundness import ALL_SOUND, first_unsound
from azul_env.core.words import LANE_BITS
from azul_env.position import position_of, rows_of
from azul_env.state import _row_problems
from fuzz.mutations import refusal

ODD_WORDS = (
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    9,
    15,
    16,
    255,
    9_500,  # far enough from the highest score for the rest of a game
    10_000,
    1 << 31,
    -(1 << 63),
    -1,
    (1 << 63) - 1,
)
AGENTS = ("greedy", "alphabeta:nodes=100", "mcts:simulations=20")


def sound_rows(num_players: int, seed: int, games: int = 24, variant: str = "colored") -> Rows:
    """Games at all stages: dealt, in the middle, between two rounds, over, with resignations."""
    batch = GameBatch(
        games, num_players, seed=seed, starting_player=None, max_rounds=6, variant=variant
    )
    parts = [batch.rows.copy()]
    for turn in range(150):
        ended = batch.step(batch.random_actions())
        parts += [batch.rows[:2].copy()] if turn % 9 == 0 else []
        parts += [batch.final_rows[ended].copy()]
    batch.play_to_round_end()
    parts.append(batch.rows.copy())
    rows = np.concatenate(parts)
    rng = random.Random(seed)
    for game in range(0, len(rows), 3):
        state = GameState(rows[game : game + 1].copy())
        for seat in rng.sample(range(num_players), rng.randrange(num_players)):
            if not state.is_terminal:
                state = resign(state, seat, rng=1).state
        rows[game] = state.rows[0]
    return rows


def mutated(rows: Rows, rng: random.Random) -> Rows:
    """A copy of one of the rows with something changed."""
    row = rows[rng.randrange(len(rows))].reshape(1).copy()
    first = row.dtype.fields["bag"][1] // 8
    tile_words = range(first, first + 12)  # bag, lid and sources
    words, data = row.view(np.int64), row.view(np.uint8).reshape(-1)
    other = rows[rng.randrange(len(rows))].reshape(1).view(np.int64)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        match rng.randrange(6):
            case 0:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 1:
                words[rng.randrange(len(words))] = rng.choice(ODD_WORDS)
            case 2:
                word = rng.randrange(len(words))
                words[word] = other[word]
            case 3:  # a tile moves elsewhere
                unit = 1 << LANE_BITS * rng.randrange(5)
                words[rng.choice(tile_words)] -= unit
                words[rng.choice(tile_words)] += unit
            case 4:
                words[rng.randrange(8)] = rng.randrange(-1, 6)
            case 5 if rng.random() < 0.1:
                data[:] = np.frombuffer(rng.randbytes(len(data)), np.uint8)
    if rng.random() < 0.7:
        follow_up(row)
    return row


def follow_up(row: Rows) -> None:
    """Let the words that are stored for speed follow from the others, so that only these can be wrong."""
    try:
        expected = rows_of(position_of(row[0]))
    except (ValueError, LookupError, OverflowError, StopIteration):
        return
    for name in {"available", "legal", "columns"} & set(row.dtype.names):
        row[name] = expected[name]


def play(row: Rows, rng: np.random.Generator) -> None:
    """Ask every kernel about a sound row, and play it to the end through every door that takes it."""
    state = GameState(row.copy())
    players = state.num_players
    legal_mask(state), repr(state), str(state)
    batch = GameBatch(1, players, seed=1, variant=state.variant)
    batch.set_state(row)
    batch.play_to_end()
    assert batch.rows["end_reason"][0] and ranking(GameState(batch.rows.copy()))
    if state.variant != "colored":
        return
    for seat in range(players):
        observe(state, seat), observe(state, seat, np.uint8)
    if state.awaits_deal:
        return
    for env in (AzulEnv(players), azul_v0.raw_env(players)):
        env.set_state(state)
    if state.is_terminal:
        return
    for spec in AGENTS:
        action = agent(spec).act(state, legal_mask(state), rng)
        assert legal_mask(state)[action]
    for env in (AzulVectorEnv(1, players), AzulTurnsVectorEnv(1, players)):
        _, info = env.set_state(row)
        for _ in range(60):
            *_, info = env.step(info["action_mask"].argmax(axis=1))


agent = cache(make_agent)


def main(mutations: int, seed: int) -> Counter[str]:
    """Mutate, compare the verdicts and play what passes. Raises AssertionError; counts otherwise."""
    rng, counts = random.Random(seed), Counter()
    rows = {
        (players, variant): sound_rows(players, seed, variant=variant)
        for players in (2, 3, 4)
        for variant in ("colored", "gray")
    }
    for original in rows.values():
        assert first_unsound(original, 0, len(original)) == ALL_SOUND
    for _ in range(mutations):
        row = mutated(rows[rng.choice(list(rows))], rng)
        found = _row_problems(row, may_await_deal=True)
        is_sound = first_unsound(row, 0, 1) == ALL_SOUND
        assert is_sound == (not found), (row.tobytes().hex(), found)
        counts["sound" if is_sound else "refused"] += 1
        if is_sound:
            play(row, np.random.default_rng(seed))
        else:
            error = refusal(GameState, row)
            assert isinstance(error, InvalidPositionError) and list(error.problems) == found
    return counts


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))))

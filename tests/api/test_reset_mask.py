"""`reset(options={"reset_mask": ...})` of the vector environments, as Gymnasium's SyncVectorEnv has it."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from api.play import chosen
from azul_env import AzulEnv, AzulTurnsVectorEnv, AzulVectorEnv

GAMES = 5
BOTH = [AzulVectorEnv, AzulTurnsVectorEnv]


def masked(*games: int) -> dict[str, Any]:
    """Options that reset some games."""
    mask = np.zeros(GAMES, np.bool_)
    mask[list(games)] = True
    return {"reset_mask": mask}


def stock(opponents: str | None) -> SyncVectorEnv:
    """Gymnasium's vector environment around our single one."""
    return SyncVectorEnv(
        [lambda: AzulEnv(opponents=opponents)] * GAMES, autoreset_mode=AutoresetMode.SAME_STEP
    )


@pytest.mark.parametrize("opponents", [None, "greedy"])
def test_reset_mask__observations_info_and_games_are_those_of_sync_vector_env(opponents):
    ours, theirs = AzulVectorEnv(GAMES, opponents=opponents), stock(opponents)
    seen, info = ours.reset(seed=1)
    assert np.array_equal(seen, theirs.reset(seed=1)[0])
    rng = np.random.default_rng(1)
    for turn, games in enumerate([(1, 3), (0,), (2, 4), tuple(range(GAMES)), (4,), (0, 1)] * 3):
        for _ in range(turn):
            actions = chosen(info["action_mask"], rng)
            seen, *ours_result, info = ours.step(actions)
            other, *their_result, _ = theirs.step(actions)
            assert np.array_equal(seen, other)
            assert [part.tolist() for part in ours_result] == [p.tolist() for p in their_result]
        seed: Any = [None, 40 + turn, [turn + 9 * game for game in range(GAMES)]][turn % 3]
        before = ours.get_state()
        seen, info = ours.reset(seed=seed, options=masked(*games))
        other, their_info = theirs.reset(seed=seed, options=masked(*games))
        assert np.array_equal(seen, other)
        new = masked(*games)["reset_mask"]
        for key in ("action_mask", "seat"):
            assert np.array_equal(info[key][new], their_info[key][new])
            assert np.array_equal(info.get(f"_{key}", np.ones(GAMES, bool)), their_info[f"_{key}"])
        after = ours.get_state()
        assert after[~new].tobytes() == before[~new].tobytes()
        assert (after[new]["round"] == 0).all()


@pytest.mark.parametrize("make", BOTH)
def test_reset_mask__leaves_the_other_games_alone_and_gives_masks_for_all(make):
    env, other = make(GAMES, 3), make(GAMES, 3)
    for one in (env, other):
        one.reset(seed=3)
    rng = np.random.default_rng(2)
    for _ in range(7):
        actions = chosen(env.action_masks(), rng)
        seen, masks = env.step(actions)[0], other.step(actions) and other.action_masks()
    again, info = env.reset(seed=100, options=masked(0, 2))
    going_on = [1, 3, 4]
    assert again[going_on].tobytes() == seen[going_on].tobytes()
    assert info["action_mask"][going_on].tobytes() == masks[going_on].tobytes()
    assert info["_action_mask"].tolist() == [True, False, True, False, False]
    fresh = make(GAMES, 3)
    fresh.reset(seed=100)
    assert fresh.get_state()[[0, 2]].tobytes() == env.get_state()[[0, 2]].tobytes()
    actions = chosen(env.action_masks(), rng)
    actions[going_on] = other.action_masks()[going_on].argmax(axis=1)
    env.step(actions)
    other.step(other.action_masks().argmax(axis=1))
    assert env.get_state()[going_on].tobytes() == other.get_state()[going_on].tobytes()


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        ([True] * GAMES, TypeError, "reset_mask must be an array of bools, not"),
        (None, TypeError, "reset_mask must be an array of bools, not None"),
        (np.ones(GAMES, np.int8), TypeError, "reset_mask must be an array of bools, not"),
        (
            np.ones(GAMES - 1, np.bool_),
            ValueError,
            r"reset_mask must have shape \(5,\), not \(4,\)",
        ),
        (np.ones((GAMES, 1), np.bool_), ValueError, "reset_mask must have shape"),
        (np.zeros(GAMES, np.bool_), ValueError, "reset_mask must be true for at least one game"),
    ],
    ids=str,
)
def test_wrong_reset_mask__is_the_error_of_sync_vector_env_in_our_words(make, mask, error, words):
    env, theirs = make(GAMES), stock(None)
    env.reset(seed=1)
    before = env.get_state().tobytes()
    with pytest.raises(error, match=words):
        env.reset(seed=2, options={"reset_mask": mask})
    with pytest.raises(error):
        theirs.reset(seed=2, options={"reset_mask": mask})
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize("make", BOTH)
def test_reset_mask__before_the_first_reset_must_begin_all_games(make):
    env = make(GAMES)
    with pytest.raises(ResetNeeded, match="not all games have begun"):
        env.reset(options=masked(1))
    env.reset(seed=1, options=masked(*range(GAMES)))
    env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize("make", BOTH)
def test_reset_mask__stays_in_the_callers_options_and_reaches_wrappers(make):
    env = RecordEpisodeStatistics(make(GAMES, reward="round_margin"))
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.unwrapped.action_masks().argmax(axis=1))
    env.reset(options=masked(1))
    assert env.episode_lengths.tolist() == [3, 0, 3, 3, 3]
    options = masked(2)
    env.unwrapped.reset(options=options)
    assert options["reset_mask"].tolist() == masked(2)["reset_mask"].tolist()

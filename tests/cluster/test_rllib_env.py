"""The game as RLlib sees it: turns, masks, rewards and endings."""

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

from azul_env import IllegalActionError, winners
from azul_env.azul_v0 import raw_env
from azul_train.rllib.env import AzulMultiAgentEnv


def legal(observations, rng):
    """A random legal action for the one who is to move."""
    ((agent, seen),) = observations.items()
    return {agent: int(rng.choice(np.flatnonzero(seen["action_mask"])))}


@pytest.mark.parametrize("variant", ["colored", "gray"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_game__is_the_one_of_the_other_environments(players, variant):
    env = AzulMultiAgentEnv(players, variant=variant)
    aec = raw_env(players, starting_player="random", variant=variant)
    observations, _ = env.reset(seed=5)
    aec.reset(seed=5)
    rng = np.random.default_rng(1)
    is_over = False
    while not is_over:
        (agent,) = observations
        expected = aec.observe(aec.agent_selection)
        assert agent == aec.agent_selection
        assert (observations[agent]["observations"] == expected["observation"]).all()
        assert (observations[agent]["action_mask"] == expected["action_mask"]).all()
        assert env.observation_spaces[agent].contains(observations[agent])
        action = legal(observations, rng)
        observations, rewards, terminated, truncated, _ = env.step(action)
        aec.step(action[agent])
        assert rewards == aec.rewards
        is_over = terminated["__all__"]
        assert not any(truncated.values())
    assert all(terminated.values()) and all(aec.terminations.values())
    assert observations.keys() == terminated.keys() - {"__all__"}


def test_rewards__are_weighted_and_reach_the_seat_they_belong_to():
    env = AzulMultiAgentEnv(2, {"outcome": 0.5, "round_margin": 0.03})
    rng = np.random.default_rng(2)
    for seed in range(5):
        observations, _ = env.reset(seed=seed)
        total = np.zeros(2)
        is_over = False
        while not is_over:
            observations, rewards, terminated, _, _ = env.step(legal(observations, rng))
            total += [rewards["player_0"], rewards["player_1"]]
            is_over = terminated["__all__"]
        state = env.state()
        margin = state.scores[0] - state.scores[1]
        won = winners(state)
        outcome = 0 if len(won) == 2 else 1 if won == (0,) else -1
        assert total == pytest.approx([0.5 * outcome + 0.03 * margin] * np.array([1, -1]))


def test_cut_game__has_paid_its_outcome_and_is_over():
    env = AzulMultiAgentEnv(2, max_rounds=1)
    observations, _ = env.reset(seed=3)
    rng = np.random.default_rng(3)
    is_over = False
    while not is_over:
        observations, rewards, terminated, truncated, _ = env.step(legal(observations, rng))
        is_over = terminated["__all__"]
    assert env.state().end_reason == "max_rounds" and not truncated["__all__"]
    assert rewards["player_0"] == -rewards["player_1"]


def test_illegal_action__ends_the_game_or_raises():
    for strict in (False, True):
        env = AzulMultiAgentEnv(2, strict=strict)
        observations, _ = env.reset(seed=3)
        ((agent, seen),) = observations.items()
        illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
        if strict:
            with pytest.raises(IllegalActionError, match=f"illegal action {illegal}"):
                env.step({agent: illegal})
            continue
        _, rewards, terminated, _, infos = env.step({agent: illegal})
        assert terminated["__all__"] and rewards[agent] == -1 and sum(rewards.values()) == -1
        assert infos[agent]["illegal_action"]


def test_wrong_agent__is_named():
    env = AzulMultiAgentEnv(3)
    observations, _ = env.reset(seed=3)
    (mover,) = observations
    other = next(agent for agent in env.possible_agents if agent != mover)
    with pytest.raises(ValueError, match=f"{other} acts, but {mover} is to move"):
        env.step({other: 0})


def test_rllibs_own_check__accepts_the_environment():
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    check_multiagent_environments(AzulMultiAgentEnv(4))


def test_observations__stay_as_they_were_when_the_game_goes_on():
    env = AzulMultiAgentEnv(2)
    observations, _ = env.reset(seed=1)
    (first,) = observations.values()
    copies = {name: array.copy() for name, array in first.items()}
    rng = np.random.default_rng(1)
    for _ in range(10):
        observations, *_ = env.step(legal(observations, rng))
    assert all((first[name] == copies[name]).all() for name in copies)

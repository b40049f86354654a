"""Real training loops run on the environments for a few hundred steps, and see what they expect."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from api.play import PLAYERS, choice, chosen, states_of
from azul_env import azul_v0, legal_mask
from azul_env.envs.single import AzulEnv
from azul_train.sb3.vec_env import AzulVecEnv

GAMES = 16


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tiny_learner(env: Any, n_steps: int) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=n_steps,
        batch_size=64,
        n_epochs=2,
        policy_kwargs={"net_arch": [16]},
        seed=1,
        device="cpu",
    )


class LegalMasks(BaseCallback):
    """Asserts that the policy saw the masks of the positions it acted in, and kept to them."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.episodes = 0
        self.rewards: list[float] = []

    def masks_now(self) -> np.ndarray:
        env = self.training_env.unwrapped
        is_ours = isinstance(env, AzulVecEnv)
        states = states_of(env.env) if is_ours else env.env_method("get_state")
        return np.stack([legal_mask(state) for state in states])

    def _on_rollout_start(self) -> None:
        self.expected = self.masks_now()

    def _on_step(self) -> bool:
        seen, actions = self.locals["action_masks"], self.locals["actions"]
        assert np.array_equal(seen, self.expected)
        assert seen[np.arange(len(actions)), actions].all()
        assert not any("illegal_action" in info for info in self.locals["infos"])
        self.expected = self.masks_now()
        self.steps += len(actions)
        self.episodes += int(self.locals["dones"].sum())
        self.rewards += self.locals["rewards"].tolist()
        return True


def parameters_of(model: MaskablePPO) -> list[np.ndarray]:
    return [weights.detach().clone().numpy() for weights in model.policy.parameters()]


def test_maskable_ppo__learns_on_the_single_environment():
    env = gymnasium.make("azul_env:Azul-v0", max_rounds=2, reward="round_margin")
    model, watch = tiny_learner(env, 64), LegalMasks()
    before = parameters_of(model)
    model.learn(256, callback=watch)
    assert watch.steps == 256 and watch.episodes > 5
    assert any(watch.rewards)
    changed = [not np.array_equal(*pair) for pair in zip(before, parameters_of(model), strict=True)]
    assert all(changed)
    assert all(np.isfinite(weights).all() for weights in parameters_of(model))


def test_maskable_ppo__learns_on_the_vector_environment():
    env = VecMonitor(AzulVecEnv(GAMES, num_players=2, max_rounds=2))
    model, watch = tiny_learner(env, 32), LegalMasks()
    before = parameters_of(model)
    model.learn(2 * 32 * GAMES, callback=watch)
    assert watch.steps == 2 * 32 * GAMES and watch.episodes > GAMES
    assert len(model.ep_info_buffer) == min(watch.episodes, 100)
    assert all(-1 <= episode["r"] <= 1 for episode in model.ep_info_buffer)
    changed = [not np.array_equal(*pair) for pair in zip(before, parameters_of(model), strict=True)]
    assert all(changed)


def test_maskable_ppo__plays_legally_in_the_aec_environment_afterwards():
    env = gymnasium.make("azul_env:Azul-v0", max_rounds=1)
    model = tiny_learner(env, 64)
    aec = azul_v0.env(max_rounds=3)
    aec.reset(seed=1)
    for agent in aec.agent_iter():
        seen, reward, terminated, truncated, _ = aec.last()
        if terminated or truncated:
            aec.step(None)
            assert reward in (-1, 0, 1) and agent not in aec.agents
            continue
        vector, mask = seen["observation"], seen["action_mask"].astype(bool)
        action, _ = model.predict(vector, action_masks=mask)
        assert mask[action]
        aec.step(int(action))
    assert aec.get_state().is_terminal


@pytest.mark.parametrize("num_players", PLAYERS)
def test_aec_loop_of_the_pettingzoo_documentation__runs_to_the_end_of_games(num_players):
    env = azul_v0.env(num_players=num_players)
    for number in range(2):
        env.reset(seed=42 if number == 0 else None)
        for seat, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(seat)
        steps = 0
        for agent in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            if termination or truncation:
                action = None
            else:
                mask = observation["action_mask"]
                action = env.action_space(agent).sample(mask)
            env.step(action)
            steps += 1
        assert steps > 50
        assert env.get_state().end_reason == "row"  # and not by an illegal action
    env.close()


def test_self_play_loop__runs_over_hundreds_of_steps_with_a_policy_of_torch():
    env = gymnasium.make_vec("azul_env:AzulSelfPlay-v0", num_envs=GAMES, max_rounds=2)
    vectors, info = env.reset(seed=1)
    policy = torch.nn.Linear(vectors.shape[1], env.single_action_space.n)
    optimizer = torch.optim.SGD(policy.parameters(), 0.01)
    torch.manual_seed(1)
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    ends = 0
    for step in range(200):
        inputs = torch.from_numpy(vectors)
        kept.append((inputs, inputs.clone()))  # a buffer of a learner must not change afterwards
        masks = torch.from_numpy(info["action_mask"])
        logits = policy(inputs).masked_fill(~masks, -torch.inf)
        choice_of = torch.distributions.Categorical(logits=logits)
        actions = choice_of.sample()
        vectors, rewards, terminated, truncated, info = env.step(actions.numpy())
        assert "illegal_action" not in info
        ends += int((terminated | truncated).sum())
        loss = -(choice_of.log_prob(actions) * torch.from_numpy(rewards)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            assert all(torch.equal(held, then) for held, then in kept)
    assert ends > GAMES
    assert all(torch.equal(held, then) for held, then in kept)


def test_vec_env__is_the_dummy_vec_env_of_single_environments():
    arguments: dict[str, Any] = {"num_players": 3, "max_rounds": 2, "reward": "round_margin"}
    ours = AzulVecEnv(GAMES, **arguments)
    dummy = DummyVecEnv([lambda: AzulEnv(**arguments) for _ in range(GAMES)])
    assert ours.observation_space == dummy.observation_space
    assert ours.action_space == dummy.action_space
    assert ours.seed(5) == dummy.seed(5)
    assert np.array_equal(ours.reset(), dummy.reset())
    rng = np.random.default_rng(5)
    ends = 0
    for _ in range(60):
        masks = get_action_masks(ours)
        assert np.array_equal(masks, get_action_masks(dummy))
        actions = chosen(masks, rng)
        vectors, rewards, dones, infos = ours.step(actions)
        expected, expected_rewards, expected_dones, expected_infos = dummy.step(actions)
        assert np.array_equal(vectors, expected) and vectors.dtype == expected.dtype
        assert np.array_equal(rewards, expected_rewards) and rewards.dtype == np.float32
        assert np.array_equal(dones, expected_dones) and dones.dtype == np.bool_
        assert len(infos) == GAMES and len({id(info) for info in infos}) == GAMES
        for info, other in zip(infos, expected_infos, strict=True):
            assert info.get("truncated", False) == other["TimeLimit.truncated"]
            assert ("terminal_observation" in info) == ("terminal_observation" in other)
            if "terminal_observation" in info:
                assert np.array_equal(info["terminal_observation"], other["terminal_observation"])
                ends += 1
    assert ends >= GAMES


@pytest.mark.parametrize(("max_rounds", "is_cut"), [(1, True), (50, False)])
def test_vec_env__tells_the_end_and_asks_for_no_bootstrapping(max_rounds, is_cut):
    env = AzulVecEnv(GAMES, num_players=2, max_rounds=max_rounds)
    env.seed(1)
    env.reset()
    rng = np.random.default_rng(1)
    ends = 0
    while ends < 5:
        *_, rewards, dones, infos = env.step(chosen(env.action_masks(), rng))
        for reward, done, info in zip(rewards, dones, infos, strict=True):
            assert done == ("terminal_observation" in info)
            # The result is paid at the cap too: a learner that added a value would count it twice.
            assert not info.get("TimeLimit.truncated", False)
            assert done or reward == 0
            assert not done or info["truncated"] is is_cut
            ends += int(done)


def test_vec_env__terminal_observations_stay_as_they_are():
    env = AzulVecEnv(GAMES, num_players=2, max_rounds=1)
    env.seed(1)
    env.reset()
    kept: list[tuple[np.ndarray, bytes]] = []
    rng = np.random.default_rng(1)
    for _ in range(60):
        vectors, _, _, infos = env.step(chosen(env.action_masks(), rng))
        ends = [info["terminal_observation"] for info in infos if "terminal_observation" in info]
        kept += [(array, array.tobytes()) for array in (vectors, *ends)]
        del vectors, infos, ends
    assert len(kept) > 60 + GAMES
    assert all(array.tobytes() == then for array, then in kept)


def test_vec_env__answers_what_sb3_asks_of_it():
    env = AzulVecEnv(4, num_players=3)
    assert is_masking_supported(env) and not env.has_attr("no_such_thing")
    env.seed(1)
    env.reset()
    masks = env.action_masks()
    assert np.array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert np.array_equal(env.env_method("action_masks", indices=3), masks[[3]])
    assert env.env_is_wrapped(Monitor) == [False] * 4
    assert env.get_attr("num_envs", indices=[0, 1]) == [4, 4]
    assert [info["seat"] for info in env.reset_infos] == env.env.games.seats.tolist()
    with pytest.raises(AttributeError):
        env.env_method("no_such_thing")
    env.close()


def test_vec_env__seeds_reproduce_the_games_of_callable_opponents():
    def drawn(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> list[int]:
        return [choice(mask, rng) for mask in masks]

    games = []
    for _ in range(2):
        env = AzulVecEnv(4, opponents=drawn)
        env.seed(1)
        env.reset()
        steps = [env.step(env.action_masks().argmax(axis=1))[0].tobytes() for _ in range(10)]
        games.append(steps)
    assert games[0] == games[1]


@pytest.mark.parametrize(
    "wrong", [[3.0], [True], ["3"], [None], [[3]], 3, np.array([3.7]), np.array([3, 3])], ids=repr
)
def test_vec_env__refuses_actions_that_are_not_whole_numbers(wrong):
    env = AzulVecEnv(1)
    env.seed(1)
    env.reset()
    before = env.env.get_state().tobytes()
    with pytest.raises((TypeError, ValueError), match="actions must be whole numbers of shape"):
        env.step(wrong)
    assert env.env.get_state().tobytes() == before

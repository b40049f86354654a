"""The one wrapper of `env()` behaves as PettingZoo's usual three, call by call."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from api.play import PLAYERS, REWARDS, choice
from azul_env import azul_v0, encode_action, legal_mask
from properties.walks import chosen_action

Call = Callable[[Any], Any]


def stock_env(**arguments: Any) -> Any:
    """What PettingZoo's own environments do around theirs."""
    raw = azul_v0.raw_env(**arguments)
    guarded = TerminateIllegalWrapper(raw, illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(guarded))


def plain(value: Any) -> Any:
    """A value that compares with `==`."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value


def answer(env: Any, call: Call) -> tuple[Any, ...]:
    """What a call returns, or the type of its error, and what it logs."""
    EnvLogger.flush()
    try:
        result = plain(call(env))
    except Exception as error:
        result = type(error)
    return result, list(EnvLogger.mqueue)


def shown(env: Any) -> dict[str, Any]:
    """All that an environment lets its user see."""
    names = (
        "agents",
        "num_agents",
        "agent_selection",
        "rewards",
        "_cumulative_rewards",
        "terminations",
        "truncations",
        "infos",
    )
    attributes = {name: plain(getattr(env, name)) for name in names}
    observations = [plain(env.observe(agent)) for agent in env.possible_agents]
    return attributes | {"observations": observations, "state": plain(env.state())}


class Pair:
    """Ours and the stock stack, called alike and compared after every call."""

    def __init__(self, **arguments: Any) -> None:
        self.ours, self.stock = azul_v0.env(**arguments), stock_env(**arguments)

    def call(self, call: Call) -> Any:
        ours, stock = answer(self.ours, call), answer(self.stock, call)
        assert ours == stock
        return ours[0]

    def compare(self) -> None:
        assert shown(self.ours) == shown(self.stock)
        if self.ours.agents:
            self.call(lambda env: env.last())

    def reset(self, seed: int | None) -> None:
        self.call(lambda env: env.reset(seed=seed))
        self.compare()

    def step(self, action: Any) -> Any:
        result = self.call(lambda env: env.step(action))
        self.compare()
        return result

    @property
    def mask(self) -> np.ndarray:
        return legal_mask(self.ours.get_state())

    @property
    def is_over(self) -> bool:
        return any(self.ours.terminations.values()) or any(self.ours.truncations.values())


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    EnvLogger.suppress_output()
    yield
    EnvLogger.unsuppress_output()
    EnvLogger.flush()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_guard__whole_games_are_those_of_the_stock_wrappers(num_players, reward):
    pair = Pair(num_players=num_players, reward=reward, max_rounds=4)
    rng = np.random.default_rng(num_players)
    pair.reset(1)
    while not pair.is_over:
        pair.step(choice(pair.mask, rng))
    while pair.ours.agents:
        pair.step(None)
    pair.step(None)
    pair.step(0)


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 9, 26])
@pytest.mark.parametrize("num_players", PLAYERS)
def test_guard__illegal_action_ends_the_game_as_with_the_stock_wrappers(num_players, turns):
    pair = Pair(num_players=num_players, reward="round_margin")
    rng = np.random.default_rng(turns)
    pair.reset(turns)
    for _ in range(turns):
        pair.step(choice(pair.mask, rng))
    offender = pair.ours.agent_selection
    pair.step(choice(~pair.mask, rng))
    assert pair.ours.rewards == {
        agent: -1.0 if agent == offender else 0.0 for agent in pair.ours.possible_agents
    }
    assert all(pair.ours.terminations.values()) and all(pair.ours.truncations.values())
    told = {}
    while pair.ours.agents:
        told[pair.ours.agent_selection] = pair.ours.last()[1]
        assert pair.step(3) is ValueError  # only None is left
        pair.step(None)
    assert told[offender] == -1
    pair.step(None)
    pair.reset(None)
    pair.step(choice(pair.mask, rng))


def test_guard__illegal_action_forfeits_what_its_player_was_still_to_be_told():
    pair = Pair(reward="round_margin")
    rng = np.random.default_rng(1)
    pair.reset(1)
    while pair.ours.last()[1] == 0:  # until a round's points wait for the player to move
        pair.step(encode_action(chosen_action(pair.ours.get_state(), "greedy", rng), 2))
    assert not pair.is_over
    offender = pair.ours.agent_selection
    pair.step(choice(~pair.mask, rng))
    assert pair.ours._cumulative_rewards[offender] == -1


def some_call(pair: Pair, rng: np.random.Generator) -> Any:
    """An action that may well be wrong, mostly legal ones."""
    kind = rng.choice(
        ["legal", "illegal", "outside", "none", "type"], p=[0.9, 0.03, 0.03, 0.02, 0.02]
    )
    mask = pair.mask
    if kind == "legal" and mask.any():
        return rng.choice([int, np.int64, np.int32])(choice(mask, rng))
    if kind == "illegal":
        return choice(~mask, rng)
    if kind == "outside":
        return int(rng.choice([-1, len(mask), 10_000]))
    return None if kind == "none" or not mask.any() else float(choice(mask, rng))


@pytest.mark.parametrize("seed", range(6))
def test_guard__any_calls_in_any_order_are_answered_as_by_the_stock_wrappers(seed):
    rng = np.random.default_rng(seed)
    pair = Pair(num_players=2 + seed % 3, max_rounds=2, starting_player="random")
    pair.reset(seed)
    answers = []
    for _ in range(150):
        answers.append(pair.step(some_call(pair, rng)))
        if pair.ours.agents and rng.random() < 0.2:
            agent = str(rng.choice(pair.ours.possible_agents))
            pair.call(lambda env, agent=agent: env.observe(agent))
            pair.call(lambda env: env.last(observe=False))
        if rng.random() < (0.01 if pair.ours.agents else 0.3):
            pair.reset(None)
    assert {None, AssertionError} <= set(answers)


@pytest.mark.parametrize("action", [-1, 180, 10**6, 1.0, "0", [1], np.array([1]), None, np.nan])
def test_guard__action_outside_the_space_is_refused_as_by_the_stock_wrappers(action):
    pair = Pair()
    pair.reset(1)
    before = shown(pair.ours)
    assert pair.step(action) is AssertionError
    assert shown(pair.ours) == before


BEFORE_RESET: dict[str, Call] = {
    "step": lambda env: env.step(0),
    "step None": lambda env: env.step(None),
    "observe": lambda env: env.observe("player_0"),
    "last": lambda env: env.last(),
    "last without observation": lambda env: env.last(observe=False),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
    **{
        name: lambda env, name=name: getattr(env, name)
        for name in (
            "agents",
            "num_agents",
            "agent_selection",
            "rewards",
            "terminations",
            "truncations",
            "infos",
            "_cumulative_rewards",
            "_private",
            "possible_agents",
            "max_num_agents",
            "metadata",
            "render_mode",
        )
    },
}


@pytest.mark.parametrize("name", BEFORE_RESET)
def test_guard__before_reset_it_answers_as_the_stock_wrappers(name):
    Pair().call(BEFORE_RESET[name])


@pytest.mark.parametrize("name", BEFORE_RESET)
def test_guard__after_reset_it_answers_as_the_stock_wrappers(name):
    pair = Pair(render_mode="ansi")
    pair.reset(1)
    if name != "agent_iter":
        pair.call(BEFORE_RESET[name])


def test_guard__unknown_agent_is_refused_as_by_the_stock_wrappers():
    pair = Pair()
    pair.reset(1)
    for call in (
        lambda env: env.observe("player_7"),
        lambda env: env.action_space("player_7"),
        lambda env: env.observation_space(None),
    ):
        assert pair.call(call) is KeyError


def iterate_without_step(env: Any) -> list[str]:
    env.reset(seed=1)
    return [agent for agent, _ in zip(env.agent_iter(), range(3), strict=False)]


def iterate_with_steps(env: Any) -> list[str]:
    env.reset(seed=1)
    agents = []
    for agent in env.agent_iter(7):
        agents.append(agent)
        env.step(int(env.last()[0]["action_mask"].argmax()))
    return agents


def test_guard__agent_iter_needs_steps_as_with_the_stock_wrappers():
    pair = Pair(num_players=3)
    assert pair.call(iterate_without_step) is AssertionError
    assert len(pair.call(iterate_with_steps)) == 7


def test_guard__has_the_names_of_the_stock_wrappers():
    pair = Pair(num_players=4)
    for of in (str, lambda env: str(env.unwrapped), lambda env: env.max_num_agents):
        pair.call(of)
    assert str(pair.ours) == "azul_v0"
    assert type(pair.ours.unwrapped) is azul_v0.raw_env


def test_guard__closes_and_renders_as_the_stock_wrappers():
    pair = Pair(render_mode="ansi")
    pair.reset(1)
    assert isinstance(pair.call(lambda env: env.render()), str)
    pair.call(lambda env: env.close())
    pair.call(lambda env: env.close())

"""Masks of players who are not to move, seeds, and chance of the AEC environment."""

import random

import numpy as np
import pytest

from api.play import PLAYERS, choice, played
from azul_env import azul_v0, legal_mask, observe

MAKERS = [
    pytest.param(azul_v0.env, id="env"),
    pytest.param(azul_v0.raw_env, id="raw_env"),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_mask__is_empty_for_whoever_is_not_to_move_and_for_all_at_the_end(num_players, make):
    env = make(num_players=num_players)
    env.reset(seed=num_players)
    rng = np.random.default_rng(num_players)
    while not any(env.terminations.values()):
        masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
        own = masks.pop(env.agent_selection)
        assert own.dtype == np.int8 and own.any()
        assert np.array_equal(own, legal_mask(env.get_state()))
        assert not any(mask.any() for mask in masks.values())
        env.step(choice(own, rng))
    for _ in range(num_players):
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
        env.step(None)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_mask__is_empty_for_all_once_an_illegal_action_ended_the_game(num_players):
    env = azul_v0.env(num_players=num_players)
    env.reset(seed=1)
    played(env, 1, steps=num_players + 1)
    env.step(int(legal_mask(env.get_state()).argmin()))
    assert all(env.terminations.values())
    for _ in range(num_players):
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
        env.step(None)


def test_mask_and_observation__belong_to_the_caller():
    env = azul_v0.env()
    env.reset(seed=1)
    first = env.observe("player_0")
    kept = {key: array.copy() for key, array in first.items()}
    played(env, 1, steps=10)
    assert all(np.array_equal(first[key], kept[key]) for key in kept)
    env.reset(seed=1)
    for array in env.observe("player_0").values():
        array[:] = 1
    assert np.array_equal(env.observe("player_0")["action_mask"], kept["action_mask"])
    assert np.array_equal(env.observe("player_0")["observation"], kept["observation"])


@pytest.mark.parametrize("make", MAKERS)
def test_game__leaves_the_global_random_generators_alone(make):
    random.seed(1)
    np.random.seed(1)
    plain, legacy = random.getstate(), np.random.get_state()
    env = make(num_players=4, starting_player="random")
    env.reset()
    played(env, 1)
    env.reset(seed=2)
    played(env, 2)
    assert random.getstate() == plain
    assert all(map(np.array_equal, np.random.get_state(), legacy))
    random.seed(2)
    np.random.seed(2)
    again = make(num_players=4, starting_player="random")
    again.reset(seed=2)
    env.reset(seed=2)
    assert again.get_state() == env.get_state()


@pytest.mark.parametrize("num_players", PLAYERS)
def test_starting_player__is_the_seat_that_was_asked_for(num_players):
    for seat in range(num_players):
        env = azul_v0.env(num_players=num_players, starting_player=seat)
        for seed in range(3):
            env.reset(seed=seed)
            assert env.agent_selection == f"player_{seat}"
            assert env.get_state().starting_player_next_round == seat


@pytest.mark.parametrize("num_players", PLAYERS)
def test_starting_player__random_is_every_seat_about_as_often(num_players):
    env = azul_v0.env(num_players=num_players, starting_player="random")
    env.reset(seed=0)
    starters = []
    for _ in range(300):
        env.reset()
        starters.append(env.agent_selection)
    counts = [starters.count(agent) for agent in env.possible_agents]
    assert min(counts) > 0.6 * 300 / num_players
    env.reset(seed=0)
    repeated = []
    for _ in range(300):
        env.reset()
        repeated.append(env.agent_selection)
    assert repeated == starters


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_seed__reproduces_whole_games_and_those_that_follow(num_players, make):
    def three_games(seed: int) -> list[list]:
        env = make(num_players=num_players)
        games = []
        for number in range(3):
            env.reset(seed=seed if number == 0 else None)
            games.append(played(env, 7))
        return games

    games = three_games(11)
    assert games == three_games(11)
    first, second, third = (game[0].observation for game in games)
    assert len({first, second, third}) == 3
    assert three_games(12)[0] != games[0]


def test_reset_without_seed__differs_between_environments():
    first, second = azul_v0.env(), azul_v0.env()
    first.reset()
    second.reset()
    assert first.get_state() != second.get_state()


def test_reset__of_wrong_seeds_is_an_error():
    for make in (azul_v0.env, azul_v0.raw_env):
        for seed, error in ((-1, ValueError), ("one", TypeError), (1.5, TypeError)):
            with pytest.raises(error):
                make().reset(seed=seed)


def test_state__is_what_the_first_seat_observes():
    env = azul_v0.env(num_players=3)
    env.reset(seed=3)
    played(env, 3, steps=10)
    assert np.array_equal(env.state(), observe(env.get_state(), 0))
    assert env.state().dtype == np.float32

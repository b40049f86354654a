"""The AEC environment is the engine, state by state; ends, state in and state out."""

from typing import Any

import numpy as np
import pytest

from api.play import PLAYERS, choice, played
from azul_env import (
    GameState,
    apply_action,
    azul_v0,
    encode_action,
    legal_mask,
    new_game,
    observe,
    parse_action,
    resign,
)
from positions import before_last_move, position, random_game
from properties.walks import chosen_action

MAKERS = [
    pytest.param(azul_v0.env, id="env"),
    pytest.param(azul_v0.raw_env, id="raw_env"),
]
# Walls and unfinished lines of 4 players hold 99 tiles; the last one is on the table.
LAST_OF_100_TILES = """| B - - - - - - - - | * | bag - lid -
    | 10 :.YRKW/.W:.BYRK/.KK:.WBYR/.RRR:.KWBY/.YYYY:.RKWB -
    | 20 :B.RKW/.B:W.YRK/.WW:K.BYR/..KK:R.WBY/:Y.KWB -
    | 30 :BY.KW/:WB.RK/.BB:KW.YR/...W:RK.BY/:YR.WB -
    | 40 :BYR.W/.R:WBY.K/:KWB.R/:RKW.Y/:YRK.B -"""
ROW_NEEDS_ITS_LAST_TILE = "3 B:.YRKW//// -"  # and has it in its line


def assert_shows(env: Any, state: GameState) -> None:
    """What the environment says is what the engine's functions say of the state."""
    mask = legal_mask(state)
    assert env.get_state() == state
    assert env.agent_selection == f"player_{state.current_player}"
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert np.array_equal(seen["observation"], observe(state, seat))
        own = mask if seat == state.current_player else np.zeros_like(mask)
        assert np.array_equal(seen["action_mask"], own)
    assert np.array_equal(env.last()[0]["action_mask"], mask)


def assert_over(env: Any, state: GameState) -> None:
    """All agents are told how the game ended, and observe the last position."""
    is_cut = state.end_reason == "max_rounds"
    assert env.get_state() == state
    assert env.agents == env.possible_agents
    assert set(env.truncations.values()) == {is_cut}
    assert set(env.terminations.values()) == {not is_cut}
    assert all(info["end_reason"] == state.end_reason for info in env.infos.values())
    assert env.agent_selection == f"player_{(state.current_player + 1) % state.num_players}"
    for seat, agent in enumerate(env.possible_agents):
        assert np.array_equal(env.observe(agent)["observation"], observe(state, seat))


def step_both(env: Any, state: GameState, action: int) -> GameState:
    """Play an action in the environment, and in the engine with the tiles that the environment drew."""
    env.step(action)
    return apply_action(state, action, deal=env.get_state().factories).state


@pytest.mark.parametrize(
    ("make", "style"),
    [
        (azul_v0.env, "uniform"),
        (azul_v0.env, "greedy"),
        (azul_v0.raw_env, "uniform"),
        (azul_v0.raw_env, "floor"),
    ],
)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_aec__is_the_engine_state_by_state(make, num_players, style):
    rng = np.random.default_rng(num_players)
    cap = 3 if style == "floor" else 50
    env = make(num_players=num_players, max_rounds=cap)
    env.reset(seed=3)
    state = new_game(num_players, rng=3, max_rounds=cap)
    while not state.is_terminal:
        assert_shows(env, state)
        action = chosen_action(state, style, rng)
        state = step_both(env, state, encode_action(action, num_players))
    assert_over(env, state)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_aec__first_position_is_that_of_new_game_with_the_same_seed(num_players):
    for starter in range(num_players):
        env = azul_v0.env(num_players=num_players, starting_player=starter, max_rounds=7)
        for seed in range(20):
            env.reset(seed=seed)
            assert env.get_state() == new_game(num_players, starter, rng=seed, max_rounds=7)


def test_aec__uint8_observations_are_those_of_observe():
    env = azul_v0.env(num_players=3, observation="uint8")
    env.reset(seed=3)
    played(env, 3, steps=30)
    state = env.get_state()
    for seat, agent in enumerate(env.possible_agents):
        vector = env.observe(agent)["observation"]
        assert vector.dtype == np.uint8
        assert np.array_equal(vector, observe(state, seat, np.uint8))


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("max_rounds", [1, 2, 3])
def test_end__is_a_truncation_exactly_when_the_rounds_are_used_up(num_players, max_rounds):
    env = azul_v0.env(num_players=num_players, max_rounds=max_rounds)
    env.reset(seed=max_rounds)
    rng = np.random.default_rng(max_rounds)
    rounds = []
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        rounds.append(env.get_state().round)
        env.step(choice(env.last()[0]["action_mask"], rng))
    assert sorted(set(rounds)) == list(range(max_rounds))
    assert env.get_state().round == max_rounds
    assert env.get_state().end_reason == "max_rounds"
    assert_over(env, env.get_state())


@pytest.mark.parametrize("num_players", PLAYERS)
def test_end__is_either_a_termination_or_a_truncation_as_the_reason_says(num_players):
    env = azul_v0.env(num_players=num_players, max_rounds=5)
    reasons = []
    for seed in range(40):
        env.reset(seed=seed)
        last = played(env, seed)[-1]
        reasons.append(env.get_state().end_reason)
        assert (last.terminated, last.truncated) == (
            reasons[-1] == "row",
            reasons[-1] == "max_rounds",
        )
    assert set(reasons) == {"row", "max_rounds"}


@pytest.mark.parametrize(
    ("state", "move", "reason"),
    [
        (before_last_move("3 //// -", head="round 49/50"), "0W4", "max_rounds"),
        (before_last_move(ROW_NEEDS_ITS_LAST_TILE, head="round 49/50"), "0W4", "row"),
        (before_last_move(ROW_NEEDS_ITS_LAST_TILE, head="round 4/50"), "0W4", "row"),
        (position(f"azul 4p round 9/50 turn 3 start 2 {LAST_OF_100_TILES}"), "0B3", "no_tiles"),
        (position(f"azul 4p round 9/10 turn 3 start 2 {LAST_OF_100_TILES}"), "0B3", "no_tiles"),
    ],
    ids=["cap", "row at the cap", "row", "no tiles", "no tiles at the cap"],
)
def test_end__from_a_position_has_the_reason_of_the_rules(state, move, reason):  # R6.1-R6.3
    for make in (azul_v0.env, azul_v0.raw_env):
        env = make(num_players=state.num_players)
        env.reset(seed=1)
        env.set_state(state)
        action = parse_action(move, state.num_players)
        env.step(encode_action(action, state.num_players))
        after = apply_action(state, action).state
        assert after.end_reason == reason
        assert_over(env, after)


def test_position_before_the_cap__goes_on():
    env = azul_v0.env()
    env.reset(seed=1)
    env.set_state(before_last_move("3 //// -", head="round 48/50"))
    env.step(28)  # 0W4
    assert not any(env.truncations.values()) and not any(env.terminations.values())
    assert env.get_state().round == 49


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_set_state__gives_back_what_get_state_gave_and_plays_on_as_the_engine(num_players, make):
    states = list(random_game(new_game(num_players, rng=5), seed=5))
    env = make(num_players=num_players)
    env.reset(seed=9)
    rng = np.random.default_rng(5)
    for given in states[:-1:7]:
        before = given.rows.tobytes()
        env.set_state(given)
        assert env.agents == env.possible_agents
        assert set(env.rewards.values()) == set(env._cumulative_rewards.values()) == {0}
        state = given
        for _ in range(5):
            assert_shows(env, state)
            state = step_both(env, state, choice(legal_mask(state), rng))
            if state.is_terminal:
                assert_over(env, state)
                break
        assert given.rows.tobytes() == before  # the environment plays on a copy


@pytest.mark.parametrize("make", MAKERS)
def test_get_state__is_a_copy(make):
    env = make()
    env.reset(seed=1)
    state = env.get_state()
    kept = GameState(state.rows.copy())
    played(env, 1, steps=5)
    assert state == kept != env.get_state()
    before = env.get_state()
    env.get_state().rows["scores"][:] = 99
    assert env.get_state() == before


@pytest.mark.parametrize("make", MAKERS)
def test_set_state__takes_the_place_of_reset(make):
    env = make(num_players=3)
    state = new_game(3, 2, rng=4)
    env.set_state(state)
    assert_shows(env, state)
    assert len(played(env, 4)) > 30
    assert env.agents == []


@pytest.mark.parametrize("make", MAKERS)
def test_set_state__in_a_loop_over_agents_gives_the_turn_to_its_player(make):
    env = make()
    env.reset(seed=1)
    state = env.get_state()
    turns = 0
    for agent in env.agent_iter(5):
        assert agent == "player_0"
        env.step(choice(env.last()[0]["action_mask"], np.random.default_rng(turns)))
        env.set_state(state)
        turns += 1
    assert turns == 5


def test_set_state__of_another_number_of_players_is_an_error():
    for make in (azul_v0.env, azul_v0.raw_env):
        env = make(num_players=3)
        env.reset(seed=1)
        before = env.get_state()
        for num_players in (2, 4):
            with pytest.raises(ValueError, match=f"{num_players} players"):
                env.set_state(new_game(num_players, rng=1))
        assert env.get_state() == before


@pytest.mark.parametrize("make", MAKERS)
def test_set_state__of_a_finished_game_leaves_only_dead_steps(make):
    *_, state = random_game(new_game(3, rng=6), seed=6)
    env = make(num_players=3)
    env.reset(seed=1)
    env.set_state(state)
    assert_over(env, state)
    assert set(env.rewards.values()) == {0}
    assert len(played(env, 0)) == 3
    assert env.agents == []


@pytest.mark.parametrize("make", MAKERS)
def test_set_state__while_agents_leave_brings_them_all_back(make):
    env = make(num_players=3, max_rounds=1)
    env.reset(seed=1)
    state = env.get_state()
    game = played(env, 1)
    env.set_state(state)
    assert played(env, 1, steps=len(game) - 2) == game[:-2]
    assert env.num_agents == 2
    env.set_state(state)
    assert env.agents == env.possible_agents
    assert played(env, 1) == game


@pytest.mark.parametrize("resigned", [(1,), (0,), (3, 1), (0, 2)])
@pytest.mark.parametrize("make", MAKERS)
def test_resigned_seats__are_skipped_and_still_get_their_reward(make, resigned):  # R8.2 R7.2
    env = make(num_players=4, max_rounds=3)
    env.reset(seed=2)
    state = env.get_state()
    for seat in resigned:
        state = resign(state, seat).state
    env.set_state(state)
    rng = np.random.default_rng(2)
    movers = set()
    while not any(env.truncations.values()):
        movers.add(env.agent_selection)
        state = step_both(env, state, choice(env.last()[0]["action_mask"], rng))
    assert movers == {f"player_{seat}" for seat in range(4) if seat not in resigned}
    assert_over(env, state)
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert env.rewards[f"player_{resigned[0]}"] == -1  # the first to resign is last
    if len(resigned) == 2:
        assert env.rewards[f"player_{resigned[1]}"] == pytest.approx(-1 / 3)
    told = {seen.agent: seen for seen in played(env, 0)}
    assert set(told) == set(env.possible_agents)
    assert all(seen.truncated for seen in told.values())
    assert told[f"player_{resigned[0]}"].reward == -1

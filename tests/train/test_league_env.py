"""The learner's games: observations, rewards, opponents, and restoring their state."""

from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from azul_agents import make_agent
from azul_env import GameState, apply_action, legal_mask, observe
from azul_env.core.chance import chances_from
from azul_env.core.state import Rows
from azul_env.envs.opponents import AllGames
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy
from azul_train.selfplay.league import League
from azul_train.selfplay.rewards import seat_rewards, win_shares
from positions import position
from train.tiny import TINY_NETWORK, action_of, last_turns, to_fifth_line

PLAYERS = (2, 3, 4)
LEARNERS_TILE = action_of(0, 0, 4)  # the blue one on the first factory, to the fifth line


class Settings:
    """A league of scripted agents in equal shares."""

    schedule, latest_share, max_snapshots = "mix", 0.5, 1

    def __init__(self, *names: str) -> None:
        self.scripted = dict.fromkeys(names, 1 / len(names))


def games(
    count: int = 8,
    num_players: int = 2,
    seed: int = 1,
    max_rounds: int = 2,
    reward: dict[str, float] | None = None,
    **opponents: Any,
) -> LeagueVecEnv:
    opponents = opponents or {name: make_agent(name) for name in ("random", "greedy")}
    league = League(Settings(*opponents), opponents)
    reward = reward or {"outcome": 1.0}
    return LeagueVecEnv(count, num_players, league, reward, seed, max_rounds)


def placed(env: LeagueVecEnv, states: list[GameState], seats: list[int]) -> np.ndarray:
    """Let the games go on from these states, all against the first member; what the learners see."""
    return env.set_state(
        {
            "rows": np.concatenate([state.rows for state in states]),
            "chances": chances_from(3, len(states)),
            "seats": np.array(seats),
            "members": np.zeros(len(states), np.int64),
            "rng": np.random.default_rng(1).bit_generator.state,
        }
    )


def states_of(env: LeagueVecEnv) -> list[GameState]:
    return [GameState(env.games.rows[game : game + 1].copy()) for game in range(env.num_envs)]


def choices(env: LeagueVecEnv, rng: np.random.Generator) -> np.ndarray:
    rngs = [rng] * env.num_envs
    return make_agent("random").act_batch(env.games.rows, env.action_masks(), rngs)


def future(env: LeagueVecEnv, steps: int) -> list[tuple[Any, ...]]:
    """The results of this many steps, arrays as bytes, with actions that depend only on the observations."""
    seen: list[tuple[Any, ...]] = []
    rng = np.random.default_rng(7)
    for _ in range(steps):
        observations, rewards, done, infos = env.step(choices(env, rng))
        ends = [info["terminal_observation"].tobytes() for info in infos if info]
        arrays = (observations, env.action_masks(), rewards, done, env.games.seats, env._members)
        seen.append((*(array.tobytes() for array in arrays), ends))
    return seen


@pytest.mark.parametrize("num_players", PLAYERS)
def test_learner__sees_and_may_do_what_azul_env_says_of_its_seat(num_players):
    env = games(6, num_players)
    observations = env.reset()
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(40):
        states, masks = states_of(env), env.action_masks()
        for game, (state, seat) in enumerate(zip(states, env.games.seats, strict=True)):
            assert state.current_player == seat
            assert np.array_equal(observations[game], observe(state, int(seat)))
            assert np.array_equal(masks[game], legal_mask(state))
        observations, _, done, _ = env.step(choices(env, rng))
        ends += int(done.sum())
    assert ends > 6
    assert observations.dtype == np.float32


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("is_last_mover", [True, False])
def test_rewards__reach_the_seat_they_belong_to(num_players, is_last_mover):
    """Every learner's seat with every winner; the learner ends the game itself, or all others move after it."""
    turns = 1 if is_last_mover else num_players
    weights = {"outcome": 0.5, "round_margin": 0.03, "score_margin": 0.1}
    pairs = [(own, winner) for own in range(num_players) for winner in range(num_players)]
    env = games(len(pairs), num_players, reward=weights, fifth=to_fifth_line)
    states = [last_turns(num_players, own, winner, turns) for own, winner in pairs]
    placed(env, states, [own for own, _ in pairs])
    _, rewards, done, _ = env.step(np.full(len(pairs), LEARNERS_TILE))
    assert done.all()
    before = [30, 20, 10, 0][:num_players]  # by place behind the winner
    after = [37, *before[1:]]
    for (own, winner), reward in zip(pairs, rewards.tolist(), strict=True):
        place = (own - winner) % num_players
        outcome = 1 - 2 * place / (num_players - 1)
        margins = [
            points[place] - (sum(points) - points[place]) / (num_players - 1)
            for points in (before, after)
        ]
        expected = 0.5 * outcome + 0.03 * (margins[1] - margins[0]) + 0.1 * margins[1]
        assert reward == pytest.approx(expected, abs=1e-5)


def test_rewards_before_the_end__are_only_what_a_round_changed():
    env = games(1, reward={"outcome": 1.0, "round_margin": 0.5, "score_margin": 1.0})
    # The learner's full line scores 1 point, the other's floor costs 2.
    head = "azul 2p round 1/50 turn 1 start 0 | B - - - - | * | bag ? lid -"
    placed(env, [position(f"{head} | 5 //// BB | 5 W://// -")], [1])
    _, rewards, done, _ = env.step(np.array([LEARNERS_TILE]))
    assert not done.any()
    assert rewards.tolist() == [0.5 * 3]


def test_seat_rewards__sum_the_weighted_rewards_of_the_asked_seats():
    states = [last_turns(3, 0, winner) for winner in (0, 1, 2)]
    before = np.concatenate([state.rows for state in states])
    after = np.concatenate([apply_action(s, LEARNERS_TILE, rng=1).state.rows for s in states])
    seats = np.array([0, 0, 1])  # first, last, last
    assert seat_rewards(before, after, seats, {"outcome": 2.0}).tolist() == [2, -2, -2]
    assert seat_rewards(before, after, seats, {"round_margin": 1.0}).tolist() == [7, -3.5, -3.5]
    both = {"outcome": 2.0, "round_margin": 1.0}
    assert seat_rewards(before, after, seats, both).tolist() == [9, -5.5, -5.5]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_game_cut_at_the_round_cap__pays_its_outcome_and_is_no_time_limit(num_players):
    points = ["9", "4", "2", "1"][:num_players]
    boards = " | ".join(f"{number} //// -" for number in points)
    factories = " ".join(["B", *"-" * (2 * num_players)])
    head = f"azul {num_players}p round 4/5 turn 1 start 0"
    env = games(2, num_players, max_rounds=5)
    state = position(f"{head} | {factories} | * | bag ? lid - | {boards}")
    placed(env, [state, state], [1, 1])
    observations, rewards, done, infos = env.step(np.full(2, LEARNERS_TILE))
    final = apply_action(state, LEARNERS_TILE, rng=1).state
    assert final.end_reason == "max_rounds"
    assert done.all()
    assert rewards.tolist() == pytest.approx([1 - 2 / (num_players - 1)] * 2)
    for game, info in enumerate(infos):
        assert not info.get("TimeLimit.truncated", False)
        assert np.array_equal(info["terminal_observation"], observe(final, 1))
        assert not np.array_equal(observations[game], observe(final, 1))  # a new game's
    assert env.games.rows["round"].tolist() == [0, 0]


def test_cut_games__are_not_bootstrapped_by_the_learner():
    env = games(16, max_rounds=1)
    size = {"network_size": TINY_NETWORK}
    model = MaskablePPO(
        AzulPolicy, env, n_steps=32, batch_size=64, gamma=1.0, policy_kwargs=size, seed=1
    )
    model.policy.network.value_2.bias.data[:] = 0.25  # any bootstrapped reward would show it
    _, callback = model._setup_learn(512, None)
    model.collect_rollouts(env, callback, model.rollout_buffer, 32)
    assert set(np.unique(model.rollout_buffer.rewards)) == {-1.0, 0.0, 1.0}
    masks = model.rollout_buffer.action_masks.reshape(32, 16, -1).astype(bool)
    actions = model.rollout_buffer.actions.reshape(32, 16, 1).astype(int)
    assert np.take_along_axis(masks, actions, axis=2).all()


@pytest.mark.parametrize("wrong", ["taken", -1, 10_000])
def test_illegal_action__stops_with_an_error(wrong):
    env = games(4)
    env.reset()
    actions = choices(env, np.random.default_rng(1))
    actions[2] = np.flatnonzero(~env.action_masks()[2])[0] if wrong == "taken" else wrong
    with pytest.raises(ValueError, match=rf"illegal action {actions[2]} in game 2$"):
        env.step(actions)


def test_mask_of_zeros__stops_with_an_error():
    env = games(3)
    over = apply_action(last_turns(2, 0, 0), LEARNERS_TILE, rng=1).state
    placed(env, [last_turns(2, 0, 0)] * 3, [0, 0, 0])
    env.games.rows[1:] = over.rows  # `set_state` would refuse games that are over
    env.publish()
    with pytest.raises(ValueError, match="game 1 has no legal action"):
        env.action_masks()
    with pytest.raises(ValueError, match="game 1 has no legal action"):
        get_action_masks(env)  # how MaskablePPO asks


@pytest.mark.parametrize("num_players", PLAYERS)
def test_seats_and_opponents__are_drawn_for_every_game(num_players):
    env = games(32, num_players, max_rounds=1)
    env.reset()
    rng = np.random.default_rng(1)
    met: list[list[tuple[int, int]]] = [[] for _ in range(32)]
    due = np.ones(32, np.bool_)
    for _ in range(60):
        for game in np.flatnonzero(due):
            met[game].append((int(env.games.seats[game]), int(env._members[game])))
        due = env.step(choices(env, rng))[2]
    drawn = [pair for pairs in met for pair in pairs]
    fair = len(drawn) / (2 * num_players)
    for pair in ((seat, member) for seat in range(num_players) for member in range(2)):
        assert drawn.count(pair) == pytest.approx(fair, rel=0.5)
    assert len(set(met[0])) > 1  # also in one place of the array


def test_opponent__plays_all_other_seats_of_its_games_and_no_others():
    asked: dict[str, list[tuple[int, int]]] = {"first": [], "second": []}

    def noting(name: str) -> Any:
        @AllGames
        def answer(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            seen = zip(rows["max_rounds"].tolist(), rows["current_player"].tolist(), strict=True)
            asked[name].extend(seen)
            return to_fifth_line.function(rows, masks, rng)

        return answer

    env = games(2, 3, first=noting("first"), second=noting("second"))
    states = [last_turns(3, 1, 0, turns=3, head=f"round 4/{cap}") for cap in (40, 41)]
    placed(env, states, [1, 1])
    env.set_state(env.get_state() | {"members": np.array([1, 0])})
    env.step(np.full(2, LEARNERS_TILE))
    noted = {name: [pair for pair in pairs if pair[0] >= 40] for name, pairs in asked.items()}
    assert noted == {"first": [(41, 2), (41, 0)], "second": [(40, 2), (40, 0)]}


def test_results__are_noted_for_the_opponent_of_the_game():
    env = games(3)
    placed(env, [last_turns(2, 0, winner) for winner in (0, 1, 1)], [0, 0, 0])
    env.set_state(env.get_state() | {"members": np.array([0, 1, 1])})
    env.step(np.full(3, LEARNERS_TILE))
    assert [(member.games, member.win_rate) for member in env.league.members] == [
        (1, 1.0),
        (2, 0.0),
    ]


def test_win__is_shared_by_all_who_stand_equal():
    def shares(*boards: str) -> list[float]:
        factories = " ".join(["B", *"-" * (2 * len(boards))])
        head = f"azul {len(boards)}p round 4/5 turn 0 start 0"
        seats = " | ".join(boards)
        state = position(f"{head} | {factories} | * | bag ? lid - | {seats}")
        rows = np.repeat(apply_action(state, LEARNERS_TILE, rng=1).state.rows, len(boards))
        return win_shares(rows, np.arange(len(boards))).tolist()

    assert shares("5 //// -", "4 //// -") == [1, 0]
    assert shares("5 //// -", "5 //// -") == [0.5, 0.5]
    assert shares("5 //// -", "3 //// -", "5 //// -") == [0.5, 0, 0.5]
    assert shares(*["5 //// -"] * 4) == [0.25] * 4
    # The row that is completed is worth 5 points and its bonus of 2; then the points are equal.
    assert shares("12 //// -", "5 W:BYRK.//// -") == [0, 1]


def test_state__gives_the_identical_future_elsewhere():
    env, other = games(8, 3, seed=1), games(8, 3, seed=2)
    env.reset()
    other.reset()
    future(env, 20)
    state = env.get_state()
    expected = future(env, 60)  # must not change what was taken
    assert sum(any(step[3]) for step in expected) > 3
    observations = other.set_state(state)
    seen = [
        observe(now, int(seat)) for now, seat in zip(states_of(other), state["seats"], strict=True)
    ]
    assert np.array_equal(observations, seen)
    assert future(other, 60) == expected


def test_same_seed__gives_the_same_games():
    first, second, other = games(seed=5), games(seed=5), games(seed=6)
    begun = [env.reset().tobytes() for env in (first, second, other)]
    assert begun[0] == begun[1] != begun[2]
    assert future(first, 40) == future(second, 40) != future(other, 40)


def test_array__answers_for_its_games_what_sb3_asks():
    env = games(4)
    env.reset()
    assert np.array_equal(
        env.env_method("action_masks", indices=[1, 3]), env.action_masks()[[1, 3]]
    )
    assert env.has_attr("action_masks")
    assert not env.has_attr("nothing_of_the_kind")
    assert env.env_is_wrapped(object) == [False] * 4
    with pytest.raises(AttributeError, match="no method 'reset'"):
        env.env_method("reset")
    with pytest.raises(NotImplementedError, match="cannot set 'rng'"):
        env.set_attr("rng", None)

"""Measuring a player: fair to every seat, on deals of its own, the same for the same seed."""

import numpy as np
import pytest
from azul_train.selfplay.evaluation import Evaluation, evaluate

from azul_agents.arena.intervals import wilson_interval
from azul_agents.baselines.greedy import greedy_actions
from azul_agents.baselines.random_agent import random_actions
from azul_env.core.batch import new_streams
from azul_env.core.state import Rows
from azul_train.config import TrainConfig, read_config
from azul_train.run.scorekeeper import FINAL_DEALS
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.selfplay.league import League
from train.tiny import lowest_action, only_floor


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_player_against_itself__wins_exactly_its_share(num_players):
    """Every deal is played from every seat, with the same tiles to the end: somebody wins it once."""
    result = evaluate(lowest_action, lowest_action, "itself", num_players, 12, seed=1)
    assert (result.games, result.wins) == (12, pytest.approx(12 / num_players))
    assert result.points == pytest.approx(result.opponent_points)
    assert result.points > 0


@pytest.mark.parametrize(("num_players", "asked", "played"), [(2, 5, 6), (3, 7, 9), (4, 8, 8)])
def test_every_deal__is_played_from_every_seat(num_players, asked, played):
    begun: list[tuple[int, bytes]] = []

    def noting(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        boards = [rows[name] for name in ("floors", "line_counts", "walls")]
        for i in range(len(rows)):
            player = int(rows["current_player"][i])
            if rows["round"][i] == 0 and all(board[i].max() == 0 for board in boards):
                begun.append((player, rows["sources"][i].tobytes()))
        return lowest_action(rows, masks, rng)

    result = evaluate(noting, lowest_action, "somebody", num_players, asked, seed=1)
    assert result.games == played
    # Only the seat that starts sees empty boards: the player once a deal, the opponents in all other games.
    assert [player for player, _ in begun] == [0] * (played // num_players)
    deals = {deal for _, deal in begun}
    assert len(deals) == len(begun)
    own, begun = begun, []
    evaluate(lowest_action, noting, "somebody", num_players, asked, seed=1)
    assert sorted(begun) == sorted(own * (num_players - 1))


def test_floor_player__shares_its_wins_with_its_equals_and_loses_to_anybody_else():
    assert evaluate(only_floor, only_floor, "", 3, 9, seed=1, max_rounds=3).wins == pytest.approx(3)
    result = evaluate(only_floor, greedy_actions, "greedy", 2, 10, seed=1)
    assert (result.wins, result.points) == (0, 0)
    turned = evaluate(greedy_actions, only_floor, "floor", 2, 10, seed=1)
    assert (turned.wins, turned.opponent_points) == (10, 0)
    assert turned.points == result.opponent_points


@pytest.mark.parametrize("num_players", [2, 4])
def test_greedy__beats_random(num_players):
    result = evaluate(greedy_actions, random_actions, "random", num_players, 100, seed=1)
    assert result.win_rate > 0.9
    assert result.points > result.opponent_points + 20
    assert evaluate(random_actions, greedy_actions, "greedy", num_players, 100, 1).win_rate < 0.1


def test_same_seed__gives_the_same_result():
    def measured(seed: int) -> Evaluation:
        return evaluate(random_actions, random_actions, "random", 3, 30, seed)

    assert measured(1) == measured(1) != measured(2)


def test_round_cap__ends_the_games():
    capped = evaluate(greedy_actions, greedy_actions, "greedy", 2, 10, seed=1, max_rounds=1)
    assert capped.points < 15 < evaluate(greedy_actions, greedy_actions, "", 2, 10, 1).points


def test_interval__is_wilsons_with_shared_wins():
    result = Evaluation("random", 40, 30.5, 50.0, 20.0)
    assert result.win_rate == pytest.approx(30.5 / 40)
    assert result.interval == wilson_interval(30.5, 40)
    assert result.interval[0] < result.win_rate < result.interval[1]


def test_player_that_breaks_the_rules__is_an_error():
    def wrong(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (~masks).argmax(axis=1)

    with pytest.raises(ValueError, match="illegal action 0"):
        evaluate(wrong, random_actions, "random", 2, 2, seed=1)


@pytest.mark.parametrize("seed", [1, 2, 1_000_002, 1_000_005])
def test_deals_of_the_evaluation__are_not_those_of_the_training(seed):
    config = TrainConfig(seed=seed)
    league = League(config.league, {"greedy": greedy_actions})
    env = LeagueVecEnv(256, 2, league, config.reward, config.seed, config.max_rounds)
    env.reset()
    trained = {row.tobytes() for row in env.games.rows["sources"]}
    trained_streams = set(new_streams(config.seed, 256).tolist())
    for measured_seed in (config.evaluation.seed, config.evaluation.seed + FINAL_DEALS):
        seen: set[bytes] = set()

        def noting(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            seen.update(row.tobytes() for row in rows["sources"])  # noqa: B023
            return lowest_action(rows, masks, rng)

        evaluate(noting, noting, "itself", 2, 200, measured_seed, max_rounds=1)
        assert not seen & trained
        assert not trained_streams & set(new_streams(measured_seed, 200).tolist())


@pytest.mark.parametrize("seed", [1_000_003, 1_000_003 + FINAL_DEALS])
def test_training_on_the_deals_of_the_evaluation__is_refused(seed):
    with pytest.raises(ValueError, match=f"seed {seed} deals for the evaluation"):
        read_config(None, [f"seed={seed}"])

"""Measuring a learner: by the arena's matches, on deals of its own."""

from collections.abc import Sequence

import numpy as np
import pytest

from azul_agents import Agent, MatchConfig, MatchResult, make_agent, run_match
from azul_env.core.state import Rows
from azul_train.config import TrainConfig, read_config
from azul_train.run.metrics import as_metrics
from azul_train.run.training_run import FINAL_DEALS
from azul_train.sb3.league_env import LeagueVecEnv
from azul_train.selfplay.league import League
from train.tiny import lowest_action, only_floor


class Follows(Agent):
    """Plays what a function for many games says."""

    def __init__(self, player, spec: str) -> None:
        self.player, self.spec = player, spec

    def act(self, state, legal_mask, rng) -> int:
        return int(self.act_batch(state.rows, legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: np.ndarray, rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        return self.player.act_batch(rows, legal_masks, rngs)


def make(spec: str) -> Agent:
    own = {"lowest": lowest_action, "floor": only_floor}
    return Follows(own[spec], spec) if spec in own else make_agent(spec)


def measured(
    player: str, opponent: str, num_players: int, games: int, seed: int = 1
) -> MatchResult:
    specs = (player, *[opponent] * (num_players - 1))
    return run_match(specs, MatchConfig(games, seed, jobs=1), make=make)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_player_against_itself__wins_exactly_its_share(num_players):
    """Every deal is played from every seat, with the same tiles to the end: it is won once."""
    line = as_metrics(measured("lowest", "lowest", num_players, 12))
    assert (line["games"], line["wins"]) == (12, pytest.approx(12 / num_players))
    assert line["points"] == pytest.approx(line["opponent_points"])
    assert line["points"] > 0


def test_floor_player__shares_its_wins_with_its_equals_and_loses_to_all_others():
    line = as_metrics(measured("floor", "greedy", 2, 10))
    assert (line["wins"], line["points"]) == (0, 0)
    turned = as_metrics(measured("greedy", "floor", 2, 10))
    assert (turned["wins"], turned["opponent_points"]) == (10, 0)
    assert turned["points"] == line["opponent_points"]
    assert as_metrics(measured("floor", "floor", 3, 3))["wins"] == pytest.approx(1)


@pytest.mark.parametrize("num_players", [2, 4])
def test_greedy__beats_random(num_players):
    line = as_metrics(measured("greedy", "random", num_players, 60))
    assert line["win_rate"] > 0.9
    assert line["points"] > line["opponent_points"] + 20
    assert line["low"] < line["win_rate"] <= line["high"]
    assert as_metrics(measured("random", "greedy", num_players, 60))["win_rate"] < 0.1


@pytest.mark.parametrize("seed", [1, 2, 1_000_002, 1_000_006])
def test_deals_of_the_evaluation__are_not_those_of_the_training(seed):
    config = TrainConfig(seed=seed)
    league = League(config.league, {"greedy": make_agent("greedy")})
    env = LeagueVecEnv(256, 2, league, config.reward, config.seed, config.max_rounds)
    env.reset()
    trained = {row.tobytes() for row in env.games.rows["sources"]}
    for measured_seed in (config.evaluation.seed, config.evaluation.seed + FINAL_DEALS):
        seen: set[bytes] = set()
        seeds: set[int] = set()

        def noting(finished) -> None:
            from azul_env import replay

            record = finished.played.record
            states = (step.state for step in replay(record))
            seen.update(state.rows["sources"][0].tobytes() for state in states)  # noqa: B023
            seeds.add(record.seed)  # noqa: B023

        table = ("lowest", "lowest")
        run_match(table, MatchConfig(40, measured_seed, jobs=1), noting, make)
        empty = np.zeros_like(env.games.rows["sources"][0]).tobytes()
        assert not (seen - {empty}) & trained
        assert not seeds & set(range(seed, seed + 256)) and len(seeds) == 20


@pytest.mark.parametrize("seed", [1_000_003, 1_000_003 + FINAL_DEALS, 1_000_005])
def test_training_on_the_deals_of_the_evaluation__is_refused(seed):
    with pytest.raises(ValueError, match=f"seed {seed} is a seed of the evaluation"):
        read_config(None, [f"seed={seed}"])

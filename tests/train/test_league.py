"""The league: sampling probabilities, results, and snapshots that stay frozen."""

import numpy as np
import pytest
import torch

from azul_agents import NeuralAgent, make_agent
from azul_env import GameBatch
from azul_env.observation import observation_size
from azul_train.config import LeagueConfig
from azul_train.selfplay.league import MIN_PRIORITY, WIN_RATE_GAMES, League
from azul_train.selfplay.network_agent import frozen
from train.tiny import lowest_action, tiny_network

SCRIPTED = {name: make_agent(name) for name in ("greedy", "random")}


def league(snapshots: int, schedule: str = "mix", **settings: object) -> League:
    """Greedy with a fifth of the games, random with a tenth, and this many snapshots."""
    shares = {"greedy": 0.2, "random": 0.1}
    config = LeagueConfig(**{"schedule": schedule, "scripted": shares, **settings})  # type: ignore[arg-type]
    made = League(config, {name: SCRIPTED[name] for name in shares})
    for number in range(snapshots):
        made.add_snapshot(f"{number:03d}", lowest_action)
    return made


@pytest.mark.parametrize(
    ("snapshots", "chances"),
    [
        (0, [2 / 3, 1 / 3]),
        (1, [0.2, 0.1, 0.7]),
        (2, [0.2, 0.1, 0.7 * 0.4, 0.7 * 0.6]),
        (3, [0.2, 0.1, 0.7 * 0.2, 0.7 * 0.2, 0.7 * 0.6]),
        (5, [0.2, 0.1, 0, 0, 0.7 * 0.2, 0.7 * 0.2, 0.7 * 0.6]),
    ],
)
def test_mix__shares_what_scripted_agents_leave_between_the_newest_and_the_others(
    snapshots, chances
):
    made = league(snapshots, latest_share=0.6, max_snapshots=3)
    assert made.probabilities() == pytest.approx(chances)


@pytest.mark.parametrize("snapshots", [1, 3])
def test_mirror__is_always_the_newest_snapshot(snapshots):
    made = league(snapshots, "mirror")
    assert made.probabilities().tolist() == [0.0] * (snapshots + 1) + [1.0]


def test_prioritised__prefers_members_that_beat_the_learner():
    made = league(4, "prioritised", max_snapshots=3)
    for member, rate in zip(made.members[2:], (0.0, 0.9, 0.5, 0.0), strict=True):
        member.win_rate = rate
    weights = np.array([0.01, 0.25, 1.0]) + MIN_PRIORITY
    assert made.probabilities() == pytest.approx([0.2, 0.1, 0, *(0.7 * weights / weights.sum())])


def test_scripted_agents_that_fill_all_games__leave_none_for_snapshots():
    shares = {"greedy": 0.2, "random": 0.4, "alphabeta:depth=1": 0.3, "alphabeta:depth=2": 0.1}
    assert np.array([*shares.values()]).sum() > 1  # by a rounding error
    made = League(
        LeagueConfig(scripted=shares, max_snapshots=1), dict.fromkeys(shares, lowest_action)
    )
    made.add_snapshot("000", lowest_action)
    assert made.probabilities() == pytest.approx([*shares.values(), 0])
    assert made.sample(2000, np.random.default_rng(1)).max() == 3


def test_draws__follow_the_shares_and_leave_out_retired_snapshots():
    made = league(4, latest_share=0.6, max_snapshots=2)
    drawn = made.sample(20_000, np.random.default_rng(1))
    shares = np.bincount(drawn, minlength=6) / len(drawn)
    assert shares[[2, 3]].tolist() == [0, 0]
    assert shares == pytest.approx([0.2, 0.1, 0, 0, 0.28, 0.42], abs=0.02)


def test_empty_league__is_an_error():
    with pytest.raises(ValueError, match="neither snapshots nor scripted"):
        League(LeagueConfig(scripted={}), {}).probabilities()
    with pytest.raises(ValueError, match="neither snapshots nor scripted"):
        league(0, "mirror").probabilities()


def test_unknown_schedule__is_an_error_with_the_known_ones():
    with pytest.raises(ValueError, match="one of mirror, mix, prioritised, not 'round robin'"):
        LeagueConfig(schedule="round robin")


def test_win_rate__is_the_mean_at_first_and_forgets_later():
    made = league(1)
    made.add_results(np.array([0, 2, 0, 0, 0]), np.array([1.0, 0.0, 0.0, 0.5, 0.5]))
    assert made.standings() == pytest.approx({"greedy": 0.5, "000": 0.0})
    assert [member.games for member in made.members] == [4, 0, 1]
    made.add_results(np.ones(WIN_RATE_GAMES, np.int64), np.ones(WIN_RATE_GAMES))
    assert made.members[1].win_rate == pytest.approx(1.0)
    for _ in range(2):
        made.add_results(np.array([1]), np.array([0.0]))
    assert made.members[1].win_rate == pytest.approx((1 - 1 / WIN_RATE_GAMES) ** 2)


def test_state__comes_back_in_a_league_with_the_same_members():
    made, other = league(2, "prioritised"), league(2, "prioritised")
    made.add_results(np.array([0, 3, 3]), np.array([1.0, 0.0, 0.0]))
    assert made.probabilities().tolist() != other.probabilities().tolist()
    other.set_state(made.state())
    assert other.state() == made.state()
    assert other.probabilities().tolist() == made.probabilities().tolist()
    assert other.standings() == made.standings()
    made.add_results(np.array([3]), np.array([1.0]))
    other.add_results(np.array([3]), np.array([1.0]))  # also the number of games was taken over
    assert other.standings() == made.standings()


def test_state_of_another_league__is_refused():
    with pytest.raises(ValueError, match="'greedy' should be 'random'"):
        league(0).set_state(list(reversed(league(0).state())))
    with pytest.raises(ValueError, match="zip"):
        league(1).set_state(league(2).state())


def test_snapshot__stays_as_it_was_while_the_learner_learns():
    torch.manual_seed(1)
    network = tiny_network()
    snapshot = frozen(network, "first")
    batch = GameBatch(200, seed=1)

    def answers(agent: NeuralAgent) -> list[int]:
        rngs = [np.random.default_rng(1)] * len(batch)
        return agent.act_batch(batch.rows, batch.legal_masks(), rngs).tolist()

    sampled = answers(snapshot)
    assert answers(frozen(network, "second")) == sampled
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    for _ in range(5):
        loss = network(torch.rand(64, observation_size(2)))[0].square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert answers(frozen(network, "third")) != sampled
    assert answers(snapshot) == sampled

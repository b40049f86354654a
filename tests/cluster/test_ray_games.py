"""Games on Ray: the same as with local processes, even if workers die."""

import os
import signal
from contextlib import closing
from functools import partial

import pytest

from arena.players import make as make_misbehaving
from arena.test_tournament import games_in
from azul_agents.arena.schedule import table_games
from azul_agents.arena.tournament import run_tournament
from azul_agents.arena.tournament_config import TournamentConfig
from azul_agents.arena.workers import play_all
from azul_env import new_game
from cluster.players_that_die import DiesOnDeal, MakeNoting

pytest.importorskip("ray")

from azul_agents.arena.ray_games import MAX_TRIES, WorkersDiedError, play_on_ray

LIMITED = ("random", "greedy", "alphabeta:nodes=200", "mcts:simulations=20")


def played(games):
    """Games by deal and rotation: all that happened, and how it ended, without the times."""
    with closing(games):
        results = {
            (finished.game.deal, finished.game.rotation): finished.played for finished in games
        }
    return {
        key: (game.record, game.result.scores, game.result.ranks) for key, game in results.items()
    }


def schedule(number, specs=("random", "greedy")):
    return list(table_games(specs, number, seed=3))


def test_tournament__is_the_same_on_ray(ray, tmp_path):
    config = TournamentConfig(LIMITED, players=(2, 4), games_per_pairing=2)
    at_home = run_tournament(config, tmp_path / "home", jobs=1)
    on_ray = run_tournament(config, tmp_path / "ray", jobs=2, play=play_on_ray)
    assert games_in(tmp_path / "home") == games_in(tmp_path / "ray")
    for one, other in zip(at_home, on_ray, strict=True):
        assert [s.rating for s in one.standings] == [s.rating for s in other.standings]


def test_games__are_the_same_for_any_number_of_workers(ray):
    games = schedule(24)
    at_home = played(play_all(games))
    assert len(at_home) == 24
    assert played(play_on_ray(games, 1)) == at_home
    assert played(play_on_ray(games, 2)) == at_home
    assert played(play_on_ray(games[:1], 5)) == {(0, 0): at_home[0, 0]}  # more workers than CPUs


def test_killed_worker__changes_nothing(ray, tmp_path):
    make = MakeNoting(tmp_path)
    games = schedule(60, ("greedy", "alphabeta:nodes=200"))
    playing = play_on_ray(games, 2, make)
    first = next(playing)
    (victim, *_) = make.pids()
    os.kill(victim, signal.SIGKILL)

    def all_games():
        yield first
        yield from playing

    assert played(all_games()) == played(play_all(games))
    assert len(make.pids()) >= 2 and victim in make.pids()


def test_death_in_the_middle_of_a_game__costs_a_retry(ray, tmp_path):
    games = schedule(12, ("greedy", "dies_once"))
    make = MakeNoting(tmp_path)
    on_ray = played(play_on_ray(games, 2, make))
    assert (tmp_path / "died").exists() and len(make.pids()) >= 2  # the survivor may play all
    assert on_ray == played(play_all(games, 1, make))


def test_game_that_always_kills__is_named_after_some_tries(ray, tmp_path):
    games = schedule(8, ("random", "deadly"))
    deadly = new_game(2, rng=games[-1].deal_seed).factories

    def make(spec):
        return DiesOnDeal(deadly) if spec == "deadly" else MakeNoting(tmp_path)(spec)

    with pytest.raises(
        WorkersDiedError, match=rf"random - deadly, deal 3, rotation \d lost its worker {MAX_TRIES}"
    ):
        played(play_on_ray(games, 2, make))
    assert len(MakeNoting(tmp_path).pids()) >= MAX_TRIES


def test_bug_of_an_agent__is_raised_here(ray):
    with pytest.raises(ZeroDivisionError, match="a bug") as caught:
        played(play_on_ray(schedule(4, ("random", "broken")), 2, make_misbehaving))
    assert "players.py" in "".join(caught.value.__notes__)


def test_leaving_early__ends_the_workers(ray, tmp_path):
    make = MakeNoting(tmp_path)
    with closing(play_on_ray(schedule(2000), 2, make)) as playing:
        next(playing)
    from arena.processes import wait_until

    assert make.pids()
    wait_until(lambda: not any(is_running(pid) for pid in make.pids()), seconds=30)


def is_running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().split()[2] != "Z"
    except OSError:
        return False


def test_other_code_on_a_worker__is_an_error(ray, monkeypatch):
    monkeypatch.setattr("azul_agents.arena.ray_games.code_digest", lambda: "another")
    with pytest.raises(ValueError, match="other versions of azul-env, NumPy or Numba"):
        played(play_on_ray(schedule(2), 1))


def test_partial_with_address__is_an_engine_of_tournaments(ray, tmp_path):
    """Connected already, a program keeps its connection, whatever the address."""
    play = partial(play_on_ray, address="192.0.2.1:1")
    config = TournamentConfig(("random", "greedy"), games_per_pairing=2)
    (table,) = run_tournament(config, tmp_path, play=play)
    assert table.standings[0].tally.games == 2 and ray.is_initialized()

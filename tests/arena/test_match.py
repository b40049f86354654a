"""Matches: same seed, same games for any number of jobs; forfeits counted; processes that end."""

import functools
import multiprocessing

import pytest

from arena.players import First, make
from azul_agents.arena.match import MatchConfig, run_match
from azul_agents.registry import AgentSpecError, make_agent
from azul_env import verify

QUIET = {"seconds_per_move": None}  # what a comparison leaves out


def played(specs, games, jobs=1, seed=7, make=make):
    """The result without times, and the records, of a match."""
    records = []
    config = MatchConfig(games, seed, jobs)
    result = run_match(specs, config, lambda f: records.append(f.played.record.to_dict()), make)
    return result.to_dict() | QUIET, records


@pytest.mark.parametrize("specs", [("greedy", "random"), ("greedy", "random", "greedy")])
def test_results__are_the_same_for_any_number_of_jobs(specs):
    alone, records = played(specs, 12, jobs=1)
    together, same_records = played(specs, 12, jobs=3)
    assert alone == together
    assert records == same_records  # in the same order, too
    assert len(records) == 12


def test_seed__decides_everything():
    assert played(("greedy", "random"), 6, seed=1) == played(("greedy", "random"), 6, seed=1)
    assert played(("greedy", "random"), 6, seed=1) != played(("greedy", "random"), 6, seed=2)


def test_rotations_of_a_deal__begin_with_the_same_factories():
    _, records = played(("greedy", "random", "first"), 9)
    for deal in range(3):
        of_deal = records[3 * deal : 3 * deal + 3]
        assert len({str(record["events"][0]) for record in of_deal}) == 1
        assert len({record["seed"] for record in of_deal}) == 1
        assert {record["agents"].index("first") for record in of_deal} == {0, 1, 2}
    assert len({record["seed"] for record in records}) == 3


def test_mirror_match_of_deterministic_agents__is_even():
    result, records = played(("first", "first"), 20)
    assert result["win_rate"] == [0.5, 0.5]  # both rotations are the same game
    assert result["points"][0] == result["points"][1]
    assert len(records) == 20


def test_forfeits__are_counted_and_lose():
    records = []
    result = run_match(
        ("random", "illegal"),
        MatchConfig(10, jobs=1),
        lambda finished: records.append(finished.played.record),
        make,
    )
    data = result.to_dict()
    assert data["wins"] == [10, 0] and data["forfeits"] == [0, 10]
    for record in records:
        assert verify(record).end_reason == "resignation"
        assert [event["player"] for event in record.events if event["type"] == "resign"] == [
            record.agents.index("illegal")
        ]


def test_table_of_four__goes_on_after_forfeits():
    data, _ = played(("random", "illegal", "greedy", "fails"), 8)
    assert data["forfeits"] == [0, 8, 0, 8]
    assert data["wins"][2] >= 7 and data["wins"][1] == data["wins"][3] == 0


def test_shared_wins__are_shares(monkeypatch):
    from azul_agents.arena.game import GameResult
    from azul_agents.arena.tally import Tally

    tally = Tally()
    tally.add(GameResult((5, 5, 5), (1, 1, 1), (None,) * 3, (1, 1, 1), (0.5, 0.0, 0.0)), 0)
    tally.add(GameResult((5, 7, 5), (2, 1, 2), (None, None, "x"), (1, 1, 1), (0.1, 0.0, 0.0)), 0)
    assert (tally.wins, tally.shared, tally.win_rate) == (0, 1, pytest.approx(1 / 6))
    assert (tally.mean_points, tally.seconds_per_move) == (5, pytest.approx(0.3))


def test_agents__are_built_once_and_closed(monkeypatch):
    built = []

    def build(spec):
        built.append(First(spec))
        return built[-1]

    run_match(("a", "b"), MatchConfig(6, jobs=1), make=build)
    checked, played_with = built[:2], built[2:]
    assert len(played_with) == 2 and all(agent.told == ["close"] for agent in checked)
    for agent in played_with:
        assert agent.told.count("close") == 1 and agent.told[-1] == "close"
        assert len(agent.told) == 6 * 2 + 1


def test_agents__are_closed_when_a_game_breaks():
    built = []

    def build(spec):
        built.append(make(spec))
        return built[-1]

    with pytest.raises(ZeroDivisionError):
        run_match(("first", "broken"), MatchConfig(4, jobs=1), make=build)
    assert all(agent.told[-1] == "close" for agent in built)


@pytest.mark.parametrize("specs", [("random",), ("random",) * 5])
def test_wrong_number_of_agents__is_an_error(specs):
    with pytest.raises(ValueError, match="2 to 4 agents"):
        run_match(specs, MatchConfig())


def test_unknown_agent__is_an_error_before_any_game():
    with pytest.raises(AgentSpecError, match="unknown agent 'nobody'"):
        run_match(("random", "nobody"), MatchConfig(4, jobs=2))


def test_dying_worker__ends_the_match_with_an_error_and_no_process_is_left():
    with pytest.raises(ChildProcessError, match=r"exit code 3\), playing random - dies"):
        run_match(("random", "dies"), MatchConfig(8, jobs=2), make=make)
    assert multiprocessing.active_children() == []


def test_bug_in_a_worker__is_raised_here_with_the_place():
    with pytest.raises(ZeroDivisionError) as caught:
        run_match(("random", "broken"), MatchConfig(8, jobs=2), make=make)
    assert "players.py" in "".join(caught.value.__notes__)
    assert multiprocessing.active_children() == []


def test_leaving_early__ends_processes_in_the_middle_of_a_game():
    def stop(_):
        raise KeyboardInterrupt

    starts = functools.partial(run_match, ("random", "greedy"), MatchConfig(400, jobs=2))
    with pytest.raises(KeyboardInterrupt):
        starts(on_game=stop)
    assert multiprocessing.active_children() == []


def test_endless_match__starts_at_once_and_can_be_left():
    played_games = []

    def stop(finished):
        played_games.append(finished)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_match(("random", "first"), MatchConfig(10**11, jobs=1), stop, make)
    assert len(played_games) == 1


def test_agents_as_objects__play_as_their_specs_do_and_stay_open():
    mine = First("first")
    config = MatchConfig(games=6, seed=7, jobs=3)
    result = run_match([mine, "greedy"], config)
    assert result.to_dict() | QUIET == played(("first", "greedy"), 6)[0]
    assert "close" not in mine.told and len(mine.told) == 12
    search = make_agent("alphabeta:nodes=20")
    by_spec = run_match(("alphabeta:nodes=20", "greedy"), config)
    assert run_match([search, "greedy"], config).to_dict() | QUIET == by_spec.to_dict() | QUIET


@pytest.mark.parametrize(
    ("agents", "error", "message"),
    [
        ("greedy", TypeError, "a match needs a sequence of agents, not 'greedy'"),
        ([None, "greedy"], TypeError, "an agent is a spec or an Agent, not None"),
        ([First("a"), First("a")], ValueError, "two different agents have the spec 'a'"),
        ([First("greedy"), "greedy"], ValueError, "a spec is the name of one of the agents"),
    ],
)
def test_agents_that_are_none__are_refused(agents, error, message):
    with pytest.raises(error, match=message):
        run_match(agents, MatchConfig(games=2))

"""Analyses, hints and reviews: streamed, shared fairly, stopped, and kept."""

import json
import threading
from pathlib import Path

import pytest

from azul_ui.web import analysis_queue
from azul_ui.web.review import read_review, review_path
from web import own_agents
from web.serving import running, wait_for

RECORD = (Path(__file__).parents[2] / "docs" / "game.jsonl").read_text()
ENDLESS = "python:web.own_agents:Endless"
FAILING = "python:web.own_agents:Failing"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    games = tmp_path_factory.mktemp("games")
    with running(games, own_agents=(ENDLESS, FAILING)) as found:
        yield found


@pytest.fixture
def recorded(site):
    return site.post("/api/games", {"record": RECORD}).json()["id"]


def cut_record(turns, seats=("greedy", "greedy")):
    """The first turns of a game, between agents that are known."""
    record = json.loads(RECORD)
    drafts = [i for i, event in enumerate(record["events"]) if event["type"] == "draft"]
    record["events"] = record["events"][: drafts[turns]]
    return json.dumps(record | {"agents": list(seats)})


def test_analysis__appears_improves_and_is_final(site, recorded):
    with site.tab(recorded) as tab:
        tab.until("position")
        tab.say("analyse", number=3, engine="alphabeta", ref=9)
        found = []
        while len({each["depth"] for each in found}) < 3:
            found.append(tab.until("analysis", lambda a: a["candidates"]))
        # Few moves are left in the round here: the search sees all of them.
        tab.say("analyse", number=30, engine="alphabeta", ref=10)
        last = tab.until("analysis", lambda a: a["status"] == "final")
    assert all(each["ref"] == 9 and each["number"] == 3 for each in found)
    assert last["ref"] == 10 and last["number"] == 30 and last["depth"] > 3
    depths = [each["depth"] for each in found]
    assert depths == sorted(depths)
    best = found[-1]["candidates"][0]
    assert best["line"][0]["action"] == best["action"] and 0 < best["win_chance"] < 1
    assert sum(found[-1]["win_chances"]) == pytest.approx(1)
    values = [each["value"] for each in found[-1]["candidates"]]
    assert values == sorted(values, reverse=True)


def test_guided_search__analyses_tables_of_three(site):
    with site.playing("human", "human", "human") as (tab, _):
        tab.say("analyse", number=0, engine="guided", seconds=0.3)
        last = tab.until("analysis", lambda a: a["status"] == "final")
    assert last["depth"] is None and len(last["win_chances"]) == 3
    assert sum(last["win_chances"]) == pytest.approx(1)
    assert last["candidates"][0]["line"][0]["action"] == last["candidates"][0]["action"]


def drained(semaphore):
    while semaphore.acquire(blocking=False):
        pass


def test_analysis__ends_when_stopped_replaced_changed_or_closed(site):
    drained(own_agents.THINKING)
    drained(own_agents.STOPPED)

    def ends():
        assert own_agents.STOPPED.acquire(timeout=10)
        wait_for(lambda: not site.lobby.services.analyses.jobs)

    def thinks(tab, number=0):
        tab.say("analyse", number=number, engine="own-1")
        assert own_agents.THINKING.acquire(timeout=10)
        return tab.until("analysis", lambda a: a["candidates"])

    with site.playing("human", "human") as (tab, game):
        thinks(tab)
        tab.say("stop")
        ends()
        thinks(tab)
        tab.say("analyse", number=0, engine="greedy")
        assert tab.until("analysis", lambda a: a["engine"] == "greedy" and a["status"] == "final")
        ends()
        thinks(tab)
        tab.play_first(game)
        ends()
        thinks(tab, number=1)
    ends()  # the tab is closed
    names = [thread.name for thread in threading.enumerate()]
    assert sum(name.startswith("analysis") for name in names) <= analysis_queue_slots(site)


def analysis_queue_slots(site):
    return site.lobby.services.threads.analysis_slots


def test_analysis_of_an_old_position__goes_on_while_the_game_does(site):
    with site.playing("human", "human") as (tab, game):
        for _ in range(2):
            tab.play_first(game)
            game = tab.until("game")
        tab.say("analyse", number=0, engine="own-1")
        tab.until("analysis", lambda a: a["candidates"])
        tab.play_first(game)
        tab.until("game", lambda g: g["number"] == 3)
        tab.until("analysis", lambda a: a["candidates"])


def test_tabs_that_analyse__take_turns(site, monkeypatch):
    monkeypatch.setattr(analysis_queue, "FIRST_SLICE_SECONDS", 0.1)
    count = 6
    with site.playing("human", "human") as (first, game):
        tabs = [first]
        contexts = [site.tab(game["id"]) for _ in range(count - 1)]
        tabs += [context.__enter__() for context in contexts]
        try:
            for tab in tabs[1:]:
                tab.until("position")
            for tab in tabs:
                tab.say("analyse", number=0, engine="own-1")
            for tab in tabs:
                tab.until("analysis", lambda a: a["candidates"])
            # None of them has ended.
            assert len(site.lobby.services.analyses.jobs) == count
        finally:
            for context in contexts:
                context.__exit__(None, None, None)
    wait_for(lambda: not site.lobby.services.analyses.jobs)


def test_analyses__are_bounded(site, monkeypatch):
    monkeypatch.setattr(analysis_queue, "MAX_JOBS", 1)
    with site.playing("human", "human") as (one, game), site.tab(game["id"]) as two:
        two.until("position")
        one.say("analyse", number=0, engine="own-1")
        one.until("analysis", lambda a: a["candidates"])
        two.say("analyse", number=0, engine="own-1")
        assert two.until("error")["code"] == "busy"


def test_engine_without_values__is_refused_in_words(site):
    with site.playing("human", "human") as (tab, _):
        error = tab.ask("analyse", "error", number=0, engine="own-2", ref=1)
        assert error["code"] == "not_allowed" and error["ref"] == 1
        assert (
            tab.ask("analyse", "error", number=0, engine="greedy", seconds=-1)["code"]
            == "malformed"
        )
        assert tab.ask("analyse", "error", number=7, engine="greedy")["code"] == "not_found"


def test_hint__is_a_legal_move_with_words(site):
    with site.playing("human", "casual") as (tab, _):
        position = tab.until("position")
        hint = tab.ask("hint", "hint", ref="h")
    legal = {move["action"]: move["words"] for move in position["legal"]}
    assert legal[hint["action"]] == hint["words"] and hint["number"] == 0 and hint["ref"] == "h"


def review_of(tab, engine="greedy"):
    tab.say("review", engine=engine)
    moves, message = [], tab.until("review")
    moves = message["moves"]
    while message["status"] == "running":
        message = tab.until("review")
        assert message["from"] == len(moves)
        moves += message["moves"]
    return moves, message


def test_review__judges_every_move_and_is_kept(tmp_path):
    with running(tmp_path) as site:
        game_id = site.post("/api/games", {"record": RECORD}).json()["id"]
        with site.tab(game_id) as tab:
            game = tab.until("game")
            moves, last = review_of(tab)
            assert [move["number"] for move in moves] == [turn["number"] for turn in game["turns"]]
            assert last["status"] == "final" and last["done"] == last["total"] == len(moves)
            assert sum(player["moves"] for player in last["players"]) == len(moves)
            whole = tab.ask("get_review", "review")
            assert whole["moves"] == moves and whole["from"] == 0
        assert site.http.get("/api/games").json()["games"][0]["has_review"]
    with running(tmp_path) as site, site.tab(game_id) as tab:
        tab.until("position")
        again = tab.ask("get_review", "review")
        assert again["moves"] == moves and again["status"] == "final"
        value = {"number": 4, "action": moves[4]["best"]["action"]}
        tried = tab.ask("try", "tried", ref="t", **value)
        assert tried["is_best"] and tried["severity"] is None and tried["ref"] == "t"
        assert tab.ask("try", "error", number=4, action=99_999)["code"] == "illegal_action"
        assert tab.ask("try", "error", number=len(moves), action=0)["code"] == "not_allowed"


def test_review__goes_on_after_a_restart_without_tabs(tmp_path):
    with running(tmp_path) as site:
        game_id = site.post("/api/games", {"record": RECORD}).json()["id"]
        with site.tab(game_id) as tab:
            tab.until("position")
            review_of(tab)
    path = review_path(tmp_path, game_id)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"status": "running", "moves": data["moves"][:20]}))
    with running(tmp_path) as site:
        site.http.get(f"/api/games/{game_id}/record.jsonl")  # opens the game, no tab
        wait_for(lambda: read_review(path).status == "final")
    assert json.loads(path.read_text())["moves"] == data["moves"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: "{",
        lambda data: json.dumps(data | {"format": 9}),
        lambda data: json.dumps(data | {"moves": 3}),
        lambda data: json.dumps(data | {"moves": [{"number": "x"}]}),
        lambda data: json.dumps(data | {"engine": "no such engine"}),
    ],
)
def test_damaged_review__is_ignored(tmp_path, damage):
    with running(tmp_path) as site:
        game_id = site.post("/api/games", {"record": cut_record(6)}).json()["id"]
        with site.tab(game_id) as tab:
            tab.until("position")
            moves, _ = review_of(tab)
        path = review_path(tmp_path, game_id)
        path.write_text(damage(json.loads(path.read_text())))
    with running(tmp_path) as site, site.tab(game_id) as tab:
        tab.until("position")
        assert tab.ask("get_review", "review")["status"] == "none"
        assert review_of(tab)[0] == moves


def test_review_of_a_game_that_changed__holds_up_to_the_change(site):
    body = {"record": cut_record(8), "seats": ["human", "human"]}
    with site.tab(site.post("/api/games", body).json()["id"]) as tab:
        tab.until("position")
        moves, _ = review_of(tab)
        tab.say("undo")
        game = tab.until("game")
        position = tab.ask("view", "position", number=None)
        other = next(m for m in position["legal"] if m["action"] != moves[-1]["action"])
        tab.say("play", position_number=game["position_number"], action=other["action"])
        tab.until("game")
        review = tab.ask("get_review", "review")
        assert review["moves"] == moves[:-1] and review["status"] == "stopped"
        assert len(review_of(tab)[0]) == 8


def test_review__can_be_stopped_and_fails_in_words(site, recorded):
    with site.tab(recorded) as tab:
        tab.until("position")
        tab.say("review", engine="alphabeta")
        tab.until("review", lambda r: r["done"] >= 2)
        tab.say("stop_review")
        stopped = tab.until("review", lambda r: r["status"] == "stopped")
        assert 2 <= stopped["done"] < stopped["total"]
        tab.say("review", engine="own-2")
        assert "review stopped" in tab.until("error")["message"]


def test_slow_reader__loses_nothing_that_it_needs(site):
    """A tab that does not read keeps nobody waiting, and sees the latest when it does."""
    game_id = site.new_game("random", "random", seed=1)
    with site.tab(game_id, max_queue=1) as sleeper, site.tab(game_id) as tab:
        sleeper.until("position")
        tab.say("pace", is_paused=False, seconds=0)
        over = tab.until("game", lambda g: g["is_over"])
        assert sleeper.until("game", lambda g: g["is_over"])["number"] == over["number"]

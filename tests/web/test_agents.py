"""Agents at a table of the server: their failures, memory and pace."""

import threading
import time
from contextlib import ExitStack

import numpy as np
import pytest

from azul_agents import make_agent
from azul_env import legal_mask, new_game
from azul_ui.web.agent_pool import MAX_IDLE, AgentPool
from azul_ui.web.thinking import SEARCH_THREADS
from web import own_agents
from web.serving import SECONDS, running, wait_for

NAMES = ("Failing", "Buggy", "Illegal", "Remembers", "Slow", "Blocked")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    specs = tuple(f"python:web.own_agents:{name}" for name in NAMES)
    with running(tmp_path_factory.mktemp("games"), own_agents=specs) as found:
        yield found


@pytest.mark.parametrize(
    ("seat", "words"), [("own-1", "has crashed"), ("own-2", "oops"), ("own-3", "illegal action")]
)
def test_agent_that_fails__forfeits_in_words(site, seat, words):
    with site.playing("human", seat) as (tab, game):
        tab.play_first(game)
        game = tab.until("game", lambda g: g["is_over"])
    assert words in game["turns"][-1]["words"] and game["turns"][-1]["type"] == "resign"
    assert game["result"]["winners"] == [0]
    happened = [each for each in tab.seen if each["type"] == "happened"][-1]
    assert "forfeit" in happened["words"][0] and "\n" not in happened["words"][0]


def test_forfeit_of_one_of_three__goes_on_without_it(site):
    with site.playing("human", "own-1", "casual") as (tab, game):
        tab.play_first(game)
        game = tab.persons_turn()
        assert not game["is_over"] and [t["type"] for t in game["turns"]].count("resign") == 1


def test_agent_with_a_memory__belongs_to_one_game(site):
    made = own_agents.Remembers.made
    with (
        site.playing("human", "own-4") as (one, first),
        site.playing("human", "own-4") as (two, second),
    ):
        for tab, game in ((one, first), (two, second), (one, None), (two, None)):
            found = game or next(m for m in reversed(tab.seen) if m["type"] == "game")
            tab.play_first(found)
            found = tab.persons_turn()
            assert not found["is_over"], found["turns"][-1]
    assert own_agents.Remembers.made == made + 2


def test_slow_agent__is_shown_thinking_and_its_turn_is_its_own(site):
    with site.playing("human", "own-5") as (tab, game):
        tab.play_first(game)
        thinking = tab.until("game", lambda g: g["thinking"] == 1)
        values = {"position_number": thinking["position_number"], "action": 0}
        error = tab.ask("play", "error", **values)
        assert error["code"] == "not_allowed" and "turn" in error["message"]
        assert tab.persons_turn()["thinking"] is None


def test_undo_while_an_agent_thinks__drops_its_choice(site):
    with site.playing("human", "own-5") as (tab, game):
        tab.play_first(game)
        tab.until("game", lambda g: g["thinking"] == 1)
        tab.say("undo")
        assert tab.until("game", lambda g: g["number"] == 0)["to_move"]["is_person"]
        game = tab.until("game", lambda g: g["thinking"] is None)
        assert game["number"] == 0 and game["can_redo"]


def test_pool__shares_agents_and_bounds_them():
    made = []

    def make(spec):
        made.append(spec)
        return make_agent(spec)

    pool = AgentPool(make)
    seated = [pool.seated("greedy", "colored") for _ in range(100)]
    state = new_game(2, rng=0)
    for agent in seated:
        agent.act(state, legal_mask(state), np.random.default_rng(0))
    assert made == ["greedy"]
    for number in range(MAX_IDLE * 2):
        with pool.borrowed(f"ppo:temperature={number + 1}", state):
            pass
    assert len(pool._idle) == MAX_IDLE
    pool.close()
    with pool.borrowed("greedy", state):
        pass
    assert len(pool._idle) == 0


def test_agent_that_raised__is_not_lent_again():
    pool = AgentPool()
    with pytest.raises(ZeroDivisionError), pool.borrowed("greedy", new_game(2, rng=0)):
        raise ZeroDivisionError
    assert len(pool._idle) == 0


def test_slow_agents__do_not_delay_quick_ones(site):
    with site.playing("human", "casual") as (tab, game):
        tab.play_first(game)
        game = tab.persons_turn()  # it is warm now
        try:
            with ExitStack() as stack:
                for _ in range(SEARCH_THREADS):  # until no thread for searches is left
                    slow = stack.enter_context(site.tab(site.new_game("own-6", "own-6")))
                    slow.say("pace", is_paused=False, seconds=0)
                    assert own_agents.BLOCKED.acquire(timeout=SECONDS)
                tab.play_first(game)
                assert tab.persons_turn()["number"] == game["number"] + 2
        finally:
            own_agents.GO.set()


def test_agents__stop_when_nobody_looks(site):
    with site.playing("casual", "casual") as (tab, game):
        tab.say("pace", is_paused=False, seconds=0.1)
        tab.until("game", lambda g: g["number"] >= 2)
    room = next(room for room in site.lobby.rooms if room.id == game["id"])
    wait_for(lambda: not room.tabs)
    time.sleep(0.3)
    number = room.number
    time.sleep(0.5)
    assert room.number == number and threading.active_count() < 60

"""Games that are kept, put away, opened again, and looked at by several."""

import contextlib
import json
import os
import signal
import socket
import time
from pathlib import Path

import pytest

from azul_ui.games.session import GameSession
from azul_ui.games.store import GameInUseError, GameStore
from azul_ui.web import lobby as lobby_module
from azul_ui.web import room as room_module
from ui.running import Running
from web.serving import Site, running, wait_for

RECORD = Path(__file__).parents[2] / "docs" / "game.jsonl"


def games_in(folder):
    return sorted(path for path in folder.glob("*.json") if "review" not in path.name)


def test_two_tabs__see_the_same_and_both_may_play(site):
    game_id = site.new_game("human", "human")
    with site.tab(game_id) as one, site.tab(game_id) as two:
        games = [tab.until("game") for tab in (one, two)]
        one.play_first(games[0])
        games = [tab.until("game") for tab in (one, two)]
        assert games[0] == games[1] and games[0]["number"] == 1
        two.play_first(games[1])
        assert one.until("game")["number"] == 2
        two.until("game")
        two.say("undo")
        assert one.until("game")["can_redo"]


def test_same_move_from_two_tabs__is_played_once(site):
    game_id = site.new_game("human", "human")
    with site.tab(game_id) as one, site.tab(game_id) as two:
        game, position = one.until("game"), one.until("position")
        two.until("position")
        move = {
            "position_number": game["position_number"],
            "action": position["legal"][0]["action"],
        }
        one.say("play", **move)
        two.say("play", **move)
        assert one.until("game")["number"] == 1
        kinds = [two.next(), two.next(), two.next()]
        assert [each["code"] for each in kinds if each["type"] == "error"] == ["stale"]


def test_new_game__is_kept_from_its_first_turn(tmp_path):
    with running(tmp_path / "games") as site, site.playing("human", "human") as (tab, game):
        assert not game["is_kept"] and not (tmp_path / "games").exists()
        tab.play_first(game)
        assert tab.until("game")["is_kept"]
        (path,) = games_in(tmp_path / "games")
        assert path.stem == game["id"]
        events = json.loads(path.read_text())["record"]["events"]
        assert [event["type"] for event in events] == ["deal", "draft"]


def test_reload__goes_on(site):
    with site.playing("human", "casual", names=["Ada", None]) as (tab, game):
        tab.play_first(game)
        game = tab.persons_turn()
    with site.tab(game["id"]) as tab:
        again = tab.until("game")
        assert again == game and again["seats"][0]["label"] == "Ada"
        tab.play_first(again)
        assert tab.persons_turn()["number"] == 4


def is_free(store: GameStore, game_id: str) -> bool:
    """True if no other store has the game open."""
    with contextlib.closing(store), contextlib.suppress(GameInUseError):
        store.claim(game_id)
        return True
    return False


def test_idle_game__is_put_away_and_comes_back(tmp_path):
    with running(tmp_path, idle_seconds=0.2) as site:
        with site.playing("human", "casual", names=["Ada", None]) as (tab, game):
            tab.play_first(game)
            before = tab.persons_turn()
            time.sleep(0.6)
            assert len(site.lobby.rooms) == 1  # somebody looks
        wait_for(lambda: not site.lobby.rooms)
        wait_for(lambda: is_free(GameStore(tmp_path), game["id"]))
        with site.tab(game["id"]) as tab:
            after = tab.until("game")
            assert after["turns"] == before["turns"] and after["seats"] == before["seats"]
            assert after["can_change"]
        wait_for(lambda: not site.lobby.rooms)


def test_empty_game__leaves_nothing_when_it_is_put_away(tmp_path):
    with running(tmp_path, idle_seconds=0.1) as site:
        site.new_game("human", "casual")
        wait_for(lambda: not site.lobby.rooms)
    assert list(tmp_path.iterdir()) == []


def test_restarted_server__has_undo_redo_and_all_turns(tmp_path):
    with running(tmp_path) as site, site.playing("human", "human", seed=2) as (tab, game):
        for _ in range(4):
            tab.play_first(game)
            game = tab.until("game")
        tab.say("undo")
        before = tab.until("game")
    with running(tmp_path) as site, site.tab(game["id"]) as tab:
        after = tab.until("game")
        assert after["turns"] == before["turns"] and after["can_redo"]
        tab.say("redo")
        assert tab.until("game")["turns"] == game["turns"]


def test_game_open_elsewhere__can_be_looked_at(tmp_path):
    store = GameStore(tmp_path)
    session = GameSession(["human", "human"], 1)
    session.play(_first(session))
    game_id = store.create(session)
    with running(tmp_path) as site:
        with site.tab(game_id) as tab:
            notice, game = tab.until("notice"), tab.until("game")
            assert notice["code"] == "elsewhere" and not game["can_change"] and game["number"] == 1
            for request in ("undo", "redo", "step"):
                assert tab.ask(request, "error")["code"] == "not_allowed"
            assert tab.ask("view", "position", number=1)["can_play"] is False
            session.play(_first(session))
            store.save(game_id, session)
            assert (
                tab.until("game", lambda g: g["number"] == 2)["can_change"] is False
            )  # it follows
            store.release(game_id)
            assert tab.until("game", lambda g: g["can_change"])["can_undo"]
        store.close()


def _first(session):
    from azul_env import legal_mask

    return int(legal_mask(session.state).nonzero()[0][0])


def test_game_against_an_unknown_agent__can_only_be_looked_at(tmp_path):
    spec = "python:web.own_agents:Slow"
    with (
        running(tmp_path, own_agents=(spec,)) as site,
        site.playing("human", "own-1") as (tab, game),
    ):
        tab.play_first(game)
        tab.persons_turn()
    with running(tmp_path) as site, site.tab(game["id"]) as tab:
        found = tab.until("game")
        assert not found["can_change"] and spec in found["warning"]
        assert tab.ask("undo", "error")["code"] == "not_allowed"
    with running(tmp_path, own_agents=(spec,)) as site, site.tab(game["id"]) as tab:
        found = tab.until("game")
        assert found["can_change"] and found["seats"][1]["name"] == "own-1"
        tab.play_first(found)
        assert tab.persons_turn()["number"] == 4


def test_damaged_game__is_not_found_and_left_alone(tmp_path):
    path = tmp_path / "20200101-000000-aaaaaa.json"
    path.write_text("{")
    with running(tmp_path) as site, site.tab(path.stem) as tab:
        assert "damaged" in tab.next()["message"]
    assert path.read_text() == "{"


def test_folder_that_cannot_be_written__costs_a_warning_not_the_game(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "games"
    with running(folder) as site, site.playing("human", "human") as (tab, game):
        tab.play_first(game)
        game = tab.until("game")
        assert game["number"] == 1 and not game["is_kept"] and "not kept" in game["warning"]
        tab.play_first(game)
        assert tab.until("game")["number"] == 2


def test_games__are_listed_the_latest_first(tmp_path):
    with running(tmp_path) as site:
        ids = []
        for _ in range(2):
            with site.playing("human", "human") as (tab, game):
                tab.play_first(game)
                tab.until("game")
                ids.append(game["id"])
                time.sleep(0.01)
        games = site.http.get("/api/games").json()["games"]
    assert [game["id"] for game in games] == ids[::-1]
    assert games[0]["players"] == ["human", "human"] and games[0]["words"] == "Round 1"


def test_rooms_and_tabs__are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(lobby_module, "MAX_ROOMS", 2)
    monkeypatch.setattr(room_module, "MAX_TABS", 1)
    with running(tmp_path) as site:
        first, second = (site.new_game("human", "human") for _ in range(2))
        with site.tab(first) as one, site.tab(second) as two:
            one.until("position")
            two.until("position")
            answer = site.post("/api/games", {"seats": ["human", "human"]})
            assert answer.status_code == 503
            with site.tab(first) as third:
                assert third.until("error")["code"] == "busy"
        wait_for(lambda: all(room.is_idle for room in site.lobby.rooms))
        site.new_game("human", "human")
        assert len(site.lobby.rooms) == 2


class RealServer(Running):
    """`azul web` in a process of its own."""

    def __init__(self, folder: Path, games: Path, *arguments: str | Path) -> None:
        folder.mkdir()
        super().__init__(folder, "web", "--no-open", "--port", "0", "--games", games, *arguments)
        self._output = folder / "stdout.txt"
        self.wait_for(lambda: "http://" in self._output.read_text())
        port = self._output.read_text().partition("127.0.0.1:")[2].partition("/")[0]
        self.site = Site(None, int(port))

    @property
    def out(self) -> str:
        return self._output.read_text()


def test_killed_server__loses_no_move_and_goes_on(tmp_path):
    games = tmp_path / "games"
    first = RealServer(tmp_path / "first", games)
    with first.site.playing("human", "casual", seed=4) as (tab, game):
        for _ in range(3):
            tab.play_first(game)
            game = tab.persons_turn()
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
    second = RealServer(tmp_path / "second", games)
    with second.site.tab(game["id"]) as tab:
        again = tab.until("game")
        assert again["turns"] == game["turns"] and again["can_change"]
        tab.play_first(again)
        assert tab.persons_turn()["number"] == game["number"] + 2
    os.kill(second.process.pid, signal.SIGINT)
    assert second.process.wait(20) == 0
    assert "ended" in second.out and "Traceback" not in second.err


def test_ctrl_c__ends_at_once_although_somebody_looks_and_agents_think(tmp_path):
    server = RealServer(tmp_path / "server", tmp_path / "games", RECORD)
    game_id = server.out.partition("?game=")[2].split()[0]
    with server.site.tab(game_id) as tab:
        assert tab.until("game")["is_over"]  # the file that was named
        with server.site.playing("human", "alphabeta:time=60") as (other, game):
            other.play_first(game)
            other.until("game", lambda g: g["thinking"] == 1)
            began = time.monotonic()
            os.kill(server.process.pid, signal.SIGINT)
            assert server.process.wait(30) == 0
            assert time.monotonic() - began < 20 and "Traceback" not in server.err
    kept = json.loads((tmp_path / "games" / f"{game['id']}.json").read_text())
    assert [event["type"] for event in kept["record"]["events"]] == ["deal", "draft"]


def test_ctrl_c_during_a_request__is_no_fault(tmp_path):
    server = RealServer(tmp_path / "server", tmp_path / "games")
    lines = ("POST /api/games HTTP/1.1", f"Host: 127.0.0.1:{server.site.port}")
    headers = ("Content-Type: application/json", "Content-Length: 100")
    with socket.create_connection(("127.0.0.1", server.site.port)) as client:
        client.sendall("\r\n".join((*lines, *headers, "", "{")).encode())  # the rest never comes
        server.site.http.get("/api/games")  # an answer: the request before it has arrived
        os.kill(server.process.pid, signal.SIGINT)
        assert server.process.wait(30) == 0
    assert "ended" in server.out and "Traceback" not in server.err


def test_port_in_use__is_one_line(site, tmp_path):
    taken = Running(tmp_path, "web", "--no-open", "--port", str(site.port))
    assert taken.process.wait(60) == 2
    assert taken.err.strip().endswith("choose another with --port") and taken.err.count("\n") == 1


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "websockets"])
def test_missing_package__says_what_to_install(tmp_path, package, monkeypatch):
    import sys

    from azul_ui.commands.web import web

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*'azul-env\[web\]'"):
        web()

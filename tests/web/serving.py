"""A real server on loopback in a thread, and clients of it."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import ClientConnection, connect

from azul_ui.web.app import WebConfig, create_app
from azul_ui.web.server import listening_socket, server_options

SECONDS = 300.0  # that a test waits for anything: a busy machine may have to compile first
PAUSE = 1 / 39  # between messages, so that the meter admits them

Data = dict[str, Any]


class Socket:
    """A tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.seen: list[Data] = []
        self.spoke = 0.0

    def say(self, kind: str, **values: Any) -> None:
        time.sleep(max(0.0, self.spoke + PAUSE - time.monotonic()))
        self.spoke = time.monotonic()
        self.connection.send(json.dumps({"type": kind, **values}))

    def next(self, timeout: float = SECONDS) -> Data:
        message: Data = json.loads(self.connection.recv(timeout=timeout))
        self.seen.append(message)
        return message

    def until(self, kind: str, holds: Callable[[Data], bool] = lambda _: True) -> Data:
        """The next message of a type for which something holds; others are passed over."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            message = self.next()
            if message["type"] == kind and holds(message):
                return message
            assert message["type"] != "error" or kind == "error", message
        raise AssertionError(f"no {kind} in {SECONDS} s")

    def ask(self, kind: str, answer: str, **values: Any) -> Data:
        self.say(kind, **values)
        return self.until(answer)

    def persons_turn(self) -> Data:
        """The game, once it waits for a person or is over."""
        return self.until("game", lambda g: g["is_over"] or g["to_move"]["is_person"])

    def play_first(self, game: Data) -> None:
        """Play the first legal move."""
        position = self.ask("view", "position", number=game["number"])
        action = position["legal"][0]["action"]
        self.say("play", position_number=game["position_number"], action=action)


class Site:
    """A running server."""

    def __init__(self, app: Any, port: int) -> None:
        self.app = app
        self.port = port
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS)

    @property
    def lobby(self) -> Any:
        return self.app.state.lobby

    def post(self, path: str, body: Data, **options: Any) -> httpx.Response:
        return self.http.post(path, json=body, **options)

    def new_game(self, *seats: str, **options: Any) -> str:
        answer = self.post("/api/games", {"seats": list(seats), **options})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    @contextmanager
    def tab(self, game_id: str, **options: Any) -> Iterator[Socket]:
        url = f"ws://127.0.0.1:{self.port}/api/games/{game_id}/socket"
        with connect(url, max_size=None, close_timeout=1, **options) as connection:
            yield Socket(connection)

    @contextmanager
    def playing(self, *seats: str, **options: Any) -> Iterator[tuple[Socket, Data]]:
        """A new game with a tab, and its first `game`."""
        with self.tab(self.new_game(*seats, **options)) as tab:
            yield tab, tab.until("game")


def wait_for(condition: Callable[[], bool], seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.01)


@contextmanager
def running(games: Path, **options: Any) -> Iterator[Site]:
    """A server with its games in a folder."""
    app = create_app(WebConfig(games=games, **{"warms_up": False} | options))
    listener = listening_socket("127.0.0.1", 0)
    server = uvicorn.Server(server_options(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    site = Site(app, listener.getsockname()[1])
    try:
        yield site
    finally:
        site.http.close()
        server.should_exit = True
        thread.join(SECONDS)
        listener.close()
        assert not thread.is_alive()

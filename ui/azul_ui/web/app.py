"""The Starlette application: the page, the lists and files over HTTP, a socket for every game."""

import asyncio
import mimetypes
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from azul_env import GameRecord
from azul_env.files import parse_json
from azul_env.render import svg_definitions
from azul_ui.games.store import GameStore
from azul_ui.web.catalog import Catalog
from azul_ui.web.guard import Guard, HostNames, refusal
from azul_ui.web.lobby import IDLE_SECONDS, Lobby, NewGame
from azul_ui.web.messages import Data, RefusedError, from_data
from azul_ui.web.pictures import Pictures
from azul_ui.web.room import Room
from azul_ui.web.services import Services
from azul_ui.web.setup import Draft, checked_position
from azul_ui.web.socket import serve_socket

MAX_BODY_BYTES: Final = 1 << 20
STATIC: Final = Path(str(files("azul_ui.web") / "static"))
# Some systems map these endings to other types, and browsers then refuse the files.
MEDIA_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STATUS: Final = {"not_found": 404, "busy": 503, "too_large": 413, "not_allowed": 403, "failed": 500}


@dataclass(frozen=True)
class WebConfig:
    """How a server is set up."""

    host: str = "127.0.0.1"
    games: Path | None = None
    """Folder of the games; None: where `azul play` keeps them."""
    own_agents: tuple[str, ...] = ()
    """Specs that the page may seat besides those that it can name itself."""
    idle_seconds: float = IDLE_SECONDS
    """Until a game without open tabs is unloaded."""
    warms_up: bool = True
    """Compile the engine in the background at the start."""


class Site:
    """The handlers of HTTP requests."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.pictures = Pictures()

    async def page(self, request: Request) -> Response:
        """The page."""
        return FileResponse(STATIC / "index.html")

    async def catalog(self, request: Request) -> Response:
        """GET /api/catalog."""
        variant = request.query_params.get("variant")
        return JSONResponse(await self.lobby.catalog_data(variant))

    async def art(self, request: Request) -> Response:
        """GET /api/art.svg."""
        return Response(svg_definitions(), media_type="image/svg+xml")

    async def games(self, request: Request) -> Response:
        """GET /api/games."""
        return JSONResponse({"games": await self.lobby.summaries()})

    async def new_game(self, request: Request) -> Response:
        """POST /api/games."""
        data = await _body(request)
        wanted = _shaped(NewGame, data)
        return JSONResponse({"id": await self.lobby.create(wanted)}, 201)

    async def position(self, request: Request) -> Response:
        """POST /api/position."""
        draft = _shaped(Draft, await _body(request))
        threads = self.lobby.services.threads
        return JSONResponse(await threads.run(threads.tables, lambda: checked_position(draft)))

    async def record(self, request: Request) -> Response:
        """GET /api/games/ID/record.jsonl."""
        room = await self._room(request)
        return _file(await room.record(), "application/x-ndjson", room.id, "jsonl")

    async def svg(self, request: Request) -> Response:
        """GET /api/games/ID/picture.svg."""
        room = await self._room(request)
        picture = await self.pictures.svg(room, _number(request))
        return _file(picture, "image/svg+xml", room.id, "svg")

    async def png(self, request: Request) -> Response:
        """GET /api/games/ID/picture.png."""
        room = await self._room(request)
        return _file(await self.pictures.png(room, _number(request)), "image/png", room.id, "png")

    async def gif(self, request: Request) -> Response:
        """GET /api/games/ID/film.gif."""
        room = await self._room(request)
        return _file(await self.pictures.gif(room), "image/gif", room.id, "gif")

    async def _room(self, request: Request) -> Room:
        return await self.lobby.room(request.path_params["id"])

    async def socket(self, websocket: WebSocket) -> None:
        """The socket of a game."""
        await serve_socket(websocket, self.lobby)


def create_app(config: WebConfig) -> Starlette:
    """The application."""
    for ending, kind in MEDIA_TYPES.items():
        mimetypes.add_type(kind, ending)
    services = Services.of(Catalog(config.own_agents))
    lobby = Lobby(GameStore(config.games), services, config.idle_seconds)
    site = Site(lobby)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        housekeeping = asyncio.create_task(lobby.keep_house())
        warm_up = asyncio.create_task(services.warm_up.run(lobby.tell)) if config.warms_up else None
        record, ready = app.state.on_start
        ready(None if record is None else await _opened(lobby, record))
        try:
            yield
        finally:
            housekeeping.cancel()
            if warm_up is not None:
                warm_up.cancel()
            await lobby.close()
            services.close()

    app = Starlette(
        routes=[
            Route("/", site.page),
            Route("/api/catalog", site.catalog),
            Route("/api/art.svg", site.art),
            Route("/api/games", site.games, methods=["GET"]),
            Route("/api/games", site.new_game, methods=["POST"]),
            Route("/api/position", site.position, methods=["POST"]),
            Route("/api/games/{id}/record.jsonl", site.record),
            Route("/api/games/{id}/picture.svg", site.svg),
            Route("/api/games/{id}/picture.png", site.png),
            Route("/api/games/{id}/film.gif", site.gif),
            WebSocketRoute("/api/games/{id}/socket", site.socket),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, names=HostNames(config.host))],
        exception_handlers={RefusedError: _refused, HTTPException: _failed},
        lifespan=lifespan,
    )
    app.state.lobby = lobby
    app.state.on_start = (None, lambda game_id: None)  # a record to open, and a callback for its id
    return app


async def _opened(lobby: Lobby, record: GameRecord) -> str | None:
    """Open a record; None, and a line on stderr, if it cannot be kept."""
    try:
        return await lobby.open_record(record)
    except RefusedError as error:
        print(f"azul web: the game cannot be opened: {error}", file=sys.stderr)
        return None


def _file(content: str | bytes, media_type: str, name: str, ending: str) -> Response:
    """A file to download."""
    disposition = f'attachment; filename="azul-{name}.{ending}"'
    return Response(content, media_type=media_type, headers={"Content-Disposition": disposition})


def _number(request: Request) -> int | None:
    """The number of a position in the query. Raises RefusedError."""
    text = request.query_params.get("number")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise RefusedError("malformed", "number must be a whole number")
    return int(text)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return refusal(STATUS.get(error.code, 400), error.code, str(error))


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == 404 else "not_allowed"
    return refusal(error.status_code, code, error.detail)


async def _body(request: Request) -> Data:
    """The object in the body of a request. Raises RefusedError."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError("malformed", "the content type must be application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RefusedError("too_large", f"a body has at most {MAX_BODY_BYTES:,} bytes")
    try:
        data = parse_json(body)
    except ValueError as error:
        raise RefusedError("malformed", f"the body is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise RefusedError("malformed", "the body must be an object")
    return data


def _shaped(shape: type, data: Data) -> Any:
    try:
        return from_data(shape, data)
    except ValueError as error:
        raise RefusedError("malformed", str(error)) from None

"""The socket of a game: requests in, messages out."""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from azul_ui.web import messages
from azul_ui.web.desk import Desk
from azul_ui.web.lobby import Lobby
from azul_ui.web.messages import Ref, RefusedError, parsed_request
from azul_ui.web.room import Room
from azul_ui.web.tab import PER_MINUTE, PER_SECOND, Tab

POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013
NO_SUCH_GAME: Final = 4404
MAX_TABS: Final = 256  # of all games


class Connection:
    """A tab, its room, and what it asks for."""

    def __init__(self, websocket: WebSocket, room: Room) -> None:
        self._websocket = websocket
        self._room = room
        self._tab = Tab()
        self._desk = Desk(room, self._tab)

    async def run(self) -> None:
        """Talk until the client is gone."""
        room, tab = self._room, self._tab
        writer = asyncio.create_task(self._write())
        try:
            try:
                await room.join(tab)
                await self._read()
            except RefusedError as error:
                tab.refuse(error.code, str(error))
                await asyncio.sleep(0.1)
                await self._websocket.close(TRY_AGAIN_LATER)
        finally:
            self._desk.close()
            room.leave(tab)
            writer.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await writer

    async def _write(self) -> None:
        async for text in self._tab.outbox.texts():
            await self._websocket.send_text(text)
        await self._websocket.close(TRY_AGAIN_LATER)

    async def _read(self) -> None:
        while True:
            try:
                text = await self._websocket.receive_text()
            except KeyError:  # a frame of bytes
                self._tab.refuse("malformed", "a message is text")
                continue
            if not self._tab.meter.admits():
                self._tab.refuse(
                    "too_fast", f"at most {PER_SECOND} messages a second, {PER_MINUTE} a minute"
                )
                if self._tab.meter.is_exhausted:
                    await self._websocket.close(POLICY_VIOLATION)
                    return
                continue
            await self._answer(text)

    async def _answer(self, text: str) -> None:
        ref: Ref = None
        try:
            request, ref = parsed_request(text)
            await self._desk.answer(request, ref)
        except RefusedError as error:
            self._tab.refuse(error.code, str(error), ref if ref is not None else error.ref)


async def serve_socket(websocket: WebSocket, lobby: Lobby) -> None:
    """Serve the socket of the game in the path."""
    await websocket.accept()
    try:
        if sum(len(room.tabs) for room in lobby.rooms) >= MAX_TABS:
            raise RefusedError("busy", f"{MAX_TABS} tabs are open already")
        room = await lobby.room(websocket.path_params["id"])
    except RefusedError as error:
        with suppress(WebSocketDisconnect, RuntimeError):
            text = messages.encoded(messages.ErrorMessage(error.code, str(error)))
            await websocket.send_text(text)
            code = NO_SUCH_GAME if error.code == "not_found" else TRY_AGAIN_LATER
            await websocket.close(code)
        return
    with suppress(WebSocketDisconnect):
        await Connection(websocket, room).run()

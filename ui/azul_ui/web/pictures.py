"""Pictures and films of games.

The rasteriser holds the GIL, for up to a second per picture. So a child process draws the pixels, one picture at a time,
and results are cached.
"""

import asyncio
import json
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from azul_env import brief, svg
from azul_ui.games.session import Happening
from azul_ui.web.messages import RefusedError
from azul_ui.web.room import Room

CHILD: Final = "azul_ui.web.pixels"
MAX_SECONDS: Final = 300.0
MAX_FRAMES: Final = 400
MAX_WAITING: Final = 8
MAX_KEPT_BYTES: Final = 64 << 20
PICTURE_SCALE: Final = 1.5
FILM_SCALE: Final = 0.6
FILM_SECONDS: Final = 0.8  # of each position


class Pictures:
    """Draws for all games of a server."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._waiting = 0
        self._kept: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()

    async def svg(self, room: Room, number: int | None) -> str:
        """A position as SVG. Raises RefusedError."""
        drawn = await self._drawn(room, number)
        return drawn[-1]

    async def png(self, room: Room, number: int | None) -> bytes:
        """A position as PNG. Raises RefusedError."""
        drawn = await self._drawn(room, number)
        return await self._pixels("png", drawn[-1:])

    async def gif(self, room: Room) -> bytes:
        """The game as a film. Raises RefusedError."""
        if room.number >= MAX_FRAMES:
            raise RefusedError("too_large", f"a film has at most {MAX_FRAMES} positions")
        return await self._pixels("gif", await self._drawn(room, None, is_film=True))

    async def _drawn(self, room: Room, number: int | None, is_film: bool = False) -> list[str]:
        """The drawings of a position, or of all up to it."""
        history, last = await room.turns(number)
        threads = room.services.threads

        def draw() -> list[str]:
            first = 0 if is_film else last
            return [_picture(history, at, room) for at in range(first, last + 1)]

        return await threads.run(threads.tables, draw)

    async def _pixels(self, kind: str, drawn: Sequence[str]) -> bytes:
        task = json.dumps(
            {
                "kind": kind,
                "pictures": list(drawn),
                "scale": FILM_SCALE if kind == "gif" else PICTURE_SCALE,
                "seconds": FILM_SECONDS,
            }
        ).encode()
        key = kind, task
        if key not in self._kept:
            if self._waiting >= MAX_WAITING:
                raise RefusedError("busy", "others wait for pictures: try again soon")
            self._waiting += 1
            try:
                async with self._one_at_a_time:
                    if key not in self._kept:
                        self._keep(key, await _from_child(task))
            finally:
                self._waiting -= 1
        self._kept.move_to_end(key)
        return self._kept[key]

    def _keep(self, key: tuple[str, bytes], content: bytes) -> None:
        self._kept[key] = content
        while len(self._kept) > 1 and _size(self._kept) > MAX_KEPT_BYTES:
            self._kept.popitem(last=False)


def _size(kept: "OrderedDict[tuple[str, bytes], bytes]") -> int:
    return sum(len(task) + len(content) for (_, task), content in kept.items())


def _picture(history: Sequence[Happening], number: int, room: Room) -> str:
    """The drawing of the position after a turn."""
    if number == 0:
        state = history[0].before if history else room.session.state
        return svg(state, names=room.labels)
    turn = history[number - 1]
    if turn.action is None:
        return svg(turn.after, names=room.labels)
    return svg(turn.after, turn.action, turn.event["player"], room.labels)


async def _from_child(task: bytes) -> bytes:
    """The output of a child process. Raises RefusedError with its last line on stderr."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        CHILD,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        content, words = await asyncio.wait_for(child.communicate(task), MAX_SECONDS)
    except TimeoutError:
        raise RefusedError("failed", "the picture took too long") from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0:
        last = words.decode(errors="replace").strip().rpartition("\n")[2]
        raise RefusedError("failed", brief(last or "the picture could not be drawn", 200))
    return content

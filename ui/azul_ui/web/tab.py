"""One socket: its outgoing messages, its rate limit, and the analysis it is shown."""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

from azul_ui.web.analysis_queue import Job
from azul_ui.web.messages import (
    AnalysisMessage,
    ErrorMessage,
    GameMessage,
    HappenedMessage,
    Message,
    PositionMessage,
    Ref,
    encoded,
)

MAX_WAITING: Final = 100  # messages to a client that does not read
MAX_WAITING_TURNS: Final = 8  # a client that missed more sees the position, not how it came about
PER_SECOND: Final = 40
PER_MINUTE: Final = 1200  # watching a game of fast agents without a pause takes this many
MAX_REFUSED: Final = 50  # messages that came too fast, before the socket is closed


class Outbox:
    """Messages that wait to be sent. Of those that replace each other only the last one is kept."""

    def __init__(self) -> None:
        self._waiting: dict[object, str] = {}  # by what it replaces, or a number of its own
        self._numbers = itertools.count()
        self._turns: deque[int] = deque()
        self._changed = asyncio.Event()
        self.is_full = False

    def put(self, text: str, replaces: str | None = None, is_turn: bool = False) -> None:
        """Add a message, which `replaces` one of the same name that still waits."""
        key: object = next(self._numbers) if replaces is None else replaces
        self._waiting.pop(key, None)
        self._waiting[key] = text
        if is_turn and isinstance(key, int):
            self._turns.append(key)
            if len(self._turns) > MAX_WAITING_TURNS:
                self._waiting.pop(self._turns.popleft(), None)
        self.is_full = len(self._waiting) > MAX_WAITING
        self._changed.set()

    async def texts(self) -> AsyncIterator[str]:
        """The messages, as they can be sent; ends when the client is too far behind."""
        while not self.is_full:
            while self._waiting and not self.is_full:
                key = next(iter(self._waiting))
                yield self._waiting.pop(key)
            self._changed.clear()
            if not self._waiting:
                await self._changed.wait()


class Meter:
    """How many messages came in the last second and minute."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=PER_MINUTE)
        self.refused = 0

    def admits(self) -> bool:
        """Count a message; False if it came too fast."""
        now = time.monotonic()
        times = self._times
        in_a_minute = len(times) == PER_MINUTE and now - times[0] < 60
        in_a_second = len(times) >= PER_SECOND and now - times[-PER_SECOND] < 1
        if in_a_minute or in_a_second:
            self.refused += 1
            return False
        times.append(now)
        return True

    @property
    def is_exhausted(self) -> bool:
        """True if a client keeps sending although it was told to slow down."""
        return self.refused > MAX_REFUSED


class Tab:
    """A client that looks at a game."""

    def __init__(self) -> None:
        self.outbox = Outbox()
        self.meter = Meter()
        self._analysis: Job | None = None
        self._analysed = 0  # the number of its position

    def take_analysis(self, job: Job | None, number: int = 0) -> None:
        """Replace the analysis that this tab is shown; the old one is cancelled."""
        if self._analysis is not None:
            self._analysis.cancel()
        self._analysis, self._analysed = job, number

    def drop_analysis(self, number: int) -> None:
        """Cancel the analysis if it is of this position or a later one."""
        if self._analysed >= number:
            self.take_analysis(None)

    def send(self, message: Message, ref: Ref = None) -> None:
        """Send a message, soon."""
        self.send_text(encoded(message, ref), type(message), ref)

    def send_text(self, text: str, kind: type, ref: Ref = None) -> None:
        """Send an encoded message, in place of an older one that tells of the same thing and still waits."""
        is_answer = kind is PositionMessage and ref is not None
        is_latest = kind in (GameMessage, PositionMessage, AnalysisMessage) and not is_answer
        replaces = kind.__name__ if is_latest else None
        self.outbox.put(text, replaces, is_turn=kind is HappenedMessage)

    def refuse(self, code: str, message: str, ref: Ref = None) -> None:
        """Send an error."""
        self.send(ErrorMessage(code, message), ref)

"""All games of a server: live ones in rooms, and those in the store."""

import asyncio
import dataclasses
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from azul_agents import Agent
from azul_agents.base import check_variant_name
from azul_env import (
    DEFAULT_MAX_ROUNDS,
    GameRecord,
    GameState,
    brief,
    from_dict,
    parse_state,
    printable,
    verify,
)
from azul_ui.games.game_file import GameSummary, KeptFile
from azul_ui.games.session import PERSON, SEED_BITS, GameSession
from azul_ui.games.store import GameInUseError, GameStore, KeptGame
from azul_ui.games.words import win_words
from azul_ui.web.agent_pool import AbsentAgent
from azul_ui.web.messages import Data, Message, RefusedError
from azul_ui.web.review import review_path
from azul_ui.web.room import Opened, Room
from azul_ui.web.services import Services
from azul_ui.web.views import record_of_text, seat_labels

MAX_ROOMS: Final = 256  # each holds a lock, and so an open file
IDLE_SECONDS: Final = 120.0  # until a game without open tabs is unloaded
HOUSEKEEPING_SECONDS: Final = 2.0
LISTED: Final = 100
MAX_NAME_LETTERS: Final = 40
MAX_SEED: Final = 1 << SEED_BITS


@dataclass(frozen=True)
class NewGame:
    """The body of POST /api/games."""

    seats: list[Any] | None = None
    seed: int | None = None
    starting_player: int = 0
    max_rounds: int = DEFAULT_MAX_ROUNDS
    variant: str | None = None  # of a game from its first deal; None stands for the colored wall
    position: dict[str, Any] | None = None
    text: str | None = None
    record: str | None = None
    rematch: str | None = None
    names: list[Any] | None = None


class Lobby:
    """Opens games, and unloads those without open tabs."""

    def __init__(
        self, store: GameStore, services: Services, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self.store = store
        self.services = services
        self._idle_seconds = idle_seconds
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Task[Room]] = {}

    @property
    def rooms(self) -> Sequence[Room]:
        """The rooms of all live games."""
        return [*self._rooms.values()]

    async def room(self, game_id: str) -> Room:
        """The room of a game, opened if it waits in the store. Raises RefusedError."""
        if game_id in self._rooms:
            room = self._rooms[game_id]
            if room.is_elsewhere:
                await self._refresh(room)
            return room
        if game_id not in self._opening:
            task = asyncio.create_task(self._open_kept(game_id))
            self._opening[game_id] = task
            task.add_done_callback(lambda _: self._opening.pop(game_id, None))
        return await asyncio.shield(self._opening[game_id])

    async def create(self, wanted: NewGame) -> str:
        """Start a game; returns its id. Raises RefusedError."""
        given = [
            name
            for name in ("position", "text", "record", "rematch")
            if getattr(wanted, name) is not None
        ]
        if len(given) > 1:
            raise RefusedError("malformed", f"{given[0]} and {given[1]}: give one of them")
        if given and wanted.variant is not None:
            raise RefusedError("malformed", f"variant goes with a new game: {given[0]} has one")
        make: Callable[[], Opened]
        if wanted.rematch is not None:
            session = (await self.room(wanted.rematch)).session
            # The record may come from the page: its agents are checked like any that the page names.
            catalog = self.services.catalog
            seats = self._seats([catalog.name_of(seat) for seat in _rotated(session.seats)])
            again = NewGame(names=_rotated(session.names), variant=session.state.variant)
            make = partial(self._new, seats, again)
        elif wanted.record is not None:
            make = partial(self._recorded, wanted)
        else:
            seats = self._seats(wanted.seats)
            make = partial(self._new, seats, wanted)
        return (await self._opened(make)).id

    async def open_record(self, record: GameRecord) -> str:
        """Open a recorded game for review; returns its id. Raises RefusedError."""
        return (await self._opened(lambda: self._kept_record(record, None))).id

    async def summaries(self) -> list[Data]:
        """The games, the latest first: those of the store."""
        return await self._in_thread(lambda: [*map(self._summary, self.store.list(LISTED))])

    def _summary(self, game: GameSummary) -> Data:
        labels = seat_labels(game.players, game.names)
        return {
            "id": game.id,
            "players": [self.services.catalog.name_of(name) for name in game.players],
            "labels": labels,
            "scores": list(game.scores),
            "round": game.round,
            "is_over": game.is_finished,
            "variant": game.variant,
            "words": _summary_words(game, labels),
            "has_review": review_path(self.store.folder, game.id).exists(),
            "is_open": game.id in self._rooms,
            "created": game.created,
            "updated": game.updated,
        }

    async def catalog_data(self, variant: str | None) -> Data:
        """The catalog, limited to one variant if it is given. Raises RefusedError."""
        catalog, agents = self.services.catalog, self.services.agents
        if variant is None:
            return catalog.data()
        try:
            check_variant_name(variant)
        except ValueError as error:
            raise RefusedError("not_found", str(error)) from None
        # Asking an agent may require making it, and so compiling.
        threads = self.services.threads
        return await threads.run(
            threads.searches, lambda: catalog.data(lambda spec: agents.plays(spec, variant))
        )

    def tell(self, message: Message) -> None:
        """Send a message to all tabs of all games."""
        for room in self.rooms:
            room.tell(message)

    async def keep_house(self) -> None:
        """Periodically unload idle games, and refresh those that are open elsewhere."""
        while True:
            await asyncio.sleep(min(HOUSEKEEPING_SECONDS, self._idle_seconds))
            for room in self.rooms:
                if room.is_elsewhere and room.tabs:
                    await self._refresh(room)
            await self.put_idle_away()

    async def put_idle_away(self) -> None:
        """Unload the games that have had no open tab for a while."""
        long_ago = time.monotonic() - self._idle_seconds
        for room in self.rooms:
            if room.is_idle and room.idle_since <= long_ago:
                await self._put_away(room)

    async def close(self) -> None:
        """Unload all games."""
        for room in self.rooms:
            with suppress(Exception):
                await self._put_away(room)
        self.store.close()

    async def _refresh(self, room: Room) -> None:
        """Reload a game that another process has, or had, open."""
        with suppress(RefusedError):
            opened: Opened = await self._in_thread(partial(self._resumed, room.id))
            is_as_it_was = opened.session.record.events == room.session.record.events
            if not (opened.is_elsewhere and is_as_it_was):
                await room.replace(opened)

    async def _put_away(self, room: Room) -> None:
        if self._rooms.get(room.id) is room:
            del self._rooms[room.id]
            await room.close()

    async def _open_kept(self, game_id: str) -> Room:
        return await self._opened(lambda: self._resumed(game_id))

    async def _opened(self, make: Callable[[], Opened]) -> Room:
        if len(self._rooms) >= MAX_ROOMS:
            await self._make_space()
        opened = await self._in_thread(make)
        if opened.id in self._rooms:
            return self._rooms[opened.id]
        room = Room(opened, self.services)
        self._rooms[opened.id] = room
        return room

    async def _make_space(self) -> None:
        idle = [room for room in self.rooms if room.is_idle]
        if not idle:
            raise RefusedError("busy", f"{MAX_ROOMS} games are being played already")
        await self._put_away(min(idle, key=lambda room: room.idle_since))

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        threads = self.services.threads
        try:
            return await threads.run(threads.tables, function)
        except OSError as error:
            raise RefusedError("failed", str(error)) from None

    def _seats(self, names: Sequence[Any] | None) -> list[str]:
        if names is None or not all(isinstance(name, str) for name in names):
            raise RefusedError("malformed", "seats is a list of names")
        return [self.services.catalog.spec_of(name) for name in names]

    def _new(self, seats: Sequence[str], wanted: NewGame) -> Opened:
        """A new game, in a thread: agents may have to be made and the engine to be compiled."""
        if wanted.seed is not None and not 0 <= wanted.seed < MAX_SEED:
            raise RefusedError("malformed", f"a seed is from 0 to {MAX_SEED - 1}")
        if not 1 <= wanted.max_rounds <= DEFAULT_MAX_ROUNDS:
            raise RefusedError("malformed", f"max_rounds is from 1 to {DEFAULT_MAX_ROUNDS}")
        position = _position(wanted)
        variant = (wanted.variant or "colored") if position is None else position.variant
        try:
            session = GameSession(
                seats,
                wanted.seed,
                starting_player=wanted.starting_player,
                max_rounds=wanted.max_rounds,
                variant=variant,
                position=position,
                names=_names(wanted.names),
                make_agent=self._maker(variant),
            )
        except ValueError as error:
            raise RefusedError("not_allowed", str(error)) from None
        game_id = self.store.new_id()
        return Opened(
            game_id, self.store.folder, session, KeptGame(self.store, session, game_id, is_new=True)
        )

    def _recorded(self, wanted: NewGame) -> Opened:
        assert wanted.record is not None
        try:
            record, start = record_of_text(wanted.record)
        except ValueError as error:
            raise RefusedError("not_allowed", str(error)) from None
        seats = None if wanted.seats is None else self._seats(wanted.seats)
        return self._kept_record(record, seats, start)

    def _kept_record(
        self, record: GameRecord, seats: Sequence[str] | None, start: GameState | None = None
    ) -> Opened:
        """A recorded game, kept from now on; without seats it is paused."""
        names = list(seats or record.agents or [PERSON] * record.num_players)
        record = dataclasses.replace(record, agents=names)
        try:
            verify(record, start)
            game = record if start is None else _unplayed(record, start)
            game_id = self._id_of(record, start) or self.store.create(game)
        except ValueError as error:
            raise RefusedError("not_allowed", str(error)) from None
        opened = self._resumed(game_id)
        return opened if seats else opened._replace(is_paused=True)

    def _id_of(self, record: GameRecord, start: GameState | None) -> str | None:
        """The kept game with exactly this record, so that reopening a file makes no copy of it."""
        for game in self.store.list(LISTED):
            if list(game.players) == record.agents:
                with suppress(ValueError):
                    kept = self.store.read(game.id)
                    if kept.record == record and repr(kept.position) == repr(start):
                        return game.id
        return None

    def _resumed(self, game_id: str) -> Opened:
        """A game of the store: playable, or read-only if it is open elsewhere or against unknown agents."""
        try:
            kept = self.store.read(game_id)
        except ValueError as error:
            raise RefusedError("not_found", str(error)) from None
        seats = kept.record.agents
        unknown = [name for name in seats if not self.services.catalog.is_trusted(name)]
        if unknown:
            return self._looked_at(game_id, kept, _absent_words(unknown[0]))
        try:
            session = self.store.resume(game_id, seats, self._maker(kept.record.variant))
        except GameInUseError as error:
            return self._looked_at(game_id, kept, str(error), is_elsewhere=True)
        except ValueError as error:
            self.store.release(game_id)
            return self._looked_at(game_id, kept, str(error))
        return Opened(
            game_id,
            self.store.folder,
            session,
            KeptGame(self.store, session, game_id),
            is_paused=not session.persons,
            has_seed=kept.record.seed is not None,
        )

    def _maker(self, variant: str) -> Callable[[str], Agent]:
        """The factory of a game's agents."""
        return partial(self.services.agents.seated, variant=variant)

    def _looked_at(
        self, game_id: str, kept: KeptFile, reason: str, is_elsewhere: bool = False
    ) -> Opened:
        session = GameSession(
            kept.record.agents or ["player"] * kept.record.num_players,
            record=kept.record,
            position=kept.position,
            undone=kept.undone,
            names=kept.summary.names,
            make_agent=AbsentAgent,
        )
        has_seed = kept.record.seed is not None
        return Opened(
            game_id, self.store.folder, session, None, reason, is_elsewhere, has_seed=has_seed
        )


def _summary_words(game: GameSummary, labels: Sequence[str]) -> str:
    if not game.is_finished:
        return f"Round {game.round + 1}"
    winners = [labels[seat] for seat in game.winners if 0 <= seat < len(labels)]
    return win_words(winners) if winners else "Game over"


def _unplayed(record: GameRecord, start: GameState) -> GameSession:
    """A game from a set-up position, to be kept; its agents need not exist."""
    return GameSession(record.agents, record=record, position=start, make_agent=AbsentAgent)


def _absent_words(name: str) -> str:
    # No command to copy: the name may come from a stranger's record.
    return (
        f"This game can only be looked at: {brief(name, 40)} is no agent of this server. "
        "Agents of your own are named with --agent when it starts."
    )


def _rotated(seats: Sequence[Any]) -> list[Any]:
    return [*seats[-1:], *seats[:-1]]


def _names(names: Sequence[Any] | None) -> list[str | None]:
    """The names that people gave. Raises ValueError."""
    found = []
    for name in names or ():
        if not isinstance(name, str | None) or len(name or "") > MAX_NAME_LETTERS:
            raise ValueError(f"a name is null or a text of at most {MAX_NAME_LETTERS} letters")
        found.append(printable(name).strip() or None if name else None)
    return found


def _position(wanted: NewGame) -> GameState | None:
    """The position that a game is to begin from. Raises RefusedError."""
    try:
        if wanted.position is not None:
            return from_dict(wanted.position)
        return None if wanted.text is None else parse_state(wanted.text)
    except ValueError as error:
        raise RefusedError("not_allowed", str(error)) from None

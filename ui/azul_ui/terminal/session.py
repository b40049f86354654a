"""A person's game against agents: who sits where, what is dealt, undo, save and load. Nothing here prints or asks.

Deals and opponents are functions of the game's seed: deals by the rule of docs/SPEC.md, and each turn of an opponent has a
generator of its own. So going back needs no generator's state: after an undo the same deals come again, exactly while the
bag lasts, and afterwards wherever bag and lid are the same. A saved game that is loaded goes on as it would have without that.
"""

import contextlib
import dataclasses
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np

from azul_agents import (
    Agent,
    AgentFailureError,
    MoveValue,
    make_agent,
    parse_spec,
    strongest_spec,
)
from azul_env import (
    MAX_PLAYERS,
    GameRecord,
    GameRecorder,
    GameState,
    IllegalActionError,
    RecordError,
    legal_mask,
    read_records,
    verify,
    winners,
    write_records,
)
from azul_env.record import Event

PERSON: Final = "human"  # the person's name in the list of agents of a record
SEED_BITS: Final = 32  # of a seed that is drawn
SECONDS_LIMIT: Final = "time=0.5"  # of the opponent that plays unless told otherwise
# A file may name an agent and its limits in numbers. A command or a path in it could run anything: only --vs names those.
TRUSTED_SPEC: Final = re.compile(r"[a-z_]+(:[a-z_]+=[0-9.]+(,[a-z_]+=[0-9.]+)*)?")
TURNS: Final = ("draft", "resign")
SEAT_STREAM: Final = 1_000_001  # keys beyond every number of a round
OPPONENT_STREAM: Final = 1_000_002


@dataclass(frozen=True)
class PlayConfig:
    """How a person's game is set up."""

    opponents: tuple[str, ...] = ()
    """Specs: one for all seats or one for each in order; none stands for the strongest agent there is."""
    num_players: int | None = None
    """None: one more than there are opponents."""
    seat: int | Literal["random"] | None = None
    """The person's; seat 0 starts. None: 0, or in a loaded game the seat that the person had."""
    seed: int | None = None
    """None draws one."""


class Happening(NamedTuple):
    """A draft or resignation, and the positions around it."""

    before: GameState
    event: Event
    after: GameState


def default_opponent() -> str:
    """The spec of the opponent that plays unless another is named."""
    return strongest_spec(SECONDS_LIMIT)


def opponent_generator(seed: int, turn: int) -> np.random.Generator:
    """The generator that an opponent gets for one turn."""
    # Its seed is a hash: a generator tells the seed that it was made from, and nobody may work out the deals from that.
    words = np.random.SeedSequence(seed, spawn_key=(OPPONENT_STREAM, turn)).generate_state(4)
    return np.random.Generator(np.random.PCG64(words.tolist()))


class GameSession:
    """A game between one person and agents in all other seats. The caller closes it in the end."""

    person: int  # the person's seat

    def __init__(self, config: PlayConfig) -> None:
        """Start a new game."""
        opponents = config.opponents or (default_opponent(),)
        num_players = config.num_players or len(opponents) + 1
        seed = secrets.randbits(SEED_BITS) if config.seed is None else config.seed
        person = _seat_of(config.seat, num_players, seed)
        names = _seated(opponents, num_players, person)
        recorder = GameRecorder(num_players, 0, seed, agents=names)
        self._config = config
        self._agents: dict[int, Agent] = {}
        self._hinting: Agent | None = None
        self._own_files: set[Path] = set()  # those that may be written over
        self._file: Path | None = None  # written or read last
        self._saved = ""  # what it holds
        self._sit_down(recorder.record, person)

    @classmethod
    def loaded(cls, path: Path, config: PlayConfig) -> "GameSession":
        """The session that goes on with the last game of a file."""
        if config.seed is not None:
            raise ValueError("--seed and --load: a loaded game goes on with its own seed's deals")
        # The game to begin with is never played: random needs no preparation, and no seat can be wrong.
        session = cls(PlayConfig(opponents=("random",)))
        session._config = config
        session.load(path)
        return session

    @property
    def state(self) -> GameState:
        """Where the game stands."""
        return self._recorder.state

    @property
    def record(self) -> GameRecord:
        """All that happened."""
        return self._recorder.record

    @property
    def seed(self) -> int:
        """What deals and opponents depend on."""
        assert self.record.seed is not None
        return self.record.seed

    @property
    def is_persons_turn(self) -> bool:
        """Whether the game waits for the person."""
        return not self.state.is_terminal and self.state.current_player == self.person

    @property
    def saved_in(self) -> Path | None:
        """The file that holds the game as it is now, if one does."""
        return self._file if self._saved == self.record.to_json() else None

    @property
    def has_own_moves(self) -> bool:
        """Whether the person did anything yet."""
        return bool(self._own_turns())

    def play(self, action: int) -> Happening:
        """The person's move. Raises IllegalActionError."""
        return self._draft(action)

    def resign(self) -> Happening:
        """The person gives up."""
        return self._resign(self.person, None)

    def opponent_turn(self) -> Happening:
        """Let the opponent to move play; one that fails loses by a forfeit."""
        state = self.state
        seat = state.current_player
        rng = opponent_generator(self.seed, len(self.record.events))
        try:
            return self._draft(self._agents[seat].act(state, legal_mask(state), rng))
        except (AgentFailureError, IllegalActionError) as error:
            return self._resign(seat, str(error))

    def hint(self) -> tuple[str, list[MoveValue]]:
        """The agent that gives the hint, and all moves with its values, the best first."""
        if self._hinting is None:
            self._hinting = make_agent(default_opponent())
        return self._hinting.spec, self._hinting.analyse(self.state)

    def undo(self) -> None:
        """Go back to the person's last decision, over the end of a round or of the game if need be."""
        own = self._own_turns()
        if not own:
            raise ValueError("there is no move of yours to take back")
        if self.state.is_terminal:
            _begin(self._agents, self.state.num_players)
        self._go_on_from(dataclasses.replace(self.record, events=self.record.events[: own[-1]]))

    def save(self, path: Path) -> None:
        """Write the game's record to a file of its own. Raises ValueError rather than write over other games."""
        self.check_may_write(path)
        write_records(path, [self.record])
        self._own_files.add(path.resolve())
        self._file, self._saved = path, self.record.to_json()

    def check_may_write(self, path: Path) -> None:
        """Raise ValueError if a file is there that holds anything else than this game."""
        if path.exists() and path.resolve() not in self._own_files:
            raise ValueError(f"{path} exists already: name another file")

    def load(self, path: Path) -> None:
        """Go on with the last game of a file. Raises ValueError, and then the game before goes on."""
        records = list(read_records(path))
        if not records:
            raise ValueError(f"{path} holds no game")
        record = records[-1]
        try:
            state = verify(record)
        except RecordError as error:
            raise ValueError(f"{path}: {error}") from None
        person = self._person_in(record, state)
        record.agents = self._opponents_in(record, person)
        if record.seed is None:
            record.seed = secrets.randbits(SEED_BITS)
        self._sit_down(record, person)
        self._own_files = {path.resolve()} if len(records) == 1 else set()
        self._file, self._saved = path, record.to_json()

    def close(self) -> None:
        """Dismiss the opponents."""
        _dismiss(self._agents)
        self._agents = {}

    def _own_turns(self) -> list[int]:
        """The places of the person's drafts and resignation among the events."""
        events = enumerate(self.record.events)
        return [i for i, e in events if e["type"] in TURNS and e["player"] == self.person]

    def _draft(self, action: int) -> Happening:
        before, place = self.state, len(self.record.events)
        self._recorder.draft(action)
        return self._happened(before, place)

    def _resign(self, seat: int, forfeit: str | None) -> Happening:
        before, place = self.state, len(self.record.events)
        self._recorder.resign(seat, forfeit)
        return self._happened(before, place)

    def _happened(self, before: GameState, place: int) -> Happening:
        if self.state.is_terminal:
            for agent in self._agents.values():
                with contextlib.suppress(AgentFailureError):
                    agent.end_game(self.state.scores, winners(self.state))
        return Happening(before, self.record.events[place], self.state)

    def _sit_down(self, record: GameRecord, person: int) -> None:
        """Go on with a game; the one before is left only when all opponents are there."""
        agents = {
            seat: make_agent(spec) for seat, spec in enumerate(record.agents) if seat != person
        }
        _begin(agents, record.num_players)
        self.close()
        self._agents, self.person = agents, person
        self._go_on_from(record)

    def _go_on_from(self, record: GameRecord) -> None:
        self._recorder = GameRecorder.resumed(record, record.seed)

    def _person_in(self, record: GameRecord, state: GameState) -> int:
        """The seat that the person takes in a loaded game."""
        wanted = self._config.num_players
        if wanted not in (None, record.num_players):
            raise ValueError(f"the game has {record.num_players} players, not {wanted}")
        if self._config.seat is not None:
            return _seat_of(self._config.seat, record.num_players, record.seed or 0)
        return record.agents.index(PERSON) if PERSON in record.agents else state.current_player

    def _opponents_in(self, record: GameRecord, person: int) -> list[str]:
        """The names by seat in a loaded game: the opponents asked for, else those that the record names."""
        if self._config.opponents:
            return _seated(self._config.opponents, record.num_players, person)
        names = record.agents or [""] * record.num_players
        seated = [name if _names_an_agent(name) else default_opponent() for name in names]
        seated[person] = PERSON
        return seated


def _begin(agents: dict[int, Agent], num_players: int) -> None:
    """Tell agents of a game that begins, or goes on. Raises ValueError if one is not up to it."""
    for seat, agent in agents.items():
        try:
            agent.begin_game(num_players, seat)
        except AgentFailureError as error:
            _dismiss(agents)
            raise ValueError(f"{agent.spec} does not play: {error}") from None


def _dismiss(agents: dict[int, Agent]) -> None:
    for agent in agents.values():
        with contextlib.suppress(AgentFailureError):
            agent.close()


def _names_an_agent(name: str) -> bool:
    """Whether a record's name can be trusted to stand for an agent."""
    if not TRUSTED_SPEC.fullmatch(name):
        return False
    try:
        parse_spec(name)
    except ValueError:
        return False
    return True


def _seat_of(seat: int | str | None, num_players: int, seed: int) -> int:
    """The seat that was asked for, drawn if it is `random`."""
    if seat == "random":
        draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(SEAT_STREAM,)))
        return int(draw.integers(num_players))
    number = int(seat or 0)
    if not 0 <= number < num_players:
        raise ValueError(f"--seat {number} is not in 0..{num_players - 1}")
    return number


def _seated(opponents: tuple[str, ...], num_players: int, person: int) -> list[str]:
    """The names by seat."""
    others = num_players - 1
    if num_players > MAX_PLAYERS:
        raise ValueError(f"{len(opponents)} opponents: there are at most {MAX_PLAYERS - 1}")
    if len(opponents) not in (1, others):
        raise ValueError(
            f"{len(opponents)} opponents for {num_players} players: name one for all, or {others}"
        )
    names = list(opponents) if len(opponents) == others else [opponents[0]] * others
    names.insert(person, PERSON)
    return names

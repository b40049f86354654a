"""A person's game as set up by the options of `azul play`: a new one, one from a file, or one from the store."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from azul_agents.command_line import azul_command
from azul_env import MAX_PLAYERS, GameRecord, GameState, RecordError, read_records, verify
from azul_ui.games.seats import default_opponent, names_an_agent, untrusted_names
from azul_ui.games.session import PERSON, SEED_BITS, GameSession
from azul_ui.games.store import GameStore, KeptGame, UntrustedAgentError

SEAT_STREAM: Final = 1_000_001  # a spawn key larger than any round number


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
    variant: str = "colored"
    """Of a new game."""


def new_session(config: PlayConfig) -> GameSession:
    """A new game. Raises ValueError."""
    num_players = config.num_players or max(1, len(config.opponents)) + 1
    opponents = config.opponents or (default_opponent(num_players, config.variant),)
    seed = secrets.randbits(SEED_BITS) if config.seed is None else config.seed
    person = seat_number(config.seat, num_players, seed)
    seats = seated(opponents, num_players, person)
    return GameSession(seats, seed, variant=config.variant)


def loaded_session(path: Path, config: PlayConfig) -> tuple[GameSession, bool]:
    """The session that goes on with the last game of a file, and whether that is its only game. Raises ValueError."""
    games, record = 0, None
    for record in read_records(path):  # noqa: B007  # of any number of games, only the last is kept in memory
        games += 1
    if record is None:
        raise ValueError(f"{path} holds no game")
    try:
        state = verify(record)
    except RecordError as error:
        raise ValueError(f"{path}: {error}") from None
    person = _person_in(record, state, config)
    return GameSession(_seats_in(record, person, config), record=record), games == 1


def continued_game(store: GameStore, game_id: str | None, config: PlayConfig) -> KeptGame:
    """The game of the store with this id, by default the unfinished one that was played last. Raises ValueError.

    Opponents are those of the game. One that runs a program or reads a file must be named again in `config`.
    """
    if game_id is None:
        latest = store.latest_unfinished()
        if latest is None:
            raise ValueError(f"there is no unfinished game in {store.folder}")
        game_id = latest.id
    seats: Sequence[str] | None = None
    if config.opponents:
        seats = store.load(game_id).agents
        others = tuple(name for name in seats if name != PERSON)
        if config.opponents not in (others, tuple(dict.fromkeys(others))):
            raise ValueError(
                f"--vs and --continue: game {game_id} goes on with its own opponents, {', '.join(others)}"
            )
    try:
        return KeptGame(store, store.resume(game_id, seats), game_id)
    except UntrustedAgentError as error:
        raise ValueError(f"{error}, with --vs") from None


def continue_command(kept: KeptGame, save: Path | None = None) -> str:
    """The command that goes on with a kept game, which may be saved in a file as well."""
    assert kept.id is not None
    untrusted = untrusted_names(kept.session.seats)
    others = [name for name in kept.session.seats if name != PERSON] if untrusted else []
    return azul_command("play", "--continue", kept.id, *_options(others, save))


def restart_command(session: GameSession, save: Path | None = None) -> str:
    """The command that begins a game with the same seats and deals, saved in the same file."""
    others = [name for name in session.seats if name != PERSON]
    seat = session.persons[0] if session.persons else 0
    numbers = ["--players", session.num_players, "--seat", seat, "--seed", session.seed]
    variant = session.state.variant
    numbers += ["--variant", variant] if variant != "colored" else []
    return azul_command("play", *_options(others, save), *numbers)


def _options(opponents: Sequence[str], save: Path | None) -> list[str]:
    names = opponents if len(set(opponents)) > 1 else opponents[:1]
    options = [part for name in names for part in ("--vs", name)]
    return options if save is None else [*options, "--save", str(save)]


def seat_number(seat: int | Literal["random"] | None, num_players: int, seed: int) -> int:
    """The seat that a person asked for, drawn if it is `random`; 0 by default. Raises ValueError."""
    if seat == "random":
        draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(SEAT_STREAM,)))
        return int(draw.integers(num_players))
    number = seat or 0
    if not 0 <= number < num_players:
        raise ValueError(f"--seat {number} is not in 0..{num_players - 1}")
    return number


def seated(opponents: Sequence[str], num_players: int, person: int) -> list[str]:
    """The names by seat: the person, and one opponent for all other seats or one for each. Raises ValueError."""
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


def _person_in(record: GameRecord, state: GameState, config: PlayConfig) -> int:
    """The seat that the person takes in a loaded game."""
    if config.num_players not in (None, record.num_players):
        raise ValueError(f"the game has {record.num_players} players, not {config.num_players}")
    if config.seat is not None:
        return seat_number(config.seat, record.num_players, record.seed or 0)
    return record.agents.index(PERSON) if PERSON in record.agents else state.current_player


def _seats_in(record: GameRecord, person: int, config: PlayConfig) -> list[str]:
    """The names by seat in a loaded game: the opponents asked for, else those that the record names."""
    if config.opponents:
        return seated(config.opponents, record.num_players, person)
    # Other people keep their seats.
    names = record.agents or [""] * record.num_players
    opponent = default_opponent(record.num_players, record.variant)
    seats = [name if name == PERSON or names_an_agent(name) else opponent for name in names]
    seats[person] = PERSON
    return seats

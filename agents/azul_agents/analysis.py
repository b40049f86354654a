"""Values that an agent gives to the moves of a position or of a recorded game."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from azul_agents.base import Agent, MoveValue
from azul_env import (
    GameRecord,
    GameState,
    decode_action,
    encode_action,
    format_action,
    replay,
)


class ReviewedMove(NamedTuple):
    """A move of a game and the best one, with their values for the player who moved."""

    number: int  # of the position after it, as in `azul render --move`
    round: int  # from 1
    player: int
    action: int
    value: float
    best_action: int  # `action` if none is better
    best_value: float

    @property
    def loss(self) -> float:
        """Value lost compared with the best move."""
        return self.best_value - self.value


def strongest_spec(limit: str) -> str:
    """The spec of the strongest agent, with a limit such as `time=0.5`."""
    return f"alphabeta:{limit}"


def ranked_moves(state: GameState, agent: Agent) -> list[MoveValue]:
    """All legal moves with their values, the best first. Raises ValueError if the game is over."""
    if state.is_terminal:
        raise ValueError(f'the game is over, there is no move to analyse: "{state!r}"')
    return sorted(agent.analyse(state), key=lambda move: -move.value)


def reviewed_moves(record: GameRecord, agent: Agent) -> Iterator[ReviewedMove]:
    """Compare every move of a game with the best one. Raises RecordError at the first impossible event."""
    before: GameState | None = None
    for number, step in enumerate(replay(record)):
        if before is not None and step.event is not None and step.event["type"] == "draft":
            ranked = ranked_moves(before, agent)
            yield _reviewed(number, before, step.event["action"], ranked, agent)
        before = step.state


def mean_losses(moves: Sequence[ReviewedMove], num_players: int) -> list[float | None]:
    """The mean loss by seat; None for a seat without moves."""
    means: list[float | None] = []
    for seat in range(num_players):
        losses = [move.loss for move in moves if move.player == seat]
        means.append(sum(losses) / len(losses) if losses else None)
    return means


def worst_moves(moves: Sequence[ReviewedMove], count: int) -> list[ReviewedMove]:
    """The moves with the largest losses, the worst first, ties in order; moves without loss are left out."""
    mistakes = [move for move in moves if move.loss > 0]
    return sorted(mistakes, key=lambda move: -move.loss)[:count]


def _reviewed(
    number: int, before: GameState, action: int, ranked: list[MoveValue], agent: Agent
) -> ReviewedMove:
    best = ranked[0]
    value = _value_of(action, before, ranked, agent)
    return ReviewedMove(
        number=number,
        round=before.round + 1,
        player=before.current_player,
        action=action,
        value=value,
        best_action=action if value == best.value else best.action,
        best_value=best.value,
    )


def _value_of(action: int, state: GameState, ranked: list[MoveValue], agent: Agent) -> float:
    """The value of a move; an agent may list only one of several equal factories."""
    values = dict(ranked)
    played = decode_action(action, state.num_players)
    sources = [played.source]
    if played.source < len(state.factories):
        tiles = state.factories[played.source]
        sources += [source for source, other in enumerate(state.factories) if other == tiles]
    for source in sources:
        twin = encode_action(played._replace(source=source), state.num_players)
        if twin in values:
            return values[twin]
    name = format_action(action, state.num_players)
    raise ValueError(f'{agent.spec} gives no value to {name} in "{state!r}"')

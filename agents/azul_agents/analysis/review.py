"""Reviews of recorded games: what every move lost against the best one, in points and in win chance."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from azul_agents.analysis.streaming import chances_after, check_has_moves, last_step
from azul_agents.analysis.win_chance import SeatChances, final_shares
from azul_agents.base import VARIANTS, Agent, MoveValue
from azul_env import (
    GameRecord,
    GameState,
    afterstate,
    decode_action,
    encode_action,
    format_action,
    replay,
)
from azul_env.record_events import event_action

COLORED: Final = VARIANTS[0]
# Limits of the strongest agents that take a moment and give the same answer on every machine.
MOMENTS: Final = {"alphabeta": "nodes=50000", "mcts": "simulations=15000"}

# The win chance that a move must lose to get a name, the worst first. Points would not do: three of them decide a close
# last round and mean nothing in a won one. Searches of different depth disagree by less than the smallest threshold; each
# further one is twice as large.
BLUNDER, MISTAKE, INACCURACY = "blunder", "mistake", "inaccuracy"
SEVERITIES: Final = {BLUNDER: 0.20, MISTAKE: 0.10, INACCURACY: 0.05}


class ReviewedMove(NamedTuple):
    """A move of a game and the best one, with values and win chances for the player who moved."""

    number: int  # of the position after it, as in `azul render --move`
    round: int  # from 1
    player: int
    action: int
    value: float
    best_action: int  # `action` if none is better
    best_value: float
    win_chance: float
    best_win_chance: float
    win_chances: tuple[float, ...]  # by seat, after the move
    best_line: tuple[int, ...]  # expected from `best_action` on

    @property
    def loss(self) -> float:
        """Value lost compared with the best move."""
        return self.best_value - self.value

    @property
    def win_chance_loss(self) -> float:
        """Win chance lost compared with the best move."""
        return max(0.0, self.best_win_chance - self.win_chance)

    @property
    def severity(self) -> str | None:
        """`blunder`, `mistake` or `inaccuracy`; None for any other move."""
        return severity_of(self.win_chance_loss)


class PlayerSummary(NamedTuple):
    """Statistics of one player's moves."""

    moves: int
    mean_loss: float | None  # in points; None without moves
    mean_win_chance_loss: float | None
    accuracy: float | None  # share of the moves that lost less than an inaccuracy
    severities: dict[str, int]  # number of moves by severity, the worst first


def severity_of(win_chance_loss: float) -> str | None:
    """The name of a loss; None for a small one."""
    names = (name for name, least in SEVERITIES.items() if win_chance_loss >= least)
    return next(names, None)


def strongest_kind(num_players: int, variant: str = COLORED) -> str:
    """The kind of agent that plays and values moves best at such a table.

    Alpha-beta takes all others for one opponent, which with 3 and 4 players they are not; on gray walls it is the one that was
    measured.
    """
    return "alphabeta" if num_players == 2 or variant != COLORED else "mcts"


def strongest_spec(
    num_players: int, variant: str = COLORED, *, seconds: float | None = None
) -> str:
    """The spec of an agent of that kind, with seconds per move or, without them, the limit in MOMENTS."""
    kind = strongest_kind(num_players, variant)
    return f"{kind}:{MOMENTS[kind] if seconds is None else f'time={seconds:g}'}"


def ranked_moves(state: GameState, agent: Agent) -> list[MoveValue]:
    """All legal moves with their values, the best first. Raises ValueError if no move can be made."""
    check_has_moves(state)
    return sorted(agent.analyse(state), key=lambda move: -move.value)


def reviewed_moves(record: GameRecord, agent: Agent, first: int = 1) -> Iterator[ReviewedMove]:
    """Compare every move of a game with the best one. Raises RecordError at the first impossible event.

    `first` is the number of the first move to review, which resumes an interrupted review.
    """
    before: GameState | None = None
    for number, step in enumerate(replay(record)):
        if before is not None and step.event is not None and number >= first:
            action = event_action(before, step.event)
            if action is not None:
                yield reviewed_move(number, before, action, agent)
        before = step.state


def mean_losses(moves: Sequence[ReviewedMove], num_players: int) -> list[float | None]:
    """The mean loss by seat; None for a seat without moves."""
    return [summary.mean_loss for summary in summaries(moves, num_players)]


def summaries(moves: Sequence[ReviewedMove], num_players: int) -> list[PlayerSummary]:
    """The statistics of every seat's moves."""
    return [_summary([m for m in moves if m.player == seat]) for seat in range(num_players)]


def _summary(moves: Sequence[ReviewedMove]) -> PlayerSummary:
    severities = {name: sum(move.severity == name for move in moves) for name in SEVERITIES}
    if not moves:
        return PlayerSummary(0, None, None, None, severities)
    count = len(moves)
    return PlayerSummary(
        moves=count,
        mean_loss=sum(move.loss for move in moves) / count,
        mean_win_chance_loss=sum(move.win_chance_loss for move in moves) / count,
        accuracy=1 - sum(severities.values()) / count,
        severities=severities,
    )


def worst_moves(moves: Sequence[ReviewedMove], count: int) -> list[ReviewedMove]:
    """The moves that lost the most win chance, and among equals the most points; moves without loss are left out."""
    mistakes = [move for move in moves if move.loss > 0]
    return sorted(mistakes, key=lambda move: (-move.win_chance_loss, -move.loss))[:count]


def reviewed_move(number: int, before: GameState, action: int, agent: Agent) -> ReviewedMove:
    """Compare an action with the best one. Caller guarantees that it is legal; raises what `analyses` does."""
    step, model, player = last_step(before, agent), SeatChances(before), before.current_player
    best = step.moves[0]
    listed = _listed(action, before, step.moves, agent)
    chances, best_chances = (chances_after(before, step, move, model) for move in (listed, best))
    best_line = step.lines[best.action]
    if listed.value == best.value:
        best_chances, best_line = chances, _swapped(step.lines[listed.action], action, before)
    after = afterstate(before, action)
    return ReviewedMove(
        number=number,
        round=before.round + 1,
        player=player,
        action=action,
        value=listed.value,
        best_action=best_line[0],
        best_value=best.value,
        win_chance=chances[player],
        best_win_chance=best_chances[player],
        win_chances=final_shares(after) if after.is_terminal else chances,
        best_line=best_line,
    )


def _listed(action: int, state: GameState, moves: list[MoveValue], agent: Agent) -> MoveValue:
    """A move with its value, or the same move from an equal factory if the agent lists only that one."""
    values = {move.action: move for move in moves}
    players, variant = state.num_players, state.variant
    played = decode_action(action, players, variant)
    sources = [played.source]
    if played.source < len(state.factories):
        tiles = state.factories[played.source]
        sources += [source for source, other in enumerate(state.factories) if other == tiles]
    for source in sources:
        twin = encode_action(played._replace(source=source), players, variant)
        if twin in values:
            return values[twin]
    name = format_action(action, players, variant)
    raise ValueError(f'{agent.spec} gives no value to {name} in "{state!r}"')


def _swapped(line: tuple[int, ...], action: int, state: GameState) -> tuple[int, ...]:
    """A line with two equal factories swapped, so that it begins with this action."""
    players, variant = state.num_players, state.variant
    moves = [decode_action(number, players, variant) for number in line]
    new, old = decode_action(action, players, variant).source, moves[0].source
    places = {new: old, old: new}
    return tuple(
        encode_action(m._replace(source=places.get(m.source, m.source)), players, variant)
        for m in moves
    )

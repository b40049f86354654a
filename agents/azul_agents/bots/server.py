"""One of our agents as a bot, for other programs that speak the protocol in `docs/BOT_PROTOCOL.md`."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from azul_agents.base import Agent, VariantNotPlayedError
from azul_agents.bots.protocol import (
    PROTOCOL,
    MalformedMessageError,
    Message,
    from_line,
    is_whole_number,
    to_line,
)
from azul_env import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    GameState,
    InvalidPositionError,
    format_state,
    from_dict,
    legal_mask,
    shown,
)
from azul_env.validation import LINE_KEYS, PLAYER_KEYS, POSITION_KEYS


def serve(
    agent: Agent, lines: Iterable[bytes], write: Callable[[bytes], object], seed: int
) -> None:
    """Answer messages until `quit` or the end of input. Raises AgentFailureError if the agent fails."""
    server = BotServer(agent, seed)
    for line in lines:
        if not line.strip():
            continue
        try:
            message = from_line(line)
            if message["type"] == "quit":
                return
            reply = server.reply(message)
        except (MalformedMessageError, InvalidPositionError, VariantNotPlayedError) as error:
            reply = {"type": "error", "message": str(error)}
        if reply is not None:
            write(to_line(reply))


class BotServer:
    """Answers messages by an agent, whose actions depend only on the seed and the position."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self._agent = agent
        self._seed = seed

    def reply(self, message: Message) -> Message | None:
        """The answer to a message, if it needs one. Raises MalformedMessageError, InvalidPositionError."""
        match message["type"]:
            case "hello":
                return {"type": "hello", "protocol": PROTOCOL, "name": self._agent.spec}
            case "new_game":
                self._agent.begin_game(*_table(message))
            case "act":
                return {"type": "action", "action": self._action(message)}
            case "game_over":
                self._agent.end_game(_numbers(message, "scores"), _numbers(message, "winners"))
        return None

    def _action(self, message: Message) -> int:
        state = from_dict(_known_part(message.get("position")))
        if state.is_terminal:
            raise MalformedMessageError("act: the game is over in this position")
        return int(self._agent.act(state, legal_mask(state), question_rng(self._seed, state)))


def question_rng(seed: int, state: GameState) -> np.random.Generator:
    """A new generator for each question, from the seed and the position.

    So answers do not depend on earlier games, and a match is the same for any number of processes.
    """
    digest = hashlib.sha256(format_state(state).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest)])


def _table(message: Message) -> tuple[int, int]:
    """Number of players and seat in a new_game message."""
    players, seat = message.get("num_players"), message.get("seat")
    if not is_whole_number(players) or not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise MalformedMessageError(f"new_game: num_players cannot be {shown(players)}")
    if not is_whole_number(seat) or not 0 <= seat < players:
        raise MalformedMessageError(f"new_game: seat cannot be {shown(seat)}")
    return players, seat


def _numbers(message: Message, key: str) -> list[int]:
    value = message.get(key)
    if not isinstance(value, list) or not all(map(is_whole_number, value)):
        raise MalformedMessageError(f"game_over: {key} cannot be {shown(value)}")
    return value


def _known_part(position: Any) -> Any:
    """A position without unknown keys, which the protocol allows and `from_dict` does not."""
    position = _only(POSITION_KEYS, position)
    if isinstance(position, dict) and isinstance(position.get("players"), list):
        position["players"] = [_only(PLAYER_KEYS, player) for player in position["players"]]
        for player in position["players"]:
            if isinstance(player, dict) and isinstance(player.get("pattern_lines"), list):
                lines = player["pattern_lines"]
                player["pattern_lines"] = [_only(LINE_KEYS, line) for line in lines]
    return position


def _only(keys: list[str], data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {key: value for key, value in data.items() if key in keys}

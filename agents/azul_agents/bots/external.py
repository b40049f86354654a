"""Any program as a player, over the protocol of `docs/BOT_PROTOCOL.md`.

Whatever a bot does wrong becomes an AgentFailureError that says what happened; its process is then ended, and the next
game starts a new one, so that an answer that comes too late never meets a later question.
"""

import math
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, AgentFailureError
from azul_agents.bots.process import BotEndedError, BotFailureError, BotProcess
from azul_agents.bots.protocol import (
    PROTOCOL,
    MalformedMessageError,
    Message,
    from_line,
    is_whole_number,
    to_line,
)
from azul_agents.kinds import TIMEOUT_VARIABLE, ExternalOptions
from azul_agents.registry import AgentSpecError
from azul_env import GameState, illegal_reason, to_dict

DEFAULT_TIMEOUT_SECONDS: Final = 60.0
ANSWERS: Final = ("hello", "action")  # the types of message that answer a question
MAX_NAME_LETTERS: Final = 80
QUIT: Final = to_line({"type": "quit"})


class ExternalAgent(Agent):
    """A bot in a process of its own, started for the first game and kept for the next ones."""

    def __init__(
        self, spec: str, options: ExternalOptions, timeout_seconds: float | None = None
    ) -> None:
        """An answer may take `timeout_seconds`, else what the environment says, else 60 seconds.

        Raises AgentSpecError for a command or a limit that cannot be one; no process is started yet.
        """
        self.spec = spec
        self._command = _split(spec, options.command)
        # What the bot is told; None is the protocol's own limit.
        self._time_limit_seconds = _checked_limit(timeout_seconds)
        self._process: BotProcess | None = None
        self._game: tuple[int, int] | None = None  # number of players and seat
        self._may_have_left = (
            False  # whether the process is from an earlier game and was not asked yet
        )
        self._ignored = ""  # the last type of message that was passed over in this question
        self.bot_name: str | None = None  # what the bot calls itself

    @property
    def timeout_seconds(self) -> float:
        """How long the bot may take for an answer."""
        return self._time_limit_seconds or DEFAULT_TIMEOUT_SECONDS

    def begin_game(self, num_players: int, seat: int) -> None:
        """Tell the bot, which is started if it does not run. Raises AgentFailureError."""
        self._may_have_left = self._is_running()
        if not self._may_have_left:
            self._start(num_players)
        self._game = (num_players, seat)
        self._tell({"type": "new_game", "num_players": num_players, "seat": seat})

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """What the bot answers. Begins a game by itself if that was not done for this seat. `rng` is not used."""
        game = (state.num_players, state.current_player)
        if self._process is None or self._game != game:
            self.begin_game(*game)
        question = {
            "type": "act",
            "position": to_dict(state),
            "legal_actions": np.flatnonzero(legal_mask).tolist(),
            "time_limit_seconds": self._time_limit_seconds,
        }
        with self._ending_the_bot_on_failure():
            action = self._ask_for_action(question)
            if not (0 <= action < len(legal_mask) and legal_mask[action]):
                reason = illegal_reason(state, action)
                why = reason.name if reason else "not among the legal_actions"
                raise BotFailureError(f"answered with the illegal action {action!s:.40} ({why})")
        return action

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Tell the bot if it is still there. Never fails: the game is over."""
        self._game = None
        if self._is_running():
            points, seats = [int(score) for score in scores], [int(seat) for seat in winners]
            self._tell({"type": "game_over", "scores": points, "winners": seats})

    def close(self) -> None:
        """Ask the bot to quit; a second later it is ended."""
        process, self._process, self._game = self._process, None, None
        if process is not None:
            process.close(QUIT)

    def _is_running(self) -> bool:
        """Whether there is a process, of ours: one that we share with the process we were forked from is not."""
        process = self._process
        return process is not None and process.owner == os.getpid() and not process.has_ended

    def _start(self, num_players: int) -> None:
        """Start the bot and exchange greetings."""
        self._drop()
        try:
            self._process = BotProcess(self._command)
        except (OSError, ValueError) as error:
            raise AgentFailureError(f"{self.spec}: the bot cannot be started: {error}") from error
        with self._ending_the_bot_on_failure():
            self._tell({"type": "hello", "protocol": PROTOCOL, "num_players": num_players})
            hello = self._answer("hello")
            if not is_whole_number(hello.get("protocol")) or hello["protocol"] != PROTOCOL:
                spoken = f"{hello.get('protocol')!r:.40}"
                raise BotFailureError(f"speaks protocol {spoken}, this program {PROTOCOL}")
            if not isinstance(hello.get("name"), str):
                raise BotFailureError(f"has no name in its hello: {hello!r:.100}")
            self.bot_name = hello["name"][:MAX_NAME_LETTERS]

    def _ask_for_action(self, question: Message) -> int:
        """The number that the bot answers with, legal or not."""
        assert self._process is not None and self._game is not None
        try:
            self._process.drop_unasked_lines()
            self._tell(question)
            answer = self._answer("action")
        except BotEndedError:
            if not self._may_have_left:
                raise
            # A bot may leave after a game. It can do so at any moment, even now: here is where it shows.
            game = self._game
            self._drop()
            self.begin_game(*game)
            self._tell(question)
            answer = self._answer("action")
        self._may_have_left = False
        action = answer.get("action")
        if not is_whole_number(action):
            raise BotFailureError(
                f"answered with an action that is no whole number: {action!r:.100}"
            )
        return action

    def _tell(self, message: Message) -> None:
        assert self._process is not None
        self._process.send(to_line(message))

    def _answer(self, expected: str) -> Message:
        """The next message of a type; types that are no answers are passed over. Raises BotFailureError."""
        assert self._process is not None
        self._ignored = ""
        deadline = time.monotonic() + self.timeout_seconds
        while True:
            line = self._process.next_line(deadline)
            if line is None:
                limit = f"{self.timeout_seconds:g} seconds"
                raise BotFailureError(f"did not answer with {expected!r} within {limit}")
            if not line.strip():
                continue
            try:
                message = from_line(line)
            except MalformedMessageError as error:
                raise BotFailureError(f"answered with {error}") from None
            if message["type"] == expected:
                return message
            if message["type"] in ANSWERS:
                raise BotFailureError(f"answered with {message['type']!r}, not {expected!r}")
            self._ignored = f"{message!r:.100}"

    @contextmanager
    def _ending_the_bot_on_failure(self) -> Iterator[None]:
        """Whatever interrupts a question ends the bot, and its own failures become the agent's."""
        try:
            yield
        except BotFailureError as failure:
            message = self._told(failure)
            self._drop()
            raise AgentFailureError(message) from failure
        except BaseException:
            self._drop()
            raise

    def _told(self, failure: BotFailureError) -> str:
        """What happened, with all that helps to find out why."""
        parts = [f"{self.spec}: the bot {failure}"]
        if self._ignored:
            parts.append(f"ignored before that: {self._ignored}")
        words = self._process.last_words() if self._process is not None else ""
        if words:
            parts.append(f"last on stderr: {words}")
        return "; ".join(parts)

    def _drop(self) -> None:
        """End the process at once; the next game starts another one."""
        process, self._process, self._game = self._process, None, None
        if process is not None:
            process.kill()


def _split(spec: str, command: str) -> list[str]:
    """The words of a command as a shell would see them."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise AgentSpecError(f"{spec!r}: {error}") from None
    if not words or not words[0]:
        raise AgentSpecError(f"{spec!r}: there is no command")
    if os.name != "posix":
        raise AgentSpecError(f"{spec!r}: bots can be run on Linux and macOS only")
    return words


def _checked_limit(timeout_seconds: float | None) -> float | None:
    """The limit that somebody has set, here or in the environment; None if nobody has."""
    if timeout_seconds is None:
        text = os.environ.get(TIMEOUT_VARIABLE)
        if not text:
            return None
        try:
            timeout_seconds = float(text)
        except ValueError:
            raise AgentSpecError(f"{TIMEOUT_VARIABLE} must be a number, not {text!r}") from None
    if not (math.isfinite(timeout_seconds) and timeout_seconds > 0):
        raise AgentSpecError(f"a bot's time limit must be above 0 seconds, not {timeout_seconds:g}")
    return timeout_seconds

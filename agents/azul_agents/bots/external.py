"""An agent that talks to another program, over the protocol in `docs/BOT_PROTOCOL.md`.

Every failure of the bot becomes an AgentFailureError. Its process is then killed and the next game starts a new one, so
that a late answer is never taken for the answer to a later question.
"""

import math
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS, Agent, AgentFailureError
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
from azul_agents.registry import AgentSpecError, quoted
from azul_env import GameState, illegal_reason, printable, shown, to_dict

DEFAULT_TIMEOUT_SECONDS: Final = 60.0
ANSWERS: Final = ("hello", "action")  # message types that answer a question
MAX_NAME_LETTERS: Final = 80
QUIT: Final = to_line({"type": "quit"})


class ExternalAgent(Agent):
    """A bot in a process of its own, which is started for the first game and reused.

    The positions it gets name their variant; a bot that does not play it forfeits.
    """

    variants = VARIANTS

    def __init__(
        self, spec: str, options: ExternalOptions, timeout_seconds: float | None = None
    ) -> None:
        """The time limit of an answer is `timeout_seconds`, else TIMEOUT_VARIABLE, else 60 seconds.

        Raises AgentSpecError for an invalid command or limit. Starts no process.
        """
        self.spec = spec
        self._command = _split(spec, options.command)
        # Sent to the bot; None is the default of the protocol.
        self._time_limit_seconds = _checked_limit(timeout_seconds)
        self._process: BotProcess | None = None
        self._game: tuple[int, int] | None = None  # number of players and seat
        # The process is from an earlier game and has not answered in this one.
        self._may_have_left = False
        self._ignored = ""  # the last message that was skipped while waiting for the answer
        self.bot_name: str | None = None  # from its hello

    @property
    def timeout_seconds(self) -> float:
        """Time limit of an answer."""
        return self._time_limit_seconds or DEFAULT_TIMEOUT_SECONDS

    def check_ready(self) -> None:
        """Raise AgentFailureError if there is no such program."""
        program = self._command[0]
        if shutil.which(program) is None:
            place = f"in {os.getcwd()}" if os.sep in program else "on the PATH"
            raise AgentFailureError(
                f"{self.spec}: the bot cannot be started: there is no program {shown(program)} {place}"
            )

    def begin_game(self, num_players: int, seat: int) -> None:
        """Announce a new game; start the bot if it is not running. Raises AgentFailureError."""
        self._may_have_left = self._is_running()
        if not self._may_have_left:
            self._start(num_players)
        self._game = (num_players, seat)
        self._send({"type": "new_game", "num_players": num_players, "seat": seat})

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """Ask the bot. Begins a game if that was not done for this seat. `rng` is not used."""
        game = (state.num_players, state.current_player)
        if self._process is None or self._game != game:
            self.begin_game(*game)
        question = {
            "type": "act",
            "position": to_dict(state),
            "legal_actions": np.flatnonzero(legal_mask).tolist(),
            "time_limit_seconds": self._time_limit_seconds,
        }
        with self._killing_the_bot_on_failure():
            action = self._ask_for_action(question)
            if not (0 <= action < len(legal_mask) and legal_mask[action]):
                reason = illegal_reason(state, action)
                why = reason.name if reason else "not among the legal_actions"
                raise BotFailureError(f"answered with the illegal action {action!s:.40} ({why})")
        return action

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Announce the end of the game if the bot is running. Never fails."""
        self._game = None
        if self._is_running():
            points, seats = [int(score) for score in scores], [int(seat) for seat in winners]
            self._send({"type": "game_over", "scores": points, "winners": seats})

    def close(self) -> None:
        """Ask the bot to quit, and kill it after a second."""
        process, self._process, self._game = self._process, None, None
        if process is not None:
            process.close(QUIT)

    def _is_running(self) -> bool:
        """True if there is a process that we started ourselves, not one inherited by a fork."""
        process = self._process
        return process is not None and process.owner == os.getpid() and not process.has_ended

    def _start(self, num_players: int) -> None:
        """Start the bot and exchange hellos."""
        self._drop()
        try:
            self._process = BotProcess(self._command)
        except (OSError, ValueError) as error:
            raise AgentFailureError(f"{self.spec}: the bot cannot be started: {error}") from error
        with self._killing_the_bot_on_failure():
            self._send({"type": "hello", "protocol": PROTOCOL, "num_players": num_players})
            hello = self._answer("hello")
            if not is_whole_number(hello.get("protocol")) or hello["protocol"] != PROTOCOL:
                spoken = f"{hello.get('protocol')!r:.40}"
                raise BotFailureError(f"speaks protocol {spoken}, this program {PROTOCOL}")
            if not isinstance(hello.get("name"), str):
                raise BotFailureError(f"has no name in its hello: {hello!r:.100}")
            self.bot_name = printable(hello["name"][:MAX_NAME_LETTERS])

    def _ask_for_action(self, question: Message) -> int:
        """The action that the bot answers with, legal or not."""
        assert self._process is not None and self._game is not None
        try:
            self._process.discard_output()
            self._send(question)
            answer = self._answer("action")
        except BotEndedError:
            if not self._may_have_left:
                raise
            # A bot may exit after a game, which may show only now: start another.
            game = self._game
            self._drop()
            self.begin_game(*game)
            self._send(question)
            answer = self._answer("action")
        self._may_have_left = False
        action = answer.get("action")
        if not is_whole_number(action):
            raise BotFailureError(
                f"answered with an action that is not a whole number: {action!r:.100}"
            )
        return action

    def _send(self, message: Message) -> None:
        assert self._process is not None
        self._process.send(to_line(message))

    def _answer(self, expected: str) -> Message:
        """The next message of the expected type; messages that are not answers are skipped. Raises BotFailureError."""
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
    def _killing_the_bot_on_failure(self) -> Iterator[None]:
        """Kill the bot on any exception; its own failures become AgentFailureError."""
        try:
            yield
        except BotFailureError as failure:
            message = self._described(failure)
            self._drop()
            raise AgentFailureError(message) from failure
        except BaseException:
            self._drop()
            raise

    def _described(self, failure: BotFailureError) -> str:
        """The failure with the context needed to debug it."""
        parts = [f"{self.spec}: the bot {failure}"]
        if self._ignored:
            parts.append(f"ignored before that: {self._ignored}")
        stderr = self._process.stderr_tail() if self._process is not None else ""
        if stderr:
            parts.append(f"last on stderr: {stderr}")
        return "; ".join(parts)

    def _drop(self) -> None:
        """Kill the process; the next game starts another."""
        process, self._process, self._game = self._process, None, None
        if process is not None:
            process.kill()


def _split(spec: str, command: str) -> list[str]:
    """Split a command like a shell."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise AgentSpecError(f"{quoted(spec)}: {error}") from None
    if not words or not words[0]:
        raise AgentSpecError(f"{quoted(spec)}: the command is missing")
    if os.name != "posix":
        raise AgentSpecError(f"{quoted(spec)}: bots run only on Linux and macOS")
    return words


def _checked_limit(timeout_seconds: float | None) -> float | None:
    """The given time limit, else that of the environment variable, else None."""
    if timeout_seconds is None:
        text = os.environ.get(TIMEOUT_VARIABLE)
        if not text:
            return None
        try:
            timeout_seconds = float(text)
        except ValueError:
            raise AgentSpecError(
                f"{TIMEOUT_VARIABLE} must be a number, not {shown(text)}"
            ) from None
    if not (math.isfinite(timeout_seconds) and timeout_seconds > 0):
        raise AgentSpecError(f"a bot's time limit must be above 0 seconds, not {timeout_seconds:g}")
    return timeout_seconds

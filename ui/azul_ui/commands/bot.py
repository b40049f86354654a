"""`azul bot`: one of our agents behind the bot protocol."""

import contextlib
import os
import secrets
import sys
from typing import Annotated

import typer

SEED_BITS = 64
MAX_MESSAGE_BYTES = 1 << 20  # as many as a bot may write; a question has 2,000
MAX_FAILURE_LETTERS = 1000
STDOUT = 1  # the number of the standard output


def bot(
    spec: Annotated[str, typer.Argument(help="The agent, as in alphabeta:time=0.1.")],
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Answer every position as in other runs with this seed."),
    ] = None,
) -> None:
    """Let an agent play as a bot: JSON lines in, JSON lines out.

    The messages are those of docs/BOT_PROTOCOL.md. Ends with a quit message or the end of the input. Nothing but the
    protocol's messages goes to the output.
    """
    from azul_agents import AgentFailureError, make_agent
    from azul_agents.bots.server import serve
    from azul_env import brief
    from azul_env.files import bounded_lines

    answers = sys.stdout.buffer

    def write(line: bytes) -> None:
        answers.write(line)
        answers.flush()

    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    with contextlib.closing(make_agent(spec)) as agent, contextlib.redirect_stdout(sys.stderr):
        try:
            lines = bounded_lines(sys.stdin.buffer, "the input", MAX_MESSAGE_BYTES)
            serve(agent, (line for _, line in lines), write, seed)
        except BrokenPipeError:
            _forget_output()
        except AgentFailureError as failure:
            print(f"azul: error: {brief(failure, MAX_FAILURE_LETTERS)}", file=sys.stderr)
            raise typer.Exit(1) from None


def _forget_output() -> None:
    """The reader has gone: keep Python from complaining when it flushes the output at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else STDOUT)

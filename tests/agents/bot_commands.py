"""Commands that start bots, and the proof that no process of theirs is left."""

import os
import shlex
import sys
import time
from pathlib import Path

import numpy as np

from azul_agents.base import Agent
from azul_env import GameState, legal_mask, new_game

ROOT = Path(__file__).parents[2]
BOTS = Path(__file__).parent / "bots"
LAYERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui")]
AMPLE_SECONDS = 120.0  # for bots that answer at once, on however busy a machine
SHORT_SECONDS = 0.5  # for bots that never answer
GREETING_SECONDS = 5.0  # for bots that greet and then never answer
PATIENCE_SECONDS = 20.0  # for the system to remove processes that were killed


OPENING = new_game(2, rng=0)


def script(path: Path, *arguments: str) -> str:
    """The spec of an agent that a Python script plays."""
    return "external:" + shlex.join([sys.executable, str(path), *arguments])


def bot(name: str, *arguments: str) -> str:
    """The spec of one of the bots of these tests."""
    return script(BOTS / f"{name}.py", *arguments)


def azul_bot(*arguments: str) -> str:
    """The spec of an agent of ours behind the protocol; needs LAYERS on PYTHONPATH."""
    code = "from azul_ui.cli import main; main()"
    return "external:" + shlex.join([sys.executable, "-c", code, "bot", *arguments])


def ask(player: Agent, state: GameState = OPENING) -> int:
    """An answer of an agent."""
    return player.act(state, legal_mask(state), np.random.default_rng(0))


def is_running(pid: int) -> bool:
    """Whether a process runs. One that has ended but that nobody has asked about (a zombie) does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # gone meanwhile, or a system without /proc
        return not Path("/proc/self").exists()


def relatives(group: int) -> list[int]:
    """The processes that run in a group, and the watchdog that looks after it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            of_group = int((folder / "stat").read_text().rpartition(")")[2].split()[2])
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        is_watchdog = words[-3:-1] == [b"azul-bot-watchdog", str(group).encode()]
        if (of_group == group or is_watchdog) and is_running(int(folder.name)):
            found.append(int(folder.name))
    return found


def wait_until_gone(group: int) -> None:
    """Fails if a group of processes or its watchdog still runs after a while: signals need a moment."""
    end = time.monotonic() + PATIENCE_SECONDS
    while relatives(group) or is_running(group):
        assert time.monotonic() < end, f"still running: {relatives(group)} of group {group}"
        time.sleep(0.01)

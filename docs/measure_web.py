"""How fast `azul web` answers while many play and analyse: python docs/measure_web.py --games 1 25 100 --tabs 0 20

Starts a server on loopback with a folder of its own. Every game is a person against `greedy` who thinks for a second or so.
An answer is the time from sending a move until the agent's move has come, including both saves, and the new position.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

COMMAND: Final = "from azul_ui.cli import main; main()"
THINKS_SECONDS: Final = (0.5, 1.5)  # a person, before each move
AGENT: Final = "greedy"
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Server:
    """`azul web` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "web", "--no-open", "--port", "0", "--games", folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.port = int(line.partition("127.0.0.1:")[2].partition("/")[0])

    @property
    def megabytes(self) -> float:
        """Memory that the server uses now."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * PAGE_BYTES / 1e6

    @property
    def cpu_seconds(self) -> float:
        """Processor time that the server has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def new_game(self, *seats: str) -> str:
        """Start a game; returns the address of its socket."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/games",
            json.dumps({"seats": seats}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            game_id = json.load(answer)["id"]
        return f"ws://127.0.0.1:{self.port}/api/games/{game_id}/socket"


async def until(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a type."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == "error":
            raise RuntimeError(message)
        if message["type"] == kind:
            return message


async def played(url: str, end: float, times: list[float]) -> None:
    """Play until a time; adds how long every answer took."""
    rng = random.Random(url)
    async with connect(url, max_size=None) as socket:
        game, position = await until(socket, "game"), await until(socket, "position")
        await asyncio.sleep(rng.uniform(0, THINKS_SECONDS[1]))
        while time.monotonic() < end and not game["is_over"]:
            action = rng.choice(position["legal"])["action"]
            began = time.monotonic()
            move = {"position_number": game["position_number"], "action": action}
            await socket.send(json.dumps({"type": "play", **move}))
            game = await until(socket, "game")
            while not game["is_over"] and not game["to_move"]["is_person"]:
                game = await until(socket, "game")
            await socket.send(json.dumps({"type": "view", "number": game["number"]}))
            position = await until(socket, "position")
            times.append(time.monotonic() - began)
            await asyncio.sleep(rng.uniform(*THINKS_SECONDS))


async def analysed(url: str, end: float, waits: list[float]) -> None:
    """Analyse the first position until a time; adds how long the first result took."""
    async with connect(url, max_size=None) as socket:
        await until(socket, "position")
        began = time.monotonic()
        await socket.send(json.dumps({"type": "analyse", "number": 0, "engine": "alphabeta"}))
        while not (await until(socket, "analysis"))["candidates"]:
            pass
        waits.append(time.monotonic() - began)
        while (left := end - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(until(socket, "analysis"), left)
            except TimeoutError:
                return


async def measured(server: Server, games: int, tabs: int, seconds: float) -> str:
    """One line of the table."""
    tables = [server.new_game("human", AGENT) for _ in range(games)]
    desks = [server.new_game("human", "human") for _ in range(tabs)]
    end, cpu = time.monotonic() + seconds, server.cpu_seconds
    times: list[float] = []
    waits: list[float] = []
    await asyncio.gather(
        *(played(url, end, times) for url in tables), *(analysed(url, end, waits) for url in desks)
    )
    # Fewer moves have no hundredth part.
    slow = f"{1000 * statistics.quantiles(times, n=100)[98]:.0f} ms" if len(times) >= 100 else "-"
    cpu = 1000 * (server.cpu_seconds - cpu) / len(times)
    used = "-" if tabs else f"{cpu:.1f} ms"
    waited = f"{max(waits):.1f} s" if waits else "-"
    return (
        f"| {games} | {tabs} | {len(times)} | {1000 * statistics.median(times):.0f} ms | "
        f"{slow} | {1000 * max(times):.0f} ms | {used} | {waited} | "
        f"{server.megabytes:.0f} MB |"
    )


def main() -> None:
    """Measure every number of games with every number of analysing tabs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[1, 25, 50, 100])
    parser.add_argument("--tabs", type=int, nargs="+", default=[0, 20])
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            # The first game and the first analysis wait for the compiler.
            asyncio.run(measured(server, 2, 1, 10))
            print(
                "| games | tabs that analyse | moves | median | 99% | slowest | processor time of a move | first result | memory |"
            )
            print("|---|---|---|---|---|---|---|---|---|")
            for tabs in options.tabs:
                for games in options.games:
                    print(asyncio.run(measured(server, games, tabs, options.seconds)), flush=True)
        finally:
            server.process.terminate()
            server.process.wait(30)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"\nThe clients used {usage.ru_utime + usage.ru_stime:.0f} s of processor time.")


if __name__ == "__main__":
    main()

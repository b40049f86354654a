"""What the browser tests share: a server in a process of its own, and a page with the words of the game."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SECONDS = 120.0  # that a test waits for anything, on a busy machine
AZUL = [sys.executable, "-c", "from azul_ui.cli import main; main()"]


class Server:
    """`azul web` on a free port of the loopback."""

    def __init__(self, games: Path, port: int = 0, *arguments: str) -> None:
        self.games = games
        command = [
            *AZUL,
            "web",
            "--no-open",
            "--port",
            str(port),
            "--games",
            str(games),
            *arguments,
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://[^/]+)/(\S*)", line)
        assert found, f"the server said {line!r}"
        self.url, self.path = found[1], found[2]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2])

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send JSON, get JSON."""
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def new_game(self, *seats: str, **options: Any) -> str:
        """Start a game; gives the address of its page."""
        return self.address(self.post("/api/games", {"seats": seats, "seed": 7, **options})["id"])

    def address(self, game_id: str, tab: str | None = None) -> str:
        """The address of a game's page."""
        return f"{self.url}/?game={game_id}" + (f"&tab={tab}" if tab else "")

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(SECONDS)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        self.process.kill()
        self.process.wait(SECONDS)


class WebPage:
    """A tab with azul web."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.allowed: list[str] = []  # parts of errors that a test provokes
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._report(f"page error: {error}"))
        page.on("dialog", lambda dialog: dialog.dismiss())

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._report(f"{message.type}: {message.text}")

    def _report(self, words: str) -> None:
        if not any(part in words for part in self.allowed):
            self.errors.append(words)

    def open(self, address: str) -> None:
        """Go to an address."""
        self.page.goto(address)

    def find(self, selector: str) -> Locator:
        """The elements that a selector finds."""
        return self.page.locator(selector)

    def button(self, name: str | re.Pattern[str], exact: bool = True) -> Locator:
        """A button by its name."""
        return self.page.get_by_role("button", name=name, exact=exact)

    @property
    def title(self) -> str:
        """The heading of the game, such as "Round 1"."""
        return self.find(".game-head h1").inner_text()

    @property
    def number(self) -> int:
        """The number of the position that is shown."""
        return int(self.find(".dock-count").inner_text().partition("/")[0])

    @property
    def length(self) -> int:
        """The number of turns played."""
        return int(self.find(".dock-count").inner_text().partition("/")[2])

    def wait_until(self, expression: str, argument: object = None) -> None:
        """Wait until an expression is true. Playwright's own function needs `eval`, which the page forbids."""
        end = time.monotonic() + SECONDS
        while not self.page.evaluate(expression, argument):
            assert time.monotonic() < end, f"still false: {expression}"
            self.page.wait_for_timeout(40)

    def keep_watch(self) -> None:
        """Note all classes and headlines from now on, for what is gone before anybody looks; see `wait_until_seen`."""
        self.page.evaluate(
            """() => {
                window.seen = new Set();
                new MutationObserver((records) => {
                    for (const node of records.flatMap((record) => [...record.addedNodes])) {
                        for (const name of node.classList ?? []) window.seen.add(name);
                    }
                    window.seen.add(document.querySelector('.headline')?.textContent);
                }).observe(document.body, { childList: true, subtree: true, characterData: true });
            }"""
        )

    def wait_until_seen(self, name: str) -> None:
        """Wait until a class or headline was there since `keep_watch`."""
        self.wait_until("name => window.seen.has(name)", name)

    def wait_for_length(self, length: int) -> None:
        """Wait until this many turns are played."""
        self.wait_until(
            "length => Number(document.querySelector('.dock-count')?.textContent.split('/')[1]) >= length",
            length,
        )

    def wait_for_turn(self) -> str:
        """Wait until a person may choose or the game is over; gives the state of the page."""
        self.wait_until("document.querySelector('.pick, .choice.legal, .result') !== null")
        return "over" if self.find(".result").count() else "turn"

    def pick_first(self) -> None:
        """Click a tile of the first color that can be taken."""
        self.find(".pick .tile").first.click()

    def place_best(self) -> None:
        """Click the line that takes the picked tiles without a cost, or else the cheapest."""
        places = self.find(".target.legal")
        words = places.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
        costs = [
            int(found[1]) if (found := re.search(r"costs (\d+)", each)) else 0 for each in words
        ]
        places.nth(costs.index(min(costs))).click()

    def play_to_the_end(self, most: int = 400) -> int:
        """Play the first color and its cheapest line, or the first column, for the player to move; returns the number of moves."""
        for count in range(most):
            if self.wait_for_turn() == "over":
                return count
            before = self.length
            if self.find(".choice.legal").count():
                self.find(".choice.legal").first.click()
            else:
                self.pick_first()
                self.place_best()
            self.wait_for_length(before + 1)
        raise AssertionError(f"the game is not over after {most} moves")


def reviewed(server: Server, page: WebPage, record: str) -> None:
    """Open a record and wait for its review; the server keeps it, so only the first one takes its time."""
    page.open(server.address(server.post("/api/games", {"record": record})["id"], "review"))
    panel = page.find(".panel-content[data-status]")
    expect(panel).to_have_attribute("data-status", re.compile("none|final"))
    if panel.get_attribute("data-status") == "none":
        page.button("Review the game").click()
    expect(panel).to_have_attribute("data-status", "final")

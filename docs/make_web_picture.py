"""Make docs/web.png, the picture of the page in the README: python docs/make_web_picture.py

Plays a game of Ada, who takes the hints, against the level `strong`, and shows the analysis of a position in round 3.
Needs Chromium and the extra `dev`.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect, sync_playwright

PICTURE: Final = Path(__file__).parent / "web.png"
COMMAND: Final = "from azul_ui.cli import main; main()"
MOVES: Final = 26  # that are played, at least, before the picture is taken
THINKS_MILLISECONDS: Final = 4000


def main() -> None:
    """Start a server on loopback, play, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", COMMAND, "web", "--no-open", "--port", "0"]
        server = subprocess.Popen(
            [*command, "--games", folder], stdout=subprocess.PIPE, text=True, cwd=folder
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://[^/]+", server.stdout.readline())
            assert found
            take_picture(found[0])
        finally:
            server.terminate()
            server.wait()


def take_picture(url: str) -> None:
    """Play on the server at this address, and take the picture."""
    body = {"seats": ["human", "strong"], "names": ["Ada", None], "seed": 2}
    request = urllib.request.Request(
        f"{url}/api/games", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        address = f"{url}/?game={json.load(response)['id']}"
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": 1280, "height": 740},
            device_scale_factor=1.5,
            reduced_motion="reduce",
            color_scheme="light",
        )
        page.goto(address)
        play(page)
        page.keyboard.press(" ")
        expect(page.locator(".candidate")).not_to_have_count(0, timeout=60_000)
        page.wait_for_timeout(THINKS_MILLISECONDS)
        page.screenshot(path=PICTURE)
        browser.close()


def play(page: Page) -> None:
    """Play Ada's moves as the engine would; the opponent answers each."""
    count = page.locator(".dock-count")
    while True:
        expect(page.locator(".pick")).not_to_have_count(0, timeout=60_000)
        told = count.inner_text()
        if int(told.partition(" /")[0]) >= MOVES:
            return
        page.keyboard.press(",")
        expect(count).not_to_have_text(told, timeout=60_000)


if __name__ == "__main__":
    main()

"""A real server and a real browser. Every console error, page error and violation of the Content-Security-Policy fails."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from web.browser.driver import ARGUMENTS, AZUL, SECONDS, Server, WebPage

expect.set_options(timeout=1000 * SECONDS)
GRAY_WARM_UP = """
from azul_agents.arena.warmup import warm_up
warm_up(["greedy", "alphabeta:nodes=1"], 2, "gray", analyses=True)
"""


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Compile the engine before any test waits for it; takes seconds if that was done before."""
    subprocess.run([*AZUL, "warmup"], check=True, stdout=subprocess.DEVNULL, timeout=1800)
    subprocess.run([sys.executable, "-c", GRAY_WARM_UP], check=True, timeout=1800)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests share; each has games of its own."""
    server = Server(tmp_path_factory.mktemp("games"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium from the distribution's packages."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def make_page(browser: Browser) -> Iterator["PageMaker"]:
    """Opens pages in contexts of their own, and fails if one of them reports an error."""
    maker = PageMaker(browser)
    yield maker
    maker.close()


@pytest.fixture
def page(make_page: "PageMaker") -> WebPage:
    """A page of a desktop's size, without motion."""
    return make_page()


class PageMaker:
    """Opens pages and collects what goes wrong in them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._pages: list[WebPage] = []

    def __call__(self, width: int = 1280, height: int = 800, **options: object) -> WebPage:
        options = {"reduced_motion": "reduce", "permissions": ["clipboard-read"], **options}
        context = self._browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(1000 * SECONDS)
        self._contexts.append(context)
        page = WebPage(context.new_page())
        self._pages.append(page)
        return page

    def close(self) -> None:
        """Close all pages; what they reported fails the test."""
        errors = [error for page in self._pages for error in page.errors]
        for context in self._contexts:
            context.close()
        assert errors == []


@pytest.fixture(scope="session")
def games_folder(server: Server) -> Path:
    """Where the games of the shared server are kept."""
    return server.games

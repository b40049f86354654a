"""Every view: no violations that axe-core finds, light and dark; no scrolling sideways, a game on one screen."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from positions import GRAY_TILING
from web.browser.conftest import PageMaker
from web.browser.driver import Server, WebPage, reviewed

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
RECORD = Path(__file__).parents[3] / "docs" / "game.jsonl"
SIZES = {390: 844, 768: 1024, 1280: 800, 1920: 1080, 3840: 2160}
VIEWS = [
    "home",
    "new game",
    "how to play",
    "keys",
    "settings",
    "playing",
    "four players",
    "choosing a column",
    "watching",
    "analysis",
    "review",
    "judged moves",
    "better move",
    "setup",
    "gray setup",
    "problems",
    "unknown game",
]


def show(server: Server, page: WebPage, view: str) -> None:
    """Open a view as a person would find it."""
    if view in ("home", "new game", "how to play", "keys", "settings"):
        page.open(server.url)
        expect(page.find(".game-card, .no-games").first).to_be_visible()
        if view == "new game":
            page.button("New game").first.click()
        elif view == "how to play":
            page.button("How to play").click()
        elif view == "keys":
            page.page.keyboard.press("?")
        elif view == "settings":
            page.button("Settings").click()
    elif view == "unknown game":
        page.open(server.address("20200101-000000-abcdef"))
        expect(page.find(".failure")).to_be_visible()
    elif view == "watching":
        page.open(server.new_game("greedy", "random", "greedy"))
        page.wait_for_length(1)
        page.button("Pause").click()
        expect(page.button("Continue")).to_be_visible()
    elif view == "playing":
        page.open(server.new_game("human", "random"))
        page.wait_for_turn()
        page.pick_first()
    elif view == "four players":
        page.open(server.new_game("human", "human", "human", "human"))
        page.wait_for_turn()
    elif view == "choosing a column":
        page.open(server.new_game("human", "human", text=GRAY_TILING))
        page.wait_for_turn()
    elif view == "against three":
        page.open(server.new_game("human", "random", "random", "random"))
        page.wait_for_turn()
    elif view == "against two":
        page.open(server.new_game("human", "random", "random"))
        page.wait_for_turn()
    elif view == "analysis":
        page.open(server.new_game("human", "human") + "&tab=analysis&think=1")
        expect(page.find(".candidate")).not_to_have_count(0)
        page.button("Stop").click()
    elif view in ("review", "judged moves", "better move"):
        reviewed(server, page, RECORD.read_text().splitlines()[0])
        if view == "judged moves":
            page.page.get_by_role("tab", name="Moves").click()
        if view == "better move":
            page.find(".retry-buttons button").first.click()
            expect(page.find(".retry-words")).to_contain_text("What is better?")
    else:
        page.open(f"{server.url}/#setup")
        expect(page.find(".problems .fine")).to_be_visible()
        if view == "gray setup":
            page.button("Gray").click()
            expect(page.find(".free.gray")).to_have_count(50)
        if view == "problems":
            page.find(".source[data-source='2']").click()
            expect(page.find(".has-problem")).to_have_count(1)


@pytest.mark.parametrize("view", VIEWS)
def test_accessibility__has_no_violations(server: Server, make_page: PageMaker, view: str):
    page = make_page(bypass_csp=True)  # the scanner itself is a foreign script
    show(server, page, view)
    page.page.add_script_tag(path=AXE)
    for theme in ("light", "dark"):
        page.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found = page.page.evaluate("async () => (await axe.run()).violations")
        words = [(each["id"], [node["html"][:150] for node in each["nodes"]]) for each in found]
        assert words == [], theme


@pytest.mark.parametrize("view", ["home", "new game", "watching", "setup", "gray setup"])
def test_view__needs_no_horizontal_scrolling(server: Server, make_page: PageMaker, view: str):
    page = make_page(390, SIZES[390])
    show(server, page, view)
    for width in SIZES:
        resize(page, width)


@pytest.mark.parametrize(
    "view", ["playing", "choosing a column", "four players", "against two", "against three"]
)
def test_game__is_on_one_screen(server: Server, make_page: PageMaker, view: str):
    page = make_page(390, SIZES[390])
    show(server, page, view)
    parts = page.find(".table-part, .supply-part, .board-part, .dock")
    ends = "all => all.map(each => [each.className, each.getBoundingClientRect().bottom])"
    for width, height in SIZES.items():
        resize(page, width)
        table = page.find(".table-part").bounding_box()
        board = page.find(".board-part[data-seat='0']").bounding_box()
        assert table is not None and board is not None
        if width >= 1280:
            below = [(name, end) for name, end in parts.evaluate_all(ends) if end > height]
            assert below == [], width
            assert table["width"] > 0.2 * width
        elif width == 390:  # a phone shows the table, and below it the board to move
            assert table["width"] > 0.9 * width
            assert table["y"] < board["y"] < height


def resize(page: WebPage, width: int) -> None:
    """Make the window this wide; everything must fit into it."""
    page.page.set_viewport_size({"width": width, "height": SIZES[width]})
    room, used = page.page.evaluate(
        "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    assert used <= room, width


def test_theme__is_switched_and_kept(server: Server, page: WebPage):
    page.open(server.url)
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.page.evaluate(color)
    page.button("Dark theme").click()
    dark = page.page.evaluate(color)
    assert light != dark
    page.page.reload()
    expect(page.button("Light theme")).to_be_visible()
    assert page.page.evaluate(color) == dark


def test_layout__does_not_shift_when_a_game_goes_on(server: Server, page: WebPage):
    page.open(server.new_game("human", "random"))
    page.wait_for_turn()
    places = ".table-part, .board-part, .supply-part, .side"
    boxes = "all => all.map(each => JSON.stringify(each.getBoundingClientRect()))"
    before = page.find(places).evaluate_all(boxes)
    page.pick_first()
    page.place_best()
    expect(page.find(".dock-count")).to_have_text("2 / 2")
    page.wait_for_turn()
    assert page.find(places).evaluate_all(boxes) == before

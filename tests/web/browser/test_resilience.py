"""Reloads, two tabs, and a server that is killed and comes back."""

from pathlib import Path

from playwright.sync_api import expect

from web.browser.conftest import PageMaker
from web.browser.driver import Server, WebPage


def test_reload__goes_on_with_the_game(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy"))
    page.wait_for_turn()
    page.pick_first()
    page.place_best()
    expect(page.find(".dock-count")).to_have_text("2 / 2")
    board = page.find(".board-part[data-seat='0'] svg").inner_html
    page.wait_for_turn()
    before = board()
    page.page.reload()
    page.wait_for_turn()
    assert page.length == 2
    assert board() == before


def test_two_tabs__see_the_same_game(server: Server, make_page: PageMaker):
    one, other = make_page(), make_page()
    address = server.new_game("human", "human")
    for page in (one, other):
        page.open(address)
        page.wait_for_turn()
    one.pick_first()
    one.place_best()
    expect(other.find(".dock-count")).to_have_text("1 / 1")
    other.pick_first()
    other.place_best()
    expect(one.find(".dock-count")).to_have_text("2 / 2")


def test_killed_server__loses_no_move_and_the_page_comes_back(make_page: PageMaker, tmp_path: Path):
    server = Server(tmp_path)
    try:
        page = make_page()
        page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
        page.open(server.new_game("human", "greedy"))
        page.wait_for_turn()
        page.pick_first()
        page.place_best()
        expect(page.find(".dock-count")).to_have_text("2 / 2")
        page.wait_for_turn()
        server.kill()
        expect(page.find("#connection")).to_contain_text("connection to the server was lost")
        assert page.find(".pick").count() == 0
        server = Server(tmp_path, server.port)
        expect(page.find("#connection")).to_be_hidden()
        page.wait_for_turn()
        assert page.length == 2
        page.pick_first()
        page.place_best()
        expect(page.find(".dock-count")).to_have_text("4 / 4")
    finally:
        server.kill()


def test_unknown_game__is_told(server: Server, page: WebPage):
    page.open(server.address("20200101-000000-abcdef"))
    expect(page.find(".failure")).to_contain_text("does not know this game")
    page.page.get_by_role("link", name="To the start").click()
    expect(page.find(".home")).to_be_visible()


def test_opened_file__is_what_the_server_was_started_with(make_page: PageMaker, tmp_path: Path):
    record = Path(__file__).parents[3] / "docs" / "game.jsonl"
    server = Server(tmp_path, 0, str(record))
    try:
        page = make_page()
        page.open(f"{server.url}/{server.path}")
        expect(page.find(".result-words")).to_contain_text("Ada wins")
    finally:
        server.kill()

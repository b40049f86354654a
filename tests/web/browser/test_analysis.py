"""Analysis in the browser: it appears, gets better, stops, and its moves can be played."""

import json
import re

import pytest
from playwright.sync_api import WebSocketRoute, expect

from web.browser.driver import Server, WebPage


def test_analysis__appears_improves_and_stops(server: Server, page: WebPage):
    page.open(server.new_game("human", "human"))
    page.wait_for_turn()
    # A button that was clicked does not keep the key. What is found is shown.
    page.button("Flip seats").click()
    page.page.keyboard.press(" ")
    expect(page.page.get_by_role("tab", name="Analysis")).to_have_attribute("aria-selected", "true")
    candidates, status = page.find(".candidate"), page.find(".analysis-status")
    expect(candidates).not_to_have_count(0)
    first = int(status.get_attribute("data-depth") or 0)
    page.wait_until(
        "first => Number(document.querySelector('.analysis-status').dataset.depth) > first",
        first,
    )
    assert re.search(r"\d+%", candidates.first.inner_text())
    assert re.search("ahead|behind|level", candidates.first.inner_text())
    assert 1 <= page.find(".arrow-mark").count() <= 5
    assert "%" in (page.find(".eval-bar").get_attribute("aria-label") or "")
    page.button("Stop").click()
    expect(status).to_contain_text("Stopped")
    told = status.inner_text()
    page.page.wait_for_timeout(1500)
    assert status.inner_text() == told
    expect(page.button("Think")).to_be_visible()


@pytest.mark.parametrize(("seats", "engine"), [(2, "alphabeta"), (3, "mcts")])
def test_table__is_analysed_by_the_engine_for_its_size(
    server: Server, page: WebPage, seats: int, engine: str
):
    page.open(server.new_game(*["human"] * seats))
    page.wait_for_turn()
    page.page.keyboard.press(" ")
    expect(page.page.get_by_label("Engine", exact=True)).to_have_value(engine)
    expect(page.page.get_by_label("Engine of the review")).to_have_value(engine)
    expect(page.find(".candidate")).not_to_have_count(0)
    page.page.get_by_label("Engine", exact=True).select_option("greedy")
    page.page.reload()  # what a person chooses stays
    page.wait_for_turn()
    expect(page.page.get_by_label("Engine", exact=True)).to_have_value("greedy")


def test_candidates__are_played_with_their_numbers(server: Server, page: WebPage):
    page.open(server.new_game("human", "human"))
    page.wait_for_turn()
    page.page.keyboard.press(" ")
    page.wait_until("document.querySelectorAll('.candidate').length >= 3")
    page.page.keyboard.press("3")
    expect(page.find(".dock-count")).to_have_text("1 / 1")
    # The analysis goes on with the position.
    expect(page.find(".candidate")).not_to_have_count(0)
    page.page.keyboard.press(",")
    expect(page.find(".dock-count")).to_have_text("2 / 2")


def test_late_result__does_not_undo_a_stop(server: Server, page: WebPage):
    results: list[str | bytes] = []

    def relay(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        def to_page(message: str | bytes) -> None:
            if json.loads(message)["type"] == "analysis":
                results.append(message)
            socket.send(message)

        def to_server(message: str | bytes) -> None:
            upstream.send(message)
            if json.loads(message)["type"] == "stop":
                socket.send(results[-1])  # as if it had been on its way

        upstream.on_message(to_page)
        socket.on_message(to_server)

    page.page.route_web_socket(re.compile("/socket$"), relay)
    page.open(server.new_game("human", "human"))
    page.wait_for_turn()
    page.page.keyboard.press(" ")
    expect(page.find(".candidate")).not_to_have_count(0)
    page.button("Stop").click()
    expect(page.find(".analysis-status")).to_contain_text("Stopped")
    page.page.wait_for_timeout(300)
    expect(page.find(".analysis-status")).to_contain_text("Stopped")

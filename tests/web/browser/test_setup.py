"""Setting up positions, and links that open them elsewhere."""

import json

import pytest
from playwright.sync_api import expect

from web.browser.conftest import PageMaker
from web.browser.driver import Server, WebPage


def test_position__is_set_up_linked_and_opened_elsewhere(server: Server, make_page: PageMaker):
    page = make_page(permissions=["clipboard-read", "clipboard-write"])
    page.open(f"{server.url}/#setup")
    expect(page.find(".problems .fine")).to_be_visible()
    page.button("Clear").click()
    expect(page.find(".problems")).to_contain_text("no tile to take")
    expect(page.button("Play from here")).to_be_disabled()
    page.button("blue").click()
    page.find(".source[data-source='1']").click()
    expect(page.find(".source[data-source='1'] .tile")).to_have_count(1)
    page.button("red").click()
    page.find("[data-cell='line 0 3 2']").click()
    expect(page.find(".tile[data-place='line 0 3']")).to_have_count(3)
    page.find("[data-cell='wall 1 0 0']").click()
    expect(page.find(".tile[data-place='wall 1 0']")).to_have_count(1)
    page.page.get_by_label("Points of player 2").fill("17")
    page.page.get_by_label("Points of player 2").press("Enter")
    page.page.get_by_label("To move").select_option("Player 2")
    expect(page.find(".headline")).to_contain_text("Player 2 to move")
    expect(page.find(".problems .fine")).to_be_visible()
    text = page.page.get_by_label("Position as text").input_value()
    assert text.startswith("azul 2p round 0/50 turn 1")
    page.button("Copy link").click()
    expect(page.find(".toast")).to_contain_text("Link copied")
    link = page.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{server.url}/#position=azul")

    other = make_page(390, 844)
    other.open(link)
    expect(other.page.get_by_label("Position as text")).to_have_value(text)
    expect(other.find(".tile[data-place='line 0 3']")).to_have_count(3)
    other.button("Play from here").click()
    dialog = other.page.get_by_role("dialog")
    dialog.get_by_label("Seat 1", exact=True).select_option("A person")
    dialog.get_by_label("Seat 2", exact=True).select_option("A person")
    dialog.get_by_role("button", name="Start").click()
    other.wait_for_turn()
    assert other.find(".pick").count() == 1


def test_problems__are_shown_in_place_and_in_words(server: Server, page: WebPage):
    page.open(f"{server.url}/#setup")
    expect(page.find(".problems .fine")).to_be_visible()
    page.button("white").click()
    page.find(".source[data-source='2']").focus()
    page.page.keyboard.press("Enter")
    expect(page.find(".problems")).to_contain_text("Factory 2 holds 5 tiles, more than 4")
    expect(page.find(".source[data-source='2'].has-problem")).to_have_count(1)
    page.page.keyboard.press("Delete")
    expect(page.find(".problems .fine")).to_be_visible()
    expect(page.find(".source[data-source='2'].has-problem")).to_have_count(0)
    page.page.get_by_text("Counts of bag, lid and factories").click()
    page.page.get_by_label("Bag, blue").fill("0")
    page.page.get_by_label("Bag, blue").press("Enter")
    expect(page.find(".problems")).to_contain_text("Blue: ")
    expect(page.find(".supply-part .supply-problem")).to_have_count(1)
    expect(page.page.get_by_label("Bag, blue")).to_have_attribute("aria-invalid", "true")
    page.button("Undo").click()
    expect(page.find(".problems .fine")).to_be_visible()


def test_json__is_read_and_analysed(server: Server, page: WebPage):
    position = server.post("/api/position", {"num_players": 3})["position"]
    position["players"][2]["score"] = 33
    page.open(f"{server.url}/#setup")
    expect(page.find(".problems .fine")).to_be_visible()
    page.page.get_by_label("Position as text").fill(json.dumps(position))
    page.page.get_by_label("Position as text").blur()
    expect(page.find(".board-part")).to_have_count(3)
    expect(page.page.get_by_label("Points of player 3")).to_have_value("33")
    page.button("Analyse").click()
    page.wait_for_turn()
    expect(page.find(".candidate")).not_to_have_count(0)
    assert page.find(".eval-bar .share").count() == 3


def test_damaged_links__are_told(server: Server, page: WebPage):
    page.allowed += ["400"]
    page.open(f"{server.url}/#position=azul+nonsense")
    expect(page.find(".failure")).to_contain_text("This link holds no position")
    page.open("about:blank")
    page.open(f"{server.url}/#game=abc")
    expect(page.find(".failure")).to_contain_text("This link is damaged")
    page.page.get_by_role("link", name="To the start").click()
    expect(page.find(".home")).to_be_visible()


@pytest.mark.parametrize("is_set_up", [False, True])
def test_game_link__opens_the_whole_game(server: Server, make_page: PageMaker, is_set_up: bool):
    page = make_page(permissions=["clipboard-read", "clipboard-write"])
    position = server.post("/api/position", {"num_players": 2})["position"] | {"max_rounds": 1}
    start = {"position": position} if is_set_up else {"max_rounds": 1}
    page.open(server.new_game("human", "greedy", **start))
    page.play_to_the_end()
    length = page.length
    page.button("More").click()
    page.button("Copy link to the whole game").click()
    expect(page.find(".toast")).to_contain_text("Link copied")
    link = page.page.evaluate("navigator.clipboard.readText()")
    other = make_page()
    other.open(link)
    expect(other.find(".dock-count")).to_have_text(f"{length} / {length}")
    assert "?game=" in other.page.url

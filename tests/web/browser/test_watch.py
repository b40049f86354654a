"""Watching agents: pause, step, speed."""

import re

from playwright.sync_api import expect

from web.browser.driver import Server, WebPage


def test_levels__have_ratings_and_are_watched_from_the_start_page(server: Server, page: WebPage):
    page.open(server.url)
    page.button(re.compile("^Watch agents"), exact=False).click()
    dialog = page.page.get_by_role("dialog", name="Watch agents")
    levels = dialog.get_by_label("Seat 1", exact=True).locator("optgroup[label=Levels] option")
    expect(levels.nth(5)).to_be_attached()  # they come from the server
    ratings = [int(words.rpartition(", ")[2]) for words in levels.all_inner_texts()]
    assert len(ratings) > 5 and ratings == sorted(ratings)
    dialog.get_by_label("Seat 1", exact=True).select_option("level beginner")
    dialog.get_by_label("Seat 2", exact=True).select_option("agent random")
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_length(1)
    assert page.find(".pick").count() == 0
    expect(page.button("Pause")).to_be_visible()


def test_watching__can_be_paused_and_stepped(server: Server, page: WebPage):
    page.open(server.new_game("greedy", "random"))
    page.find(".dock select").select_option("Fast")
    page.wait_for_length(2)
    page.button("Pause").click()
    expect(page.button("Continue")).to_be_visible()
    page.page.wait_for_timeout(600)
    expect(page.find(".activity")).to_have_text("")  # a move that was being thought of is played
    length = page.length
    page.page.wait_for_timeout(1000)
    assert page.length == length
    assert page.find(".pick").count() == 0
    page.button("Play one move").click()
    expect(page.find(".dock-count")).to_have_text(f"{length + 1} / {length + 1}")
    page.page.keyboard.press("ArrowRight")
    expect(page.find(".dock-count")).to_have_text(f"{length + 2} / {length + 2}")
    page.find(".dock select").select_option("No wait")
    page.button("Continue").click()
    expect(page.find(".result")).to_be_visible()
    expect(page.find(".game-head h1")).to_have_text("Game over")


def test_earlier_positions__can_be_looked_at_while_the_game_goes_on(server: Server, page: WebPage):
    page.open(server.new_game("greedy", "greedy"))
    page.find(".dock select").select_option("Fast")
    page.wait_for_length(3)
    page.page.keyboard.press("Home")
    expect(page.find(".game.is-past")).to_be_visible()
    page.page.wait_for_timeout(1000)
    assert page.number == 0
    length = page.length
    page.page.keyboard.press("End")
    page.wait_until(
        "before => document.querySelector('.dock-count').textContent.split('/').every(n => Number(n) >= before)",
        length,
    )

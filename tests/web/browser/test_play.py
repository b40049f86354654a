"""Playing by mouse, by touch-like drags and by keys."""

import re

from playwright.sync_api import expect

from positions import position
from web.browser.conftest import PageMaker
from web.browser.driver import Server, WebPage


def test_new_game__is_chosen_in_the_dialog_and_played_to_the_end(server: Server, page: WebPage):
    page.open(server.url)
    page.find("main").get_by_role("button", name="New game").click()
    dialog = page.page.get_by_role("dialog", name="New game")
    dialog.get_by_label("Seat 1", exact=True).select_option("A person")
    dialog.get_by_label("Name of seat 1").fill("Ada")
    dialog.get_by_label("Seat 2", exact=True).select_option("agent greedy")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Seed of the deals").fill("7")
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_turn()
    expect(page.find(".headline")).to_have_text("Ada to move")
    assert "?game=" in page.page.url
    moves = page.play_to_the_end()
    assert moves > 10
    expect(page.find(".game-head h1")).to_have_text("Game over")
    expect(page.find(".result-scores li")).to_have_count(2)
    expect(page.find(".result-words")).to_contain_text(re.compile("win", re.IGNORECASE))
    assert page.find(".pick").count() == 0


def test_four_players__play_to_the_end(server: Server, page: WebPage):
    address = server.new_game("human", "greedy", "random", "greedy", max_rounds=4)
    page.open(address)
    page.wait_for_turn()
    assert page.find(".board-part").count() == 4
    page.play_to_the_end()
    expect(page.find(".game-head h1")).to_have_text("Game over")
    assert page.length == len(page.find(".moves .move").all())


def test_keys_alone__play_a_game(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy", max_rounds=2))
    keys = page.page.keyboard
    page.wait_for_turn()
    page.find(".skip").focus()
    while page.page.evaluate("!document.activeElement.classList.contains('pick')"):
        keys.press("Tab")
    for _ in range(60):
        if page.wait_for_turn() == "over":
            break
        before = page.length
        page.wait_until("document.activeElement.classList.contains('pick')")
        keys.press("ArrowRight")
        keys.press("ArrowLeft")
        keys.press("Enter")
        page.wait_until("document.activeElement.classList.contains('target')")
        if page.find(".target.legal").count() > 2:
            keys.press("ArrowDown")
        keys.press("Enter")
        page.wait_for_length(before + 1)
    expect(page.find(".game-head h1")).to_have_text("Game over")


def test_guide__tells_what_to_do_and_what_was_played(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy"))
    page.wait_for_turn()
    guide = page.find(".guide")
    expect(guide).to_contain_text("Choose tiles of one color")
    page.pick_first()
    expect(guide).to_contain_text("choose a dashed line")
    page.place_best()
    page.wait_for_length(2)
    words = page.find(".moves .move").nth(1).get_attribute("title") or ""
    expect(guide).to_have_text(words.removeprefix("2. "))
    # A screen reader hears moves that are gone back to, too.
    page.page.keyboard.press("ArrowLeft")
    expect(page.find("#announcer p").last).to_contain_text("Move 1 of 2. You: ")
    page.page.keyboard.press("u")
    expect(page.find("#announcer p").last).to_have_text("Start of the game. Round 1, Your turn.")


def test_tiles__go_where_the_preview_shows(server: Server, page: WebPage):
    page.open(server.new_game("human", "random"))
    page.wait_for_turn()
    page.pick_first()
    color = page.find(".pick.picked").get_attribute("data-color")
    count = page.find(".pick.picked .tile").count()
    page.find(".target.legal[data-destination='4']").hover()
    assert page.find(".preview.active .ghost-tile").count() == count
    page.find(".target.legal[data-destination='4']").click()
    placed = page.find(
        f".board-part[data-seat='0'] .tile[data-place='line 0 4'][data-color='{color}']"
    )
    expect(placed).to_have_count(count)


def test_illegal_places__cannot_be_clicked(server: Server, page: WebPage):
    # Line 0 of player 0 is full, line 1 holds red, and yellow is on the wall of row 2.
    text = (
        "azul 2p round 1/50 turn 0 start 0 | YYRK - - - - | * | bag ? lid - "
        "| 0 B/.R/...:...Y.// - | 0 //// -"
    )
    page.open(server.new_game("human", "human", text=repr(position(text))))
    page.wait_for_turn()
    assert page.find(".target.legal").count() == 0
    page.find(".pick[data-color='yellow'] .tile").first.click()
    open_lines = page.find(".target.legal").evaluate_all(
        "all => all.map(e => e.dataset.destination)"
    )
    assert open_lines == ["3", "4", "5"]
    for seat, line in ((0, 0), (0, 1), (0, 2), (1, 3)):
        page.find(f".target[data-seat='{seat}'][data-destination='{line}']").click(force=True)
        assert page.length == 0
    page.page.keyboard.press("Escape")
    assert page.find(".pick.picked").count() == 0


def test_drag__plays_a_move_and_can_be_given_up(server: Server, page: WebPage):
    page.open(server.new_game("human", "random"))
    page.wait_for_turn()
    mouse = page.page.mouse

    def drag_to(x: float, y: float) -> None:
        box = page.find(".pick .tile").first.bounding_box()
        assert box is not None
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mouse.down()
        mouse.move(x - 40, y - 40, steps=4)
        mouse.move(x, y, steps=4)
        assert page.find(".hand").count() == 1
        mouse.up()

    drag_to(20, 780)
    assert page.find(".pick.picked").count() == 0
    assert page.find(".hand").count() == 0
    target = page.find(".target[data-seat='0'][data-destination='4']").bounding_box()
    assert target is not None
    drag_to(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2)
    expect(page.find(".board-part[data-seat='0'] .tile[data-place='line 0 4']")).not_to_have_count(
        0
    )
    page.wait_for_turn()
    assert page.length == 2


def test_undo_and_redo__cross_the_end_of_a_round(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy"))
    page.wait_for_turn()
    while page.title == "Round 1":
        page.wait_for_turn()
        before, length = page.find(".stage .table-part").inner_html(), page.length
        page.pick_first()
        page.place_best()
        page.wait_for_length(length + 1)
        page.wait_for_turn()
        page.wait_until("document.querySelector('.pick, .result')")
    assert page.title == "Round 2"
    played = page.length
    page.page.keyboard.press("u")
    expect(page.find(".game-head h1")).to_have_text("Round 1")
    page.wait_for_turn()
    assert page.length == length
    assert page.find(".stage .table-part").inner_html() == before
    page.page.keyboard.press("r")
    expect(page.find(".game-head h1")).to_have_text("Round 2")
    page.wait_for_turn()
    assert page.length == played


def test_motion__shows_travel_and_scoring_and_can_be_skipped(server: Server, make_page: PageMaker):
    page = make_page(reduced_motion="no-preference")
    text = (
        "azul 2p round 1/50 turn 0 start 0 | - - - - - | BY | bag ? lid - "
        "| 5 //// * | 3 //KKK:.W...// -"
    )
    page.open(server.new_game("human", "human", text=repr(position(text))))
    page.wait_for_turn()
    page.keep_watch()
    page.find(".pick[data-color='blue'] .tile").click()
    page.find(".target.legal[data-destination='0']").click()
    page.wait_until_seen("flight")
    page.wait_for_turn()
    expect(page.find(".flights")).to_have_count(0)
    page.find(".pick[data-color='yellow'] .tile").click()
    page.find(".target.legal[data-destination='0']").click()
    page.wait_until_seen("Scoring the round")
    page.wait_until_seen("points")
    # The tile has left its line.
    expect(page.find("[data-cell='line 0 0 4'].free")).to_have_count(1)
    page.page.keyboard.press("Escape")
    expect(page.find(".game-head h1")).to_have_text("Round 3")
    words = page.find("#announcer").inner_text()
    assert "blue from the center to line 0" in words
    assert "Round 2 is over" in words
    assert "Player 1: line 0 plus 1, floor minus 1: 5 to 5" in words


def test_hint_and_best_move__need_no_analysis(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy"))
    page.wait_for_turn()
    page.button("Hint").click()
    expect(page.find(".arrow-mark")).to_have_count(1)
    expect(page.find(".toast")).to_contain_text("Hint")
    page.page.keyboard.press(",")
    page.wait_for_length(2)


def test_resignation__asks_and_rematch_rotates_the_seats(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy", names=["Ada", None]))
    page.wait_for_turn()
    page.button("More").click()
    page.button("Resign ...").click()
    page.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert page.find(".result").count() == 0
    page.button("More").click()
    page.button("Resign ...").click()
    page.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.find(".result-words")).to_contain_text("greedy wins")
    address = page.page.url
    page.button("Rematch").click()
    page.page.wait_for_url(lambda url: url != address)
    expect(page.find(".board-part[data-seat='1']")).to_have_attribute("aria-label", "Board of Ada")
    page.wait_for_turn()
    assert page.length == 1  # the agent had the first move


def test_flip__puts_another_board_first(server: Server, page: WebPage):
    page.open(server.new_game("human", "human", "human"))
    page.wait_for_turn()

    def order() -> list[str]:
        return page.find(".board-part").evaluate_all("all => all.map(e => e.style.order)")

    assert order() == ["0", "1", "2"]
    page.page.keyboard.press("f")
    assert order() == ["2", "0", "1"]


def test_keys__are_listed(server: Server, page: WebPage):
    page.open(server.url)
    expect(page.find(".home")).to_be_visible()
    page.page.keyboard.press("?")
    dialog = page.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("play the best move")
    page.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

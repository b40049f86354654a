"""The gray wall: columns are chosen by mouse, by touch and by keys, judged, reviewed and set up."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from azul_env import GameRecorder, legal_actions
from positions import GRAY_TILING as TILING
from web.browser.conftest import PageMaker
from web.browser.driver import Server, WebPage, reviewed


@pytest.fixture(scope="session")
def record() -> str:
    """A game of one round in which columns are chosen without a thought."""
    game = GameRecorder(2, 0, 11, max_rounds=1, agents=["human", "human"], variant="gray")
    while not game.state.is_terminal:
        game.draft(legal_actions(game.state)[-1 if game.state.columns_to_choose else 0])
    return game.record.to_json()


def test_new_game__is_chosen_in_the_dialog_and_played_to_the_end(server: Server, page: WebPage):
    page.open(server.url)
    page.find("main").get_by_role("button", name="New game").click()
    dialog = page.page.get_by_role("dialog", name="New game")
    expect(dialog.get_by_role("button", name="Colored")).to_have_attribute("aria-pressed", "true")
    opponent = dialog.get_by_label("Seat 2", exact=True)
    opponent.select_option("agent guided")
    dialog.get_by_role("button", name="Gray").click()
    expect(dialog.get_by_text("you choose the column of every tile")).to_be_visible()
    # The agent does not play on this wall: another one takes its seat.
    expect(opponent).to_have_value("level casual")
    expect(opponent.locator("option[value='agent guided']")).to_have_count(0)
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Seed of the deals").fill("7")
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_turn()
    assert page.play_to_the_end() > 10
    expect(page.find(".game-head h1")).to_have_text("Game over")
    assert page.find(".moves .move").get_by_text(re.compile(r"^T\d$")).count() > 5
    # The next game is on the same wall, and so is the rematch.
    page.button("Rematch").click()
    expect(page.find(".free.gray")).to_have_count(50)
    page.button("New game").click()
    expect(dialog.get_by_role("button", name="Gray")).to_have_attribute("aria-pressed", "true")


def test_wall__is_marked_at_once_and_no_game_starts_before_its_agents_are_known(
    server: Server, page: WebPage
):
    held: list[Route] = []
    page.page.route("**/api/catalog?variant=gray", lambda route: held.append(route))
    page.open(server.url)
    page.find("main").get_by_role("button", name="New game").click()
    dialog = page.page.get_by_role("dialog", name="New game")
    colored, on_gray = (dialog.get_by_role("button", name=name) for name in ("Colored", "Gray"))
    start = dialog.get_by_role("button", name="Start")
    on_gray.click()
    expect(on_gray).to_have_attribute("aria-pressed", "true")
    expect(start).to_be_disabled()
    colored.click()  # changed our mind while the server thinks
    expect(start).to_be_enabled()
    held[0].continue_()
    page.page.wait_for_timeout(300)
    expect(colored).to_have_attribute("aria-pressed", "true")
    on_gray.click()
    dialog.get_by_label("Seat 2", exact=True).select_option("A person")
    start.click()
    page.wait_for_turn()
    expect(page.find(".free.gray")).to_have_count(50)


def test_wall__that_the_server_cannot_tell_about_is_not_chosen(server: Server, page: WebPage):
    page.allowed.append("500")
    page.page.route("**/api/catalog?variant=gray", lambda route: route.fulfill(status=500))
    page.open(server.url)
    page.find("main").get_by_role("button", name="New game").click()
    dialog = page.page.get_by_role("dialog", name="New game")
    dialog.get_by_role("button", name="Gray").click()
    expect(dialog.get_by_role("button", name="Colored")).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_role("button", name="Start")).to_be_enabled()


def test_column__is_chosen_by_a_click_on_its_cell(server: Server, page: WebPage):
    page.open(server.new_game("human", "human", text=TILING))
    page.wait_for_turn()
    guide = page.find(".guide")
    expect(guide).to_have_text("Choose a column for Player 1's yellow line 3.")
    cells = page.find(".choice.legal")
    expect(cells).to_have_count(3)
    assert cells.evaluate_all("all => all.map(each => each.dataset.column)") == ["0", "3", "4"]
    assert page.find(".preview .gain text").all_text_contents() == ["+2", "+4", "+1"]
    cells.nth(1).hover()
    expect(page.find(".preview.active .ghost-tile[href='#azul-tile-Y']")).to_have_count(1)
    page.find("[data-cell='wall 0 3 1']").click()  # yellow is in that column already
    assert page.length == 0
    cells.nth(1).click()
    page.wait_for_length(1)
    expect(page.find(".tile[data-cell='wall 0 3 3'][data-color='yellow']")).to_have_count(1)
    expect(page.find("rect.last-move.cell")).to_have_count(1)
    expect(page.find("#announcer")).to_contain_text("T3, line 3 to column 3 of the wall, +4")
    expect(page.find("#announcer")).to_contain_text("chooses a column for the red line 4.")
    page.page.keyboard.press("u")
    expect(guide).to_contain_text("yellow line 3")
    expect(page.find(".tile[data-cell='wall 0 3 3']")).to_have_count(0)
    page.page.keyboard.press("r")
    expect(guide).to_contain_text("red line 4")
    page.page.keyboard.press("ArrowLeft")
    expect(page.find(".headline")).to_have_text("Player 1 to tile line 3")
    assert page.find(".choice.legal").count() == 0  # an earlier position


def test_column__is_chosen_by_touch(server: Server, make_page: PageMaker):
    page = make_page(390, 844, has_touch=True, is_mobile=True)
    page.open(server.new_game("human", "human", text=TILING))
    page.wait_for_turn()
    page.find(".choice.legal[data-column='4']").tap()
    page.wait_for_length(1)
    expect(page.find(".tile[data-cell='wall 0 3 4']")).to_have_count(1)


def test_keys_alone__play_a_game(server: Server, page: WebPage):
    page.open(server.new_game("human", "greedy", variant="gray", max_rounds=2))
    keys = page.page.keyboard
    page.wait_for_turn()
    page.find(".skip").focus()
    while page.page.evaluate("!document.activeElement.classList.contains('pick')"):
        keys.press("Tab")
    columns = 0
    for _ in range(80):
        if page.wait_for_turn() == "over":
            break
        before = page.length
        page.wait_until("document.activeElement.matches('.pick, .choice.legal')")
        if page.find(".choice.legal").count():
            columns += 1
            first = page.page.evaluate("document.activeElement.ariaLabel")
            assert re.fullmatch(r"Column \d of row \d: \d+ points?", first)
            keys.press("ArrowRight")
            assert page.page.evaluate("document.activeElement.ariaLabel") != first
        else:
            keys.press("Enter")
            page.wait_until("document.activeElement.classList.contains('target')")
        keys.press("Enter")
        page.wait_for_length(before + 1)
    expect(page.find(".game-head h1")).to_have_text("Game over")
    assert columns > 0


def test_motion__shows_the_tile_that_is_placed(server: Server, make_page: PageMaker):
    page = make_page(reduced_motion="no-preference")
    page.open(server.new_game("human", "human", text=TILING))
    page.wait_for_turn()
    page.keep_watch()
    page.find(".choice.legal").first.click()
    page.wait_until_seen("Tiling the walls")
    page.wait_until_seen("points")
    expect(page.find(".guide")).to_contain_text("red line 4")


def test_engine__marks_cells_and_its_moves_are_played(server: Server, page: WebPage):
    page.open(server.new_game("human", "human", text=TILING))
    page.wait_for_turn()
    page.page.keyboard.press("Space")
    expect(page.find(".candidate")).to_have_count(3)
    expect(page.find(".arrow-mark")).to_have_count(3)
    assert page.find(".arrow-line").count() == 0  # numbers on the cells, no arrows
    expect(page.find(".eval-bar .share")).to_have_count(2)
    page.page.keyboard.press("h")
    expect(page.find(".toast")).to_contain_text(re.compile(r"Hint: line 3 to column \d"))
    expect(page.find(".arrow-mark")).to_have_count(1)
    best = page.find(".candidate-move .mono").first.inner_text()
    page.page.keyboard.press("1")
    page.wait_for_length(1)
    expect(page.find(".moves .move .mono").first).to_have_text(best)


def test_review__judges_choices_and_lets_one_try_again(server: Server, page: WebPage, record: str):
    reviewed(server, page, record)
    turns = [event for event in json.loads(record)["events"] if event["type"] in ("draft", "tile")]
    expect(page.find(".graph")).to_have_attribute(
        "aria-label", re.compile(f"each of {len(turns)} moves")
    )
    for player in ("Player 1", "Player 2"):
        button = page.button(re.compile(rf"{player} \(\d+\)"), exact=False)
        if button.count():
            button.click()
            break
    else:
        raise AssertionError("nobody made a mistake")
    expect(page.find(".retry-words")).to_contain_text("What is better?")
    page.button("Show the best").click()
    expect(page.find(".retry-words")).to_contain_text("Best was ")
    expect(page.find(".arrow-mark")).to_have_count(1)


def test_record__is_opened_from_a_file_and_taken_away(
    server: Server, page: WebPage, record: str, tmp_path: Path
):
    path = tmp_path / "gray.jsonl"
    path.write_text(record + "\n")
    page.open(server.url)
    with page.page.expect_file_chooser() as chooser:
        page.find("main").get_by_role("button", name="Open a game").click()
    chooser.value.set_files(path)
    expect(page.find(".game-head h1")).to_have_text("Game over")
    page.button("More").click()
    with page.page.expect_download() as download:
        page.button("Record (.jsonl)").click()
    assert json.loads(download.value.path().read_text())["events"] == json.loads(record)["events"]
    page.open(server.url)
    expect(page.find(".game-card").first).to_contain_text("Gray wall")


def test_position__is_set_up_with_its_problems_and_played(server: Server, make_page: PageMaker):
    page = make_page(permissions=["clipboard-read", "clipboard-write"])
    page.open(f"{server.url}/#setup")
    page.button("Gray").click()
    expect(page.find(".free.gray")).to_have_count(50)
    page.button("red").click()
    page.find("[data-cell='wall 1 0 2']").click()
    expect(page.find(".tile[data-cell='wall 1 0 2'][data-color='red']")).to_have_count(1)
    expect(page.find(".problems .fine")).to_be_visible()
    page.find("[data-cell='wall 1 4 2']").click()
    expect(page.find(".problems")).to_contain_text(
        "Player 2, row 4 of the wall, column 2: its color is there twice"
    )
    expect(page.find(".cell-problem")).to_have_count(2)
    page.button("white").click()
    page.find("[data-cell='wall 1 4 2']").click()
    expect(page.find(".tile[data-cell='wall 1 4 2'][data-color='white']")).to_have_count(1)
    page.find("[data-cell='wall 1 0 2']").click(modifiers=["Shift"])
    expect(page.find(".tile[data-place='wall 1 0']")).to_have_count(0)
    expect(page.find(".problems .fine")).to_be_visible()
    page.button("3").click()
    expect(page.find(".free.gray")).to_have_count(75)
    page.button("Play from here").click()
    dialog = page.page.get_by_role("dialog")
    seat = dialog.get_by_label("Seat 1", exact=True)
    expect(seat.locator("option[value='agent guided']")).to_have_count(0)
    for number in (1, 2, 3):
        dialog.get_by_label(f"Seat {number}", exact=True).select_option("A person")
    dialog.get_by_role("button", name="Start").click()
    page.wait_for_turn()
    expect(page.find(".free.gray")).to_have_count(75)


def test_tiling__is_opened_from_a_link_and_its_phase_can_be_edited(server: Server, page: WebPage):
    page.open(f"{server.url}/#position={TILING.replace(' ', '+')}")
    expect(page.find(".headline")).to_have_text("Round 4, Player 1 to tile line 3")
    expect(page.find(".problems .fine")).to_be_visible()
    phase = page.page.get_by_label("Phase")
    phase.select_option("Taking tiles")
    expect(page.find(".problems")).to_contain_text("Phase")
    phase.select_option("Tiling the walls")
    expect(page.find(".problems .fine")).to_be_visible()
    page.button("Analyse").click()
    expect(page.find(".candidate")).to_have_count(3)


def test_rules__mention_the_gray_wall(server: Server, page: WebPage):
    page.open(server.url)
    page.button("How to play").click()
    expect(page.page.get_by_role("dialog")).to_contain_text("walls without colors")

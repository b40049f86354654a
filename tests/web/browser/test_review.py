"""Reviewing recorded games: files, graph, mistakes, and finding the better move."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from web.browser.driver import Server, WebPage, reviewed

RECORD = Path(__file__).parent / "blunder.jsonl"
PLANTED = 19  # the number of the turn that is a blunder


@pytest.fixture(scope="module")
def record() -> str:
    """A game of two good players, one of whom once throws as much as possible to the floor."""
    return RECORD.read_text().strip()


def test_review__finds_a_planted_blunder(server: Server, page: WebPage, record: str):
    reviewed(server, page, record)
    (row,) = page.find(".mistake-row").filter(has_text=f"{PLANTED}. Ada").all()
    assert "blunder" in row.inner_text()
    row.click()
    # The position in which it was played, with the better move and that of the game.
    expect(page.find(".dock-count")).to_contain_text(f"{PLANTED - 1} /")
    expect(page.find(".arrow-mark text")).to_have_text(["?", "✓"])
    page.page.reload()
    expect(page.find(".mistake-row").filter(has_text=f"{PLANTED}. Ada")).to_have_count(1)
    assert "Ada" in page.find(".summary thead").inner_text()
    assert re.search(r"Blunders.*\d", page.find(".summary tbody").inner_text())


def test_mistakes__are_listed_by_size_or_in_order(server: Server, page: WebPage, record: str):
    reviewed(server, page, record)

    def numbers() -> list[int]:
        return [int(row.split(".")[0]) for row in page.find(".mistake-text").all_inner_texts()]

    sizes = page.find(".mistake-row .pill").all_inner_texts()
    order = ["blunder", "mistake", "inaccuracy"]
    assert sizes == sorted(sizes, key=order.index) and len(sizes) > 1
    by_size = numbers()
    page.button("In order of play").click()
    assert numbers() == sorted(by_size)
    # Sizes are told apart by shape in the graph.
    shapes = page.find("path.graph-mark").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    assert len(set(shapes)) == len(set(sizes))


def test_graph__goes_to_the_position_that_is_clicked(server: Server, page: WebPage, record: str):
    reviewed(server, page, record)
    graph = page.find("svg.graph")
    rule = graph.locator(".graph-rule").first.bounding_box()
    assert rule is not None
    half = page.length // 2
    page.page.mouse.click(rule["x"] + rule["width"] * half / page.length, rule["y"] - 30)
    expect(page.find(".dock-count")).to_have_text(f"{half} / {page.length}")
    expect(page.find(".game.is-past")).to_have_count(1)
    page.page.keyboard.press("ArrowLeft")
    expect(page.find(".dock-count")).to_have_text(f"{half - 1} / {page.length}")


def test_better_move__is_found_by_trying(server: Server, page: WebPage, record: str):
    reviewed(server, page, record)
    page.find(".retry-buttons button").first.click()
    prompt = page.find(".retry-words")
    expect(prompt).to_contain_text("What is better?")
    count = 1
    while page.number + 1 != PLANTED:
        page.button("Skip").click()
        count += 1
        expect(page.find(".retry .pill")).to_contain_text(f"{count} of")
    expect(prompt).to_contain_text("What is better?")
    # The move of the game again: it is no better this time.
    notation = page.find(".moves .move").nth(PLANTED - 1).text_content() or ""
    source = "5" if notation[0] == "C" else notation[0]
    color = {"B": "blue", "Y": "yellow", "R": "red", "K": "black", "W": "white"}[notation[1]]
    page.find(f".pick[data-source='{source}'][data-color='{color}'] .tile").first.click()
    page.find(".target.legal[data-destination='5']").click()
    expect(prompt).to_contain_text("Try another one")
    page.button("Show the best").click()
    expect(prompt).to_contain_text("Best was")
    assert page.find(".arrow-mark").count() == 1
    page.button("Leave").click()
    assert page.find(".retry").count() == 0


def test_file__is_opened_by_a_button_or_dropped(
    server: Server, page: WebPage, record: str, tmp_path: Path
):
    file = tmp_path / "game.jsonl"
    file.write_text(record + "\n")
    page.open(server.url)
    with page.page.expect_file_chooser() as chooser:
        page.button("Open a file").click()
    chooser.value.set_files(file)
    page.page.wait_for_url("**/?game=*")
    expect(page.find(".result-words")).to_contain_text("wins")
    page.open(server.url)
    expect(page.find(".home")).to_be_visible()
    page.page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text + "\\n" + text], "two.jsonl"));
            window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        record,
    )
    page.page.get_by_role("dialog").get_by_role("button", name="2. Ada, Ben", exact=False).click()
    page.page.wait_for_url("**/?game=*")


def test_bad_file__is_told_in_words(server: Server, page: WebPage, tmp_path: Path):
    file = tmp_path / "bad.jsonl"
    file.write_text("{}\n")
    page.allowed += ["400", "403"]
    page.open(server.url)
    with page.page.expect_file_chooser() as chooser:
        page.button("Open a file").click()
    chooser.value.set_files(file)
    expect(page.find(".toast.error")).to_be_visible()


def test_downloads__are_what_they_say(server: Server, page: WebPage, record: str):
    game = server.post("/api/games", {"record": record})["id"]
    page.open(server.address(game))
    expect(page.find(".result")).to_be_visible()
    starts = {
        "Record (.jsonl)": b"{",
        "Picture (SVG)": b"<svg",
        "Picture (PNG)": b"\x89PNG",
        "Film (GIF)": b"GIF8",
    }
    for name, start in starts.items():
        page.button("More").click()
        with page.page.expect_download() as download:
            page.button(name).click()
        assert Path(download.value.path()).read_bytes().startswith(start), name
    # What goes wrong is told: a file that fails would be lost among the browser's downloads.
    page.allowed += ["503"]
    refusal = {"error": {"code": "busy", "message": "others wait for pictures: try again soon"}}
    page.page.route("**/film.gif", lambda route: route.fulfill(status=503, json=refusal))
    page.button("More").click()
    page.button("Film (GIF)").click()
    expect(page.find(".toast.error")).to_have_text("others wait for pictures: try again soon")

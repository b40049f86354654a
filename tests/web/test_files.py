"""Positions that are set up, and files to take away."""

import json
from pathlib import Path

import pytest

from azul_env import new_game, to_dict
from azul_ui.web.app import STATIC
from web.serving import running

RECORD = (Path(__file__).parents[2] / "docs" / "game.jsonl").read_text()


def checked(site, **body):
    answer = site.post("/api/position", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_position_to_begin_with__is_playable(site, players):
    found = checked(site, num_players=players)
    assert found["is_playable"] and not found["problems"]
    assert len(found["drawing"]["boards"]) == players
    assert checked(site, text=found["text"])["position"] == found["position"]


def test_broken_rules__are_named_in_place_and_still_drawn(site):
    position = to_dict(new_game(2, rng=0))
    position["factories"][1] = [5, 0, 0, 0, 0]
    found = checked(site, position=position)
    assert "factories[1]" in [problem["where"] for problem in found["problems"]]
    assert not found["is_playable"] and found["drawing"] is not None


@pytest.mark.parametrize(
    ("key", "value"),
    [("bag", [1, 2]), ("factories", 3), ("num_players", 9), ("round", "x"), ("players", [])],
)
def test_broken_form__is_named_and_not_drawn(site, key, value):
    found = checked(site, position=to_dict(new_game(2, rng=0)) | {key: value})
    assert found["problems"] and found["drawing"] is None and not found["is_playable"]


@pytest.mark.parametrize("count", [0, 1, 5, 15, 16, 99, 127, 10_000, 10**12])
def test_any_number_of_tiles__is_answered(site, count):
    for where in ("bag", "center"):
        position = to_dict(new_game(2, rng=0))
        position[where][0] = count
        found = checked(site, position=position)
        assert (found["drawing"] is None) == (count > 100) == (found["text"] is None)
    position = to_dict(new_game(2, rng=0))
    position["players"][1]["pattern_lines"][4] = {"color": "red", "count": count}
    position["players"][1]["floor"] = ["red"] * min(count, 200)
    position["players"][1]["score"] = count
    checked(site, position=position)


def test_text_that_is_no_position__is_quoted(site):
    answer = site.post("/api/position", {"text": "azul 9p"})
    assert answer.status_code == 400 and "azul 9p" in answer.json()["error"]["message"]
    assert site.post("/api/position", {}).status_code == 400
    assert site.post("/api/position", {"text": "x", "num_players": 2}).status_code == 400


def test_pictures_and_film__are_files(tmp_path):
    record = json.loads(RECORD)
    drafts = [i for i, event in enumerate(record["events"]) if event["type"] == "draft"]
    record["events"] = record["events"][: drafts[2]]
    with running(tmp_path) as site:
        game_id = site.post("/api/games", {"record": json.dumps(record)}).json()["id"]
        starts = {
            "picture.svg?number=1": ("image/svg+xml", b"<svg"),
            "picture.png?number=1": ("image/png", b"\x89PNG"),
            "film.gif": ("image/gif", b"GIF8"),
        }
        for name, (kind, start) in starts.items():
            answer = site.http.get(f"/api/games/{game_id}/{name}")
            assert answer.headers["content-type"].startswith(kind), answer.text
            assert answer.content.startswith(start)
            assert "attachment" in answer.headers["content-disposition"]
        for query in ("number=3", "number=-1", "number=x", "number=99999999999"):
            answer = site.http.get(f"/api/games/{game_id}/picture.svg?{query}")
            assert answer.status_code in (400, 404)
        assert site.http.get("/api/games/20200101-000000-aaaaaa/film.gif").status_code == 404


def test_static_files__have_their_types(site):
    assert site.http.get("/").headers["content-type"].startswith("text/html")
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    found = [path for path in STATIC.rglob("*") if path.suffix in kinds]
    for path in found:
        answer = site.http.get(f"/static/{path.relative_to(STATIC).as_posix()}")
        assert answer.headers["content-type"].startswith(kinds[path.suffix])
        assert answer.content == path.read_bytes()
    assert len(found) >= 3

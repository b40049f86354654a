"""Games on the gray wall over the protocol: choices of columns beside drafts."""

import json
import re

import pytest

from azul_agents import Agent
from azul_env import GameRecord, parse_state, verify
from azul_ui.web.agent_pool import AgentPool
from positions import GRAY_TILING as TILING
from web.serving import Site, Socket, running


def play_on(tab: Socket, game: dict, moves: int = 400) -> dict:
    """Play the last legal move whenever a person may, until the game is over or this many moves are played."""
    for _ in range(moves):
        if game["is_over"]:
            break
        position = tab.ask("view", "position", number=game["number"])
        action = position["legal"][-1]["action"]
        tab.say("play", position_number=game["position_number"], action=action)
        game = tab.persons_turn()
    return game


def record_of(site: Site, game_id: str) -> GameRecord:
    return GameRecord.from_json(site.http.get(f"/api/games/{game_id}/record.jsonl").text)


def test_game__is_played_to_the_end(site):
    seats = "human", "greedy", "human"
    with site.playing(*seats, variant="gray", seed=3, max_rounds=2) as (tab, game):
        game = play_on(tab, game)
        turns = game["turns"]
        happened = [each for each in tab.seen if each["type"] == "happened"]
    assert game["is_over"] and {turn["type"] for turn in turns} == {"draft", "tile"}
    record = record_of(site, game["id"])
    assert record.variant == "gray" and verify(record).is_terminal
    tiles = [turn for turn in turns if turn["type"] == "tile"]
    chosen = [event for event in record.events if event["type"] == "tile"]
    assert [(t["player"], t["line"], t["column"]) for t in tiles] == [
        (e["player"], e["line"], e["column"]) for e in chosen
    ]
    assert all(turn["notation"] == f"T{turn['column']}" for turn in tiles)
    told = [each for each in happened if each["turn"]["type"] == "tile"]
    for each in told:  # its tile is scored at once, no matter who chooses next
        turn, items = each["turn"], each["scoring"]["seats"][each["turn"]["player"]]["tiles"]
        assert (items[0]["row"], items[0]["column"]) == (turn["line"], turn["column"])
    words = [line for each in told for line in each["words"]]
    assert "Tiled:" in words and "Round 1 is over:" in words
    assert any(re.fullmatch(r".+ chooses a column for the \w+ line \d\.", line) for line in words)


def test_choice__is_offered_with_its_cells_and_points(site):
    with site.playing("human", "human", text=TILING) as (tab, _):
        position = tab.until("position")
    moves = position["legal"]
    assert [move["action"] for move in moves] == [180, 183, 184]
    assert [move["preview"]["wall_cell"] for move in moves] == [[3, 0], [3, 3], [3, 4]]
    assert all((m["source"], m["color"], m["destination"]) == (None, 1, None) for m in moves)
    assert [move["preview"]["points"] for move in moves] == [2, 4, 1]
    assert moves[1]["words"] == "line 3 to column 3 of the wall, +4"
    cells = re.findall(
        r'class="choice" data-seat="0" data-column="(\d)"', "".join(position["drawing"]["boards"])
    )
    assert cells == ["0", "3", "4"] and position["drawing"]["headline"] == "Player 1 to tile line 3"


def test_wrong_choice__is_refused_in_words(site):
    with site.playing("human", "human", text=TILING) as (tab, game):
        number = game["position_number"]
        refused = {
            5: "your line 3 is to be tiled: choose a column, 0, 3, 4",
            181: "column 1 of your wall has its yellow already",
            185: "185 is not the number of a move",
        }
        for action, words in refused.items():
            tab.say("play", position_number=number, action=action)
            error = tab.until("error")
            assert (error["code"], error["message"]) == ("illegal_action", words)


def test_undo_and_redo__go_over_choices(site):
    with site.playing("human", "human", text=TILING) as (tab, game):
        before = tab.until("position")["text"]
        tab.say("play", position_number=game["position_number"], action=183)
        after = tab.until("game", lambda g: g["number"] == 1)
        assert after["turns"][0]["words"] == "line 3 to column 3 of the wall, +4"
        text = tab.ask("view", "position", number=1)["text"]
        tab.say("undo")
        assert tab.until("game", lambda g: g["number"] == 0)["can_redo"]
        assert tab.ask("view", "position", number=0)["text"] == before
        tab.say("redo")
        tab.until("game", lambda g: g["number"] == 1)
        assert tab.ask("view", "position", number=1)["text"] == text


def test_agents__that_do_not_play_it_are_not_offered_and_refused_by_name(site):
    offered = site.http.get("/api/catalog", params={"variant": "gray"}).json()
    everything = site.http.get("/api/catalog").json()
    names = [agent["name"] for agent in offered["agents"]]
    assert {"greedy", "ppo", "alphabeta"} <= {*names} and "guided" not in names
    engines = [[engine["name"] for engine in found["engines"]] for found in (everything, offered)]
    assert engines == [["alphabeta", "mcts", "guided", "greedy"], ["alphabeta", "mcts", "greedy"]]
    assert [variant["name"] for variant in offered["variants"]] == ["colored", "gray"]
    left_out = {agent["name"] for agent in everything["agents"]} - set(names)
    levels = {level["name"] for level in offered["levels"]}
    for level in everything["levels"]:
        kind = level["spec"].partition(":")[0]
        assert (level["name"] in levels) == (kind not in left_out)
    for name in left_out:
        answer = site.post("/api/games", {"seats": ["human", name], "variant": "gray"})
        assert f"{name} does not play the variant 'gray'" in answer.json()["error"]["message"]
    answer = site.http.get("/api/catalog", params={"variant": "red"})
    assert answer.status_code == 404 and "colored, gray" in answer.json()["error"]["message"]


def test_agents_of_the_package__are_not_made_to_be_asked():
    """Making one compiles it, while somebody waits for the dialog of a new game."""

    def never(spec: str) -> Agent:
        raise AssertionError(f"{spec} was made")

    pool = AgentPool(never)
    for name in ("random", "greedy", "alphabeta", "mcts:simulations=9", "ppo"):
        assert pool.seated(name, "gray").variants == ("colored", "gray")
    assert not pool.plays("guided", "gray")
    with pytest.raises(ValueError, match="guided does not play the variant 'gray'"):
        pool.seated("guided", "gray")


def test_agent_that_plays_it_with_2_players_only__is_refused_at_other_tables(site):
    for others, status in ((["ppo"], 201), (["ppo", "greedy"], 403)):
        answer = site.post("/api/games", {"seats": ["human", *others], "variant": "gray"})
        assert answer.status_code == status, answer.text
    assert "no packaged model for 3 players" in answer.json()["error"]["message"]


def test_agent_of_the_command_line__is_asked_which_walls_it_plays(tmp_path):
    own = "python:web.own_agents:Failing"
    with running(tmp_path, own_agents=[own]) as site:
        for variant, expected in (("colored", ["own-1"]), ("gray", [])):
            answer = site.http.get("/api/catalog", params={"variant": variant}).json()
            assert [each["name"] for each in answer["own"]] == expected
        answer = site.post("/api/games", {"seats": ["human", "own-1"], "variant": "gray"})
        assert f"{own} does not play the variant 'gray'" in answer.json()["error"]["message"]


@pytest.mark.parametrize("given", [{"text": TILING}, {"record": "{}"}])
def test_variant__goes_with_a_new_game_only(site, given):
    body = {"seats": ["human", "human"], "variant": "gray"} | given
    answer = site.post("/api/games", body)
    assert answer.status_code == 400 and "variant goes with a new game" in answer.text
    answer = site.post("/api/games", {"seats": ["human", "human"], "variant": "red"})
    assert "is not one of colored, gray" in answer.json()["error"]["message"]


def test_hint_analysis_and_try__know_columns(site):
    with site.playing("human", "human", text=TILING) as (tab, _):
        hint = tab.ask("hint", "hint")
        assert hint["notation"] in ("T0", "T3", "T4") and "line 3 to column" in hint["words"]
        tab.say("analyse", number=0, engine="alphabeta", seconds=0.3)
        analysis = tab.until("analysis", lambda a: a["status"] == "final")
        assert {each["notation"] for each in analysis["candidates"]} == {"T0", "T3", "T4"}
        assert sum(analysis["win_chances"]) == pytest.approx(1)
        tried = tab.ask("try", "tried", number=0, action=184)
        assert tried["action"] == 184 and 0 <= tried["win_chance"] <= tried["best_win_chance"] <= 1


def test_review__judges_choices_and_is_kept_with_the_game(tmp_path):
    with (
        running(tmp_path) as site,
        site.playing("human", "greedy", variant="gray", seed=3, max_rounds=2) as (tab, game),
    ):
        game = play_on(tab, game)
        tab.say("review", engine="greedy")
        review = tab.until("review", lambda r: r["status"] == "final")
        assert review["done"] == review["total"] == len(game["turns"])
    with running(tmp_path) as site, site.tab(game["id"]) as tab:
        review = tab.ask("get_review", "review")
        judged = {move["number"]: move for move in review["moves"]}
        for turn in game["turns"]:
            assert judged[turn["number"]]["notation"] == turn["notation"]
        assert any(turn["type"] == "tile" for turn in game["turns"])


def test_kept_game__goes_on_after_a_restart(tmp_path):
    with running(tmp_path) as site:
        with site.playing("human", "greedy", variant="gray", seed=3) as (tab, game):
            game = play_on(tab, game, 12)
            text = tab.ask("view", "position", number=game["number"])["text"]
        assert any(turn["type"] == "tile" for turn in game["turns"])
    with running(tmp_path) as site:
        (listed,) = site.http.get("/api/games").json()["games"]
        assert (listed["id"], listed["variant"]) == (game["id"], "gray")
        with site.tab(game["id"]) as tab:
            again = tab.until("game")
            assert again["turns"] == game["turns"] and again["can_change"]
            assert tab.until("position")["text"] == text
            assert play_on(tab, again, 1)["number"] > game["number"]


def test_record__is_opened_and_a_rematch_keeps_the_wall(site):
    with site.playing("human", "greedy", variant="gray", seed=3, max_rounds=1) as (tab, game):
        game = play_on(tab, game)
    record = site.http.get(f"/api/games/{game['id']}/record.jsonl").text
    other = json.loads(record) | {"agents": ["human", "human"]}
    opened = site.post("/api/games", {"record": json.dumps(other)}).json()["id"]
    assert opened != game["id"] and record_of(site, opened).events == other["events"]
    rematch = site.post("/api/games", {"rematch": game["id"]}).json()["id"]
    with site.tab(rematch) as tab:
        assert [seat["name"] for seat in tab.until("game")["seats"]] == ["greedy", "human"]
        assert tab.until("position")["position"]["variant"] == "gray"


def test_pictures__name_the_column_that_was_chosen(site):
    with site.playing("human", "human", text=TILING) as (tab, game):
        tab.say("play", position_number=game["position_number"], action=183)
        tab.until("game", lambda g: g["number"] == 1)
    address = f"/api/games/{game['id']}"
    picture = site.http.get(f"{address}/picture.svg").text
    assert "Last move by Player 1: column 3" in picture
    assert site.http.get(f"{address}/picture.png?number=0").content.startswith(b"\x89PNG")
    assert site.http.get(f"{address}/film.gif").content.startswith(b"GIF8")


def test_position__is_set_up_on_a_gray_wall(site):
    answer = site.post("/api/position", {"num_players": 3, "variant": "gray"}).json()
    position = answer["position"]
    assert answer["is_playable"] and position["variant"] == "gray" and position["num_players"] == 3
    for row in (0, 2):  # blue twice in a column
        position["players"][1]["wall"][row][4] = 1
        position["bag"][0] -= 1
    answer = site.post("/api/position", {"position": position}).json()
    wheres = [problem["where"] for problem in answer["problems"]]
    assert "players[1].wall[2][4]" in wheres and not answer["is_playable"]
    assert 'data-cell="wall 1 2 4"' in answer["drawing"]["boards"][1]
    tiling = site.post("/api/position", {"text": TILING}).json()
    assert tiling["is_playable"] and tiling["text"] == repr(parse_state(TILING))
    for body in ({"text": TILING, "variant": "gray"}, {"num_players": 2, "variant": "red"}):
        assert site.post("/api/position", body).status_code == 400

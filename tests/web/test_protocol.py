"""Every message of docs/WEB_PROTOCOL.md, over a real socket."""

import json
import re
from pathlib import Path

import pytest

from azul_env import legal_mask, new_game, to_dict
from azul_ui.web.catalog import ANALYSTS, INSTANT_KINDS
from azul_ui.web.messages import ERROR_CODES, MESSAGES, NOTICE_CODES, REQUESTS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "WEB_PROTOCOL.md").read_text()
RECORD = (Path(__file__).parents[2] / "docs" / "game.jsonl").read_text()


def section(heading):
    return DOCUMENT.partition(f"### {heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]


def test_document__names_the_requests_that_the_server_takes():
    assert set(re.findall(r'"type": "(\w+)"', section("From a client"))) - {"pong"} == set(REQUESTS)


def test_document__names_the_messages_that_the_server_sends():
    documented = set(re.findall(r"^\*\*(\w+)\*\*", section("From the server"), re.MULTILINE))
    assert documented | {"pong"} == set(MESSAGES)


@pytest.mark.parametrize("name", [*REQUESTS, *MESSAGES])
def test_document__names_every_key(name):
    shape = REQUESTS.get(name) or MESSAGES[name]
    keys = {field.removesuffix("_index") for field in shape.__dataclass_fields__}
    text = section("From a client") if name in REQUESTS else section("From the server")
    assert {key for key in keys if not re.search(rf'"{key}"|`{key}`', text)} == set()


def test_document__names_every_code():
    text = section("From the server")
    assert [code for code in ERROR_CODES if f"`{code}`" not in text] == []
    assert [code for code in NOTICE_CODES if f'"{code}"' not in text] == []


def test_greeting__is_welcome_game_and_position(site):
    with site.tab(site.new_game("human", "casual", seed=7)) as tab:
        welcome, game, position = tab.next(), tab.next(), tab.next()
    assert (welcome["type"], welcome["protocol"]) == ("welcome", 1)
    assert game["type"] == "game" and game["number"] == 0 and game["seed"] == 7
    assert [seat["label"] for seat in game["seats"]] == ["You", "Casual"]
    assert game["to_move"] == {"seat": 0, "is_person": True} and not game["can_undo"]
    state = new_game(2, rng=7)
    assert position["position"] == to_dict(state) and position["text"] == repr(state)
    legal = [move["action"] for move in position["legal"]]
    assert legal == legal_mask(state).nonzero()[0].tolist()
    assert position["can_play"] and len(position["drawing"]["boards"]) == 2


def test_messages__have_exactly_the_keys_of_their_dataclasses(site):
    with site.playing("human", "casual") as (tab, game):
        tab.play_first(game)
        tab.persons_turn()
        tab.ask("ping", "pong")
        tab.ask("get_review", "review")
        tab.say("nonsense")
        tab.until("error")
    for message in tab.seen:
        name = message.pop("type")
        fields = {field.removesuffix("_index") for field in MESSAGES[name].__dataclass_fields__}
        assert message.keys() == fields, name


def test_play__is_told_as_happened_before_the_game(site):
    with site.playing("human", "human") as (tab, game):
        tab.play_first(game)
        happened, after = tab.until("happened"), tab.next()
    assert after["type"] == "game" and after["number"] == 1
    assert happened["turn"] == after["turns"][0] and happened["from_number"] == 0
    assert happened["travel"]["taken"] >= 1 and happened["scoring"] is None
    assert happened["words"][0].startswith("Player 1: ")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_game__is_played_to_the_end(site, players):
    seats = ["human", "casual", "beginner", "skilled"][:players]
    with site.playing(*seats, seed=players, max_rounds=2) as (tab, game):
        while not game["is_over"]:
            tab.play_first(game)
            game = tab.persons_turn()
        scorings = [each["scoring"] for each in tab.seen if each["type"] == "happened"]
        position = tab.ask("view", "position", number=None)
    found = [scoring for scoring in scorings if scoring]
    assert [scoring["round"] for scoring in found] == [1, 2] and found[-1]["is_final"]
    assert [seat["after"] for seat in found[-1]["seats"]] == game["result"]["scores"]
    assert game["result"]["end_reason"] == "max_rounds" and len(game["result"]["ranks"]) == players
    assert position["legal"] == [] and not position["can_play"] and position["drawing"]["ending"]


def test_undo_and_redo__cross_the_end_of_a_round(site):
    with site.playing("human", "human", seed=3) as (tab, game):
        while game["turns"][-1:] == [] or game["turns"][-1]["round"] == 1:
            tab.play_first(game)
            game = tab.until("game")
        second_round = game["number"] - 1  # the last turn began it
        for number in range(game["number"] - 1, second_round - 3, -1):
            tab.say("undo")
            game = tab.until("game")
            assert game["number"] == number and game["can_redo"]
        position = tab.ask("view", "position", number=None)
        assert position["position"]["round"] == 0
        for _ in range(3):
            tab.say("redo")
            game = tab.until("game")
        assert tab.ask("view", "position", number=None)["position"]["round"] == 1


def test_resign__ends_a_game_of_two_in_words(site):
    with site.playing("human", "casual") as (tab, _):
        tab.say("resign", seat=None)
        game = tab.until("game")
    assert game["result"]["winners"] == [1] and game["turns"][-1]["type"] == "resign"
    assert game["result"]["words"] == "Casual wins: all others resigned."


def test_stale_and_illegal_moves__are_refused_and_change_nothing(site):
    with site.playing("human", "human") as (tab, game):
        number = game["position_number"]
        for values, code in [
            ({"position_number": number - 1, "action": 0}, "stale"),
            ({"position_number": number, "action": 99_999}, "illegal_action"),
            ({"position_number": number, "action": -1}, "illegal_action"),
        ]:
            assert tab.ask("play", "error", ref=code, **values)["code"] == code
        empty = tab.ask("view", "position", number=0)
        legal = {move["action"] for move in empty["legal"]}
        illegal = next(action for action in range(150) if action not in legal)
        error = tab.ask("play", "error", position_number=number, action=illegal)
        assert error["code"] == "illegal_action" and "(" not in error["message"]
        tab.play_first(game)
        assert tab.until("game")["number"] == 1


def test_watching__pauses_steps_and_goes_on(site):
    with site.playing("casual", "beginner", seed=1) as (tab, game):
        assert game["pace"] == {"is_paused": False, "seconds": 1.0}
        tab.say("pace", is_paused=True, seconds=0.5)
        game = tab.until("game", lambda g: g["pace"]["is_paused"])
        for number in (1, 2, 3):
            tab.say("step")
            game = tab.until("game", lambda g, n=number: g["number"] == n)
        tab.say("ping")
        assert tab.until("pong") and tab.seen[-2]["number"] == 3  # nothing moved by itself
        tab.say("pace", is_paused=False, seconds=0)
        tab.until("game", lambda g: g["number"] >= 10)
        assert tab.ask("undo", "error")["code"] == "not_allowed"
        assert tab.ask("pace", "error", is_paused=True, seconds=1e9)["code"] == "malformed"


def test_view__answers_with_any_position_and_the_ref(site):
    game_id = site.post("/api/games", {"record": RECORD}).json()["id"]
    with site.tab(game_id) as tab:
        game = tab.until("game")
        tab.until("position")
        position = tab.ask("view", "position", number=5, ref="five")
        assert position["ref"] == "five" and position["number"] == 5
        assert position["last"] == game["turns"][4] and position["legal"]
        assert tab.ask("view", "error", number=game["number"] + 1)["code"] == "not_found"
        assert tab.ask("view", "error", number=-1)["code"] == "not_found"


def test_record__is_opened_for_review_and_taken_away_again(site):
    game_id = site.post("/api/games", {"record": RECORD}).json()["id"]
    with site.tab(game_id) as tab:
        game = tab.until("game")
    events = json.loads(RECORD)["events"]
    assert game["number"] == sum(event["type"] == "draft" for event in events)
    assert game["is_over"] and not game["can_change"] and game["warning"] is None
    answer = site.http.get(f"/api/games/{game_id}/record.jsonl")
    assert json.loads(answer.text)["events"] == events


def test_same_record__is_not_kept_twice(site):
    first, second = (site.post("/api/games", {"record": RECORD}).json()["id"] for _ in range(2))
    assert first == second


def test_record_with_seats__goes_on(site):
    record = json.loads(RECORD)
    cut = [i for i, event in enumerate(record["events"]) if event["type"] == "draft"][6]
    record["events"] = record["events"][:cut]
    body = {"record": json.dumps(record), "seats": ["human", "casual"]}
    with site.tab(site.post("/api/games", body).json()["id"]) as tab:
        game = tab.until("game")
        assert game["number"] == 6 and game["can_change"]
        tab.play_first(game)
        assert tab.persons_turn()["number"] >= 7


@pytest.mark.parametrize("as_text", [True, False])
def test_game_from_a_position__begins_there(site, as_text):
    with site.playing("human", "human", seed=5) as (tab, game):
        for _ in range(3):
            tab.play_first(game)
            game = tab.until("game")
        position = tab.ask("view", "position", number=None)
    start = {"text": position["text"]} if as_text else {"position": position["position"]}
    with site.playing("human", "casual", **start) as (tab, game):
        assert game["has_position"] and game["number"] == 0
        assert tab.until("position")["position"] == position["position"]
        if game["to_move"]["is_person"]:
            tab.play_first(game)
        assert tab.persons_turn()["number"] >= 1
        played = tab.ask("view", "position", number=None)
    # The record has the position that it began from, and opens again, here or elsewhere.
    record = site.http.get(f"/api/games/{game['id']}/record.jsonl").text
    assert json.loads(record)["position"] == position["position"]
    opened = [site.post("/api/games", {"record": record}).json()["id"] for _ in range(2)]
    assert opened[0] == opened[1]
    with site.tab(opened[0]) as tab:
        assert tab.until("game")["has_position"]
        assert tab.until("position")["text"] == played["text"]
    broken = json.loads(record) | {"position": {"num_players": 2}}
    assert site.post("/api/games", {"record": json.dumps(broken)}).status_code == 403


def test_rematch__rotates_seats_and_names(site):
    first = site.new_game("human", "casual", names=["Ada", None])
    second = site.post("/api/games", {"rematch": first}).json()["id"]
    with site.tab(second) as tab:
        seats = tab.until("game")["seats"]
    assert [(seat["name"], seat["label"]) for seat in seats] == [
        ("casual", "Casual"),
        ("human", "Ada"),
    ]


def test_unknown_game__is_an_error_and_a_close_code(site):
    with site.tab("20200101-000000-aaaaaa") as tab:
        assert tab.next()["code"] == "not_found"
        with pytest.raises(Exception, match="4404"):
            tab.next()


def test_catalog__says_what_can_be_chosen(site):
    catalog = site.http.get("/api/catalog").json()
    names = {agent["name"] for agent in catalog["agents"]}
    assert names >= {"random", "greedy", "alphabeta", "mcts", "ppo"}
    assert names.isdisjoint({"neural", "sb3", "external", "python"})
    assert catalog["levels"][0]["name"] == "beginner"
    options = {o["name"] for a in catalog["agents"] if a["name"] == "mcts" for o in a["options"]}
    assert options == {"time", "simulations", "exploration"}


def test_constants_about_agents__are_true():
    from azul_agents import Agent, agent_kinds, make_agent

    for name, kind in agent_kinds().items():
        if kind.takes_rest or name in ("neural", "sb3"):
            continue
        agent = make_agent(name)
        assert (type(agent).analyse is not Agent.analyse) == (name in ANALYSTS or name == "ppo")
        assert not agent.one_game_at_a_time
        agent.close()
    assert set(INSTANT_KINDS) <= agent_kinds().keys()

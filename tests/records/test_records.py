"""Game records: what the recorder writes, what a replay gives back, and what `verify` says about impossible events."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from azul_env import (
    Action,
    GameRecord,
    GameRecorder,
    IllegalActionError,
    RecordError,
    legal_actions,
    num_actions,
    replay,
    verify,
    winners,
)
from properties.walks import Walk, recorded

PLAYERS = (2, 3, 4)
RULESET = "azul-base-2024-next-move"


@pytest.fixture
def game() -> dict[str, Any]:
    """A 2-player game of two rounds, as data to spoil."""
    return copy.deepcopy(recorded(Walk(2, 0, 1, "uniform", 2))[0].record.to_dict())


def places(events: list[dict[str, Any]], kind: str) -> list[int]:
    return [i for i, event in enumerate(events) if event["type"] == kind]


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("style", ["uniform", "floor", "greedy"])
def test_replay__gives_back_every_state_without_a_generator(num_players, style, monkeypatch):
    cap = 3 if style == "floor" else 50
    recorder, states = recorded(Walk(num_players, num_players - 1, 5, style, cap))
    for name in ("azul_env.rules.deal_randomly", "azul_env.chance.deal_word"):
        monkeypatch.setattr(name, lambda *_: pytest.fail("a replay drew at random"))
    steps = list(replay(GameRecord.from_json(recorder.record.to_json())))
    assert [step.state for step in steps] == states
    assert steps[0].event is None
    assert [step.event for step in steps[1:]] == [
        event for event in recorder.record.events if event["type"] in ("draft", "resign")
    ]
    assert verify(recorder.record) == states[-1] == recorder.state


@pytest.mark.parametrize("num_players", PLAYERS)
def test_replay__gives_back_resignations(num_players):
    leaving = tuple((4 + seat, seat) for seat in range(num_players - 1))
    recorder, states = recorded(Walk(num_players, 0, 6, "uniform", 50, leaving))
    assert states[-1].end_reason == "resignation"
    assert [step.state for step in replay(recorder.record)] == states
    resigned = [event for event in recorder.record.events if event["type"] == "resign"]
    assert [(event["player"], event["forfeit"]) for event in resigned] == [
        (seat, "time" if seat % 2 else None) for seat in range(num_players - 1)
    ]
    assert recorder.record.events[-1]["winners"] == [num_players - 1]


def test_replay__works_for_a_game_that_is_still_on():
    recorder = GameRecorder(3, 1, rng=8)
    assert [step.state for step in replay(recorder.record)] == [recorder.state]
    states = [recorder.state]
    states += [recorder.draft(legal_actions(recorder.state)[-1]) for _ in range(30)]
    assert recorder.state.round > 0
    assert [step.state for step in replay(recorder.record)] == states


def test_record__has_the_format_of_the_rulings():
    recorder, _ = recorded(Walk(3, 2, 9, "uniform", 50, ((5, 1), (6, 0))), ("a", "b", "c"))
    data = json.loads(recorder.record.to_json())
    assert list(data) == [
        *("format", "ruleset", "variant", "num_players", "starting_player"),
        *("max_rounds", "seed", "agents", "events"),
    ]
    events = data.pop("events")
    assert data == {
        "format": 1,
        "ruleset": RULESET,
        "variant": "colored",
        "num_players": 3,
        "starting_player": 2,
        "max_rounds": 50,
        "seed": 9,
        "agents": ["a", "b", "c"],
    }
    kinds = {
        "deal": {"type": str, "factories": list},
        "draft": {"type": str, "player": int, "action": int},
        "resign": {"type": str, "player": int, "forfeit": (str, type(None))},
        "end": {"type": str, "reason": str, "scores": list, "winners": list},
    }
    assert {event["type"] for event in events} == set(kinds)
    for event in events:
        types = kinds[event["type"]]
        assert event.keys() == types.keys()
        assert all(isinstance(event[key], types[key]) for key in types), event
    assert events[0]["type"] == "deal" and events[-1]["type"] == "end"
    for event in (events[i] for i in places(events, "deal")):
        assert [sum(tiles) for tiles in event["factories"]] == [4] * 7
        assert all(len(tiles) == 5 for tiles in event["factories"])


def test_record__has_a_deal_at_the_start_and_after_every_round_but_the_last():
    recorder, states = recorded(Walk(2, 0, 1, "uniform", 50))
    events = recorder.record.events
    deals = places(events, "deal")
    assert len(deals) == states[-1].round and deals[0] == 0
    assert places(events, "end") == [len(events) - 1]
    assert events[-1] == {
        "type": "end",
        "reason": "row",
        "scores": list(states[-1].scores),
        "winners": list(winners(states[-1])),
    }


def test_recorder__notes_a_seed_but_not_a_generator():
    assert GameRecorder(2, rng=17).record.seed == 17
    assert GameRecorder(2, rng=np.uint16(17)).record.to_dict()["seed"] == 17
    assert GameRecorder(2, rng=np.random.default_rng(17)).record.seed is None
    assert GameRecorder(2).record.seed is None
    assert GameRecorder(2, rng=17).state == GameRecorder(2, rng=np.uint16(17)).state


def test_recorder__writes_nothing_down_that_did_not_happen():
    recorder = GameRecorder(2, rng=1)
    before = copy.deepcopy(recorder.record), recorder.state
    for action in (Action(5, 0, 0), 9999, -1):
        with pytest.raises(IllegalActionError):
            recorder.draft(action)
    for action in ("0B0", None, 1.5, (1, 2)):
        with pytest.raises(TypeError):
            recorder.draft(action)
    with pytest.raises(IllegalActionError):
        recorder.resign(2)
    assert (recorder.record, recorder.state) == before


@pytest.mark.parametrize("form", [int, tuple, list, np.int64, np.uint8], ids=lambda f: f.__name__)
def test_recorder__writes_down_every_form_of_action_as_its_number(form):
    recorder = GameRecorder(2, rng=1)
    action = legal_actions(recorder.state)[3]
    number = (action.source * 5 + action.color) * 6 + action.destination
    recorder.draft(form(action) if form in (tuple, list) else form(number))
    assert recorder.record.events[1:] == [{"type": "draft", "player": 0, "action": number}]
    assert type(recorder.record.events[1]["action"]) is int
    assert verify(GameRecord.from_json(recorder.record.to_json())) == recorder.state


@pytest.mark.parametrize("kind", [int, np.int64])
def test_recorder__writes_whole_numbers_of_every_kind(kind):
    recorder = GameRecorder(kind(3), kind(1), kind(5), kind(7))
    recorder.resign(kind(2))
    assert verify(GameRecord.from_json(recorder.record.to_json())) == recorder.state


def test_recorder__refuses_agents_that_its_record_could_not_be_read_with():
    for agents in (["only one"], ["a", "b", "c"], [1, 2]):
        with pytest.raises((ValueError, TypeError)):
            GameRecorder(2, rng=1, agents=agents)


def test_recorder__refuses_a_forfeit_that_is_no_text():
    recorder = GameRecorder(2, rng=1)
    with pytest.raises(TypeError):
        recorder.resign(0, forfeit=5)


Spoil = Callable[[list[dict[str, Any]]], int]


def wrong_player(events):
    events[3]["player"] = 1 - events[3]["player"]
    return 3


def no_such_player(events):
    events[3]["player"] = 5
    return 3


def illegal_action(events):
    events[4]["action"] = events[3]["action"]
    return 4


def no_such_action(events):
    events[4]["action"] = 180
    return 4


def deal_not_due(events):
    events.insert(5, copy.deepcopy(events[0]))
    return 5


def deal_of_too_few(events):
    events[places(events, "deal")[1]]["factories"][2] = [0, 0, 0, 0, 0]
    return places(events, "deal")[1]


def deal_of_tiles_that_are_gone(events):
    second = places(events, "deal")[1]
    events[second]["factories"] = [
        [4, 0, 0, 0, 0]
    ] * 5  # all 20 blue ones, of which some lie on boards
    return second


def first_deal_impossible(events):
    events[0]["factories"][0] = [5, 0, 0, 0, 0]
    return 0


def first_deal_missing(events):
    del events[0]
    return 0


def second_resignation(events):
    events[2:] = [{"type": "resign", "player": 0, "forfeit": None}] * 2
    return 3


def draft_after_the_end(events):
    events[-1:-1] = [{"type": "draft", "player": 0, "action": 0}]
    return len(events) - 2


def resignation_after_the_end(events):
    events[-1:-1] = [{"type": "resign", "player": 0, "forfeit": None}]
    return len(events) - 2


def event_after_the_end_event(events):
    events.append({"type": "draft", "player": 0, "action": 0})
    return len(events) - 1


def two_end_events(events):
    events.append(copy.deepcopy(events[-1]))
    return len(events) - 1


def end_too_early(events):
    events[5:] = events[-1:]
    return 5


def end_missing(events):
    del events[-1]
    return len(events)


def wrong_scores(events):
    events[-1]["scores"][0] += 1
    return len(events) - 1


def scores_of_too_many(events):
    events[-1]["scores"].append(0)
    return len(events) - 1


def wrong_winners(events):
    events[-1]["winners"] = [0, 1] if len(events[-1]["winners"]) == 1 else [0]
    return len(events) - 1


def wrong_reason(events):
    events[-1]["reason"] = "row"
    return len(events) - 1


IMPOSSIBLE: list[tuple[Spoil, str]] = [
    (wrong_player, "turn of player"),
    (no_such_player, "turn of player"),
    (illegal_action, "illegal action"),
    (no_such_action, "OUT_OF_RANGE"),
    (deal_not_due, "no deal is due"),
    (deal_of_too_few, "factory 2 of a deal holds 0 tiles, 4 are due"),
    (deal_of_tiles_that_are_gone, "takes .* from a bag of"),
    (first_deal_impossible, "factory 0"),
    (first_deal_missing, "first deal"),
    (second_resignation, "resign|over"),
    (draft_after_the_end, "the game is over"),
    (resignation_after_the_end, "the game is over"),
    (event_after_the_end_event, "nothing may follow the end"),
    (two_end_events, "nothing may follow the end"),
    (end_too_early, "still on"),
    (end_missing, "no end event"),
    (wrong_scores, "scores is"),
    (scores_of_too_many, "scores is"),
    (wrong_winners, "winners is"),
    (wrong_reason, "reason is max_rounds, not row"),
]


@pytest.mark.parametrize(
    ("spoil", "why"), [pytest.param(*case, id=case[0].__name__) for case in IMPOSSIBLE]
)
def test_impossible_event__is_named_by_number_and_reason(game, spoil, why):
    verify(GameRecord.from_dict(game))
    event = spoil(game["events"])
    with pytest.raises(RecordError, match=why) as refused:
        verify(GameRecord.from_dict(game))
    assert refused.value.event == event
    assert f"event {event}" in str(refused.value) or spoil is end_missing


def test_missing_deal__is_named_and_the_message_speaks_of_the_record(game):
    events = game["events"]
    second = places(events, "deal")[1]
    for rest in (events[second + 1 :], []):
        game["events"] = events[:second] + rest
        with pytest.raises(RecordError, match="deal") as refused:
            verify(GameRecord.from_dict(game))
        assert refused.value.event in (second - 1, second)
        assert "rng=" not in str(refused.value), "advice for callers of apply_action"


def test_setup_out_of_range__is_not_blamed_on_an_event(game):
    for key, value in (("num_players", 5), ("starting_player", 2), ("max_rounds", 0)):
        with pytest.raises(RecordError, match=f"{key}=?.*{value}") as refused:
            verify(GameRecord.from_dict(game | {key: value}))
        assert refused.value.event is None and "(deal)" not in str(refused.value)


def test_replay__yields_the_sound_states_before_an_impossible_event(game):
    sound = [step.state for step in replay(GameRecord.from_dict(copy.deepcopy(game)))]
    game["events"][6]["action"] = 180
    steps = replay(GameRecord.from_dict(game))
    assert [next(steps).state for _ in range(6)] == sound[:6]
    with pytest.raises(RecordError, match="event 6"):
        next(steps)


def test_verify__checks_records_that_were_built_by_hand():
    deal = GameRecorder(2, rng=1).record.events[0]
    for events in (
        [{}],
        [deal, {}],
        [deal, {"type": "draft"}],
        [deal, {"type": "nonsense"}],
        [deal, 5],
    ):
        with pytest.raises(RecordError):
            verify(GameRecord(2, events=events))


def test_numbers_of_actions__reach_the_last_one():
    for num_players in PLAYERS:
        record = GameRecorder(num_players, rng=1).record
        record.events.append({"type": "draft", "player": 0, "action": num_actions(num_players) - 1})
        with pytest.raises(RecordError, match="SOURCE_EMPTY"):
            verify(record)

"""Messages that are wrong get an error, and the game goes on."""

import json
import random
import string
import time

import pytest
from websockets.exceptions import ConnectionClosed

from azul_ui.web.messages import (
    MAX_MESSAGE_BYTES,
    REQUESTS,
    RefusedError,
    encoded,
    parsed_request,
)
from azul_ui.web.messages import ErrorMessage as Error
from azul_ui.web.tab import MAX_REFUSED, MAX_WAITING, PER_SECOND, Meter, Outbox, Tab

WRONG = [
    "",
    "null",
    "[]",
    '"play"',
    "{",
    '{"type": "play"}',
    '{"type": ["play"]}',
    '{"type": "play", "position_number": 0, "action": "0"}',
    '{"type": "play", "position_number": true, "action": 0}',
    '{"type": "play", "position_number": 0, "action": 0, "more": 1}',
    '{"type": "play", "position_number": 0, "action": 1e400}',
    '{"type": "play", "position_number": 0, "action": NaN}',
    '{"type": "play", "position_number": 0, "action": 99999999999999999999}',
    '{"type": "pace", "is_paused": 0, "seconds": 1}',
    '{"type": "pace", "is_paused": false, "seconds": -Infinity}',
    '{"type": "view", "number": 1.5}',
    '{"type": "undo", "type": "undo"}',
    '{"type": "undo", "ref": {}}',
    '{"type": "undo", "ref": 1e99}',
    '{"type": "analyse", "number": 0, "engine": null}',
    '{"type": "welcome", "protocol": 1, "id": ""}',
    "[" * 5000 + "]" * 5000,
    '{"type": "ping", "a":' * 40 + "1" + "}" * 40,
]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_message__is_refused(text):
    with pytest.raises(RefusedError) as caught:
        parsed_request(text)
    assert caught.value.code in ("malformed", "unknown_type") and "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_large_message__is_refused():
    with pytest.raises(RefusedError) as caught:
        parsed_request(json.dumps({"type": "ping", "ref": "x" * MAX_MESSAGE_BYTES}))
    assert caught.value.code == "too_large"


def random_value(rng, depth=0):
    kinds = [
        lambda: rng.choice([None, True, False, 0, -1, 1.5, 10**30, "", "play", "human", "\ud800"]),
        lambda: "".join(rng.choices(string.printable, k=rng.randrange(20))),
        lambda: [random_value(rng, depth + 1) for _ in range(rng.randrange(4))],
        lambda: {rng.choice(KEYS): random_value(rng, depth + 1) for _ in range(rng.randrange(4))},
    ]
    return rng.choice(kinds if depth < 4 else kinds[:2])()


KEYS = ["type", "ref", "number", "action", "engine", "seconds", "seat", "is_paused", "x"]


def test_random_messages__are_parsed_or_refused_never_worse():
    rng = random.Random(0)
    admitted = 0
    for _ in range(5000):
        data = {rng.choice(KEYS): random_value(rng) for _ in range(rng.randrange(5))}
        if rng.random() < 0.8:
            data["type"] = rng.choice([*REQUESTS])
        text = json.dumps(data)
        if rng.random() < 0.2:
            text = text[: rng.randrange(len(text) + 1)]
        try:
            request, _ = parsed_request(text)
            admitted += type(request) is REQUESTS[data["type"]]
        except RefusedError as error:
            encoded(Error(error.code, str(error)), error.ref).encode()
    assert 100 < admitted < 4000


def test_wrong_messages__leave_the_game_alone(site):
    with site.playing("human", "casual") as (tab, game):
        for text in WRONG:
            time.sleep(1 / 39)
            tab.connection.send(text)
            assert tab.until("error")["code"] in ("malformed", "unknown_type")
        tab.connection.send(b"\x00\xff")
        assert tab.until("error")["code"] == "malformed"
        tab.connection.send("x" * (MAX_MESSAGE_BYTES + 1))
        assert tab.until("error")["code"] == "too_large"
        tab.play_first(game)
        assert tab.persons_turn()["number"] == 2


def test_random_requests__are_all_answered(site):
    rng = random.Random(1)
    with site.playing("human", "human") as (tab, _):
        for _ in range(60):
            name = rng.choice([name for name in REQUESTS if name not in ("analyse", "review")])
            fields = REQUESTS[name].__dataclass_fields__
            values = {field: rng.choice([0, 1, -5, None, "x", True, 2.5]) for field in fields}
            tab.say(name, **values)
        tab.say("ping", ref="last")
        end = time.monotonic() + 20
        while tab.next().get("ref") != "last":
            assert time.monotonic() < end


def read_to_the_end(tab):
    while True:
        tab.next()


def test_huge_frame__closes_only_that_socket(site):
    game_id = site.new_game("human", "human")
    with site.tab(game_id) as other:
        other.until("position")
        with site.tab(game_id) as tab:
            tab.until("position")
            tab.connection.send("x" * 100_000)
            with pytest.raises(ConnectionClosed, match="1009"):
                read_to_the_end(tab)
        other.ask("ping", "pong")


def test_too_many_messages__are_refused_and_then_the_end(site):
    with site.playing("human", "human") as (tab, _):
        for _ in range(PER_SECOND + 20):
            tab.connection.send('{"type": "ping"}')
        assert tab.until("error")["code"] == "too_fast"
        for _ in range(MAX_REFUSED):
            tab.connection.send('{"type": "ping"}')
        with pytest.raises(ConnectionClosed, match="1008"):
            read_to_the_end(tab)


def test_meter__admits_a_burst_and_recovers(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    meter = Meter()
    assert [meter.admits() for _ in range(PER_SECOND + 1)].count(False) == 1
    now[0] += 1.01
    assert meter.admits() and not meter.is_exhausted
    for _ in range(PER_SECOND + MAX_REFUSED):
        meter.admits()
    assert meter.is_exhausted


def test_outbox__keeps_only_the_latest_of_a_kind_and_is_bounded():
    box = Outbox()
    for number in range(10_000):
        box.put(f"game {number}", "game")
        box.put(f"turn {number}", is_turn=True)
    assert len(box._waiting) <= 10 and not box.is_full
    assert list(box._waiting.values())[-2:] == ["game 9999", "turn 9999"]
    for number in range(MAX_WAITING + 1):
        box.put(f"error {number}")
    assert box.is_full


def test_answers_with_a_ref__are_never_replaced():
    tab = Tab()
    for number in range(5):
        tab.refuse("stale", "late", number)
    assert len(tab.outbox._waiting) == 5

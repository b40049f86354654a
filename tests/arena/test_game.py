"""One game: forfeits, hooks, times, and that no agent sees the next deal."""

import numpy as np
import pytest

from arena.players import Answers, Broken, Cheat, Fails, First, Rewrites, rngs
from azul_agents.arena import game as game_module
from azul_agents.arena.game import play_game
from azul_agents.registry import make_agent
from azul_env import GameRecorder, replay, verify


def play(*agents, deal_seed=5, **options):
    return play_game(agents, deal_seed, rngs(len(agents)), **options)


def resignations(record):
    return [event for event in record.events if event["type"] == "resign"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_game__is_recorded_move_by_move_with_names_and_seed(players):
    agents = [First(f"first {seat}") for seat in range(players)]
    result, record = play(*agents)
    final = verify(record)
    assert final.scores == result.scores
    assert record.events[-1]["winners"] == list(result.winners)
    assert record.agents == [agent.spec for agent in agents]
    assert (record.seed, record.starting_player) == (5, 0)
    assert result.forfeits == (None,) * players
    turns = [event["player"] for event in record.events if event["type"] == "draft"]
    assert [turns.count(seat) for seat in range(players)] == list(result.moves)


def test_hooks__frame_every_game():
    agents = [First(), First(), First()]
    result, _ = play(*agents)
    for seat, agent in enumerate(agents):
        assert agent.told == [("begin", 3, seat), ("end", result.scores, result.winners)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (180, "illegal action 180: OUT_OF_RANGE"),
        (-1, "illegal action -1: OUT_OF_RANGE"),
        pytest.param(
            10**5000, "an integer of 16610 bits is not an action number", id="too long to print"
        ),
        (150, "illegal action 150: SOURCE_EMPTY"),  # the center, before any move
        (None, "an answer of type NoneType is not an action number"),
        ("57", "an answer of type str is not an action number"),
        (57.0, "an answer of type float is not an action number"),
        (np.True_, "an answer of type bool is not an action number"),
        (True, "an answer of type bool is not an action number"),
        ((0, 0, 5), "an answer of type tuple is not an action number"),
    ],
)
def test_wrong_answer__loses_by_a_recorded_forfeit(answer, why):
    result, record = play(First(), Answers(answer))
    assert result.forfeits == (None, why)
    assert result.winners == (0,)
    assert resignations(record) == [{"type": "resign", "player": 1, "forfeit": why}]
    assert verify(record).end_reason == "resignation"


def test_numpy_integer__is_an_action():
    state = GameRecorder(rng=5).state
    action = np.int16(np.flatnonzero(game_module.legal_mask(state))[0])
    result, record = play(Answers(action), First())
    assert record.events[1] == {"type": "draft", "player": 0, "action": int(action)}
    assert result.forfeits[0] is not None  # later, when that action is not legal any more


def test_changed_mask__makes_nothing_legal():
    result, record = play(Cheat(), First())
    assert result.forfeits[0].startswith("illegal action")
    assert verify(record).is_terminal


def test_rewritten_state__changes_nothing_in_the_game():
    result, record = play(Rewrites(), First())
    assert verify(record).scores == result.scores == play(First(), First())[0].scores


def test_failure__loses_with_the_agents_own_words():
    result, record = play(First(), Fails(after=2))
    assert result.forfeits == (None, "lost the thread")
    assert resignations(record)[0]["forfeit"] == "lost the thread"
    assert result.moves == (3, 2)


@pytest.mark.parametrize("players", [3, 4])
def test_others__go_on_without_the_one_that_failed(players):
    agents = [First(), Fails(after=1), *(First() for _ in range(players - 2))]
    result, record = play(*agents)
    state = verify(record)
    assert state.end_reason != "resignation"
    assert result.ranks[1] == players
    assert result.moves[1] == 1 and result.moves[0] > 3
    assert result.forfeits.count(None) == players - 1


def test_later_forfeit__ranks_above_an_earlier_one():
    result, record = play(Fails(after=3), Fails(after=1), First(), First())
    assert (result.ranks[0], result.ranks[1]) == (3, 4)
    assert [event["player"] for event in resignations(record)] == [1, 0]


def test_agent_that_cannot_begin__loses_before_the_first_move():
    result, record = play(Fails(in_begin=True), First())
    assert result.forfeits == ("did not start", None)
    assert [event["type"] for event in record.events] == ["deal", "resign", "end"]
    verify(record)


def test_two_agents_that_cannot_begin__still_end_the_game():
    result, record = play(Fails(in_begin=True), Fails(in_begin=True))
    assert result.winners == (1,)
    verify(record)


def test_failure_after_the_end__costs_nothing():
    result, _ = play(Fails(after=1000, in_end=True), First())
    assert result.forfeits == (None, None)


def test_bug_in_an_agent__is_not_taken_for_a_forfeit():
    with pytest.raises(ZeroDivisionError):
        play(First(), Broken())


def test_first_answer__can_be_left_out_of_the_time():
    timed, _ = play(First(), First())
    untimed, _ = play(First(), First(), untimed=[1])
    assert untimed.moves == (timed.moves[0], timed.moves[1] - 1)


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_answer__does_not_depend_on_the_generator_that_deals(spec, monkeypatch):
    """The first deal is the same, the generator behind it is not: the first round must be played the same."""
    agents = [make_agent(spec), make_agent(spec)]
    _, record = play(*agents)

    class DealsOtherwise(GameRecorder):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.rng = np.random.default_rng(12345)

    monkeypatch.setattr(game_module, "GameRecorder", DealsOtherwise)
    _, other = play(*agents)
    rounds = [
        [i for i, event in enumerate(game.events) if event["type"] == "deal"]
        for game in (record, other)
    ]
    assert rounds[0][:2] == rounds[1][:2]
    second_deal = rounds[0][1]
    assert record.events[:second_deal] == other.events[:second_deal]
    assert record.events[second_deal] != other.events[second_deal]


def test_dealing_generator__is_given_to_no_agent(monkeypatch):
    seen = []

    class Spy(First):
        def act(self, state, legal_mask, rng):
            seen.append(rng)
            return super().act(state, legal_mask, rng)

    dealers = []

    class Watched(GameRecorder):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            dealers.append(self.rng)

    monkeypatch.setattr(game_module, "GameRecorder", Watched)
    own = rngs(2)
    play_game([Spy(), Spy()], 5, own)
    assert {id(rng) for rng in seen} == {id(rng) for rng in own}
    assert dealers == [5]  # a seed, of which the agents' generators know nothing
    assert all(rng.bit_generator.seed_seq.entropy != 5 for rng in seen)


def test_replay_of_a_game_with_forfeits__shows_every_position():
    _, record = play(First(), Fails(after=1), First())
    drafts = sum(event["type"] in ("draft", "resign") for event in record.events)
    assert len(list(replay(record))) == drafts + 1

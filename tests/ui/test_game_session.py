"""Sessions of people and agents: whose chance is whose, what undo, redo and seeds promise, choices made elsewhere."""

import dataclasses
import threading

import numpy as np
import pytest

from azul_agents import Agent, AgentFailureError, make_agent
from azul_agents.baselines.random_agent import RandomAgent
from azul_env import (
    GameRecord,
    GameRecorder,
    IllegalActionError,
    RecordError,
    apply_action,
    legal_actions,
    legal_mask,
    new_game,
    replay,
    resign,
    verify,
)
from azul_ui.games.session import PERSON, GameSession, opponent_generator


def session(*seats: str, seed: int = 5, **settings) -> GameSession:
    return GameSession(seats or (PERSON, "random"), seed, **settings)


def first_legal(game: GameSession, choice: int = 0) -> int:
    return int(np.flatnonzero(legal_mask(game.state))[choice])


def play_on(game: GameSession, turns: int = 500, until_round: int = 50, choice: int = 0) -> None:
    """Play the first (0) or last (-1) legal move for people; agents play for themselves."""
    for _ in range(turns):
        if game.is_over or game.state.round >= until_round:
            return
        if game.to_move_is_person:
            game.play(first_legal(game, choice))
        else:
            game.agent_turn()


def deals(game: GameSession) -> list[list[list[int]]]:
    return [event["factories"] for event in game.record.events if event["type"] == "deal"]


def midgame() -> GameRecorder:
    recorder = GameRecorder(3, 1, 12, agents=["Ada", "Ben", "Cem"])
    for _ in range(30):
        recorder.draft(legal_actions(recorder.state)[0])
    return recorder


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_deals__depend_on_the_seed_and_on_no_choice_while_the_bag_lasts(num_players):
    games = [
        session(PERSON, *[opponent] * (num_players - 1))
        for opponent in ("random", "greedy", "random")
    ]
    for game, choice in zip(games, (0, 0, -1), strict=True):
        play_on(game, until_round=1, choice=choice)
    assert len(deals(games[0])) == 2 and deals(games[0]) == deals(games[1]) == deals(games[2])
    other = session(PERSON, *["random"] * (num_players - 1), seed=6)
    assert deals(other)[0] != deals(games[0])[0]


def test_agents_generator__tells_nothing_of_the_deals(monkeypatch):
    seen: list[np.random.Generator] = []
    act = RandomAgent.act

    def watched(self, state, mask, rng):
        seen.append(rng)
        return act(self, state, mask, rng)

    monkeypatch.setattr(RandomAgent, "act", watched)
    game = session()
    play_on(game, until_round=1)
    assert len(seen) > 2 and len({id(rng) for rng in seen}) == len(seen)
    for rng in seen:
        assert game.seed not in np.atleast_1d(rng.bit_generator.seed_seq.entropy)
    first_words = [opponent_generator(5, turn).bit_generator.random_raw() for turn in range(40)]
    dealing = np.random.PCG64(5).random_raw(40).tolist()
    assert len({*first_words, *dealing}) == 80


def test_agent_that_drains_its_generator__changes_no_deal(monkeypatch):
    plain = session()
    play_on(plain, until_round=2)
    act = RandomAgent.act

    def thirsty(self, state, mask, rng):
        action = act(self, state, mask, rng)
        rng.random(1000)
        return action

    monkeypatch.setattr(RandomAgent, "act", thirsty)
    drained = session()
    play_on(drained, until_round=2)
    assert drained.record == plain.record


@pytest.mark.parametrize(
    "seats",
    [(PERSON, "greedy"), ("random", PERSON, "greedy", PERSON), (PERSON, PERSON, PERSON)],
    ids=" ".join,
)
def test_undo__goes_back_to_every_decision_of_a_person_and_redo_to_the_end(seats):
    game = session(*seats)
    states = []
    while not game.is_over:
        if game.to_move_is_person:
            states.append(game.state)
        play_on(game, turns=1)
    whole, history = dataclasses.replace(game.record), game.history
    for state in reversed(states):
        assert game.can_undo
        game.undo()
        assert game.state == state and game.to_move_is_person
        assert game.state == verify(game.record)
        assert game.history == history[: len(game.history)]
    assert not game.can_undo
    with pytest.raises(ValueError, match="no move of yours"):
        game.undo()
    for state in states[1:]:
        game.redo()
        assert game.state == state
    game.redo()
    assert game.record == whole and game.history == history and not game.can_redo
    with pytest.raises(ValueError, match="nothing to bring back"):
        game.redo()


def test_move_after_an_undo__forgets_what_was_undone():
    game = session()
    play_on(game, turns=6)
    game.undo()
    assert game.can_redo
    game.play(first_legal(game, -1))
    assert not game.can_redo and game.undone == []


def test_resigning__is_undone_like_a_move():
    game = session(PERSON, "random", PERSON)
    game.play(first_legal(game))
    state = game.state
    game.resign(2)  # out of turn
    assert game.state.players[2].resigned == 0
    game.undo()
    assert game.state == state and not game.to_move_is_person
    game.redo()
    assert game.state.players[2].resigned == 0
    with pytest.raises(ValueError, match="only a person resigns"):
        game.resign(1)
    assert game.resign().event["player"] == 0 and game.is_over


def test_play__is_for_people_and_refuses_what_is_illegal():
    game = session("random", PERSON)
    with pytest.raises(ValueError, match="it is the turn of random in seat 0"):
        game.play(first_legal(game))
    game.agent_turn()
    before = game.record.to_json()
    with pytest.raises(IllegalActionError):
        game.play(9999)
    for call in (game.agent_turn, game.agent_choice):
        with pytest.raises(ValueError, match="it is the turn of human in seat 1"):
            call()
    assert game.record.to_json() == before


def test_finished_game__refuses_everything_but_undo():
    game = session(PERSON, "random")
    game.resign()
    for call in (game.agent_turn, game.agent_choice):
        with pytest.raises(ValueError, match="the game is over"):
            call()
    with pytest.raises(IllegalActionError):
        game.play(0)
    with pytest.raises(IllegalActionError):
        game.resign(0)
    game.undo()
    assert game.to_move_is_person


def test_choice__is_applied_only_to_its_own_position():
    game = session(PERSON, "random")
    game.play(first_legal(game))
    number, before = game.position_number, game.record.to_json()
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(game.agent_choice()))
    thread.start()
    thread.join(60)
    assert game.record.to_json() == before, "choosing changes nothing"
    game.undo()
    assert game.apply_choice(number, found[0]) is None
    assert game.forfeit(number, "too late") is None
    game.redo()
    assert game.state == verify(GameRecord.from_json(before))
    assert game.apply_choice(number, found[0]) is None, (
        "the number is new, though the position is not"
    )
    happening = game.apply_choice(game.position_number, found[0])
    assert happening is not None and happening.event["action"] == found[0]
    again = session(PERSON, "random")
    again.play(first_legal(again))
    again.agent_turn()
    assert again.record == game.record, "choosing elsewhere gives the same game"


@pytest.mark.parametrize("answer", [9999, "0B0", None], ids=repr)
def test_agent_with_an_impossible_answer__loses_by_a_forfeit(answer, monkeypatch):
    monkeypatch.setattr(RandomAgent, "act", lambda *_: answer)
    game = session("random", PERSON)
    event = game.agent_turn().event
    assert event["type"] == "resign" and event["player"] == 0 and event["forfeit"]
    assert game.is_over


def test_agent_that_fails__loses_by_a_forfeit_and_comes_back_by_undo(monkeypatch):
    begun: list[int] = []
    monkeypatch.setattr(RandomAgent, "begin_game", lambda self, players, seat: begun.append(seat))

    def fail(*_: object) -> int:
        raise AgentFailureError("lost its mind")

    game = session(PERSON, "random")
    game.play(first_legal(game))
    with monkeypatch.context() as patch:
        patch.setattr(RandomAgent, "act", fail)
        assert game.agent_turn().event["forfeit"] == "lost its mind"
    assert game.is_over and begun == [1]
    game.undo()
    assert begun == [1, 1], "a game that goes on is announced again"


def test_happening__scores_its_round():
    game = session(PERSON, "greedy")
    play_on(game)
    ends = [each for each in game.history if each.after.round > each.before.round]
    assert len(ends) == game.state.round
    for happening in game.history:
        assert (happening.scoring is not None) == (happening in ends)
    for happening in ends:
        assert tuple(seat.after for seat in happening.scoring.seats) == happening.after.scores
    assert ends[-1].scoring.is_final


@pytest.mark.parametrize("with_undone", [False, True])
def test_session_that_goes_on__plays_the_game_it_would_have_played(with_undone):
    whole = session(PERSON, "greedy", "random")
    play_on(whole, turns=20)
    if with_undone:
        whole.undo()
        whole.undo()
    kept = GameRecord.from_json(whole.record.to_json())
    on = GameSession(whole.seats, record=kept, undone=whole.undone)
    assert on.state == whole.state and on.history == whole.history and on.seed == whole.seed
    assert on.can_redo == with_undone
    for game in (whole, on):
        if with_undone:
            game.redo()
        play_on(game)
    assert on.record == whole.record and kept.events != on.record.events, "the caller's is a copy"


def test_undone_events_that_do_not_fit__are_refused():
    game = session()
    play_on(game, turns=6)
    game.undo()
    with pytest.raises(RecordError):
        GameSession(game.seats, record=game.record, undone=[*game.undone, *game.undone])


def test_record_of_others__takes_new_seats_and_a_seed():
    record = midgame().record
    game = GameSession((PERSON, "random", PERSON), record=record)
    assert game.record.agents == [PERSON, "random", PERSON] and game.seed == 12
    assert record.agents == ["Ada", "Ben", "Cem"]
    with pytest.raises(ValueError, match="seed 3 is not that of the game, 12"):
        GameSession(game.seats, 3, record=record)
    with pytest.raises(ValueError, match="2 seats for a game of 3 players"):
        GameSession((PERSON, "random"), record=record)
    unseeded = dataclasses.replace(record, seed=None)
    assert GameSession(game.seats, 3, record=unseeded).seed == 3
    assert GameSession(game.seats, record=unseeded).seed >= 0


def test_game_from_a_position__is_played_undone_and_continued():
    start = midgame().state
    game = GameSession(("random", PERSON, PERSON), 8, position=start)
    assert game.state == game.position == start and game.num_players == 3
    assert game.record.events == []
    play_on(game, turns=25)
    assert game.state.round > start.round
    state = start
    for happening in game.history:
        assert happening.before == state
        state = apply_action(state, happening.event["action"], 8).state
    assert state == game.state == verify(game.record, start)
    on = GameSession(game.seats, record=game.record, position=start)
    assert on.state == game.state and on.history == game.history
    while game.can_undo:
        game.undo()
    assert game.state.round == start.round
    with pytest.raises(RecordError, match="first deal"):
        list(replay(on.record))
    with pytest.raises(RecordError, match="in the position it is 3"):
        verify(dataclasses.replace(game.record, num_players=2, agents=[]), start)


def test_position_that_cannot_be_played__is_refused():
    start = new_game(2, rng=1)
    with pytest.raises(ValueError, match="it is over"):
        GameSession((PERSON, "random"), position=resign(start, 0).state)
    with pytest.raises(ValueError, match="3 seats for a position of 2 players"):
        GameSession((PERSON, "random", "random"), position=start)


def test_settings__are_those_of_the_game():
    game = session("random", PERSON, "random", starting_player=2, max_rounds=1)
    assert game.state.current_player == 2 and game.state.max_rounds == 1
    assert game.persons == (1,) and game.seats == ("random", PERSON, "random")
    with pytest.raises(ValueError, match="num_players=5"):
        GameSession([PERSON] * 5)


def test_agents__are_made_by_the_caller_if_wanted_and_closed_if_one_is_missing():
    made: list[Agent] = []
    closed: list[Agent] = []

    class Closable(RandomAgent):
        def close(self) -> None:
            closed.append(self)

    def make(spec: str) -> Agent:
        if spec == "missing":
            return make_agent(spec)
        made.append(Closable())
        return made[-1]

    game = session(PERSON, "mine", make_agent=make)
    game.play(first_legal(game))
    game.agent_turn()
    game.close()
    assert len(made) == 1 and closed == made
    with pytest.raises(ValueError, match="missing"):
        session("mine", "missing", make_agent=make)
    assert len(made) == 2 and closed == made

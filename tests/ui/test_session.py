"""A person's game without a terminal: whose chance is whose, and what undo and seeds promise."""

import numpy as np
import pytest

from azul_agents.baselines.random_agent import RandomAgent
from azul_env import legal_mask
from azul_ui.terminal.session import GameSession, PlayConfig, opponent_generator


def session(opponent: str = "random", **settings: object) -> GameSession:
    return GameSession(PlayConfig(opponents=(opponent,), **{"seed": 5, **settings}))


def play_to_round(game: GameSession, number: int, choice: int) -> None:
    """Play the first (0) or the last (-1) legal move each time until a round begins."""
    for _ in range(500):
        if game.state.is_terminal or game.state.round >= number:
            return
        if game.is_persons_turn:
            game.play(int(np.flatnonzero(legal_mask(game.state))[choice]))
        else:
            game.opponent_turn()


def deals(game: GameSession) -> list[list[list[int]]]:
    return [event["factories"] for event in game.record.events if event["type"] == "deal"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_deals__depend_on_the_seed_and_on_no_choice_while_the_bag_lasts(num_players):
    games = [
        session(opponent, num_players=num_players) for opponent in ("random", "greedy", "random")
    ]
    for game, choice in zip(games, (0, 0, -1), strict=True):
        play_to_round(game, 1, choice)
    assert len(deals(games[0])) == 2 and deals(games[0]) == deals(games[1]) == deals(games[2])
    other = session(num_players=num_players, seed=6)
    assert deals(other)[0] != deals(games[0])[0]


def test_opponents_generator__tells_nothing_of_the_deals(monkeypatch):
    seen: list[np.random.Generator] = []
    act = RandomAgent.act

    def watched(self, state, mask, rng):
        seen.append(rng)
        return act(self, state, mask, rng)

    monkeypatch.setattr(RandomAgent, "act", watched)
    game = session()
    play_to_round(game, 1, 0)
    assert len(seen) > 2 and len({id(rng) for rng in seen}) == len(seen)
    for rng in seen:
        assert game.seed not in np.atleast_1d(rng.bit_generator.seed_seq.entropy)
    first_words = [opponent_generator(5, turn).bit_generator.random_raw() for turn in range(40)]
    dealing = np.random.PCG64(5).random_raw(40).tolist()
    assert len({*first_words, *dealing}) == 80


def test_opponent_that_drains_its_generator__changes_no_deal(monkeypatch):
    plain = session()
    play_to_round(plain, 2, 0)
    act = RandomAgent.act

    def thirsty(self, state, mask, rng):
        action = act(self, state, mask, rng)
        rng.random(1000)
        return action

    monkeypatch.setattr(RandomAgent, "act", thirsty)
    drained = session()
    play_to_round(drained, 2, 0)
    assert drained.record == plain.record


def test_undo__goes_back_to_the_very_state_and_forward_to_the_very_game():
    game = session("greedy")
    states = []
    while not game.state.is_terminal:
        if game.is_persons_turn:
            states.append(game.state)
            game.play(int(np.flatnonzero(legal_mask(game.state))[0]))
        else:
            game.opponent_turn()
    for state in reversed(states):
        game.undo()
        assert game.state == state and game.is_persons_turn
    with pytest.raises(ValueError, match="no move of yours"):
        game.undo()


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_seats__hold_the_person_and_the_opponents_in_order(seat):
    config = PlayConfig(("random", "greedy"), seat=seat, seed=1)
    game = GameSession(config)
    assert game.person == seat and game.record.agents.index("human") == seat
    assert [name for name in game.record.agents if name != "human"] == ["random", "greedy"]


def test_random_seat__can_be_any():
    seats = {session(num_players=4, seat="random", seed=seed).person for seed in range(40)}
    assert seats == {0, 1, 2, 3}

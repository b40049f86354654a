"""One rule from seed to chance: a seed is the same game wherever it is played."""

import json

import gymnasium
import numpy as np
import pytest

from azul_agents.arena.game import play_game
from azul_agents.registry import make_agent
from azul_env import (
    GameBatch,
    GameRecorder,
    GameState,
    afterstate,
    apply_action,
    azul_v0,
    dealt,
    drawn_deal,
    legal_mask,
    new_game,
    replay,
    undealt_game,
)
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulTurnsVectorEnv, AzulVectorEnv
from azul_ui.games.session import PERSON, GameSession

SEED = 42
PLAYERS = (2, 3, 4)


def chosen(state: GameState) -> int:
    """A legal action that depends on the state alone, and not always the first."""
    legal = np.flatnonzero(legal_mask(state))
    return int(legal[sum(state.scores) % len(legal)])


def follow(state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
    return chosen(state)


def follow_all(rows: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> list[int]:
    return [chosen(GameState(rows[i : i + 1])) for i in range(len(rows))]


def by_seed(num_players: int, seed: int = SEED) -> list[GameState]:
    """The game of a seed, with the seed given to every move."""
    states = [new_game(num_players, rng=seed)]
    while not states[-1].is_terminal:
        states.append(apply_action(states[-1], chosen(states[-1]), seed).state)
    return states


def by_generator(num_players: int) -> list[GameState]:
    rng = np.random.default_rng(SEED)
    states = [new_game(num_players, rng=rng)]
    while not states[-1].is_terminal:
        states.append(apply_action(states[-1], chosen(states[-1]), rng).state)
    return states


def by_chance_nodes(num_players: int) -> list[GameState]:
    start = undealt_game(num_players)
    states = [dealt(start, drawn_deal(start, SEED))]
    while not states[-1].is_terminal:
        after = afterstate(states[-1], chosen(states[-1]))
        if after.awaits_deal:
            after = dealt(after, drawn_deal(after, SEED))
        states.append(after)
    return states


def by_aec(num_players: int) -> list[GameState]:
    env = azul_v0.env(num_players=num_players)
    env.reset(seed=SEED)
    states = [env.get_state()]
    while not states[-1].is_terminal:
        env.step(chosen(states[-1]))
        states.append(env.get_state())
    return states


def by_batch(num_players: int) -> list[GameState]:
    batch = GameBatch(3, num_players, seed=SEED)
    states = [GameState(batch.rows[:1].copy())]
    while not states[-1].is_terminal:
        actions = batch.random_actions().copy()
        actions[0] = chosen(states[-1])
        ended = batch.step(actions)
        rows = batch.final_rows if ended[0] else batch.rows
        states.append(GameState(rows[:1].copy()))
    return states


def by_self_play(num_players: int) -> list[GameState]:
    env = AzulTurnsVectorEnv(3, num_players)
    env.reset(seed=SEED)
    states = [GameState(env.get_state()[:1])]
    is_over = False
    while not is_over:
        actions = env.action_masks().argmax(axis=1)
        actions[0] = chosen(states[-1])
        _, _, terminated, truncated, _ = env.step(actions)
        is_over = terminated[0] or truncated[0]
        states += [] if is_over else [GameState(env.get_state()[:1])]
    return [*states, by_seed(num_players)[-1]]  # the last one is replaced by a new game


def by_recorder(num_players: int) -> list[GameState]:
    recorder = GameRecorder(num_players, rng=SEED)
    while not recorder.state.is_terminal:
        recorder.draft(chosen(recorder.state))
    return [step.state for step in replay(recorder.record)]


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize(
    "play",
    [by_generator, by_chance_nodes, by_aec, by_batch, by_self_play, by_recorder],
    ids=lambda play: play.__name__,
)
def test_seed__is_the_same_game_however_it_is_played(play, num_players):
    assert play(num_players) == by_seed(num_players)


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("seat", [0, 1])
def test_seed__is_the_same_game_with_opponents(num_players, seat):
    expected = [state for state in by_seed(num_players) if state.current_player == seat]
    single = AzulEnv(num_players, opponents=follow, seat=seat)
    made = gymnasium.make("azul_env:Azul-v0", num_players=num_players, opponents=follow, seat=seat)
    vector = AzulVectorEnv(2, num_players, opponents=follow_all, seat=seat)
    for env in (single, made, vector):
        env.reset(seed=SEED)
    assert len(expected) > 5
    for state in expected:
        if state.is_terminal:
            break
        assert single.get_state() == made.unwrapped.get_state() == state
        assert GameState(vector.get_state()[:1]) == state
        action = chosen(state)
        is_over = single.step(action)[2]
        made.step(action)
        vector.step(np.array([action, vector.action_masks()[1].argmax()]))
    assert is_over and single.get_state() == by_seed(num_players)[-1]


def test_seed__deals_the_same_against_random_opponents_that_are_compiled():
    env = AzulEnv(seat=0)
    env.reset(seed=SEED)
    assert env.get_state() == new_game(rng=SEED)
    state = env.get_state()
    while state.round < 2:
        before, action = state, chosen(state)
        env.step(action)
        state = env.get_state()
        after = afterstate(before, action)
        if state.round > before.round and after.awaits_deal:
            # The random opponent has moved since the deal: all that can be compared is what was dealt.
            fresh = dealt(after, drawn_deal(after, SEED))
            assert state.bag == fresh.bag and state.lid == fresh.lid


def test_game_i_of_a_batch__is_the_game_of_seed_plus_i():
    batch, vector = GameBatch(4, 3, seed=SEED), AzulTurnsVectorEnv(4, 3)
    vector.reset(seed=SEED)
    for game in range(4):
        first = by_seed(3, SEED + game)[0]
        assert GameState(batch.rows[game : game + 1]) == first
        assert GameState(vector.get_state()[game : game + 1]) == first


def test_session__plays_the_game_of_its_seed():
    session = GameSession((PERSON, "greedy"), SEED)
    states = [session.state]
    while not session.state.is_terminal:
        if session.to_move_is_person:
            session.play(chosen(session.state))
        else:
            session.agent_turn()
        states.append(session.state)
    session.close()
    state = new_game(2, rng=SEED)
    actions = [event["action"] for event in session.record.events if event["type"] == "draft"]
    for expected, action in zip(states, actions, strict=False):
        assert state == expected
        state = apply_action(state, action, SEED).state
    assert state == states[-1]


def test_arena__deals_by_the_seed_that_the_record_names():
    agents = [make_agent("greedy"), make_agent("greedy")]
    rngs = [np.random.default_rng(seat) for seat in range(2)]
    record = json.loads(play_game(agents, SEED, rngs).record.to_json())
    state = new_game(2, rng=record["seed"])
    for event in record["events"]:
        if event["type"] == "deal":
            assert [list(tiles) for tiles in state.factories] == event["factories"]
        elif event["type"] == "draft":
            state = apply_action(state, event["action"], record["seed"]).state
    assert state.is_terminal

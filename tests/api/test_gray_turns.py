"""Whose turn follows in gray games, what a turn pays, and what is refused, in every environment."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from api.play import last_legal, pickled, states_of
from azul_agents import Agent
from azul_env import (
    GameState,
    IllegalActionError,
    IllegalReason,
    afterstate,
    azul_v0,
    from_dict,
    legal_mask,
    new_game,
    observe,
)
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulTurnsVectorEnv, AzulVectorEnv
from reference.gray_positions import EMPTY, column, draft, gray

# Each seat has two lines to tile, with four or five columns for each.
TWO_CHOOSE = gray("9 B:.Y.../:R..../RRR// *K", "5 K/.Y/WWW:.B...// W", turn=0)
# Seat 1 takes the last tile; then seat 0, which has the marker, tiles one line, and seat 1 two.
LAST_TILE = gray("9 B//// *", "5 K/YY/// -", turn=1, factories="W")
LEFT, RIGHT = column(TWO_CHOOSE, 0), column(TWO_CHOOSE, 4)
WHITE_TO_FLOOR = draft(0, "W", 5)


def set_to(data: dict[str, Any], env: Any) -> Any:
    env.set_state(from_dict(data))
    return env


def single(data: dict[str, Any], **arguments: Any) -> AzulEnv:
    return set_to(data, AzulEnv(variant="gray", **arguments))


class Noted:
    """An opponent that plays the last legal action and notes where it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str, int | None]] = []

    def __call__(self, state: GameState, mask: np.ndarray, rng: np.random.Generator) -> int:
        self.asked.append((state.current_player, state.phase, state.line_to_tile))
        return last_legal(state, mask, rng)


def test_gray_aec__selects_the_same_agent_until_its_lines_are_tiled():
    env = set_to(TWO_CHOOSE, azul_v0.env(variant="gray", reward="round_margin"))
    selected, rewards = [], []
    for action in (LEFT, RIGHT, RIGHT, LEFT):
        selected.append(env.agent_selection)
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.any() == (agent == env.agent_selection)
            assert not mask[:-5].any()
        env.step(action)
        rewards.append(list(env.rewards.values()))
    assert selected == ["player_0", "player_0", "player_1", "player_1"]
    # Blue touches yellow and red: 4. Red alone: 1; then the floor of seat 0: -2. Black: 1. White touches blue: 2, and -1.
    assert rewards == [[4, -4], [-1, 1], [-1, 1], [-1, 1]]
    state = env.unwrapped.get_state()
    assert (state.phase, state.round, env.agent_selection) == ("factory_offer", 5, "player_0")


def test_gray_aec__last_is_what_an_agent_collected_since_its_own_last_turn():
    env = set_to(TWO_CHOOSE, azul_v0.env(variant="gray", reward="round_margin"))
    collected = []
    for action in (LEFT, RIGHT, RIGHT, LEFT):
        env.step(action)
        collected.append((env.agent_selection, env.last()[1]))
    # Seat 1 has not moved yet when it is asked: it collects both turns of seat 0.
    assert collected == [("player_0", 4), ("player_1", -3), ("player_1", 1), ("player_0", -3)]


def test_gray_env__lets_the_learner_tile_all_its_lines_before_the_opponent_does():
    opponent = Noted()
    env = single(TWO_CHOOSE, opponents=opponent, reward="round_margin")
    opponent.asked.clear()  # it may have begun the game that the state replaced
    _, reward, _, _, info = env.step(LEFT)
    assert (opponent.asked, reward, env.seat) == ([], 4, 0)
    assert np.flatnonzero(info["action_mask"]).tolist() == [LEFT + 1, LEFT + 2, LEFT + 3, RIGHT]
    _, reward, _, _, info = env.step(RIGHT)
    assert opponent.asked == [(1, "wall_tiling", 0), (1, "wall_tiling", 2)]
    assert env.get_state().phase == "factory_offer" and not info["action_mask"][-5:].any()
    assert reward == -1 - 1 + 0  # its own red tile and floor, and the opponent's two tiles


def test_gray_env__lets_the_opponent_tile_first_if_it_starts_the_next_round():
    opponent = Noted()
    env = single(LAST_TILE, opponents=opponent, reward="round_margin")
    opponent.asked.clear()
    assert env.seat == 1
    _, reward, _, _, info = env.step(WHITE_TO_FLOOR)
    assert opponent.asked == [(0, "wall_tiling", 0)]
    assert env.get_state().line_to_tile == 0 and info["action_mask"].sum() == 5
    assert reward == -(1 - 1)  # a tile and the marker of the opponent
    env.step(LEFT)
    assert opponent.asked[1:] == [] and env.get_state().line_to_tile == 1
    env.step(RIGHT)
    assert opponent.asked[1:] == [(0, "factory_offer", None)]


def test_gray_vector_env__waits_for_each_learner_in_its_own_phase():
    vector = AzulVectorEnv(3, variant="gray", opponents="random")
    drafting = new_game(2, rng=1, variant="gray")
    states = [from_dict(TWO_CHOOSE), from_dict(LAST_TILE), drafting]
    seen, info = vector.set_state(states)
    assert info["seat"].tolist() == [0, 1, 0]
    assert np.array_equal(seen, [observe(state) for state in states])
    first = int(legal_mask(drafting).argmax())
    vector.step(np.array([LEFT, WHITE_TO_FLOOR, first]))
    after = states_of(vector)
    assert [state.phase for state in after] == ["wall_tiling", "wall_tiling", "factory_offer"]
    assert [state.current_player for state in after] == [0, 1, 0]
    assert [state.round for state in after] == [4, 4, 0]


@pytest.mark.parametrize("max_rounds", [5, 50])
def test_gray_game__cut_off_by_the_last_placement_is_truncated(max_rounds):
    place = gray("9 //// -", "5 K/.Y/// W", turn=1, max_rounds=max_rounds)
    is_cut = max_rounds == 5
    aec = set_to(place, azul_v0.raw_env(variant="gray"))
    aec.step(LEFT)
    assert set(aec.truncations.values()) == {is_cut} and not any(aec.terminations.values())
    turns = AzulTurnsVectorEnv(1, variant="gray")
    turns.set_state([from_dict(place)])
    _, _, terminated, truncated, info = turns.step(np.array([LEFT]))
    assert (bool(terminated[0]), bool(truncated[0])) == (False, is_cut)
    assert info["acted"].tolist() == [1]
    if is_cut:
        assert aec.infos["player_0"] == {"end_reason": "max_rounds"}
        assert info["final_info"]["scores"].tolist() == [[9, 5]]
        assert np.array_equal(info["final_obs"][0], observe(aec.get_state(), 1))
    _, _, _, cut, told = single(place).step(LEFT)
    assert cut == is_cut and told.get("end_reason") == ("max_rounds" if is_cut else None)


TILING, DRAFTING = TWO_CHOOSE, gray(EMPTY, EMPTY, turn=0, factories="BBYR", center="*")
REFUSED = [
    (TILING, draft(0, "B", 0), IllegalReason.WRONG_PHASE),
    (TILING, LEFT + 1, IllegalReason.WALL_CONFLICT),
    (TILING, RIGHT + 1, IllegalReason.OUT_OF_RANGE),
    (DRAFTING, LEFT, IllegalReason.WRONG_PHASE),
]


@pytest.mark.parametrize(("place", "action", "reason"), REFUSED)
def test_gray_illegal_action__is_refused_with_its_reason_or_ends_the_game(place, action, reason):
    raw = set_to(place, azul_v0.raw_env(variant="gray"))
    with pytest.raises(IllegalActionError) as refused:
        raw.step(action)
    assert refused.value.reason == reason
    assert raw.get_state() == from_dict(place)
    _, reward, terminated, _, info = single(place).step(action)
    assert (reward, terminated, info["illegal_action"]) == (-1, True, str(reason))
    turns = AzulTurnsVectorEnv(1, variant="gray")
    turns.set_state([from_dict(place)])
    *_, terminated, truncated, info = turns.step(np.array([action]))
    assert terminated[0] and not truncated[0] and info["illegal_action"].tolist() == [True]
    assert info["rewards"].tolist() == [[-1, 0]]
    if reason != IllegalReason.OUT_OF_RANGE:
        guarded = set_to(place, azul_v0.env(variant="gray"))
        guarded.step(action)
        assert all(guarded.terminations.values()) and guarded.rewards["player_0"] == -1


@pytest.mark.parametrize(
    "make",
    [
        azul_v0.env,
        azul_v0.raw_env,
        AzulEnv,
        lambda **arguments: AzulVectorEnv(1, **arguments),
        lambda **arguments: AzulTurnsVectorEnv(1, **arguments),
    ],
)
def test_set_state__of_another_variant_or_before_a_deal_is_refused(make):
    for variant, other in (("gray", "colored"), ("colored", "gray")):
        env = make(variant=variant)
        state = new_game(2, rng=1, variant=other)
        states: Any = [state] if isinstance(env, gymnasium.vector.VectorEnv) else state
        with pytest.raises(
            ValueError, match=f"variant '{other}' in an environment for .*'{variant}'"
        ):
            env.set_state(states)
    undealt = afterstate(from_dict(gray("9 //// -", "5 K/.Y/// W", turn=1)), LEFT)
    assert undealt.awaits_deal
    env = make(variant="gray")
    with pytest.raises(ValueError, match="awaits a deal"):
        env.set_state([undealt] if isinstance(env, gymnasium.vector.VectorEnv) else undealt)


def test_unknown_variant__is_refused_by_every_environment():
    for make in (azul_v0.env, AzulEnv, AzulVectorEnv, AzulTurnsVectorEnv):
        with pytest.raises(ValueError, match="variant='grey' is not one of colored, gray"):
            make(variant="grey")


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gray_env__renders_every_turn_of_tiling(mode):
    env = set_to(TWO_CHOOSE, azul_v0.env(variant="gray", render_mode=mode))
    pictures = [env.render()]
    for action in (LEFT, RIGHT, RIGHT):
        env.step(action)
        pictures.append(env.render())
    as_bytes = [p.encode() if isinstance(p, str) else p.tobytes() for p in pictures]
    assert len(set(as_bytes)) == 4


def test_gray_vector_envs__are_copied_in_the_middle_of_tiling():
    for kind in (AzulVectorEnv, AzulTurnsVectorEnv):
        env = kind(2, variant="gray")
        env.set_state([from_dict(TWO_CHOOSE)] * 2)
        other = pickled(env)
        for action in (LEFT, RIGHT):
            actions = np.full(2, action)
            for one, two in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
                assert np.array_equal(one, two)
        assert np.array_equal(env.get_state(), other.get_state())


class ColoredOnly(Agent):
    """An agent that says nothing about variants, and so plays the colored wall alone."""

    spec = "colored-only"

    def act(self, state: GameState, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        return last_legal(state, legal_mask, rng)


@pytest.mark.parametrize("kind", [AzulEnv, AzulVectorEnv])
def test_opponent__that_does_not_play_the_variant_is_refused_by_name_at_once(kind):
    agent = ColoredOnly()
    kind(opponents=agent).reset(seed=1)
    for opponents in (agent, ["random", agent]):
        with pytest.raises(ValueError, match=r"opponents: colored-only does not play .*'gray'"):
            kind(num_players=3, opponents=opponents, variant="gray")


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_opponent__by_name_plays_gray_games_to_the_end(spec):
    env = AzulEnv(num_players=3, opponents=[spec, Noted()], variant="gray", max_rounds=2)
    _, info = env.reset(seed=4)
    is_over = False
    while not is_over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        is_over = terminated or truncated
    assert info["end_reason"] in ("row", "max_rounds")

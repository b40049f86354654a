"""The compiled engine and the reference engine play the same games on the gray wall, state by state.

As in `test_reference.py`, the compiled engine draws the deals and the reference chooses from its own list of legal moves.
"""

import random
from collections import Counter

import numpy as np
import pytest

from azul_env import (
    GameState,
    apply_action,
    from_dict,
    illegal_reason,
    legal_mask,
    new_game,
    problems,
    ranking,
    resign,
    to_dict,
    winners,
)
from parity.test_reference import (
    Policy,
    center_first,
    deal_on,
    mostly_floor,
    no_floor,
    uniform,
)
from reference.gray import GrayGame

NUM_ACTIONS = {2: 185, 3: 245, 4: 305}


class BothEngines:
    """One game on both engines, and how often it came to what."""

    def __init__(self, num_players: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.chance = np.random.Generator(np.random.PCG64(seed))
        max_rounds = self.rng.choice([50, 50, 50, 8, 3, 1])
        starter = self.rng.randrange(num_players)
        self.state = new_game(num_players, starter, self.chance, max_rounds, variant="gray")
        self.game = GrayGame(num_players, starter, max_rounds, deal_on(self.state))
        self.seen: Counter[str] = Counter()

    def compare(self) -> None:
        """State data and legal actions are the same, as are the ranks of a game that is over."""
        data = to_dict(self.state)
        assert data == self.game.to_dict()
        assert np.flatnonzero(legal_mask(self.state)).tolist() == self.game.legal_actions()
        if self.state.is_terminal:
            assert ranking(self.state) == self.game.ranking()
            assert winners(self.state) == self.game.winners()

    def compare_reasons(self) -> None:
        """Both name the same reason against every action of every player."""
        num_players = self.game.num_players
        for action in range(-1, NUM_ACTIONS[num_players] + 1):
            player = self.rng.choice([None, *range(num_players)])
            reason = illegal_reason(self.state, action, player)
            assert reason == self.game.illegal_reason(action, player)
            self.seen[str(reason)] += 1

    def play(self, policy: Policy) -> None:
        """A move of the player to move; columns are chosen uniformly."""
        legal = self.game.legal_actions()
        is_tiling = self.game.phase == "wall_tiling"
        action = (uniform if is_tiling else policy)(legal, self.rng)
        before = self.state.round
        self.state = apply_action(self.state, action, self.chance).state
        self.game.draft(action, deal_on(self.state) if self.state.round > before else None)
        self.seen["choices"] += is_tiling

    def resign(self) -> None:
        """Some player resigns, in turn or not."""
        players = self.game.players
        seat = self.rng.choice([s for s, board in enumerate(players) if board.resigned is None])
        if self.game.phase == "wall_tiling":
            self.seen["chooser resigns"] += seat == self.game.current_player
            self.seen["another resigns"] += seat != self.game.current_player
        self.state = resign(self.state, seat, self.chance).state
        self.game.resign(seat)
        if self.game.needs_deal():
            self.game.start_round(deal_on(self.state))
            self.seen["resignation ends a round"] += 1


def play_both(num_players: int, seed: int, policy: Policy, resigning: float = 0.0) -> BothEngines:
    """Play one game on both engines and compare every state; resignations prefer the tiling."""
    both = BothEngines(num_players, seed)
    both.compare()
    while not both.state.is_terminal:
        likelihood = 5 * resigning if both.game.phase == "wall_tiling" else resigning
        if both.rng.random() < likelihood:
            both.resign()
        else:
            both.play(policy)
        both.compare()
    both.seen[str(both.state.end_reason)] += 1
    return both


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(
    ("policy", "games"),
    [(uniform, 40), (mostly_floor, 8), (no_floor, 30), (center_first, 20)],
)
def test_engines__agree_on_every_gray_state(num_players: int, policy: Policy, games: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(games):
        seen += play_both(num_players, seed, policy).seen
    assert seen["choices"] > games  # or the test would say little


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_engines__agree_on_gray_games_with_resignations(num_players: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(80):
        seen += play_both(num_players, seed, uniform, 0.01).seen
    expected = {"choices", "chooser resigns", "another resigns", "row", "max_rounds", "resignation"}
    if num_players > 2:
        expected.add("resignation ends a round")
    assert {name for name, count in seen.items() if count} == expected


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_engines__agree_on_the_reason_for_every_illegal_gray_action(num_players: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(3):
        both = BothEngines(num_players, seed)
        while not both.state.is_terminal:
            both.compare_reasons()
            both.play(no_floor)
        both.compare_reasons()
        seen += both.seen
    assert len(seen) == 9  # choices, None and every reason but ALREADY_RESIGNED


def assert_sound(state: GameState) -> None:
    """20 tiles of each color, no color twice in a row or column, a real choice, a position as data."""
    data = to_dict(state)
    counts = np.sum([data["bag"], data["discard"], data["center"], *data["factories"]], axis=0)
    names = ["blue", "yellow", "red", "black", "white"]
    for player in data["players"]:
        wall = np.array(player["wall"])
        for cells in [*wall, *wall.T]:
            colors = cells[cells > 0].tolist()
            assert len(colors) == len(set(colors))  # R10.1
        pieces = [names[cell - 1] for cell in wall.ravel().tolist() if cell]
        pieces += player["floor"]
        for line in player["pattern_lines"]:
            pieces += [line["color"]] * line["count"]
        counts += [pieces.count(name) for name in names]
        assert player["score"] >= 0
    assert counts.tolist() == [20] * 5  # R1.2
    assert problems(state) == []
    assert from_dict(data) == state
    if data["phase"] == "wall_tiling":
        assert legal_mask(state).sum() >= 2  # R10.5


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_gray_states__are_sound(num_players: int) -> None:
    for seed in range(4):
        both = BothEngines(num_players, 1000 + seed)
        assert_sound(both.state)
        while not both.state.is_terminal:
            if both.rng.random() < 0.01:
                both.resign()
            else:
                both.play(no_floor)
            assert_sound(both.state)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_reference__goes_on_from_its_own_data(num_players: int) -> None:
    """What the reference remembers while tiling, who has tiled, can be told from the position (R10.18)."""
    for seed in range(6):
        both = BothEngines(num_players, 2000 + seed)
        while not both.state.is_terminal:
            both.game = GrayGame.from_dict(both.game.to_dict())
            if both.rng.random() < 0.02:
                both.resign()
            else:
                both.play(no_floor)
            both.compare()

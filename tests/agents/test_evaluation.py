"""The features of a board against positions counted by hand, and what the fit makes of them."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from azul_agents import MatchConfig, run_match
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.features import (
    FEATURE_NAMES,
    MAX_LISTED,
    NUM_BUCKETS,
    NUM_FEATURES,
    bucket_of,
    list_features,
    tiles_to_come,
)
from azul_agents.search.fitting import SelfPlayGames, first_weights, self_play
from azul_agents.search.linear import Weights, linear_evaluator, load_card, load_weights
from azul_env import GameState, new_game
from azul_env.core.jit import kernel
from azul_env.core.spec import MAX_PLAYERS
from azul_env.core.words import pack_lanes
from azul_env.state import trusted_state
from positions import position


@kernel
def _listed(rows, player, indices, amounts):
    for i in range(1):
        tiles = tiles_to_come(rows[i])
        return list_features(rows[i], player, tiles, indices, amounts)
    return 0


@kernel
def _bucket(rows):
    for i in range(1):
        return bucket_of(rows[i], tiles_to_come(rows[i]))
    return 0


def features_of(state: GameState, player: int) -> dict[str, float]:
    """The features of a board by name, those that are 0 left out."""
    indices, amounts = np.zeros(MAX_LISTED, np.int64), np.zeros(MAX_LISTED)
    found: dict[str, float] = {}
    for listed in range(_listed(state.rows, player, indices, amounts)):
        name = FEATURE_NAMES[indices[listed]]
        found[name] = found.get(name, 0.0) + amounts[listed]
    return {name: amount for name, amount in found.items() if amount}


STATE = position("""
    azul 2p round 3/50 turn 1 start 0 | BBYR - - - - | KK | bag ? lid - |
    20 R:BY.../.W:.B.../:/..KK:..W../: *W | 9 :/:/:/:/: -""")


def test_features__count_full_lines_as_tiled_and_the_floor_as_paid() -> None:
    features = features_of(STATE, 0)
    # Red completes line 0 beside blue and yellow: 3 points; the marker and a tile cost 2.
    assert features["points"] == 20 + 3 - 2
    assert features["floor_2"] == 1
    assert features["row_0_00111"] == 1  # columns 0, 1 and 2, the lowest bit first
    assert features["row_1_00010"] == 1
    assert features["row_3_00100"] == 1


def test_features__tell_columns_colors_and_lines() -> None:
    features = features_of(STATE, 0)
    # Column 0: blue in row 0. Column 1: yellow above blue. Column 2: red in row 0, white in row 3.
    assert features["column_00001"] == 1
    assert features["column_00011"] == 1
    assert features["column_01001"] == 1
    assert features["column_00000"] == 2
    assert features["color_2"] == 1  # blue
    assert features["color_1"] == 3  # yellow, red, white
    assert features["color_0"] == 1
    # White in line 1 would stand left of blue and below blue: runs of 2 and 2.
    # There is no white on the table.
    assert features["line_1_1_scarce"] == 1
    assert features["line_1_1_scarce_points"] == 4
    # Black in line 3 would stand left of white, and below nothing; the two that it misses are in the center.
    assert features["line_3_2_ample_points"] == 2


def test_features__know_whose_turn_it_is_and_who_starts_next() -> None:
    assert features_of(STATE, 0)["starts_next"] == 1
    assert "to_move" not in features_of(STATE, 0)
    assert features_of(STATE, 1)["to_move"] == 1
    assert "starts_next" not in features_of(STATE, 1)


def test_nobody__starts_next_before_the_marker_is_taken() -> None:
    opening = new_game(2, rng=0)
    assert all("starts_next" not in features_of(opening, player) for player in range(2))


def test_dead_tiles__are_those_on_the_table_that_fit_in_no_line() -> None:
    state = position("""
        azul 2p round 1/50 turn 0 start 1 | BBYR - - - - | RRKK | bag ? lid - |
        5 R:/.Y:/..K:/...W:/....B: - | 9 :/:/:/:/: *""")
    assert features_of(state, 0)["dead_3"] == 1  # line 0 is full, so red has no line
    assert features_of(state, 1)["dead_0"] == 1


def test_supply__between_rounds_is_what_the_next_deal_should_bring() -> None:
    rows = new_game(2, rng=0).rows.copy()
    rows["sources"], rows["available"] = 0, 0
    rows["bag"] = pack_lanes([2, 20, 8, 10, 0])  # half of it is dealt
    rows["line_counts"][0, 0] = 0x11100  # lines 2, 3 and 4
    rows["line_colors"][0, 0] = 0x21000  # blue, yellow, red
    features = features_of(trusted_state(rows), 0)
    assert features["line_2_1_scarce"] == features["line_3_1_ample"] == 1
    assert features["line_4_1_fair"] == 1


def test_bucket__goes_by_round_and_by_what_is_left_of_it() -> None:
    assert _bucket(STATE.rows) == 4 * 3 + 1  # six tiles of twenty are left
    assert _bucket(new_game(2, rng=0).rows) == 3
    late = new_game(4, rng=0).rows.copy()
    late["round"] = 17
    assert _bucket(late) == 4 * 5 + 3


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_cards__fit_the_features_and_say_how_they_were_made(num_players: int) -> None:
    card = load_card(num_players)
    assert load_weights(num_players).shape == (NUM_BUCKETS, NUM_FEATURES)
    assert card["players"] == num_players
    assert card["made_by"] == "azul fit-evaluation"
    assert card["config"]["games"] >= 10_000
    assert all(
        {"games", "unexplained_after", "duel", "kept"} <= set(step) for step in card["steps"]
    )


def test_fit__explains_more_than_what_it_began_with() -> None:
    weights = first_weights()
    played = self_play(2, 2_000, weights, seed=1)
    fitted = played.fit(ridge=30.0)
    judges = self_play(2, 400, weights, seed=2)
    assert judges.unexplained(fitted) < judges.unexplained(weights)


def test_self_play__is_the_same_for_the_same_seed() -> None:
    one, two = (self_play(3, 20, first_weights(), seed=5) for _ in range(2))
    assert np.array_equal(one.grams, two.grams)
    assert one.squares[:, 0].sum() > 20 * MAX_PLAYERS


def win_rate(new: Weights, old: Weights, games: int) -> float:
    """Share of a match of 60 nodes that alpha-beta wins with new weights."""
    agents = {
        name: AlphaBetaAgent(
            name, AlphaBetaOptions(nodes=60), partial(linear_evaluator, weights=weights)
        )
        for name, weights in (("new", new), ("old", old))
    }
    config = MatchConfig(games, seed=1, jobs=1)
    return run_match(("new", "old"), config, make=agents.__getitem__).tallies[0].win_rate


def test_match__of_equals_is_even_and_learned_weights_beat_those_set_by_hand() -> None:
    weights = load_weights(2)
    assert win_rate(weights, weights, games=20) == 0.5
    assert win_rate(weights, first_weights(), games=100) > 0.6


@pytest.mark.parametrize("nodes", [0, 30])
def test_self_play__goes_on_from_a_file_without_a_difference(tmp_path: Path, nodes: int) -> None:
    weights = first_weights()
    whole = self_play(2, 30, weights, seed=3, nodes=nodes)
    first, second = (SelfPlayGames(2, weights, seed, nodes) for seed in (3, 4))
    first.play(13)
    first.save(tmp_path / "games.npz")
    second.load(tmp_path / "games.npz")
    assert second.played == 13
    second.play(17)
    for mine, theirs in zip(vars(second.sums).values(), vars(whole).values(), strict=True):
        assert np.array_equal(mine, theirs)


def test_broken_file_of_self_play__is_an_error_that_names_it(tmp_path: Path) -> None:
    games = SelfPlayGames(2, first_weights(), seed=1)
    file = tmp_path / "games.npz"
    games.save(file)
    for content in (b"", b"nothing", file.read_bytes()[:1000]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"games\.npz is broken: .*remove it"):
            games.load(file)

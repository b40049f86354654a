"""Agents in gray games: who plays them, legally and repeatably, and who says by name that it does not."""

from pathlib import Path

import numpy as np
import pytest

from agents.plain_search import value_of
from azul_agents import MatchConfig, TournamentConfig, run_match
from azul_agents.arena.game import Table, play_game
from azul_agents.arena.tournament import run_tournament
from azul_agents.base import VARIANTS, VariantNotPlayedError
from azul_agents.bots.protocol import from_line, to_line
from azul_agents.bots.python import kind_of
from azul_agents.bots.server import serve
from azul_agents.kinds import KINDS, LEVELS
from azul_agents.neural.model_file import write_model
from azul_agents.registry import AgentKind, AgentSpecError, Level, NoOptions, make_agent
from azul_agents.search.linear import LinearEvaluator, linear_evaluator
from azul_env import (
    GameState,
    afterstate,
    apply_action,
    format_action,
    legal_actions,
    legal_mask,
    new_game,
    to_dict,
    verify,
)
from azul_env.core import variant
from azul_env.envs.single import AzulEnv
from models import random_model
from positions import position

SPECS = ["random", "greedy", "alphabeta:nodes=200", "mcts:simulations=60"]
SPECS += ["mcts:simulations=10,leaf=game"]

# Line 1 is to be tiled, and column 2 lacks only its row: a column of 5 and a bonus of 7, anywhere else nothing.
COLUMN_TO_COMPLETE = """azul 2p gray round 3/50 tile 0 start 0 | - - - - - | * | bag ? lid - |
    20 :..K../BB/:..R../:..Y../:..W.. - | 20 //// -"""
# Blue in column 0 scores no less than elsewhere, but then nothing fits into the last cell of row 4.
CELL_TO_KEEP = """azul 2p gray round 3/50 tile 0 start 0 | - - - - - | * | bag ? lid - |
    20 B//:K....//:.YRKW - | 20 //// -"""


def positions(num_players: int) -> list[GameState]:
    """Positions of a random gray game: some of taking tiles, and some of tiling."""
    rng = np.random.default_rng(num_players)
    taking, tiling = [], []
    state = new_game(num_players, rng=rng, variant="gray")
    while not state.is_terminal:
        (tiling if state.columns_to_choose else taking).append(state)
        state = apply_action(state, rng.choice(np.flatnonzero(legal_mask(state))), rng).state
    return taking[:: max(1, len(taking) // 5)] + tiling[:: max(1, len(tiling) // 5)]


def test_names_of_variants__are_those_of_the_engine() -> None:
    assert tuple(variant.VARIANTS) == VARIANTS


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("num_players", [2, 4])
def test_agent__answers_legally_the_same_and_changes_nothing(spec: str, num_players: int) -> None:
    agent, twin = make_agent(spec), make_agent(spec)
    states = positions(num_players)
    assert any(state.columns_to_choose for state in states)
    actions = []
    for number, state in enumerate(states):
        mask = legal_mask(state)
        before = state.rows.tobytes(), mask.tobytes()
        actions.append(agent.act(state, mask, np.random.default_rng(number)))
        assert mask[actions[-1]]
        assert (state.rows.tobytes(), mask.tobytes()) == before
        assert twin.act(state, mask, np.random.default_rng(number)) == actions[-1]
    rows = np.concatenate([state.rows for state in states])
    masks = np.stack([legal_mask(state) for state in states])
    rngs = [np.random.default_rng(number) for number in range(len(states))]
    assert list(agent.act_batch(rows, masks, rngs)) == actions


@pytest.mark.parametrize("spec", SPECS[1:])
def test_analysis__ranks_columns_and_drafts(spec: str) -> None:
    agent = make_agent(spec)
    for state in positions(2)[-2:] + positions(2)[:1]:
        moves = agent.analyse(state)
        assert moves and all(legal_mask(state)[move.action] for move in moves)
        if state.columns_to_choose:
            assert len(moves) == len(state.columns_to_choose)


def test_alphabeta__finds_the_only_move_that_completes_a_row_and_wins() -> None:
    text = """azul 2p gray round 4/50 turn 0 start 1 | - - - - - | W | bag ? lid - |
        40 :BYRK./:/:/:/: - | 41 :B..../:/:/:/: *"""
    assert _best_name(text, "alphabeta:nodes=2000") == "CW0"


def test_alphabeta__gives_columns_the_value_of_the_best_tiling_after_them() -> None:
    text = """azul 2p gray round 4/50 tile 0 start 0 | - - - - - | * | bag ? lid - |
        20 B:...../YY:..KRW/BBB:R..../:K..../:W.... - | 20 //// -"""
    state = position(text)
    evaluator = linear_evaluator(2, variant="gray")
    agent = make_agent("alphabeta:nodes=100000")
    found = {move.action: move.value for move in agent.analyse(state)}
    expected = {180 + c: _best_end(afterstate(state, 180 + c), evaluator) for c in range(5)}
    assert found == pytest.approx(expected)


def _best_end(state: GameState, evaluator: LinearEvaluator) -> float:
    """The value of the best end of the round to player 0, who alone has columns to choose."""
    if not state.columns_to_choose:
        return value_of(state, 0, evaluator)
    columns = legal_actions(state)
    return max(_best_end(afterstate(state, column), evaluator) for column in columns)


def test_greedy__tiles_the_column_that_it_completes() -> None:
    assert _best_name(COLUMN_TO_COMPLETE, "greedy") == "T2"


def test_greedy__leaves_cells_that_can_be_filled() -> None:
    values = {m.action: m.value for m in make_agent("greedy").analyse(position(CELL_TO_KEEP))}
    assert len(values) == 5 and min(values, key=values.__getitem__) == 180


def _best_name(text: str, spec: str) -> str:
    state = position(text)
    action = make_agent(spec).act(state, legal_mask(state), np.random.default_rng(0))
    return format_action(action, state.num_players, "gray")


@pytest.fixture
def colored_model(tmp_path: Path) -> str:
    """The spec of a network of colored games."""
    write_model(tmp_path / "colored.npz", random_model(2))
    return f"neural:path={tmp_path / 'colored.npz'}"


def test_agent_of_another_variant__is_refused_by_name_before_the_first_game(
    colored_model: str,
) -> None:
    why = "does not play the variant 'gray': it plays colored"
    with pytest.raises(VariantNotPlayedError, match=why):
        run_match(("random", colored_model), MatchConfig(2, variant="gray"), on_game=pytest.fail)
    state = new_game(2, rng=0, variant="gray")
    with pytest.raises(VariantNotPlayedError, match=why):
        make_agent(colored_model).act(state, legal_mask(state), np.random.default_rng(0))


@pytest.mark.parametrize("num_players", [3, 4])
def test_ppo_without_a_model__is_refused_by_name_before_the_first_game(num_players: int) -> None:
    why = f"'ppo'.*no packaged model for {num_players} players and the variant 'gray'"
    table = ("ppo", *["random"] * (num_players - 1))
    with pytest.raises(AgentSpecError, match=why):
        run_match(table, MatchConfig(num_players, variant="gray"), on_game=pytest.fail)
    with pytest.raises(AgentSpecError, match=why):
        Table([make_agent(spec) for spec in table], 0, [], variant="gray")
    with pytest.raises(ValueError, match=why):
        AzulEnv(num_players, opponents="ppo", variant="gray")
    config = TournamentConfig(("random", "ppo"), players=(2, num_players), variant="gray")
    with pytest.raises(AgentSpecError, match=why):
        run_tournament(config, Path("never"), on_games=pytest.fail)


@pytest.mark.parametrize("level", LEVELS)
def test_level__plays_gray_games(level: Level) -> None:
    spec = level.spec if "500000" not in level.spec else "alphabeta:nodes=1000"
    rngs = [np.random.default_rng(seat) for seat in range(2)]
    played = play_game([make_agent(spec), make_agent("random")], 1, rngs, variant="gray")
    assert verify(played.record).is_terminal and played.result.forfeits == (None, None)


def test_python_agent__plays_the_variants_that_it_names() -> None:
    def first(state: GameState, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(legal_mask.argmax())

    agent = kind_of(first, "first").make("python:mine:first", NoOptions())
    with pytest.raises(VariantNotPlayedError, match="python:mine:first does not play"):
        Table([make_agent("random"), agent], 0, [], variant="gray")
    first.variants = VARIANTS  # type: ignore[attr-defined]
    rngs = [np.random.default_rng(seat) for seat in range(2)]
    assert verify(play_game([agent, agent], 0, rngs, variant="gray").record).is_terminal


def test_bot__answers_gray_positions_or_says_by_name_that_it_does_not(colored_model: str) -> None:
    state = positions(2)[-1]
    question = to_line({"type": "act", "position": to_dict(state)})
    answers: list[bytes] = []
    for spec in ("random", colored_model):
        serve(make_agent(spec), [question], answers.append, seed=0)
    played, refused = map(from_line, answers)
    assert legal_mask(state)[played["action"]]
    assert refused["type"] == "error" and "it plays colored" in refused["message"]


def test_unknown_variant__is_an_error_of_the_config() -> None:
    for make in (lambda: MatchConfig(variant="grey"), lambda: _tournament("grey")):
        with pytest.raises(ValueError, match="colored, gray, not 'grey'"):
            make()


def _tournament(name: str) -> TournamentConfig:
    return TournamentConfig(("random", "greedy"), variant=name)


def test_recorded_match__replays() -> None:
    records = []
    run_match(
        ("random", "random", "random"),
        MatchConfig(6, jobs=1, variant="gray"),
        on_game=lambda finished: records.append(finished.played.record),
    )
    assert len(records) == 6
    for record in records:
        assert record.variant == "gray" and verify(record).is_terminal
        assert any(event["type"] == "tile" for event in record.events)


@pytest.mark.parametrize(
    "kind", [each for each in KINDS if each.variants], ids=lambda each: each.name
)
def test_kind__says_which_variants_its_agents_play(kind: AgentKind):
    assert tuple(make_agent(kind.name).variants) == kind.variants

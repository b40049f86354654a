"""The warm start: samples hold the teacher's actions and returns, and a network can learn them."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
import torch

from azul_agents import GreedyAgent, NeuralAgent, make_agent
from azul_agents.neural.agent import NeuralPolicy
from azul_agents.search.mcts import margin_of
from azul_env import GameState, apply_action, legal_mask, ranking
from azul_env.core.batch import write_masks
from azul_env.envs.opponents import AllGames
from azul_train.config import ImitationConfig, TrainConfig
from azul_train.export import model_of
from azul_train.selfplay.imitation import Samples, collect_samples, imitate, warm_start
from azul_train.selfplay.network_agent import frozen, inputs_of
from azul_train.selfplay.teacher import Teacher
from train.tiny import tiny_network

REWARD = {"outcome": 0.5, "round_margin": 0.03}


def config_of(
    count: int, num_players: int = 2, random_moves: float = 0.0, seed: int = 1, max_rounds: int = 1
) -> TrainConfig:
    imitation = ImitationConfig("greedy", count, random_moves=random_moves)
    return TrainConfig(
        num_players=num_players,
        seed=seed,
        max_rounds=max_rounds,
        reward=REWARD,
        imitation=imitation,
    )


def collected(
    count: int, num_players: int = 2, random_moves: float = 0.0, seed: int = 1, max_rounds: int = 2
) -> Samples:
    config = config_of(count, num_players, random_moves, seed, max_rounds)
    return collect_samples(Teacher(make_agent("greedy")), config, count)


def states_of(samples: Samples) -> list[GameState]:
    return [GameState(samples.rows[i : i + 1]) for i in range(len(samples))]


def finished_games(samples: Samples) -> Iterator[tuple[range, GameState]]:
    """The samples of each game that the teacher played without random moves, and how the game ended."""
    begin = 0
    for i, state in enumerate(states_of(samples)):
        after = apply_action(state, int(samples.actions[i]), rng=1).state
        if after.is_terminal:
            yield range(begin, i + 1), after
            begin = i + 1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_samples__are_positions_and_what_the_teacher_plays_there(num_players):
    samples = collected(300, num_players, random_moves=0.3)
    assert len(samples) == len(samples.actions) == len(samples.returns) == 300
    for state, action in zip(states_of(samples), samples.actions.tolist(), strict=True):
        assert legal_mask(state)[action]
        values = {move.action: move.value for move in GreedyAgent().analyse(state)}
        assert values[action] == max(values.values())


@pytest.mark.parametrize(("random_moves", "least", "most"), [(0.0, 1, 1), (0.5, 0.4, 0.7)])
def test_random_moves__are_played_as_often_as_told(random_moves, least, most):
    samples = collected(1500, random_moves=random_moves)
    states = states_of(samples)
    followed = []
    for i, (state, after) in enumerate(pairwise(states)):
        if state.round == after.round and len(followed) < 600:
            expected = apply_action(state, int(samples.actions[i]), rng=1).state
            if expected.round == state.round and not expected.is_terminal:
                followed.append(expected == after)
    assert least <= np.mean(followed) <= most


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_returns__are_what_the_finished_game_paid_from_there_on(num_players):
    samples = collected(600, num_players)
    states = states_of(samples)
    checked = 0
    for numbers, end in finished_games(samples):
        ranks, scores = ranking(end), end.scores
        others = num_players - 1
        for i in numbers:
            own = states[i].current_player
            worse = sum(rank > ranks[own] for rank in ranks)
            better = sum(rank < ranks[own] for rank in ranks)
            margins = [
                points[own] - (sum(points) - points[own]) / others
                for points in (states[i].scores, scores)
            ]
            expected = 0.5 * (worse - better) / others + 0.03 * (margins[1] - margins[0])
            assert samples.returns[i] == pytest.approx(expected)
            checked += 1
    assert checked > 400


def test_same_seed__gives_the_same_samples():
    first, second, other = (collected(400, random_moves=0.2, seed=seed) for seed in (1, 1, 2))
    for name in ("rows", "actions", "returns"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
    assert first.rows.tobytes() != other.rows.tobytes()


SEARCHES = ["alphabeta:nodes=50", "mcts:simulations=50", "mcts:simulations=20,leaf=round"]


@pytest.mark.parametrize("num_players", [2, 3])
def test_monte_carlo_search_as_teacher__gives_its_best_move_and_its_value(num_players):
    player = make_agent("mcts:simulations=50")
    samples = collect_samples(Teacher(player), config_of(40, num_players), 40)
    answers = zip(samples.actions, samples.values, strict=True)
    for state, (action, value) in zip(states_of(samples), answers, strict=True):
        assert player.act(state, legal_mask(state), np.random.default_rng(0)) == action
        best = max(player._memory.root_moves(), key=lambda move: (move.tries, move.result))
        assert (best.action, margin_of(best.result)) == (action, pytest.approx(value))


@pytest.mark.parametrize("spec", SEARCHES)
def test_number_of_threads__does_not_change_the_samples_of_a_search(spec):
    def searched(threads: int) -> Samples:
        teacher = Teacher.of_spec(spec, threads)
        return collect_samples(teacher, config_of(300, random_moves=0.1, seed=4), 300)

    one, three = searched(1), searched(3)
    assert one.rows.tobytes() == three.rows.tobytes()
    assert one.actions.tolist() == three.actions.tolist()


def test_progress__is_told_up_to_the_number_of_samples():
    told: list[int] = []
    teacher = Teacher(make_agent("greedy"))
    collect_samples(teacher, config_of(200), 200, on_samples=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 200)


def test_teacher_that_breaks_the_rules__is_an_error():
    @AllGames
    def wrong(rows: object, masks: np.ndarray, rng: object) -> np.ndarray:
        return (~masks).argmax(axis=1)

    with pytest.raises(ValueError, match=r"illegal action \d+ .*SOURCE_EMPTY"):
        collect_samples(Teacher(wrong), config_of(10), 10)


def test_imitating_greedy__raises_accuracy_on_unseen_positions_far_above_chance():
    torch.manual_seed(1)
    network = tiny_network()
    lessons, unseen = collected(6000, max_rounds=50), collected(1000, seed=2, max_rounds=50)
    masks = np.zeros((1000, 180), np.bool_)
    write_masks(unseen.rows, masks, 0, 1000)
    chance = float((1 / masks.sum(axis=1)).mean())

    def accuracy() -> float:
        policy = NeuralPolicy(model_of(network, {}))
        agent = NeuralAgent.of_policy("learner", policy)
        return float((agent.act_batch(unseen.rows, masks, []) == unseen.actions).mean())

    def value_error() -> float:
        with torch.no_grad():
            observations = torch.from_numpy(inputs_of(network).of(lessons.rows[:1000]))
            return float(
                np.square(network(observations)[1].numpy() - lessons.returns[:1000]).mean()
            )

    before, error_before = accuracy(), value_error()
    lesson_plan = ImitationConfig(epochs=4, batch_size=100, learning_rate=5e-3)
    result = imitate(network, lessons, TrainConfig(imitation=lesson_plan))
    assert before < 2.5 * chance
    assert accuracy() > max(0.4, 3 * chance)
    assert result["accuracy"] == pytest.approx(accuracy(), abs=0.12)
    assert value_error() < 0.95 * error_before


def test_imitation__is_the_same_for_the_same_seed_and_leaves_nothing_out_of_small_collections():
    samples = collected(50)
    results = []
    for _ in range(2):
        torch.manual_seed(1)
        network = tiny_network()
        told: list[int] = []
        result = imitate(network, samples, TrainConfig(), on_batch=told.append)
        assert told == [50, 100]
        results.append((result, network.turns.weight.tolist()))
    assert results[0] == results[1]


def test_values_of_a_search__tell_about_returns_what_one_game_cannot():
    config = config_of(3000, random_moves=0.1, max_rounds=50)
    samples = collect_samples(Teacher.of_spec("alphabeta:nodes=50", 1), config, 3000)
    expected = samples.value_targets(1.0)
    assert np.array_equal(samples.value_targets(0.0), samples.returns)
    assert np.allclose(samples.value_targets(0.5), (samples.returns + expected) / 2)
    assert expected.mean() == pytest.approx(samples.returns.mean())
    assert 0.3 < np.corrcoef(expected, samples.returns)[0, 1] < 0.95
    assert np.array_equal(collected(50).value_targets(1.0), collected(50).returns)


def test_later_rounds__hold_the_teachers_answers_to_the_students_games():
    torch.manual_seed(1)
    student, teacher = frozen(tiny_network(), "student"), Teacher(make_agent("greedy"))
    config = config_of(600, max_rounds=50)
    samples = collect_samples(teacher, config, 600, number=1, student=student)
    shown = collect_samples(teacher, config, 600)
    assert samples.rows.tobytes() != shown.rows.tobytes()
    # An untrained student collects few points, and the teacher's actions are still the best for the moment.
    assert samples.rows["scores"].mean() < 0.8 * shown.rows["scores"].mean()
    for state, action in zip(states_of(samples)[::20], samples.actions[::20].tolist(), strict=True):
        values = {move.action: move.value for move in GreedyAgent().analyse(state)}
        assert values[action] == pytest.approx(max(values.values()))


def test_warm_start__reports_all_samples_of_all_rounds():
    plan = ImitationConfig("greedy", 500, epochs=2, batch_size=50, rounds=2)
    told: list[tuple[int, int]] = []
    torch.manual_seed(1)
    result = warm_start(
        tiny_network(), TrainConfig(imitation=plan), lambda *report: told.append(report)
    )
    assert told == sorted(told)
    assert told[-1] == (500 + 2 * 250 + 2 * 500, 500 + 2 * 250 + 2 * 500)
    assert 0 < result["accuracy"] < 1

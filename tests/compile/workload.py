"""Uses every kernel and prints a digest of all results; with the argument `few`, only plays some games on the colored wall,
and with `mutated`, then plays mutated rows as well.

Run in processes with other settings.
"""

import hashlib
import sys
from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from azul_agents.analysis.streaming import analysis_of
from azul_agents.analysis.win_chance import win_chances
from azul_agents.baselines.greedy import GreedyAgent
from azul_agents.guided.agent import GuidedAgent
from azul_agents.kinds import AlphaBetaOptions, GuidedOptions, MctsOptions
from azul_agents.neural.agent import NeuralAgent, NeuralPolicy
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.fitting import first_weights, self_play
from azul_agents.search.mcts import MctsAgent
from azul_agents.search.network.evaluator import write_outputs
from azul_agents.search.network.features import MAX_LISTED, TABLE_LISTED, write_features
from azul_agents.search.network.offers import offers_listed, write_offers
from azul_agents.search.network.weights_file import network_evaluator
from azul_agents.search.pvs import new_memory
from azul_agents.search.self_play import SETTINGS, record_games
from azul_agents.search.shipped import evaluator_named
from azul_env import (
    GameBatch,
    GameState,
    apply_action,
    azul_v0,
    legal_actions,
    legal_mask,
    new_game,
    observe,
    ranking,
    resign,
)
from azul_env.core.by_variant import GRAY_FIELD
from azul_env.core.jit import KERNELS
from azul_env.envs.single import AzulEnv
from azul_env.envs.vector import AzulTurnsVectorEnv, AzulVectorEnv
from azul_train.selfplay.rewards import seat_rewards, win_shares
from fuzz import rows
from models import SMALL, random_model

VARIANTS = ("colored", "gray")


def play_single_games(digest: "hashlib._Hash", seeds: range) -> None:
    for seed in seeds:
        rng = np.random.Generator(np.random.PCG64(seed))
        num_players = 2 + seed % 3
        variant = "gray" if seed % 2 else "colored"
        state = new_game(num_players, seed % num_players, rng, 1 + seed % 9, variant=variant)
        while not state.is_terminal:
            actions = legal_actions(state)
            pick = int(rng.bit_generator.random_raw() % len(actions))
            if pick == 7:  # now and then somebody leaves
                state = resign(state, state.current_player, rng).state
            else:
                state = apply_action(state, actions[pick], rng).state
            digest.update(state.rows.tobytes())
        digest.update(bytes(ranking(state)))


def play_batches(digest: "hashlib._Hash", steps: int) -> None:
    for num_players, variant in product((2, 3, 4), VARIANTS):
        batch = GameBatch(
            3,
            num_players,
            seed=num_players,
            starting_player=None,
            max_rounds=2,
            variant=variant,
        )
        for _ in range(steps):
            ended = batch.step(batch.random_actions())
            digest.update(batch.rows.tobytes() + batch.legal_masks().tobytes())
            digest.update(batch.final_rows[ended].tobytes())
        digest.update(batch.play_to_round_end().tobytes())
        batch.reset()
        digest.update(batch.play_to_end().tobytes() + batch.rows.tobytes())


def use_environments(digest: "hashlib._Hash", steps: int) -> None:
    for reward in ("outcome", "score_margin", "round_margin"):
        kinds = product((AzulVectorEnv, AzulTurnsVectorEnv), ("float32", "uint8"), VARIANTS)
        for kind, observation, variant in kinds:
            env = kind(3, max_rounds=2, reward=reward, observation=observation, variant=variant)
            _, info = env.reset(seed=1)
            for _ in range(steps):
                actions = info["action_mask"].argmax(axis=1)
                observations, rewards, *_, info = env.step(actions)
                digest.update(observations.tobytes() + rewards.tobytes())
        against_greedy = AzulVectorEnv(2, opponents="greedy", reward=reward)
        _, info = against_greedy.reset(seed=2)
        for _ in range(steps // 4):
            observations, *_, info = against_greedy.step(info["action_mask"].argmax(axis=1))
            digest.update(observations.tobytes())
    for variant in VARIANTS:
        single = AzulEnv(variant=variant)
        _, info = single.reset(seed=3)
        digest.update(single.step(int(info["action_mask"].argmax()))[0].tobytes())
        turns = azul_v0.env(variant=variant)
        turns.reset(seed=4)
        turns.step(int(turns.last()[0]["action_mask"].argmax()))
        digest.update(turns.last()[0]["observation"].tobytes())
        digest.update(GameState(turns.unwrapped.get_state().rows).rows.tobytes())  # is checked


def use_agents(digest: "hashlib._Hash") -> None:
    late = new_game(2, rng=1)
    for _ in range(9):
        late = apply_action(late, int(np.flatnonzero(legal_mask(late))[-1]), rng=1).state
    policy = NeuralPolicy(random_model(2))
    agents = [
        GreedyAgent(),
        NeuralAgent.of_policy("neural", policy),
        NeuralAgent.of_policy("neural", policy, temperature=1.0),
        AlphaBetaAgent(options=AlphaBetaOptions(nodes=60)),
        AlphaBetaAgent(options=AlphaBetaOptions(nodes=60, evaluation="linear")),
        *(MctsAgent(options=MctsOptions(simulations=8, leaf=leaf)) for leaf in ("value", "game")),
        GuidedAgent(options=GuidedOptions(simulations=8, solve=0)),
    ]
    for agent in agents:
        action = agent.act(late, legal_mask(late), np.random.Generator(np.random.PCG64(5)))
        digest.update(GameState(late.rows).rows.tobytes() + bytes([action % 256]))
    far_sighted = NeuralPolicy(random_model(2, size=SMALL | {"outlook": 1}))
    digest.update(bytes([int(far_sighted.judge(late)[0].argmax())]))
    nearly_over = late
    for _ in range(3):
        action = int(np.flatnonzero(legal_mask(nearly_over))[-1])
        nearly_over = apply_action(nearly_over, action, rng=1).state
    looks_ahead = AlphaBetaAgent(options=AlphaBetaOptions(nodes=3000, deals=1))
    mask, rng = legal_mask(nearly_over), np.random.Generator(np.random.PCG64(5))
    action = looks_ahead.act(nearly_over, mask, rng)
    digest.update(bytes([action % 256, looks_ahead.deals]))
    for array in policy.logits_and_values(observe(late)[None]):
        digest.update(array.tobytes())
    gray = NeuralPolicy(random_model(2, variant="gray")).judge(new_game(2, rng=1, variant="gray"))
    digest.update(gray[0].tobytes() + np.float32(gray[1]).tobytes())
    digest.update(repr(agents[0].analyse(late)).encode())
    searcher = AlphaBetaAgent(options=AlphaBetaOptions(nodes=20))
    for num_players in (2, 3):
        batch = GameBatch(2, num_players, seed=6)
        digest.update(searcher.act_batch(batch.rows, batch.legal_masks(), []).tobytes())
    found = analysis_of(late, searcher)
    digest.update(repr([(c.action, c.line) for c in found.candidates]).encode())
    digest.update(repr(np.round(win_chances(new_game(3, rng=1), 5.0), 9).tolist()).encode())
    weights = first_weights()
    self_play(2, 1, weights, seed=1, nodes=20)
    use_gray_agents(digest)
    use_networks(digest)


def use_gray_agents(digest: "hashlib._Hash") -> None:
    rng = np.random.Generator(np.random.PCG64(8))
    tiling = new_game(2, rng=1, variant="gray")
    while not tiling.columns_to_choose:
        tiling = apply_action(tiling, int(legal_mask(tiling).argmax()), rng=1).state
    agents = [
        GreedyAgent(),
        AlphaBetaAgent(options=AlphaBetaOptions(nodes=60)),
        MctsAgent(options=MctsOptions(simulations=8)),
    ]
    for agent, state in product(agents, (new_game(3, rng=2, variant="gray"), tiling)):
        digest.update(bytes([agent.act(state, legal_mask(state), rng) % 256]))
        values = [(move.action, round(move.value, 6)) for move in agent.analyse(state)]
        digest.update(repr(values).encode())
    batch = GameBatch(2, 2, seed=6, variant="gray")
    digest.update(agents[1].act_batch(batch.rows, batch.legal_masks(), []).tobytes())
    win_chances(new_game(3, rng=1, variant="gray"), 5.0)
    self_play(2, 1, first_weights("gray"), seed=1, nodes=20, variant="gray")


def use_networks(digest: "hashlib._Hash") -> None:
    settings = np.array([(2, 40, 500, 300)], SETTINGS)
    evaluator = network_evaluator(2)
    recording = record_games(1, settings, evaluator, new_memory(10, 10), seed=1)
    count = len(recording.rows)
    boards = np.zeros((count, 2, MAX_LISTED), np.int16)
    table, points = np.zeros((count, TABLE_LISTED), np.int16), np.zeros((count, 2), np.int16)
    rows = np.ascontiguousarray(recording.rows)
    write_features(rows, boards, table, points, np.zeros(MAX_LISTED, np.int64))
    offers = np.zeros((count, 2, offers_listed(2)), np.int16)
    write_offers(rows, offers, np.zeros(offers.shape[2], np.int64))
    for array in (recording.rows, boards, table, points, offers):
        digest.update(array.tobytes())
    for judge in (evaluator, evaluator_named("offers", 2)):
        outputs = np.zeros((count, 2, 2))
        write_outputs(judge, rows, outputs)
        digest.update(outputs.tobytes())


def signatures_of(kernel: Any) -> int:
    """How often a kernel was compiled for one variant and one class of evaluators: kernels are compiled for each."""
    classes = [
        tuple((is_gray(kind), getattr(kind, "instance_class", None)) for kind in signature)
        for signature in kernel.signatures
    ]
    return max(Counter(classes).values(), default=0)


def is_gray(kind: Any) -> bool:
    """True for the type of a row, or of an array of rows, of a gray game; or of a tuple with one."""
    if hasattr(kind, "types"):
        return any(map(is_gray, kind.types))
    return GRAY_FIELD in getattr(getattr(kind, "dtype", kind), "fields", ())


def use_rewards_of_learners(digest: "hashlib._Hash") -> None:
    for num_players in (2, 3, 4):
        batch = GameBatch(3, num_players, seed=num_players, max_rounds=2)
        before, seats = batch.rows.copy(), np.arange(3) % num_players
        batch.play_to_end()
        weights = {"outcome": 0.5, "score_margin": 0.01, "round_margin": 1}
        digest.update(seat_rewards(before, batch.rows.copy(), seats, weights).tobytes())
        digest.update(win_shares(batch.rows[[0, 2]], seats[[0, 2]]).tobytes())


def main() -> None:
    digest = hashlib.sha256()
    if "few" in sys.argv:
        play_single_games(digest, range(0, 18, 2))
    else:
        play_single_games(digest, range(9))
        play_batches(digest, steps=60)
        use_environments(digest, steps=24)
        use_agents(digest)
        use_rewards_of_learners(digest)
    if "mutated" in sys.argv:
        counts = rows.main(mutations=100, seed=1)
        print("mutated", counts["sound"], counts["refused"])
    print("digest", digest.hexdigest())
    for kernel in KERNELS:
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
        print("kernel", name, signatures_of(kernel), sum(kernel.stats.cache_misses.values()))


if __name__ == "__main__":
    sys.exit(main())

"""Small things for the tests of learning: configs, networks, opponents and games about to end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from azul_env.core.spec import ACTIONS_PER_SOURCE, NUM_DESTINATIONS
from azul_env.core.state import Rows
from azul_env.envs.opponents import AllGames
from azul_env.state import GameState
from azul_train.config import NetworkSize, TrainConfig, read_config
from azul_train.network import AzulNetwork
from azul_train.run.folder import RunFolder
from positions import position

TINY_NETWORK = NetworkSize(trunk=32, source=8, key=4, value=8)
TINY_RUN = (
    "network={trunk: 32, source: 8, key: 4, value: 8}",
    "ppo={games: 16, rollout_steps: 16, batch_size: 128, epochs: 2}",
    "league={scripted: {random: 0.5}, snapshot_every: 256}",
    "evaluation={opponents: [random], games: 12, every: 512, choice_games: 12, final_games: 12}",
    "checkpoint_every=512",
)
FEW_GAMES = (
    "evaluation.games=4",
    "evaluation.choice_games=4",
    "evaluation.final_games=4",
)
# What two equal runs may differ in.
TIMES = (
    "minutes",
    "processor_minutes",
    "steps_per_second",
    "shares",
)
FIFTH_LINE = 4


def tiny_config(*changes: str) -> TrainConfig:
    """A run of well under a second for every thousand steps."""
    return read_config(None, [*TINY_RUN, *changes])


def new_folder(root: Path, config: TrainConfig) -> RunFolder:
    return RunFolder.create(root, config, "a test")


def tiny_network(num_players: int = 2) -> AzulNetwork:
    return AzulNetwork(num_players, TINY_NETWORK)


def without_times(metrics: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: line[key] for key in line if key not in TIMES} for line in metrics]


@AllGames
def to_fifth_line(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An opponent that puts the first tiles it may into its fifth line."""
    is_wanted = np.arange(masks.shape[1]) % NUM_DESTINATIONS == FIFTH_LINE
    return (masks & is_wanted).argmax(axis=1)


@AllGames
def lowest_action(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An opponent that plays the first legal action."""
    return masks.argmax(axis=1)


@AllGames
def only_floor(rows: Rows, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The worst opponent: everything goes to the floor."""
    is_floor = np.arange(masks.shape[1]) % NUM_DESTINATIONS == NUM_DESTINATIONS - 1
    return (masks & is_floor).argmax(axis=1)


def last_turns(
    num_players: int, mover: int, winner: int, turns: int = 1, head: str = "round 4/50"
) -> GameState:
    """A game that ends after this many turns to the fifth line, and in which `winner` completes a row for 7 points.

    Behind the winner, who has 30 points, the others have 20, 10 and 0 in turn order.
    """
    boards = []
    for seat in range(num_players):
        place = (seat - winner) % num_players
        wall = "W:BYRK.////" if place == 0 else "////"
        boards.append(f"{30 - 10 * place} {wall} -")
    factories = 2 * num_players + 1
    sources = [*"BYRK"[:turns], *"-" * (factories - turns)]
    return position(
        f"azul {num_players}p {head} turn {mover} start 0 | {' '.join(sources)} | * | bag ? lid - | "
        + " | ".join(boards)
    )


def action_of(source: int, color: int, destination: int) -> int:
    return source * ACTIONS_PER_SOURCE + color * NUM_DESTINATIONS + destination

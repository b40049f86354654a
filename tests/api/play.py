"""How the tests of the environments choose actions and note what they saw."""

import copy
import pickle
from typing import Any, NamedTuple

import numpy as np

from azul_env import GameState

PLAYERS = (2, 3, 4)
REWARDS = ("outcome", "score_margin", "round_margin")


def pickled(env: Any) -> Any:
    """A copy by way of bytes."""
    return pickle.loads(pickle.dumps(env))


COPIES = (copy.deepcopy, pickled)  # ways to copy an environment


class Seen(NamedTuple):
    """What an agent was told before one of its steps; arrays as bytes, so that two compare."""

    agent: str
    observation: bytes
    mask: bytes
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def choice(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A legal action, all equally likely."""
    return int(rng.choice(np.flatnonzero(mask)))


def played(env: Any, seed: int, steps: int | None = None) -> list[Seen]:
    """Play an AEC environment from where it stands, to the end of all agents or for a number of steps."""
    rng = np.random.default_rng(seed)
    seen: list[Seen] = []
    for agent in env.agent_iter(2**63 if steps is None else steps):
        observation, reward, terminated, truncated, info = env.last()
        vector, mask = observation["observation"], observation["action_mask"]
        seen.append(
            Seen(agent, vector.tobytes(), mask.tobytes(), reward, terminated, truncated, dict(info))
        )
        env.step(None if terminated or truncated else choice(mask, rng))
    return seen


def episode(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Play a single environment from where it stands to the end: what each step returned, arrays as bytes."""
    rng = np.random.default_rng(seed)
    seen = []
    is_over = False
    while not is_over:
        vector, reward, terminated, truncated, info = env.step(choice(env.action_masks(), rng))
        is_over = terminated or truncated
        info["action_mask"] = info["action_mask"].tobytes()
        seen.append((vector.tobytes(), reward, terminated, truncated, info))
    return seen


def first_legal(state: Any, mask: np.ndarray, rng: np.random.Generator) -> int:
    """An opponent of a single game that needs no chance."""
    return int(mask.argmax())


def last_legal(state: Any, mask: np.ndarray, rng: np.random.Generator) -> int:
    """Another one."""
    return int(np.flatnonzero(mask)[-1])


def point_gain(before: Any, after: Any) -> np.ndarray:
    """A reward of a user's own: the points each seat won in a step."""
    return np.subtract(after.scores, before.scores)


def first_legals(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """`first_legal` for many games at once."""
    return masks.argmax(axis=1)


def last_legals(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> list[int]:
    """`last_legal` for many games at once."""
    return [last_legal(None, mask, rng) for mask in masks]


def drawn(rows: Any, masks: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Random actions for many games at once."""
    return [choice(mask, rng) for mask in masks]


def states_of(env: Any) -> list[GameState]:
    rows = env.get_state()
    return [GameState(rows[game : game + 1].copy()) for game in range(len(rows))]


def chosen(masks: np.ndarray, rng: np.random.Generator, wrong: float = 0.0) -> np.ndarray:
    """An action for every game, some share of them illegal."""
    return np.array([choice(~mask if rng.random() < wrong else mask, rng) for mask in masks])

"""The warm start: behavior cloning of a teacher's actions, with its returns as value targets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from azul_agents.base import Agent
from azul_agents.registry import make_agent
from azul_env import GameState, Rows, num_actions
from azul_env.core.batch import reset_games, write_masks
from azul_env.core.chance import chances_from
from azul_env.core.rounds import PLAYING
from azul_env.core.state import empty_rows
from azul_env.core.step import ALL_LEGAL, RANDOM_SEAT, step_some
from azul_env.envs.opponents import answers_of
from azul_env.rules import refuse
from azul_env.state import trusted_state
from azul_train.config import TrainConfig
from azul_train.network import AzulNetwork
from azul_train.selfplay.network_agent import observed
from azul_train.selfplay.rewards import seat_rewards

GAMES = 128  # played in lockstep


@dataclass(frozen=True)
class Samples:
    """Positions with the teacher's action and the return of the player to move."""

    rows: Rows
    actions: NDArray[np.int64]
    returns: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


class ThreadedAgent(Agent):
    """Copies of an agent that play the games of a batch on several threads: compiled searches release the GIL."""

    def __init__(self, spec: str, threads: int) -> None:
        self.spec = spec
        self._agents = [make_agent(spec) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The action of one copy."""
        return self._agents[0].act(state, legal_mask, rng)

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """The actions for all games, split evenly between the copies."""
        parts = np.array_split(np.arange(len(rows)), min(len(self._agents), len(rows)))

        def ask(agent: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
            return answers_of(agent, rows[games], legal_masks[games], [rngs[g] for g in games])

        return np.concatenate(list(self._pool.map(ask, self._agents, parts)))


def collect_samples(
    teacher: Agent, config: TrainConfig, on_samples: Callable[[int], None] = lambda done: None
) -> Samples:
    """Positions from games that the teacher plays against itself.

    A share of the moves is random, so that the teacher shows how to continue after a mistake; the actions in the
    samples are always the teacher's.
    """
    num_players, max_rounds = config.num_players, config.max_rounds
    count, random_moves = config.imitation.samples, config.imitation.random_moves
    rng = np.random.default_rng([config.seed, 3])
    chances = chances_from(config.seed, GAMES)
    rngs, random_agent = [rng] * GAMES, make_agent("random")
    rows = empty_rows(GAMES)
    all_games, masks = np.arange(GAMES), np.zeros((GAMES, num_actions(num_players)), np.bool_)
    finished: list[Samples] = []
    histories: list[list[tuple[Rows, int]]] = [[] for _ in range(GAMES)]
    reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, 0, GAMES)
    collected = 0
    while collected < count:
        write_masks(rows, masks, 0, GAMES)
        choices = answers_of(teacher, rows.copy(), masks, rngs)
        for game in range(GAMES):
            histories[game].append((rows[game : game + 1].copy(), int(choices[game])))
        is_random = rng.random(GAMES) < random_moves
        played = np.where(is_random, random_agent.act_batch(rows, masks, rngs), choices)
        illegal = step_some(rows, chances, all_games, played)
        if illegal != ALL_LEGAL:
            refuse(trusted_state(rows[illegal : illegal + 1].copy()), int(played[illegal]), illegal)
        for game in np.flatnonzero(rows["end_reason"] != PLAYING).tolist():
            finished.append(_samples_of(histories[game], rows[game : game + 1], config.reward))
            collected += len(finished[-1])
            histories[game] = []
            reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, game, game + 1)
        on_samples(min(collected, count))
    parts = zip(*((s.rows, s.actions, s.returns) for s in finished), strict=True)
    return Samples(*(np.concatenate(part)[:count] for part in parts))


def _samples_of(history: list[tuple[Rows, int]], end: Rows, reward: Mapping[str, float]) -> Samples:
    """The samples of a finished game."""
    rows = np.concatenate([row for row, _ in history])
    actions = np.array([action for _, action in history])
    movers = rows["current_player"].astype(np.int64)
    return Samples(rows, actions, seat_rewards(rows, np.repeat(end, len(rows)), movers, reward))


def imitate(
    network: AzulNetwork,
    samples: Samples,
    config: TrainConfig,
    on_batch: Callable[[int], None] = lambda done: None,
) -> dict[str, float]:
    """Fit the network to the teacher's actions and to the returns; loss and accuracy over the last epoch."""
    epochs, learning_rate = config.imitation.epochs, config.imitation.learning_rate
    batch_size = min(config.imitation.batch_size, len(samples))
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    rng = np.random.default_rng([config.seed, 4])
    batches = epochs * (len(samples) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, max(batches, 1))
    done = 0
    loss_sum = right = seen = 0.0
    for epoch in range(epochs):
        for batch in _batches(len(samples), batch_size, rng):
            logits, values = _masked_outputs(network, samples.rows[batch])
            actions = torch.from_numpy(samples.actions[batch])
            returns = torch.from_numpy(samples.returns[batch]).float()
            policy_loss = functional.cross_entropy(logits, actions)
            loss = policy_loss + config.ppo.value_coef * functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            on_batch(done * batch_size)
            if epoch == epochs - 1:
                loss_sum += policy_loss.item() * batch_size
                right += float((logits.argmax(1) == actions).sum())
                seen += batch_size
    return {"loss": loss_sum / seen, "accuracy": right / seen}


def _masked_outputs(network: AzulNetwork, rows: Rows) -> tuple[Tensor, Tensor]:
    """Logits, -inf for illegal actions, and values of the players to move."""
    masks = np.zeros((len(rows), num_actions(network.num_players)), np.bool_)
    logits, values = network(torch.from_numpy(observed(rows, masks)))
    return logits.masked_fill(~torch.from_numpy(masks), -torch.inf), values


def _batches(count: int, batch_size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Indices of shuffled samples, in whole batches."""
    order = rng.permutation(count)
    for start in range(0, count - batch_size + 1, batch_size):
        yield order[start : start + batch_size]

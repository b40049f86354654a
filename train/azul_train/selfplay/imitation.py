"""A warm start: learn to play as a teacher does, and what its games are worth."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from azul_agents.base import Agent
from azul_agents.registry import make_agent
from azul_env.core.batch import reset_games, write_masks
from azul_env.core.chance import chances_from
from azul_env.core.rounds import PLAYING
from azul_env.core.spec import num_actions
from azul_env.core.state import Rows, empty_rows
from azul_env.core.step import ALL_LEGAL, RANDOM_SEAT, step_some
from azul_env.envs.opponents import answers_of
from azul_env.rules import refuse
from azul_env.state import GameState
from azul_train.network import AzulNetwork
from azul_train.selfplay.network_agent import observed
from azul_train.selfplay.rewards import seat_rewards

GAMES = 128  # played at once


@dataclass(frozen=True)
class Samples:
    """Positions, what the teacher plays there, and what its game brought the mover from there on."""

    rows: Rows
    actions: NDArray[np.int64]
    returns: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


class SharedOut(Agent):
    """Copies of an agent that share the games out over threads: compiled searches need no lock."""

    def __init__(self, spec: str, threads: int) -> None:
        self.spec = spec
        self._agents = [make_agent(spec) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The action of one of them."""
        return self._agents[0].act(state, legal_mask, rng)

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """The actions of all games, a part of them from each."""
        parts = np.array_split(np.arange(len(rows)), min(len(self._agents), len(rows)))

        def ask(agent: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
            return answers_of(agent, rows[games], legal_masks[games], [rngs[g] for g in games])

        return np.concatenate(list(self._pool.map(ask, self._agents, parts)))


def collect_samples(
    teacher: Agent,
    num_players: int,
    count: int,
    random_moves: float,
    reward: Mapping[str, float],
    max_rounds: int,
    seed: int,
    on_samples: Callable[[int], None] = lambda collected: None,
) -> Samples:
    """So many positions of games that the teacher plays with itself.

    A share of the moves is played at random, so that the teacher shows how to go on after a mistake; what is learned is
    always its own choice.
    """
    rng = np.random.default_rng([seed, 3])
    chances = chances_from(seed, GAMES)
    rngs, dice = [rng] * GAMES, make_agent("random")
    rows = empty_rows(GAMES)
    everything, masks = np.arange(GAMES), np.zeros((GAMES, num_actions(num_players)), np.bool_)
    kept: list[Samples] = []
    histories: list[list[tuple[Rows, int]]] = [[] for _ in range(GAMES)]
    reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, 0, GAMES)
    collected = 0
    while collected < count:
        write_masks(rows, masks, 0, GAMES)
        choices = answers_of(teacher, rows.copy(), masks, rngs)
        for game in range(GAMES):
            histories[game].append((rows[game : game + 1].copy(), int(choices[game])))
        is_random = rng.random(GAMES) < random_moves
        played = np.where(is_random, dice.act_batch(rows, masks, rngs), choices)
        wrong = step_some(rows, chances, everything, played)
        if wrong != ALL_LEGAL:
            refuse(GameState(rows[wrong : wrong + 1].copy()), int(played[wrong]), wrong)
        for game in np.flatnonzero(rows["end_reason"] != PLAYING).tolist():
            kept.append(_finished(histories[game], rows[game : game + 1], reward))
            collected += len(kept[-1])
            histories[game] = []
            reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, game, game + 1)
        on_samples(min(collected, count))
    return Samples(
        np.concatenate([samples.rows for samples in kept])[:count],
        np.concatenate([samples.actions for samples in kept])[:count],
        np.concatenate([samples.returns for samples in kept])[:count],
    )


def _finished(history: list[tuple[Rows, int]], end: Rows, reward: Mapping[str, float]) -> Samples:
    """The samples of a game that is over."""
    rows = np.concatenate([row for row, _ in history])
    actions = np.array([action for _, action in history])
    movers = rows["current_player"].astype(np.int64)
    return Samples(rows, actions, seat_rewards(rows, np.repeat(end, len(rows)), movers, reward))


def imitate(
    network: AzulNetwork,
    samples: Samples,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    value_coef: float,
    seed: int,
    on_batch: Callable[[int], None] = lambda done: None,
) -> dict[str, float]:
    """Fit the network to the teacher's moves and to the returns; loss and accuracy over the last epoch."""
    batch_size = min(batch_size, len(samples))
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    rng = np.random.default_rng([seed, 4])
    batches = epochs * (len(samples) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, max(batches, 1))
    done = 0
    loss_sum = right = seen = 0.0
    for epoch in range(epochs):
        for batch in _batches(len(samples), batch_size, rng):
            rows = samples.rows[batch]
            masks = np.zeros((len(rows), num_actions(network.num_players)), np.bool_)
            observations = torch.from_numpy(observed(rows, masks))
            logits, values = network(observations)
            logits = logits.masked_fill(~torch.from_numpy(masks), -torch.inf)
            actions = torch.from_numpy(samples.actions[batch])
            returns = torch.from_numpy(samples.returns[batch]).float()
            policy_loss = functional.cross_entropy(logits, actions)
            loss = policy_loss + value_coef * functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            on_batch(done * batch_size)
            if epoch == epochs - 1:
                loss_sum += policy_loss.item() * len(rows)
                right += float((logits.argmax(1) == actions).sum())
                seen += len(rows)
    return {"loss": loss_sum / seen, "accuracy": right / seen}


def _batches(count: int, batch_size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All samples in a random order, in whole batches."""
    order = rng.permutation(count)
    for start in range(0, count - batch_size + 1, batch_size):
        yield order[start : start + batch_size]

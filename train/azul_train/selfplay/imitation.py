"""The warm start: behavior cloning of a teacher's actions, with its returns and values as value targets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from azul_agents.base import Agent
from azul_agents.neural.outlook import Inputs
from azul_agents.registry import make_agent
from azul_env import Rows
from azul_env.core.batch import reset_games, write_masks
from azul_env.core.chance import chances_from
from azul_env.core.rounds import PLAYING
from azul_env.core.state import empty_rows
from azul_env.core.step import ALL_LEGAL, RANDOM_SEAT, step_some
from azul_env.core.variant import variant_named
from azul_env.envs.opponents import answers_of
from azul_env.rules import refuse
from azul_env.state import trusted_state
from azul_train.config import TrainConfig
from azul_train.network import AzulNetwork
from azul_train.selfplay.network_agent import frozen, inputs_of
from azul_train.selfplay.rewards import seat_rewards
from azul_train.selfplay.teacher import Teacher

GAMES = 128  # played in lockstep
STUDENT_SHARE = 0.75  # of the moves in the student's games; the teacher plays the others


@dataclass(frozen=True)
class Samples:
    """Positions with the teacher's action, its value, and the return of the player to move."""

    rows: Rows
    actions: NDArray[np.int64]
    returns: NDArray[np.float64]
    values: NDArray[np.float64]  # in points; NaN of a teacher that has none

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, more: "Samples") -> "Samples":
        both = ((getattr(self, name), getattr(more, name)) for name in vars(self))
        return Samples(*(np.concatenate(parts) for parts in both))

    def value_targets(self, teacher_value: float) -> NDArray[np.float64]:
        """The returns, blended with predictions of them from the teacher's values.

        A value is the final margin that the search expects, a return only what is still to come: a linear regression on the
        value and the margin so far converts one to the other.
        """
        if np.isnan(self.values).any():
            return self.returns
        players = int(self.rows["num_players"][0])
        scores = self.rows["scores"][:, :players].astype(np.float64)
        own = scores[np.arange(len(self)), self.rows["current_player"]]
        margins = own - (scores.sum(axis=1) - own) / (players - 1)
        inputs = np.stack((self.values, margins, np.ones(len(self))), axis=1)
        weights = np.linalg.lstsq(inputs, self.returns, rcond=None)[0]
        return (1 - teacher_value) * self.returns + teacher_value * (inputs @ weights)


def warm_start(
    network: AzulNetwork, config: TrainConfig, on_progress: Callable[[int, int], None]
) -> dict[str, float]:
    """Imitate the config's teacher, round by round; loss and accuracy over the last epoch.

    `on_progress` gets the number of samples collected and fitted so far, and in total.
    """
    plan = config.imitation
    assert plan.teacher is not None
    teacher = Teacher.of_spec(plan.teacher, plan.threads)
    ends = [plan.samples * (number + 1) // plan.rounds for number in range(plan.rounds)]
    total = plan.samples + plan.epochs * sum(ends)
    samples: list[Samples] = []
    result: dict[str, float] = {}
    before = 0  # samples collected and fitted in earlier rounds

    def report(done: int) -> None:
        on_progress(before + done, total)

    for number, end in enumerate(ends):
        count = end - sum(map(len, samples))
        student = frozen(network, "student") if number else None
        samples.append(collect_samples(teacher, config, count, number, student, report))
        before += count
        result = imitate(network, sum(samples[1:], samples[0]), config, number, report)
        before += plan.epochs * end
    return result


def collect_samples(
    teacher: Teacher,
    config: TrainConfig,
    count: int,
    number: int = 0,
    student: Agent | None = None,
    on_samples: Callable[[int], None] = lambda done: None,
) -> Samples:
    """Positions from games of round `number`, which the teacher plays against itself, or which the student plays.

    A share of the teacher's moves is random, so that it shows how to continue after a mistake; the student makes its own
    mistakes. The actions in the samples are always the teacher's.
    """
    num_players, max_rounds = config.num_players, config.max_rounds
    variant = variant_named(config.variant)
    rng = np.random.default_rng([config.seed, 3, number])
    chances = chances_from(config.seed + number * GAMES, GAMES)
    rngs = [rng] * GAMES
    rows = empty_rows(GAMES, variant.dtype)
    all_games = np.arange(GAMES)
    masks = np.zeros((GAMES, variant.num_actions(num_players)), np.bool_)
    finished: list[Samples] = []
    histories: list[list[tuple[Rows, int, float]]] = [[] for _ in range(GAMES)]
    reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, 0, GAMES)
    other, share = student or make_agent("random"), STUDENT_SHARE
    if student is None:
        share = config.imitation.random_moves
    collected = 0
    while collected < count:
        write_masks(rows, masks, 0, GAMES)
        choices, values = teacher.judge(rows.copy(), masks, rngs)
        for game in range(GAMES):
            lesson = rows[game : game + 1].copy(), int(choices[game]), float(values[game])
            histories[game].append(lesson)
        is_other = rng.random(GAMES) < share
        played = np.where(is_other, answers_of(other, rows.copy(), masks, rngs), choices)
        illegal = step_some(rows, chances, all_games, played)
        if illegal != ALL_LEGAL:
            refuse(trusted_state(rows[illegal : illegal + 1].copy()), int(played[illegal]), illegal)
        for game in np.flatnonzero(rows["end_reason"] != PLAYING).tolist():
            finished.append(_samples_of(histories[game], rows[game : game + 1], config.reward))
            collected += len(finished[-1])
            histories[game] = []
            reset_games(rows, chances, num_players, RANDOM_SEAT, max_rounds, game, game + 1)
        on_samples(min(collected, count))
    parts = zip(*((s.rows, s.actions, s.returns, s.values) for s in finished), strict=True)
    return Samples(*(np.concatenate(part)[:count] for part in parts))


def _samples_of(
    history: list[tuple[Rows, int, float]], end: Rows, reward: Mapping[str, float]
) -> Samples:
    """The samples of a finished game."""
    rows = np.concatenate([row for row, _, _ in history])
    actions = np.array([action for _, action, _ in history])
    values = np.array([value for _, _, value in history])
    movers = rows["current_player"].astype(np.int64)
    returns = seat_rewards(rows, np.repeat(end, len(rows)), movers, reward)
    return Samples(rows, actions, returns, values)


def imitate(
    network: AzulNetwork,
    samples: Samples,
    config: TrainConfig,
    number: int = 0,
    on_batch: Callable[[int], None] = lambda done: None,
) -> dict[str, float]:
    """Fit the network to the teacher's actions and to the value targets; loss and accuracy over the last epoch."""
    epochs, learning_rate = config.imitation.epochs, config.imitation.learning_rate
    batch_size = min(config.imitation.batch_size, len(samples))
    targets = samples.value_targets(config.imitation.teacher_value)
    optimizer = torch.optim.Adam(network.parameters(), learning_rate, fused=True)
    rng = np.random.default_rng([config.seed, 4, number])
    seen = inputs_of(network)
    batches = epochs * (len(samples) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, max(batches, 1))
    done = 0
    loss_sum = right = counted = 0.0
    for epoch in range(epochs):
        for batch in _batches(len(samples), batch_size, rng):
            logits, values = _masked_outputs(network, seen, samples.rows[batch])
            actions = torch.from_numpy(samples.actions[batch])
            policy_loss = functional.cross_entropy(logits, actions)
            value_loss = functional.mse_loss(values, torch.from_numpy(targets[batch]).float())
            loss = policy_loss + config.ppo.value_coef * value_loss
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
                counted += batch_size
    return {"loss": loss_sum / counted, "accuracy": right / counted}


def _masked_outputs(network: AzulNetwork, seen: Inputs, rows: Rows) -> tuple[Tensor, Tensor]:
    """Logits, -inf for illegal actions, and values of the players to move."""
    masks = np.zeros((len(rows), network.num_actions), np.bool_)
    write_masks(rows, masks, 0, len(rows))
    logits, values = network(torch.from_numpy(seen.of(rows)))
    return logits.masked_fill(~torch.from_numpy(masks), -torch.inf), values


def _batches(count: int, batch_size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Indices of shuffled samples, in whole batches."""
    order = rng.permutation(count)
    for start in range(0, count - batch_size + 1, batch_size):
        yield order[start : start + batch_size]

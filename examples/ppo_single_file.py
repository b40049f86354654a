"""Masked PPO in one file, in the style of CleanRL, on `gymnasium.make_vec` against the greedy agent.

    pip install -c constraints.txt 'azul-env[train]'
    python examples/ppo_single_file.py          (4 minutes; wins two thirds against greedy)
    cd examples && azul match python:ppo_single_file:PpoAgent:path=../ppo.pt greedy --games 400 --seed 7

Everything that learns is here: the network, the rollout, the advantages, the update. The network knows one thing about
the game: what a move does to the player's board depends only on the color, the number of tiles and the destination, so
equal offers of different factories share a logit, and a second term is for what the move leaves behind.
"""

import argparse
import time
from dataclasses import dataclass, fields

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import azul_env as az

HELD_OUT = 1_000_000  # first seed of the evaluation
FACTORY_KINDS, CENTER_KINDS = 4, 6  # 1 to 4 tiles on a factory, 1 to 6 or more in the center
KINDS = FACTORY_KINDS + CENTER_KINDS


@dataclass
class Args:
    """The settings; each is an option of the command line."""

    seed: int = 1
    steps: int = 1_500_000  # of the learner, in all games together
    opponent: str = "greedy"  # the spec of an agent, as for `azul match`
    num_envs: int = 256
    rollout_steps: int = 64
    batch_size: int = 2048
    epochs: int = 3
    learning_rate: float = 7e-4  # at the start; it falls to 5% of it
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.005
    value_coef: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: float = 0.05  # of a point of margin
    evaluation_games: int = 400
    path: str = "ppo.pt"  # where the model is written


class Network(nn.Module):
    """Logits of all actions and the value of a batch of float32 observations."""

    def __init__(self, num_players: int = 2, width: int = 256) -> None:
        super().__init__()
        layout = {part.name: part for part in az.observation_layout(num_players)}
        self.factories, self.center = layout["factories"], layout["center"]
        self.sources = az.num_factories(num_players) + 1
        size = az.observation_layout(num_players)[-1].stop
        offers = az.NUM_COLORS * KINDS
        self.trunk = nn.Sequential(
            nn.Linear(size + offers, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.board = nn.Linear(width, offers * az.NUM_DESTINATIONS)
        self.table = nn.Linear(width, self.sources * az.NUM_COLORS)
        self.value = nn.Linear(width, 1)
        for head, gain in ((self.board, 0.01), (self.table, 0.01), (self.value, 1.0)):
            nn.init.orthogonal_(head.weight, gain)
            nn.init.zeros_(head.bias)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (batch, actions), legal or not, and values (batch,)."""
        batch = len(observations)
        kinds, is_offered = self.offers(observations)
        # How many sources offer each pair (color, kind).
        supply = torch.zeros(batch, az.NUM_COLORS * KINDS).scatter_add_(1, kinds, is_offered)
        hidden = self.trunk(torch.cat((observations, supply), 1))
        board = self.board(hidden).view(batch, -1, az.NUM_DESTINATIONS)
        of_offers = board.gather(1, kinds[:, :, None].expand(-1, -1, az.NUM_DESTINATIONS))
        logits = of_offers + self.table(hidden)[:, :, None]
        return logits.flatten(1), self.value(hidden)[:, 0]

    def offers(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """By (source, color): the index of its pair (color, kind), and 1 where there are tiles."""
        batch = len(observations)
        on_factories = observations[:, self.factories.slice] * self.factories.high[0]
        in_center = observations[:, self.center.slice] * self.center.high[0]
        factories = on_factories.round().long().view(batch, -1, az.NUM_COLORS)
        center = in_center.round().long().clamp(max=CENTER_KINDS)[:, None]
        kinds = torch.cat(((factories - 1).clamp(0), (center - 1).clamp(0) + FACTORY_KINDS), 1)
        index = kinds + KINDS * torch.arange(az.NUM_COLORS)
        return index.flatten(1), (torch.cat((factories, center), 1) > 0).float().flatten(1)

    def policy(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple:
        """The distribution over the legal actions, and the values."""
        logits, values = self(observations)
        return Categorical(logits=logits.masked_fill(~masks, -1e9)), values


class PpoAgent:
    """A trained network as an agent of the arena: it plays its most likely move."""

    def __init__(self, path: str = "ppo.pt") -> None:
        self.network = Network()
        self.network.load_state_dict(torch.load(path, weights_only=True))

    def act(self, state: az.GameState, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        """The most likely legal action."""
        observation = torch.as_tensor(az.observe(state, state.current_player))[None]
        with torch.no_grad():
            policy, _ = self.network.policy(observation, torch.as_tensor(legal_mask)[None])
        return int(policy.probs.argmax())


def make_games(num_envs: int, opponent: str, **arguments: object) -> gymnasium.vector.VectorEnv:
    """Games against an opponent. The reward is the change of the margin at the end of every round."""
    return gymnasium.make_vec(
        "azul_env:Azul-v0", num_envs=num_envs, opponents=opponent, **arguments
    )


@torch.no_grad()
def win_rate(network: Network, opponent: str, games: int) -> tuple[float, float]:
    """The win rate on held-out deals, each from both seats, and its standard error; a tie is half a win."""
    results = []
    for seat in (0, 1):
        envs = make_games(games // 2, opponent, seat=seat, reward="outcome")
        observations, info = envs.reset(seed=HELD_OUT)
        outcomes = np.full(games // 2, np.nan)
        while np.isnan(outcomes).any():
            masks = torch.as_tensor(info["action_mask"])
            policy, _ = network.policy(torch.as_tensor(observations), masks)
            actions = policy.probs.argmax(1).numpy()
            observations, rewards, terminated, truncated, info = envs.step(actions)
            # A finished game restarts in the same step: only its first result counts.
            first = (terminated | truncated) & np.isnan(outcomes)
            outcomes[first] = rewards[first]
        results.append((outcomes + 1) / 2)
    of_deals = np.mean(results, axis=0)
    return float(of_deals.mean()), float(of_deals.std(ddof=1) / np.sqrt(len(of_deals)))


class Rollout:
    """Storage of one rollout, by step and game."""

    def __init__(self, args: Args, envs: gymnasium.vector.VectorEnv) -> None:
        shape = (args.rollout_steps, args.num_envs)
        self.observations = torch.zeros((*shape, envs.single_observation_space.shape[0]))
        self.masks = torch.zeros((*shape, envs.single_action_space.n), dtype=torch.bool)
        self.actions = torch.zeros(shape, dtype=torch.long)
        self.log_probs, self.values = torch.zeros(shape), torch.zeros(shape)
        self.rewards, self.ended = torch.zeros(shape), torch.zeros(shape)

    def advantages(self, last_values: torch.Tensor, args: Args) -> torch.Tensor:
        """Generalised advantage estimates. Nothing is bootstrapped beyond the end of a game."""
        advantages = torch.zeros_like(self.rewards)
        next_values, advantage = last_values, torch.zeros(args.num_envs)
        for step in reversed(range(args.rollout_steps)):
            goes_on = 1 - self.ended[step]
            error = self.rewards[step] + args.gamma * next_values * goes_on - self.values[step]
            advantage = error + args.gamma * args.gae_lambda * goes_on * advantage
            advantages[step], next_values = advantage, self.values[step]
        return advantages


@torch.no_grad()
def collect(
    network: Network, envs: gymnasium.vector.VectorEnv, start: tuple, rollout: Rollout, args: Args
) -> tuple:
    """Fill a rollout; the observations and masks after it."""
    observations, masks = start
    for step in range(args.rollout_steps):
        policy, values = network.policy(observations, masks)
        actions = policy.sample()
        rollout.observations[step], rollout.masks[step] = observations, masks
        rollout.actions[step], rollout.values[step] = actions, values
        rollout.log_probs[step] = policy.log_prob(actions)
        seen, rewards, terminated, truncated, info = envs.step(actions.numpy())
        rollout.rewards[step] = torch.as_tensor(rewards * args.reward_scale)
        rollout.ended[step] = torch.as_tensor(terminated | truncated)
        observations, masks = torch.as_tensor(seen), torch.as_tensor(info["action_mask"])
    return observations, masks


def update(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: torch.Tensor,
    args: Args,
) -> None:
    """Several epochs of minibatch updates with the clipped objective."""
    returns = (advantages + rollout.values).flatten()
    advantages, old_log_probs = advantages.flatten(), rollout.log_probs.flatten()
    observations, masks = rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1)
    actions = rollout.actions.flatten()
    for _ in range(args.epochs):
        for batch in torch.randperm(len(actions)).split(args.batch_size):
            policy, values = network.policy(observations[batch], masks[batch])
            ratio = (policy.log_prob(actions[batch]) - old_log_probs[batch]).exp()
            gains = advantages[batch]
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(gains * ratio, gains * clipped).mean()
            value_loss = nn.functional.mse_loss(values, returns[batch])
            bonus = args.entropy * policy.entropy().mean()
            loss = policy_loss + args.value_coef * value_loss - bonus
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()


def train(args: Args) -> None:
    """Train a network; ten times on the way, save it and print its win rate."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # more threads are slower for small networks
    envs = make_games(args.num_envs, args.opponent, reward="round_margin")
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    rollout = Rollout(args, envs)
    per_rollout = args.num_envs * args.rollout_steps
    rollouts = max(1, args.steps // per_rollout)
    observations, info = envs.reset(seed=args.seed)
    now = torch.as_tensor(observations), torch.as_tensor(info["action_mask"])
    started = time.process_time()
    for number in range(rollouts):
        rate = args.learning_rate * (1 - 0.95 * number / rollouts)
        optimizer.param_groups[0]["lr"] = rate
        now = collect(network, envs, now, rollout, args)
        with torch.no_grad():
            last_values = network.policy(*now)[1]
        update(network, optimizer, rollout, rollout.advantages(last_values, args), args)
        if number * 10 // rollouts != (number + 1) * 10 // rollouts:
            minutes = (time.process_time() - started) / 60
            rate, error = win_rate(network, args.opponent, args.evaluation_games)
            torch.save(network.state_dict(), args.path)
            print(
                f"{(number + 1) * per_rollout:,} steps, {minutes:.1f} minutes of CPU: "
                f"wins {rate:.1%} ± {error:.1%} against {args.opponent}",
                flush=True,
            )


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for field in fields(Args):
        name = "--" + field.name.replace("_", "-")
        parser.add_argument(name, type=field.type, default=field.default, help=" ")
    args = Args(**vars(parser.parse_args()))
    train(args)
    print(f"wrote {args.path}")


if __name__ == "__main__":
    main()

"""Masked PPO in self-play with TorchRL's `PettingZooWrapper`: python examples/train_torchrl.py [BATCHES].

TorchRL looks at all agents at once: `("agents", "mask")` says who is to move. The others have nothing to choose, so what
they answer is ignored and must not be learned from; the wrapper gives them an `action_mask` of ones.
"""

import sys

import torch
from against_random import win_rate
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from azul_env import azul_v0

FRAMES_PER_BATCH, EPOCHS, MINIBATCH = 2048, 8, 256
ACTIONS, OBSERVATION = 180, 175
SEEN, LOGITS = ("agents", "observation", "observation"), ("agents", "logits")


def returns_to_go(rewards, done):
    """The sum of each agent's rewards until the end of the game."""
    returns, total = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for step in reversed(range(len(rewards))):
        returns[step] = total = rewards[step] + total * ~done[step]
    return returns


def update(network, optimizer, batch):
    """Several epochs of PPO on the turns that agents took."""
    agents, rewards = batch["agents"], batch["next", "agents", "reward"][..., 0] / 30
    acting = agents["mask"].flatten()
    returns = returns_to_go(rewards, batch["next", "done"]).flatten()[acting]
    keys = ("observation", "observation"), "action_mask", "action", "action_log_prob"
    observations, masks, actions, old = (agents[key].flatten(0, 1)[acting] for key in keys)
    for _ in range(EPOCHS):
        for turns in torch.randperm(len(actions)).split(MINIBATCH):
            logits, values = network(observations[turns]).split([ACTIONS, 1], -1)
            policy = MaskedCategorical(logits=logits, mask=masks[turns])
            errors = returns[turns] - values[:, 0]
            gains = (errors - errors.mean()).detach() / (errors.std().detach() + 1e-6)
            ratio = (policy.log_prob(actions[turns]) - old[turns]).exp()
            policy_loss = -torch.min(gains * ratio, gains * ratio.clamp(0.8, 1.2)).mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * errors.square().mean()).backward()
            optimizer.step()


def main(batches):
    """Train, and print the win rate before and after."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    together = {"group_map": MarlGroupMapType.ALL_IN_ONE_GROUP, "categorical_actions": True}
    game = azul_v0.env(reward="round_margin")
    env = PettingZooWrapper(game, use_mask=True, seed=1, **together)
    network = nn.Sequential(nn.Linear(OBSERVATION, 256), nn.ReLU(), nn.Linear(256, ACTIONS + 1))
    policy = ProbabilisticActor(
        TensorDictModule(lambda inputs: network(inputs)[..., :ACTIONS], [SEEN], [LOGITS]),
        in_keys={"logits": LOGITS, "mask": ("agents", "action_mask")},
        out_keys=[("agents", "action")],
        distribution_class=MaskedCategorical,
        default_interaction_type="random",
        return_log_prob=True,
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    print(f"before: wins {win_rate(network):.0%} against random")
    for _ in range(batches):
        with torch.no_grad():
            batch = env.rollout(FRAMES_PER_BATCH, policy, break_when_any_done=False)
        update(network, optimizer, batch)
    print(f"after: wins {win_rate(network):.0%} against random")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 16)

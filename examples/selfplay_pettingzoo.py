"""Self-play in a plain loop over the PettingZoo environment: one policy on all seats, learning from who won.

    python examples/selfplay_pettingzoo.py --games 2000      (half a minute; wins 80 % against random)

The policy is the simplest there is, a linear softmax, and learns by policy gradient (REINFORCE) in NumPy. Every seat's moves are
credited with that seat's own reward, the loser's as well: look at `rewards` when an agent is done.
"""

import argparse

import numpy as np

from azul_env import azul_v0

LEARNING_RATE = 0.02


def probabilities(weights, observation, mask):
    """How likely the policy plays each action; 0 for what is not legal."""
    logits = np.where(mask, observation @ weights, -np.inf)
    likelihoods = np.exp(logits - logits.max())
    return likelihoods / likelihoods.sum()


def with_bias(observation):
    """The observation and a constant 1."""
    return np.append(observation, np.float32(1))


def play(env, seed, policies, rng):
    """One game, `policies` by seat (None: random). Gives each agent's turns and its sum of rewards."""
    env.reset(seed=seed)
    turns = {agent: [] for agent in env.agents}
    totals = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        observation, mask = with_bias(seen["observation"]), seen["action_mask"].astype(bool)
        weights = policies[env.possible_agents.index(agent)]
        chances = (
            mask / mask.sum() if weights is None else probabilities(weights, observation, mask)
        )
        action = int(rng.choice(len(mask), p=chances))
        turns[agent].append((observation, chances, action))
        env.step(action)
    return turns, totals


def learn(weights, turns, totals):
    """Make the moves of whoever won more likely, and those of whoever lost less."""
    for agent, moves in turns.items():
        for observation, chances, action in moves:
            direction = -chances
            direction[action] += 1
            weights += LEARNING_RATE * totals[agent] / len(moves) * np.outer(observation, direction)


def win_rate(env, weights, games, rng):
    """The share of games won against a random player, from both seats in turn."""
    wins = 0
    for game in range(games):
        seat = game % 2
        policies = [None, None]
        policies[seat] = weights
        _, totals = play(env, 1_000_000 + game // 2, policies, rng)  # each deal from both seats
        wins += totals[f"player_{seat}"] > 0
    return wins / games


def main():
    """Play, learn, and say what it helped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=2000, help="games of self-play")
    parser.add_argument("--evaluation", type=int, default=200, help="games of each evaluation")
    arguments = parser.parse_args()
    env, rng = azul_v0.env(num_players=2), np.random.default_rng(1)
    env.reset(seed=0)
    size = env.observation_space("player_0")["observation"].shape[0]
    weights = np.zeros((size + 1, env.action_space("player_0").n))
    print(f"before: wins {win_rate(env, weights, arguments.evaluation, rng):.0%} against random")
    for game in range(arguments.games):
        turns, totals = play(env, game, [weights, weights], rng)
        learn(weights, turns, totals)
    print(f"after: wins {win_rate(env, weights, arguments.evaluation, rng):.0%} against random")


if __name__ == "__main__":
    main()

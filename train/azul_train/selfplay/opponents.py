"""Players of many games at once: `(rows, masks, rng) -> actions`, as the vector environments ask their opponents."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray

from azul_agents.baselines.greedy import greedy_actions
from azul_agents.baselines.random_agent import random_actions
from azul_agents.registry import make_agent
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_env.core.state import Rows
from azul_env.envs.kernels import publish
from azul_env.envs.seats import BatchedOpponent, OneByOne
from azul_env.observation import observation_size
from azul_train.network import AzulNetwork

COMPILED: dict[str, BatchedOpponent] = {"random": random_actions, "greedy": greedy_actions}


def scripted_opponent(spec: str, threads: int = 1) -> BatchedOpponent:
    """The agent that a spec names, for many games at once: compiled if it can be, else asked game by game."""
    if spec in COMPILED:
        return COMPILED[spec]
    agent = make_agent(spec)
    if isinstance(agent, AlphaBetaAgent) and agent.options.time is None:
        return SearchPlayer(spec, threads)
    return OneByOne(agent.act)


class SearchPlayer:
    """Alpha-beta in many games, shared out over threads: the search is compiled and needs no lock."""

    def __init__(self, spec: str, threads: int) -> None:
        agents = [make_agent(spec) for _ in range(threads)]
        self._agents = [agent for agent in agents if isinstance(agent, AlphaBetaAgent)]
        self._pool = ThreadPoolExecutor(threads)

    def __call__(
        self, rows: Rows, masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """One action for every game."""
        parts = np.array_split(rows, min(len(self._agents), len(rows)))
        answers = self._pool.map(lambda agent, part: agent.act_in_all(part), self._agents, parts)
        return np.concatenate(list(answers))


def observed(rows: Rows, masks: NDArray[np.bool_]) -> NDArray[np.float32]:
    """What the players to move see; their legal actions are written into `masks`."""
    size = observation_size(int(rows["num_players"][0]))
    observations = np.empty((len(rows), size), np.float32)
    movers = rows["current_player"].astype(np.int64)
    publish(rows, movers, masks, observations.view(np.uint8), 0, len(rows))
    return observations


class NetworkPlayer:
    """A network that plays: frozen, or the learner's own. It samples its moves, or plays the likeliest one."""

    def __init__(self, network: AzulNetwork, is_sampling: bool) -> None:
        self.network = network
        self.is_sampling = is_sampling

    @classmethod
    def frozen(cls, network: AzulNetwork) -> "NetworkPlayer":
        """A player that stays as the network is now, and samples its moves."""
        still = copy.deepcopy(network).requires_grad_(False)
        return cls(still.eval(), is_sampling=True)

    def __call__(
        self, rows: Rows, masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """One action for every game."""
        masks = masks.copy()
        with torch.no_grad():
            observations = torch.from_numpy(observed(np.ascontiguousarray(rows), masks))
            logits = self.network(observations)[0].numpy()
        if self.is_sampling:
            # The largest of logit + Gumbel noise is a draw from the softmax.
            logits = logits + rng.gumbel(size=logits.shape)
        return np.where(masks, logits, -np.inf).argmax(1)

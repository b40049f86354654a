"""Compiling before the first game: once, in this process, so that worker processes load the code from the cache."""

import dataclasses
from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

import numpy as np

from azul_agents.analysis.streaming import analysis_of
from azul_agents.base import Agent, answers
from azul_agents.registry import parse_spec
from azul_env import GameRecorder, legal_mask, new_game, ranking, winners

# Our own compiled agents, with the limits of a search that answers at once.
QUICK_LIMITS: Final[dict[str, dict[str, Any]]] = {
    "greedy": {},
    "ppo": {},
    "neural": {},
    "alphabeta": {"depth": None, "nodes": 1},
    "mcts": {"simulations": 1},
    "guided": {"simulations": 1},
}

SHORT_SECONDS: Final = 0.1

OWN_KINDS: Final = frozenset({"random", *QUICK_LIMITS})


def warm_up(
    specs: Iterable[str], num_players: int, variant: str = "colored", analyses: bool = False
) -> None:
    """Compile what games between these agents need, and with `analyses` what their analyses need.

    Raises AgentSpecError for a wrong spec.
    """
    _play_short_game(num_players, variant)
    for spec in dict.fromkeys(specs):
        kind, options = parse_spec(spec)
        if kind.name in QUICK_LIMITS:
            with closing(kind.make(spec, _quick(kind.name, options))) as agent:
                _ask_once(agent, num_players, variant)
                if analyses:
                    analysis_of(new_game(num_players, rng=0, variant=variant), agent)


def _quick(kind: str, options: Any) -> Any:
    """Options with which an agent answers at once, and which need the same compiled code."""
    quick = dataclasses.replace(options, **QUICK_LIMITS[kind])
    if kind == "alphabeta" and options.nodes is None and options.depth is None:
        # Its default is a limit on the time, and then it never plays many games in one compiled loop.
        quick = dataclasses.replace(quick, time=options.time or SHORT_SECONDS)
    return quick


def _play_short_game(num_players: int, variant: str) -> None:
    """A short recorded game."""
    recorder = GameRecorder(num_players, rng=0, max_rounds=2, variant=variant)
    while not recorder.state.is_terminal:
        recorder.draft(int(legal_mask(recorder.state).argmax()))
    ranking(recorder.state)
    winners(recorder.state)


def _ask_once(agent: Agent, num_players: int, variant: str) -> None:
    """Ask for one move, and for the moves of several games at once."""
    states = [new_game(num_players, rng=seed, variant=variant) for seed in range(2)]
    masks = np.stack([legal_mask(state) for state in states])
    rngs = [np.random.default_rng(0) for _ in states]
    agent.act(states[0], masks[0], rngs[0])
    answers(agent, states, masks, rngs)

# The public names: type checkers read them here, and `azul_env.lazy` imports them when they are first used.

from azul_agents.analysis import (
    ReviewedMove as ReviewedMove,
    mean_losses as mean_losses,
    ranked_moves as ranked_moves,
    reviewed_moves as reviewed_moves,
    strongest_spec as strongest_spec,
    worst_moves as worst_moves,
)
from azul_agents.arena.game import (
    GameResult as GameResult,
    PlayedGame as PlayedGame,
    play_game as play_game,
)
from azul_agents.arena.match import (
    MatchConfig as MatchConfig,
    MatchResult as MatchResult,
    run_match as run_match,
)
from azul_agents.arena.standings import Standings as Standings
from azul_agents.arena.tournament import run_tournament as run_tournament
from azul_agents.arena.tournament_config import TournamentConfig as TournamentConfig
from azul_agents.base import (
    Agent as Agent,
    AgentFailureError as AgentFailureError,
    CannotAnalyseError as CannotAnalyseError,
    MoveValue as MoveValue,
)
from azul_agents.baselines.greedy import GreedyAgent as GreedyAgent
from azul_agents.baselines.random_agent import RandomAgent as RandomAgent
from azul_agents.neural.agent import NeuralAgent as NeuralAgent
from azul_agents.registry import (
    AgentKind as AgentKind,
    AgentSpecError as AgentSpecError,
    agent_kinds as agent_kinds,
    make_agent as make_agent,
    option as option,
    parse_spec as parse_spec,
)
from azul_agents.search.alphabeta import AlphaBetaAgent as AlphaBetaAgent
from azul_agents.search.mcts import MctsAgent as MctsAgent

__all__: list[str]

# The public names: type checkers read them here, and `azul_env.lazy` imports them when they are first used.

from azul_agents.analysis.review import (
    PlayerSummary as PlayerSummary,
    ReviewedMove as ReviewedMove,
    SEVERITIES as SEVERITIES,
    mean_losses as mean_losses,
    ranked_moves as ranked_moves,
    reviewed_move as reviewed_move,
    reviewed_moves as reviewed_moves,
    severity_of as severity_of,
    strongest_kind as strongest_kind,
    strongest_spec as strongest_spec,
    summaries as summaries,
    worst_moves as worst_moves,
)
from azul_agents.analysis.streaming import (
    Analysis as Analysis,
    Candidate as Candidate,
    analyses as analyses,
    analysis_of as analysis_of,
)
from azul_agents.analysis.win_chance import win_chances as win_chances
from azul_agents.arena.game import (
    GameResult as GameResult,
    PlayedGame as PlayedGame,
    play_game as play_game,
)
from azul_agents.arena.levels import LEVELS as LEVELS
from azul_agents.arena.match import (
    MatchResult as MatchResult,
    run_match as run_match,
)
from azul_agents.arena.run_configs import MatchConfig as MatchConfig
from azul_agents.arena.standings import Standings as Standings
from azul_agents.arena.tournament import run_tournament as run_tournament
from azul_agents.arena.tournament_config import TournamentConfig as TournamentConfig
from azul_agents.base import (
    Agent as Agent,
    AgentFailureError as AgentFailureError,
    CannotAnalyseError as CannotAnalyseError,
    MoveValue as MoveValue,
    VariantNotPlayedError as VariantNotPlayedError,
)
from azul_agents.baselines.greedy import GreedyAgent as GreedyAgent
from azul_agents.baselines.random_agent import RandomAgent as RandomAgent
from azul_agents.neural.agent import NeuralAgent as NeuralAgent
from azul_agents.registry import (
    AgentKind as AgentKind,
    AgentSpecError as AgentSpecError,
    Level as Level,
    agent_kinds as agent_kinds,
    make_agent as make_agent,
    option as option,
    parse_spec as parse_spec,
)
from azul_agents.search.alphabeta import AlphaBetaAgent as AlphaBetaAgent
from azul_agents.search.mcts import MctsAgent as MctsAgent

__all__: list[str]

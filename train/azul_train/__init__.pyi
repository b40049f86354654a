# The public names: type checkers read them here, and `azul_env.lazy` imports them when they are first used.

from azul_train.config import (
    EvaluationConfig as EvaluationConfig,
    ImitationConfig as ImitationConfig,
    LeagueConfig as LeagueConfig,
    NetworkSize as NetworkSize,
    PPOConfig as PPOConfig,
    TrainConfig as TrainConfig,
    read_config as read_config,
)
from azul_train.export import export_network as export_network, load_network as load_network
from azul_train.network import AzulNetwork as AzulNetwork
from azul_train.engine import (
    check_engine as check_engine,
    check_start as check_start,
    resume as resume,
    train as train,
)
from azul_train.run.folder import RunFolder as RunFolder
from azul_train.run.progress import Progress as Progress
from azul_train.run.report import write_report as write_report
from azul_train.sb3.league_env import LeagueVecEnv as LeagueVecEnv
from azul_train.sb3.policy import AzulPolicy as AzulPolicy
from azul_train.sb3.vec_env import AzulVecEnv as AzulVecEnv
from azul_train.sb3.agent import Sb3Agent as Sb3Agent

__all__: list[str]

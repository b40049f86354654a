"""Training runs with the engine that their config names: Stable-Baselines3, or RLlib on a Ray cluster."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from azul_train.config import RLLIB, TrainConfig
from azul_train.run.folder import RunFolder
from azul_train.run.progress import OnProgress, ignore

if TYPE_CHECKING:
    from azul_agents import MatchResult

TRAIN_MODULES: Final = ("matplotlib", "tensorboard", "torch", "stable_baselines3", "sb3_contrib")
RLLIB_MODULES: Final = (*TRAIN_MODULES, "ray", "ray.rllib")
INSTALL_TRAIN: Final = (
    "training needs the extra `train`: pip install -c constraints.txt 'azul-env[train]'"
)
INSTALL_RLLIB: Final = (
    "the engine rllib needs the extra `rllib`: pip install -c constraints.txt 'azul-env[rllib]'"
)


def train(
    config: TrainConfig,
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    address: str | None = None,
) -> "list[MatchResult]":
    """Train from the start, with RLlib on the Ray cluster at an address; the evaluation of the best model."""
    check_engine(config, address)
    return _function("train", config, address)(config, folder, on_progress)


def resume(
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    command: str = "resume",
    address: str | None = None,
) -> "list[MatchResult]":
    """Continue a run from its last checkpoint; the evaluation of the best model."""
    check_engine(folder.config, address)
    return _function("resume", folder.config, address)(folder, on_progress, command)


def check_engine(config: TrainConfig, address: str | None = None) -> None:
    """Raise ImportError that says what to install, or ValueError if the engine takes no address."""
    needs_ray = config.engine == RLLIB
    if address is not None and not needs_ray:
        raise ValueError("--address is where a Ray cluster is: add --engine rllib")
    # All of them at once, since some are needed only at the end of a run.
    for module in RLLIB_MODULES if needs_ray else TRAIN_MODULES:
        try:
            import_module(module)
        except ImportError:  # RLlib raises it for a part of Ray that is missing
            raise ImportError(INSTALL_RLLIB if needs_ray else INSTALL_TRAIN) from None


def _function(name: str, config: TrainConfig, address: str | None) -> Any:
    if config.engine == RLLIB:
        return partial(getattr(import_module("azul_train.rllib.training"), name), address=address)
    return getattr(import_module("azul_train.sb3.training"), name)

"""Start or resume training with the library that the config names: Stable-Baselines3, or RLlib on Ray."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from azul_agents.neural.model_file import read_model
from azul_env.extras import install_command
from azul_train.config import RLLIB, TrainConfig
from azul_train.run.folder import RunFolder
from azul_train.run.metrics import FINAL, TIME
from azul_train.run.progress import OnProgress, ignore

if TYPE_CHECKING:
    from azul_agents import MatchResult
    from azul_train.run.training_run import TrainingRun

TRAIN_MODULES: Final = ("matplotlib", "tensorboard", "torch", "stable_baselines3", "sb3_contrib")
RLLIB_MODULES: Final = (*TRAIN_MODULES, "ray", "ray.rllib")


def train(
    config: TrainConfig,
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    address: str | None = None,
) -> "list[MatchResult]":
    """Train from the start; the final evaluation of the best model. `address` is that of a Ray cluster, for RLlib."""
    with _open_run(config, folder, on_progress, address) as run:
        run.begin()
        return run.learn()


def resume(
    folder: RunFolder,
    on_progress: OnProgress = ignore,
    command: str = "resume",
    address: str | None = None,
) -> "list[MatchResult]":
    """Resume a run from its last checkpoint; the final evaluation of the best model."""
    folder.check_config()
    with _open_run(folder.config, folder, on_progress, address) as run:
        run.restore()
        folder.note_resume(command, run.steps)
        return run.learn()


def is_finished(folder: RunFolder) -> bool:
    """True if the run has come to its end: the last file that it writes is the report."""
    return (
        folder.report.is_file()
        and folder.best_model.is_file()
        and any(line["kind"] == TIME for line in folder.read_metrics())
        and FINAL in read_model(folder.best_model).card
    )


def check_engine(config: TrainConfig, address: str | None = None) -> None:
    """Raise ImportError that says what to install, or ValueError if the engine takes no address."""
    needs_ray = config.engine == RLLIB
    if address is not None and not needs_ray:
        raise ValueError("--address is the address of a Ray cluster: add --engine rllib")
    check_modules(needs_ray)


def check_start(config: TrainConfig) -> None:
    """Raise ModelFileError if the model that training starts from cannot be used."""
    from azul_train.export import load_start
    from azul_train.network import AzulNetwork

    if config.start is not None:
        load_start(config, AzulNetwork(config.num_players, config.network, config.variant))


def check_modules(needs_ray: bool = False) -> None:
    """Raise ImportError that says what to install: all at once, since some modules are needed only at the end of a run."""
    for module in RLLIB_MODULES if needs_ray else TRAIN_MODULES:
        try:
            import_module(module)
        except ImportError:  # RLlib raises it for a part of Ray that is missing
            what, extra = ("the engine rllib", "rllib") if needs_ray else ("training", "train")
            raise ImportError(
                f"{what} needs the extra `{extra}`: {install_command(extra)}"
            ) from None


@contextmanager
def _open_run(
    config: TrainConfig, folder: RunFolder, on_progress: OnProgress, address: str | None
) -> "Iterator[TrainingRun]":
    """A run in a locked folder."""
    check_engine(config, address)
    with folder.locked():
        if config.engine == RLLIB:
            from azul_train.rllib.training import open_run

            with open_run(config, folder, on_progress, address) as run:
                yield run
        else:
            from azul_train.sb3.training import Sb3Run

            yield Sb3Run(config, folder, on_progress)

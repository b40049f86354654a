"""Training configs: frozen dataclasses, and YAML files with the values that differ from the defaults."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from azul_agents.base import VARIANTS, check_variant_name
from azul_agents.config_file import (
    check_least,
    check_most,
    check_positive,
    check_share,
    load_config,
)
from azul_agents.kinds import MAX_NETWORK_WIDTH
from azul_agents.registry import CONTROL_CHARACTERS, parse_spec
from azul_env import (
    COUNTER_LIMIT,
    DEFAULT_MAX_ROUNDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    REWARDS,
    brief,
    shown,
)

COLORED: Final = VARIANTS[0]
DEFAULT_NAME: Final = "train"  # of a run without a config file
SB3, RLLIB = ENGINES = "sb3", "rllib"
MIRROR, MIX, PRIORITISED = SCHEDULES = "mirror", "mix", "prioritised"
MAX_NAME_LETTERS: Final = 100
MAX_TRAIN_SEED: Final = (1 << 32) - 1  # of NumPy's global generator, which SB3 seeds
# One each for the deals of evaluations, of the choice of the best model and of its final evaluation.
EVALUATION_SEEDS: Final = 3
MAX_STEPS: Final = 10**12  # more than a century
MAX_PARALLEL: Final = 1_000_000
MAX_PROCESSES: Final = 4096
SHARE_TOLERANCE: Final = 1e-9  # for rounding errors in a sum of shares


@dataclass(frozen=True)
class NetworkSize:
    """Widths of the network's layers."""

    trunk: int = 256
    """Width of the trunk's two layers."""
    source: int = 64
    """Size of the embedding of a factory, and of the center."""
    key: int = 16
    """Size of the sources' keys, which tell equal offers of different sources apart."""
    value: int = 64
    """Width of the value head's hidden layer."""
    patterns: int = 0
    """1: the trunk also gets runs of tiles and nearly complete rows, columns and colors; 0: the observation alone."""
    outlook: int = 0
    """1: the network gets the frozen search networks' value of the position after each move; 0: it does not."""

    def __post_init__(self) -> None:
        check_least(self, 1, "trunk", "source", "key", "value")
        check_least(self, 0, "patterns", "outlook")
        check_most(self, MAX_NETWORK_WIDTH, "trunk", "source", "key", "value")
        check_most(self, 1, "patterns", "outlook")


@dataclass(frozen=True)
class PPOConfig:
    """Hyperparameters of masked PPO."""

    games: int = 256
    """Games played in parallel."""
    rollout_steps: int = 64
    """Learner steps per game and rollout."""
    batch_size: int = 2048
    """Minibatch size in learner steps; divides games * rollout_steps."""
    epochs: int = 2
    """Passes over each rollout."""
    gamma: float = 1.0
    """Discount factor; 1 is no discount."""
    gae_lambda: float = 0.95
    """GAE lambda: 0 bootstraps, 1 is Monte Carlo."""
    entropy: float = 0.005
    """Entropy coefficient."""
    learning_rate: float = 5e-4
    """Initial learning rate of Adam."""
    final_learning_rate: float = 2.5e-5
    """Learning rate at the end; it falls linearly."""
    clip_range: float = 0.2
    """Clip range of the probability ratio."""
    value_coef: float = 0.5
    """Value loss coefficient."""
    max_grad_norm: float = 0.5
    """Gradients are clipped to this global norm."""

    def __post_init__(self) -> None:
        check_least(self, 1, "games", "rollout_steps", "batch_size", "epochs")
        check_least(self, 0, "entropy", "final_learning_rate", "value_coef")
        check_positive(self, "learning_rate", "clip_range", "max_grad_norm")
        check_share(self, "gamma", "gae_lambda")
        check_most(self, MAX_PARALLEL, "games", "rollout_steps", "batch_size", "epochs")
        steps = self.games * self.rollout_steps
        if steps % self.batch_size:
            raise ValueError(
                f"batch_size must divide games * rollout_steps = {steps}, {self.batch_size} does not"
            )


@dataclass(frozen=True)
class LeagueConfig:
    """The learner's opponents."""

    schedule: str = MIX
    """How snapshots are sampled: `mirror` (always the latest), `mix` (the latest or any older one), `prioritised`
    (any, the more often the learner loses to it)."""
    scripted: dict[str, float] = field(default_factory=lambda: {"greedy": 0.3})
    """Share of the games against each agent, by spec; the rest is against snapshots."""
    latest_share: float = 0.5
    """Share of the snapshot games against the latest one."""
    snapshot_every: int = 100_000
    """Learner steps between two snapshots."""
    max_snapshots: int = 20
    """How many snapshots are kept."""

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(
                f"schedule must be one of {', '.join(SCHEDULES)}, not {shown(self.schedule)}"
            )
        for spec, share in self.scripted.items():
            if not 0 <= share <= 1:
                raise ValueError(f"scripted.{brief(spec)} must be from 0 to 1, not {share}")
        total = sum(self.scripted.values())
        if total > 1 + SHARE_TOLERANCE:
            raise ValueError(f"scripted: the shares must add up to at most 1, not {total:g}")
        _check_agents("scripted", self.scripted)
        check_share(self, "latest_share")
        check_least(self, 1, "snapshot_every", "max_snapshots")
        check_most(self, MAX_STEPS, "snapshot_every", "max_snapshots")


@dataclass(frozen=True)
class ImitationConfig:
    """A warm start before self-play: behavior cloning of another agent."""

    teacher: str | None = None
    """Spec of the agent to imitate."""
    samples: int = 0
    """Positions to learn from; 0 is no warm start."""
    epochs: int = 2
    """Passes over the samples."""
    batch_size: int = 1024
    """Minibatch size in positions."""
    learning_rate: float = 1e-3
    """Learning rate of Adam."""
    random_moves: float = 0.1
    """Share of random moves while collecting, for a variety of positions."""
    rounds: int = 1
    """Rounds of collecting an equal part of the samples and fitting all so far. In the first the teacher plays; in later
    ones the student plays and the teacher labels its positions (DAgger)."""
    teacher_value: float = 0.5
    """Weight of the teacher's value of a position in the value target, if it is a search; the rest is the game's return."""
    threads: int = 2
    """Threads of a searching teacher; the samples are the same for any number."""

    def __post_init__(self) -> None:
        check_least(self, 0, "samples")
        check_least(self, 1, "epochs", "batch_size", "rounds", "threads")
        check_positive(self, "learning_rate")
        check_share(self, "random_moves", "teacher_value")
        check_most(self, MAX_STEPS, "samples", "epochs", "batch_size")
        check_most(self, MAX_PROCESSES, "rounds", "threads")
        if self.teacher is not None:
            _check_agents("teacher", [self.teacher])
        elif self.samples:
            raise ValueError(f"teacher must be an agent where samples is {self.samples}, not null")


@dataclass(frozen=True)
class EvaluationConfig:
    """Evaluation of the learner: it plays its most likely move, on deals that it never trained on."""

    opponents: tuple[str, ...] = ("random", "greedy", "alphabeta:nodes=1000")
    """Specs; with 3 and 4 players all other seats are played by copies of one."""
    games: int = 200
    """Games against each opponent during training, rounded up to whole deals."""
    every: int = 200_000
    """Learner steps between two evaluations."""
    candidates: int = 3
    """Networks with the best evaluations among which the best model is chosen, on further deals."""
    choice_games: int = 400
    """Games of each of them against each opponent."""
    final_games: int = 400
    """Games of the best model against each opponent at the end."""
    seed: int = 1_000_003
    """Seed of the deals; the final evaluation uses the next one, the choice of the best model the one after it."""

    def __post_init__(self) -> None:
        check_least(self, 1, "games", "every", "candidates", "choice_games", "final_games")
        check_least(self, 0, "seed")
        check_most(self, MAX_STEPS, "games", "every", "candidates", "choice_games", "final_games")
        check_most(self, MAX_TRAIN_SEED, "seed")
        if not self.opponents or len(set(self.opponents)) < len(self.opponents):
            raise ValueError(
                f"opponents must be at least one and all different, not {shown(list(self.opponents))}"
            )
        _check_agents("opponents", self.opponents)


@dataclass(frozen=True)
class RllibConfig:
    """Processes of RLlib. Their number does not change the rollout and batch sizes, which are totals."""

    env_runners: int = 1
    """Env runner processes, which share the games; 0: the main process plays."""
    learners: int = 0
    """Learner processes, which share every batch; 0: the main process learns."""

    def __post_init__(self) -> None:
        check_least(self, 0, *vars(self))
        check_most(self, MAX_PROCESSES, *vars(self))


@dataclass(frozen=True)
class TrainConfig:
    """A training run. Raises ValueError for a value that is not allowed."""

    name: str | None = None
    """Name of the run folder; null: the name of the config file."""
    engine: str = SB3
    """Training library: `sb3` (Stable-Baselines3, one machine) or `rllib` (Ray's RLlib, one or many)."""
    num_players: int = 2
    """2, 3 or 4."""
    seed: int = 1
    """Same seed, same run on the same machine."""
    steps: int = 1_000_000
    """Learner steps in total, rounded up to whole rollouts; 0 stops after the warm start."""
    torch_threads: int = 1
    """Threads of torch; networks of this size gain nothing from more."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """Round cap of a game."""
    variant: str = COLORED
    """Variant of the game: `colored` or `gray`."""
    reward: dict[str, float] = field(default_factory=lambda: {"outcome": 0.5, "round_margin": 0.03})
    """Weights by name of reward; the learner gets the weighted sum."""
    start: str | None = None
    """Model to start from instead of random weights: a file, or `ppo` for the packaged one. Its layers must have the sizes
    of `network`; the weights of patterns or an outlook that it lacks start at 0."""
    network: NetworkSize = field(default_factory=NetworkSize)
    """Size of the network."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """Hyperparameters of masked PPO."""
    league: LeagueConfig = field(default_factory=LeagueConfig)
    """The learner's opponents."""
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    """The warm start."""
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    """Evaluations during training and at the end."""
    checkpoint_every: int = 200_000
    """Learner steps between two checkpoints, from which a run can be resumed."""
    rllib: RllibConfig = field(default_factory=RllibConfig)
    """Processes of RLlib."""

    def __post_init__(self) -> None:
        if self.name is not None and not is_folder_name(self.name):
            raise ValueError(f"name must be the name of a folder, not {shown(self.name)}")
        if not MIN_PLAYERS <= self.num_players <= MAX_PLAYERS:
            raise ValueError(
                f"num_players must be from {MIN_PLAYERS} to {MAX_PLAYERS}, not {shown(self.num_players)}"
            )
        if not 1 <= self.max_rounds <= COUNTER_LIMIT:
            raise ValueError(
                f"max_rounds must be from 1 to {COUNTER_LIMIT}, not {shown(self.max_rounds)}"
            )
        check_variant_name(self.variant)
        if self.network.outlook and self.variant != COLORED:
            raise ValueError(
                f"network.outlook is only for the variant {COLORED}: the search has no networks for others"
            )
        check_least(self, 0, "seed", "steps")
        check_least(self, 1, "torch_threads", "checkpoint_every")
        check_most(self, MAX_TRAIN_SEED, "seed")
        check_most(self, MAX_STEPS, "steps", "checkpoint_every")
        check_most(self, MAX_PROCESSES, "torch_threads")
        if 0 <= self.seed - self.evaluation.seed < EVALUATION_SEEDS:
            raise ValueError(
                f"seed {self.seed} is a seed of the evaluation: train on other deals, or set evaluation.seed"
            )
        self._check_engine()
        for name in self.reward:
            if name not in REWARDS:
                raise ValueError(
                    f"unknown key {shown(f'reward.{name}')}; known: {', '.join(REWARDS)}"
                )
        if not any(self.reward.values()):
            raise ValueError(f"reward must have a weight other than 0, not {shown(self.reward)}")

    @property
    def agents(self) -> tuple[str, ...]:
        """Specs of all agents in the run, each once."""
        scripted = self.league.scripted if self.engine == SB3 else ()
        teacher = [self.imitation.teacher] if self.imitation.teacher else []
        return tuple(dict.fromkeys([*scripted, *teacher, *self.evaluation.opponents]))

    def _check_engine(self) -> None:
        """Refuse settings that the engine does not support."""
        if self.engine not in ENGINES:
            raise ValueError(
                f"engine must be one of {', '.join(ENGINES)}, not {shown(self.engine)}"
            )
        if self.engine == SB3:
            if self.rllib != RllibConfig():
                raise ValueError("rllib is only for the engine rllib: add engine: rllib")
            return
        if self.league != LeagueConfig() or self.imitation != ImitationConfig():
            raise ValueError(
                "league and imitation are only for the engine sb3: with rllib the learner plays itself"
            )
        if self.start is not None or self.network.outlook:
            name = "network.outlook" if self.start is None else "start"
            raise ValueError(f"{name} is only for the engine sb3")
        for name, shared in (("env_runners", "games"), ("learners", "batch_size")):
            number, total = max(1, getattr(self.rllib, name)), getattr(self.ppo, shared)
            if total % number:
                raise ValueError(
                    f"rllib.{name} must divide ppo.{shared} = {total}, {number} does not"
                )


def read_config(path: Path | None, changes: Sequence[str] = ()) -> TrainConfig:
    """The config in a YAML file (None: the defaults), with changes such as `ppo.games=64` applied.

    Constructs no agent. Raises ValueError, which names the file or the change, the key, and what is allowed.
    """
    config = load_config(TrainConfig, path, changes)
    if config.name is not None:
        return config
    return dataclasses.replace(config, name=DEFAULT_NAME if path is None else path.stem)


def is_folder_name(name: str) -> bool:
    """True if a run may have this name: a folder of its own, not one elsewhere."""
    is_special = name in ("", ".", "..") or bool(set(name) & set("/\\"))
    return not is_special and len(name) <= MAX_NAME_LETTERS and not CONTROL_CHARACTERS.search(name)


def _check_agents(name: str, specs: Iterable[str]) -> None:
    try:
        for spec in specs:
            parse_spec(spec)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None

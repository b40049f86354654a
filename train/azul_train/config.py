"""What a training run is: frozen dataclasses, and YAML files with what differs from their defaults."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_type_hints

import yaml

from azul_agents.arena.workers import check_specs
from azul_env.core.spec import COUNTER_LIMIT, DEFAULT_MAX_ROUNDS, MAX_PLAYERS, MIN_PLAYERS
from azul_env.rewards import REWARDS
from azul_train.network_size import NetworkSize
from azul_train.rllib_config import RllibConfig
from azul_train.selfplay.league import SCHEDULES
from azul_train.typed_data import build, check_data, known_keys, merged, to_plain

DEFAULT_NAME: Final = "train"  # of a run without a file
SB3, RLLIB = ENGINES = "sb3", "rllib"
SHARE_SLACK: Final = 1e-9  # 0.1 + 0.2 + 0.7 may be a hair above 1


@dataclass(frozen=True)
class PPOConfig:
    """How MaskablePPO learns."""

    games: int = 256
    """Games that are played at the same time."""
    rollout_steps: int = 64
    """Learner steps of each game between two rounds of learning."""
    batch_size: int = 2048
    """Steps in a gradient step; divides games * rollout_steps."""
    epochs: int = 3
    """How often each step is learnt from."""
    gamma: float = 1.0
    """Discount of later rewards; 1 is none."""
    gae_lambda: float = 0.95
    """From trusting the value network (0) to trusting only what came to pass (1)."""
    entropy: float = 0.005
    """Reward of staying undecided."""
    learning_rate: float = 5e-4
    """Of Adam, at the start."""
    final_learning_rate: float = 2.5e-5
    """At the end; in between it falls in a line."""
    clip_range: float = 0.2
    """How far a probability may move in one round of learning before the gradient is cut."""
    value_coef: float = 0.5
    """Weight of the value's loss."""
    max_grad_norm: float = 0.5
    """Longer gradients are shortened to this."""

    def __post_init__(self) -> None:
        _check_least(self, 1, "games", "rollout_steps", "batch_size", "epochs")
        _check_least(self, 0, "entropy", "final_learning_rate", "value_coef")
        _check_positive(self, "learning_rate", "clip_range", "max_grad_norm")
        _check_share(self, "gamma", "gae_lambda")
        steps = self.games * self.rollout_steps
        if steps % self.batch_size:
            raise ValueError(
                f"batch_size must divide games * rollout_steps = {steps}, {self.batch_size} does not"
            )


@dataclass(frozen=True)
class LeagueConfig:
    """Whom the learner plays."""

    schedule: str = "mix"
    """How snapshots are chosen: `mirror` (always the latest self), `mix` (the latest or any older one), `prioritised`
    (any, the more often the better it does)."""
    scripted: dict[str, float] = field(default_factory=lambda: {"greedy": 0.3})
    """Shares of games against agents by spec; the rest is against snapshots."""
    latest_share: float = 0.5
    """Share of the snapshot games against the latest one."""
    snapshot_every: int = 100_000
    """Learner steps between two snapshots."""
    max_snapshots: int = 20
    """How many are kept."""

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(
                f"schedule must be one of {', '.join(SCHEDULES)}, not {self.schedule!r}"
            )
        for spec, share in self.scripted.items():
            if not 0 <= share <= 1:
                raise ValueError(f"scripted.{spec} must be from 0 to 1, not {share}")
        total = sum(self.scripted.values())
        if total > 1 + SHARE_SLACK:
            raise ValueError(f"scripted: the shares must not exceed 1 in all, they are {total:g}")
        _check_agents("scripted", tuple(self.scripted))
        _check_share(self, "latest_share")
        _check_least(self, 1, "snapshot_every", "max_snapshots")


@dataclass(frozen=True)
class ImitationConfig:
    """A warm start: learning to choose as another agent does, before self-play."""

    teacher: str | None = None
    """Spec of the agent to imitate."""
    samples: int = 0
    """Positions to learn from; 0 is no warm start."""
    epochs: int = 2
    """How often each is learnt from."""
    batch_size: int = 1024
    """Positions in a gradient step."""
    learning_rate: float = 1e-3
    """Of Adam."""
    random_moves: float = 0.1
    """Share of moves played at random while collecting, so that the positions differ."""
    threads: int = 2
    """Threads on which a searching teacher searches; the samples are the same for any number."""

    def __post_init__(self) -> None:
        _check_least(self, 0, "samples")
        _check_least(self, 1, "epochs", "batch_size", "threads")
        _check_positive(self, "learning_rate")
        _check_share(self, "random_moves")
        if self.teacher is not None:
            _check_agents("teacher", (self.teacher,))
        elif self.samples:
            raise ValueError(f"teacher must be an agent where samples is {self.samples}, not null")


@dataclass(frozen=True)
class EvaluationConfig:
    """How the learner is measured: always its best move, on deals that it never trained on."""

    opponents: tuple[str, ...] = ("random", "greedy", "alphabeta:nodes=1000")
    """Specs; with 3 and 4 players all others at the table are copies of one."""
    games: int = 200
    """Games against each during training, rounded up to whole deals."""
    every: int = 200_000
    """Learner steps between two evaluations."""
    final_games: int = 400
    """Games against each at the end, with the best model."""
    seed: int = 1_000_003
    """Where the deals come from."""

    def __post_init__(self) -> None:
        _check_least(self, 1, "games", "every", "final_games")
        _check_least(self, 0, "seed")
        if not self.opponents or len(set(self.opponents)) < len(self.opponents):
            raise ValueError(
                f"opponents must be at least one and all different, not {list(self.opponents)}"
            )
        _check_agents("opponents", self.opponents)


@dataclass(frozen=True)
class TrainConfig:
    """A training run. Anything wrong raises ValueError."""

    name: str | None = None
    """Of the run's folder; null: the name of the config's file."""
    engine: str = SB3
    """Who learns: `sb3` (Stable-Baselines3, one machine) or `rllib` (Ray's RLlib, one or many)."""
    num_players: int = 2
    """2, 3 or 4."""
    seed: int = 1
    """Same seed, same run on the same machine."""
    steps: int = 1_000_000
    """Learner steps in all, rounded up to whole rollouts; 0 stops after the warm start."""
    torch_threads: int = 1
    """Threads that torch may use; networks of this size gain nothing from more."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """A game ends after so many rounds at the latest."""
    reward: dict[str, float] = field(default_factory=lambda: {"outcome": 0.5, "round_margin": 0.03})
    """Weights of rewards by name; their sum is what the learner gets."""
    network: NetworkSize = field(default_factory=NetworkSize)
    """How large the network is."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """How MaskablePPO learns."""
    league: LeagueConfig = field(default_factory=LeagueConfig)
    """Whom the learner plays."""
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    """The warm start."""
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    """How the learner is measured."""
    checkpoint_every: int = 200_000
    """Learner steps between two checkpoints, from which a run can be resumed."""
    rllib: RllibConfig = field(default_factory=RllibConfig)
    """How many processes RLlib uses."""

    def __post_init__(self) -> None:
        if self.name is not None and (self.name in ("", ".", "..") or set(self.name) & set("/\\")):
            raise ValueError(f"name must be fit for a folder, not {self.name!r}")
        if not MIN_PLAYERS <= self.num_players <= MAX_PLAYERS:
            raise ValueError(
                f"num_players must be in {MIN_PLAYERS}..{MAX_PLAYERS}, not {self.num_players}"
            )
        if not 1 <= self.max_rounds <= COUNTER_LIMIT:
            raise ValueError(f"max_rounds must be in 1..{COUNTER_LIMIT}, not {self.max_rounds}")
        _check_least(self, 0, "seed", "steps")
        _check_least(self, 1, "torch_threads", "checkpoint_every")
        if self.seed in (self.evaluation.seed, self.evaluation.seed + 1):
            raise ValueError(
                f"seed {self.seed} deals for the evaluation: train on other deals, or set evaluation.seed"
            )
        self._check_engine()
        for name in self.reward:
            if name not in REWARDS:
                raise ValueError(f"unknown key 'reward.{name}'; known: {', '.join(REWARDS)}")
        if not any(self.reward.values()):
            raise ValueError(f"reward must give some reward a weight, not {self.reward}")

    def _check_engine(self) -> None:
        """What one of the engines cannot do is an error, not something that is silently left out."""
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")
        if self.engine == SB3:
            if self.rllib != RllibConfig():
                raise ValueError("rllib is for the engine rllib: add engine: rllib")
            return
        if self.league != LeagueConfig() or self.imitation != ImitationConfig():
            raise ValueError("league and imitation are for the engine sb3: rllib plays itself")
        for name, what in (("env_runners", "games"), ("learners", "batch_size")):
            number, whole = max(1, getattr(self.rllib, name)), getattr(self.ppo, what)
            if whole % number:
                raise ValueError(
                    f"rllib.{name} must divide ppo.{what} = {whole}, {number} does not"
                )


def read_config(path: Path | None, changes: Sequence[str] = ()) -> TrainConfig:
    """The config in a YAML file (None: the defaults), with changes such as `ppo.games=64` on top.

    Raises ValueError, which names the file or the change, the key, and what is allowed.
    """
    data = {} if path is None else _read_file(path)
    for change in changes:
        data = merged(data, _read_change(change), TrainConfig)
    if data.get("name") is None:
        data["name"] = DEFAULT_NAME if path is None else path.stem
    sources = ([str(path)] if path else []) + [f"--set {change}" for change in changes]
    try:
        return build(TrainConfig, data)
    except ValueError as error:
        raise ValueError(f"{' '.join(sources)}: {error}" if sources else str(error)) from None


def config_to_dict(config: TrainConfig) -> dict[str, Any]:
    """The whole config as plain data, as YAML or JSON hold it."""
    return to_plain(config)


def _read_file(path: Path) -> dict[str, Any]:
    """The data of a file, with the types checked."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not YAML: {error}") from None
    try:
        return check_data(TrainConfig, {} if data is None else data)  # a file of comments is empty
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _read_change(change: str) -> dict[str, Any]:
    """The data of `key.key=value`, with the types checked."""
    key, equals, text = change.partition("=")
    where = f"--set {change}"
    if not equals or not key:
        raise ValueError(f"{where}: write key=value, for example ppo.games=64")
    *sections, name = key.split(".")
    kind: Any = TrainConfig
    for place, section in enumerate(sections):
        known = get_type_hints(kind)
        if section not in known:
            wrong = ".".join(sections[: place + 1])
            raise ValueError(f"{where}: unknown key {wrong!r}; known: {known_keys(kind)}")
        kind = known[section]
        if not hasattr(kind, "__dataclass_fields__"):
            whole = ".".join(sections[: place + 1])
            raise ValueError(f"{where}: {whole} has no keys of its own: set {whole}=... whole")
    try:
        data: Any = {name: yaml.safe_load(text)}
    except yaml.YAMLError:
        raise ValueError(f"{where}: the value is not YAML") from None
    for section in reversed(sections):
        data = {section: data}
    try:
        return check_data(TrainConfig, data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check_least(config: Any, least: float, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")


def _check_positive(config: Any, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value <= 0:
            raise ValueError(f"{name} must be above 0, not {value}")


def _check_share(config: Any, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0 to 1, not {value}")


def _check_agents(name: str, specs: tuple[str, ...]) -> None:
    try:
        check_specs(specs)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None

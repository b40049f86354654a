"""Agents around trained networks: `neural` from a file, `ppo` with the packaged models."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import (
    VARIANTS,
    Agent,
    CannotAnalyseError,
    MoveValue,
    answers,
    check_question,
)
from azul_agents.kinds import NeuralOptions, PpoOptions
from azul_agents.neural.forward import layers_of, logits_and_values
from azul_agents.neural.model_file import COLORED, OUTLOOK, Model, ModelFileError, read_model
from azul_agents.neural.outlook import Inputs
from azul_agents.neural.sampling import sampled
from azul_agents.registry import AgentSpecError, quoted
from azul_env import GameState, Rows, legal_mask, num_actions
from azul_env.state import checked_rows, variant_name

PACKAGED: Final = "ppo"


class Preference(NamedTuple):
    """A legal move and its probability under the network's policy."""

    action: int
    probability: float


class NeuralPolicy:
    """A network for one number of players and one variant. Not thread-safe, since an outlook needs scratch memory."""

    def __init__(self, model: Model) -> None:
        self.num_players, self.variant = model.num_players, model.variant
        self.card = model.card
        self.num_actions = num_actions(model.num_players, model.variant)
        self.layers = layers_of(model)
        weights = model.arrays.get(OUTLOOK)
        self.inputs = Inputs(model.num_players, model.variant, weights)

    @classmethod
    def load(cls, path: Path | str) -> "NeuralPolicy":
        """Load a model file. Raises ModelFileError."""
        return cls(read_model(Path(path)))

    def logits_and_values(
        self, observations: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unmasked logits (batch, actions) and values (batch,) of float32 observations (batch, size).

        A network with an outlook takes the `inputs` of games, which append outlooks to the observations.
        """
        size = self.inputs.size
        if observations.ndim != 2 or observations.shape[1] != size:
            raise ValueError(f"observations must have shape (batch, {size}): {observations.shape}")
        if observations.dtype != np.float32:
            raise ValueError(f"observations must be float32 in [0, 1], not {observations.dtype}")
        return logits_and_values(self.layers, observations, self.num_actions)

    def judge_all(self, rows: Rows) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits (batch, actions), legal or not, and values (batch,) of games as their players to move see them.

        Raises TypeError or ValueError for rows that are no games, or games of another variant or number of players.
        """
        rows = checked_rows(rows, "rows")
        variant = variant_name(rows)
        if variant != self.variant:
            raise ValueError(f"the network is for the variant {self.variant}, not for {variant}")
        if (rows["num_players"] != self.num_players).any():
            others = sorted(set(rows["num_players"].tolist()) - {self.num_players})
            raise ValueError(f"the network is for {self.num_players} players, not for {others}")
        return logits_and_values(self.layers, self.inputs.of(rows), self.num_actions)

    def judge(self, state: GameState) -> tuple[NDArray[np.float32], float]:
        """Logits of all actions, legal or not, and value of a position, as the player to move sees it."""
        logits, values = self.judge_all(state.rows)
        return logits[0], float(values[0])


class NeuralAgent(Agent):
    """Plays by a network's policy.

    A network trained by PPO has a policy and a value for the position, but no values of moves in points. So it cannot
    analyse; see `preferences` for its policy.
    """

    def __init__(
        self,
        spec: str,
        policy_for: Callable[[int, str], NeuralPolicy],
        temperature: float = 0.0,
        variants: Sequence[str] = VARIANTS,
    ) -> None:
        """`policy_for` returns the network for a number of players and one of the variants, or raises ValueError."""
        self.spec = spec
        self.temperature = temperature
        self.variants = variants
        self._policy_for = policy_for
        self._policy: NeuralPolicy | None = None

    @classmethod
    def of_policy(
        cls, spec: str, policy: NeuralPolicy, temperature: float = 0.0, name: str = "the network"
    ) -> "NeuralAgent":
        """An agent with one network, which plays no other games than those it was trained for."""

        def policy_for(num_players: int, variant: str) -> NeuralPolicy:
            if num_players != policy.num_players:
                raise ValueError(
                    f"{name} was trained for {policy.num_players} players, this game has {num_players}"
                )
            return policy

        return cls(spec, policy_for, temperature, (policy.variant,))

    def check_table(self, num_players: int, variant: str) -> None:
        """Load the network before the first move. Raises AgentSpecError if there is none for these games."""
        self.policy(num_players, variant)

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """The legal action with the highest logit, or a sampled one if the temperature is above 0."""
        return int(answers(self, [state], legal_mask.reshape(1, -1), [rng])[0])

    def act_batch(
        self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.int64]:
        """The actions that `act` would choose."""
        if self.temperature == 0:
            return self._legal_logits(rows, legal_masks).argmax(axis=1)
        uniforms = np.array([rng.random() for rng in rngs])
        return sampled(self._logits(rows), legal_masks, uniforms, self.temperature)[0]

    def preferences(self, state: GameState) -> list[Preference]:
        """All legal moves with their probabilities, the most likely first."""
        check_question(state.rows)
        mask = legal_mask(state)
        logits = self._legal_logits(state.rows, mask.reshape(1, -1))[0].astype(np.float64)
        weights = np.exp(logits - logits.max())
        probabilities = weights / weights.sum()
        ranked = (Preference(a, float(probabilities[a])) for a in np.flatnonzero(mask).tolist())
        return sorted(ranked, key=lambda move: -move.probability)

    def analyse(self, state: GameState) -> list[MoveValue]:
        """Raise CannotAnalyseError: a policy gives no values in points."""
        raise CannotAnalyseError(
            f"{self.spec} gives no values in points to moves: use greedy or alphabeta"
        )

    def policy(self, num_players: int, variant: str = COLORED) -> NeuralPolicy:
        """The network for a number of players and a variant."""
        policy = self._policy
        if policy is None or (policy.num_players, policy.variant) != (num_players, variant):
            try:
                self._policy = policy = self._policy_for(num_players, variant)
            except ValueError as error:
                raise AgentSpecError(f"{quoted(self.spec)}: {error}") from None
        return policy

    def _legal_logits(self, rows: Rows, legal_masks: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Logits of many games, -inf for illegal actions."""
        logits = self._logits(rows)
        logits[~legal_masks] = -np.inf
        return logits

    def _logits(self, rows: Rows) -> NDArray[np.float32]:
        """Logits of many games, legal or not."""
        policy = self.policy(int(rows["num_players"][0]), variant_name(rows))
        return policy.judge_all(rows)[0]


@contextmanager
def model_path(model: str, num_players: int, variant: str = COLORED) -> Iterator[Path]:
    """The path of a model file; `ppo` is the packaged one. Raises ModelFileError if there is none for these games."""
    if model != PACKAGED:
        yield Path(model)
        return
    prefix = "" if variant == COLORED else f"{variant}_"
    file = files("azul_agents.neural") / "models" / f"{prefix}{num_players}_players.npz"
    if not file.is_file():
        raise ModelFileError(
            f"there is no packaged model for {num_players} players and the variant {variant!r}: "
            "train one (azul train) and use neural:path=MODEL.npz"
        )
    with as_file(file) as path:
        yield path


@cache
def packaged_model(num_players: int, variant: str = COLORED) -> Model:
    """The packaged model, read once. Raises ModelFileError if there is none for these games."""
    with model_path(PACKAGED, num_players, variant) as path:
        return read_model(path)


def packaged_policy(num_players: int, variant: str = COLORED) -> NeuralPolicy:
    """The packaged network, with its own scratch memory. Raises ModelFileError if there is none for these games."""
    return NeuralPolicy(packaged_model(num_players, variant))


def neural_agent(spec: str, options: NeuralOptions) -> NeuralAgent:
    """An agent with a network from a file, which is loaded at once. Raises AgentSpecError."""
    try:
        policy = NeuralPolicy.load(options.path)
    except ModelFileError as error:
        raise AgentSpecError(f"{quoted(spec)}: {error}") from None
    return NeuralAgent.of_policy(spec, policy, options.temperature, options.path)


def ppo_agent(spec: str, options: PpoOptions) -> NeuralAgent:
    """An agent with the packaged networks, each loaded on first use."""
    return NeuralAgent(spec, packaged_policy, options.temperature)

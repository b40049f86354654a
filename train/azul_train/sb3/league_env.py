"""Games against the league as an SB3 VecEnv; the learner's seat and opponent are sampled per game."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from azul_agents.neural.outlook import Inputs
from azul_env import Rows
from azul_env.core.arguments import whole_numbers
from azul_env.core.chance import chances_from, checked_chances
from azul_env.envs.opponents import Player, Rngs
from azul_env.envs.seats import SeatGames
from azul_env.envs.settings import RANDOM, Settings
from azul_env.state import checked_rows
from azul_train.config import COLORED
from azul_train.run.stopwatch import Stopwatch
from azul_train.sb3.vec_env import ArrayVecEnv
from azul_train.selfplay.league import League
from azul_train.selfplay.rewards import seat_rewards, win_shares


class LeagueVecEnv(ArrayVecEnv):
    """The learner in one seat of every game, copies of one league member in the others."""

    def __init__(
        self,
        num_envs: int,
        num_players: int,
        league: League,
        reward: Mapping[str, float],
        seed: int,
        max_rounds: int,
        stopwatch: Stopwatch | None = None,
        inputs: Inputs | None = None,
        variant: str = COLORED,
    ) -> None:
        """`inputs` computes the learners' inputs, by default observations alone."""
        settings = Settings(num_players, max_rounds, "outcome", 0, "float32", RANDOM, variant)
        self.inputs = inputs or Inputs(num_players, variant, None)
        space = settings.observation_space()
        if self.inputs.size > self.inputs.observation_size:
            space = spaces.Box(-np.inf, np.inf, (self.inputs.size,), np.float32)
        super().__init__(num_envs, space, settings.action_space())
        self.league, self.reward = league, reward
        self.stopwatch = stopwatch or Stopwatch()
        self.games = SeatGames(num_envs, settings, ())
        self.games.rng = np.random.default_rng([seed, 1])
        self.games.chances[:] = chances_from(seed, num_envs)
        self._members = np.zeros(num_envs, np.int64)

    def reset(self) -> VecEnvObs:
        """Start all games."""
        self._begin(np.ones(self.num_envs, np.bool_))
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.publish()

    def step_wait(self) -> VecEnvStepReturn:
        """Play the learners' actions and the opponents' replies; start a new game where one ended."""
        with self.stopwatch.measure("environment"):
            before = self.games.rows.copy()
            result = self.games.step(self._actions)
            if result.illegal.any():
                game = int(np.flatnonzero(result.illegal)[0])
                raise ValueError(f"illegal action {self._actions[game]} in game {game}")
            rewards = seat_rewards(before, self.games.rows, self.games.seats, self.reward)
            done = result.terminated | result.truncated
            infos = self._infos(done, self._with_outlooks(result.final_observations))
            ended = np.flatnonzero(done)
            if ended.size:
                shares = win_shares(self.games.rows[ended], self.games.seats[ended])
                self.league.add_results(self._members[ended], shares)
                self._begin(done)
            return self.publish(), rewards.astype(np.float32), done, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of all games."""
        with self.stopwatch.measure("masks"):
            return super().action_masks()

    def publish(self) -> NDArray[np.float32]:
        """The learners' observations; updates the masks as well."""
        observations, self._masks = self.games.publish()
        return self._with_outlooks(observations)

    def _with_outlooks(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """The observations, with outlooks appended if the learners have them; that of a finished game lists no moves."""
        extra = self.inputs.size - observations.shape[1]
        if not extra:
            return observations
        inputs = np.pad(observations, ((0, 0), (0, extra)))
        self.inputs.add_outlooks(self.games.rows, inputs)
        return inputs

    def get_state(self) -> dict[str, Any]:
        """The state of the games, without the league."""
        return {
            "rows": self.games.rows.copy(),
            "chances": self.games.chances.copy(),
            "seats": self.games.seats.copy(),
            "members": self._members.copy(),
            "rng": self.games.rng.bit_generator.state,
        }

    def set_state(self, state: dict[str, Any]) -> NDArray[np.float32]:
        """Restore `get_state()`; the learners' observations. Raises TypeError or ValueError if these are other games."""
        games, count = self.games, self.num_envs
        rows, chances = checked_rows(state["rows"], "rows"), checked_chances(state["chances"])
        seats = whole_numbers(state["seats"], count, "seats")
        members = whole_numbers(state["members"], count, "members")
        if len(rows) != count or len(chances) != count:
            raise ValueError(f"{len(rows)} games and {len(chances)} generators for {count} games")
        games.settings.check_states(rows)
        if rows["end_reason"].any() or (rows["current_player"] != seats).any():
            raise ValueError("a game is over, or another player than the learner is to move")
        if not ((members >= 0) & (members < len(self.league.members))).all():
            raise ValueError("a game has an opponent that is not in the league")
        games.rng.bit_generator.state = state["rng"]
        games.rows[:], games.chances[:], games.seats[:] = rows, chances, seats
        self._assign(np.ones(count, np.bool_), members)
        return self.publish()

    def _begin(self, due: NDArray[np.bool_]) -> None:
        """Start games against newly sampled opponents."""
        self._assign(due, self.league.sample(int(due.sum()), self.games.rng))
        self.games.begin(due)

    def _assign(self, games: NDArray[np.bool_], members: NDArray[np.int64]) -> None:
        self._members[games] = members
        self.games.assigned[games] = members[:, None]
        self.games.opponents = [
            _Timed(member.agent, self.stopwatch, member.is_snapshot)
            for member in self.league.members
        ]


class _Timed:
    """Measures the time of an opponent."""

    def __init__(self, player: Player, stopwatch: Stopwatch, is_snapshot: bool) -> None:
        self.player, self.stopwatch = player, stopwatch
        self.name = "snapshots" if is_snapshot else "scripted opponents"

    def act_batch(self, rows: Rows, legal_masks: NDArray[np.bool_], rngs: Rngs) -> Any:
        """The opponent's actions."""
        with self.stopwatch.measure(self.name):
            return self.player.act_batch(rows, legal_masks, rngs)

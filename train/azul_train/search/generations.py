"""The loop over generations: play with the best networks, train on the games, and keep the winner at equal time."""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from azul_agents.arena.fit_folder import append_result, read_results
from azul_agents.arena.match import MatchConfig, run_match
from azul_agents.arena.tally import Tally
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.provenance import commit, versions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.evaluator import Evaluator
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.network.layers import Floats, unflattened
from azul_agents.search.network.weights_file import (
    network_evaluator,
    read_networks,
    shipped_networks,
    write_networks,
)
from azul_env.files import write_atomically
from azul_train.search.fitting import fit
from azul_train.search.folder import BEST, GENERATION, LINEAR, SearchRunFolder
from azul_train.search.games import files_of, play_generation, recordings_in
from azul_train.search.progress import PlayGames, Report
from azul_train.search.samples import samples_of

NEW: Final = "new"  # name in matches
LINEAR_BREADTH: Final = 10  # of the search that the linear evaluation is measured with

MakeEvaluator = Callable[[int], Evaluator]


class SearchRun:
    """A run in its folder, whose lock the caller holds."""

    def __init__(
        self, folder: SearchRunFolder, report: Report, play: PlayGames = play_generation
    ) -> None:
        """`play` plays the games of a generation: in threads of this process, or elsewhere."""
        torch.set_num_threads(1)
        self.folder, self.config, self._report = folder, folder.config, report
        self._play_games = play
        self._start = time.monotonic() - 60 * folder.minutes

    def run(self) -> list[dict[str, Any]]:
        """Run the remaining generations; returns the lines of all."""
        done = self.folder.generations()
        for number in range(len(done) + 1, self.config.generations + 1):
            best = max((line[GENERATION] for line in done if line["kept"]), default=None)
            line = self._generation(number, best)
            if line["kept"]:
                self._export(number, line)
            self.folder.append_metrics(line)
            done.append(line)
        return done

    def _generation(self, number: int, best: int | None) -> dict[str, Any]:
        """Play, learn and compare; returns the results."""
        self._play(number, best)
        if not self.folder.has_learned(number):
            self._learn(number, best)
        new = self._evaluator(number)
        against_best = self._match(number, new, BEST, self._evaluator(best))
        against_linear = against_best
        if best is not None or self.config.start != LINEAR:
            against_linear = self._match(number, new, LINEAR, linear_evaluator)
        self._tick()
        return {
            "kind": GENERATION,
            GENERATION: number,
            "steps": number * self.config.self_play.games,
            "minutes": self.folder.minutes,
            "played_with": best,
            "calibration": self.folder.card_of(number)["calibration"],
            BEST: _as_data(against_best),
            LINEAR: _as_data(against_linear),
            "kept": against_best.win_rate > 1 / self.config.num_players,
        }

    def _play(self, number: int, best: int | None) -> None:
        """Play the games of a generation with the best networks so far."""
        config, folder = self.config, self.folder.generation(number)
        files = files_of(folder, config)
        done = sum(file.exists() for file in files) * config.self_play.games_per_file
        total = len(files) * config.self_play.games_per_file
        if done == total:
            return

        def on_games(games: int) -> None:
            nonlocal done
            done += games
            self._tick()
            self._report("self-play", done, total)

        new_evaluator = partial(self._evaluator(best), config.num_players)
        self._play_games(folder, config, number, new_evaluator, on_games)

    def _learn(self, number: int, best: int | None) -> None:
        """Train networks on the games of the last generations, the latest of which were played with the best ones."""
        config = self.config
        files = []
        for line in self.folder.generations()[max(0, number - config.memory) :]:
            self._play(line[GENERATION], line["played_with"])  # games that were removed since
            files += files_of(self.folder.generation(line[GENERATION]), config)
        files += files_of(self.folder.generation(number), config)
        samples = samples_of(recordings_in(files, config))
        seed = int(np.random.SeedSequence(config.seed, spawn_key=(number,)).generate_state(1)[0])
        start = self._networks(best) if config.fitting.goes_on else None
        fitted = fit(
            samples,
            config.fitting,
            seed,
            self._report,
            None if start is None else unflattened(start),
        )
        card = {
            "made_by": "azul train-search",
            "num_players": config.num_players,
            GENERATION: number,
            "games": len(files) * config.self_play.games_per_file,
            "positions": len(samples.game),
            "went_on_from": None if start is None else best or "shipped",
            "versions": versions(),
            "commit": commit(),
            "calibration": fitted.calibration,
        }
        inner, ends = (net.layers(config.num_players) for net in (fitted.inner, fitted.ends))
        write_networks(self.folder.networks_of(number), inner, ends, card)
        self._tick()

    def _match(self, number: int, new: MakeEvaluator, opponent: str, other: MakeEvaluator) -> Tally:
        """The results of new networks against copies of an opponent; games in the file are not played again."""
        duel, players = self.config.duel, self.config.num_players
        agents = {
            NEW: self._agent(NEW, new),
            opponent: self._agent(opponent, other),
        }
        total, file = self.config.match_games, self.folder.match_file(number, opponent)
        done = read_results(file, players, total)
        played = len(done)

        def on_game(finished: Any) -> None:
            nonlocal played
            append_result(file, finished.played.result)
            played += 1
            self._report(f"match against {opponent}", played, total)

        key = (number, 0 if opponent == BEST else 1)
        seeds = np.random.SeedSequence(self.config.seed, spawn_key=key)
        match = MatchConfig(duel.games, int(seeds.generate_state(1)[0]), jobs=1)
        specs = (NEW, *[opponent] * (players - 1))
        return run_match(specs, match, on_game, agents.__getitem__, done).tallies[0]

    def _agent(self, name: str, new_evaluator: MakeEvaluator) -> AlphaBetaAgent:
        duel = self.config.duel
        options = AlphaBetaOptions(time=duel.time, nodes=duel.nodes)
        if new_evaluator is linear_evaluator:
            options = AlphaBetaOptions(
                time=duel.time, nodes=duel.nodes, breadth=LINEAR_BREADTH, widest=LINEAR_BREADTH
            )
        return AlphaBetaAgent(name, options, new_evaluator)

    def _evaluator(self, generation: int | None) -> MakeEvaluator:
        """The evaluator with the networks of a generation; None: the one that the run starts from."""
        weights = self._networks(generation)
        if weights is None:
            return linear_evaluator
        return partial(network_evaluator, weights=weights)

    def _networks(self, generation: int | None) -> Floats | None:
        """The networks of a generation; None: those that the run starts from, if there are some."""
        if generation is not None:
            return read_networks(self.folder.networks_of(generation))
        if self.config.start == LINEAR:
            return None
        return shipped_networks(self.config.num_players, self.config.start)

    def _export(self, generation: int, line: dict[str, Any]) -> None:
        """Copy the networks of a generation to where the best ones are, with its results in their card."""
        source, target = self.folder.networks_of(generation), self.folder.networks
        results = {name: line[name] for name in (BEST, LINEAR, "minutes")}
        card = self.folder.card_of(generation) | results
        write_atomically(target, source.read_bytes())
        write_atomically(target.with_suffix(".json"), json.dumps(card, indent=1) + "\n")

    def _tick(self) -> None:
        """Save the time of work so far."""
        self.folder.save_minutes((time.monotonic() - self._start) / 60)


def _as_data(tally: Tally) -> dict[str, Any]:
    low, high = tally.interval
    return {"games": tally.games, "win_rate": tally.win_rate, "low": low, "high": high}

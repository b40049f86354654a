"""Improve the weights of the evaluation: self-play, a fit, and a match that decides whether the new ones are kept.

Everything is saved to a `FitFolder` as it is produced, so that a killed run resumes to the same result.
"""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from azul_agents.arena.fit_folder import (
    GAMES,
    HELD_OUT_GAMES,
    SELF_PLAY,
    FitConfig,
    FitFolder,
    append_result,
    read_results,
    read_weights,
    save_weights,
    weights_shape,
)
from azul_agents.arena.match import MatchConfig, num_games, run_match
from azul_agents.arena.tally import Tally
from azul_agents.arena.workers import Finished
from azul_agents.kinds import AlphaBetaOptions
from azul_agents.provenance import commit, versions
from azul_agents.search.alphabeta import AlphaBetaAgent
from azul_agents.search.fitting import SelfPlay, SelfPlayGames, first_weights
from azul_agents.search.linear import (
    NAMES_OF_FEATURES,
    Weights,
    linear_evaluator,
    load_weights,
)
from azul_env.files import write_atomically

HELD_OUT: Final = 10  # one game in this many is played only to judge the fit
FIRST_CHUNK: Final = 20  # games before the clock is first checked
CHUNK_SECONDS: Final = 0.5  # between checks: a stop takes at most this long
CHECKPOINT_SECONDS: Final = 10.0  # of self-play that a kill can lose

Report = Callable[[str], None]
Advance = Callable[[str, int, int], None]  # activity, units done, units in total


def new_fit(root: Path, config: FitConfig, out: Path, command: str) -> FitFolder:
    """The folder of a new run, which begins with the package's weights or, from scratch, with those set by hand."""
    weights = first_weights(config.variant) if config.from_scratch else _package_weights(config)
    return FitFolder.create(root, config, weights, out, command)


def improve(folder: FitFolder, report: Report, advance: Advance) -> dict[str, Any]:
    """Run the remaining improvements, then write and return the card of the best weights.

    Caller holds the lock of the folder.
    """
    config = folder.config
    shape = weights_shape(config.variant)
    weights = read_weights(folder.weights_file, shape)
    steps = folder.improvements()
    for number in range(1, config.improvements + 1):
        if number > len(steps):
            step = _improvement(folder, config, number, weights, advance)
            folder.add_improvement(step)
            steps.append(step)
            report(f"improvement {number}: {_told(step)}")
        folder.remove_sums(number)
        if steps[number - 1]["kept"]:
            weights = read_weights(_fitted_file(folder, number), shape)
    card = {
        "players": config.players,
        "variant": config.variant,
        "made_by": "azul fit-evaluation",
        "config": asdict(config),
        "steps": steps,
        "versions": versions(),
        "commit": commit(),
        "features": list(NAMES_OF_FEATURES[config.variant]),
        "weights": np.round(weights, 4).tolist(),
    }
    write_card(card, folder.out)
    write_card(card, folder.card_file)
    return card


def check_files(folder: FitFolder) -> None:
    """Read all that a run resumes from, now rather than after hours of self-play. Raises ValueError if it is broken."""
    config, steps = folder.config, folder.improvements()
    shape = weights_shape(config.variant)
    weights = read_weights(folder.weights_file, shape)
    for number, step in enumerate(steps, 1):
        if step["kept"]:
            weights = read_weights(_fitted_file(folder, number), shape)
    number = len(steps) + 1
    if number > config.improvements:
        return
    for name, part in product(SELF_PLAY, range(config.jobs)):
        file = _games_file(folder, number, name, part)
        if file.exists():
            SelfPlayGames(config.players, weights, seed=0).load(file)
    if _fitted_file(folder, number).exists():
        read_weights(_fitted_file(folder, number), shape)
    match = _match_config(config, seed=0)
    read_results(_match_file(folder, number), config.players, num_games(_specs(config), match))


def _improvement(
    folder: FitFolder, config: FitConfig, number: int, weights: Weights, advance: Advance
) -> dict[str, Any]:
    """Play, fit and compare; the results."""
    key = (number - 1,)
    seeds = np.random.SeedSequence(config.seed, spawn_key=key).generate_state(3).tolist()
    file = _fitted_file(folder, number)
    held_out = max(1, config.games // HELD_OUT)
    played = _play(folder, config, number, GAMES, weights, seeds[0], config.games, advance)
    judges = _play(folder, config, number, HELD_OUT_GAMES, weights, seeds[1], held_out, advance)
    if not file.exists():
        save_weights(file, played.fit(config.ridge))
    fitted = read_weights(file, weights.shape)
    score = _match(_match_file(folder, number), config, fitted, weights, seeds[2], advance)
    return {
        "games": config.games,
        "unexplained_before": round(judges.unexplained(weights), 4),
        "unexplained_after": round(judges.unexplained(fitted), 4),
        "duel": _as_data(score, config.duel_nodes),
        "kept": score.win_rate > 1 / config.players,
    }


def _match(
    file: Path, config: FitConfig, new: Weights, old: Weights, seed: int, advance: Advance
) -> Tally:
    """The results of new weights against copies of the old ones; the games in the file are not played again."""
    agents = {
        name: AlphaBetaAgent(
            name,
            AlphaBetaOptions(nodes=config.duel_nodes),
            partial(linear_evaluator, weights=weights),
        )
        for name, weights in (("new", new), ("old", old))
    }
    specs, match = _specs(config), _match_config(config, seed)
    done = read_results(file, config.players, num_games(specs, match))
    games = len(done)
    advance("match", games, config.duel_games)

    def on_game(finished: Finished) -> None:
        nonlocal games
        append_result(file, finished.played.result)
        games += 1
        advance("match", games, config.duel_games)

    return run_match(specs, match, on_game, agents.__getitem__, done).tallies[0]


def _specs(config: FitConfig) -> tuple[str, ...]:
    return ("new", *["old"] * (config.players - 1))


def _match_config(config: FitConfig, seed: int) -> MatchConfig:
    return MatchConfig(config.duel_games, seed, jobs=1, variant=config.variant)


def _fitted_file(folder: FitFolder, number: int) -> Path:
    return folder.part(number) / "fitted.npz"


def _match_file(folder: FitFolder, number: int) -> Path:
    return folder.part(number) / "match.jsonl"


def _games_file(folder: FitFolder, number: int, name: str, part: int) -> Path:
    return folder.part(number) / f"{name}_{part}.npz"


def _as_data(score: Tally, nodes: int) -> dict[str, Any]:
    interval = [round(end, 4) for end in score.interval]
    win_rate = round(score.win_rate, 4)
    return {"games": score.games, "nodes": nodes, "win_rate": win_rate, "interval": interval}


def _told(step: dict[str, Any]) -> str:
    """An improvement in words."""
    match = step["duel"]
    low, high = (100 * end for end in match["interval"])
    return (
        f"held-out variance unexplained {step['unexplained_before']} -> {step['unexplained_after']}, "
        f"{100 * match['win_rate']:.1f}% ({low:.1f}–{high:.1f}) of {match['games']} games against the weights before"
        + ("" if step["kept"] else ": not kept")
    )


def write_card(card: dict[str, Any], path: Path) -> None:
    """Write a card, a line for every bucket's weights."""
    lines = ",\n".join("  " + json.dumps(bucket) for bucket in card["weights"])
    rest = json.dumps({key: card[key] for key in card if key != "weights"}, indent=1)
    write_atomically(path, rest[:-2] + f',\n "weights": [\n{lines}\n ]\n}}\n')


def _package_weights(config: FitConfig) -> Weights:
    """The weights of the package, or those set by hand where it has none yet."""
    try:
        return load_weights(config.players, config.variant)
    except (FileNotFoundError, ValueError):
        return first_weights(config.variant)


def _play(
    folder: FitFolder,
    config: FitConfig,
    number: int,
    name: str,
    weights: Weights,
    seed: int,
    games: int,
    advance: Advance,
) -> SelfPlay:
    """Self-play distributed over threads, each with its own seed and file."""
    shares = [games * part // config.jobs for part in range(config.jobs + 1)]
    seeds = np.random.SeedSequence(seed).generate_state(config.jobs).tolist()
    is_stopped = threading.Event()
    parts = [
        SelfPlayGames(config.players, weights, own, config.nodes, variant=config.variant)
        for own in seeds
    ]

    def play(part: int) -> SelfPlay:
        folder.part(number).mkdir(exist_ok=True)
        file = _games_file(folder, number, name, part)
        share = shares[part + 1] - shares[part]
        _play_share(parts[part], share, file, is_stopped, on_games)
        return parts[part].sums

    def on_games() -> None:
        advance("self-play", sum(part.played for part in parts), games)

    total = SelfPlay.nothing(weights.shape[1])
    with ThreadPoolExecutor(config.jobs) as pool:
        try:
            for sums in pool.map(play, range(config.jobs)):
                total += sums
        finally:
            is_stopped.set()  # Ctrl-C: the threads save their games and end
    return total


def _play_share(
    under_way: SelfPlayGames,
    games: int,
    file: Path,
    is_stopped: threading.Event,
    on_games: Callable[[], None],
) -> None:
    """Play the games that the file lacks, with periodic checkpoints; chunk sizes do not change the games."""
    if file.exists():
        under_way.load(file)
    saved = time.monotonic()
    chunk = FIRST_CHUNK
    while under_way.played < games and not is_stopped.is_set():
        start = time.monotonic()
        under_way.play(min(chunk, games - under_way.played))
        on_games()
        now = time.monotonic()
        chunk = max(1, int(chunk * CHUNK_SECONDS / max(now - start, CHUNK_SECONDS / 4)))
        if now - saved > CHECKPOINT_SECONDS:
            under_way.save(file)
            saved = time.monotonic()
    under_way.save(file)

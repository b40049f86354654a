"""Play every level against the one below it; write docs/results/levels and the matches that the package rates levels by.

    python docs/measure_levels.py --seconds 150    # repeat until it says that all is played

Every deal is played from both seats. The games depend only on their seeds, so the work can be stopped and goes on.
"""

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from azul_agents import LEVELS, Level, MatchConfig, run_match
from azul_agents.arena.levels import MATCHES_PATH
from azul_agents.arena.tally import wilson_interval
from azul_agents.provenance import commit, machine, versions
from azul_env.files import write_atomically

RESULTS = Path(__file__).parent / "results" / "levels"
GAMES_PER_CHUNK = 20
CHUNKS = 10  # of every pair, each with a seed of its own
FIRST_SEED = 500


def main() -> None:
    """Play what is missing until the time is up, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600, help="stop after this time")
    deadline = time.monotonic() + parser.parse_args().seconds
    path = RESULTS / "levels.json"
    done: list[dict[str, Any]] = json.loads(path.read_text())["matches"] if path.exists() else []
    played = {(*match["agents"], match["seed"]) for match in done}
    wanted = [
        (upper.spec, lower.spec, FIRST_SEED + chunk)
        for lower, upper in pairwise(LEVELS)
        for chunk in range(CHUNKS)
    ]
    missing = [match for match in wanted if match not in played]
    for upper, lower, seed in missing:
        if time.monotonic() > deadline:
            break
        result = run_match((upper, lower), MatchConfig(GAMES_PER_CHUNK, seed, jobs=1))
        done.append({"seed": seed} | result.to_dict())
    is_complete = {(*match["agents"], match["seed"]) for match in done} >= set(wanted)
    how = {"made_by": "python docs/measure_levels.py", "versions": versions(), "commit": commit()}
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(how | machine() | {"matches": done}, indent=1) + "\n")
    write_atomically(MATCHES_PATH, json.dumps({"matches": summed(done)}, indent=1) + "\n")
    write_atomically(RESULTS / "README.md", report(done))
    print("all is played" if is_complete else "games are missing: run it again")


def summed(matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The matches of each pair as one; shared wins count half."""
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for match in matches:
        upper, lower = match["agents"]
        total = pairs.setdefault((upper, lower), {"agents": [upper, lower], "won": 0.0, "games": 0})
        total["won"] = round(total["won"] + match["win_rate"][0] * match["games"], 1)
        total["games"] += match["games"]
    return list(pairs.values())


def report(matches: list[dict[str, Any]]) -> str:
    """The table of the levels."""
    lines = [
        "# Levels",
        "",
        "Each level against the one below it, 2 players, every deal from both seats; shared wins count half. Made by",
        "`python docs/measure_levels.py`; the single matches are in [levels.json](levels.json).",
        "",
        "| level | agent | rating | win rate against the level below | 95% | games |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for lower, level in zip((None, *LEVELS), LEVELS, strict=False):
        rating = "" if level.rating is None else f"{level.rating:.0f}"
        lines.append(
            f"| {level.name} | {level.spec} | {rating} | {_cells(lower, level, matches)} |"
        )
    lines += [
        "",
        "Agents that play in [the baselines' tournament](../baselines/ratings.md) have their rating there, where random has 1000;",
        "the ratings of the others follow from these win rates. 200 points more win about three games of four.",
    ]
    return "\n".join(lines) + "\n"


def _cells(lower: Level | None, level: Level, matches: list[dict[str, Any]]) -> str:
    """Win rate, interval and games of a level against the one below."""
    own = [match for match in matches if lower and match["agents"] == [level.spec, lower.spec]]
    games = sum(match["games"] for match in own)
    if not games:
        return " | | "
    won = sum(match["win_rate"][0] * match["games"] for match in own)
    low, high = wilson_interval(won, games)
    return f"{won / games:.1%} | {100 * low:.1f}–{100 * high:.1f} | {games}"


if __name__ == "__main__":
    main()

"""Fit the win chances of `azul_agents.analysis` to games of our agents, and judge them on other games.

    python docs/fit_win_chance.py play --players 2 --seconds 150    # repeat until there are enough games
    python docs/fit_win_chance.py fit    # with --players 3 4, the other models stay as they are

`play` appends samples to runs/win_chance/N_players.jsonl and goes on where it was stopped; the games depend only on their
numbers. `fit` writes agents/azul_agents/analysis/win_chance.json and docs/results/win_chance. With `--variant gray`
the names of all files and folders begin or end with `gray`.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from azul_agents import Agent, make_agent, play_game
from azul_agents.analysis.calibration import (
    KNOTS,
    Sample,
    brier_score,
    fitted,
    predicted,
    reliability,
    samples_of,
    standard_error,
)
from azul_agents.analysis.win_chance import MODEL_FILES, ChanceModel
from azul_agents.provenance import commit, versions
from azul_env.files import write_atomically

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "runs" / "win_chance"
RESULTS = ROOT / "docs" / "results"
CARDS = ROOT / "agents" / "azul_agents" / "analysis"
COLORED, GRAY = MODEL_FILES
PLAYERS = (2, 3, 4)
SEED = 20_240
HELD_OUT = 3  # every third game is only for judging
POSITIONS_PER_GAME = 12
# Who gives positions values: the kind of agent that analyses such tables.
JUDGES = {
    (COLORED, 2): "alphabeta:nodes=20000",
    (COLORED, 3): "mcts:simulations=6000",
    (COLORED, 4): "mcts:simulations=6000",
    **{(GRAY, players): "alphabeta:nodes=5000" for players in PLAYERS},
}
# Who plays: at most tables everybody is the same, at the others everybody is drawn.
OTHERS = "greedy", "ppo", "ppo:temperature=1"
MONTE_CARLO = "alphabeta:nodes=1000", "mcts:simulations=100", "mcts:simulations=500", *OTHERS
POOLS = {
    (COLORED, 2): (*(f"alphabeta:nodes={nodes}" for nodes in (300, 3000, 10000)), *OTHERS),
    (COLORED, 3): MONTE_CARLO,
    (COLORED, 4): MONTE_CARLO,
    # `ppo` plays gray games with 2 players only.
    **{
        (GRAY, players): ("alphabeta:nodes=300", "alphabeta:nodes=3000", "greedy")
        for players in PLAYERS
    },
}
SAME = 0.75  # share of the tables at which all agents are the same


def main() -> None:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play", help="play games and append their samples")
    play.add_argument("--players", type=int, choices=PLAYERS, required=True)
    play.add_argument("--games", type=int, default=2000, help="games in all, those before included")
    play.add_argument("--seconds", type=float, default=600, help="stop after this time")
    fit_parser = commands.add_parser("fit", help="fit and judge")
    fit_parser.add_argument("--players", type=int, choices=PLAYERS, nargs="+", default=PLAYERS)
    for command in (play, fit_parser):
        command.add_argument("--variant", choices=MODEL_FILES, default=COLORED)
    arguments = parser.parse_args()
    if arguments.command == "fit":
        fit(arguments.variant, arguments.players)
    else:
        collect(arguments.variant, arguments.players, arguments.games, arguments.seconds)


def collect(variant: str, num_players: int, count: int, seconds: float) -> None:
    """Play the games that are not in the file yet, until the time is up."""
    path = samples_file(variant, num_players)
    path.parent.mkdir(parents=True, exist_ok=True)
    first = max((sample.game for sample in read_samples(variant, num_players)), default=-1) + 1
    agents = {spec: make_agent(spec) for spec in POOLS[variant, num_players]}
    judge = make_agent(JUDGES[variant, num_players])
    deadline = time.monotonic() + seconds
    with path.open("a", encoding="utf-8") as file:
        for game in range(first, count):
            if time.monotonic() > deadline:
                break
            samples = list(samples_of_game(variant, num_players, game, agents, judge))
            file.writelines(json.dumps(sample._asdict()) + "\n" for sample in samples)
            file.flush()
    print(f"{path}: {games(read_samples(variant, num_players))} games")


def samples_of_game(
    variant: str, num_players: int, game: int, agents: dict[str, Agent], judge: Agent
) -> Iterator[Sample]:
    """Play the game of this number; positions from it."""
    rng = np.random.default_rng([SEED, num_players, game])
    drawn = rng.choice(
        POOLS[variant, num_players], 1 if rng.random() < SAME else num_players
    ).tolist()
    specs = drawn * num_players if len(drawn) == 1 else drawn
    rngs = rng.spawn(num_players)
    deal_seed = int(rng.integers(1 << 53))
    played = play_game([agents[spec] for spec in specs], deal_seed, rngs, variant=variant)
    return samples_of(played.record, game, judge, rng, POSITIONS_PER_GAME)


def samples_file(variant: str, num_players: int) -> Path:
    """Where the samples of games with this many players are."""
    prefix = "" if variant == COLORED else f"{variant}_"
    return SAMPLES / f"{prefix}{num_players}_players.jsonl"


def read_samples(variant: str, num_players: int) -> list[Sample]:
    """All samples so far."""
    path = samples_file(variant, num_players)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Sample(**json.loads(line)) for line in lines]


def fit(variant: str, players: Sequence[int]) -> None:
    """Fit the models of these numbers of players, judge them and write everything down."""
    card = CARDS / MODEL_FILES[variant]
    folder = RESULTS / card.stem
    models = json.loads(card.read_text())["models"]
    results = json.loads((folder / card.name).read_text())["results"]
    for num_players in players:
        samples = read_samples(variant, num_players)
        learned = [sample for sample in samples if sample.game % HELD_OUT]
        judged = [sample for sample in samples if not sample.game % HELD_OUT]
        model = fitted(learned)
        models[str(num_players)] = {k: np.round(v, 4).tolist() for k, v in model._asdict().items()}
        constant = fitted(learned, knots=(0.0,))
        results[str(num_players)] = judge_model(learned, judged, model, constant)
    option = "" if variant == COLORED else f" --variant {variant}"
    how = {
        "made_by": f"python docs/fit_win_chance.py{option}",
        "config": {
            "seed": SEED,
            "judge": {str(each): JUDGES[variant, each] for each in PLAYERS},
            "pool": {str(each): POOLS[variant, each] for each in PLAYERS},
            "same": SAME,
        },
        "positions_per_game": POSITIONS_PER_GAME,
        "versions": versions(),
        "commit": commit(),
    }
    write_atomically(card, json.dumps(how | {"models": models}, indent=1) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / card.name, json.dumps(how | {"results": results}, indent=1) + "\n")
    draw(results, folder / "reliability.png")
    write_atomically(folder / "README.md", report(results, variant))


def judge_model(
    learned: Sequence[Sample], judged: Sequence[Sample], model: ChanceModel, constant: ChanceModel
) -> dict[str, Any]:
    """Errors on held-out games, by round and in all, and how predictions and results compare."""
    shares = np.array([sample.shares for sample in judged])
    chances = {
        "base_rate": np.full_like(shares, 1 / shares.shape[1]),
        "constant_scale": predicted(judged, constant),
        "by_round": predicted(judged, model),
    }
    brier = {
        name: {"positions": int(own.sum())}
        | {kind: round(brier_score(found[own], shares[own]), 4) for kind, found in chances.items()}
        for name, own in groups(judged).items()
    }
    numbers = np.array([sample.game for sample in judged])
    errors = {kind: ((found - shares) ** 2).mean(axis=1) for kind, found in chances.items()}
    gain = errors["constant_scale"] - errors["by_round"]
    seats, index = np.array([sample.player for sample in judged]), np.arange(len(judged))
    bins = reliability(chances["by_round"][index, seats], shares[index, seats], numbers)
    return {
        "games": {"fitted": games(learned), "held_out": games(judged)},
        "brier": brier,
        "gain_over_constant_scale": [gain.mean(), standard_error(gain, numbers)],
        "reliability_of_the_player_to_move": [one._asdict() for one in bins],
    }


def groups(samples: Sequence[Sample]) -> dict[str, Any]:
    """Masks of the samples that belong to a round, and of those whose end the search sees."""
    rounds = np.minimum([int(sample.progress) for sample in samples], int(KNOTS[-1]))
    is_solved = np.array([sample.solved is not None for sample in samples])
    masks = {"all": np.ones(len(samples), bool)}
    masks |= {f"round {number + 1}": rounds == number for number in sorted(set(rounds.tolist()))}
    return masks | ({"end in sight": is_solved} if is_solved.any() else {})


def games(samples: Sequence[Sample]) -> int:
    """The number of games that samples come from."""
    return len({sample.game for sample in samples})


def draw(results: dict[str, Any], path: Path) -> None:
    """The reliability diagram: predicted against observed, by number of players."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(12, 4.4), sharey=True)
    for axis, (num_players, result) in zip(axes, results.items(), strict=True):
        bins = result["reliability_of_the_player_to_move"]
        expected, observed, errors = (
            np.array([one[key] for one in bins]) for key in ("predicted", "observed", "error")
        )
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axis.errorbar(expected, observed, 1.96 * errors, fmt="o", markersize=4, capsize=2)
        axis.set_title(f"{num_players} players, {result['games']['held_out']} held-out games")
        axis.set_xlabel("predicted win chance of the player to move")
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1)
        axis.set_aspect("equal")
    axes[0].set_ylabel("share of wins, with 95% intervals")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def report(results: dict[str, Any], variant: str) -> str:
    """The results in words and tables."""
    title, option = "# Win chances", ""
    if variant != COLORED:
        title, option = f"# Win chances, {variant} wall", f" --variant {variant}"
    lines = [
        title,
        "",
        "How well the win chances of `azul analyse` and of the hints hold in games that they were not fitted to. At",
        f"{SAME:.0%} of the tables all players are the same, at the others they are drawn. {POSITIONS_PER_GAME} positions of each game are",
        "valued. Every third game is held out.",
        "",
        f"    python docs/fit_win_chance.py play --players 2{option}   # then 3 and 4",
        f"    python docs/fit_win_chance.py fit{option}",
        "",
        "![Reliability diagram](reliability.png)",
        "",
        "A point is a tenth of the scale; on the line, chances are what they say.",
    ]
    for num_players, result in results.items():
        lines += ["", f"## {num_players} players", ""]
        players = ", ".join(f"`{spec}`" for spec in POOLS[variant, int(num_players)])
        lines.append(f"Played by {players}, valued by `{JUDGES[variant, int(num_players)]}`.")
        lines += _tables(result)
    lines += [
        "",
        "The Brier score is the mean squared error of a seat's chance, lower is better. The base rate gives every seat the same",
        "chance; the constant scale is a logistic regression on the margin alone; ours has a scale and a bias for every round.",
        "Where a search with 2 players has seen the end of the game (end in sight), all but the base rate give its result as a",
        "certainty. That is the result of best play: some of these players do not find it. With 3 and 4 players a search of",
        "colored games expects a margin for every seat, and the chances follow from these margins.",
    ]
    return "\n".join(lines) + "\n"


def _tables(result: dict[str, Any]) -> Iterator[str]:
    """Brier scores by round, and the reliability of the chances."""
    number = result["games"]
    gain, error = result["gain_over_constant_scale"]
    yield f"{number['fitted']} games to fit, {number['held_out']} held out. Gain over the constant scale:"
    yield f"{gain:.4f} ± {1.96 * error:.4f} (95%)."
    yield ""
    yield "| Brier score | positions | base rate | constant scale | by round |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, row in result["brier"].items():
        yield f"| {name} | " + " | ".join(map(str, row.values())) + " |"
    yield ""
    yield "| predicted | observed | standard error | positions |"
    yield "| ---: | ---: | ---: | ---: |"
    for one in result["reliability_of_the_player_to_move"]:
        cells = [f"{one[key]:.1%}" for key in ("predicted", "observed", "error")]
        yield f"| {' | '.join(cells)} | {one['positions']} |"


if __name__ == "__main__":
    main()

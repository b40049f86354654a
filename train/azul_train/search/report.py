"""The report of a run that learns networks: generations with their Elo, a curve, and the calibration of the last ones kept."""

import math
from io import BytesIO
from typing import Any, Final

from azul_agents.arena.ratings import ELO
from azul_agents.arena.tables import markdown_table, percent, percent_range
from azul_agents.arena.tally import Interval
from azul_env.files import write_atomically
from azul_train.search.folder import BEST, GENERATION, LINEAR, SearchRunFolder

HEADER: Final = (
    "generation", "games", "hours", "margin error", "Brier", "v best before", "95%", "v linear", "Elo over linear", "kept"
)  # fmt: skip
MINUTES_PER_HOUR: Final = 60
LEAST_SHARE: Final = 0.002  # of wins: a rate of 0 or 1 has no Elo

Line = dict[str, Any]


def elo_over(rate: float, num_players: int) -> float:
    """The rating difference at which one player wins this share of the games against copies of another."""
    bounded = min(1 - LEAST_SHARE, max(LEAST_SHARE, rate))
    return ELO * math.log((num_players - 1) * bounded / (1 - bounded))


def write_search_report(folder: SearchRunFolder) -> None:
    """Write `report.md` and `curve.png` from the files of the folder."""
    config, lines = folder.config, folder.generations()
    sections = [f"# {config.name}: networks of the search, {config.num_players} players\n"]
    if lines:
        write_atomically(folder.curve, _curve(lines, config.num_players))
        rows = [_cells(line, config.num_players) for line in lines]
        sections += [
            "Every generation plays with the best networks so far, learns from the games, and is kept if it wins the match "
            "against them at equal limits. Errors are on held-out games, at ends of rounds.\n",
            markdown_table(HEADER, rows),
            f"![Elo by games and hours]({folder.curve.name})\n",
            *_calibration(lines),
        ]
    run = folder.provenance
    sections.append(f"Started {run['started']}: `{run['command']}`, commit {run['commit']}.\n")
    write_atomically(folder.report, "\n".join(sections))


def _cells(line: Line, num_players: int) -> tuple[str, ...]:
    errors = line["calibration"]["ends"]["by_round"]["all"]
    best, linear = line[BEST], line[LINEAR]
    low, middle, high = (
        f"{elo_over(linear[name], num_players):+.0f}" for name in ("low", "win_rate", "high")
    )
    return (
        str(line[GENERATION]),
        f"{line['steps']:,}",
        f"{line['minutes'] / MINUTES_PER_HOUR:.2f}",
        f"{errors['margin']:.1f}",
        f"{errors['brier']:.4f}",
        f"{percent(best['win_rate'])} of {best['games']}",
        percent_range(Interval(best["low"], best["high"])),
        f"{percent(linear['win_rate'])} of {linear['games']}",
        f"{middle} ({low} to {high})",
        "yes" if line["kept"] else "no",
    )


def _calibration(lines: list[Line]) -> list[str]:
    """How well the chances of the networks kept last hold on held-out games."""
    line = next((line for line in reversed(lines) if line["kept"]), lines[-1])
    sections = [f"## Win chances of generation {line[GENERATION]} on held-out games\n"]
    for name, words in (("ends", "Ends of rounds"), ("inner", "Inside rounds")):
        found = line["calibration"][name]
        rounds = [(key, *map(str, row.values())) for key, row in found["by_round"].items()]
        bins = [
            (
                *(percent(one[key]) for key in ("predicted", "observed", "error")),
                str(one["positions"]),
            )
            for one in found["reliability"]
        ]
        sections += [
            f"### {words}\n",
            markdown_table(
                ("round", "positions", "margin error", "Brier, base rate", "Brier"), rounds
            ),
            markdown_table(("predicted", "observed", "standard error", "positions"), bins),
        ]
    return sections


def _curve(lines: list[Line], num_players: int) -> bytes:
    """Elo over the linear evaluation by games and by hours, as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.0), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    rates = {
        name: [elo_over(line[LINEAR][name], num_players) for line in lines]
        for name in ("low", "win_rate", "high")
    }
    panels = {
        "games": [line["steps"] for line in lines],
        "hours": [line["minutes"] / MINUTES_PER_HOUR for line in lines],
    }
    for axes, (label, xs) in zip(figure.subplots(1, 2, sharey=True), panels.items(), strict=True):
        axes.fill_between(
            [0, *xs], [0, *rates["low"]], [0, *rates["high"]], alpha=0.16, linewidth=0
        )
        axes.plot([0, *xs], [0, *rates["win_rate"]], marker="o")
        axes.set_xlabel(label)
        axes.grid(color="#E3E3E3")
    figure.axes[0].set_ylabel("Elo over the linear evaluation")
    picture = BytesIO()
    canvas.print_figure(picture, format="png", dpi=110, metadata={"Software": None})
    return picture.getvalue()

"""The report of a run that learns networks: generations with their Elo, a curve, and the calibration of the last ones kept."""

from typing import Final

from azul_agents.arena.tables import markdown_table, percent, percent_range
from azul_agents.arena.tally import Interval
from azul_env.files import write_atomically
from azul_train.search.folder import BEST, GENERATION, LINEAR, SearchRunFolder
from azul_train.search.pictures import (
    MINUTES_PER_HOUR,
    PARTS,
    Line,
    elo_over,
    reliability_diagram,
    strength_curve,
)

HEADER: Final = (
    "generation", "games", "hours", "margin error", "Brier", "v best before", "95%", "v linear", "Elo over linear", "kept"
)  # fmt: skip


def write_search_report(folder: SearchRunFolder) -> None:
    """Write `report.md` and its pictures from the files of the folder."""
    config, lines = folder.config, folder.generations()
    sections = [f"# {config.name}: networks of the search, {config.num_players} players\n"]
    if lines:
        write_atomically(folder.curve, strength_curve(lines, config.num_players))
        last = next((line for line in reversed(lines) if line["kept"]), lines[-1])
        write_atomically(folder.reliability, reliability_diagram(last["calibration"]))
        rows = [_cells(line, config.num_players) for line in lines]
        sections += [
            "Every generation plays with the best networks so far, learns from the games, and is kept if it wins the match "
            "against them at equal limits. Errors are on held-out games, at ends of rounds.\n",
            markdown_table(HEADER, rows),
            f"![Elo by games and hours]({folder.curve.name})\n",
            f"## Win chances of generation {last[GENERATION]} on held-out games\n",
            f"![Predicted and observed shares of the win]({folder.reliability.name})\n",
            *_calibration(last),
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


def _calibration(line: Line) -> list[str]:
    """The calibration of a generation's win chances on held-out games."""
    sections = []
    for name, words in PARTS.items():
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

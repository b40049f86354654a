"""The plots of a run that learns networks: strength by generation, and a reliability diagram of win chances."""

import math
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from azul_agents.arena.ratings import ELO
from azul_train.search.folder import LINEAR

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MINUTES_PER_HOUR: Final = 60
LEAST_SHARE: Final = 0.002  # of wins: a rate of 0 or 1 has no Elo
GRID: Final = "#E3E3E3"
PARTS: Final = {"ends": "Ends of rounds", "inner": "Inside rounds"}  # of a calibration

Line = dict[str, Any]


def elo_over(rate: float, num_players: int) -> float:
    """The rating difference at which one player wins this share of the games against copies of another."""
    bounded = min(1 - LEAST_SHARE, max(LEAST_SHARE, rate))
    return ELO * math.log((num_players - 1) * bounded / (1 - bounded))


def strength_curve(lines: Sequence[Line], num_players: int) -> bytes:
    """Elo over the linear evaluation by games and by hours, as PNG."""
    figure = _figure(4.0)
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
        axes.locator_params(axis="x", nbins=5)
        axes.grid(color=GRID)
    figure.axes[0].xaxis.set_major_formatter("{x:,.0f}")
    figure.axes[0].set_ylabel("Elo over the linear evaluation")
    return _png(figure)


def reliability_diagram(calibration: dict[str, Any]) -> bytes:
    """Predicted against observed shares of the win, with two standard errors, as PNG."""
    figure = _figure(4.6)
    for axes, (part, title) in zip(figure.subplots(1, 2, sharey=True), PARTS.items(), strict=True):
        bins = calibration[part]["reliability"]
        predicted, observed, errors = (
            [100 * one[key] for one in bins] for key in ("predicted", "observed", "error")
        )
        axes.plot([0, 100], [0, 100], color="#9A9A9A", linestyle="--", linewidth=1)
        axes.errorbar(predicted, observed, [2 * error for error in errors], fmt="o", markersize=4)
        axes.set_title(f"{title}: Brier score {calibration[part]['by_round']['all']['brier']:.4f}")
        axes.set_xlabel("predicted share of the win, %")
        axes.set_aspect("equal")
        axes.grid(color=GRID)
    figure.axes[0].set_ylabel("observed, %")
    return _png(figure)


def _figure(height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(10, height), layout="constrained")


def _png(figure: "Figure") -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    picture = BytesIO()
    FigureCanvasAgg(figure).print_figure(
        picture, format="png", dpi=110, metadata={"Software": None}
    )
    return picture.getvalue()

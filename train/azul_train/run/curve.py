"""The learning curve of a run: a plot of win rates over minutes and over steps, with intervals."""

from io import BytesIO
from itertools import cycle
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from azul_train.run.metrics import Line, curves, final_evaluation, imitation_of

# The Okabe-Ito palette, which is safe for color-blind readers.
COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444")
INK: Final = "#333333"
GRID: Final = "#E3E3E3"
DOTS_PER_INCH: Final = 130
MARGIN: Final = 0.03  # left and right of the curves
LEGEND_LETTERS: Final = 170  # that fit into the width of the figure
LEGEND_PADDING: Final = 6  # letters that a column needs besides its longest label


def draw_curve(metrics: list[Line], num_players: int, title: str) -> bytes:
    """The plot as PNG. Caller guarantees at least one evaluation."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = {"minutes": "minutes", "steps": "learner steps"}
    if not any(line["steps"] for line in metrics):
        del panels["steps"]  # only a warm start so far
    row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (key, label) in zip(row, panels.items(), strict=True):
        _frame(axes, label, num_players)
        _curves(axes, metrics, key)
        _mark_start(axes, metrics, key)
        if key == "steps":
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    over_minutes = row[0]
    over_minutes.set_ylabel("games won", color=INK)
    figure.suptitle(_plain(title), color=INK, fontsize=12, fontweight="bold")
    handles, labels = over_minutes.get_legend_handles_labels()
    columns = max(1, min(5, LEGEND_LETTERS // (LEGEND_PADDING + max(map(len, labels)))))
    figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9
    )
    picture = BytesIO()
    # Without matplotlib's version in the metadata, the same metrics give the same bytes.
    canvas.print_figure(picture, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return picture.getvalue()


def _frame(axes: Axes, label: str, num_players: int) -> None:
    """Axes, grid and the chance level."""
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(label, color=INK)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color("#999999")
    axes.axhline(1 / num_players, color="#777777", linewidth=1, dashes=(5, 4), label="chance")


def _curves(axes: Axes, metrics: list[Line], key: str) -> None:
    """One line per opponent with its intervals, and a diamond for the final evaluation."""
    final = {line["opponent"]: line for line in final_evaluation(metrics)}
    by_opponent = curves(metrics)
    opponents = list(dict.fromkeys([*by_opponent, *final]))
    for opponent, color in zip(opponents, cycle(COLORS), strict=False):
        lines = by_opponent.get(opponent, [])
        xs = [line[key] for line in lines]
        lows, highs = [line["low"] for line in lines], [line["high"] for line in lines]
        axes.fill_between(xs, lows, highs, color=color, alpha=0.16, linewidth=0)
        rates = [line["win_rate"] for line in lines]
        name = f"against {opponent}"
        axes.plot(xs, rates, color=color, linewidth=1.8, marker="o", ms=3.5, label=_plain(name))
        if opponent in final:
            _mark_end(axes, final[opponent], key, color)
    end = max(line[key] for line in metrics)
    axes.set_xlim(-MARGIN * end, (1 + MARGIN) * end or 1)


def _mark_end(axes: Axes, line: Line, key: str, color: str) -> None:
    spread: Any = [[line["win_rate"] - line["low"]], [line["high"] - line["win_rate"]]]
    axes.errorbar(
        [line[key]],
        [line["win_rate"]],
        yerr=spread,
        color=color,
        marker="D",
        markersize=7,
        markeredgecolor="white",
        capsize=4,
        clip_on=False,
        zorder=5,
    )


def _mark_start(axes: Axes, metrics: list[Line], key: str) -> None:
    """Mark the warm start, a band of minutes, and where self-play begins."""
    imitation = imitation_of(metrics)
    if imitation is None:
        return
    style: Any = {"color": "#999999", "alpha": 0.25, "zorder": 0}
    if key == "minutes":
        axes.axvspan(0, imitation["minutes"], linewidth=0, label="imitation", **style)
    else:
        axes.axvline(0, linewidth=6, **style)
    if any(line["steps"] for line in metrics):
        begin = imitation[key]
        axes.axvline(begin, color=INK, linewidth=1.2, dashes=(1, 1.5), label="self-play begins")


def _plain(text: str) -> str:
    """Escape dollar signs, which would start a formula."""
    return text.replace("$", r"\$")

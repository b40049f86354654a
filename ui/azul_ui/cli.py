"""The `azul` command: its subcommands parse and call one function each."""

import sys
import warnings
from typing import Any

import typer
from rich.console import Console

from azul_ui.commands import (
    agents,
    analyse,
    bench,
    bot,
    evaluate,
    export,
    fit_evaluation,
    match,
    play,
    render,
    replay,
    tournament,
    train,
)

EXIT_BAD_INPUT = 2

app = typer.Typer(
    name="azul",
    help="Azul for reinforcement learning: train, play, match and rate agents, analyse, replay and draw games, measure speed.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("bench")(bench.bench)
app.command("replay")(replay.replay)
app.command("render")(render.render)
app.command("play")(play.play)
app.command("analyse")(analyse.analyse)
app.command("bot")(bot.bot)
app.command("match")(match.match)
app.command("tournament")(tournament.tournament)
app.command("agents")(agents.agents)
app.command("train")(train.train)
app.command("eval")(evaluate.evaluate)
app.command("export")(export.export)
app.command("fit-evaluation")(fit_evaluation.fit_evaluation)


def main() -> None:
    """Run the command; bad input ends with a message and a non-zero exit, never with a traceback."""
    warnings.showwarning = _show_warning
    try:
        app()
    except (ValueError, OSError, ImportError) as error:
        _say("error", error)
        sys.exit(EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        _say("error", "stopped")
        sys.exit(130)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say("warning", message)


def _say(kind: str, message: object) -> None:
    color = "red" if kind == "error" else "yellow"
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold {color}]azul: {kind}:[/]", end=" ")
    console.print(str(message), markup=False)

"""The `azul` command. Each subcommand is a function in `azul_ui.commands`, imported when it is called."""

import inspect
import io
import math
import re
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from azul_ui.error_words import error_words
from azul_ui.stopping import EXIT_INTERRUPTED

EXIT_BAD_INPUT: Final = 2
MAX_ARGUMENT_LETTERS: Final = 4200  # a path, or the spec of an agent
MAX_MESSAGE_LETTERS: Final = 1000

# The function in `azul_ui.commands`, and the first line of its help: `azul --help` imports none of them.
COMMANDS: Final = {
    "play": ("play:play", "Play in the terminal against agents."),
    "web": ("web:web", "Play, watch, review and analyse in the browser."),
    "analyse": ("analyse:analyse", "Judge the moves of a position or of a whole game."),
    "replay": ("replay:replay", "Step through a recorded game, or verify all games of a file."),
    "render": ("render:render", "Draw a position or film a game."),
    "agents": (
        "agents:agents",
        "List the agents with their options and ratings, and the levels for people.",
    ),
    "match": ("match:match", "Let agents play each other, every deal once per rotation of seats."),
    "tournament": ("tournament:tournament", "Let all agents play all others and rate them."),
    "bot": ("bot:bot", "Let an agent play as a bot: JSON lines in, JSON lines out."),
    "train": ("train:train", "Train an agent by self-play with masked PPO."),
    "eval": ("evaluate:evaluate", "Let a trained model play matches against copies of one agent."),
    "export": ("export:export", "Write the best model of a run: plain arrays, no code."),
    "train-search": ("train_search:train_search", "Learn the networks of the search."),
    "fit-evaluation": ("fit_evaluation:fit_evaluation", "Learn the evaluation of the search."),
    "warmup": ("warmup:warmup", "Compile everything now, so that no command has to later."),
    "bench": ("bench:bench", "Measure speeds side by side in one run."),
}
# The groups of `azul --help`, by the first command of each.
PANELS: Final = {
    "play": "Games of people",
    "agents": "Games of agents",
    "train": "Learning",
    "warmup": "Speed",
}


class LazyGroup(TyperGroup):
    """A group whose commands are placeholders until one of them is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments name, imported."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, _imported(name) if name and command else None, rest


app = typer.Typer(
    cls=LazyGroup,
    name="azul",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_panel = ""
for _name, (_, _summary) in COMMANDS.items():
    _panel = PANELS.get(_name, _panel)
    app.command(_name, help=_summary, rich_help_panel=_panel)(lambda: None)


def main() -> None:
    """Run the command; bad input ends with a message and a non-zero exit, never with a traceback."""
    warnings.showwarning = _show_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name in a file may be unencodable
    try:
        _check_arguments(sys.argv[1:])
        app()
    except (ValueError, OSError, ImportError) as error:
        _say("error", error_words(error))
        sys.exit(EXIT_BAD_INPUT)
    except MemoryError as error:
        _say("error", f"there is not enough memory: {error}")
        sys.exit(EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        _say("error", "stopped")
        sys.exit(EXIT_INTERRUPTED)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from azul_env import __version__

        print(f"azul-env {__version__}")
        raise typer.Exit


@app.callback()
def _azul(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Azul for reinforcement learning: train, play, match and rate agents, analyse, replay and draw games, measure speed.

    To begin: azul play --vs casual, azul match greedy random, azul train --config quick.
    """


def _check_arguments(arguments: list[str]) -> None:
    """Refuse an overlong argument before it becomes part of a message."""
    for argument in arguments:
        if len(argument) > MAX_ARGUMENT_LETTERS:
            raise ValueError(
                f"an argument has {len(argument):,} letters, at most {MAX_ARGUMENT_LETTERS:,} are "
                f"allowed: {argument[:40]!r}..."
            )


def _finite(command: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse NaN, which is neither below the minimum nor above the maximum of an option, and infinity."""

    @wraps(command)
    def checked(**options: Any) -> Any:
        for name, value in options.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"--{name.replace('_', '-')} must be a finite number, not {value}")
        return command(**options)

    return checked


def _imported(name: str) -> Any:
    module, _, function_name = COMMANDS[name][0].partition(":")
    function = getattr(import_module(f"azul_ui.commands.{module}"), function_name)
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    alone.command(name, help=_paragraphs(function.__doc__))(_finite(function))
    return get_command(alone)


def _paragraphs(docstring: str) -> str:
    """A docstring with one line per paragraph, which help then wraps to the width of the terminal."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(docstring))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say("warning", message)


def _say(kind: str, message: object) -> None:
    from rich.console import Console

    from azul_env import brief

    color = "red" if kind == "error" else "yellow"
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold {color}]azul: {kind}:[/]", end=" ")
    console.print(brief(message, MAX_MESSAGE_LETTERS), markup=False)

"""The `azul` command. Each subcommand is a function in `azul_ui.commands`, imported when it is called."""

import sys
import warnings
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130

# The function in `azul_ui.commands`, and the first line of its help: `azul --help` imports none of them.
COMMANDS: Final = {
    "bench": ("bench:bench", "Measure speeds side by side in one run."),
    "replay": ("replay:replay", "Step through a recorded game, or verify all games of a file."),
    "render": ("render:render", "Draw a position or film a game."),
    "play": ("play:play", "Play in the terminal against agents."),
    "analyse": ("analyse:analyse", "Judge the moves of a position or of a whole game."),
    "bot": ("bot:bot", "Let an agent play as a bot: JSON lines in, JSON lines out."),
    "match": ("match:match", "Let agents play each other, every deal once per rotation of seats."),
    "tournament": ("tournament:tournament", "Let all agents play all others and rate them."),
    "agents": ("agents:agents", "List the agents with their options and ratings."),
    "train": ("train:train", "Train an agent by self-play with masked PPO."),
    "eval": ("evaluate:evaluate", "Let a trained model play matches against copies of one agent."),
    "export": ("export:export", "Write the best model of a run: plain arrays, no code."),
    "fit-evaluation": ("fit_evaluation:fit_evaluation", "Learn the evaluation of the search."),
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
for _name, (_, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(lambda: None)


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
    """Azul for reinforcement learning: train, play, match and rate agents, analyse, replay and draw games, measure speed."""


def _imported(name: str) -> Any:
    module, _, function = COMMANDS[name][0].partition(":")
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    alone.command(name)(getattr(import_module(f"azul_ui.commands.{module}"), function))
    return get_command(alone)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say("warning", message)


def _say(kind: str, message: object) -> None:
    from rich.console import Console

    color = "red" if kind == "error" else "yellow"
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold {color}]azul: {kind}:[/]", end=" ")
    console.print(str(message), markup=False)

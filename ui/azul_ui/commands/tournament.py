"""`azul tournament`: a round robin with ratings, which goes on where it was stopped."""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from azul_ui.commands.engines import ClusterAddress, Engine, check_address
from azul_ui.commands.variants import VariantName
from azul_ui.stopping import stoppable

FOLDER = Path("runs/tournament")


def tournament(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT...", help="See azul agents.")
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.yaml",
            help="Agents and settings: a shipped config, such as baselines, or a file.",
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(min=2, max=4, help="Number of players; may be given more than once."),
    ] = None,
    games_per_pairing: Annotated[
        int | None,
        typer.Option(min=1, help="Games of every table, rounded up to whole deals."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same deals and same chance.")
    ] = None,
    variant: Annotated[
        VariantName | None, typer.Option(help="The wall: colored, which is the default, or gray.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4096,
            help="Processes that play; by default 2, with --address the cluster's CPUs.",
        ),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="What runs the processes: this program, or Ray.")
    ] = Engine.LOCAL,
    address: ClusterAddress = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where results go; by default under runs/tournament."),
    ] = None,
    write_ratings: Annotated[
        bool, typer.Option("--write-ratings", help="Make these the ratings of azul agents.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Let all agents play all others and rate them.

    azul tournament random greedy --players 2 --players 3

    azul tournament --config baselines

    Every table plays every deal once per rotation of the seats. Finished games are kept in results.jsonl: the same
    command resumes from them, however it was stopped.

    azul tournament --config baselines --engine ray --address auto

    With --engine ray, Ray actors play: here, or on every machine of a cluster (docs/SCALING.md). Agents limited by
    nodes, depth or simulations play the same games on either engine, so either can finish what the other began.

    Ratings are on the Elo scale, random at 1000 (without it, a mean of 1500), by maximum likelihood: Bradley-Terry for
    2 players, Plackett-Luce for more. The folder gets ratings.txt, .md and .json and a picture of who beats whom.
    """
    from azul_agents.config_file import config_path
    from azul_ui.terminal.tournament import hold_tournament, tournament_settings

    check_address(engine, address)
    changes = {
        "players": tuple(players) if players else None,
        "games_per_pairing": games_per_pairing,
        "seed": seed,
        "variant": variant and variant.value,
    }
    file = config_path("tournament", config) if config is not None else None
    settings = tournament_settings(tuple(agents or ()), file, changes)
    folder = out or FOLDER / _folder_name(settings.to_dict(), file)
    with stoppable():
        hold_tournament(settings, folder, engine, address, jobs, write_ratings, as_json)


def _folder_name(settings: dict[str, Any], config: Path | None) -> str:
    """A folder for each tournament: named after its file, else after its settings."""
    if config is not None:
        return config.stem
    return hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:10]

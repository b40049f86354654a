"""`azul match`: which of a few agents is better, over many deals."""

from pathlib import Path
from typing import Annotated

import typer

from azul_agents.arena.run_configs import MatchConfig
from azul_ui.commands.variants import VariantName, VariantOption
from azul_ui.stopping import stoppable

DEFAULTS = MatchConfig()


def match(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT AGENT [AGENT [AGENT]]", help="See azul agents.")
    ],
    games: Annotated[
        int, typer.Option(min=1, help="Games in all, rounded up to whole deals.")
    ] = DEFAULTS.games,
    seed: Annotated[
        int, typer.Option(min=0, help="Same seed, same deals and same chance for the agents.")
    ] = DEFAULTS.seed,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play.")] = DEFAULTS.jobs,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write all games (JSON lines); a complete match replaces an old file.",
        ),
    ] = None,
    variant: VariantOption = VariantName.COLORED,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Let agents play each other, every deal once per rotation of seats.

    azul match greedy random --games 400 --jobs 2

    Much of the luck of the deal cancels: the same seed deals for every rotation. The first round is then the same; later ones
    draw from what is left in the bag, so they depend on play. Seat 0 always starts, and every agent gets it once per deal.
    With 3 and 4 agents the circular order changes from deal to deal, so that no agent always sits behind the weakest.

    A shared win counts as an equal share of a win. The interval is Wilson's, for 95%. An agent that fails or answers
    illegally loses that game by a forfeit. A bug in a python: agent ends the match: the games so far, then the traceback.
    The first answer in each process is left out of the time per move.
    """
    from azul_ui.terminal.matches import play_match

    with stoppable():
        config = MatchConfig(games, seed, jobs, variant.value)
        play_match(tuple(agents), config, record, as_json)

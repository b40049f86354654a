"""`azul agents`: who can play, with which options, and how well."""

from typing import Annotated

import typer


def agents(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """List the agents with their options and ratings, and the levels for people.

    Write an agent as name, or with options as name:key=value,key=value.

    Your own: python:my_module:MyAgent, or python:my_module:MyAgent:depth=3, is a class in my_module.py of the current
    folder, or of an installed package, with a method act(state, legal_mask, rng); options go to its constructor.
    Packages that register agents under the entry point group azul.agents are listed, too.
    """
    from azul_ui.terminal.agent_list import print_agents

    print_agents(as_json)

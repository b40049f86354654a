"""The option --variant of commands that begin games."""

from enum import StrEnum
from typing import Annotated

import typer


class VariantName(StrEnum):
    """The variants of the game."""

    COLORED = "colored"
    GRAY = "gray"


VariantOption = Annotated[
    VariantName,
    typer.Option(help="The wall: colored, or gray, where players choose the column of each tile."),
]

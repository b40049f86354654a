"""How searches tile gray walls: whose columns are searched, and whose are chosen by the value of the tile.

Players' boards do not interact, so a player's best columns hardly depend on those of the others. A search that begins
with drafting tiles all walls at once where a round ends, each line where it is worth most (`azul_agents.gray_walls`).
Searching the columns as well was neither better nor worse at equal nodes (docs/results/gray). A search that begins with
the choice of a column covers all columns of the player who chooses, to the end of the round.
"""

from typing import Final

from azul_agents.gray_walls import NOBODY, tile_by_value
from azul_env.core.by_variant import by_variant
from azul_env.core.jit import kernel
from azul_env.core.state import Row
from azul_env.core.words import as_int64


@kernel
def _nobody(row: Row) -> int:
    return as_int64(NOBODY)


@kernel
def _gray_chooser(row: Row) -> int:
    return as_int64(row["current_player"]) if row["columns"] != 0 else as_int64(NOBODY)


@kernel
def _unchanged(row: Row, outcome: int, chooser: int) -> int:
    return outcome


# The player whose columns are searched from this position; NOBODY if the search begins with drafting.
chooser_of: Final = by_variant(_nobody, _gray_chooser)
# Tile the walls of all others after a move; returns the outcome.
tiled: Final = by_variant(_unchanged, tile_by_value)

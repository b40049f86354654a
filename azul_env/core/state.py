"""The whole game as one row of plain numbers: `STATE`.

Kernels take `(rows, i, ...)`: an array of rows and the number of the game in it. Every field is int64, so a row is also
45 plain words. Players beyond `num_players` and factories beyond theirs hold zeros, as does everything that has no
meaning at the moment: equal positions have equal bytes.

Three fields are kept up to date only for speed and follow from the others: `available`, `legal` and, in part, `end_reason`.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.spec import MAX_PLAYERS, MAX_SOURCES

Rows = NDArray[Any]  # array of STATE
Row = Any  # one element of such an array: a view into it, for kernels and for plain Python alike

STATE: Final = np.dtype(
    [
        ("num_players", np.int64),  # 2, 3 or 4
        ("current_player", np.int64),  # seat to move; at the end, the seat that moved last
        ("starting_player_next_round", np.int64),  # marker's taker, else this round's starter
        ("round", np.int64),  # rounds completed
        ("max_rounds", np.int64),  # the game ends after this many (R6.3)
        ("end_reason", np.int64),  # spec.EndReason; PLAYING = 0 while the game is on
        ("resignations", np.int64),  # nibble per seat: 0 still playing, k the k-th to resign
        ("marker_in_center", np.int64),  # 0 or 1
        ("bag", np.int64),  # lanes: tiles by color
        ("lid", np.int64),  # lanes: tiles by color
        ("sources", np.int64, (MAX_SOURCES,)),  # lanes: tiles by color; factories, then the center
        ("available", np.int64),  # lanes: bit s says that source s holds the color; 0: round over
        ("legal", np.int64, (MAX_PLAYERS,)),  # bit 6 * color + destination: may go there
        ("walls", np.int64, (MAX_PLAYERS,)),  # bit 5 * row + column: a tile is there
        ("line_counts", np.int64, (MAX_PLAYERS,)),  # nibble per line
        ("line_colors", np.int64, (MAX_PLAYERS,)),  # nibble per line: color; 0 in an empty line
        ("floors", np.int64, (MAX_PLAYERS,)),  # nibble per slot: 0 free, color + 1, or MARKER_TOKEN
        ("scores", np.int64, (MAX_PLAYERS,)),  # never below 0
    ],
    align=True,
)

MARKER_TOKEN: Final = 6  # the first-player marker on a floor
NIBBLE_BITS: Final = 4
NIBBLE: Final = 15


def empty_rows(count: int) -> Rows:
    """Rows that hold no game yet."""
    return np.zeros(count, STATE)


@kernel
def center_of(row: Row) -> int:
    """The center's number among the sources, which is also the number of factories (R1.3)."""
    return 2 * row["num_players"] + 1

"""`STATE` and, for the gray wall, `GRAY_STATE`: the structured dtypes that hold a whole game.

Games are stored as arrays of rows of one of them; a single game is an array of one row. Every field is int64, so a row is
45 words, or 66. Unused fields (absent players and factories, the color of an empty line) are 0, so equal positions have
equal bytes.

`available`, `legal`, `columns`, the `walls` of `GRAY_STATE` and, in part, `end_reason` follow from the other fields; they
are stored for speed.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.core.jit import kernel
from azul_env.core.spec import MAX_PLAYERS, MAX_SOURCES, NUM_COLORS

Rows = NDArray[Any]  # array of STATE or GRAY_STATE
Row = Any  # one game: a view of an element of such an array

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
        ("available", np.int64),  # lanes: bit s is set if source s holds the color; 0: round over
        ("legal", np.int64, (MAX_PLAYERS,)),  # bit 6 * color + destination: the color may go there
        ("walls", np.int64, (MAX_PLAYERS,)),  # bit 5 * row + column: a tile is there
        ("line_counts", np.int64, (MAX_PLAYERS,)),  # nibble per line
        ("line_colors", np.int64, (MAX_PLAYERS,)),  # nibble per line: color; 0 in an empty line
        ("floors", np.int64, (MAX_PLAYERS,)),  # nibble per slot: 0 free, color + 1, or MARKER_TOKEN
        ("scores", np.int64, (MAX_PLAYERS,)),  # never below 0
    ],
    align=True,
)

# It does not begin with the fields of STATE: see `Variant.dtype`.
GRAY_STATE: Final = np.dtype(
    [
        ("columns", np.int64),  # bit per column that the player to move may choose; 0: not tiling
        *STATE.descr,
        ("wall_colors", np.int64, (MAX_PLAYERS, NUM_COLORS)),  # the cells of a color, as in `walls`
    ],
    align=True,
)

MARKER_TOKEN: Final = 6  # the first-player marker on a floor
NIBBLE_BITS: Final = 4
NIBBLE: Final = 15


def empty_rows(count: int, dtype: np.dtype[Any] = STATE) -> Rows:
    """Zeroed rows, which hold no game yet."""
    return np.zeros(count, dtype)


@kernel
def center_of(row: Row) -> int:
    """The source number of the center, which equals the number of factories (R1.3)."""
    return 2 * row["num_players"] + 1

"""What `help` and `rules` print in the terminal game. Factories and lines are counted from 0, as on the board."""

from typing import Final

HELP: Final = """\
A move is three letters: where from, which color, where to.
  1W3        white from factory 1 to line 3
  CB4        blue from the center to line 4
  0KF        black from factory 0 to the floor
Factories are 0, 1, 2...; C is the center; the colors are B blue, Y yellow,
R red, K black, W white; lines are 0 (the shortest) to 4; F is the floor.

  rules      how the game is played, on one page
  moves      all legal moves
  hint       the three best moves, as a strong agent sees them
  undo       back to your last decision; the same deals come again
  redo       bring back what undo took back
  board      draw the table again
  resign     give up
  analyse    after the game: the worst mistakes, and how they could be avoided
  save FILE  write the game to a file; load FILE goes on with it
  load FILE  leave this game and go on with the one in a file
  quit       leave, after a question; Ctrl-D and Ctrl-C leave at once
"""

GRAY_HELP: Final = """
On the gray wall, when a line is to be tiled, type the number of a column.
"""

_TURN: Final = """\
In your turn, take all tiles of one color from a factory or from the center
(C), and put them on one of your lines or on the floor (F). What remains on a
factory goes to the center. The first player to take from the center gets the
marker (*), which costs a place on the floor and starts the next round.

Line 0 holds one tile, line 4 five. A line has one color, and not one that is
already on its row of the wall"""

_END: Final = """\
When all tiles are taken, every full line moves one tile to its row of the
wall and is emptied; other lines stay. A tile scores 1 point, or the number
of tiles in a row with it, horizontally and vertically, if it has neighbours:
both counts if it has both. The floor costs 1, 1, 2, 2, 2, 3, 3 points; a score
never falls below 0. Then the next round is dealt.

The game ends with the round in which somebody completes a row of the wall.
Bonuses: 2 points for each complete row, 7 for each column, 10 for each color
that is five times on the wall. Most points win; complete rows break a tie."""

RULES: Final = f"""\
{_TURN} (a small letter shows where each color goes).
Tiles that do not fit fall to the floor.

{_END}"""

GRAY_RULES: Final = f"""\
{_TURN}. Tiles that do not fit fall to the floor.

{_END}

This is the gray wall: it has no printed colors. Seats tile one after the
other, the one that starts the next round first. For each of your full lines,
from the top, you choose a column that is free in its row and does not have
the color yet. If only one is left, the tile goes there by itself; if none is,
all tiles of the line fall to the floor."""

"""Analysis: values, lines and win chances of moves, in a position and over a recorded game."""

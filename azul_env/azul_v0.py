"""Azul as a PettingZoo AEC environment, version 0.

| | |
|---|---|
| import | `from azul_env import azul_v0` |
| make | `azul_v0.env(...)`, or `pettingzoo.make("aec", "azul/azul-v0", ...)` after `import azul_env` |
| agents | `player_0` .. `player_{n-1}`, n = 2, 3 or 4 |
| actions | discrete, masked |
| observations | `{"observation": float32 in [0, 1], "action_mask": int8}` |
| parallel | no: players take turns |

|  | 2 players | 3 players | 4 players |
| --- | --- | --- | --- |
| factories | 5 | 7 | 9 |
| actions | 180 | 240 | 300 |
| observation | 175 | 248 | 321 |
| actions, gray wall | 185 | 245 | 305 |
| observation, gray wall | 391 | 564 | 737 |

### Arguments

| argument | default | meaning |
|---|---|---|
| `num_players` | 2 | 2, 3 or 4 |
| `max_rounds` | 50 | the game is cut off after this many rounds |
| `reward` | `"outcome"` | `"outcome"`, `"score_margin"`, `"round_margin"`, or a function `(before, after) -> n numbers` |
| `render_mode` | None | `"human"`, `"rgb_array"` or `"ansi"` |
| `starting_player` | 0 | a seat, or `"random"`: drawn for every game |
| `observation` | `"float32"` | `"float32"`: numbers divided by their `high`; `"uint8"`: the integers |
| `variant` | `"colored"` | the wall: `"colored"`, or `"gray"`, where players choose the columns of their tiles |

### Actions

`index = (source * 5 + color) * 6 + destination`. Sources 0..F-1 are the factories, F is the center; colors are
blue 0, yellow 1, red 2, black 3, white 4; destinations 0..4 are the pattern lines, 5 is the floor. All tiles of the color
are taken, and those that do not fit into the line fall to the floor.

On the gray wall five actions follow, "place in column 0..4": the player to move tiles its topmost full line. Players tile
one after the other, so the same agent may act several times in a row; lines without a choice are resolved automatically.

`action_mask[index]` is 1 if the action is legal. It is all zeros for agents that are not to move, and for all agents
when the game is over. `env()` ends the game on an illegal action, with a reward of -1 for its player and 0 for the
others; `raw_env()` raises `IllegalActionError` and changes nothing.

### Observations

The whole position, seen from the agent's seat: n boards of 61 numbers each, the agent's first and the others in turn
order; then the table. Only the order of the tiles in the bag is hidden. Every number is an integer from 0 to its `high`,
divided by it in the float32 form. `azul_env.decode_observation` converts an observation back to a position.

| part of a board | index | high | meaning |
| --- | --- | --- | --- |
| `wall` | 0..24 | 1 | 1 where a tile is, by row and column |
| `line_0` | 25..29 | 1 | tiles in line 0, by color |
| `line_1` | 30..34 | 2 | tiles in line 1, by color |
| `line_2` | 35..39 | 3 | tiles in line 2, by color |
| `line_3` | 40..44 | 4 | tiles in line 3, by color |
| `line_4` | 45..49 | 5 | tiles in line 4, by color |
| `floor` | 50..56 | 6 | by slot: 0 free, color + 1, or 6 for the marker |
| `score` | 57..59 | 127, 127, 127 | score up to 127; the excess as two digits in base 128 |
| `resigned` | 60 | n - 1 | 0 still playing, k the k-th to resign |

| part of the table | 2 players | 3 players | 4 players | high | meaning |
| --- | --- | --- | --- | --- | --- |
| `factories` | 122..146 | 183..217 | 244..288 | 4 | tiles by factory and color |
| `center` | 147..151 | 218..222 | 289..293 | 20 | tiles by color |
| `marker_in_center` | 152 | 223 | 294 | 1 | 1 until the first-player marker is taken |
| `bag` | 153..157 | 224..228 | 295..299 | 20 | tiles by color |
| `lid` | 158..162 | 229..233 | 300..304 | 20 | tiles by color |
| `round` | 163..164 | 234..235 | 305..306 | 127 | rounds completed, as two digits in base 128 |
| `max_rounds` | 165..166 | 236..237 | 307..308 | 127 | the round limit, as two digits in base 128 |
| `to_move` | 167..168 | 238..240 | 309..312 | 1 | who is to move, or moved last: the observer first |
| `starts_next_round` | 169..170 | 241..243 | 313..316 | 1 | who starts the next round: the observer first |
| `end_reason` | 171..174 | 244..247 | 317..320 | 1 | row, no tiles, max rounds, resignation |

On the gray wall a board is 161 numbers, since cells have no colors of their own, and the table also describes the choice
of the player to move: the line, its color and the legal columns. These numbers are 0 while tiles are drafted.

| part of a board, gray wall | index | high | meaning |
| --- | --- | --- | --- |
| `wall_blue` | 0..24 | 1 | 1 where a blue tile is, by row and column |
| `wall_yellow` | 25..49 | 1 | 1 where a yellow tile is, by row and column |
| `wall_red` | 50..74 | 1 | 1 where a red tile is, by row and column |
| `wall_black` | 75..99 | 1 | 1 where a black tile is, by row and column |
| `wall_white` | 100..124 | 1 | 1 where a white tile is, by row and column |
| `line_0` | 125..129 | 1 | tiles in line 0, by color |
| `line_1` | 130..134 | 2 | tiles in line 1, by color |
| `line_2` | 135..139 | 3 | tiles in line 2, by color |
| `line_3` | 140..144 | 4 | tiles in line 3, by color |
| `line_4` | 145..149 | 5 | tiles in line 4, by color |
| `floor` | 150..156 | 6 | by slot: 0 free, color + 1, or 6 for the marker |
| `score` | 157..159 | 127, 127, 127 | score up to 127; the excess as two digits in base 128 |
| `resigned` | 160 | n - 1 | 0 still playing, k the k-th to resign |

| part of the table, gray wall | 2 players | 3 players | 4 players | high | meaning |
| --- | --- | --- | --- | --- | --- |
| `factories` | 322..346 | 483..517 | 644..688 | 4 | tiles by factory and color |
| `center` | 347..351 | 518..522 | 689..693 | 20 | tiles by color |
| `marker_in_center` | 352 | 523 | 694 | 1 | 1 until the first-player marker is taken |
| `bag` | 353..357 | 524..528 | 695..699 | 20 | tiles by color |
| `lid` | 358..362 | 529..533 | 700..704 | 20 | tiles by color |
| `round` | 363..364 | 534..535 | 705..706 | 127 | rounds completed, as two digits in base 128 |
| `max_rounds` | 365..366 | 536..537 | 707..708 | 127 | the round limit, as two digits in base 128 |
| `tiling` | 367 | 538 | 709 | 1 | 1 if the player to move chooses a column of its wall |
| `tiling_line` | 368..372 | 539..543 | 710..714 | 1 | the line to be tiled |
| `tiling_color` | 373..377 | 544..548 | 715..719 | 1 | the color of that line |
| `tiling_column` | 378..382 | 549..553 | 720..724 | 1 | the columns to choose from |
| `to_move` | 383..384 | 554..556 | 725..728 | 1 | who is to move, or moved last: the observer first |
| `starts_next_round` | 385..386 | 557..559 | 729..732 | 1 | who starts the next round: the observer first |
| `end_reason` | 387..390 | 560..563 | 733..736 | 1 | row, no tiles, max rounds, resignation |

### Rewards

| name | value |
|---|---|
| `outcome` | at the end, 1 - 2 (rank - 1) / (n - 1), tied ranks averaged: zero-sum, +1 for a win and -1 for a loss with 2 players; 0 before |
| `score_margin` | at the end, the player's points minus the mean of the others'; 0 before |
| `round_margin` | the change of that margin, so at the end of every round; sums to the final margin. On the gray wall points come tile by tile, so it is paid in the turns of tiling, too |

### Termination and truncation

A game that ends by the rules (a complete row, no tiles left, resignation) terminates for all agents at once. A game that
is cut off at `max_rounds` is scored and rewarded like any other, and reported as a truncation. No bootstrapping is
needed there, because `max_rounds` is part of the observation.

### Versions

- v0: first version. `variant="gray"` was added later; without that argument nothing has changed.
"""

from typing import Any

from azul_env.envs.aec import AzulAEC
from azul_env.envs.guard import GuardedAEC

raw_env = AzulAEC


def env(**arguments: Any) -> GuardedAEC:
    """The environment with the checks of PettingZoo's usual wrappers; the module docstring describes it."""
    return GuardedAEC(AzulAEC(**arguments))

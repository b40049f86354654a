"""Azul written from docs/RULES.md alone: the oracle of the parity tests.

Tiles are strings in lists and every rule is spelled out where it applies; `R3.4` is the number of
a rule. Compare positions by `to_dict()`: only on a floor does the order of a list mean anything.
"""

import random

Deal = list[list[int]]  # one list per factory: how many tiles of each color lie on it
COLORS = ["blue", "yellow", "red", "black", "white"]  # R1.1
MARKER = "marker"
NUM_FACTORIES = {2: 5, 3: 7, 4: 9}  # R1.3, by number of players
FLOOR_COSTS = [1, 1, 2, 2, 2, 3, 3]  # R5.2: by slot, from the left
FLOOR = 5  # as a destination; 0 to 4 are the pattern lines


class IllegalActionError(ValueError):
    """A move or a resignation that the rules forbid; its text is the reason's name in R9."""


class DealError(ValueError):
    """A fill of the factories that is missing, or that bag and lid cannot give (R2.1 to R2.3)."""


def wall_color(row: int, column: int) -> str:
    """The color printed on a wall cell."""
    return COLORS[(column - row) % 5]  # R1.5


def color_counts(tiles: list[str]) -> list[int]:
    """How many tiles of each color there are."""
    return [tiles.count(color) for color in COLORS]


def tiles_of(counts: list[int]) -> list[str]:
    """The tiles behind such counts."""
    return [COLORS[color] for color in range(5) for _ in range(counts[color])]


def action_parts(index: int) -> tuple[int, int, int]:
    """Source, color and destination of the action (source * 5 + color) * 6 + destination."""
    return index // 30, index // 6 % 5, index % 6


def run_length(cells: list[str | None], position: int) -> int:
    """How many tiles lie side by side around `position`, which holds one, in a row or column."""
    first = last = position
    while first > 0 and cells[first - 1] is not None:
        first -= 1
    while last < 4 and cells[last + 1] is not None:
        last += 1
    return last - first + 1


class Board:
    """What lies in front of one player (R1.4)."""

    def __init__(self) -> None:
        self.score = 0
        self.wall: list[list[str | None]] = [[None] * 5 for _ in range(5)]
        self.lines: list[list[str]] = [[] for _ in range(5)]
        self.floor: list[str] = []  # tiles and perhaps the marker, from the left
        self.resigned: int | None = None  # how many players resigned before this one did

    def line_refusal(self, row: int, color: str) -> str | None:
        """Why a pattern line takes no tile of a color, or None if it does."""
        line = self.lines[row]
        if len(line) == row + 1:  # R3.5
            return "PATTERN_LINE_COMPLETE"
        if line and line[0] != color:  # R3.6
            return "COLOR_MISMATCH"
        if color in self.wall[row]:  # R3.7
            return "WALL_CONFLICT"
        return None

    def open_destinations(self, color: str) -> list[int]:
        """Where tiles of a color may go."""
        lines = [row for row in range(5) if self.line_refusal(row, color) is None]
        return [*lines, FLOOR]  # R3.10

    def place(self, tiles: list[str], destination: int, lid: list[str]) -> None:
        """Put tiles on a line or on the floor."""
        for tile in tiles:
            if destination != FLOOR and len(self.lines[destination]) < destination + 1:
                self.lines[destination].append(tile)
            elif len(self.floor) < len(FLOOR_COSTS):  # R3.4: what does not fit falls to the floor
                self.floor.append(tile)
            else:
                lid.append(tile)  # R3.8

    def finish_round(self, lid: list[str]) -> None:
        """Tile the wall, score, and clear the floor; the order of the points is R5.3."""
        colors = [[wall_color(row, column) for column in range(5)] for row in range(5)]
        for row in range(5):  # R4.2
            if len(self.lines[row]) == row + 1:
                self.tile_wall(row, colors[row].index(self.lines[row][0]), lid)
        self.score_floor(lid)

    def score_floor(self, lid: list[str]) -> None:
        """Take off what the floor costs, and clear it."""
        self.score -= sum(FLOOR_COSTS[: len(self.floor)])  # R5.2, R4.4: the marker costs as well
        self.score = max(0, self.score)
        lid.extend([piece for piece in self.floor if piece != MARKER])  # R4.3
        self.floor = []

    def tile_wall(self, row: int, column: int, lid: list[str]) -> None:
        """Move one tile of a full line to the wall and the others to the lid, and add the points."""
        self.wall[row][column] = self.lines[row][0]
        lid.extend(self.lines[row][1:])
        self.lines[row] = []
        horizontal = run_length(self.wall[row], column)
        vertical = run_length([self.wall[r][column] for r in range(5)], row)
        self.score += sum(run for run in (horizontal, vertical) if run > 1) or 1  # R5.1

    def complete_rows(self) -> int:
        """How many wall rows are complete."""
        return sum(None not in row for row in self.wall)

    def bonus(self) -> int:
        """The points a wall is worth at the end of the game (R5.4)."""
        points = 2 * self.complete_rows()
        points += 7 * sum(all(row[column] is not None for row in self.wall) for column in range(5))
        points += 10 * sum(all(color in row for row in self.wall) for color in COLORS)
        return points

    def to_dict(self) -> dict:
        """A player's part of the position."""
        lines = [{"color": line[0] if line else None, "count": len(line)} for line in self.lines]
        return {
            "score": self.score,
            "wall": [[0 if cell is None else 1 for cell in row] for row in self.wall],
            "pattern_lines": lines,
            "floor": list(self.floor),
            "resigned": self.resigned,
        }

    @classmethod
    def from_dict(cls, data: dict) -> "Board":
        """The board behind a player's part of the position."""
        board = cls()
        board.score = data["score"]
        board.floor = list(data["floor"])
        board.resigned = data["resigned"]
        board.lines = [[line["color"]] * line["count"] for line in data["pattern_lines"]]
        for row in range(5):
            for column in range(5):
                if data["wall"][row][column] == 1:
                    board.wall[row][column] = wall_color(row, column)
        return board


class Game:
    """One game; without a `deal` it waits for the first `start_round`."""

    variant = "colored"
    board_type = Board

    def __init__(
        self, num_players: int, starting_player: int, max_rounds: int = 50, deal: Deal | None = None
    ) -> None:
        self.num_players = num_players
        self.current_player = starting_player  # at the end of the game, who moved last
        self.starting_player_next_round = starting_player
        self.phase = "factory_offer"  # or "game_over"
        self.round = 0  # rounds completed
        self.max_rounds = max_rounds
        self.end_reason: str | None = None  # "row", "no_tiles", "max_rounds" or "resignation"
        self.bag = tiles_of([20] * 5)  # R1.2
        self.lid: list[str] = []
        self.factories: list[list[str]] = [[] for _ in range(NUM_FACTORIES[num_players])]
        self.center: list[str] = []  # tiles only
        self.center_has_marker = True
        self.players = [self.board_type() for _ in range(num_players)]
        if deal is not None:
            self.start_round(deal)

    def needs_deal(self) -> bool:
        """Whether a round must start before anybody can move."""
        return self.phase == "factory_offer" and not self.center and not any(self.factories)

    def start_round(self, deal: Deal | None) -> None:
        """Fill the factories and name who starts; caller guarantees that `needs_deal()`."""
        if deal is None or len(deal) != len(self.factories):
            raise DealError(f"a new round fills {len(self.factories)} factories; the deal: {deal}")
        for factory, counts in enumerate(deal):  # R2.1
            size = min(4, len(self.bag) + len(self.lid))  # R2.3
            if len(counts) != 5 or min(counts) < 0 or sum(counts) != size:
                raise DealError(f"factory {factory}: {counts} are not {size} tiles")
            self.factories[factory] = tiles_of(counts)
            self.draw(factory, tiles_of(counts))
        self.center_has_marker = True  # R2.4
        self.current_player = self.seat_in_game(self.starting_player_next_round)  # R2.5, R8.4
        self.starting_player_next_round = self.current_player  # R4.5, if nobody takes the marker

    def draw(self, factory: int, wanted: list[str]) -> None:
        """Take the tiles of one factory out of the bag, and out of the lid where it returns."""
        if len(self.bag) < len(wanted):
            # R2.2: all that was left in the bag lies here; only then the lid returns.
            for tile in self.bag:
                if tile not in wanted:
                    raise DealError(f"factory {factory}: lacks the bag's last {tile}")
                wanted.remove(tile)
            self.bag, self.lid = self.lid, []
        for tile in wanted:
            if tile not in self.bag:
                raise DealError(f"factory {factory}: the bag has no {tile} left")
            self.bag.remove(tile)

    def seat_in_game(self, player: int) -> int:
        """The first seat from `player` on, clockwise, that has not resigned (R8.2, R8.4)."""
        while self.players[player].resigned is not None:
            player = (player + 1) % self.num_players
        return player

    def legal_actions(self) -> list[int]:
        """The numbers of all legal actions of the player to move, in increasing order."""
        if self.phase == "game_over":
            return []
        board = self.players[self.current_player]
        destinations = [board.open_destinations(color) for color in COLORS]
        actions = []
        for source, tiles in enumerate([*self.factories, self.center]):
            for color, name in enumerate(COLORS):
                if name in tiles:  # R3.1
                    for destination in destinations[color]:
                        actions.append((source * 5 + color) * 6 + destination)
        return actions

    def illegal_reason(self, index: int, player: int | None = None) -> str | None:
        """The first reason of R9 why `player` (None: who is to move) may not play an action."""
        if not 0 <= index < 30 * (len(self.factories) + 1):
            return "OUT_OF_RANGE"
        if self.phase == "game_over":
            return "WRONG_PHASE"
        if player is not None and player != self.current_player:
            return "NOT_PLAYERS_TURN"
        source, color, destination = action_parts(index)
        tiles = self.center if source == len(self.factories) else self.factories[source]
        if COLORS[color] not in tiles:
            return "SOURCE_EMPTY"
        if destination == FLOOR:
            return None
        return self.players[self.current_player].line_refusal(destination, COLORS[color])

    def draft(self, index: int, deal: Deal | None = None) -> None:
        """Play an action, and start the next round with `deal` if it ends one and the game goes on.

        An illegal action changes nothing. After a DealError the game is half changed: drop it.
        """
        self.take_turn(index)
        if self.needs_deal():
            self.start_round(deal)

    def take_turn(self, index: int) -> None:
        """Play an action, without the fill that starts the next round."""
        reason = self.illegal_reason(index)
        if reason is not None:
            raise IllegalActionError(reason)
        source, color, destination = action_parts(index)
        tiles = self.take(source, COLORS[color])
        self.players[self.current_player].place(tiles, destination, self.lid)
        if self.center or any(self.factories):
            self.current_player = self.seat_in_game((self.current_player + 1) % self.num_players)
        else:
            self.finish_round()

    def take(self, source: int, color: str) -> list[str]:
        """Take all tiles of a color from a source, and the marker if it comes with them."""
        if source < len(self.factories):
            tiles, self.factories[source] = self.factories[source], []
        else:
            tiles, self.center = self.center, []
            if self.center_has_marker:  # R3.3
                self.center_has_marker = False
                self.starting_player_next_round = self.current_player
                floor = self.players[self.current_player].floor
                if len(floor) < len(FLOOR_COSTS):  # R3.9
                    floor.append(MARKER)
        self.center.extend([tile for tile in tiles if tile != color])  # R3.2
        return [tile for tile in tiles if tile == color]

    def finish_round(self) -> None:
        """Tile and score for everybody (R4.1)."""
        for board in self.players:
            board.finish_round(self.lid)
        self.count_round()

    def count_round(self) -> None:
        """Count a round that is over, and end the game if it was the last one."""
        self.round += 1
        if any(board.complete_rows() > 0 for board in self.players):
            self.end("row")  # R6.1
        elif not self.bag and not self.lid:
            self.end("no_tiles")  # R6.2
        elif self.round >= self.max_rounds:
            self.end("max_rounds")  # R6.3

    def end(self, reason: str) -> None:
        """End the game with the bonuses (R6.4)."""
        for board in self.players:
            board.score += board.bonus()
        self.phase = "game_over"
        self.end_reason = reason

    def resign(self, player: int) -> None:
        """Let a player resign, in turn or not (R8)."""
        if not 0 <= player < self.num_players:
            raise IllegalActionError("OUT_OF_RANGE")
        if self.players[player].resigned is not None:  # R8.1, also after the end of the game
            raise IllegalActionError("ALREADY_RESIGNED")
        if self.phase == "game_over":
            raise IllegalActionError("WRONG_PHASE")
        resigned_before = sum(board.resigned is not None for board in self.players)
        self.players[player].resigned = resigned_before
        if resigned_before + 1 == self.num_players - 1:  # R8.5: one player is left
            self.current_player = player
            self.end("resignation")
        else:
            self.current_player = self.seat_in_game(self.current_player)  # R8.2

    def ranking(self) -> tuple[int, ...]:
        """The rank of every seat of a finished game, 1 for the best (R7)."""
        if self.phase != "game_over":
            raise ValueError("the game is still on")
        standings = []  # compared from the left
        for board in self.players:
            if board.resigned is None:
                standings.append((1, board.score, board.complete_rows()))  # R7.1
            else:
                standings.append((0, board.resigned, 0))  # R7.2
        return tuple(1 + sum(other > own for other in standings) for own in standings)  # R7.3

    def winners(self) -> tuple[int, ...]:
        """The seats of rank 1 of a finished game (R7.3)."""
        return tuple(seat for seat, rank in enumerate(self.ranking()) if rank == 1)

    def to_dict(self) -> dict:
        """The position as RULINGS writes it down, keys in that order."""
        return {
            "ruleset": "azul-base-2024-next-move",
            "variant": self.variant,
            "num_players": self.num_players,
            "current_player": self.current_player,
            "starting_player_next_round": self.starting_player_next_round,
            "phase": self.phase,
            "round": self.round,
            "max_rounds": self.max_rounds,
            "end_reason": self.end_reason,
            "bag": color_counts(self.bag),
            "discard": color_counts(self.lid),
            "factories": [color_counts(tiles) for tiles in self.factories],
            "center": color_counts(self.center),
            "center_has_marker": self.center_has_marker,
            "players": [board.to_dict() for board in self.players],
        }

    @classmethod
    def from_dict(cls, data: dict) -> "Game":
        """The game behind such a dict; the caller guarantees that the position is a valid one."""
        game = cls(data["num_players"], data["current_player"], data["max_rounds"])
        game.starting_player_next_round = data["starting_player_next_round"]
        game.phase = data["phase"]
        game.round = data["round"]
        game.end_reason = data["end_reason"]
        game.bag = tiles_of(data["bag"])
        game.lid = tiles_of(data["discard"])
        game.factories = [tiles_of(counts) for counts in data["factories"]]
        game.center = tiles_of(data["center"])
        game.center_has_marker = data["center_has_marker"]
        game.players = [cls.board_type.from_dict(player) for player in data["players"]]
        return game


def random_deal(game: Game, rng: random.Random) -> Deal:
    """A fill of the factories, drawn tile by tile from copies of bag and lid (R2.1)."""
    bag, lid = list(game.bag), list(game.lid)
    deal = []
    for _ in game.factories:
        tiles: list[str] = []
        while len(tiles) < 4 and (bag or lid):  # R2.3
            if not bag:
                bag, lid = lid, []  # R2.2
            tiles.append(bag.pop(rng.randrange(len(bag))))
        deal.append(color_counts(tiles))
    return deal


def play_random_game(num_players: int = 2, seed: int = 0, max_rounds: int = 50) -> dict:
    """Play one game of uniformly random legal moves; how long it was and how it ended."""
    rng = random.Random(seed)
    game = Game(num_players, 0, max_rounds)
    moves = 0
    while game.phase != "game_over":
        if game.needs_deal():
            game.start_round(random_deal(game, rng))
        game.take_turn(rng.choice(game.legal_actions()))
        moves += 1
    return {"moves": moves, "rounds": game.round, "scores": [b.score for b in game.players]}

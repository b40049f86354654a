"""The gray wall (R10), written from docs/RULES.md alone on top of the colored game."""

from reference.engine import COLORS, FLOOR, Board, Game, IllegalActionError


class GrayBoard(Board):
    """A board on whose wall every color may stand anywhere, once in a row and once in a column."""

    def full_lines(self) -> list[int]:
        """The full lines, from top to bottom."""
        return [row for row in range(5) if len(self.lines[row]) == row + 1]

    def legal_columns(self, row: int) -> list[int]:
        """The columns that may take the tile of a line which holds some (R10.3)."""
        color = self.lines[row][0]
        columns = []
        for column in range(5):
            is_empty = self.wall[row][column] is None
            holds_color = any(self.wall[r][column] == color for r in range(5))
            if is_empty and not holds_color:
                columns.append(column)
        return columns

    def drop_line(self, row: int, lid: list[str]) -> None:
        """Let all tiles of a line fall to the floor (R10.7)."""
        tiles, self.lines[row] = self.lines[row], []
        self.place(tiles, FLOOR, lid)

    def to_dict(self) -> dict:
        """A player's part of the position; a wall cell tells its color (R10.18)."""
        data = super().to_dict()
        for row in range(5):
            for column, color in enumerate(self.wall[row]):
                data["wall"][row][column] = 0 if color is None else 1 + COLORS.index(color)
        return data

    @classmethod
    def from_dict(cls, data: dict) -> "Board":
        """The board behind a player's part of the position."""
        board = super().from_dict(data)
        for row in range(5):
            for column, cell in enumerate(data["wall"][row]):
                board.wall[row][column] = None if cell == 0 else COLORS[cell - 1]
        return board


class GrayGame(Game):
    """One game on gray walls; its third phase is "wall_tiling"."""

    variant = "gray"
    board_type = GrayBoard
    players: list[GrayBoard]
    # The seats that have not tiled yet, in order; the first is the one that chooses.
    waiting: list[int]

    def finish_round(self) -> None:
        """Begin to tile, as the table is empty."""
        self.waiting = self.seats_from(self.seat_in_game(self.starting_player_next_round))  # R10.4
        self.tile_until_choice()

    def seats_from(self, first: int) -> list[int]:
        """All seats, clockwise from one."""
        return [(first + step) % self.num_players for step in range(self.num_players)]

    def tile_until_choice(self) -> None:
        """Tile what needs no choice; stop where somebody has to choose or all have tiled."""
        while self.waiting:
            board = self.players[self.waiting[0]]
            full = board.full_lines()
            if not full:
                board.score_floor(self.lid)  # R10.9
                self.waiting.pop(0)
                continue
            columns = board.legal_columns(full[0])
            if len(columns) > 1 and board.resigned is None:  # R10.5
                self.phase = "wall_tiling"
                self.current_player = self.waiting[0]
                return
            if columns:
                board.tile_wall(full[0], columns[0], self.lid)  # R10.6, R10.12
            else:
                board.drop_line(full[0], self.lid)
        self.phase = "factory_offer"
        self.count_round()  # R10.10

    def first_tiling_action(self) -> int:
        """The number of "place in column 0", the first after those of drafting (R10.16)."""
        return 30 * (len(self.factories) + 1)

    def columns_to_choose(self) -> list[int]:
        """The legal columns of the player to choose, in the topmost full line."""
        board = self.players[self.current_player]
        return board.legal_columns(board.full_lines()[0])

    def legal_actions(self) -> list[int]:
        """The numbers of all legal actions of the player to move, in increasing order."""
        if self.phase == "wall_tiling":
            return [self.first_tiling_action() + column for column in self.columns_to_choose()]
        return super().legal_actions()

    def illegal_reason(self, index: int, player: int | None = None) -> str | None:
        """The first reason of R9 why `player` (None: who is to move) may not play an action."""
        is_tiling = self.phase == "wall_tiling"
        column = index - self.first_tiling_action()
        if index < 0 or column > 4:
            return "OUT_OF_RANGE"
        if is_tiling != (column >= 0):  # R10.17, also after the end of the game
            return "WRONG_PHASE"
        if not is_tiling:
            return super().illegal_reason(index, player)
        if player is not None and player != self.current_player:
            return "NOT_PLAYERS_TURN"
        return None if column in self.columns_to_choose() else "WALL_CONFLICT"

    def take_turn(self, index: int) -> None:
        """Play an action, without the fill that starts the next round."""
        if self.phase != "wall_tiling":
            super().take_turn(index)  # refuses what `illegal_reason` names, tiling included
            return
        reason = self.illegal_reason(index)
        if reason is not None:
            raise IllegalActionError(reason)
        board = self.players[self.current_player]
        column = index - self.first_tiling_action()
        board.tile_wall(board.full_lines()[0], column, self.lid)  # R10.8
        self.tile_until_choice()

    def resign(self, player: int) -> None:
        """Let a player resign, in turn or not; this may end a round, which then waits for its fill."""
        chooses = self.phase == "wall_tiling" and player == self.current_player
        super().resign(player)
        if chooses and self.phase != "game_over":  # R10.13, else R10.15
            self.current_player = player  # R10.11, if nobody has to choose after this
            self.tile_until_choice()

    @classmethod
    def from_dict(cls, data: dict) -> "Game":
        """The game behind such a dict; the caller guarantees that the position is a valid one."""
        game = super().from_dict(data)
        if isinstance(game, GrayGame) and game.phase == "wall_tiling":
            first = game.seat_in_game(game.starting_player_next_round)
            order = game.seats_from(first)
            # Who resigned after tiling may be in it once more, with nothing left to tile or to score.
            game.waiting = order[order.index(game.current_player) :]
        return game

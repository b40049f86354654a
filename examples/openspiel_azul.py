"""Azul as a game of OpenSpiel: `import openspiel_azul`, then `pyspiel.load_game("azul(players=3)")`.

Every tile is a chance node: `tile_chances` has the probabilities of the next one, `dealt` applies all that were drawn.
"""

import numpy as np
import pyspiel
from pyspiel import GameType, PlayerId

import azul_env as az

TYPE = GameType(
    "azul",
    "Azul",
    GameType.Dynamics.SEQUENTIAL,
    GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    GameType.Information.PERFECT_INFORMATION,
    GameType.Utility.ZERO_SUM,
    GameType.RewardModel.TERMINAL,
    *(az.MAX_PLAYERS, az.MIN_PLAYERS),
    *[False] * 4,  # strings and tensors of information states and observations
    {"players": 2},
)


class AzulGame(pyspiel.Game):
    """The game; `players` is 2, 3 or 4."""

    def __init__(self, params=None):
        self.players = (params or {}).get("players", 2)
        sizes = az.num_actions(self.players), az.NUM_COLORS, self.players
        turns = az.FACTORY_CAPACITY * az.num_factories(self.players) * az.DEFAULT_MAX_ROUNDS
        super().__init__(TYPE, pyspiel.GameInfo(*sizes, -1.0, 1.0, 0.0, turns), params or {})

    def new_initial_state(self):
        return AzulState(self, az.undealt_game(self.players))


class AzulState(pyspiel.State):
    """A position, and the tiles drawn so far if it awaits a deal."""

    def __init__(self, game, position):
        super().__init__(game)
        self.position, self.drawn, self.players = position, [], position.num_players

    def current_player(self):
        turn = PlayerId.CHANCE if self.position.awaits_deal else self.position.current_player
        return PlayerId.TERMINAL if self.position.is_terminal else turn

    def is_terminal(self):
        return self.position.is_terminal

    def returns(self):
        return az.outcome(self.position, self.position).tolist()  # 0 before the end

    def chance_outcomes(self):
        chances = az.tile_chances(self.position, self.drawn)
        return [(color, float(chances[color])) for color in np.flatnonzero(chances).tolist()]

    def _legal_actions(self, player):
        return np.flatnonzero(az.legal_mask(self.position)).tolist()

    def _apply_action(self, action):
        if not self.position.awaits_deal:
            self.position = az.afterstate(self.position, action)
            return
        self.drawn = [*self.drawn, action]
        if len(self.drawn) == az.tiles_due(self.position):
            deal = az.deal_of_tiles(self.position, self.drawn)
            self.position, self.drawn = az.dealt(self.position, deal), []

    def _action_to_string(self, player, action):
        is_tile = player == PlayerId.CHANCE
        return az.COLOR_NAMES[action] if is_tile else az.format_action(action, self.players)

    def __str__(self):
        return f"{self.position!r} drawn {self.drawn}"


pyspiel.register_game(TYPE, AzulGame)

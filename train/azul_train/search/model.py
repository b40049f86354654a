"""The networks at the leaves of the search, in torch; `azul_agents.search.network.layers` explains them.

Layers that differ by round are a shared part plus a part for each round, which weight decay pulls towards 0.
"""

from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from azul_agents.search.network.features import (
    NUM_BOARD_FEATURES,
    NUM_ROUNDS,
    NUM_TABLE_FEATURES,
)
from azul_agents.search.network.layers import (
    HIDDEN,
    NUM_OUTPUTS,
    NUM_SCORES,
    OFFERS,
    POINTS_SCALE,
    WIDTH,
    Layers,
)
from azul_agents.search.network.offers import NUM_OFFER_FEATURES

BOARD_SCALE: Final = 0.1  # of the initial weights of features
BY_ROUND: Final = (
    "board_bias", "own", "other", "hidden_bias", "scores", "output", "output_bias"
)  # fmt: skip
FIRST_SPREAD: Final = 12.0  # points: the initial bias of its output is half of this


class Inputs(NamedTuple):
    """A batch of positions as seats see them; the first board is the viewer's."""

    boards: Tensor  # (position, seat, listed features)
    table: Tensor  # (position, listed features)
    offers: Tensor  # (position, listed features); meaningless at ends of rounds
    points: Tensor  # (position, seat)
    rounds: Tensor  # (position)


class ByRound(nn.Module):
    """A parameter that differs by round."""

    def __init__(self, *shape: int, scale: float) -> None:
        super().__init__()
        self.shared = nn.Parameter(scale * torch.randn(*shape))
        self.of_round = nn.Parameter(torch.zeros(NUM_ROUNDS, *shape))

    def all(self) -> Tensor:
        """The parameter for all rounds."""
        return self.shared + self.of_round

    def set_all(self, parts: Tensor) -> None:
        """Set the parameter for all rounds: the shared part is their mean."""
        with torch.no_grad():
            self.shared.copy_(parts.mean(dim=0))
            self.of_round.copy_(parts - self.shared)


class SearchNetwork(nn.Module):
    """Margin and win logit of positions."""

    def __init__(self, sees_offers: bool = False) -> None:
        super().__init__()
        self.sees_offers = sees_offers
        self.board = nn.EmbeddingBag(
            NUM_BOARD_FEATURES + 1, WIDTH, mode="sum", padding_idx=NUM_BOARD_FEATURES
        )
        self.table = nn.EmbeddingBag(NUM_TABLE_FEATURES, HIDDEN, mode="sum")
        nn.init.normal_(self.board.weight, std=BOARD_SCALE)
        nn.init.normal_(self.table.weight, std=BOARD_SCALE)
        with torch.no_grad():
            self.board.weight[NUM_BOARD_FEATURES] = 0
        self.board_bias = ByRound(WIDTH, scale=BOARD_SCALE)
        self.own = ByRound(WIDTH, HIDDEN, scale=WIDTH**-0.5)
        self.other = ByRound(WIDTH, HIDDEN, scale=WIDTH**-0.5)
        self.hidden_bias = ByRound(HIDDEN, scale=BOARD_SCALE)
        self.scores = ByRound(NUM_SCORES, HIDDEN, scale=BOARD_SCALE)
        self.output = ByRound(NUM_OUTPUTS, HIDDEN, scale=HIDDEN**-0.5)
        self.output_bias = ByRound(NUM_OUTPUTS, scale=0.0)
        with torch.no_grad():
            self.output_bias.shared[1] = FIRST_SPREAD / 2
        if sees_offers:
            self.offers = nn.EmbeddingBag(NUM_OFFER_FEATURES, HIDDEN, mode="sum")
            nn.init.zeros_(self.offers.weight)

    def forward(self, inputs: Inputs) -> tuple[Tensor, Tensor]:
        """Margin and win logit by position."""
        count, seats, listed = inputs.boards.shape
        rounds = inputs.rounds
        boards = self.board(inputs.boards.reshape(-1, listed)).reshape(count, seats, -1)
        boards = torch.relu(boards + self.board_bias.all()[rounds][:, None])
        others = boards[:, 1:].mean(dim=1)
        hidden = self.table(inputs.table) + self.hidden_bias.all()[rounds]
        if self.sees_offers:
            hidden = hidden + self.offers(inputs.offers)
        hidden = hidden + _product(boards[:, 0], self.own, rounds)
        hidden = hidden + _product(others, self.other, rounds)
        over_mean = inputs.points[:, 0] - inputs.points[:, 1:].mean(dim=1)
        over_best = inputs.points[:, 0] - inputs.points[:, 1:].amax(dim=1)
        scores = POINTS_SCALE * torch.stack([over_mean, over_best], dim=1)
        hidden = torch.relu(hidden + _product(scores, self.scores, rounds))
        outputs = _product(hidden, self.output, rounds, is_turned=True)
        outputs = outputs + self.output_bias.all()[rounds]
        margin = over_mean + outputs[:, 0]
        wide = outputs[:, 1]
        spread = 1 + wide + torch.sqrt(1 + wide * wide)
        return margin, margin / spread + outputs[:, 2]

    def layers(self, num_players: int) -> Layers:
        """The layers as the compiled evaluator has them, which adds up the other boards."""
        parts = {name: getattr(self, name).all() for name in BY_ROUND}
        parts["other"] = parts["other"] / (num_players - 1)
        parts["board"], parts["table"] = self.board.weight[:-1], self.table.weight
        if self.sees_offers:
            parts[OFFERS] = self.offers.weight
        return {name: part.detach().numpy().astype(np.float32) for name, part in parts.items()}

    def take_over(self, layers: Layers, num_players: int) -> None:
        """The inverse of `layers`."""
        for name in BY_ROUND:
            factor = num_players - 1 if name == "other" else 1
            getattr(self, name).set_all(factor * torch.from_numpy(layers[name]))
        with torch.no_grad():
            self.board.weight[:-1] = torch.from_numpy(layers["board"])
            self.table.weight.copy_(torch.from_numpy(layers["table"]))
            if self.sees_offers:
                self.offers.weight.copy_(torch.from_numpy(layers[OFFERS]))


def _product(inputs: Tensor, layer: ByRound, rounds: Tensor, is_turned: bool = False) -> Tensor:
    """The product of each input with the matrix of its round, from one product with the matrices of all rounds."""
    matrices = layer.all()
    if is_turned:
        matrices = matrices.transpose(1, 2)
    count, width = inputs.shape
    wide = inputs @ matrices.permute(1, 0, 2).reshape(width, -1)
    chosen = wide.reshape(count, NUM_ROUNDS, -1)
    return chosen[torch.arange(count), rounds]

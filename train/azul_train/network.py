"""The policy and value network, invariant to the order of the factories.

Two symmetries are built in. The same tiles on another factory are the same move, so factories enter as a set: each is
embedded by the same weights, and the trunk gets the sum. And what a move does to the player's board depends only on
color, number of tiles and destination, so the trunk outputs one number for each of these, and all sources that offer this
many tiles of a color share it:

    logit(source, color, destination) = turns[color, kind(source, color), destination] + query[color] . key(source)

The kind is how many tiles there are: 1 to 4 on a factory, 1 to 6 or more in the center. The second term is for what the
move leaves to the others. On the gray wall the trunk also outputs a number per column for each line and for each color,
of which the tile to be placed selects its own:

    logit(column) = by_line[line, column] + by_color[color, column]

Besides the observation the trunk may get patterns on the walls, found by fixed layers. With an outlook, the frozen networks
of the search have valued the position after each move: the trunk gets the value of the best one, and each move's
difference from it is added to its logit, scaled by a number that the trunk outputs:

    logit(move) = ... + sharpness * (value after the move - value after the best)
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from azul_agents.kinds import OFFERS
from azul_agents.neural.model_file import (
    CENTER_INPUTS,
    CENTER_KINDS,
    COLORED,
    NUM_KINDS,
    TILE_SIZE,
    num_columns,
)
from azul_agents.neural.patterns import num_patterns, pattern_layer, placed_layer
from azul_agents.search.network.weights_file import shipped_networks
from azul_env import num_actions
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, NUM_DESTINATIONS
from azul_env.observation import observation_parts, observation_size
from azul_train.config import NetworkSize


class Latent(NamedTuple):
    """The inputs of the two heads, one row per observation. Not concatenated, which would cost copies."""

    trunk: Tensor
    keys: Tensor  # (batch, source, key)
    kinds: Tensor  # (batch, offer): which pair of color and kind an offer (source, color) is
    tile: Tensor | None  # line and color of the tile to be placed; None for colored walls
    lost: Tensor | None  # what each draft loses to the best; None without an outlook


class AzulNetwork(nn.Module):
    """Logits of all actions and the value of a batch of float32 observations, possibly with outlooks appended."""

    placed: Tensor  # the fixed layers of `azul_agents.neural.patterns`
    patterns: Tensor
    outlook: Tensor  # the weights of the networks of the search; they do not learn

    def __init__(
        self, num_players: int, size: NetworkSize | None = None, variant: str = COLORED
    ) -> None:
        super().__init__()
        size = size or NetworkSize()
        self.num_players, self.size, self.variant = num_players, size, variant
        self.num_actions = num_actions(num_players, variant)
        self._num_columns = num_columns(num_players, variant)
        parts = observation_parts(num_players, variant)
        self._factories, self._center = parts["factories"], parts["center"]
        self._marker = parts["marker_in_center"]
        self.num_factories = self._factories.shape[0]
        self._observation_size = observation_size(num_players, variant)
        observed = self._observation_size - self._factories.size
        if size.patterns:
            observed += num_patterns(num_players, variant)
            for name, layer in (("placed", placed_layer), ("patterns", pattern_layer)):
                fixed = torch.from_numpy(layer(num_players, variant).copy())
                self.register_buffer(name, fixed, persistent=False)
        if size.outlook:
            observed += 1
            self.register_buffer("outlook", torch.from_numpy(_search_weights(num_players)))
            self.sharpness = nn.Linear(size.trunk, 1)
        self.factory = nn.Linear(NUM_COLORS * FACTORY_CAPACITY, size.source)
        self.center = nn.Linear(CENTER_INPUTS, size.source)
        self.trunk_1 = nn.Linear(observed + 2 * size.source, size.trunk)
        self.trunk_2 = nn.Linear(size.trunk, size.trunk)
        self.turns = nn.Linear(size.trunk, NUM_COLORS * NUM_KINDS * NUM_DESTINATIONS)
        self.query = nn.Linear(size.trunk, NUM_COLORS * size.key)
        self.factory_key = nn.Linear(size.source, size.key)
        self.center_key = nn.Linear(size.source, size.key)
        self.value_1 = nn.Linear(size.trunk, size.value)
        self.value_2 = nn.Linear(size.value, 1)
        if self._num_columns:
            self._tiling = parts["tiling_line"]
            self.columns = nn.Linear(size.trunk, TILE_SIZE * self._num_columns)
        self._initialise()

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (batch, actions), legal or not, and values (batch,)."""
        latent = self.latent(inputs)
        return self.logits(latent), self.values(latent.trunk)

    def latent(self, inputs: Tensor) -> Latent:
        """The inputs of the heads."""
        observations, outlook = (
            inputs[:, : self._observation_size],
            inputs[:, self._observation_size :],
        )
        on_factories, in_center = self._counts(observations)
        factories = torch.relu(self.factory(_one_hot(on_factories, FACTORY_CAPACITY).flatten(2)))
        center_inputs = (
            _one_hot(in_center, CENTER_KINDS).flatten(1),
            observations[:, self._center.slice],
            observations[:, self._marker.slice],
        )
        center = torch.relu(self.center(torch.cat(center_inputs, 1)))
        sources = torch.cat((factories.sum(1), center), 1)
        trunk = torch.relu(self._trunk_1(observations, outlook[:, :1], sources))
        return Latent(
            trunk=torch.relu(self.trunk_2(trunk)),
            keys=torch.cat((self.factory_key(factories), self.center_key(center)[:, None]), 1),
            kinds=_kinds(on_factories, in_center),
            tile=self._tile(observations),
            lost=outlook[:, 1:] if self.size.outlook else None,
        )

    def logits(self, latent: Latent) -> Tensor:
        """The logits of all actions."""
        trunk, batch, sources = latent.trunk, len(latent.trunk), self.num_factories + 1
        turns = self.turns(trunk).view(batch, NUM_COLORS * NUM_KINDS, NUM_DESTINATIONS)
        kinds = latent.kinds[:, :, None].expand(-1, -1, NUM_DESTINATIONS)
        by_offer = turns.gather(1, kinds).view(batch, sources, NUM_COLORS, NUM_DESTINATIONS)
        query = self.query(trunk).view(batch, NUM_COLORS, self.size.key)
        left = latent.keys @ query.transpose(1, 2)
        drafts = (by_offer + left[..., None]).flatten(1)
        if latent.lost is not None:
            drafts = drafts + self.sharpness(trunk) * latent.lost
        if latent.tile is None:
            return drafts
        columns = self.columns(trunk).view(batch, TILE_SIZE, self._num_columns)
        return torch.cat((drafts, (latent.tile[:, None] @ columns)[:, 0]), 1)

    def values(self, trunk: Tensor) -> Tensor:
        """The values, from the trunk of `latent`."""
        return self.value_2(torch.relu(self.value_1(trunk)))[:, 0]

    def _tile(self, observations: Tensor) -> Tensor | None:
        """Line and color of the tile to be placed, as ones and zeros; None in a network of colored games."""
        if not self._num_columns:
            return None
        start = self._tiling.start
        return observations[:, start : start + TILE_SIZE]

    def _trunk_1(self, observations: Tensor, best: Tensor, sources: Tensor) -> Tensor:
        """The trunk's first layer, as two products: the inputs that are given need no gradient."""
        given = (
            observations[:, : self._factories.start],
            observations[:, self._factories.stop :],
            *self._patterns(observations),
            best,
        )
        weight = self.trunk_1.weight
        begin = observations.shape[1] - self._factories.size  # of the columns of the sources
        end = begin + sources.shape[1]
        of_given = torch.cat((weight[:, :begin], weight[:, end:]), 1)
        from_sources = functional.linear(sources, weight[:, begin:end], self.trunk_1.bias)
        return from_sources + functional.linear(torch.cat(given, 1), of_given)

    def _patterns(self, observations: Tensor) -> tuple[Tensor, ...]:
        """What the fixed layers find on the walls; nothing in a network without them."""
        if not self.size.patterns:
            return ()
        placed = torch.relu(torch.addmm(self.placed[0], observations, self.placed[1:]))
        return placed, torch.relu(torch.addmm(self.patterns[0], placed, self.patterns[1:]))

    def _counts(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The tiles of each color on each factory, and in the center, clamped to CENTER_KINDS."""
        on_factories = torch.round(observations[:, self._factories.slice] * self._factories.high[0])
        in_center = torch.round(observations[:, self._center.slice] * self._center.high[0])
        return (
            on_factories.view(-1, self.num_factories, NUM_COLORS),
            in_center.clamp(max=CENTER_KINDS),
        )

    def _initialise(self) -> None:
        """Orthogonal initialisation, as usual for PPO: the first policy is nearly uniform, the first values nearly 0."""
        small = {"turns": 0.01, "columns": 0.01, "sharpness": 0.01, "query": 0.1, "value_2": 0.1}
        for name, layer in self.named_children():
            if isinstance(layer, nn.Linear):
                nn.init.orthogonal_(layer.weight, gain=small.get(name, 2**0.5))
                nn.init.zeros_(layer.bias)


def _one_hot(counts: Tensor, most: int) -> Tensor:
    """Counts as one-hot vectors, along a new last dimension; a count of 0 is all zeros."""
    return (counts[..., None] == torch.arange(1, most + 1)).to(counts.dtype)


def _kinds(on_factories: Tensor, in_center: Tensor) -> Tensor:
    """The index of every offer (source, color) among all pairs (color, kind); the first kind where there are no tiles."""
    kinds = torch.cat((on_factories.clamp(1), in_center.clamp(1)[:, None] + FACTORY_CAPACITY), 1)
    return (kinds.long() - 1 + NUM_KINDS * torch.arange(NUM_COLORS)).flatten(1)


def _search_weights(num_players: int) -> NDArray[np.float32]:
    """A copy of the weights of the packaged search networks."""
    weights = shipped_networks(num_players, OFFERS)
    assert weights is not None  # the package has them for 2, 3 and 4 players
    return weights.copy()

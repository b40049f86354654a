"""The network: what a position is worth, and how good each move is, whatever the order of the factories.

Two things are known before any learning. The same tiles on another factory are the same move, so factories enter as a
set: each is embedded by the same weights, and the trunk sees the sum. And what a move does to the player's board depends on
nothing but color, number of tiles and destination, so the trunk gives one number for each of these, and all sources that
offer this many tiles of a color share it:

    logit(source, color, destination) = turns[color, kind(source, color), destination] + query[color] . key(source)

The kind is how many tiles there are: 1 to 4 on a factory, 1 to 6 or more in the center. The second term is about what the
move leaves behind for the others. On the gray wall the trunk also gives a number for each column by the line and by the color of
a tile, and the tile that is to be placed picks its own:

    logit(column) = by_line[line, column] + by_color[color, column]

Beside the observation the trunk may see patterns on the walls, found by
fixed layers. If the network sees an outlook, the networks of the search, which stay as they are, have valued the position after each
move: the trunk sees the value of the best one, and the points that a move loses to it count as much as the trunk says:

    logit(move) = ... + sharpness * (value after the move - value after the best)
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from azul_agents.neural.model_file import (
    CENTER_INPUTS,
    CENTER_KINDS,
    COLORED,
    NUM_KINDS,
    TILE_SIZE,
    num_columns,
)
from azul_agents.neural.outlook import outlook_size
from azul_agents.neural.patterns import num_patterns, pattern_layer, placed_layer
from azul_agents.search.network.weights_file import shipped_networks
from azul_env import num_actions
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, NUM_DESTINATIONS
from azul_env.observation import observation_parts, observation_size
from azul_train.config import NetworkSize


class AzulNetwork(nn.Module):
    """Logits of all actions and the value of a batch of observations (float32), behind which there may be outlooks."""

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
        self._lost_size = 0  # numbers in `latent` about what moves lose
        observed = self._observation_size - self._factories.size
        if size.patterns:
            observed += num_patterns(num_players, variant)
            for name, layer in (("placed", placed_layer), ("patterns", pattern_layer)):
                fixed = torch.from_numpy(layer(num_players, variant).copy())
                self.register_buffer(name, fixed, persistent=False)
        if size.outlook:
            observed += 1
            self._lost_size = outlook_size(num_players) - 1
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
        return self.logits(latent), self.values(latent)

    def latent(self, inputs: Tensor) -> Tensor:
        """All that the two heads need, side by side: trunk, keys of the sources, kinds of all offers, tile, what moves lose."""
        batch = len(inputs)
        observations, outlook = (
            inputs[:, : self._observation_size],
            inputs[:, self._observation_size :],
        )
        on_factories, in_center = self._offers(observations)
        factories = torch.relu(self.factory(on_factories.flatten(2)))
        center_inputs = (
            in_center.flatten(1),
            observations[:, self._center.slice],
            observations[:, self._marker.slice],
        )
        center = torch.relu(self.center(torch.cat(center_inputs, 1)))
        sources = torch.cat((factories.sum(1), center), 1)
        trunk = torch.relu(self._trunk_1(observations, outlook[:, :1], sources))
        trunk = torch.relu(self.trunk_2(trunk))
        keys = torch.cat((self.factory_key(factories), self.center_key(center)[:, None]), 1)
        kinds = self._kinds(observations)
        rest = *self._tile(observations), outlook[:, 1:]
        return torch.cat((trunk, keys.reshape(batch, -1), kinds, *rest), 1)

    def logits(self, latent: Tensor) -> Tensor:
        """The logits of all actions from `latent`."""
        batch, sources = len(latent), self.num_factories + 1
        widths = [self.size.trunk, sources * self.size.key, sources * NUM_COLORS]
        trunk, keys, kinds, tile, lost = torch.split(
            latent, [*widths, self._tile_size, self._lost_size], 1
        )
        turns = self.turns(trunk).view(batch, NUM_COLORS * NUM_KINDS, NUM_DESTINATIONS)
        places = kinds.long()[:, :, None].expand(-1, -1, NUM_DESTINATIONS)
        by_offer = turns.gather(1, places).view(batch, sources, NUM_COLORS, NUM_DESTINATIONS)
        query = self.query(trunk).view(batch, NUM_COLORS, self.size.key)
        left = keys.reshape(batch, sources, self.size.key) @ query.transpose(1, 2)
        drafts = (by_offer + left[..., None]).flatten(1)
        if self._lost_size:
            drafts = drafts + self.sharpness(trunk) * lost
        if not self._num_columns:
            return drafts
        columns = self.columns(trunk).view(batch, TILE_SIZE, self._num_columns)
        return torch.cat((drafts, (tile[:, None] @ columns)[:, 0]), 1)

    def values(self, latent: Tensor) -> Tensor:
        """The values from `latent`."""
        return self.value_2(torch.relu(self.value_1(latent[:, : self.size.trunk])))[:, 0]

    @property
    def latent_size(self) -> int:
        """Numbers in `latent` for one observation."""
        of_sources = (self.num_factories + 1) * (self.size.key + NUM_COLORS)
        return self.size.trunk + of_sources + self._tile_size + self._lost_size

    @property
    def _tile_size(self) -> int:
        """Numbers in `latent` about the tile to be placed."""
        return TILE_SIZE if self._num_columns else 0

    def _tile(self, observations: Tensor) -> tuple[Tensor, ...]:
        """Line and color of the tile to be placed, as ones and zeros; nothing in a network of colored games."""
        if not self._num_columns:
            return ()
        start = self._tiling.start
        return (observations[:, start : start + TILE_SIZE],)

    def _offers(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Which kind of offer each factory, and the center, makes of each color, as ones and zeros."""
        counts = self._factory_counts(observations)[..., None]
        on_factories = counts == torch.arange(1, FACTORY_CAPACITY + 1)
        center = self._center_counts(observations)[..., None]
        in_center = center == torch.arange(1, CENTER_KINDS + 1)
        return on_factories.to(observations.dtype), in_center.to(observations.dtype)

    def _trunk_1(self, observations: Tensor, best: Tensor, sources: Tensor) -> Tensor:
        """The trunk's first layer, in two products: no gradient flows back to what is given."""
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

    def _kinds(self, observations: Tensor) -> Tensor:
        """The place of every offer (source, color) among all pairs (color, kind); of the first kind where none is."""
        factory_kinds = (self._factory_counts(observations) - 1).clamp(0)
        center_kinds = (self._center_counts(observations) - 1).clamp(0) + FACTORY_CAPACITY
        kinds = torch.cat((factory_kinds, center_kinds[:, None]), 1)
        return (kinds + NUM_KINDS * torch.arange(NUM_COLORS)).flatten(1)

    def _factory_counts(self, observations: Tensor) -> Tensor:
        counts = torch.round(observations[:, self._factories.slice] * self._factories.high[0])
        return counts.view(-1, self.num_factories, NUM_COLORS)

    def _center_counts(self, observations: Tensor) -> Tensor:
        counts = torch.round(observations[:, self._center.slice] * self._center.high[0])
        return counts.clamp(max=CENTER_KINDS)

    def _initialise(self) -> None:
        """Orthogonal weights as PPO likes them: the first policy is nearly uniform, the first values nearly 0."""
        small = {"turns": 0.01, "columns": 0.01, "sharpness": 0.01, "query": 0.1, "value_2": 0.1}
        for name, layer in self.named_children():
            if isinstance(layer, nn.Linear):
                nn.init.orthogonal_(layer.weight, gain=small.get(name, 2**0.5))
                nn.init.zeros_(layer.bias)


def _search_weights(num_players: int) -> NDArray[np.float32]:
    """A copy of the weights of the networks that the search comes with."""
    weights = shipped_networks(num_players)
    assert weights is not None  # the package has them for 2, 3 and 4 players
    return weights.copy()

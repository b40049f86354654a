"""The trained network as compiled code: logits and value of a position, without torch.

The same function as `azul_train.network.AzulNetwork`, which explains it. Here a layer is one matrix: the first row is the
bias, each other row the weights of one input. Most inputs are 0 (empty cells, inactive units), and their rows are
skipped. A single position and a batch run the same code, so results are bit-identical.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import VARIANTS
from azul_agents.neural.model_file import (
    CENTER_INPUTS,
    CENTER_KINDS,
    NUM_KINDS,
    PATTERNS,
    TILE_SIZE,
    Model,
)
from azul_agents.neural.patterns import pattern_layer, placed_layer
from azul_env.core.jit import array_kernel, kernel
from azul_env.core.spec import (
    FACTORY_CAPACITY,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLORS,
    NUM_DESTINATIONS,
)
from azul_env.observation import observation_parts, observation_size

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]

NUM_TABLES: Final = MAX_PLAYERS - MIN_PLAYERS + 1
PARTS: Final = [
    observation_parts(MIN_PLAYERS + table, variant)
    for variant in VARIANTS
    for table in range(NUM_TABLES)
]
# Where parts of the observation begin, by layout: the number of players above MIN_PLAYERS, colored games before gray ones.
FACTORIES: Final = np.array([parts["factories"].start for parts in PARTS])
CENTER: Final = np.array([parts["center"].start for parts in PARTS])
MARKER: Final = np.array([parts["marker_in_center"].start for parts in PARTS])
# The line to be tiled, and behind it the line's color; colored games have neither.
TILING: Final = np.array(
    [parts["tiling_line"].start if "tiling_line" in parts else 0 for parts in PARTS]
)
FACTORY_HIGH: Final = np.float32(PARTS[0]["factories"].high[0])  # the divisor of counts
CENTER_HIGH: Final = np.float32(PARTS[0]["center"].high[0])
SIZES: Final = np.array([sum(part.size for part in parts.values()) for parts in PARTS])
FIXED: Final = ("placed", "patterns")  # constant layers, not stored in files
AT_ONCE: Final = 4  # rows added in one pass, so that the sums stay in registers


class Layers(NamedTuple):
    """The layers by name, each (1 + inputs, outputs)."""

    factory: Matrix
    center: Matrix
    trunk_1: Matrix
    trunk_2: Matrix
    turns: Matrix
    query: Matrix
    factory_key: Matrix
    center_key: Matrix
    value_1: Matrix
    value_2: Matrix
    columns: Matrix  # without outputs in a model of colored games
    sharpness: Matrix  # without outputs in a model that sees no outlook
    placed: Matrix  # fixed, and without outputs in a model that sees no patterns
    patterns: Matrix


def layers_of(model: Model) -> Layers:
    """The layers of a model, transposed so that the weights of one input are contiguous."""

    def turned(name: str) -> Matrix:
        if f"{name}.bias" not in model.arrays:
            return np.zeros((1 + model.size["trunk"], 0), np.float32)
        bias, weight = model.arrays[f"{name}.bias"], model.arrays[f"{name}.weight"]
        return np.ascontiguousarray(np.vstack((bias[None], weight.T)), np.float32)

    game = model.num_players, model.variant
    fixed = [placed_layer(*game), pattern_layer(*game)]
    if not model.size.get(PATTERNS):
        fixed = [np.zeros((1 + observation_size(*game), 0), np.float32)]
        fixed += [np.zeros((1, 0), np.float32)]
    learned = [name for name in Layers._fields if name not in FIXED]
    return Layers(*(turned(name) for name in learned), *fixed)


@kernel
def _copy(source: Vector, target: Vector) -> None:
    """Copy all of source to where target begins. Assigning slices does the same, but takes Numba seconds to compile."""
    for place in range(len(source)):
        target[place] = source[place]


@array_kernel
def apply_layer(layer: Matrix, inputs: Vector, outputs: Vector) -> None:
    """Write the outputs of a layer, skipping the inputs that are 0."""
    active = np.empty(len(inputs), np.int64)
    count = 0
    for place in range(len(inputs)):
        active[count] = place
        count += inputs[place] != 0
    _copy(layer[0], outputs)
    whole = count - count % AT_ONCE
    for first in range(0, whole, AT_ONCE):
        a, b, c, d = active[first], active[first + 1], active[first + 2], active[first + 3]
        row_a, row_b, row_c, row_d = layer[1 + a], layer[1 + b], layer[1 + c], layer[1 + d]
        of_a, of_b, of_c, of_d = inputs[a], inputs[b], inputs[c], inputs[d]
        for place in range(len(outputs)):
            outputs[place] += (of_a * row_a[place] + of_b * row_b[place]) + (
                of_c * row_c[place] + of_d * row_d[place]
            )
    for last in range(whole, count):
        a = active[last]
        row_a, of_a = layer[1 + a], inputs[a]
        for place in range(len(outputs)):
            outputs[place] += of_a * row_a[place]


@kernel
def _relu(units: Vector) -> None:
    """ReLU, in place."""
    for place in range(len(units)):
        units[place] = max(units[place], np.float32(0))


@kernel
def _embed_factory(layer: Matrix, counts: Vector, embedded: Vector) -> None:
    """Write the embedding of one factory: the sum of one row for each color on it."""
    _copy(layer[0], embedded)
    for color in range(NUM_COLORS):
        tiles = _tiles(counts[color], FACTORY_HIGH)
        if tiles > 0:
            row = layer[FACTORY_CAPACITY * color + tiles]
            for place in range(len(embedded)):
                embedded[place] += row[place]
    _relu(embedded)


@kernel
def _tiles(observed: np.float32, high: np.float32) -> int:
    """The tile count that an observed number encodes."""
    return int(observed * high + np.float32(0.5))


@array_kernel
def _write_sources(
    layers: Layers, observation: Vector, layout: int, kinds: NDArray[np.int64], keys: Matrix
) -> Vector:
    """Write kinds and keys of all sources; return the trunk's inputs: the summed factory embeddings, and the center's.

    A kind is written as its index among all pairs (color, kind), the first kind where there are no tiles. `layout` is the
    index into the tables of offsets above.
    """
    source_size = layers.factory.shape[1]
    seen = np.zeros(2 * source_size, np.float32)
    factories = len(keys) - 1
    embedded = np.empty(source_size, np.float32)
    for factory in range(factories):
        start = FACTORIES[layout] + NUM_COLORS * factory
        counts = observation[start : start + NUM_COLORS]
        _embed_factory(layers.factory, counts, embedded)
        apply_layer(layers.factory_key, embedded, keys[factory])
        for place in range(source_size):
            seen[place] += embedded[place]
        for color in range(NUM_COLORS):
            tiles = _tiles(counts[color], FACTORY_HIGH)
            kinds[factory, color] = NUM_KINDS * color + max(tiles - 1, 0)
    inputs = np.zeros(CENTER_INPUTS, np.float32)
    center = observation[CENTER[layout] : CENTER[layout] + NUM_COLORS]
    _copy(center, inputs[CENTER_KINDS * NUM_COLORS :])
    inputs[-1] = observation[MARKER[layout]]
    for color in range(NUM_COLORS):
        tiles = min(_tiles(center[color], CENTER_HIGH), CENTER_KINDS)
        if tiles > 0:
            inputs[CENTER_KINDS * color + tiles - 1] = 1
        kinds[factories, color] = NUM_KINDS * color + FACTORY_CAPACITY + max(tiles - 1, 0)
    in_center = seen[source_size:]
    apply_layer(layers.center, inputs, in_center)
    _relu(in_center)
    apply_layer(layers.center_key, in_center, keys[factories])
    return seen


@array_kernel
def _write_trunk(
    layers: Layers,
    observation: Vector,
    start: int,
    stop: int,
    sources: Vector,
    outlook: Vector,
    trunk: Vector,
) -> None:
    """Write the trunk's output, which both heads share. The factories are `observation[start:stop]`.

    From the outlook, if there is one, the trunk gets the first number: the value of the best move.
    """
    rest = len(observation) - (stop - start)
    direct = rest + len(sources)
    placed = layers.placed.shape[1]
    found = placed + layers.patterns.shape[1]
    inputs = np.empty(layers.trunk_1.shape[0] - 1, np.float32)
    _copy(observation[:start], inputs)
    _copy(observation[stop:], inputs[start:])
    _copy(sources, inputs[rest:])
    seen = inputs[direct : direct + found]
    _copy(outlook[: len(inputs) - direct - found], inputs[direct + found :])
    apply_layer(layers.placed, observation, seen[:placed])
    _relu(seen[:placed])
    apply_layer(layers.patterns, seen[:placed], seen[placed:])
    _relu(seen[placed:])
    between = np.empty(len(trunk), np.float32)
    apply_layer(layers.trunk_1, inputs, between)
    _relu(between)
    apply_layer(layers.trunk_2, between, trunk)
    _relu(trunk)


@array_kernel
def _write_logits(
    layers: Layers, trunk: Vector, kinds: NDArray[np.int64], keys: Matrix, logits: Vector
) -> None:
    """Write the logits of all drafts, legal or not."""
    sources, key_size = keys.shape
    turns = np.empty(layers.turns.shape[1], np.float32)
    query = np.empty(layers.query.shape[1], np.float32)
    apply_layer(layers.turns, trunk, turns)
    apply_layer(layers.query, trunk, query)
    action = 0
    for source in range(sources):
        for color in range(NUM_COLORS):
            left = np.float32(0)
            for place in range(key_size):
                left += keys[source, place] * query[key_size * color + place]
            turn = NUM_DESTINATIONS * kinds[source, color]
            for destination in range(NUM_DESTINATIONS):
                logits[action] = turns[turn + destination] + left
                action += 1


@array_kernel
def _add_outlook(layers: Layers, trunk: Vector, lost: Vector, logits: Vector) -> None:
    """Add to each draft's logit what it loses against the best one, times a sharpness computed by the trunk."""
    sharpness = np.empty(1, np.float32)
    apply_layer(layers.sharpness, trunk, sharpness)
    for action in range(len(lost)):
        logits[action] += sharpness[0] * lost[action]


@array_kernel
def _write_columns(layers: Layers, trunk: Vector, tile: Vector, logits: Vector) -> None:
    """Write the logits of all columns for a tile: the sums of those for its line and its color; 0 if there is none."""
    columns = np.empty(layers.columns.shape[1], np.float32)
    for column in range(len(logits)):
        logits[column] = 0
    if not tile.any():
        return
    apply_layer(layers.columns, trunk, columns)
    for place in range(len(tile)):
        if tile[place] != 0:
            for column in range(len(logits)):
                logits[column] += columns[len(logits) * place + column]


@array_kernel
def _value(layers: Layers, trunk: Vector) -> np.float32:
    """The value head: the expected return of the position."""
    units = np.empty(layers.value_1.shape[1], np.float32)
    value = np.empty(1, np.float32)
    apply_layer(layers.value_1, trunk, units)
    _relu(units)
    apply_layer(layers.value_2, units, value)
    return value[0]


@array_kernel
def write_forward(layers: Layers, inputs: Vector, logits: Vector) -> np.float32:
    """Write the logits of one observation, with its outlook appended if the model has one, and return its value."""
    sources = len(logits) // (NUM_COLORS * NUM_DESTINATIONS)
    players = (sources - 2) // 2  # R1: two factories for each player and one more, and the center
    drafts = sources * NUM_COLORS * NUM_DESTINATIONS
    layout = players - MIN_PLAYERS + (NUM_TABLES if len(logits) > drafts else 0)
    observation, outlook = inputs[: SIZES[layout]], inputs[SIZES[layout] :]
    start = FACTORIES[layout]
    stop = start + NUM_COLORS * (sources - 1)
    kinds = np.empty((sources, NUM_COLORS), np.int64)
    keys = np.empty((sources, layers.factory_key.shape[1]), np.float32)
    trunk = np.empty(layers.trunk_2.shape[1], np.float32)
    of_sources = _write_sources(layers, observation, layout, kinds, keys)
    _write_trunk(layers, observation, start, stop, of_sources, outlook, trunk)
    _write_logits(layers, trunk, kinds, keys, logits)
    if len(outlook) > 0:
        _add_outlook(layers, trunk, outlook[1:], logits)
    if len(logits) > drafts:
        tile = observation[TILING[layout] : TILING[layout] + TILE_SIZE]
        _write_columns(layers, trunk, tile, logits[drafts:])
    return _value(layers, trunk)


@kernel
def write_batch(
    layers: Layers, inputs: Matrix, logits: Matrix, values: Vector, first: int, last: int
) -> None:
    """Write logits and values of many observations, with outlooks if the model sees them."""
    for place in range(first, last):
        values[place] = write_forward(layers, inputs[place], logits[place])


def logits_and_values(
    layers: Layers, inputs: NDArray[Any], num_actions: int
) -> tuple[Matrix, Vector]:
    """Logits (batch, actions), legal or not, and values (batch,) of float32 inputs (batch, size)."""
    inputs = np.ascontiguousarray(inputs, np.float32)
    logits = np.empty((len(inputs), num_actions), np.float32)
    values = np.empty(len(inputs), np.float32)
    write_batch(layers, inputs, logits, values, 0, len(inputs))
    return logits, values

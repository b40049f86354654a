"""Models as ONNX files, for runtimes other than ours.

The same function as `azul_train.network.AzulNetwork`, which explains it, built node by node from the arrays of a model.

| name          | shape            | meaning                                                         |
|---------------|------------------|-----------------------------------------------------------------|
| `observation` | (batch, size)    | input, float32: `azul_env.observe` or what an environment gives; for a model that sees outlooks, `NeuralPolicy.inputs.of(rows)` |
| `logits`      | (batch, actions) | output: of all actions, legal or not; mask them before use      |
| `value`       | (batch,)         | output: the expected return                                     |
"""

# onnx is an optional dependency, not installed where the type checkers run.
# pyright: reportMissingImports=false

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from azul_agents.neural.model_file import (
    CENTER_KINDS,
    NUM_KINDS,
    OUTLOOK,
    PATTERNS,
    TILE_SIZE,
    Model,
)
from azul_agents.neural.outlook import outlook_size
from azul_agents.neural.patterns import pattern_layer, placed_layer
from azul_env import FACTORY_CAPACITY, NUM_COLORS, NUM_DESTINATIONS, num_actions, num_factories
from azul_env.files import atomic_file
from azul_env.observation import observation_parts, observation_size
from azul_env.observation.layout import Part

OPSET: Final = 17
IR_VERSION: Final = 8  # that of OPSET, for older runtimes
OBSERVATION: Final = "observation"


class _Graph:
    """Nodes and constants; each method adds one node and returns the name of its output."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.nodes: list[Any] = []
        self.constants = [numpy_helper.from_array(array, name) for name, array in arrays.items()]

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node of any operator."""
        output = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        """An array that is the same for all inputs."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def reshape(self, value: str, *shape: int) -> str:
        """A value in another shape; 0 keeps a dimension, -1 is inferred."""
        return self.add("Reshape", value, self.constant(shape, np.int64))

    def layer(self, name: str, value: str) -> str:
        """A linear layer of the model, over the last axis."""
        weight = self.add("Transpose", f"{name}.weight", perm=[1, 0])
        return self.add("Add", self.add("MatMul", value, weight), f"{name}.bias")

    def relu_layer(self, name: str, value: str) -> str:
        """A linear layer with ReLU."""
        return self.add("Relu", self.layer(name, value))

    def fixed_layer(self, matrix: NDArray[np.float32], value: str) -> str:
        """A layer with ReLU that is the same for every model; the first row is the bias."""
        product = self.add("MatMul", value, self.constant(matrix[1:]))
        return self.add("Relu", self.add("Add", product, self.constant(matrix[0])))

    def part(self, start: int, stop: int) -> str:
        """Columns of the observation."""
        bounds = (self.constant([number], np.int64) for number in (start, stop, 1))
        return self.add("Slice", OBSERVATION, *bounds)

    def counts(self, part: Part) -> str:
        """A part of the observation as numbers of tiles."""
        scaled = self.add("Mul", self.part(part.start, part.stop), self.constant(part.high[0]))
        return self.add("Round", scaled)

    def one_hot(self, counts: str, kinds: int) -> str:
        """Ones where a count is 1, 2, ... `kinds`, on a new last axis."""
        column = self.add("Unsqueeze", counts, self.constant([-1], np.int64))
        is_kind = self.add("Equal", column, self.constant(range(1, kinds + 1)))
        return self.add("Cast", is_kind, to=onnx.TensorProto.FLOAT)

    def kinds(self, counts: str, first: int) -> str:
        """The index of each count among the kinds of its color, from `first` on; `first` where there are no tiles."""
        from_0 = self.add("Max", self.add("Sub", counts, self.constant(1)), self.constant(0))
        return self.add("Add", from_0, self.constant(first))


def onnx_model(model: Model) -> onnx.ModelProto:
    """A model as an ONNX graph, checked."""
    learned = {name: array for name, array in model.arrays.items() if name != OUTLOOK}
    graph = _Graph(learned)
    parts = observation_parts(model.num_players, model.variant)
    on_factories = graph.reshape(
        graph.counts(parts["factories"]), 0, num_factories(model.num_players), NUM_COLORS
    )
    in_center = graph.add("Min", graph.counts(parts["center"]), graph.constant(CENTER_KINDS))
    factories, center = _sources(graph, parts, on_factories, in_center)
    trunk = _trunk(graph, parts["factories"], model, factories, center)
    keys = (
        graph.layer("factory_key", factories),
        graph.reshape(graph.layer("center_key", center), 0, 1, -1),
    )
    kinds = (
        graph.kinds(on_factories, 0),
        graph.reshape(graph.kinds(in_center, FACTORY_CAPACITY), 0, 1, NUM_COLORS),
    )
    logits = _logits(
        graph, trunk, graph.add("Concat", *keys, axis=1), graph.add("Concat", *kinds, axis=1)
    )
    if model.size.get(OUTLOOK):
        end = observation_size(model.num_players)
        lost = graph.part(end + 1, end + outlook_size(model.num_players))
        scaled = graph.add("Mul", graph.layer("sharpness", trunk), lost)
        logits = graph.add("Add", logits, scaled)
    if "columns.bias" in model.arrays:
        columns = _column_logits(graph, parts, trunk)
        logits = graph.add("Concat", logits, columns, axis=1)
    value = graph.reshape(graph.layer("value_2", graph.relu_layer("value_1", trunk)), -1)
    return _checked(graph, model, logits, value)


def write_onnx(path: Path, model: Model) -> None:
    """Write a model as an ONNX file, atomically."""
    content = onnx_model(model).SerializeToString()
    with atomic_file(path) as file:
        file.write(content)


def _sources(
    graph: _Graph, parts: dict[str, Part], on_factories: str, in_center: str
) -> tuple[str, str]:
    """The embeddings of the factories (batch, factories, width) and of the center (batch, width)."""
    offers = graph.reshape(
        graph.one_hot(on_factories, FACTORY_CAPACITY), 0, 0, NUM_COLORS * FACTORY_CAPACITY
    )
    center_inputs = (
        graph.reshape(graph.one_hot(in_center, CENTER_KINDS), 0, -1),
        graph.part(parts["center"].start, parts["center"].stop),
        graph.part(parts["marker_in_center"].start, parts["marker_in_center"].stop),
    )
    center = graph.add("Concat", *center_inputs, axis=1)
    return graph.relu_layer("factory", offers), graph.relu_layer("center", center)


def _trunk(graph: _Graph, part: Part, model: Model, factories: str, center: str) -> str:
    """The trunk's output, which both heads share."""
    end = observation_size(model.num_players, model.variant)
    inputs = [
        graph.part(0, part.start),
        graph.part(part.stop, end),
        graph.add("ReduceSum", factories, graph.constant([1], np.int64), keepdims=0),
        center,
    ]
    if model.size.get(PATTERNS):
        game = model.num_players, model.variant
        placed = graph.fixed_layer(placed_layer(*game), graph.part(0, end))
        inputs += [placed, graph.fixed_layer(pattern_layer(*game), placed)]
    if model.size.get(OUTLOOK):
        inputs.append(graph.part(end, end + 1))  # the value of the best move
    joined = graph.add("Concat", *inputs, axis=1)
    return graph.relu_layer("trunk_2", graph.relu_layer("trunk_1", joined))


def _logits(graph: _Graph, trunk: str, keys: str, kinds: str) -> str:
    """The logits of all actions, from keys (batch, sources, key) and kinds (batch, sources, color)."""
    turns = graph.reshape(graph.layer("turns", trunk), 0, NUM_COLORS * NUM_KINDS, NUM_DESTINATIONS)
    firsts = graph.constant([NUM_KINDS * color for color in range(NUM_COLORS)])
    index = graph.add("Cast", graph.add("Add", kinds, firsts), to=onnx.TensorProto.INT64)
    wide = graph.add(
        "Expand",
        graph.reshape(index, 0, -1, 1),
        graph.constant([1, 1, NUM_DESTINATIONS], np.int64),
    )
    by_offer = graph.add("GatherElements", turns, wide, axis=1)
    query = graph.reshape(graph.layer("query", trunk), 0, NUM_COLORS, -1)
    left = graph.add("MatMul", keys, graph.add("Transpose", query, perm=[0, 2, 1]))
    return graph.reshape(graph.add("Add", by_offer, graph.reshape(left, 0, -1, 1)), 0, -1)


def _column_logits(graph: _Graph, parts: dict[str, Part], trunk: str) -> str:
    """The logits of all columns for the tile to be placed (batch, columns); 0 if there is none."""
    start = parts["tiling_line"].start
    tile = graph.reshape(graph.part(start, start + TILE_SIZE), 0, 1, TILE_SIZE)
    columns = graph.reshape(graph.layer("columns", trunk), 0, TILE_SIZE, -1)
    return graph.reshape(graph.add("MatMul", tile, columns), 0, -1)


def _checked(graph: _Graph, model: Model, logits: str, value: str) -> onnx.ModelProto:
    """The graph with names for its outputs, and the model's card."""
    for name, output in (("logits", logits), ("value", value)):
        graph.nodes.append(helper.make_node("Identity", [output], [name]))
    size = observation_size(model.num_players, model.variant)
    if model.size.get(OUTLOOK):
        size += outlook_size(model.num_players)
    shapes = {
        OBSERVATION: ["batch", size],
        "logits": ["batch", num_actions(model.num_players, model.variant)],
        "value": ["batch"],
    }
    observation, *outputs = (
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    )
    body = helper.make_graph(graph.nodes, "azul", [observation], outputs, graph.constants)
    built = helper.make_model(
        body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    helper.set_model_props(built, {"card": json.dumps(model.card)})
    onnx.checker.check_model(built, full_check=True)
    return built

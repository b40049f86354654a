"""Files of trained networks: plain arrays in an .npz, and beside them what they were trained on. No code inside.

A file is read in this order: the directory, `meta`, the headers of the arrays, which must be those that `meta` asks for,
and only then the arrays (`array_file`).
"""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_agents.array_file import UNREADABLE, array_in, header_in, members_of, open_archive
from azul_agents.base import VARIANTS
from azul_agents.kinds import MAX_NETWORK_WIDTH
from azul_agents.neural.patterns import num_patterns
from azul_agents.search.network.layers import FIRST_OFFER, NUM_WEIGHTS, with_offers
from azul_env import brief, num_actions, observation_layout, shown
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, NUM_DESTINATIONS, NUM_LINES
from azul_env.files import atomic_file, open_regular, parse_json
from azul_env.observation import observation_parts, observation_size

FORMAT: Final = 1
SIZES: Final = ("trunk", "source", "key", "value")  # widths that a model is free to choose
# Also in a size: 1 if the trunk sees patterns, and if the network has an outlook. Older files lack them.
SIGHTS: Final = ("patterns", "outlook")
PATTERNS, OUTLOOK = SIGHTS
EARLIER_OUTLOOK: Final = (FIRST_OFFER,)  # the shape of search networks without offers
VARIANT_KEY: Final = "variant"  # in `meta`; files of colored games do not have it
COLORED: Final = VARIANTS[0]
CENTER_KINDS: Final = 6  # one to five tiles of a color in the center, and six or more
NUM_KINDS: Final = FACTORY_CAPACITY + CENTER_KINDS
CENTER_INPUTS: Final = NUM_COLORS * (CENTER_KINDS + 1) + 1  # kinds, counts, and the marker
TILE_SIZE: Final = NUM_LINES + NUM_COLORS  # of the tile to be placed: its line and its color

MAX_META_BYTES: Final = 1 << 20  # of `meta`, four per letter; that of the packaged models has 10 kB

Arrays = dict[str, NDArray[np.float32]]


class ModelFileError(ValueError):
    """A file that holds no network which can play here; the message says what is wrong with it."""


class Model(NamedTuple):
    """What a file holds."""

    num_players: int
    size: dict[str, int]
    arrays: Arrays  # weights (outputs, inputs) and biases, by the names that the network gives them
    card: dict[str, Any]  # where the model comes from and how well it plays
    variant: str = COLORED  # of the game that it plays


def write_model(path: Path, model: Model) -> None:
    """Write a file atomically."""
    meta = {
        "format": FORMAT,
        "num_players": model.num_players,
        "size": model.size,
        "observation_layout": layout_as_json(model.num_players, model.variant),
        "card": model.card,
    }
    if model.variant != COLORED:
        meta[VARIANT_KEY] = model.variant
    _check_arrays(model)
    contents: dict[str, Any] = {"meta": np.array(json.dumps(meta)), **model.arrays}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        np.savez_compressed(file, **contents)


def read_model(path: Path) -> Model:
    """The network in a file. Raises ModelFileError, which names the file and what is wrong with it."""
    try:
        with open_regular(path) as file, open_archive(file) as archive:
            return _read(archive)
    except FileNotFoundError:
        raise ModelFileError(f"{path}: there is no such file") from None
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except UNREADABLE as error:
        why = brief(error)
        raise ModelFileError(f"{path}: not a model written by `azul export` ({why})") from None


def layout_as_json(num_players: int, variant: str = COLORED) -> list[list[Any]]:
    """The layout of the observation as JSON has it: name, start, shape and high of every part."""
    return [
        [part.name, part.start, list(part.shape), list(part.high)]
        for part in observation_layout(num_players, variant)
    ]


def array_shapes(
    num_players: int, size: Mapping[str, int], variant: str = COLORED
) -> dict[str, tuple[int, ...]]:
    """The arrays that a network of this size consists of."""
    trunk, source, key, value = (size[name] for name in SIZES)
    factories = observation_parts(num_players, variant)["factories"]
    seen_directly = observation_size(num_players, variant) - factories.size
    if size.get(PATTERNS):
        seen_directly += num_patterns(num_players, variant)
    if size.get(OUTLOOK):
        seen_directly += 1  # the value of the best move
    layers = {
        "factory": (source, NUM_COLORS * FACTORY_CAPACITY),
        "center": (source, CENTER_INPUTS),
        "trunk_1": (trunk, seen_directly + 2 * source),
        "trunk_2": (trunk, trunk),
        "turns": (NUM_COLORS * NUM_KINDS * NUM_DESTINATIONS, trunk),
        "query": (NUM_COLORS * key, trunk),
        "factory_key": (key, source),
        "center_key": (key, source),
        "value_1": (value, trunk),
        "value_2": (1, value),
    }
    columns = num_columns(num_players, variant)
    if columns:
        layers["columns"] = (TILE_SIZE * columns, trunk)
    shapes: dict[str, tuple[int, ...]] = {}
    if size.get(OUTLOOK):
        layers["sharpness"] = (1, trunk)
        shapes[OUTLOOK] = (NUM_WEIGHTS,)
    for name, (outputs, inputs) in layers.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    return shapes


def num_columns(num_players: int, variant: str) -> int:
    """Number of actions that place a tile; none in colored games."""
    return num_actions(num_players, variant) - num_actions(num_players)


def _read(archive: zipfile.ZipFile) -> Model:
    """The model in an archive. Nothing is read that `meta` does not ask for."""
    members = members_of(archive)
    if "meta" not in members:
        raise ModelFileError("not a model: it has no `meta`")
    model = _model_of(_meta_in(archive, members.pop("meta")))
    shapes = array_shapes(model.num_players, model.size, model.variant)
    _check_names(shapes, members)
    for name, shape in shapes.items():
        found, dtype = header_in(archive, members[name])
        if name == OUTLOOK and found == EARLIER_OUTLOOK:
            found = shape
        _check_array(name, found, dtype, shape)
    for name in shapes:
        model.arrays[name] = array_in(archive, members[name])
    if OUTLOOK in shapes:
        model.arrays[OUTLOOK] = with_offers(model.arrays[OUTLOOK])
    _check_arrays(model)
    return model


def _meta_in(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    """The text of `meta`."""
    shape, dtype = header_in(archive, member)
    if shape or dtype.kind != "U" or dtype.itemsize > MAX_META_BYTES:
        raise ModelFileError(
            f"not a model: its `meta` is {brief(dtype)} {shown(shape)}, not a text"
        )
    return str(array_in(archive, member))


def _model_of(text: str) -> Model:
    """The model that `meta` describes, still without arrays."""
    try:
        meta = parse_json(text)
        written, num_players, size = meta["format"], meta["num_players"], meta["size"]
        layout, card = meta["observation_layout"], dict(meta["card"])
        variant = meta.get(VARIANT_KEY, COLORED)
    except (ValueError, KeyError, TypeError) as error:
        raise ModelFileError(f"its `meta` cannot be read ({brief(repr(error))})") from None
    if written != FORMAT:
        raise ModelFileError(
            f"it is of format {shown(written)}; this version reads format {FORMAT}"
        )
    if type(num_players) is not int or num_players not in (2, 3, 4):
        raise ModelFileError(
            f"it is for {shown(num_players)} players; there are games of 2, 3 and 4"
        )
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise ModelFileError(
            f"it is for the variant {shown(variant)}; there are {' and '.join(VARIANTS)}"
        )
    if layout != layout_as_json(num_players, variant):
        raise ModelFileError(
            "it was trained on another layout of the observation than this version has; train it again"
        )
    if not isinstance(size, dict) or sorted({*size} - {*SIGHTS}) != sorted(SIZES):
        raise ModelFileError(f"its size is {shown(size)}; it must give {', '.join(SIZES)}")
    for name in SIGHTS:
        if size.get(name, 0) not in (0, 1):
            raise ModelFileError(f"its size is {shown(size)}; {name} must be 0 or 1")
    if size.get(OUTLOOK) and variant != COLORED:
        raise ModelFileError(f"it sees an outlook, which there is only for {COLORED} games")
    widths = [size[name] for name in SIZES]
    if not all(type(width) is int and 0 < width <= MAX_NETWORK_WIDTH for width in widths):
        raise ModelFileError(
            f"its size is {shown(size)}; "
            f"all widths must be whole numbers above 0 and at most {MAX_NETWORK_WIDTH:,}"
        )
    return Model(num_players, size, {}, card, variant)


def _check_names(shapes: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    if sorted(shapes) != sorted(arrays):
        different = ", ".join(sorted(set(shapes) ^ set(arrays)))
        raise ModelFileError(f"its arrays are not those of the network: see {brief(different)}")


def _check_array(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], expected: tuple[int, ...]
) -> None:
    if shape != expected or dtype != np.float32:
        raise ModelFileError(
            f"its array {name} is {brief(dtype)} {shown(shape)}, not float32 {expected}"
        )


def _check_arrays(model: Model) -> None:
    """Raise ModelFileError unless the arrays are those of a network of the model's size."""
    shapes = array_shapes(model.num_players, model.size, model.variant)
    _check_names(shapes, model.arrays)
    for name, shape in shapes.items():
        array = model.arrays[name]
        _check_array(name, array.shape, array.dtype, shape)
        if not np.isfinite(array).all():
            raise ModelFileError(f"its array {name} holds numbers that are not finite")

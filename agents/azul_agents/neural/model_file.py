"""Files of trained networks: plain arrays in an .npz, and beside them what they were trained on. No code inside."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_env import observation_layout
from azul_env.core.spec import FACTORY_CAPACITY, NUM_COLORS, NUM_DESTINATIONS
from azul_env.files import atomic_file
from azul_env.observation import observation_parts, observation_size

FORMAT: Final = 1
SIZES: Final = ("trunk", "source", "key", "value")  # widths that a model is free to choose
CENTER_KINDS: Final = 6  # one to five tiles of a color in the center, and six or more
NUM_KINDS: Final = FACTORY_CAPACITY + CENTER_KINDS
CENTER_INPUTS: Final = NUM_COLORS * (CENTER_KINDS + 1) + 1  # kinds, counts, and the marker

# What NumPy and zipfile raise on files that are damaged or something else (RuntimeError: encrypted, or unknown flags).
UNREADABLE: Final = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error
)  # fmt: skip

Arrays = dict[str, NDArray[np.float32]]


class ModelFileError(ValueError):
    """A file that holds no network which can play here; the message says what is wrong with it."""


class Model(NamedTuple):
    """What a file holds."""

    num_players: int
    size: dict[str, int]
    arrays: Arrays  # weights (outputs, inputs) and biases, by the names that the network gives them
    card: dict[str, Any]  # where the model comes from and how well it plays


def write_model(path: Path, model: Model) -> None:
    """Write a file that is complete or what it was before."""
    meta = {
        "format": FORMAT,
        "num_players": model.num_players,
        "size": model.size,
        "observation_layout": layout_as_json(model.num_players),
        "card": model.card,
    }
    _check_arrays(model)
    contents: dict[str, Any] = {"meta": np.array(json.dumps(meta)), **model.arrays}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        np.savez_compressed(file, **contents)


def read_model(path: Path) -> Model:
    """The network in a file. Raises ModelFileError, which names the file and what is wrong with it."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            damaged = archive.zip.testzip()  # NumPy stops reading before the sum is checked
            if damaged:
                raise ValueError(f"{damaged} is damaged")
            contents = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise ModelFileError(f"{path}: there is no such file") from None
    except TypeError:  # NumPy gave one array, which is no archive
        raise ModelFileError(f"{path}: not a model: it is a single array") from None
    except UNREADABLE as error:
        raise ModelFileError(f"{path}: not a model written by `azul export` ({error})") from None
    try:
        model = _model_of(contents)
        _check_arrays(model)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    return model


def layout_as_json(num_players: int) -> list[list[Any]]:
    """The layout of the observation as JSON has it: name, start, shape and high of every part."""
    return [
        [part.name, part.start, list(part.shape), list(part.high)]
        for part in observation_layout(num_players)
    ]


def array_shapes(num_players: int, size: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The arrays that a network of this size consists of."""
    trunk, source, key, value = (size[name] for name in SIZES)
    seen_directly = observation_size(num_players) - observation_parts(num_players)["factories"].size
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
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (outputs, inputs) in layers.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    return shapes


def _model_of(contents: dict[str, NDArray[Any]]) -> Model:
    """The model that the arrays of a file describe, as far as its `meta` is right."""
    if "meta" not in contents:
        raise ModelFileError("not a model: it has no `meta`")
    try:
        meta = json.loads(str(contents.pop("meta")))
        written, num_players, size = meta["format"], meta["num_players"], meta["size"]
        layout, card = meta["observation_layout"], dict(meta["card"])
    except (ValueError, KeyError, TypeError) as error:
        raise ModelFileError(f"its `meta` cannot be read ({error!r})") from None
    if written != FORMAT:
        raise ModelFileError(f"it is of format {written}; this version reads format {FORMAT}")
    if num_players not in (2, 3, 4):
        raise ModelFileError(f"it is for {num_players!r} players; there are games of 2, 3 and 4")
    if layout != layout_as_json(num_players):
        raise ModelFileError(
            "it was trained on another layout of the observation than this version has; train it again"
        )
    if not isinstance(size, dict) or sorted(size) != sorted(SIZES):
        raise ModelFileError(f"its size is {size!r}; it must give {', '.join(SIZES)}")
    if not all(isinstance(width, int) and width > 0 for width in size.values()):
        raise ModelFileError(f"its size is {size!r}; all widths must be whole numbers above 0")
    return Model(num_players, size, contents, card)


def _check_arrays(model: Model) -> None:
    """Raise ModelFileError unless the arrays are those of a network of the model's size."""
    shapes = array_shapes(model.num_players, model.size)
    if sorted(shapes) != sorted(model.arrays):
        different = ", ".join(sorted(set(shapes) ^ set(model.arrays)))
        raise ModelFileError(f"its arrays are not those of the network: see {different}")
    for name, shape in shapes.items():
        array = model.arrays[name]
        if array.shape != shape or array.dtype != np.float32:
            raise ModelFileError(
                f"its array {name} is {array.dtype} {array.shape}, not float32 {shape}"
            )
        if not np.isfinite(array).all():
            raise ModelFileError(f"its array {name} holds numbers that are not finite")

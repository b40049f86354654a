"""Convert networks to and from model files, which need no torch to play."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from azul_agents.neural.agent import model_path
from azul_agents.neural.model_file import (
    OUTLOOK,
    PATTERNS,
    SIGHTS,
    Model,
    ModelFileError,
    read_model,
    write_model,
)
from azul_train.config import NetworkSize, TrainConfig
from azul_train.network import AzulNetwork

_NAMES = {PATTERNS: "patterns", OUTLOOK: "an outlook"}


def export_network(network: AzulNetwork, path: Path, card: Mapping[str, Any]) -> None:
    """Write a network as a file for the agent `neural`, with a model card (plain data)."""
    write_model(path, model_of(network, card))


def model_of(network: AzulNetwork, card: Mapping[str, Any]) -> Model:
    """A network as NumPy arrays."""
    arrays = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
    size = asdict(network.size)
    return Model(network.num_players, size, arrays, dict(card), network.variant)


def load_network(path: Path) -> AzulNetwork:
    """The network in a model file, for further training. Raises ModelFileError."""
    model = read_model(path)
    size = NetworkSize(**model.size)  # older files have no patterns or outlook
    network = AzulNetwork(model.num_players, size, model.variant)
    network.load_state_dict({name: torch.tensor(a) for name, a in model.arrays.items()})
    return network


def load_start(config: TrainConfig, network: AzulNetwork) -> None:
    """Load the weights of the model that a run starts from, if its config names one. Raises ModelFileError."""
    if config.start is not None:
        with model_path(config.start, config.num_players, config.variant) as path:
            copy_weights(path, network)


def copy_weights(path: Path, network: AzulNetwork) -> None:
    """Load the weights of a model file into a network; those of patterns or an outlook that the model lacks become 0.

    Raises ModelFileError, a ValueError, in one line.
    """
    model = read_model(path)
    size = asdict(network.size)
    if model.variant != network.variant:
        raise ModelFileError(
            f"{path}: a network for the variant {model.variant!r}; this run needs one for {network.variant!r}"
        )
    unseen = dict.fromkeys(SIGHTS, 0)
    if model.num_players != network.num_players or size | model.size | unseen != size | unseen:
        raise ModelFileError(
            f"{path}: a network for {model.num_players} players of size {model.size}; this run needs one for "
            f"{network.num_players} players of size {size}"
        )
    for sight in SIGHTS:
        if model.size.get(sight, 0) > size[sight]:
            raise ModelFileError(f"{path}: it sees {_NAMES[sight]}: set network.{sight} to 1")
    if model.size.get(OUTLOOK) and model.size.get(PATTERNS, 0) < size[PATTERNS]:
        raise ModelFileError(
            f"{path}: it sees an outlook, but no patterns: set network.patterns to 0"
        )
    with torch.no_grad():
        for name, weights in network.state_dict().items():
            if name == OUTLOOK and name not in model.arrays:
                continue  # keep the weights of the search
            weights.zero_()
            if name in model.arrays:
                array = torch.tensor(model.arrays[name])
                weights[tuple(slice(length) for length in array.shape)] = array

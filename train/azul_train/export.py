"""Convert networks to and from model files, which need no torch to play."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from azul_agents.neural.model_file import PATTERNS, Model, read_model, write_model
from azul_train.config import NetworkSize
from azul_train.network import AzulNetwork


def export_network(network: AzulNetwork, path: Path, card: Mapping[str, Any]) -> None:
    """Write a network as a file for the agent `neural`, with a model card (plain data)."""
    write_model(path, model_of(network, card))


def model_of(network: AzulNetwork, card: Mapping[str, Any]) -> Model:
    """A network as NumPy arrays."""
    arrays = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
    return Model(network.num_players, asdict(network.size), arrays, dict(card))


def load_network(path: Path) -> AzulNetwork:
    """The network in a model file, for further training. Raises ModelFileError."""
    model = read_model(path)
    network = AzulNetwork(model.num_players, NetworkSize(**({PATTERNS: 0} | model.size)))
    network.load_state_dict({name: torch.tensor(a) for name, a in model.arrays.items()})
    return network

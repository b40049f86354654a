"""Networks for tests: random weights, made without torch."""

import numpy as np

from azul_agents.neural.model_file import Model, array_shapes

SMALL = {"trunk": 24, "source": 12, "key": 4, "value": 8}


def random_model(
    num_players: int, seed: int = 1, size: dict[str, int] = SMALL, variant: str = "colored"
) -> Model:
    """A network whose weights keep the numbers that go through it at about their size."""
    rng = np.random.Generator(np.random.PCG64(seed))
    arrays = {
        name: (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in array_shapes(num_players, size, variant).items()
    }
    return Model(num_players, size, arrays, {"config": "none: random weights"}, variant)

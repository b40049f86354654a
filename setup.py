"""The packages and where they are; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

LAYERS = {
    "azul_env": "azul_env",
    "azul_agents": "agents/azul_agents",
    "azul_train": "train/azul_train",
    "azul_ui": "ui/azul_ui",
}
# Found by name, as in `azul train --config quick`.
CONFIGS = {
    "azul_agents.configs": "configs",
    "azul_agents.configs.train": "configs/train",
    "azul_agents.configs.train_search": "configs/train_search",
    "azul_agents.configs.tournament": "configs/tournament",
}

setup(
    packages=[
        *(
            package
            for layer, folder in LAYERS.items()
            for package in find_packages(
                folder.removesuffix(layer) or ".", include=[layer, f"{layer}.*"]
            )
        ),
        *CONFIGS,
    ],
    package_dir=LAYERS | CONFIGS,
)

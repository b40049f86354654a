"""The public names of each package: listed once, documented, imported on first use."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = [str(ROOT / layer) for layer in ("", "agents", "train", "ui")]
PACKAGES = ["azul_env", "azul_agents", "azul_train"]
NAMES = [
    (package, name) for package in PACKAGES for name in importlib.import_module(package).__all__
]


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_public_name__resolves_and_is_documented(package: str, name: str) -> None:
    value = getattr(importlib.import_module(package), name)
    if inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize("package", PACKAGES)
def test_dir__is_what_is_public(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        getattr(module, name)  # imports submodules, which must not show
    listed = [name for name in dir(module) if not name.startswith("__")]
    assert listed == module.__all__ == sorted(set(module.__all__))


@pytest.mark.parametrize("package", PACKAGES)
def test_unknown_name__is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = importlib.import_module(package).nothing
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec(f"from {package} import nothing")


@pytest.mark.parametrize("package", PACKAGES)
def test_import_of_a_package__loads_no_compiler_and_no_learning_library(package: str) -> None:
    heavy = "{'numba', 'torch', 'stable_baselines3', 'ray', 'matplotlib'}"
    code = f"import sys, {package}; sys.exit(', '.join({heavy} & set(sys.modules)) or None)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert run.returncode == 0


def test_import_of_the_engine__registers_its_environments() -> None:
    code = (
        "import gymnasium, azul_env; gymnasium.spec('Azul-v0'); gymnasium.spec('AzulSelfPlay-v0')"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)

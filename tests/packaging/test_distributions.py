"""What a wheel and an sdist hold: the packages, and the configs from the folder `configs`."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGS = sorted(path.relative_to(ROOT / "configs") for path in (ROOT / "configs").rglob("*.yaml"))
NEEDED = ["pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "Makefile"]
LAYERS = ["azul_env", "agents", "train", "ui", "configs", "tests"]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    """An sdist, and the wheel that is built from it."""
    pytest.importorskip("build.__main__")  # a folder `build` can be imported, too
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    for name in NEEDED:
        shutil.copy(ROOT / name, tree)
    for name in LAYERS:
        skipped = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, tree / name, ignore=skipped)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(tree)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return out


def test_wheel__has_every_module_and_the_configs(distributions):
    (wheel,) = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"azul_agents/configs/{path.as_posix()}" for path in CONFIGS} <= names
    for folder in ("azul_env", "agents/azul_agents", "train/azul_train", "ui/azul_ui"):
        package = ROOT / folder
        modules = {path.relative_to(package.parent).as_posix() for path in package.rglob("*.py")}
        assert modules <= names
    assert not [name for name in names if name.startswith(("tests/", "configs/"))]


def test_sdist__has_what_is_needed_to_test(distributions):
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {f"configs/{path.as_posix()}" for path in CONFIGS} <= names
    assert {"tests/conftest.py", "tests/reference/engine.py", "Makefile", "setup.py"} <= names

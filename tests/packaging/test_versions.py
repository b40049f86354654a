"""The versions of dependencies: what pyproject.toml admits, what the constraints pin, and what is installed."""

import re
import sysconfig
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from packaging_version import version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# The project, what `python -m venv` installs, and what only torch's builds for graphics cards depend on.
NOT_PINNED = r"azul-env|pip|setuptools|triton|(nvidia|cuda)-.*"
TEST_TOOLS = ("hypothesis", "pytest", "pytest-xdist")


def plain_name(name: str) -> str:
    """The name by which PyPI compares distributions."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str) -> dict[str, str]:
    """The versions that a file of constraints pins, by name."""
    lines = (ROOT / file).read_text().splitlines()
    parts = [line.split("==") for line in lines if line and not line.startswith("#")]
    assert all(len(part) == 2 for part in parts), parts
    found = {plain_name(name): version for name, version in parts}
    assert len(found) == len(parts), f"{file} pins a name twice"
    return found


def constraints_of(installed: dict[str, str]) -> str:
    """The file that the running environment was installed with."""
    for name, file in (("ray", "constraints-ray.txt"), ("tianshou", "constraints-ecosystem.txt")):
        if name in installed:
            return file
    return "constraints.txt" if "mypy" in installed else "constraints-lowest.txt"


def lower_bounds(requirements: list[str]) -> dict[str, str]:
    found = {}
    for requirement in requirements:
        match = re.fullmatch(r"([\w.-]+)>=([\d.]+)(,<\d+)?", requirement)
        assert match, f"{requirement} has no lower bound"
        found[plain_name(match[1])] = match[2]
    return found


def test_constraints__pin_everything_that_is_installed():
    # The environment's own folder: Ray adds one with copies of other distributions to sys.path.
    found = distributions(path=[sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    installed = {plain_name(one.name): one.version for one in found}
    file = constraints_of(installed)
    pinned = pins(file)
    wrong = {
        name: version
        for name, version in installed.items()
        if not re.fullmatch(NOT_PINNED, name) and pinned.get(name) != version.partition("+")[0]
    }
    assert not wrong, f"installed, but not pinned so in {file}: {wrong}"


def test_lowest_constraints__are_the_lower_bounds_of_the_project():
    extras = PROJECT["optional-dependencies"]
    tools = [line for line in extras["dev"] if line.partition(">=")[0] in TEST_TOOLS]
    assert len(tools) == len(TEST_TOOLS)
    pinned = pins("constraints-lowest.txt")
    for name, bound in lower_bounds(PROJECT["dependencies"] + extras["render"] + tools).items():
        version = pinned[name]
        # 6.0 and 6.0.0 are the lowest version of >=6, 6.0.1 is not.
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", version), f"{name}: {bound} and {version}"


def test_ray_constraints__differ_only_in_what_ray_pins_itself():
    dev, ray = pins("constraints.txt"), pins("constraints-ray.txt")
    assert {name for name in dev.keys() & ray.keys() if dev[name] != ray[name]} == {"gymnasium"}


def test_ecosystem_constraints__differ_only_in_what_tianshou_needs():
    dev, ecosystem = pins("constraints.txt"), pins("constraints-ecosystem.txt")
    different = {name for name in dev.keys() & ecosystem.keys() if dev[name] != ecosystem[name]}
    assert different == {"filelock", "pandas", "virtualenv"}


def test_version__is_that_of_the_citation_and_of_the_changelog():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {version()}\n" in citation
    assert f"\n## {version()}" in changelog


def test_constraints__admit_the_bounds_of_the_project():
    extras = PROJECT["optional-dependencies"]
    required = (
        PROJECT["dependencies"]
        + extras["train"]
        + extras["render"]
        + extras["docs"]
        + extras["web"][1:]
        + extras["dev"][1:]
    )
    assert lower_bounds(required).keys() <= pins("constraints.txt").keys()

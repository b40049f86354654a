"""Prints the version of the project, without importing it: python tests/packaging_version.py."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "azul_env" / "__init__.py"


def version() -> str:
    """The version in azul_env/__init__.py."""
    found = re.search(r'^__version__ = "(.+)"$', SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


if __name__ == "__main__":
    print(version())

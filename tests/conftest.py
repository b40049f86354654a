"""Settings that all tests share: Hypothesis tries the same examples in every run, whatever the machine's speed."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# As in an activated environment: printed commands then say `azul`.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

# Tests that are started in the background have Ctrl-C ignored, and every process of theirs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The processes of the tests use all cores: the threads of torch would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

LONG_FOLDERS = (
    "compile",
    "train",
    "agents",
    "parity",
)  # whose files take longest, the longest first


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that all processes end at about the same time."""
    here = Path(__file__).parent

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        return LONG_FOLDERS.index(folder) if folder in LONG_FOLDERS else len(LONG_FOLDERS)

    items.sort(key=rank)


settings.register_profile(
    "azul",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("azul")

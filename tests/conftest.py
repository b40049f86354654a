"""Settings that all tests share: Hypothesis tries the same examples in every run, whatever the machine's speed."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from azul_env.core import threads

# Tests started in the background have Ctrl-C ignored, and all their processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "azul",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("azul")


@pytest.fixture
def many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share even a few games out over up to four threads, on any machine."""
    monkeypatch.setattr(threads, "usable_cores", lambda: 4)
    monkeypatch.setattr(threads, "LEAST_GAMES", 1)

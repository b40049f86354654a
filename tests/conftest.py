"""Settings that all tests share: Hypothesis tries the same examples in every run, whatever the machine's speed."""

import signal

from hypothesis import HealthCheck, settings

# Whoever starts the tests in the background has Ctrl-C ignored, and every process of theirs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "azul",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("azul")

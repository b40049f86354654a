"""Settings that all tests share: Hypothesis tries the same examples in every run, whatever the machine's speed."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "azul",
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("azul")

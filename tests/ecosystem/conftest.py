"""These tests run in an environment of their own, `make test-ecosystem`; elsewhere they are not collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyspiel") else ["test_*.py"]

"""Servers that tests share."""

from collections.abc import Iterator

import pytest

from web.serving import Site, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for all tests of a file; each plays games of its own."""
    with running(tmp_path_factory.mktemp("games")) as found:
        yield found

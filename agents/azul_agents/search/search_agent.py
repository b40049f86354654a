"""Search agents: one search at a time, since all searches of an agent share its memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from azul_agents.base import Agent


class SearchAgent(Agent):
    """An agent with memory for one search.

    Searches from several threads wait for each other. Copies and pickles are new agents with the same options.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments  # of the subclass
        self._lock = Lock()
        self._is_analysing = False

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self._arguments

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Reserve the memory for one search. Raises RuntimeError while an analysis is under way."""
        with self._lock:
            self._check_free()
            yield

    @contextmanager
    def _analysing(self) -> Iterator[None]:
        """Reserve the memory for an analysis, without the lock: its caller may pause or abandon it at any step."""
        with self._lock:
            self._check_free()
            self._is_analysing = True
        try:
            yield
        finally:
            self._is_analysing = False

    def _check_free(self) -> None:
        if self._is_analysing:
            raise RuntimeError(
                f"{self.spec} is analysing a position: finish or close that analysis first, or use another agent"
            )

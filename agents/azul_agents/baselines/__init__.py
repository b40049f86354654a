"""Agents that need no search: the yardsticks."""

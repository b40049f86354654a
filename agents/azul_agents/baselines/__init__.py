"""Baselines without search: random and greedy."""

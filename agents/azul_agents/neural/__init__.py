"""Trained networks as agents, run without torch."""

"""A training run: its loop, its folder, its metrics and its report."""

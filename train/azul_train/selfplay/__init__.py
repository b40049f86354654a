"""Opponents, rewards and the warm start of a learner, for any learning library."""

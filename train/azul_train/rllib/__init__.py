"""Training with Ray's RLlib."""

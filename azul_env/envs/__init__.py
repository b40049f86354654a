"""Layer 2: the environments, adapters between the engine and the conventions of PettingZoo and Gymnasium."""

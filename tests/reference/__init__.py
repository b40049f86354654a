"""The slow, obvious engine that the compiled one is compared with."""

"""Layer 4: where agents and engines are measured."""

"""Players of Azul: agents that choose actions, and the arena where they meet."""

from azul_env.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)

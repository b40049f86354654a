"""Learning to play Azul by self-play."""

from azul_env.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)

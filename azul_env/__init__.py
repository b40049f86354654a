"""A rules-exact, compiled engine for the board game Azul, and environments for reinforcement learning on top.

The public functions are pure and documented in `docs/SPEC.md`; the compiled kernels live in `azul_env.core`.
"""

from azul_env.envs.registration import register_environments
from azul_env.lazy import lazy_names

__version__ = "0.2.0"

__all__, __getattr__, __dir__ = lazy_names(__name__)

register_environments()

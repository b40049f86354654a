"""Registration of the environments with Gymnasium and PettingZoo."""

import gymnasium
import pettingzoo

GYMNASIUM_ID = "Azul-v0"
SELF_PLAY_ID = "AzulSelfPlay-v0"
PETTINGZOO_ID = "azul/azul-v0"


def register_environments() -> None:
    """Register all environments; a second call does nothing."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            id=GYMNASIUM_ID,
            entry_point="azul_env.envs.single:AzulEnv",
            vector_entry_point="azul_env.envs.vector:AzulVectorEnv",
        )
        gymnasium.register(
            id=SELF_PLAY_ID,
            vector_entry_point="azul_env.envs.vector:AzulTurnsVectorEnv",
        )
    # Older versions of PettingZoo have no registry.
    if PETTINGZOO_ID not in getattr(pettingzoo, "aec_registry", [PETTINGZOO_ID]):
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="azul_env.azul_v0:env")

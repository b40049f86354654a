"""A smoke test of an installed wheel, from a folder that holds nothing of the project: `make dist` runs it.

PYTHON tests/packaging/smoke.py VERSION
"""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

AZUL = str(Path(sysconfig.get_path("scripts")) / "azul")


def azul(folder: Path, *arguments: str, given: str = "") -> str:
    """The output of the command."""
    run = subprocess.run(
        [AZUL, *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, f"azul {' '.join(arguments)}: {run.stdout}{run.stderr}"
    return run.stdout


def check_command(folder: Path, version: str) -> None:
    """Version, a game, a match, a record and a search, through the command."""
    assert azul(folder, "--version").split() == ["azul-env", version]
    played = azul(folder, "play", "--vs", "greedy", "--seed", "1", given="best\nquit\ny\n")
    assert "Round 1" in played
    azul(folder, "match", "greedy", "random", "--games", "4", "--jobs", "1", "--record", "g.jsonl")
    azul(folder, "replay", "g.jsonl", "--check")
    azul(folder, "match", "alphabeta:nodes=100", "ppo", "--games", "2", "--jobs", "1")


def check_environments() -> None:
    """The checkers of Gymnasium and PettingZoo, and one step of each vector environment."""
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test

    import azul_env

    assert "site-packages" in str(azul_env.__file__), azul_env.__file__
    game = gymnasium.make("azul_env:Azul-v0", opponents="greedy")
    check_env(game.unwrapped, skip_render_check=True)  # pictures are an extra
    api_test(azul_env.azul_v0.env(num_players=3), num_cycles=50)
    for name in ("Azul-v0", "AzulSelfPlay-v0"):
        games = gymnasium.make_vec(f"azul_env:{name}", num_envs=8)
        _, info = games.reset(seed=1)
        games.step(info["action_mask"].argmax(axis=1))


def main() -> None:
    """Run all checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_command(Path(folder), sys.argv[1])
    check_environments()
    print(f"the wheel of {sys.argv[1]} works")


if __name__ == "__main__":
    main()

"""Provenance of a result: commit, versions and machine."""

import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = ("azul-env", "numpy", "numba", "gymnasium", "pettingzoo")


def machine() -> dict[str, Any]:
    """CPU, number of cores and operating system."""
    return {"cpu": _cpu_name(), "cores": os.cpu_count(), "system": platform.platform()}


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str | None]:
    """Versions of Python and of packages; None if not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def commit() -> str | None:
    """The commit of the running checkout; None for an installed package."""
    folder = Path(__file__).parent
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    is_ours = answer.returncode == 0 and "site-packages" not in folder.parts
    return answer.stdout.strip() if is_ours else None


def start_of_run(command: str, packages: Iterable[str] = PACKAGES) -> dict[str, Any]:
    """Time, command, commit, versions and machine."""
    return {
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": command,
        "commit": commit(),
        "versions": versions(packages),
        "machine": machine(),
    }


def _cpu_name() -> str:
    """The name of the CPU, if known."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()

"""Watching processes that a test has started."""

import subprocess
import time


def wait_until(is_so, seconds=400.0) -> None:
    """Wait for something to become true; so long that only a real hang fails."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def wait_until_gone(group: int) -> None:
    """Wait until nothing runs in a process group. The dead that nobody has buried yet do not run."""

    def is_gone() -> bool:
        listing = subprocess.run(
            ["ps", "-A", "-o", "pgid=", "-o", "stat="], capture_output=True, text=True, check=True
        ).stdout
        members = [line.split() for line in listing.splitlines()]
        return not any(int(pgid) == group and stat[0] != "Z" for pgid, stat in members)

    wait_until(is_gone)

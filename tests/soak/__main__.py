"""Long runs against everything that may break: `make soak MINUTES=20`.

Every chore runs in a process of its own, with a seed and a folder of its own, and reports how much it did. A chore fails if it
says so, crashes, hangs, or leaves a process behind; its folder is kept and the command that repeats it is printed.
"""

import argparse
import sys

from soak.chores import CHORES
from soak.supervisor import Plan, soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("chores", nargs="*", metavar="CHORE", help=f"of {', '.join(CHORES)}")
    parser.add_argument("--minutes", type=float, default=20.0, help="how long to go on")
    parser.add_argument("--jobs", type=int, default=2, help="chores at a time")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the first chore; the next has the next"
    )
    parser.add_argument("--turn", type=float, default=30.0, help="seconds for a chore at a time")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.chores) - set(CHORES))
    if unknown:
        parser.error(f"unknown chores {', '.join(unknown)}; there are {', '.join(CHORES)}")
    names = tuple(arguments.chores or CHORES)
    plan = Plan(names, 60 * arguments.minutes, arguments.jobs, arguments.seed, arguments.turn)
    return 1 if soak(plan) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Run one chore in this process: `python -m soak.chore NAME SEED SECONDS FOLDER`. The last line printed is its report."""

import json
import random
import sys
from pathlib import Path

from soak.chores import Chore, chore_function


def main(name: str, seed: str, seconds: str, folder: str) -> None:
    function = chore_function(name)  # imported before the clock starts
    chore = Chore(random.Random(int(seed)), Path(folder).resolve(), float(seconds))
    function(chore)
    print(json.dumps(chore.report()))


if __name__ == "__main__":
    main(*sys.argv[1:])

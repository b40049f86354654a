"""Gives every answer twice, in one go."""

import json
import sys

from player import play


def twice(message):
    line = json.dumps({"type": "action", "action": message["legal_actions"][0]}) + "\n"
    sys.stdout.write(line + line)
    sys.stdout.flush()


play(twice)

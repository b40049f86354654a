"""Plays well, but talks a lot: empty lines, messages of unknown types, unknown keys, and a full pipe of notes on stderr."""

import sys

from player import play, say


def chatty(message):
    print("\n", flush=True)
    say(type="thinking", depth=3)
    say(type="error", message="never mind")
    sys.stderr.write("note\n" * 50_000)
    say(type="action", action=message["legal_actions"][-1], why="it is the last")


play(chatty)

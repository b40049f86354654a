"""Answers with one line that never ends."""

import sys

from player import play


def flood(message):
    while True:
        sys.stdout.write("x" * 10_000)


play(flood)

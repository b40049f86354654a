"""Greets, then never answers, does not look at its input again, and does not want to be terminated."""

import signal
import sys
import time

from player import play

signal.signal(signal.SIGTERM, signal.SIG_IGN)


def hang(message):
    print("thinking hard", file=sys.stderr, flush=True)
    while True:
        time.sleep(1000)


play(hang)

"""Starts a child that holds all its pipes and does not want to be terminated, and ends when asked."""

import os
import signal
import sys
import time

from player import play


def leave(message):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    print(f"child {child}", file=sys.stderr, flush=True)
    os._exit(0)


play(leave)

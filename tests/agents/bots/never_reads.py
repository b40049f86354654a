"""Greets without having been greeted, never reads a byte, and does not want to be terminated."""

import signal
import time

from player import say

signal.signal(signal.SIGTERM, signal.SIG_IGN)
say(type="hello", protocol=1, name="deaf")
while True:
    time.sleep(1000)

"""Does nothing at all, and does not want to be terminated."""

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(1000)

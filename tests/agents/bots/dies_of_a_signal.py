"""Is killed by the system when asked, as for want of memory."""

import os
import signal

from player import play

play(lambda message: os.kill(os.getpid(), signal.SIGKILL))

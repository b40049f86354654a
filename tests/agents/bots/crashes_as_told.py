"""Ends with its argument on stderr."""

import sys

sys.exit(sys.argv[1])

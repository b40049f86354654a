"""Answers the greeting with its argument, whatever that is, and then nothing."""

import sys

print(sys.argv[1], flush=True)
sys.stdin.read()

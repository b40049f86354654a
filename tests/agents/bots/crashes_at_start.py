"""Ends with an error before it has read anything."""

raise RuntimeError("no engine found")

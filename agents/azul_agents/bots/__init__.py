"""Other programs as agents, and our agents as programs, over JSON lines."""

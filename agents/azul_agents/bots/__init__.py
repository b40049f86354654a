"""Third-party code as agents, and our agents as bots for other programs."""

"""Other people's code as agents, and our agents as bots for other programs."""

"""Games of people and agents, for the terminal and the browser: sessions, seats and the store. Nothing here prints or asks."""

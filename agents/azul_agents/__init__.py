"""Players of Azul: agents that choose actions."""

"""Learning to play Azul by self-play."""

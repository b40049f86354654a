"""Training the networks of the search by self-play: games, training, a match, and again."""

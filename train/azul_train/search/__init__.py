"""Learning the networks of the search by itself: games, training, a match, again."""

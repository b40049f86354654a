"""Monte-Carlo search with the packaged policy as its prior."""

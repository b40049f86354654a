"""What commands show and ask on the terminal, and the game of a person against agents."""

"""A person's game against agents in the terminal."""

"""Alpha-beta and Monte-Carlo search, the evaluation they use, and how it is fitted."""

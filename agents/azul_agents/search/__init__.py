"""Alpha-beta and tree search, the evaluation they use, and how it is fitted."""

"""Games, matches, tournaments and ratings of agents, and benchmarks of the engine."""

"""Layer 1: the rules, as compiled kernels over rows of `state.STATE`. Needs NumPy and Numba only."""

"""Analysis of a finished rule: counts, comparison, simplification, monotonicity."""

"""Learning problems as the solvers take them: rows, bins, conditions and constraints."""

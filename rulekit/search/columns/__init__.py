"""Prices, redundancy, rounding and perturbation of Boolean columns, for all solvers."""

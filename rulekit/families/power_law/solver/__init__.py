"""Splits by weighted sums of power laws: columns, exponents, weights; arrays only."""

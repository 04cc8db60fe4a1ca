"""Counting rows by type: relevance of columns, ideal formulas, prime implicants; arrays only."""

"""Counting rows by type: relevance of columns, ideal formulas, prime implicants.

What belongs here: contingency counts and what follows from them alone. May import
`rulekit.search.lp`.
"""

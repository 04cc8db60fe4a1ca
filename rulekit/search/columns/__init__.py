"""What every solver over Boolean columns shares.

What belongs here: prices of columns, their redundancy, the rounding of fractional columns, the
perturbation that makes a vertex unique, and the covering program written out. May import
`rulekit.search.lp`.
"""

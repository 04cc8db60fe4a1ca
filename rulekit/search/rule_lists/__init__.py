"""Ordered rule lists of any number of classes: the first box that holds a row answers it.

What belongs here: what a list costs, and the search over lists. The binned problem, with a class a
row, and the box that is best while the rest of a list stays come from `box_search`.
"""

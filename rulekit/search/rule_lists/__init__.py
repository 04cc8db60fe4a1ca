"""Ordered rule lists of any number of classes: the first box that holds a row decides."""

"""Measurements: one file a question, ratios within one run; `papers` has what papers printed."""

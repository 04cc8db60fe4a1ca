"""Measurements: one file a question, ratios within one run, our figure beside the paper's."""

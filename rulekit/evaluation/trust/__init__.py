"""Alternatives to a rule and its stability."""

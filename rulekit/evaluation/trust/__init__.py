"""Reasons to trust a rule: rules just as good, and how stable it is."""

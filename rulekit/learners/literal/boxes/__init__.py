"""The search over boxes for a table: what it is given, doubt and robustness, ordered lists."""

"""Exports that are run: SQL, Python, and the script that learns the rule again."""

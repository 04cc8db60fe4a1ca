"""Executable exports: SQL, Python, and the script that learns the rule again."""

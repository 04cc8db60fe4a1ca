"""Exports that other programs load."""

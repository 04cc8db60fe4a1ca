"""Plots of a plane and its boxes."""

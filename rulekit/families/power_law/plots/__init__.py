"""Plots of power-law splits and trees."""

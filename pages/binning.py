"""Placeholder."""

from ui.shell import guard, header

guard("binning")
header("binning")

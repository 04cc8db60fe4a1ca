"""Data: what am I modelling, and on which rows."""

from ui.shell import guard, header

guard("data")
header("data")

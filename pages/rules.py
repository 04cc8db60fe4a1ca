"""rules: under construction, shows its title only."""

from ui.shell import guard, header

guard("rules")
header("rules")

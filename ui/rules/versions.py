"""Versions of the selected rule: learned, edited, undone and redone."""

from dataclasses import dataclass, replace
from typing import Any

FIELDS = ("setting", "rule_json", "error")  # of an analysis: a rule and its figures


@dataclass(frozen=True)
class Versions:
    """A list of versions with the selected one.

    Attributes
    ----------
    items : tuple of dict
        The values of `FIELDS`; the first one is the rule before any edit.
    index : int
        Number of the selected version.
    """

    items: tuple[dict[str, Any], ...]
    index: int = 0

    @property
    def current(self) -> dict[str, Any]:
        """The selected version."""
        return self.items[self.index]

    def at(self, index: int) -> "Versions":
        """Select another version; the first or last one if there is no such number."""
        return replace(self, index=min(max(index, 0), len(self.items) - 1))

    def added(self, version: dict[str, Any]) -> "Versions":
        """Append a version after the selected one, unless it has the same rule."""
        if version["rule_json"] == self.current["rule_json"]:
            return self
        return Versions((*self.items[: self.index + 1], version), self.index + 1)


def version_of(state: Any) -> dict[str, Any]:
    """Return the selected rule of an analysis as a version."""
    return {name: getattr(state, name) for name in FIELDS}


def versions_of(state: Any) -> Versions:
    """Return the stored versions of an analysis if they belong to its rule; else new ones."""
    now = version_of(state)
    if state.edits:
        stored = Versions(state.edits).at(state.edit)
        if all(stored.current[name] == now[name] for name in ("setting", "rule_json")):
            return stored
    return Versions((now,))

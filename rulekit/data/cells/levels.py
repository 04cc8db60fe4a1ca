"""Levels that are the same in another spelling: "Yes" and "yes ", 1 and 1.0 and true."""

from collections.abc import Iterable, Mapping
from typing import Any

MOST = 500  # levels of a column that are compared


def normal_form(level: Any) -> str:
    """Return a level in lower case, with single spaces."""
    return " ".join(str(level).casefold().split())


def find_variants(counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Group levels that differ only in case or spaces, the most frequent of each group first."""
    if len(counts) > MOST:
        return []
    groups: dict[str, list[str]] = {}
    for level in sorted(counts.keys(), key=lambda level: (-counts[level], level)):
        groups.setdefault(normal_form(level), []).append(level)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def spelling_of(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the most frequent spelling of each level that has another one."""
    return {level: group[0] for group in find_variants(counts) for level in group[1:]}


def match_level(label: Any, levels: Iterable[Any]) -> Any:
    """Return the level that a label means: as it is, else in another spelling; None if unclear."""
    levels = list(levels)
    for same in (lambda level: level == label, lambda level: str(level) == str(label)):
        if exact := [level for level in levels if same(level)]:
            return exact[0]
    meanings = _meanings(label)
    alike = [level for level in levels if meanings & _meanings(level)]
    return alike[0] if len(alike) == 1 else None


def _meanings(level: Any) -> set[Any]:
    """Return the forms in which a level may be written: text, number, truth value."""
    text = normal_form(level)
    meanings: set[Any] = {text}
    try:
        meanings.add(float(text))
    except ValueError:
        meanings |= {float(text == "true")} if text in ("true", "false") else set()
    return meanings

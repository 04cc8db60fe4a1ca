"""Levels that differ only in case or spaces: "Yes", "yes " and "YES"."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from rulekit.data.cells.texts import TextColumn

MOST = 500  # levels of a column that are compared


def normal_form(level: Any) -> str:
    """Return a level in lower case, with single spaces."""
    return " ".join(str(level).casefold().split())


def find_variants(counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Group levels that differ only in case or spaces, the most frequent of each group first."""
    if len(counts) > MOST:
        return []
    groups: dict[str, list[str]] = {}
    for level in sorted(counts, key=lambda level: (-counts[level], level)):
        groups.setdefault(normal_form(level), []).append(level)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def spelling_of(levels: Iterable[str], counts: Mapping[str, int]) -> dict[str, str]:
    """Return the most frequent spelling of each level that has another one."""
    groups = find_variants({level: counts[level] for level in levels})
    return {level: group[0] for group in groups for level in group[1:]}


def merge_variants(column: TextColumn) -> tuple[TextColumn, dict[str, str]]:
    """Return a column whose variants are spelled alike, and the new spellings."""
    present = np.flatnonzero(column.present)
    texts = column.texts.to_pylist()
    spelling = spelling_of(
        [texts[k] for k in present], {texts[k]: int(column.counts[k]) for k in present}
    )
    if not spelling:
        return column, {}
    places = {text: k for k, text in enumerate(texts)}
    moved = np.arange(len(texts) + 1)
    for level, other in spelling.items():
        moved[places[level]] = places[other]
    moved[-1] = -1
    codes = moved[column.codes]
    return TextColumn(column.name, pa.array(texts, pa.string()), codes), spelling

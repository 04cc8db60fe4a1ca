"""A second table in the terms of a rule: names of columns, outcomes, words that meant missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulekit.data.cells.levels import match_level, normal_form
from rulekit.data.digest import digest_of
from rulekit.data.headers import few, shown
from rulekit.data.schema import Table


def match_names(table: Table, names: Iterable[str]) -> Table:
    """Rename columns that equal an absent name but for case and spaces, with a note.

    A column is renamed only if it is the one that fits, and the name the only one it fits.
    """
    names = list(dict.fromkeys(names))
    present = [column.name for column in table.columns]
    absent = [name for name in names if name not in present]
    renamed = {}
    for name in absent:
        alike = [c for c in present if c not in names and _plain(c) == _plain(name)]
        rivals = [other for other in absent if _plain(other) == _plain(name)]
        if len(alike) == 1 and len(rivals) == 1:
            renamed[alike[0]] = name
    if not renamed:
        return table
    frame = table.frame.rename(columns=renamed)
    pairs = few([f"{shown(old)} as {shown(new)}" for old, new in renamed.items()])
    return replace(
        table,
        frame=frame,
        columns=tuple(replace(c, name=renamed.get(c.name, c.name)) for c in table.columns),
        notes=(*table.notes, f"Columns are read by their names in the rule: {pairs}."),
        digest=digest_of(frame),
        labels={renamed.get(k, k): v for k, v in table.labels.items()},
        units={renamed.get(k, k): v for k, v in table.units.items()},
        cells={renamed.get(k, k): v for k, v in table.cells.items()},
    )


def match_outcomes(
    values: Iterable[Any], labels: Sequence[Any], names: Mapping[str, str]
) -> dict[Any, Any]:
    """Return the label that each value of an outcome means; None for values of no label.

    `names` are what people call values; a value and a label may differ in spelling: 1.0 is "1".
    """
    by_text = {str(label): label for label in labels}
    known = list(names)
    matched = {}
    for value in values:
        key = match_level(value, known)
        label = match_level(names[key] if key is not None else str(value), list(by_text))
        matched[value] = None if label is None else by_text[label]
    return matched


def missing_words(table: Table, name: str) -> dict[str, int]:
    """Count the words of a column's file that were read as missing, the empty cell left out."""
    if name not in table.cells:
        return {}
    texts = table.cells[name].to_pandas()[table.frame[name].isna().to_numpy()]
    words = texts.dropna().astype(str).str.strip()
    counts = words[words != ""].value_counts()
    return {str(word): int(n) for word, n in counts.items()}


def _plain(name: str) -> str:
    return normal_form(name).replace(" ", "").replace("_", "")

"""Words that mean "no value", and where such a word is a level."""

# A column of text whose missing words are not named keeps "None" and "NA" as levels where its other
# values make that likelier. Both are missing where a column of numbers of the file writes the word,
# or where more than 50 other texts occur. Else
#
# - "None" is a level unless the others are truth words (yes and no),
# - "NA" is a level if the others, two at least, are two capital letters, as codes of countries are.

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rulekit.data.cells.texts import TextColumn, is_among, match
from rulekit.data.headers import few, quote
from rulekit.data.options import MISSING, MISSING_AMONG_NUMBERS, Decision, ParseOptions

DOUBTFUL = ("None", "NA")
FLAGGED_GAP = r"^:\s*[a-z]{0,3}$"  # as statistical offices write it, with a flag
MAX_OTHERS = 50
_TRUTH_WORDS = {"yes", "no", "y", "n", "true", "false", "t", "f", "0", "1", "on", "off"}
_CODE = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True)
class Blanked:
    """A column without its missing words, and how many cells held each of them."""

    column: TextColumn
    words: Counter[str] = field(default_factory=Counter)
    original: TextColumn | None = None  # kept where a doubtful word was removed


def blank_missing(column: TextColumn, options: ParseOptions) -> Blanked:
    """Return a column with its missing words as missing cells."""
    words = MISSING if options.missing is None else options.missing
    gaps = is_among(column.texts, ["", *words, *(options.missing_in or {}).get(column.name, ())])
    gaps &= ~is_among(column.texts, (options.levels or {}).get(column.name, ()))
    if not (gaps & column.present).any():
        return Blanked(column)
    counts = _count(column, gaps)
    doubtful = options.missing is None and not counts.keys().isdisjoint(DOUBTFUL)
    return Blanked(column.drop(gaps), counts, column if doubtful else None)


def blank_among_numbers(blanked: Blanked, valid: NDArray[np.bool_]) -> Blanked:
    """Return a column with "-", "NA" and the like missing if all other cells are valid."""
    column = blanked.column
    present = column.present
    if valid[present].all():
        return blanked
    gaps = is_among(column.texts, (*MISSING, *MISSING_AMONG_NUMBERS))
    gaps = (gaps | match(column.texts, FLAGGED_GAP)) & present
    others = present & ~gaps
    if not gaps.any() or not others.any() or not valid[others].all():
        return blanked
    words = blanked.words + _count(column, gaps)
    return replace(blanked, column=column.drop(gaps), words=words)


def _count(column: TextColumn, gaps: NDArray[np.bool_]) -> Counter[str]:
    """Count the cells of each missing word; the empty cell is not counted."""
    places = np.flatnonzero(gaps & column.present)
    words = {column.texts[int(k)].as_py(): int(column.counts[k]) for k in places}
    return Counter({word: n for word, n in words.items() if word})


def keep_levels(blanked: Blanked, missing: Collection[str]) -> tuple[Blanked, tuple[str, ...]]:
    """Return a column with the doubtful words that are levels, and these; `missing` is certain."""
    original, column = blanked.original, blanked.column
    if original is None or column.present.sum() > MAX_OTHERS:
        return blanked, ()
    others = column.present_texts.to_pylist()
    kept = tuple(w for w in DOUBTFUL if blanked.words[w] and is_level(w, others, missing))
    words = Counter({w: n for w, n in blanked.words.items() if w not in kept})
    gaps = is_among(original.texts, ["", *words])
    return Blanked(original.drop(gaps), words), kept


def is_level(word: str, others: Sequence[str], missing: Collection[str]) -> bool:
    """Return whether "None" or "NA" is a level beside a column's other values (see the module)."""
    if word in missing or not others or len(others) > MAX_OTHERS:
        return False
    if word == "NA":
        return len(others) > 1 and all(_CODE.fullmatch(text) for text in others)
    return not {text.casefold() for text in others} <= _TRUTH_WORDS


def describe_missing(counts: Counter[str]) -> list[str]:
    """Return a note on the cells that are read as missing."""
    listed = [f"{quote(t)} ({n:,} cell{'' if n == 1 else 's'})" for t, n in counts.most_common(8)]
    text = f"These cells are read as missing: {', '.join(listed)}."
    change = {"missing": (), "missing_in": None}
    return [Decision(text, "Keep these words", change)] if listed else []


def describe_kept(name: str, words: Sequence[str], column: TextColumn) -> str:
    """Return a note on words that are levels of a column."""
    others = [t for t in column.present_texts.to_pylist() if t not in words][:2]
    count = int(column.counts[is_among(column.texts, words)].sum())
    return (
        f"In column {quote(name)}, {few([*map(quote, words)])} ({count:,} cells) is a level like "
        f"{' and '.join(map(quote, others))}, not a missing value. If it is one, "
        "name it as a missing word (rows without an outcome are left out)."
    )

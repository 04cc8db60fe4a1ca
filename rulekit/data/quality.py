"""Findings about a table that matter before learning."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.cells.levels import find_variants
from rulekit.data.cells.numbers import numbers_in
from rulekit.data.column import FEW_LEVELS, Column, is_named_like_id, whole_numbers
from rulekit.data.headers import few, quote
from rulekit.data.schema import Table
from rulekit.exceptions import DataError

LAST_DAY = "9999-12-31"
LOW_CODES = (-1, -9, -99, -999, -9_999, -99_999, -999_999)
HIGH_CODES = (99, 999, 9_999, 99_999, 999_999, 9_999_999)
MIN_DISTINCT = 4  # different values of a column that may have a code for "no value"
MISSING_SHARE = 0.2  # from here on missing cells are worth a word, from twice that a warning
RARE_ROWS = 5
CODED_LEVELS = 8  # whole numbers of so few values may be codes
LEAK_SHARE = 0.02  # share of the most frequent class's errors that a leak may leave over
MEAN_OF_WEIGHTS = 0.05  # how far the mean of weights lies from 1 at most
_WEIGHT = re.compile(r"(^|[\s_.\-])(weights?|wt|wgt)$", re.IGNORECASE)
_PERSON = re.compile(
    r"(^|[\s_.\-])(subject|participant|patient|person|respondent|customer|client)$", re.IGNORECASE
)
MAX_RELATED = 500  # columns compared pairwise for one-to-one recodings


@dataclass(frozen=True, slots=True)
class QualityNote:
    """One finding.

    Parameters
    ----------
    column : str or None
        The column, None where the whole table is meant.
    kind : str
        "constant", "missing", "id", "group", "weight", "duplicate column", "leak", "duplicate
        rows", "rare levels", "many levels", "text in numbers", "codes", "spellings", "sentinel".
    sentence : str
        What was found, with figures.
    suggestion : {"ignore", "group", "weight", "as_numeric", "as_category", "merge", "blank", None}
        The fix a page can offer: give the column the role "ignore", "group" or "weight", or change
        it by `Table.as_numeric`, `Table.as_category`, `Table.with_merged_levels` or
        `Table.with_missing`.
    severity : {"info", "warning"}
        A warning changes what results mean.
    value : str, default=None
        The value that a finding is about, such as -999.
    """

    column: str | None
    kind: str
    sentence: str
    suggestion: str | None = None
    severity: str = "info"
    value: str | None = None


def quality_notes(table: Table, target: str | None = None) -> tuple[QualityNote, ...]:
    r"""Check a table for common problems.

    Parameters
    ----------
    table : Table
    target : str, default=None
        The column to be predicted; None takes the one with the role "target". Leaks are looked
        for only where there is one.

    Returns
    -------
    tuple of QualityNote
        Warnings first. Columns with the role "ignore" or "id" are only checked for what they are,
        not compared with others.

    Notes
    -----
    Takes :math:`O(k n \log n)` time: each column is sorted once.
    """
    target = table.target if target is None else target
    if target is not None:
        table.column(target)
    notes = [note for column in table.columns for note in _single(table, column, target)]
    notes += _duplicate_columns(table, target)
    notes += _leaks(table, target) if target is not None else []
    notes += _duplicate_rows(table)
    return tuple(sorted(notes, key=lambda note: note.severity != "warning"))


def _note(
    name: str, kind: str, text: str, suggestion: str | None = None, severity: str = "info"
) -> QualityNote:
    return QualityNote(name, kind, f"Column {quote(name)}{text}", suggestion, severity)


def _single(table: Table, column: Column, target: str | None) -> list[QualityNote]:
    if column.name == target:
        spellings = _spellings(table, column, is_target=True)
        return [] if spellings is None else [spellings]
    if column.kind == "constant":
        content = "missing in every row" if column.n_distinct == 0 else "the same in every row"
        return [_note(column.name, "constant", f" is {content} and tells nothing.", "ignore")]
    notes = [
        _missing(table, column),
        _identifier(table, column),
        _weight(table, column),
        _levels(table, column),
        _codes(table, column),
        _spellings(table, column, is_target=False),
        _sentinel(table, column),
    ]
    return [note for note in notes if note is not None]


def _missing(table: Table, column: Column) -> QualityNote | None:
    share = column.n_missing / table.n_rows
    if share < MISSING_SHARE:
        return None
    rows = f"{column.n_missing:,} of {table.n_rows:,} rows ({100 * share:.0f} %)"
    text = f" is missing in {rows}: only conditions that say “missing” hold there."
    severe = ("ignore", "warning") if share >= 2 * MISSING_SHARE else ()
    return _note(column.name, "missing", text, *severe)


def _identifier(table: Table, column: Column) -> QualityNote | None:
    if column.role == "id" and column.n_distinct == table.n_rows:
        text = " has a different value in every row, like an identifier."
        return _note(column.name, "id", text, "ignore")
    named = is_named_like_id(column.name) and column.n_distinct > 0.2 * table.n_rows
    named = named or (column.n_distinct >= RARE_ROWS and _PERSON.search(column.name) is not None)
    if not named or column.n_distinct == table.n_rows or column.role == "group":
        return None
    text = (
        f" looks like an identifier that repeats ({column.n_distinct:,} values in "
        f"{table.n_rows:,} rows): keep its rows on one side of every split."
    )
    return _note(column.name, "group", text, "group", "warning")


def _weight(table: Table, column: Column) -> QualityNote | None:
    """Find weights of a survey: positive numbers whose mean is 1."""
    if column.role != "feature" or not column.is_number or not _WEIGHT.search(column.name):
        return None
    values = table.frame[column.name].to_numpy(dtype=float, na_value=np.nan)
    if not (values.min() > 0 and abs(values.mean() - 1) < MEAN_OF_WEIGHTS):
        return None
    text = " looks like a weight of rows (positive numbers with the mean 1), which is no feature."
    return _note(column.name, "weight", text, "weight", "warning")


def _levels(table: Table, column: Column) -> QualityNote | None:
    series = table.frame[column.name]
    if column.is_number or column.kind not in ("category", "text") or series.dtype.kind == "M":
        return None
    numbers = ~np.isnan(numbers_in(series))
    n_present = table.n_rows - column.n_missing
    if numbers.sum() >= 0.5 * n_present:
        other = ~numbers & series.notna().to_numpy()
        if not other.any():  # codes with leading zeros, kept as text on purpose
            return None
        row = int(other.argmax())
        text = (
            f" holds text in {int(other.sum()):,} of {len(series):,} rows (first: row {row + 1}, "
            f"{quote(series.iloc[row])}); as numbers, these cells are missing."
        )
        return _note(column.name, "text in numbers", text, "as_numeric", "warning")
    if column.kind == "text" and column.role == "feature":
        text = f" has {column.n_distinct} different texts; rules on it would name single cases."
        return _note(column.name, "many levels", text, "ignore")
    counts = series.value_counts()
    rare = few([*map(quote, counts[counts < RARE_ROWS].index)])
    if column.kind != "category" or not rare or column.n_distinct > FEW_LEVELS:
        return None
    text = f": fewer than {RARE_ROWS} rows have {rare}; rules on these would rest on few cases."
    return _note(column.name, "rare levels", text)


def _spellings(table: Table, column: Column, is_target: bool) -> QualityNote | None:
    """Find levels that differ only in case or spaces."""
    if column.is_number or column.kind not in ("category", "boolean") or column.role == "ignore":
        return None
    levels = table.frame[column.name].value_counts()
    counts = {str(level): int(n) for level, n in levels.items()}
    if not (groups := find_variants(counts)):
        return None
    named = [" and ".join(f"{quote(v)} ({counts[v]:,})" for v in group) for group in groups]
    text = f" has levels that differ only in case or spaces: {few(named)}. They may be one."
    return _note(column.name, "spellings", text, "merge", "warning" if is_target else "info")


def _sentinel(table: Table, column: Column) -> QualityNote | None:
    """Find a number such as -999, or a date such as 9999-12-31, that may stand for no value."""
    series = table.frame[column.name].dropna()
    value, n_rows = None, 0
    if column.kind == "date":
        n_rows = int(series.astype(str).str.startswith(LAST_DAY).sum())
        value = LAST_DAY if n_rows else None
    elif column.is_number and column.n_distinct >= MIN_DISTINCT and column.role != "id":
        value = _far_code(series.to_numpy(dtype=float))
        n_rows = 0 if value is None else int((series == float(value)).sum())
    if value is None:
        return None
    text = f" is {value} in {n_rows:,} rows, far outside its other values: is it missing?"
    return replace(_note(column.name, "sentinel", text, "blank", "warning"), value=value)


def _far_code(values: NDArray[np.float64]) -> str | None:
    """Return the least or greatest value if it is a usual code far outside the others."""
    distinct, counts = np.unique(values, return_counts=True)
    low, second, *_, last, high = distinct.tolist()
    enough = low < -9 or counts[0] > 1
    if low in LOW_CODES and second >= 0 and enough and second - low >= 0.1 * (high - second):
        return f"{low:g}"
    return f"{high:.15g}" if high in HIGH_CODES and high - last >= last - low else None


def _codes(table: Table, column: Column) -> QualityNote | None:
    """Check whether a few whole numbers are counts or codes."""
    has_few = column.kind == "numeric" and column.n_distinct <= CODED_LEVELS
    if not has_few or column.role != "feature" or not whole_numbers(table.frame[column.name]):
        return None
    text = f" is coded {column.minimum:g} to {column.maximum:g}: codes or counts?"
    return _note(column.name, "codes", text, "as_category")


def _assess(table: Table, target: str | None) -> list[str]:
    return [c.name for c in table.columns if c.role == "feature" and c.name != target]


def _duplicate_columns(table: Table, target: str | None) -> list[QualityNote]:
    """Find columns that distinguish rows exactly as an earlier one does."""
    seen: dict[tuple[str, bytes], str] = {}
    notes = []
    for name in _assess(table, target)[:MAX_RELATED]:
        keys = _fingerprints(table.frame[name], table.column(name))
        first = next((seen[key] for key in keys if key in seen), None)
        if first is not None:
            same = table.frame[name].equals(table.frame[first].rename(name))
            relation = "equals" if same else "holds the same information as"
            text = f" {relation} column {quote(first)}; one of them suffices."
            notes.append(_note(name, "duplicate column", text, "ignore"))
        for key in keys:
            seen.setdefault(key, name)
    return notes


def _fingerprints(series: pd.Series, column: Column) -> list[tuple[str, bytes]]:
    """Compute a key that two columns share if each determines the other (numbers in order)."""
    if column.n_distinct < 2:
        return []
    keys = []
    if column.is_number:
        codes = pd.factorize(series, sort=True)[0]
        turned = np.where(codes < 0, codes, codes.max() - codes)
        keys.append(("order", min(codes.tobytes(), turned.tobytes())))
    if not column.is_number or column.n_distinct <= 2:
        keys.append(("levels", pd.factorize(series)[0].tobytes()))
    return keys


def _leaks(table: Table, target: str) -> list[QualityNote]:
    """Find columns with a single test that separates a class (nearly) perfectly."""
    rows = table.frame[table.frame[target].notna()]
    classes = pd.factorize(rows[target])[0]
    if not 2 <= table.column(target).n_distinct <= 50 or len(classes) < 20:
        return []
    notes = []
    for name, series in rows[_assess(table, target)].items():
        wrong, guessed = separation_error(series, classes)
        if wrong <= LEAK_SHARE * guessed:
            exact = "perfectly" if wrong == 0 else f"but for {100 * wrong:.2f} % of the rows"
            text = f" alone tells the classes of {quote(target)} apart {exact}."
            text += " If it is known only after the outcome, set it aside."
            notes.append(_note(name, "leak", text, "ignore", "warning"))
    return notes


def separation_error(series: pd.Series, classes: NDArray[np.intp]) -> tuple[float, float]:
    """Compute how well one column alone separates classes; shapes: series n, classes (n,)."""
    if len(series) != len(classes):
        raise DataError(f"One class a row is needed: {len(series)} rows, {len(classes)} classes.")
    shares = np.bincount(classes) / len(classes)
    if pd.api.types.is_numeric_dtype(series.dtype):
        values = series.to_numpy(dtype=float, na_value=np.nan)
        order = np.argsort(values, kind="stable")  # NaN comes last
        values, ordered = values[order], classes[order]
        steps = np.count_nonzero(values[1:] > values[:-1])
        if steps > 1 and (len(shares) == 2 or steps >= CODED_LEVELS):  # not codes of the classes
            parted = range(1, 2) if len(shares) == 2 else range(len(shares))
            wrong = [_threshold_error(values, ordered == k) for k in parted]
            return float(np.mean(wrong)), float(np.minimum(shares, 1 - shares).mean())
    codes, levels = pd.factorize(series, use_na_sentinel=False)
    if len(levels) > 0.05 * len(series) + 2:
        return 1.0, float(1 - shares.max())
    counts = np.zeros((len(levels), len(shares)))
    np.add.at(counts, (codes, classes), 1)
    return float(1 - counts.max(axis=1).sum() / len(series)), float(1 - shares.max())


def _threshold_error(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Compute the error share of the best threshold; missing values follow their majority."""
    n = int(np.sum(~np.isnan(values)))
    lost = min(positive[n:].sum(), (~positive[n:]).sum())
    below = np.append(0, np.cumsum(positive[:n]))  # positives among the first i
    size = np.arange(n + 1)
    cuts = np.ones(n + 1, dtype=bool)
    cuts[1:n] = np.diff(values[:n]) > 0
    flipped = (size - below) + (below[-1] - below)  # wrong if positives are called the lower ones
    wrong = np.minimum(flipped, n - flipped)[cuts]
    return float((wrong.min() + lost) / len(values))


def _duplicate_rows(table: Table) -> list[QualityNote]:
    used = [c for c in table.columns if c.role in ("feature", "target")]
    if not used or any(c.n_distinct == table.n_rows for c in used):
        return []
    count = int(table.frame[[c.name for c in used]].duplicated().sum())
    rows = f"{count:,} of {table.n_rows:,} rows {'repeats' if count == 1 else 'repeat'}"
    text = f"{rows} an earlier row in every used column."
    severity = "warning" if count > 0.05 * table.n_rows else "info"
    return [QualityNote(None, "duplicate rows", text, None, severity)] if count else []

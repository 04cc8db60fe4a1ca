"""Findings about a table that matter before learning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.cells.levels import find_variants
from rulekit.data.cells.numbers import numbers_in
from rulekit.data.column import FEW_LEVELS, Column, is_named_like_id, whole_numbers
from rulekit.data.headers import few, quote
from rulekit.data.schema import Table
from rulekit.data.target import OPEN
from rulekit.exceptions import DataError

LAST_DAY = "9999-12-31"
LOW_CODES = (-1, -9, -99, -999, -9_999, -99_999, -999_999)
HIGH_CODES = (99, 999, 9_999, 99_999, 999_999, 9_999_999)
SPIKE_SHARE = 0.02  # of the rows that a code has at least where others are near it
MIN_DISTINCT = 4  # different values of a column that may have a code for "no value"
MISSING_SHARE = 0.2  # from here on missing cells are worth a word, from twice that a warning
RARE_ROWS = 5
CODED_LEVELS = 8  # whole numbers of so few values may be codes
LEAK_SHARE = 0.02  # share of the most frequent class's errors that a leak may leave over
MEAN_OF_WEIGHTS = 0.05  # how far the mean of weights lies from 1 at most
_WEIGHT = re.compile(r"(^|[\s_.\-]|fnl)(weights?|wt|wgt)$", re.IGNORECASE)
_SURVEY = re.compile(r"survey|sampling|design|respondent|fnlw", re.IGNORECASE)
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
    found: list[QualityNote | None] = []
    for column in table.columns:
        if column.name == target:
            found += [_spellings(table, column, is_target=True), _open_class(table, column)]
        elif column.kind == "constant":
            content = "missing in every row" if column.n_distinct == 0 else "the same in every row"
            text = f" is {content} and tells nothing."
            found.append(_note(column.name, "constant", text, "ignore"))
        else:
            found += [*_check_role(table, column), _levels(table, column)]
            found += [_spellings(table, column, is_target=False), _sentinel(table, column)]
    notes = [note for note in found if note is not None] + _duplicate_columns(table, target)
    notes += _leaks(table, target) if target is not None else []
    used = [c for c in table.columns if c.role in ("feature", "target")]
    if used and not any(c.n_distinct == table.n_rows for c in used):
        count = int(table.frame[[c.name for c in used]].duplicated().sum())
        rows = f"{count:,} of {table.n_rows:,} rows {'repeats' if count == 1 else 'repeat'}"
        text = f"{rows} an earlier row in every used column."
        severity = "warning" if count > 0.05 * table.n_rows else "info"
        notes += [QualityNote(None, "duplicate rows", text, None, severity)] * bool(count)
    return tuple(sorted(notes, key=lambda note: note.severity != "warning"))


def _note(
    name: str, kind: str, text: str, suggestion: str | None = None, severity: str = "info"
) -> QualityNote:
    return QualityNote(name, kind, f"Column {quote(name)}{text}", suggestion, severity)


def _check_role(table: Table, column: Column) -> Iterator[QualityNote]:
    """Find missing cells, identifiers, and weights of a survey."""
    name, n_distinct, n_rows = column.name, column.n_distinct, table.n_rows
    if (share := column.n_missing / n_rows) >= MISSING_SHARE:
        rows = f"{column.n_missing:,} of {n_rows:,} rows ({min(100 * share, 99):.0f} %)"
        text = f" is missing in {rows}: only conditions that say “missing” hold there."
        severe = ("ignore", "warning") if share >= 2 * MISSING_SHARE else ()
        yield _note(name, "missing", text, *severe)
    named = is_named_like_id(name) and n_distinct > 0.2 * n_rows
    named = named or (n_distinct >= RARE_ROWS and _PERSON.search(name) is not None)
    if column.role == "id" and n_distinct == n_rows:
        text = " has a different value in every row, like an identifier."
        yield _note(name, "id", text, "ignore")
    elif named and n_distinct != n_rows and column.role != "group":
        values = f"{n_distinct:,} values in {n_rows:,} rows"
        text = f" looks like an identifier that repeats ({values}): keep its rows on one side of"
        yield _note(name, "group", f"{text} every split.", "group", "warning")
    if column.role == "feature" and column.is_number and _WEIGHT.search(name):
        values = table.frame[name].to_numpy(dtype=float, na_value=np.nan)
        is_near = bool(abs(values.mean() - 1) < MEAN_OF_WEIGHTS)
        why = " (positive numbers with the mean 1)" * is_near
        why = " by its name" if _SURVEY.match(name) else why
        if why and values.min() > 0:
            text = f" looks like a weight of rows{why}, which is no feature."
            yield _note(name, "weight", text, "weight", "warning")


def _levels(table: Table, column: Column) -> QualityNote | None:
    series = table.frame[column.name]
    has_few = column.kind == "numeric" and column.n_distinct <= CODED_LEVELS
    if has_few and column.role == "feature" and whole_numbers(series):
        text = f" is coded {column.minimum:g} to {column.maximum:g}: codes or counts?"
        return _note(column.name, "codes", text, "as_category")
    if column.is_number or column.kind not in ("category", "text") or series.dtype.kind == "M":
        return None
    numbers = ~np.isnan(numbers_in(series))
    n_present = table.n_rows - column.n_missing
    if numbers.sum() >= 0.5 * n_present:
        other = ~numbers & series.notna().to_numpy()
        if not other.any():  # codes with leading zeros, kept as text on purpose
            return None
        first = f"row {int(other.argmax()) + 1}, {quote(series[other].iloc[0])}"
        text = f" holds text in {int(other.sum()):,} of {len(series):,} rows (first: {first});"
        text += " as numbers, these cells are missing."
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


def _open_class(table: Table, column: Column) -> QualityNote | None:
    """Find a third class such as "unknown", which means no outcome."""
    levels = table.frame[column.name].value_counts()
    names = [level for level in levels.index if str(level).strip().lower() in OPEN]
    if len(names) != 1 or column.n_distinct < 3:
        return None
    text = f" is {quote(names[0])} in {levels[names[0]]:,} rows: is their outcome missing?"
    return replace(_note(column.name, "sentinel", text, "blank", "warning"), value=str(names[0]))


def _sentinel(table: Table, column: Column) -> QualityNote | None:
    """Find a number such as -999, or a date such as 9999-12-31, that may stand for no value."""
    series = table.frame[column.name].dropna()
    value, n_rows = None, 0
    if column.kind == "date":
        n_rows = int(series.astype(str).str.startswith(LAST_DAY).sum())
        value = LAST_DAY if n_rows else None
    elif column.is_number and column.n_distinct >= MIN_DISTINCT and column.role != "id":
        distinct, counts = np.unique(series.to_numpy(dtype=float), return_counts=True)
        low, second, *_, last, high = distinct.tolist()
        enough = low < -9 or counts[0] > 1
        is_code = low in LOW_CODES or (low <= -100 and low % 100 == 0 and counts[0] > 1)
        rest, count = high - second, counts[0]  # others are negative too: far, or most frequent
        beside = second < 0 and second - low < rest
        is_spike = count >= SPIKE_SHARE * len(series) and count >= 3 * counts[1:].max()
        is_code &= (is_spike or not beside) and (second >= 0 or (count > 1 and low < -1))
        if is_code and enough and second - low >= 0.1 * rest:
            value, n_rows = f"{low:g}", int((series == low).sum())
        elif high in HIGH_CODES and high - last >= last - low:
            value, n_rows = f"{high:.15g}", int((series == high).sum())
    if value is None:
        return None
    text = f" is {value} in {n_rows:,} rows, far outside its other values: is it missing?"
    return replace(_note(column.name, "sentinel", text, "blank", "warning"), value=value)


def _duplicate_columns(table: Table, target: str | None) -> list[QualityNote]:
    """Find columns that distinguish rows exactly as an earlier one does."""
    seen: dict[tuple[str, bytes], str] = {}
    notes = []
    for name in [f for f in table.features if f != target][:MAX_RELATED]:
        column, series = table.column(name), table.frame[name]
        if column.n_distinct < 2:
            continue
        keys = []  # shared by two columns if each determines the other (numbers in order)
        if column.is_number:
            codes = pd.factorize(series, sort=True)[0]
            turned = np.where(codes < 0, codes, codes.max() - codes)
            keys.append(("order", min(codes.tobytes(), turned.tobytes())))
        if not column.is_number or column.n_distinct <= 2:
            keys.append(("levels", pd.factorize(series)[0].tobytes()))
        first = next((seen[key] for key in keys if key in seen), None)
        if first is not None:
            same = series.equals(table.frame[first].rename(name))
            relation = "equals" if same else "holds the same information as"
            text = f" {relation} column {quote(first)}; one of them suffices."
            notes.append(_note(name, "duplicate column", text, "ignore"))
        for key in keys:
            seen.setdefault(key, name)
    return notes


def _leaks(table: Table, target: str) -> list[QualityNote]:
    """Find columns with a single test that separates a class (nearly) perfectly."""
    rows = table.frame[table.frame[target].notna()]
    classes = pd.factorize(rows[target])[0]
    if not 2 <= table.column(target).n_distinct <= 50 or len(classes) < 20:
        return []
    notes = []
    for name, series in rows[[f for f in table.features if f != target]].items():
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
            n = int(np.sum(~np.isnan(values)))
            size = np.arange(n + 1)
            cuts = np.ones(n + 1, dtype=bool)
            cuts[1:n] = np.diff(values[:n]) > 0
            wrong = []  # share of the best threshold; missing values follow their majority
            for positive in (ordered == k for k in parted):
                lost = min(positive[n:].sum(), (~positive[n:]).sum())
                below = np.append(0, np.cumsum(positive[:n]))  # positives among the first i
                flipped = (size - below) + (below[-1] - below)  # if positives are the lower ones
                least = np.minimum(flipped, n - flipped)[cuts].min()
                wrong.append(float((least + lost) / len(values)))
            return float(np.mean(wrong)), float(np.minimum(shares, 1 - shares).mean())
    codes, levels = pd.factorize(series, use_na_sentinel=False)
    if len(levels) > 0.05 * len(series) + 2:
        return 1.0, float(1 - shares.max())
    counts = np.zeros((len(levels), len(shares)))
    np.add.at(counts, (codes, classes), 1)
    return float(1 - counts.max(axis=1).sum() / len(series)), float(1 - shares.max())

"""Comparison of a second table with the first: missing, new, retyped, unseen, moved."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data.cells.dates import dates_in
from rulekit.data.column import Column
from rulekit.data.columns.report import respell
from rulekit.data.headers import quote
from rulekit.data.schema import Table

CHANCE = 0.001  # all columns together: how often equal tables are reported as different
MOST_TEXTS = 20_000  # of a table, whose words are read
LEAST_MOVED = 0.1  # least share of moved rows to be reported, however significant


@dataclass(frozen=True, slots=True)
class DriftNote:
    """One difference.

    Parameters
    ----------
    column : str
    kind : str
        "missing column", "new column", "retyped", "unseen level", "out of range", "gaps", "moved".
    sentence : str
        In words, with figures and the first row.
    n_rows : int
        Rows of the new table concerned.
    blocks : bool
        Whether a rule that reads the column cannot answer.
    """

    column: str
    kind: str
    sentence: str
    n_rows: int
    blocks: bool = False


def compare_tables(
    reference: Table | pd.DataFrame,
    new: Table | pd.DataFrame,
    *,
    columns: tuple[str, ...] | None = None,
) -> tuple[DriftNote, ...]:
    """Compare a second table with the one that a rule was learned from.

    Parameters
    ----------
    reference : Table or DataFrame
    new : Table or DataFrame
        The second one. Column order does not matter.
    columns : tuple of str, default=None
        The columns that matter; None takes the features of `reference`.

    Returns
    -------
    tuple of DriftNote
        Those that block first. New columns are listed only if `columns` is None.

    Notes
    -----
    Values have moved where a tenth of the rows at least would have to change to look as before and
    chance alone would do that in one of a thousand pairs of tables: Kolmogorov and Smirnov's test
    for numbers and dates, the chi-squared test for anything else, Bonferroni's correction over
    columns. Dates that are text are read where the cells of both tables leave no doubt which part
    is the day. Of other text that hardly repeats, the word is listed whose share of rows changed
    most, by the same test and correction over the words that a tenth of the rows of either table
    hold; of long tables 20 000 rows, evenly spread, are read.

    Raises
    ------
    DataError
        If `columns` names one that `reference` does not have, or `new` has no rows.
    """
    reference, other = (
        table if isinstance(table, Table) else Table.from_frame(table) for table in (reference, new)
    )
    chosen = reference.features if columns is None else columns
    notes: list[DriftNote] = []
    present, known = ({c.name: None for c in table.columns} for table in (other, reference))
    for name in chosen:
        column = reference.column(name)
        if name in present:
            found = _differences(column, reference, other, CHANCE / len(chosen))
            notes += [note for note in found if note is not None]
        else:
            text = "is not in the new table; add it, or rename the one that holds it."
            notes.append(_note(name, "missing column", text, other.n_rows, blocks=True))
    if columns is None:
        added = [name for name in present if name not in known]
        text = "is new, and is not used."
        notes += [_note(name, "new column", text, other.n_rows) for name in added]
    return tuple(sorted(notes, key=lambda note: not note.blocks))


def match_levels(
    reference: Table, new: Table | pd.DataFrame, *, columns: tuple[str, ...]
) -> dict[str, dict[str, str]]:
    """Return unknown levels that equal one known level but for case and spaces."""
    frame = new.frame if isinstance(new, Table) else new
    respelled = {}
    for name in columns:
        column = reference.column(name)
        levels = [v for v in column.order or column.levels if isinstance(v, str)]
        cells = frame[name].dropna().unique() if name in frame.columns and levels else ()
        unknown = [v for v in cells if isinstance(v, str) and v not in levels]
        respelled[name] = respell(unknown, levels)
    return {name: same for name, same in respelled.items() if same}


def _note(name: str, kind: str, text: str, n_rows: int, blocks: bool = False) -> DriftNote:
    return DriftNote(name, kind, f"Column {quote(name)} {text}", n_rows, blocks)


def _differences(
    column: Column, reference: Table, other: Table, level: float
) -> Iterator[DriftNote | None]:
    """Compare one column of both tables."""
    name, there = column.name, other.column(column.name)
    then, now = reference.frame[name], other.frame[name]
    was, is_now = _family(column, then), _family(there, now)
    if there.n_distinct == 0:
        yield _note(name, "gaps", "is missing in every row of the new table.", other.n_rows)
        return
    if was != is_now:
        text = f"held {was} and now holds {is_now}; bring it to what it was."
        yield _note(name, "retyped", text, other.n_rows, blocks=True)
        return
    if there.n_missing and not column.n_missing:
        text = f"had a value in every row and now misses {there.n_missing} of {other.n_rows};"
        answer = "the rule's answer there follows what it says of missing values."
        yield _note(name, "gaps", f"{text} {answer}", there.n_missing)
    if column.kind == "date":
        if not pd.api.types.is_datetime64_any_dtype(then.dtype):
            both = pd.concat([then, now], ignore_index=True)
            try:
                read = dates_in(both, name, None)
            except ValueError:  # either way round, or of several time zones
                return
            then, now = read.iloc[: len(then)], read.iloc[len(then) :].reset_index(drop=True)
        yield _outside(name, now, (then.min(), then.max()), "dates, {} to {},", _day)
    elif column.is_number:
        if column.minimum is not None:
            values = pd.Series(now.to_numpy(dtype=float, na_value=np.nan))
            ends = column.minimum, column.maximum
            yield _outside(name, values, ends, "range of {} to {}", "{:.6g}".format)
    elif column.order or column.kind in ("boolean", "category", "constant"):
        yield from _new_levels(column, then, now)
    yield _compare_distributions(column, then, now, level)


def _family(column: Column, series: pd.Series) -> str:
    """Return the type that a rule would compare with: numbers, truth values, dates or text."""
    if column.is_number:
        return "numbers"
    if pd.api.types.is_bool_dtype(series.dtype):
        return "truth values"
    return "dates" if pd.api.types.is_datetime64_any_dtype(series.dtype) else "text"


def _outside(
    name: str, values: pd.Series, ends: tuple[Any, Any], former: str, spell: Callable[[Any], str]
) -> DriftNote | None:
    outside = ((values < ends[0]) | (values > ends[1])).to_numpy()
    if not outside.any():
        return None
    n, row = int(outside.sum()), int(outside.argmax())
    rows = f"{n} row{'s' * (n != 1)} (first: row {row + 1}, {spell(values.iloc[row])})"
    text = f"is outside its former {former.format(*map(spell, ends))} in {rows}."
    return _note(name, "out of range", text, n)


def _day(moment: pd.Timestamp) -> str:
    return str(moment.isoformat(sep=" ")).removesuffix(" 00:00:00")


def _new_levels(column: Column, then: pd.Series, now: pd.Series) -> Iterator[DriftNote]:
    """Report levels that no training row had; of an ordered column, whether its order has them."""
    levels = now.astype(object)
    if column.order:
        levels = levels.map(str, na_action="ignore")
        placed, seen = levels.isin(column.order), levels.isin(then.dropna().astype(str))
        lost = "they have no place in it and count as missing."
        alone = "rules answer them by their place alone."
        cases = [
            (~placed, "holds levels that its order does not have", lost),
            (placed & ~seen, "holds levels of its order that no row had before", alone),
        ]
    else:
        unseen = ~levels.isin(list(column.levels))
        cases = [(unseen, "holds values not seen before", "no rule tested them.")]
    for new, begin, end in cases:
        rows = (new & levels.notna()).to_numpy(dtype=bool)
        if n := int(rows.sum()):
            names = ", ".join(map(quote, levels[rows].unique()[:5]))
            first = f"(first: row {int(rows.argmax()) + 1}); {end}"
            text = f"{begin} in {n} row{'s' * (n != 1)}: {names} {first}"
            yield _note(column.name, "unseen level", text, n)


def _word(column: Column, then: pd.Series, now: pd.Series, level: float) -> DriftNote | None:
    """Report the word of a text whose frequency changed most; see `_compare_distributions`."""
    (before, n_before), (after, n_after) = _rows_by_word(then), _rows_by_word(now)
    share = pd.DataFrame({"then": before / n_before, "now": after / n_after}).fillna(0.0)
    share = share[share.max(axis=1) >= LEAST_MOVED].sort_index()
    if share.empty:
        return None
    word = share.diff(axis=1)["now"].abs().idxmax()
    held = share.loc[word, ["then", "now"]].to_numpy() * (n_before, n_after)
    counts = np.vstack([held, (n_before, n_after) - held])
    was, is_now = (100 * share.loc[word, when] for when in ("then", "now"))
    if abs(is_now - was) < 100 * LEAST_MOVED:
        return None
    from scipy import stats  # when needed: that takes half a second

    if stats.chi2_contingency(counts).pvalue >= level / len(share):
        return None
    text = f"has moved: the word {quote(word)} is in {is_now:.1f} % of its texts, formerly in"
    return _note(column.name, "moved", f"{text} {was:.1f} %.", len(now))


def _rows_by_word(texts: pd.Series) -> tuple[pd.Series, int]:
    """Count the texts that contain each word, in any case, and all texts."""
    read = texts.iloc[:: -(-len(texts) // MOST_TEXTS)].astype(str).str.lower()
    words = read.str.findall(r"\w+").map(set).map(sorted).explode()
    return words.value_counts(), len(read)


def _compare_distributions(
    column: Column, then: pd.Series, now: pd.Series, level: float
) -> DriftNote | None:
    """Report values whose distribution has moved; missing values are reported elsewhere."""
    then, now = then.dropna(), now.dropna()
    is_date = column.kind == "date"
    if (column.n_distinct < 2 and not is_date) or not len(now):
        return None
    if column.kind == "text":
        return _word(column, then, now, level)
    from scipy import stats

    if column.is_number or is_date:
        before, after = then.to_numpy(dtype=float), now.to_numpy(dtype=float)
        words = f"half are above {np.median(after):.6g}, formerly above {np.median(before):.6g}"
        if is_date:
            middle = [_day(s.quantile(interpolation="lower")) for s in (now, then)]
            words = "half are after {}, formerly after {}".format(*middle)
        test = stats.ks_2samp(before, after, method="asymp")
        moved, chance = float(test.statistic), float(test.pvalue)
    else:
        shares = pd.concat(
            [s.astype(str).value_counts() for s in (then, now)], axis=1, keys=["then", "now"]
        ).fillna(0)
        if len(shares) < 2:
            return None
        chance = float(stats.chi2_contingency(shares.to_numpy()).pvalue)
        change = (shares / shares.sum()).diff(axis=1)["now"].sort_values(kind="stable")
        moved, name = float(change.abs().sum() / 2), change.abs().idxmax()
        part = (shares / shares.sum()).loc[name]
        words = f"{quote(name)} is {part['now']:.1%} of the rows, formerly {part['then']:.1%}"
    if moved < LEAST_MOVED or chance >= level:
        return None
    return _note(column.name, "moved", f"has moved: {words.replace('%', ' %')}.", len(now))

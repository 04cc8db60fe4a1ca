"""How a column is read: its kind, its levels or order, dates and their parts, words, misfits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning.dates import find_recurring_parts, move_to_best_cut, round_to_calendar
from rulekit.binning.encodings import (
    UNIQUE_SHARE,
    ColumnEncoding,
    LevelColumn,
    OrderedColumn,
    WordColumn,
    level_groups,
)
from rulekit.binning.thresholds import Classes, automatic_cuts
from rulekit.binning.words import choose_words, holds_words
from rulekit.data.columns.conform import conform
from rulekit.data.columns.kinds import infer_kinds
from rulekit.data.columns.report import Misfit
from rulekit.data.headers import few, quote
from rulekit.data.typed import level_text
from rulekit.exceptions import DataError, RuleError
from rulekit.rules import Columns, Literal
from rulekit.rules.condition import (
    DATE_PARTS,
    DAYS_SINCE,
    check_order,
    check_part,
    missing_in,
    moment,
    positions_in,
)

FEW = 31  # of a part of a date with no more values, every one is a cut
PRIOR = 10.0  # rows of average class that a level is given before levels are put in order
MAX_LEVELS = 50  # of text, where no binarizer sets another limit
Values = NDArray[np.float64]
Groups = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Reading:
    """User overrides of how a column is read (kind or level order)."""

    read_as: Any = None
    order: Sequence[str] | None = None


@dataclass(frozen=True)
class _Cells:
    """The present cells of a column that holds no numbers, and the classes of their rows."""

    name: str
    present: NDArray[Any]
    classes: NDArray[np.intp] | None
    has_missing: bool


@dataclass(frozen=True)
class Cutting:
    """How the columns of one table become conditions, by the parameters of `Binarizer`."""

    method: str
    n_thresholds: int | None
    max_levels: int
    sets: bool
    classes: NDArray[np.intp] | None  # (n,)

    def encode(
        self, name: str, column: NDArray[Any], cuts: Values | None, reading: Reading
    ) -> list[ColumnEncoding]:
        """Cut a column (n,), where `cuts` are those of numbers, or of dates by the user."""
        absent = missing_in(column)
        has_missing = bool(absent.any())
        if column.dtype != object and cuts is not None:
            return [OrderedColumn(name, cuts, has_missing)]
        if column.dtype != object:
            groups = tuple((float(v),) for v in np.unique(column[~absent]) + 0.0)
            return [LevelColumn(name, groups, has_missing, numeric=True)]
        classes = None if self.classes is None else self.classes[~absent]
        cells = _Cells(name, column[~absent], classes, has_missing)
        views = self._read(cells, reading) or [LevelColumn(name, (), has_missing)]
        if cuts is not None:
            rest = [view for view in views if view.part not in (None, "date")]
            views = [OrderedColumn(name, cuts, has_missing, "date"), *rest]
        return [views[0], *(replace(view, extra=True) for view in views[1:])]

    def _read(self, cells: _Cells, reading: Reading) -> list[ColumnEncoding]:
        """Read a column of text or truth values."""
        name, present, has_missing = cells.name, cells.present, cells.has_missing
        if reading.order is not None:
            return [read_ordered_levels(name, present, reading.order, has_missing)]
        read_as = reading.read_as or infer_reading(present, cells.classes, self.max_levels)
        if read_as in ("levels", None):
            return self._levels(cells, refuse=read_as is None)
        if read_as == "words":
            words = choose_words([str(v) for v in present], cells.classes)
            return [WordColumn(name, word, has_missing) for word in words]
        views: list[ColumnEncoding] = []
        for part in (read_as,) if isinstance(read_as, str) else tuple(read_as):
            values = positions_in(name, present, part, None)
            distinct = np.unique(values)
            if len(distinct) < 2:  # the same in every row
                continue
            column = OrderedColumn(name, np.empty(0), has_missing, part)
            cuts = self.cuts(column, values, cells.classes, distinct)
            views += [replace(column, cuts=cuts)] if len(cuts) else []
            if part == "weekday" or (part == "month" and len(distinct) > 2):
                views += self._levels(replace(cells, present=values.astype(object)), part)
        return views

    def _levels(
        self, cells: _Cells, part: str | None = None, refuse: bool = False
    ) -> list[ColumnEncoding]:
        counts = pd.Series(cells.present, dtype=object).value_counts()
        groups = level_groups(cells.name, dict(counts.items()), self.max_levels, refuse=refuse)
        plain = LevelColumn(cells.name, groups, cells.has_missing, part is not None, part)
        if not self.sets or cells.classes is None or len(groups) < 2:
            return [plain]
        described = np.unique(cells.classes)
        described = described[1:] if len(described) <= 2 else described
        views: list[LevelColumn] = []
        for k in described:
            of_class = cells.classes == k
            parted = self._part_rare(groups, cells.present, of_class)
            codes = replace(plain, groups=parted).group_codes(cells.present)
            sorted_groups = _sort_by_share(parted, codes, of_class)
            base = frozenset(x for view in views for x in view.base_literals())
            views.append(replace(plain, groups=sorted_groups, ranked=True, skip=base))
        return [*views] or [plain]

    def _part_rare(
        self, groups: Groups, present: NDArray[Any], of_class: NDArray[np.bool_]
    ) -> Groups:
        """Split the rare levels by their share of a class, into at most `max_levels` / 2 groups."""
        *frequent, rare = groups
        n_parts = self.max_levels // 2
        if len(rare) < 2 or n_parts < 2:
            return groups
        single = LevelColumn("", tuple((v,) for v in rare), False)
        inside = np.isin(present, np.array(rare, dtype=object))
        codes = single.group_codes(present[inside])
        ordered = _sort_by_share(single.groups, codes, of_class[inside], float(of_class.mean()))
        rows = pd.Series(present[inside], dtype=object).value_counts()
        ends = np.cumsum([int(rows[v]) for (v,) in ordered])
        part = np.minimum(n_parts * (ends - 1) // ends[-1], n_parts - 1)
        parts = [
            [v for (v,), p in zip(ordered, part, strict=True) if p == k] for k in range(n_parts)
        ]
        return (*frequent, *(tuple(sorted(levels, key=str)) for levels in parts if levels))

    def cuts(
        self, column: OrderedColumn, values: Values, classes: Classes | None, distinct: Values
    ) -> Values:
        """Choose the cuts of a part of dates, each written as short as can be."""
        if self.method == "manual" and column.part == "date":
            return np.empty(0)
        method = "quantile" if self.method == "manual" else self.method
        few = len(distinct) <= FEW and column.part != "date"
        if few and not column.part.startswith(DAYS_SINCE):  # type: ignore[union-attr]
            return distinct[:-1]
        raw = automatic_cuts(values, classes, method, self.n_thresholds)
        if column.part == "date" and method in ("quantile", "uniform", "median"):
            cuts = round_to_calendar(column, raw, distinct)
            return cuts if classes is None else move_to_best_cut(column, cuts, values, classes)
        bin_index = np.unique(np.searchsorted(distinct, raw, side="right"))
        pairs = zip(raw.tolist(), bin_index.tolist(), strict=False)
        edges = [column.edge_between(r, *distinct[k - 1 : k + 1].tolist()) for r, k in pairs]
        return np.unique(np.array(edges, dtype=float))


def infer_reading(
    present: NDArray[Any],
    classes: NDArray[np.intp] | None,
    max_levels: int,
    share: float = UNIQUE_SHARE,
    only_levels: bool = False,
) -> str | tuple[str, ...] | None:
    """Return "levels", "words" or parts of dates for values of `conform` (n,); None if unusable."""
    distinct = set(present.tolist())
    if not all(isinstance(v, str) for v in distinct):
        return "levels"
    if not only_levels and is_dates(present):
        return find_recurring_parts(present)
    if len(distinct) <= max(max_levels, share * len(present)):
        return "levels"
    phrases = not only_levels and holds_words(sorted(distinct))
    return "words" if phrases and choose_words(present.tolist(), classes) else None


def is_dates(column: NDArray[Any]) -> bool:
    """Return whether every present cell is a date as ISO text, and some cell is."""
    cells = set(column[~missing_in(column)].tolist())
    return bool(cells) and all(isinstance(v, str) and moment(v) is not None for v in cells)


def read_ordered_levels(
    name: str, present: NDArray[Any], order: Sequence[str], has_missing: bool
) -> OrderedColumn:
    """Read a column by an order of its levels, cut between any two that occur."""
    try:
        levels = check_order(tuple(str(v) for v in order))
    except RuleError as error:
        raise DataError(f"Column {name!r}: {error}") from error
    counts = pd.Series(present, dtype=object).map(str).value_counts()
    if left_out := sorted(set(counts.index) - set(levels)):
        more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
        first = f"{left_out[0]!r}{more} ({int(counts[left_out[0]])} rows)"
        raise DataError(
            f"The order of column {name!r} must name every level; {first} is not in it. Add it in "
            "its place."
        )
    places = sorted(levels.index(v) for v in counts.index)
    cuts = [np.floor((a + b) / 2) + 0.5 for a, b in pairwise(places)]
    return OrderedColumn(name, np.array(cuts), has_missing, order=levels)


def check_reading(name: str, reading: Any) -> Any:
    """Return how a column is to be read; ValueError if that is no way of reading."""
    if reading in ("levels", "words"):
        return reading
    parts = (reading,) if isinstance(reading, str) else reading
    try:
        checked_parts = tuple(check_part(part) for part in parts)
    except (RuleError, TypeError) as error:
        raise ValueError(
            f"`read_as` of column {name!r} is {reading!r}. Use 'levels', 'words', or parts "
            f"of dates: one or several of {DATE_PARTS} and 'days since 2024-01-01'."
        ) from error
    return checked_parts or DATE_PARTS


def readings_of(
    X: Any,
    columns: Mapping[str, NDArray[Any]],
    read_as: Mapping[Any, Any],
    orders: Mapping[Any, Sequence[str]],
) -> dict[str, Reading]:
    """Return how columns are read, from the table's types or the parameters."""
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else pd.Series(dtype=object)
    readings: dict[str, Reading] = {}
    for name, dtype in zip(map(str, dtypes.index), dtypes, strict=True):
        if getattr(dtype, "ordered", False) and len(dtype.categories) > 1:
            readings[name] = Reading(order=tuple(map(level_text, dtype.categories)))
    for parameter, given in (("read_as", read_as), ("orders", orders)):
        for name, value in given.items():
            values = columns.get(str(name))
            if values is None or values.dtype != object:
                why = "the table does not have" if values is None else "holds numbers"
                raise ValueError(
                    f"`{parameter}` names column {name!r}, which {why}. Remove the entry or "
                    "correct the name."
                )
            by_order = parameter == "orders"
            read = None if by_order else check_reading(str(name), value)
            readings[str(name)] = Reading(read, value if by_order else None)
    if both := sorted(set(map(str, read_as)) & set(map(str, orders))):
        raise ValueError(
            f"Column {both[0]!r} is in both `orders` and `read_as`. Remove one of the two entries."
        )
    return readings


def edges_of_cuts(name: str, cuts: Sequence[Any], part: str | None) -> Values:
    """Read the cut points of a column as edges: numbers, or dates as text."""
    if part == "date":
        try:
            edges = [Literal(name, "<", v, part="date").edge for v in cuts]
        except RuleError as error:
            raise ValueError(f"`thresholds` of column {name!r}: {error}") from error
        return np.unique(np.array(edges, dtype=float))
    try:
        numbers = np.array(list(cuts), dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError(f"`thresholds` must be finite numbers, got {cuts!r} for column {name!r}.")
    return np.unique(numbers + 0.0)


def _sort_by_share(
    groups: Groups, codes: NDArray[np.intp], of_class: NDArray[np.bool_], mean: float | None = None
) -> Groups:
    """Sort groups by their share of a class, shares of few rows shrunk to the mean."""
    rows = np.bincount(codes, minlength=len(groups))
    hits = np.bincount(codes[of_class], minlength=len(groups))
    mean = float(of_class.sum()) / len(of_class) if mean is None else mean
    share = (hits + PRIOR * mean) / (rows + PRIOR)
    order = sorted(range(len(groups)), key=lambda k: (float(share[k]), str(groups[k][0])))
    return tuple(groups[k] for k in order)


@dataclass(frozen=True)
class TableReader:
    """How a learner reads text and dates."""

    binarizer: Any = None  # a `Binarizer`, or None: the settings of one by default
    share: float = UNIQUE_SHARE

    def find_fixed_kinds(self, frame: pd.DataFrame) -> dict[str, str]:
        """Return the kinds that follow from `read_as` and `orders`, and from ordered categories."""
        kinds: dict[str, str] = {}
        if self.binarizer is None:
            return kinds
        for name, read_as in dict(self.binarizer.read_as or {}).items():
            numeric = str(name) in frame and pd.api.types.is_numeric_dtype(frame[str(name)].dtype)
            if not numeric:  # else the binarizer refuses the entry
                by_level = check_reading(str(name), read_as) in ("levels", "words")
                kinds[str(name)] = "level" if by_level else "date"
        return kinds | {str(name): "level" for name in dict(self.binarizer.orders or {})}

    def readings(
        self,
        frame: pd.DataFrame,
        columns: Columns,
        kinds: Mapping[str, str],
        codes: NDArray[np.intp],
    ) -> dict[str, Any]:
        """Return how each column of text or dates is read; None if no condition can use it."""
        named = set(self.find_fixed_kinds(frame))
        named |= {str(n) for n in frame.columns if getattr(frame[n].dtype, "ordered", False)}
        most = MAX_LEVELS if self.binarizer is None else self.binarizer.max_levels
        readings: dict[str, Any] = {}
        for name, values in columns.items():
            if kinds[name] in ("text", "date") and name not in named:
                there = ~missing_in(values)
                args = values[there], codes[there], most, self.share, self.binarizer is None
                readings[name] = infer_reading(*args)
        return readings


def describe_ignored(names: Sequence[str], kinds: Mapping[str, str]) -> str:
    """Describe columns that are left out: dates first, then texts."""
    sentences = []
    for is_date, cause in (
        (True, "dates, which this learner does not compare in time"),
        (False, "texts, as names and identifiers do"),
    ):
        part = [quote(name) for name in names if (kinds.get(name) == "date") == is_date]
        words = ("Column", "holds", "it is") if len(part) == 1 else ("Columns", "hold", "they are")
        columns, hold, they_are = words
        text = f"{columns} {few(part)} {hold} too many different {cause}; {they_are} not used."
        sentences += [text] if part else []
    return " ".join(sentences)


def drop_ignored(
    frame: pd.DataFrame, columns: Columns, misfits: Sequence[Misfit], ignored: tuple[str, ...]
) -> pd.DataFrame:
    """Return the frame without ignored columns and without values that do not fit."""
    cleaned = {m.name: columns[m.name] for m in misfits if m.name not in ignored}
    remaining = frame.drop(columns=list(ignored)) if ignored else frame
    return remaining.assign(**cleaned) if cleaned else remaining


def clean_frame(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Make values that do not fit their column missing; a sentence for each such column."""
    columns, report = conform(frame, infer_kinds(frame))
    sentences = [misfit.sentence(frame.index.to_numpy()) for misfit in report.misfits]
    return drop_ignored(frame, columns, report.misfits, ()), sentences

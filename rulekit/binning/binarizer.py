"""The transformer from a table to Boolean columns, and counts of what it makes of each column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rulekit._validation import Interval, StrOptions, check_parameters
from rulekit.binning.binned_table import BinnedTable
from rulekit.binning.encodings import ColumnEncoding, LevelColumn, OrderedColumn, literals_of
from rulekit.binning.thresholds import METHODS, SUPERVISED, choose_cuts, shortest
from rulekit.binning.views import (
    Cutting,
    Reading,
    TableReader,
    edges_of_cuts,
    is_dates,
    readings_of,
)
from rulekit.data.columns.conform import conform
from rulekit.data.columns.kinds import infer_kinds
from rulekit.data.headers import few
from rulekit.data.typed import as_pandas, read_labels
from rulekit.exceptions import DataError
from rulekit.rules import Columns, Literal
from rulekit.rules.condition import missing_in, spell_part, value_text
from rulekit.rules.schema import Schema


@dataclass(eq=False, repr=False)
class Binarizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    """Turn a table into Boolean columns, each of them a literal.

    A numeric column gives ``x <= t`` and ``x > t`` for each of its cut points; one of only two
    values is Boolean and gives a test for each. Levels give ``==`` and ``!=`` for each of them
    (``==`` alone if there are two), and sets of them; levels with an order ``<=`` and ``>=``; dates
    what is read of them, before a date and from it on, the year, the month, the weekday, the hour;
    texts that hardly repeat the words they contain. A column of a single value gives nothing.

    Parameters
    ----------
    method : {"quantile", "uniform", "median", "entropy", "tree", "manual"}, default="quantile"
        How cut points are chosen: at quantiles (of the other rows, where more than half hold one
        value), in equal widths, at the median, by entropy with the minimum description length stop
        (Fayyad and Irani), by a decision tree of the one column, or only as given in `thresholds`.
        "entropy" and "tree" need `y`.
    n_thresholds : int or None, default=10
        Cut points a column at most. None: every distinct value ("quantile", "uniform"), or as many
        as the method finds ("entropy", "tree"). Not used by "median" and "manual".
    thresholds : mapping of str to sequence of float, optional
        Cut points of single columns, whatever the method; kept exactly as given; of dates as text,
        "2024-03-01". An empty sequence leaves a column without conditions on its value.
    max_levels : int, default=50
        Levels a column of categories may have; where there are more, the commonest
        ``max_levels - 1`` stay and the others become one group (an ``in`` literal), or several of
        similar shares of a class where sets are conditions.
    read_as : mapping of str to str or sequence of str, optional
        How single columns that hold no numbers are read: "levels", "words", or what is read of
        dates, one or several of "date", "year", "month", "weekday", "hour" and "days since
        2024-01-01". By default dates (``datetime64``, or text in which every cell is one such as
        "2024-03-01 12:30:00") give the first two, and month, weekday and hour where these were
        seen in two years, weeks or days; texts of which more than half, and more than
        `max_levels`, differ give words if they are phrases; all else gives levels.
    orders : mapping of str to sequence of str, optional
        Every level of single columns, the lowest first. An ordered ``Categorical`` of pandas
        brings its order along.
    sets : bool, default=True
        Whether sets of levels are conditions, where `y` is given and there are at least four
        levels: of the levels sorted by their share of a class, the first one, two, ... and the
        others. Of more than two classes, each has its own order.
    test_missing : bool or sequence of str, default=True
        Whether "missing" and "present" are conditions, or the columns where they are.

    Attributes
    ----------
    cuts_ : dict of str to ndarray of float
        The cut points of every numeric column with more than two values, or with `thresholds`.
    literals_ : tuple of Literal
        What the Boolean columns mean: column by column, and for each thing that is read of it in
        the order of `Literal.sort_key`.
    encodings_ : tuple
        How each column is cut into cells, sorted by name; one that is read in several ways has
        several.
    feature_names_in_ : ndarray of str
    n_features_in_ : int

    Raises
    ------
    DataError
        If a column is infinite somewhere, or holds single words that are nearly never the same
        twice; if an order does not name a level that occurs; at `transform` if a column is missing
        or no value of it fits, as where text is given for numbers.
    ValueError
        If a parameter does not fit.

    Notes
    -----
    *Cut points* of the automatic methods are written as the shortest decimal between the two
    training values they separate, which changes no training row. Cuts that leave all training
    rows on one side are dropped; where none is left ("quantile", "uniform", "median"), the
    column is cut below its largest value.

    *Missing values.* A condition says no to a missing value. Where training rows lacked values in a
    column, each of its conditions has a second variant that says yes, and there are the conditions
    "missing" and "present" (see `test_missing`).

    *Levels not seen in training* meet no ``==`` or ``in`` and every ``!=`` or ``not-in``; so does
    a third value of a column that had two.

    `transform` gives a `BinnedTable`, which NumPy takes for its Boolean values; its columns are
    literals, so `set_output` is not offered. Sample weights play no part. Cost is O(n p log n)
    to fit ("entropy": see `mdlp_cuts`) and O(n d) to transform.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "smoker": ["no", "no", "yes", "yes"]})
    >>> matrix = Binarizer(n_thresholds=1).fit_transform(X)
    >>> [str(literal) for literal in matrix.literals]
    ['age <= 35', 'age > 35', 'smoker == no', 'smoker == yes']
    >>> matrix.values[0]
    array([ True, False,  True, False])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "method": [StrOptions({*METHODS, "manual"})],
        "n_thresholds": [Interval(Integral, 1, None, closed="left"), None],
        "thresholds": [Mapping, None],
        "max_levels": [Interval(Integral, 2, None, closed="left")],
        "read_as": [Mapping, None],
        "orders": [Mapping, None],
        "sets": ["boolean"],
        "test_missing": ["boolean", "array-like"],
    }

    method: str = "quantile"
    n_thresholds: int | None = 10
    thresholds: Mapping[str, Sequence[float]] | None = None
    max_levels: int = 50
    read_as: Mapping[str, str | Sequence[str]] | None = None
    orders: Mapping[str, Sequence[str]] | None = None
    sets: bool = True
    test_missing: bool | Sequence[str] = True

    def fit(self, X: Any, y: Any = None) -> "Binarizer":
        """Choose cut points and levels of the columns of X (n, p); those of an array are x0, x1 ...

        `y` (n,), the class of each row, is read by the methods "entropy" and "tree", and to choose
        sets of levels and words.
        """
        check_parameters(self)
        X = as_pandas(X)
        self._fit_columns(X, self._columns(X, reset=True), y)
        return self

    def fit_read(
        self, frame: pd.DataFrame, columns: Columns, schema: Schema, y: Any
    ) -> BinnedTable:
        """Do as `fit`, then `transform`, for a checked table that was read by a schema."""
        check_parameters(self)
        self._schema = schema
        validate_data(self, frame, reset=True, skip_check_array=True)
        self._fit_columns(frame, columns, y)
        return self._codes(columns)

    def _fit_columns(self, X: Any, columns: Columns, y: Any) -> None:
        readings = readings_of(X, columns, self.read_as or {}, self.orders or {})
        cuts = {}
        for name, given in dict(self.thresholds or {}).items():
            if str(name) not in columns:
                raise ValueError(
                    f"`thresholds` names column {name!r}, which the table does not have; "
                    "remove the entry or correct the name."
                )
            column = columns[str(name)]
            part = "date" if column.dtype == object and is_dates(column) else None
            if column.dtype == object and (part is None or str(name) in readings):
                raise ValueError(
                    f"`thresholds` gives cut points for column {name!r}, which does not hold "
                    "numbers. Remove the entry."
                )
            cuts[str(name)] = edges_of_cuts(str(name), given, part)
        classes = self._classes(y, columns)
        cuts |= self._automatic_cuts(columns, cuts, classes)
        cutting = Cutting(self.method, self.n_thresholds, self.max_levels, self.sets, classes)
        encodings: list[ColumnEncoding] = []
        for name in sorted(columns):
            reading = readings.get(name, Reading())
            encodings += cutting.encode(name, columns[name], cuts.get(name), reading)
        tested = self.test_missing
        names = set(columns) if tested is True else set(tested or ())
        if unknown := sorted(names - set(columns)):
            raise ValueError(
                f"`test_missing` names column {unknown[0]!r}, which the table does not have; "
                "remove it or correct the name."
            )
        self.encodings_: tuple[ColumnEncoding, ...] = tuple(
            e if e.name in names else replace(e, extra=True) for e in encodings
        )
        numeric = [e for e in encodings if isinstance(e, OrderedColumn) and e.is_plain]
        self.cuts_ = {e.name: e.cuts for e in numeric}
        self.__dict__.pop("literals_", None)

    @cached_property
    def literals_(self) -> tuple[Literal, ...]:
        """The literal of each Boolean column; computed on first access."""
        if not hasattr(self, "encodings_"):
            raise AttributeError("`literals_` exists only after `fit`. Call `fit` first.")
        return tuple(literal for e in self.encodings_ for literal in literals_of(e))

    def transform(self, X: Any) -> BinnedTable:
        """Return the bin of each value, and the conditions that they offer; columns go by name.

        NumPy takes the table for its Boolean values (n, n_conditions), which are formed on first
        access.
        """
        check_is_fitted(self)
        return self._codes(self._columns(X, reset=False))

    def _codes(self, columns: Columns) -> BinnedTable:
        kind = np.min_scalar_type(max((e.n_cells for e in self.encodings_), default=1) - 1)
        n = len(next(iter(columns.values())))
        codes = np.empty((n, len(self.encodings_)), dtype=kind, order="F")
        for j, encoding in enumerate(self.encodings_):
            codes[:, j] = encoding.codes(columns[encoding.name])
        return BinnedTable(codes, self.encodings_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the conditions as text (d,); `input_features` must be the names seen in `fit`."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self.column_names_:
            raise ValueError(
                "`input_features` is not equal to `feature_names_in_`. Leave it out, or give the "
                "column names seen in `fit`."
            )
        return np.array([str(literal) for literal in self.literals_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.method in SUPERVISED
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def column_names_(self) -> list[str]:
        """The columns seen in `fit`, in their order; x0, x1 ... for an array."""
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        return [f"x{i}" for i in range(self.n_features_in_)]

    def _columns(self, X: Any, reset: bool) -> dict[str, NDArray[Any]]:
        """Check a table and take it apart into the rules' columns."""
        X = as_pandas(X)
        if isinstance(X, pd.DataFrame):
            X = X.set_axis([str(name) for name in X.columns], axis=1)
            if not reset:
                names = self.column_names_
                if absent := [repr(name) for name in names if name not in X.columns]:
                    raise DataError(
                        f"The table must have every column seen in `fit`; it lacks {few(absent)}. "
                        "Add the column, empty where it is not known."
                    )
                X = X[names] if hasattr(self, "feature_names_in_") else X
            validate_data(self, X, reset=reset, skip_check_array=True)
            frame = X
        else:
            checked = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
            frame = pd.DataFrame(checked, columns=self.column_names_)
        if frame.shape[0] == 0 or frame.shape[1] == 0:
            raise DataError(f"A table needs rows and columns; found shape {frame.shape}.")
        if reset:
            self._schema = infer_kinds(frame, TableReader(self).find_fixed_kinds(frame))
        columns, report = conform(frame, self._schema, exact=reset)
        report.warn(stacklevel=3)
        return columns

    def _classes(self, y: Any, columns: Mapping[str, Any]) -> NDArray[np.intp] | None:
        if y is None:
            if self.method not in SUPERVISED:
                return None
            raise ValueError(
                f"`method={self.method!r}` requires y to be passed, but the target y is None; "
                "give the class of each row, or use method='quantile'."
            )
        codes: NDArray[np.intp] = pd.factorize(read_labels(y), sort=True)[0]
        n = len(next(iter(columns.values())))
        if codes.shape != (n,):
            raise ValueError(f"`y` must have one class a row: {n} expected, found {len(codes)}.")
        if n_missing := int((codes < 0).sum()):
            gaps = f"it is missing in {n_missing}. Leave these rows out."
            raise DataError(f"`y` must have a class in every row; {gaps}")
        return codes

    def _automatic_cuts(
        self,
        columns: Mapping[str, NDArray[Any]],
        given: Mapping[str, NDArray[np.float64]],
        classes: NDArray[np.intp] | None,
    ) -> dict[str, NDArray[np.float64]]:
        """Choose the cuts of numeric columns of three values or more, other than those given."""
        chosen = {}
        numeric = {name: column for name, column in columns.items() if column.dtype != object}
        for name in sorted(numeric.keys() - given.keys()):
            absent = missing_in(numeric[name])
            present = numeric[name][~absent]
            if len(distinct := np.unique(present)) <= 2:
                continue
            if self.method == "manual":
                raise ValueError(
                    f"`method='manual'` needs cut points for every numeric column; `thresholds` "
                    f"has none for column {name!r}. Add them (an empty list for no condition), or "
                    "use another method."
                )
            labels = classes[~absent] if self.method in SUPERVISED and classes is not None else None
            chosen[name] = choose_cuts(present, distinct, labels, self.method, self.n_thresholds)
        if not chosen:
            return {}
        cuts = shortest(*np.concatenate([*chosen.values()], axis=1))  # a call a column is slower
        ends = np.cumsum([gaps.shape[1] for gaps in chosen.values()])
        return dict(zip(chosen, np.split(cuts, ends[:-1]), strict=True))


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One bin of a numeric column, or one level (or group of rare levels) of any other."""

    name: str  # "<= 5", "> 5 to 8", "red", "12 rare levels", "not seen in training" or "missing"
    low: float  # NaN unless a bin
    high: float  # included in the bin
    n: int
    counts: dict[Any, int]  # rows of each class; empty if no classes were given

    def share(self, label: Any) -> float:
        """Return the share of its rows that are of a class; NaN without rows."""
        return self.counts.get(label, 0) / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """Summary of one column, or of one part that is read of it."""

    name: str
    reads: str  # "" for the values themselves, "date", "weekday", ..., "order", or a quoted word
    kind: str  # "ordered" (cut at thresholds), "levels", "words" or "nothing" (no condition)
    cuts: tuple[float, ...]  # of an "ordered" column, see `Literal.positions`
    cells: tuple[CellSummary, ...]  # ascending bins or levels, then unseen and missing values
    n_conditions: int


def candidate_summary(
    binarizer: Binarizer, X: Any, y: Sequence[Any] | NDArray[Any] | None = None
) -> tuple[ColumnSummary, ...]:
    """Count the rows, and the classes, in every bin and level of every column.

    Parameters
    ----------
    binarizer : Binarizer
        Fitted.
    X : DataFrame or array of shape (n, p)
        The rows to count; the training rows or others.
    y : array of shape (n,), optional
        Their classes; a missing class is counted in no class.

    Returns
    -------
    tuple of ColumnSummary
        In the order of the columns seen in `fit`; of a column that is read in several ways, such
        as a date and its weekday, one for each.

    Raises
    ------
    DataError
        If `y` has another length than `X`.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0]})
    >>> (age,) = candidate_summary(Binarizer(n_thresholds=1).fit(X), X, ["a", "a", "a", "b"])
    >>> [(cell.name, cell.n, cell.share("b")) for cell in age.cells]
    [('<= 35', 2, 0.0), ('> 35', 2, 0.5)]
    """
    codes = binarizer.transform(X)
    n = len(codes.codes)
    truth = pd.Series([None] * n if y is None else list(y), dtype=object)
    if len(truth) != n:
        raise DataError(f"`y` must have one class a row: {n} expected, {len(truth)} given.")
    classes, labels = pd.factorize(truth, sort=False)
    summaries: dict[str, list[ColumnSummary]] = {}
    for j, encoding in enumerate(binarizer.encodings_):
        cells = codes.codes[:, j].astype(int)
        counts = np.zeros((encoding.n_cells, len(labels) + 1), dtype=int)
        np.add.at(counts, (cells, classes), 1)  # a missing class is -1: the last column
        summaries.setdefault(encoding.name, []).append(_summary(encoding, counts, list(labels)))
    return tuple(part for name in binarizer.column_names_ for part in summaries[name])


def _summary(
    encoding: ColumnEncoding, counts: NDArray[np.intp], labels: list[Any]
) -> ColumnSummary:
    kind, cuts, reads = "levels", (), encoding.part or ""
    others = ["missing"]
    if isinstance(encoding, OrderedColumn):
        kind, cuts = "ordered", tuple(encoding.cuts.tolist())
        reads, names = "order" if encoding.order else reads, ["any"]
        if cuts:
            below, above = (
                [encoding.cut_literal(k, side) for k in range(len(cuts))] for side in (-1, 1)
            )
            low, high = (
                [value_text(spell_part(x.value, x.part)) for x in side] for side in (below, above)
            )
            inner = "> {} to {}" if encoding.is_plain else f"{above[0].op} {{}}, {below[0].op} {{}}"
            names = [f"{below[0].op} {low[0]}", *map(inner.format, high[:-1], low[1:])]
            names.append(f"{above[-1].op} {high[-1]}")
        bins = list(zip(names, [-np.inf, *cuts], [*cuts, np.inf], strict=True))
    elif isinstance(encoding, LevelColumn):
        parts = [(spell_part(group[0], encoding.part), len(group)) for group in encoding.groups]
        names = [value_text(v) if n == 1 else f"{n} rare levels" for v, n in parts]
        bins = [(name, np.nan, np.nan) for name in names]
        others.insert(0, "not seen in training")
    else:
        kind, reads = "words", repr(encoding.word)
        bins = [(f"{a} {reads}", np.nan, np.nan) for a in ("without", "with")]
    ends = [*bins, *((name, np.nan, np.nan) for name in others)]
    cells = [
        CellSummary(*end, int(row.sum()), dict(zip(labels, row[:-1].tolist(), strict=True)))
        for k, (end, row) in enumerate(zip(ends, counts, strict=True))
        if k < len(bins) or row.any()
    ]
    n_conditions = len(encoding.conditions())
    kind = kind if n_conditions else "nothing"
    return ColumnSummary(encoding.name, reads, kind, cuts, tuple(cells), n_conditions)

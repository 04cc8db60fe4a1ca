"""Tables: a data frame with the properties of its columns, and a digest of its content."""

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data.cells.dates import dates_in, durations_in
from rulekit.data.cells.levels import match_level, spelling_of
from rulekit.data.cells.numbers import numbers_in
from rulekit.data.column import (
    ROLES,
    SINGLE,
    Column,
    convert_series,
    describe_column,
    order_of,
    order_problem,
    role_notes,
    whole,
)
from rulekit.data.headers import few, quote, repair_headers
from rulekit.data.options import CONVERTED, CUT, DAYS, LOST, TEXT, Decision, Limits, Note, has_kind
from rulekit.data.typed import as_durations, as_pandas, level_text
from rulekit.exceptions import DataError

NUMBER = r"(-?[0-9][0-9 ]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"  # as `outcomes_of_cut` writes one


def outcomes_of_cut(name: str, cut: float) -> tuple[str, str]:
    """Return the names of the classes above and up to a cut of a column."""
    number = f"{cut:,.15g}".replace(",", " ")
    return f"{name} above {number}", f"up to {number}"


def cut_of_outcomes(name: str, labels: Iterable[Any]) -> float | None:
    """Return the cut of a column from the names of its classes; None if they name no cut."""
    outcome = re.compile(rf"(?:{re.escape(name)} above |up to ){NUMBER}")
    for label in map(str, labels):
        if (match := outcome.fullmatch(label)) is not None:
            cut = float(match[1].replace(" ", ""))
            if label in outcomes_of_cut(name, cut):
                return cut
    return None


def numbers_of_cut(name: str) -> str:
    """Return the name of the column that keeps the numbers of a cut column."""
    return f"{name} (number)"


@dataclass(frozen=True, repr=False)
class Table:
    """A data frame with the properties of its columns.

    Tables come from `read_table`, `load_sample` and `Table.from_frame`; they are not changed in
    place, every method that changes something returns a new table.

    Parameters
    ----------
    frame : DataFrame of shape (n, k)
        The content, on a range index: ``int64`` or ``float64``, ``bool`` or ``boolean``,
        ``datetime64``, or text.
    columns : tuple of Column
        One a column of `frame`, in its order.
    notes : tuple of str
        Sentences about what was repaired, or set aside, on the way here.
    name : str
    digest : str
        SHA-256 of the content; names and every cell count, roles and notes do not.
    positive_label : object, default=None
        The class of the target that rules describe, once chosen.
    labels : mapping of str to str
        Names for people that the file has for columns.
    units : mapping of str to str
        Units that the file has for columns.
    cells : mapping of str to ChunkedArray
        The cells of converted columns as they are in the file.

    Examples
    --------
    >>> table = Table.from_frame(pd.DataFrame({"age": [31, 54, 60], "ill": ["no", "no", "yes"]}))
    >>> X, y = table.xy("ill")
    >>> list(X.columns), y.tolist()
    (['age'], ['no', 'no', 'yes'])
    """

    frame: pd.DataFrame = field(compare=False)  # compared by `digest`
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    name: str = "table"
    digest: str = ""
    positive_label: Any = None
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)
    units: Mapping[str, str] = field(default_factory=dict, compare=False)
    cells: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        name: str = "table",
        notes: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> "Table":
        """Build a table from any data frame (n, k), which is not changed.

        Its index is dropped; a multi-level header is joined by spaces. Roles are suggestions, each
        with a note: text with many values, dates and constants are ignored, identifiers have the
        role "id", all else is a feature. `limits` has the number of levels of a category and the
        length of a name. DataError if there is no column or no row.
        """
        limits = limits or Limits()
        frame = as_pandas(frame)
        if not isinstance(frame, pd.DataFrame):
            raise DataError(f"A table is made of a data frame, got {type(frame).__name__}.")
        if frame.shape[1] == 0:
            raise DataError("The table has no columns. Give at least one feature and a target.")
        if frame.shape[0] == 0:
            raise DataError("The table has a header but no rows. Give at least one row of data.")
        header = [" ".join(map(str, n)) if isinstance(n, tuple) else n for n in frame.columns]
        names, repairs = repair_headers(header, limits)
        parts, columns, all_notes = {}, [], [*notes, *repairs]
        for column, (_, given) in zip(names, frame.reset_index(drop=True).items(), strict=True):
            parts[column], changed = convert_series(given, column)
            described = describe_column(parts[column], column, limits.max_levels)
            in_days = any(has_kind(note, DAYS) for note in changed)
            columns.append(replace(described, order=order_of(given), is_duration=in_days))
            all_notes += changed
        content = pd.DataFrame(parts)
        all_notes += role_notes(columns)
        return cls(content, tuple(columns), tuple(all_notes), name, digest_of(content))

    def __repr__(self) -> str:
        target = f", target {quote(self.target)}" if self.target is not None else ""
        return f"<Table {quote(self.name)}: {self.n_rows} rows, {self.n_columns} columns{target}>"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns with the role "feature", by name."""
        return tuple(c.name for c in self.columns if c.role == "feature")

    @property
    def target(self) -> str | None:
        """The target column's name, or None."""
        return self._holder("target")

    def column(self, name: str) -> Column:
        """Return the properties of one column; DataError with similar names if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.65)
        hint = f"did you mean {', '.join(map(quote, near))}?"
        hint = hint if near else f"its columns are {few([*map(quote, names)])}."
        raise DataError(f"The table has no column {quote(name)}; {hint}")

    def xy(
        self, target: str | None = None, features: Sequence[str] | None = None
    ) -> tuple[pd.DataFrame, pd.Series]:
        """Split the table into features (m, k) and target (m,), by default by the roles of columns.

        Rows whose target is missing are left out; the index still counts the table's rows from 0.
        Whole numbers are ``int64``, levels with an order pandas' ordered ``Categorical``, durations
        ``timedelta64``, which learners know. DataError if there is no such column, the target is
        among `features`, or no feature is left.
        """
        target = self.target if target is None else target
        if target is None:
            raise DataError("A target must be named: no column has the role 'target'.")
        chosen = [f for f in self.features if f != target] if features is None else list(features)
        present = set(self.frame.columns)
        for name in (target, *(name for name in chosen if name not in present)):
            self.column(name)
        if target in chosen:
            raise DataError(f"The target {quote(target)} is among the features. Leave it out.")
        if not chosen:
            raise DataError(f"No feature is left beside the target {quote(target)}. Choose one.")
        present = self.frame[target].notna()
        X = self.frame.loc[present, chosen]
        for column in self.columns:
            if column.order and column.name in chosen:
                X[column.name] = pd.Categorical(X[column.name], column.order, ordered=True)
            if column.is_duration and column.name in chosen:
                X[column.name] = as_durations(X[column.name])
        return X, whole(self.frame.loc[present, target])

    def weights(self) -> pd.Series | None:
        """Return the column with the role "weight", or None; DataError for invalid weights."""
        name = self._holder("weight")
        if name is None:
            return None
        values = self.frame[name]
        numeric = pd.api.types.is_numeric_dtype(values.dtype)
        if not numeric or not (values.to_numpy(dtype=float, na_value=np.nan) >= 0).all():
            raise DataError(
                f"Weights must be numbers of at least 0 in every row; column {quote(name)} has "
                "other or missing values. Correct them, or set another role."
            )
        return values.astype(float)

    def groups(self) -> pd.Series | None:
        """Return the column with the role "group", or None; DataError if cells are missing."""
        name = self._holder("group")
        if name is None:
            return None
        if (gaps := self.frame[name].isna().to_numpy()).any():
            some = f"misses some (first: row {int(gaps.argmax()) + 1})"
            raise DataError(f"Every row needs a group; column {quote(name)} {some}.")
        return self.frame[name]

    def with_roles(self, roles: Mapping[str, str], *, positive_label: Any = None) -> "Table":
        """Return the table with other roles by column name; columns that are left out keep theirs.

        A role that only one column can have ("target", "weight", "group") is taken from its former
        holder, which becomes a feature. `positive_label` is the class of the target that rules
        describe; None keeps the former one if the target stays. DataError if a column, role or
        label is unknown, or a single role is given twice.
        """
        for name, role in roles.items():
            self.column(name)
            if role not in ROLES:
                raise DataError(f"A role must be one of {ROLES}, got {role!r} for {quote(name)}.")
        for role in SINGLE:
            holders = [quote(name) for name, r in roles.items() if r == role]
            if len(holders) > 1:
                two = " and ".join(holders[:5])
                raise DataError(f"One column at most can have the role {role!r}, got {two}.")
        single = set(roles.values()).intersection(SINGLE)
        former = {c.name: "feature" if c.role in single else c.role for c in self.columns}
        changed = (replace(c, role=roles.get(c.name, former[c.name])) for c in self.columns)
        new = replace(self, columns=tuple(changed), positive_label=None)
        if positive_label is None and new.target == self.target:
            positive_label = self.positive_label
        if positive_label is not None:
            if new.target is None:
                raise DataError("A positive class needs a target. Give a column the role 'target'.")
            present = whole(self.frame[new.target].dropna()).unique().tolist()
            if (level := match_level(positive_label, present)) is None:
                target = f"The positive class must occur in the target {quote(new.target)}"
                held = few([*map(quote, map(str, present))])
                raise DataError(f"{target}; {quote(positive_label)} does not. It holds {held}.")
            positive_label = level
        return replace(new, positive_label=positive_label)

    def as_numeric(self, name: str) -> "Table":
        """Return the table with a text column parsed as numbers; other cells become missing.

        A note counts the cells that were given up and names the first; a column of numbers is
        left as it is. Raises DataError if no cell is a number.
        """
        if self.column(name).is_number:
            return self
        if (numbers := pd.Series(numbers_in(self._text_of(name)))).isna().all():
            raise DataError(f"Column {quote(name)} has no cell that is a number. Leave it as text.")
        return self._read_as("numbers", name, numbers)

    def _read_as(self, kind: str, name: str, read: pd.Series, role: str | None = None) -> "Table":
        """Return the table with a text column as parsed, and a note on the cells that were lost."""
        text = self._text_of(name)
        lost = (read.isna() & text.notna()).to_numpy()
        note, first = f"Column {quote(name)} was read as {kind}", int(lost.argmax())
        if lost.any():
            note += f": {lost.sum()} of {self.n_rows} cells could not be read and became missing "
            note += f"(first: row {first + 1}, {quote(text.iloc[first])})."
        else:
            note += "; every present cell could be read."
        kinds = (CONVERTED, LOST) if lost.any() else (CONVERTED,)
        return self._replace_column(name, read, Note(note, name, *kinds), role)

    def as_date(self, name: str, *, day_first: bool | None = None) -> "Table":
        """Return the table with a text column parsed as dates; other cells become missing.

        A note counts the cells given up. `day_first` (03/04 is the 3rd of April) is needed only
        where the cells leave that open; DataError if they do without it, or no cell is a date.
        """
        if self.frame[self.column(name).name].dtype.kind == "M":
            return self
        dates = dates_in(self._text_of(name), name, day_first)
        return self._read_as("dates", name, dates, role="feature")

    def times(self, name: str) -> pd.Series:
        """Return the dates or numbers of a column, by which rows can be split in order of time.

        DataError if the column has neither, or leaves open whether the day comes first.
        """
        column = self.column(name)
        if column.kind == "date":
            return self.as_date(name).frame[name]
        if not column.is_number:
            raise DataError(
                f"Rows are split in order of dates or numbers, and column {quote(name)} has "
                "neither. Name another column."
            )
        return self.frame[name]

    def as_duration(self, name: str) -> "Table":
        """Return the table with a text column such as "1 day 06:30:00" parsed as days.

        06:30 is six hours and a half; a number alone is no duration. Other cells become missing,
        and are counted; DataError if no cell is a duration.
        """
        if self.units.get(self.column(name).name) == "h":  # times of day, read as hours
            days = self.frame[name] / 24
        else:
            if (days := durations_in(self._text_of(name))).isna().all():
                example = "06:30:00 or '2 days'. Leave it as text."
                raise DataError(f"Column {quote(name)} has no duration such as {example}")
        table = self._read_as("durations, in days", name, days)
        return table._with_column(name, replace(table.column(name), is_duration=True))

    def with_order(self, name: str, levels: Sequence[str]) -> "Table":
        """Return the table with an order of the levels of a text column, the lowest first.

        Others may be among `levels`; empty removes the order. DataError if a level is left out or
        named twice, or the column has no levels.
        """
        column = self.column(name)
        levels = tuple(str(v) for v in levels)
        if levels and (column.is_number or column.kind == "date"):
            kind = "numbers" if column.is_number else "dates"
            raise DataError(f"Column {quote(name)} holds {kind}, which have their own order.")
        if (problem := order_problem(self.frame[name], levels)) is not None:
            raise DataError(
                f"An order of column {quote(name)} must name each of its levels once, the lowest "
                f"first; {problem}."
            )
        return self._with_column(name, replace(column, order=levels))

    def _with_column(self, name: str, column: Column) -> "Table":
        """Return the table with other properties of a column."""
        columns = tuple(column if c.name == name else c for c in self.columns)
        return replace(self, columns=columns)

    def as_category(self, name: str) -> "Table":
        """Return the table with a column's cells as text, 3.0 as "3"."""
        note = f"Column {quote(name)} is read as a category."
        return self._replace_column(name, self._text_of(name), note)

    def with_merged_levels(self, name: str) -> "Table":
        """Return the table with levels that differ only in case or spaces as one, with a note.

        The most frequent spelling is kept, for the positive class, too.
        """
        is_number = self.column(name).is_number
        spelling = {} if is_number else spelling_of(dict(self.frame[name].value_counts()))
        if not spelling:
            return self
        pairs = few([f"{quote(a)} as {quote(b)}" for a, b in spelling.items()])
        merged = self.frame[name].replace(spelling)
        text, apart = f"In column {quote(name)}, {pairs} is read.", {"merged": {name: False}}
        table = self._replace_column(name, merged, Decision(text, "Keep them apart", apart))
        if name != self.target:
            return table
        return replace(table, positive_label=spelling.get(self.positive_label, self.positive_label))

    def with_missing(self, name: str, values: Sequence[Any]) -> "Table":
        """Return the table with some values of a column as missing cells, counted in a note."""
        series = self.frame[self.column(name).name]
        levels = series.dropna().unique().tolist()
        found = [match_level(value, levels) for value in values]
        cells = series.isin([level for level in found if level is not None])
        if not cells.any():
            return self
        listed = few([*map(quote, map(str, values))])
        note = f"In column {quote(name)}, {listed} ({int(cells.sum()):,} cells) is read as missing."
        kept = Decision(note, "Keep as a value", {"missing_in": {name: None}})
        return self._replace_column(name, series.mask(cells), kept)

    def with_cut(self, name: str, cut: float | None) -> "Table":
        """Return the table with a column of numbers as two classes, split at a cut.

        Numbers above it become "charges above 12 400", all others "up to 12 400", missing cells
        stay missing. The numbers are kept in a column "charges (number)" of the role "ignore", so
        another cut, or None for none, is possible later. DataError if the column has no numbers,
        the cut is not finite, or the name is taken.
        """
        numbers = numbers_of_cut(name)
        names = [c.name for c in self.columns]
        if not self.column(name).is_number and numbers in names:
            content = self.frame.assign(**{name: self.frame[numbers]}).drop(columns=numbers)
            before = replace(self.column(numbers), name=name, role=self.column(name).role)
            kept = [before if c.name == name else c for c in self.columns if c.name != numbers]
            new = replace(self, frame=content, columns=tuple(kept), positive_label=None)
            notes = self._notes_but(CUT, name)
            return replace(new, notes=notes, digest=digest_of(content)).with_cut(name, cut)
        if cut is None:
            return self
        if not np.isfinite(cut):
            raise DataError(f"A cut must be a finite number, got {cut}. Choose another one.")
        if not self.column(name).is_number:
            raise DataError(f"Only a column of numbers can be cut; {quote(name)} holds none.")
        if numbers in names:
            raise DataError(
                f"The numbers of {quote(name)} would be kept in a column {quote(numbers)}, which "
                "the table has already. Rename that column."
            )
        above, up_to = outcomes_of_cut(name, cut)
        values = self.frame[name]
        words = pd.Series(np.where(values > cut, above, up_to), dtype=object).mask(values.isna())
        content = self.frame.assign(**{numbers: values})
        ignored = replace(self.column(name), name=numbers, role="ignore")
        both = replace(self, frame=content, columns=(*self.columns, ignored), positive_label=None)
        note = f"Column {quote(name)} was cut at {cut:,.15g}; its numbers are in {quote(numbers)}."
        return both._replace_column(name, words, Note(note, name, CUT))

    def _holder(self, role: str) -> str | None:
        return next((c.name for c in self.columns if c.role == role), None)

    def _text_of(self, name: str) -> pd.Series:
        self.column(name)
        return self.frame[name].astype(object).map(level_text, na_action="ignore").astype("string")

    def _replace_column(
        self, name: str, series: pd.Series, note: str, role: str | None = None
    ) -> "Table":
        content = self.frame.copy()
        content[name], more = convert_series(series, name)
        before = self.column(name).role
        new = describe_column(content[name], name, Limits().max_levels)
        new = replace(new, role=before if before in SINGLE else role or new.role)
        notes = (*self._notes_but(TEXT, name), note, *more)
        table = replace(self, frame=content, notes=notes, digest=digest_of(content))
        return table._with_column(name, new)

    def _notes_but(self, kind: str, name: str) -> tuple[str, ...]:
        """Return the notes without those of a kind on a column."""
        return tuple(n for n in self.notes if not (has_kind(n, kind) and n.column == name))


def digest_of(frame: pd.DataFrame) -> str:
    """Compute the SHA-256 of names, types and every cell of a data frame, shape (n, k)."""
    sha = hashlib.sha256(f"{frame.shape[0]}x{frame.shape[1]}".encode())
    for name, column in frame.items():
        _feed_text(sha, str(name))
        kind = column.dtype
        is_moment = pd.api.types.is_datetime64_any_dtype(kind)
        if is_moment and column.dt.tz is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        if is_moment or (isinstance(kind, np.dtype) and pd.api.types.is_numeric_dtype(kind)):
            _feed_text(sha, str(kind))
            sha.update(column.to_numpy().tobytes())
        else:
            inferred = pd.api.types.infer_dtype(column, skipna=True)
            if inferred not in ("string", "empty", "boolean"):
                # 1, 1.0, True and "1" are four things
                described = column.astype(object).map(lambda v: f"{type(v).__name__} {v!r}")
                column = described.where(column.notna().to_numpy(), None)
            codes, levels = pd.factorize(column)
            _feed_text(sha, inferred)
            sha.update(codes.astype(np.int64).tobytes())
            for level in levels:
                _feed_text(sha, str(level))
    return sha.hexdigest()


def _feed_text(sha: "hashlib._Hash", text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    sha.update(len(raw).to_bytes(8, "little") + raw)

"""One analysis in one object: table, settings, model, and values derived from them."""

# Everything is in ``st.session_state["app"]``, an `AppState`; pages get it by `app_state()`. It is
# changed by assignment only (a click can interrupt a script at any line).

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, get_type_hints

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from sklearn.model_selection import PredefinedSplit

from rulekit.binning import Binarizer
from rulekit.data import Costs, Table, hold_out, make_folds
from rulekit.data.folds import Fold, equal_rows, join_groups
from rulekit.data.options import Note
from rulekit.data.target import check_target, class_counts
from rulekit.exceptions import DataError, RulekitError
from rulekit.export import from_json
from rulekit.families import FAMILIES
from ui import saved
from ui.cache import compute_once
from ui.escape import page_words
from ui.learners.spec import RunSpec
from ui.saved import RULE

VERSION = 1  # of saved analyses
NUMERIC = "numeric"  # among `options`: the text columns that were converted to numbers
CATEGORIES = "categories"  # among `options`: the number columns that are codes
DATES = "dates"  # among `options`: columns converted to dates, and whether the day comes first
UNITS = "units"  # among `options`: the units that a file has for columns
WORDS = "words"  # among `options`: the words of columns that were read as missing
DURATIONS = "durations"  # among `options`: the text columns that were converted to days
CUT = "cut"  # among `options`: the numeric target that became two classes, and its cut
KEEP = {"persist_state": "session"}  # of a widget: its value is kept when the page is left
FEWEST_TIMES = 10  # dates of a column by which rows can be split
IGNORED = "ignored"  # among `options`: the columns that a person has set to ignore
SERVER = "server"  # among `options`: the file on the server that the table is a sample of


@dataclass(frozen=True)
class SplitSpec:
    """How test rows are drawn."""

    test_share: float = 0.3  # 0 for none
    seed: int = 0
    keep_twins: bool = False  # rows with equal features stay together, in folds too
    by: str = ""  # a column of dates by which test rows are the latest ones; "" for at random
    own_rows: int = 0  # test rows of a person's own file: the last rows of the table
    own_name: str = ""  # the name of that file
    folds: str = ""  # a column with the number of each row's fold; "" for folds at random


@dataclass(frozen=True)
class BinningSpec:
    """How columns become conditions."""

    method: Literal["quantile", "uniform", "median", "entropy", "tree", "manual"] = "quantile"
    n_thresholds: int | None = 10
    max_levels: int = 50
    cuts: tuple[tuple[str, tuple[float, ...]], ...] = ()  # of edited columns, sorted
    missing: tuple[str, ...] = ()  # columns with conditions "is missing" and "is known"

    @property
    def thresholds(self) -> dict[str, list[float]] | None:
        """The edited columns' cut points in the format of `Binarizer`."""
        return {name: list(values) for name, values in self.cuts} or None

    def binarizer(self) -> Binarizer:
        """Return the unfitted binarizer with these settings."""
        return Binarizer(
            method=self.method,
            n_thresholds=self.n_thresholds,
            thresholds=self.thresholds,
            max_levels=self.max_levels,
            test_missing=list(self.missing),
        )


@dataclass(frozen=True)
class ColumnName:
    """Display name and unit of a column."""

    label: str = ""
    unit: str = ""


@dataclass
class AppState:
    """One analysis."""

    table: Table | None = None  # with roles, target and positive class
    # names by value as text, see `get_display_name`; the rows of a class called None are left out
    outcomes: dict[str, str | None] = field(default_factory=dict)
    every_class: bool = False  # predict all classes, not the positive one against the rest
    options: dict[str, Any] = field(default_factory=dict)  # how the file was read
    wording: dict[str, ColumnName] = field(default_factory=dict)
    split: SplitSpec = SplitSpec()
    binning: BinningSpec = BinningSpec()
    run_settings: dict[str, Any] = field(default_factory=dict)  # of the run of `setting`
    result: Any = None  # a `ui.models.points.RunResult` of all runs on one curve
    runs: tuple[dict[str, Any], ...] = ()  # the settings of each, to restore them
    setting: dict[str, Any] | None = None  # the selected one
    model: Any = None
    rule_json: str | None = None
    error: float | None = None  # cross-validated, when the rule was selected
    rule_selected: bool = False  # the user has selected or viewed it
    edits: tuple[dict[str, Any], ...] = ()  # versions of an edited rule, see `ui.rules.editor`
    edit: int = 0  # number of the selected version
    own_rule: str | None = None  # that a person wrote, as JSON
    scale: saved.SavedScale | None = None  # of the points of a scorecard
    texts: dict[str, str] = field(default_factory=dict)  # names of conditions, by their text
    notes: str = ""
    case_notes: dict[str, Any] = field(default_factory=dict)
    test_looks: int = 0  # rules scored on the test rows; `looked_at` holds their digests
    looked_at: tuple[str, ...] = ()

    # Derived values -------------------------------------------------------------------------

    @property
    def target(self) -> str | None:
        """The column to be predicted, or None."""
        return self.table.target if self.table is not None else None

    def get_display_name(self, label: Any) -> Any:
        """Return the display name of a class of the target; its value if it has no name."""
        # all or no labels are strings, since those of a rule have one type
        return self.outcomes.get(str(label), str(label)) if self._in_words else label

    def new_names(self, after: "AppState") -> dict[Any, Any]:
        """Map each label of a rule to its name after a change of names."""
        new = {self.get_display_name(c): after.get_display_name(c) for c in self.class_counts}
        return {self.other_label: after.other_label} | new

    def has_classes_of(self, other: "AppState") -> bool:
        """Whether a change of names joins no classes, parts none, and leaves the same ones out."""
        names = {(self.get_display_name(c), other.get_display_name(c)) for c in self.class_counts}
        is_same = all((a is None) == (b is None) for a, b in names)
        return is_same and len(names) == len({a for a, _ in names}) == len({b for _, b in names})

    @property
    def _in_words(self) -> bool:
        return bool(self.outcomes) or (not self.every_class and len(self.class_counts) > 2)

    @property
    def positive(self) -> Any:
        """The class the rule describes, by name, or None."""
        label = self.table.positive_label if self.table is not None else None
        return None if label is None else self.get_display_name(label)

    @property
    def features(self) -> list[str]:
        """The columns a rule may use, in the table's order."""
        return list(self.table.features) if self.table is not None else []

    @property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The columns with ordered levels, and the levels, the lowest first."""
        columns = self.table.columns if self.table is not None else ()
        return {c.name: c.order for c in columns if c.order}

    def column_with_role(self, role: str) -> str | None:
        """Return the first column with a role, or None."""
        return next((name for name, its_role in self._roles if its_role == role), None)

    @property
    def _roles(self) -> list[tuple[str, str]]:
        return [(c.name, c.role) for c in self.table.columns] if self.table is not None else []

    @property
    def classes(self) -> list[Any]:
        """The names of the target's classes, sorted; empty when no target is chosen."""
        return sorted({self.get_display_name(label) for label in self.class_counts} - {None})

    @cached_property
    def class_counts(self) -> dict[Any, int]:
        """The rows of each class by its value in the table, sorted; empty without a target."""
        if self.table is None or self.target is None:
            return {}
        table, target = self.table, self.target
        return compute_once(
            "class counts", repr((table.digest, target)), lambda: class_counts(table, target)
        )

    def problem(self) -> str | None:
        """Return the setting that is still missing before anything can be learned, or None."""
        if self.table is None:
            return "No table is loaded yet."
        if self.target is None:
            return "No target is chosen yet: the column the rule should predict."
        if obstacles := check_target(self.table, self.target):
            return page_words(obstacles[0])
        if self.positive is None:
            return "No positive class is chosen yet: the class the rule should describe."
        rows = Counter[Any]()
        for label, n in self.class_counts.items():
            if (name := self.get_display_name(label)) is not None:
                rows[name if self.several or name == self.positive else self.other_label] += n
        if len(rows) < 2:
            return "All rows have one outcome. Give its classes different names on Data."
        if single := [name for name, n in rows.items() if n < 2]:
            return f"Only one row is {single[0]!r}; two are needed. Leave that class out on Data."
        if not self.features:
            return "No column is left to learn from: give at least one the role 'feature'."
        return None

    @property
    def ready(self) -> bool:
        """Whether table, target, positive class and features are all there."""
        return self.problem() is None

    @property
    def other_label(self) -> Any:
        """The label of "everything else": the second class, or "not <positive>" among several."""
        others = [c for c in self.classes if c != self.positive]
        return others[0] if len(others) == 1 else f"not {self.positive}"

    @property
    def several(self) -> bool:
        """Whether a rule predicts more than two classes."""
        return self.every_class and len(self.classes) > 2

    @property
    def labels(self) -> list[Any]:
        """The predictions of a rule: two, the described class first, or all classes."""
        return self.classes if self.several else [self.positive, self.other_label]

    @property
    def looks(self) -> dict[str, Any]:
        """The options of a figure that is coloured by outcome."""
        return {"labels": self.labels, "classes": self.classes}

    @property
    def data(self) -> tuple[pd.DataFrame, pd.Series]:
        """Features and target of the rows with a known target, indexed by row number from 0."""
        if (problem := self.problem()) is not None:
            raise DataError(problem)

        def read_rows() -> tuple[pd.DataFrame, pd.Series]:
            X, y = self.table.xy()
            in_days = {c.name for c in self.table.columns if c.is_duration} & {*X}
            X = X.assign(**self.table.frame.loc[X.index, sorted(in_days)])
            if self._in_words:
                names = {label: self.get_display_name(label) for label in self.class_counts}
                y = y.astype(object).map(names)
                X, y = X[y.notna()], y.dropna().astype("str")
            if len(self.classes) > 2 and not self.several:
                y = y.astype(object)
                y = y.mask(y != self.positive, self.other_label)
            return X, y

        return compute_once("data", self.fit_key, read_rows, copy=False)

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weights of the rows of `data`, if a column has the role "weight"."""
        if self.table is None or (weights := self.table.weights()) is None:
            return None
        return weights.loc[self.data[0].index].to_numpy(dtype=float)

    @property
    def training_weight(self) -> NDArray[np.float64] | None:
        """The weights of the training rows, if a column has the role "weight"."""
        weight = self.sample_weight
        return None if weight is None else weight[self.rows()[0]]

    @property
    def groups(self) -> NDArray[Any] | None:
        """The groups of the rows of `data` (column "group", or twins kept together), or None."""
        groups = self.table.groups() if self.table is not None else None
        if groups is not None:
            groups = groups.loc[self.data[0].index].astype(str).to_numpy()
        if not self.split.keep_twins or self.split.by:
            return groups
        twins = compute_once("equal rows", self.fit_key, lambda: equal_rows(self.data[0]))
        return twins if groups is None else join_groups(groups, twins)

    @property
    def training_groups(self) -> NDArray[Any] | None:
        """The groups of the training rows, or None."""
        groups = self.groups
        return None if groups is None else groups[self.rows()[0]]

    @property
    def time_columns(self) -> list[str]:
        """The columns of dates that every row has and by which rows can be split."""
        if (table := self.table) is None or self.column_with_role("group") is not None:
            return []
        dates = [c.name for c in table.columns if c.kind == "date"]
        return [name for name in dates if self._is_complete(name)]

    def _is_complete(self, name: str) -> bool:
        """Return whether every row has a date, and there are enough of them."""
        with suppress(DataError):  # the day of 03/04/2024 is left open
            times = self.dates(name)
            return bool(times.notna().all() and times.nunique() >= FEWEST_TIMES)
        return False

    def dates(self, name: str) -> pd.Series:
        """Return the dates of a column, of each row of the table."""
        key = repr((self.table.digest, name))
        return compute_once("times", key, partial(self.table.times, name), copy=False)

    @property
    def times(self) -> pd.Series | None:
        """The dates of the rows of `data`, if they are split by time."""
        by = self.split.by
        return self.dates(by).loc[self.data[0].index] if by in self.time_columns else None

    @property
    def fold_numbers(self) -> NDArray[np.intp] | None:
        """The fold of each training row by a column; None without one that leaves two classes."""

        def find() -> NDArray[np.intp] | None:
            y = self.training[1]
            part = pd.factorize(self.table.frame.loc[y.index, self.split.folds], sort=True)[0]
            counts = pd.crosstab(part, y.to_numpy())
            n_learned = ((counts.sum() - counts) > 0).sum(axis=1)  # classes outside each fold
            return part if part.min() >= 0 and len(counts) > 1 and n_learned.min() > 1 else None

        is_known = self.split.folds in self.fold_columns
        return compute_once("fold numbers", self.fit_key, find) if is_known else None

    @property
    def fold_columns(self) -> list[str]:
        """The columns that may have the numbers of folds."""
        return [name for name, role in self._roles if role in ("feature", "ignore")]

    def folds(self, n_folds: int) -> list[Fold]:
        """Return the folds of the training rows, the same ones every time."""
        if (part := self.fold_numbers) is not None:
            return make_folds(self.training[1], PredefinedSplit(part))
        groups, times = self.training_groups, self.times
        times = None if times is None else times.iloc[self.rows()[0]]
        return make_folds(self.training[1], n_folds, groups=groups, time=times, random_state=0)

    @property
    def is_edited(self) -> bool:
        """Whether the selected rule was written, edited or loaded, not learned by a run."""
        return "edited" in (self.setting or {})

    @property
    def is_of_all_rows(self) -> bool:
        """Whether the selected rule was learned from all rows of a table that is not loaded."""
        return "whole_file" in (self.setting or {})

    def rows(self) -> Fold:
        """Return sorted positions (in `data`) of training and test rows, stratified or grouped."""

        def split_rows() -> Fold:
            y, share = self.data[1].to_numpy(), self.split.test_share
            if self.split.own_rows:
                own = self.data[1].index >= self.table.n_rows - self.split.own_rows
                return np.flatnonzero(~own), np.flatnonzero(own)
            options = {"groups": self.groups, "time": self.times, "random_state": self.split.seed}
            return hold_out(y, share, **options)

        return compute_once("rows", self.fit_key, split_rows)

    @property
    def twins(self) -> int:
        """How many test rows equal a training row in all features and the target."""

        def count() -> int:
            (X, y), (train, test) = self.data, self.rows()
            numbers = equal_rows(X.assign(**{self.target: y}))
            return int(np.isin(numbers[test], numbers[train]).sum())

        return compute_once("twins", self.fit_key, count)

    @property
    def training(self) -> tuple[pd.DataFrame, pd.Series]:
        """Features and target of the training rows."""

        def select_rows() -> tuple[pd.DataFrame, pd.Series]:
            (X, y), (train, _) = self.data, self.rows()
            return X.iloc[train], y.iloc[train]

        return compute_once("training", self.fit_key, select_rows, copy=False)

    @property
    def outcome_codes(self) -> NDArray[np.intp]:
        """The outcome of each training row, as its index among `labels`."""
        return np.asarray(pd.Index(self.labels).get_indexer(self.training[1]), dtype=np.intp)

    @property
    def testing(self) -> tuple[pd.DataFrame, pd.Series]:
        """Features and target of the test rows; empty without test rows."""
        (X, y), (_, test) = self.data, self.rows()
        return X.iloc[test], y.iloc[test]

    @cached_property
    def fit_key(self) -> str:
        """A text that changes with what is learned: data, names, roles, orders, split, cuts."""
        digest = self.table.digest if self.table is not None else None
        outcome = "every class" if self.several else self.positive
        names = sorted(self.outcomes.items())
        key = (digest, outcome, names, self._roles, self.split, self.binning)
        return repr((*key, self.orders) if self.orders else key)

    @property
    def spec(self) -> RunSpec:
        """The settings of the run that found the selected rule."""
        return RunSpec.from_dict(self.run_settings)

    @property
    def costs(self) -> Costs | None:
        """The costs of errors in that run; None if errors are counted."""
        return self.spec.error_costs(self.labels)

    @property
    def rule_key(self) -> str:
        """A text that changes with the selected rule, and with how it was learned."""
        return repr((self.fit_key, self.setting, self.run_settings, self.rule_json))

    def result_on(self, curve_key: str) -> Any:
        """Return the result of runs if it is of this curve (`ui.learners.offered.curve_key`)."""
        return self.result if self.result is not None and self.result.key == curve_key else None

    def label(self, name: str) -> str:
        """Return a column's display name."""
        return self.wording.get(name, ColumnName()).label or name

    def unit(self, name: str) -> str:
        """Return a column's unit, or an empty text."""
        return self.wording.get(name, ColumnName()).unit


def app_state() -> AppState:
    """Return this session's analysis, a new one if there is none."""
    return st.session_state.setdefault("app", AppState())


def update(state: AppState, **values: Any) -> AppState:
    """Assign several fields at once, in one new object; drop a rule that no longer applies."""
    before, target, rule = state.fit_key, state.target, state.rule_json
    state = replace(state, **values)
    if state.target != target and "outcomes" not in values:
        state = replace(state, outcomes={})  # they were for another column's values
    missing = tuple(name for name in state.binning.missing if name in state.features)
    binning = replace(state.binning, cuts=_fitting_cuts(state), missing=missing)
    if binning != state.binning:
        state = replace(state, binning=binning)
    if "model" not in values and state.fit_key != before:
        state = replace(state, model=None, rule_json=None, rule_selected=False)
    if state.rule_json != rule and "error" not in values:
        state = replace(state, error=None)  # it belonged to another rule
    return state


def _fitting_cuts(state: AppState) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return the edited cut points in the form that the binarizer requires for the features."""
    by_column = {name: cuts for name, cuts in state.binning.cuts if name in state.features}
    # "manual" requires cut points of each numeric column: new features begin with quantiles
    if state.binning.method == "manual" and state.ready:
        columns = [state.table.column(name) for name in state.features if name not in by_column]
        fresh = [c.name for c in columns if c.kind == "numeric" and c.n_distinct > 2]
        if fresh:
            X, y = state.training
            automatic = replace(state.binning, method="quantile", cuts=()).binarizer()
            cuts = automatic.fit(X[fresh], y).cuts_
            by_column |= {name: tuple(map(float, values)) for name, values in cuts.items()}
    return tuple(sorted(by_column.items()))


OF_TABLE = ("version", "name", "digest", "notes_on_table")
NOT_SAVED = ("table", "result", "model", "wording", "split", "binning")  # or encoded
# fields of `AppState` that are saved unchanged
SAVED = tuple(f.name for f in fields(AppState) if f.name not in NOT_SAVED)
# the declared types of all that is saved but the table's cells; where `AppState` has them plainer
KINDS: dict[str, Any] = get_type_hints(AppState) | {
    "roles": dict[str, str],
    "orders": dict[str, tuple[str, ...]],
    "positive": str | bool | float | None,
    "options": saved.OPTIONS,
    "run_settings": RunSpec,
    "runs": tuple[RunSpec, ...],
    "setting": saved.Setting | None,
    "edits": tuple[saved.RuleVersion, ...],
    "case_notes": dict[str, saved.CaseReview],
}


def to_plain(state: AppState) -> dict[str, Any]:
    """Return everything but the table's cells as JSON values."""
    table = state.table
    notes = [[n, n.column, *n.kinds] if isinstance(n, Note) else n for n in table.notes]
    return {
        "version": VERSION,
        "name": table.name,
        "digest": table.digest,
        "notes_on_table": notes,
        "roles": {c.name: c.role for c in table.columns},
        "orders": {name: list(levels) for name, levels in state.orders.items()},
        "positive": table.positive_label,
        "wording": {name: asdict(w) for name, w in state.wording.items()},
        "split": asdict(state.split),
        "binning": asdict(state.binning),
        **{name: getattr(state, name) for name in SAVED},
    }


def saved_notes(plain: dict[str, Any]) -> tuple[str, ...]:
    """Return the notes on the table from the dict of `to_plain`."""
    return tuple(n if isinstance(n, str) else Note(*n) for n in plain["notes_on_table"])


def from_plain(plain: dict[str, Any], table: Table) -> AppState:
    """Build the state from the dict of `to_plain` and a table (KeyError, TypeError if invalid)."""
    table = table.with_roles(plain["roles"], positive_label=plain["positive"])
    for name, levels in plain["orders"].items():
        table = table.with_order(name, levels)
    binning = dict(plain["binning"])
    binning["cuts"] = tuple((name, tuple(values)) for name, values in binning["cuts"])
    binning["missing"] = tuple(binning["missing"])
    tuples = {name: tuple(plain[name]) for name in ("looked_at", "runs", "edits")}
    return AppState(
        table=table,
        wording={name: ColumnName(**w) for name, w in plain["wording"].items()},
        split=SplitSpec(**plain["split"]),
        binning=BinningSpec(**binning),
        **{name: plain[name] for name in SAVED} | tuples,
    )


def from_file(given: Mapping[str, Any], table: Table) -> tuple[AppState, list[str]]:
    """Build the state from settings that a person may have edited, field by field."""
    # Also returns the names of the fields that are not read, since they have another type, or do
    # not fit the table or each other; these are as in a new analysis, and so are missing fields.
    usual = to_plain(AppState(table=table))
    names = [name for name in usual if name not in OF_TABLE]
    fitting = [n for n in names if n in given and saved.fits(given[n], KINDS[n])]
    parts = [tuple(n for n in fitting if n not in RULE)]
    if set(RULE) <= set(fitting):
        parts.append(RULE)
    plain, read = usual, set()
    while parts:
        part = parts.pop(0)
        try:
            attempt = plain | {name: given[name] for name in part}
            _check(from_plain(attempt, table))
        except (RulekitError, ValueError, KeyError, TypeError, AttributeError):
            if part != RULE:
                parts = [*((name,) for name in part if len(part) > 1), *parts]
        else:
            plain, read = attempt, read | set(part)
    return from_plain(plain, table), [n for n in names if n in given and n not in read]


def _check(state: AppState) -> None:
    """Raise an error if fields do not fit the table or each other."""
    split, binning, setting = state.split, state.binning, state.setting
    texts = [state.rule_json, *(version["rule_json"] for version in state.edits), state.own_rule]
    rules = [from_json(text) for text in texts if text]
    named = {feature for rule in rules for feature in rule.features}
    fitting = (
        0 <= split.test_share < 1 and split.seed >= 0 and state.test_looks >= 0,
        0 <= split.own_rows < state.table.n_rows,
        binning.max_levels >= 2 and (binning.n_thresholds or 1) >= 1,
        {*named, *dict(binning.cuts), *binning.missing} <= set(state.table.frame.columns),
        all(map(str.isdecimal, state.case_notes)),
        split.by in ("", *state.time_columns),
        setting is None or "edited" in setting or setting["learner"] in FAMILIES,
        state.edit in range(max(1, len(state.edits))),
    )
    if not all(fitting):
        raise ValueError("A field does not fit the table or another field.")
    if state.ready:
        state.spec.error_costs(state.labels)
        if state.rule_json and not set(rules[0].classes) <= set(state.labels):
            raise ValueError("The rule predicts other classes.")

"""What one fit works on: the checked table, with results that settings share, and deadlines."""

import hashlib
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, wraps
from typing import Any, Self, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from rulekit._sums import addable
from rulekit._validation import check_frame, check_target, row_weights
from rulekit.binning import Binarizer, BinnedTable
from rulekit.binning.binned_table import Bools, Floats, join_conditions, row_order
from rulekit.binning.views import TableReader, describe_ignored, drop_ignored
from rulekit.data.columns.conform import RuleColumns, conform
from rulekit.data.columns.kinds import describe_column, infer_kinds
from rulekit.data.headers import few
from rulekit.data.typed import as_pandas
from rulekit.exceptions import DataError
from rulekit.rules import Columns, Literal, RuleSet, Schema
from rulekit.rules.condition import ORDERED, ReadColumns, take_rows
from rulekit.rules.constraints import Constraints
from rulekit.rules.literal import EQUALITIES, sort_keys
from rulekit.rules.schema import COARSE, TEXTUAL, infer_schema, schema_of
from rulekit.search.box_search.problem import Axes
from rulekit.search.columns.clause_selection import MovableCuts, error_cost, hamming_cost
from rulekit.search.columns.priced_columns import PERTURBATION
from rulekit.search.machine_code import load
from rulekit.search.one_level.problem import ClauseSolver

Value = TypeVar("Value")
ShouldStop = Callable[[], bool]
NO_CONSTRAINTS = Constraints()
EXTREME = 1e150  # squares of larger numbers, and of ones smaller than its inverse, are lost


@dataclass(frozen=True)
class TrainingTable:
    """The checked arguments of `fit`."""

    frame: pd.DataFrame  # (n, p)
    columns: Columns  # (n,)
    schema: Schema  # without levels and ranges, see `rule_schema`
    codes: NDArray[np.intp]  # (n,)
    classes: NDArray[Any]  # (K,)
    sample_weight: NDArray[np.float64]  # (n,)
    weighted: bool
    used: NDArray[np.bool_]  # (N,): rows given to `fit`, of which those of weight 0 are left out
    readings: dict[str, Any] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    should_stop: ShouldStop | None = None  # the caller's, called between parts of the work
    memory: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what was made of this table under this key, or make it."""
        if key not in self.memory:
            self.memory[key] = make()
        return cast(Value, self.memory[key])

    def problem(self, key: Hashable, make: Callable[[], "LearningProblem"]) -> "LearningProblem":
        """Return a problem or make it; its results are kept here too."""
        return self.once(key, lambda: replace(make(), key=key, memory=self.memory))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Whether each column holds numbers, truth values ("boolean"), dates or text."""
        return {column.name: COARSE[column.kind] for column in self.schema.columns}

    def rule_schema(self, rule: RuleSet) -> Schema:
        """Return what the columns of a rule are, with levels and ranges of the training rows."""
        columns = []
        for implied in infer_schema(rule).columns:
            column = self.schema.column(implied.name)
            assert column is not None
            if column.kind == "level" and implied.kind in TEXTUAL:
                column = replace(column, kind=implied.kind, levels=implied.levels)
            make = partial(describe_column, column, self.columns[column.name])
            columns.append(self.once(("column", column), make))
        return Schema(tuple(columns), self.labels)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The classes as rules have them, length K."""
        return tuple(map(plain_label, self.classes))

    @property
    def y(self) -> NDArray[Any]:
        """The class of each row: shape (n,)."""
        return self.classes[self.codes]

    def predict(self, rule: RuleSet, columns: Columns | None = None) -> NDArray[Any]:
        """Return the classes that a rule predicts for this table's rows, or for other columns."""
        return rule.predict(self.columns if columns is None else columns).astype(self.classes.dtype)

    def find_wrong(self, rule: RuleSet) -> "Bools":
        """Return whether a rule predicts each row wrongly, shape (n,)."""
        return np.asarray(rule.predict(self.columns) != self.y.astype(object), dtype=bool)

    def error(self, rule: RuleSet, weight: "Floats") -> float:
        """Return the weighted share of rows that a rule predicts wrongly."""
        return float(weight[self.find_wrong(rule)].sum() / weight.sum())

    def generator(self, random_state: Any) -> np.random.Generator:
        """Return a generator; without a seed, one random seed is shared by all settings."""
        if random_state is None:
            random_state = self.once("entropy", lambda: np.random.SeedSequence().entropy)
        return generator_of(random_state)

    def weights(self, class_weight: Any) -> NDArray[np.float64]:
        """Combine weights of rows and classes, rescaled to sum to n with exact sums, shape (n,)."""

        def compute() -> NDArray[np.float64]:
            if class_weight is None and (self.sample_weight == 1.0).all():
                return self.sample_weight
            weight = row_weights(self.sample_weight, class_weight, self.frame, self.y)
            return addable(weight * (len(weight) / weight.sum()))

        return self.once(repr(class_weight), compute).copy()  # the same for many settings

    def binarizer(self, given: Binarizer | None) -> Binarizer:
        """Return an unfitted binarizer that reads each column as the whole table is read."""
        binarizer: Binarizer = Binarizer() if given is None else clone(given)
        named = {*(binarizer.thresholds or ()), *(binarizer.orders or ())}
        readings = {k: v for k, v in self.readings.items() if k not in named}
        if not isinstance(tested := binarizer.test_missing, bool):
            tested = [name for name in tested if name not in self.ignored]
        read_as = {**readings, **dict(binarizer.read_as or {})}
        binarizer.set_params(read_as=read_as, test_missing=tested)
        return binarizer

    def part(self, rows: NDArray[np.intp], name: str, *, multi_class: bool) -> "TrainingTable":
        """Return some rows as a table; `name` is the learner's, for the message on one class."""
        classes, codes = two_classes(self.y[rows], name, multi_class)
        weight = self.sample_weight[rows]
        return self._take_rows(rows, codes=codes, classes=classes, sample_weight=weight)

    def split_class(
        self, rows: NDArray[np.intp], code: int, weight: NDArray[np.float64], *, weighted: bool
    ) -> "TrainingTable":
        """Return some rows with True for one class and False for all others."""
        codes = (self.codes[rows] == code).astype(np.intp)
        fields = {"classes": np.array([False, True]), "weighted": weighted}
        return self._take_rows(rows, codes=codes, sample_weight=weight[rows], **fields)

    def _take_rows(self, rows: NDArray[np.intp], **fields: Any) -> "TrainingTable":
        """Return some rows with the given fields, without notes."""
        columns = take_rows(self.columns, rows)
        frame = self.frame.iloc[rows]
        return replace(self, frame=frame, columns=columns, notes=(), memory={}, **fields)


class Clock:
    """Whether to stop; it remembers that the time ran out."""

    def __init__(self, end: float | None = None, should_stop: ShouldStop | None = None) -> None:
        self.end, self.should_stop, self.ran_out = end, should_stop, False

    @classmethod
    def from_seconds(
        cls, limit: float | None, should_stop: ShouldStop | None = None, kernels: Sequence[str] = ()
    ) -> Self:
        """Start a clock with a limit in seconds, after loading kernels; None for no limit."""
        for name in kernels:  # compiling them, once on a machine, may take longer than the limit
            load(name)
        return cls(None if limit is None else time.monotonic() + limit, should_stop)

    def __call__(self) -> bool:
        """Return whether to stop now."""
        self.ran_out |= self.end is not None and time.monotonic() > self.end
        return self.ran_out or self.is_stopped()

    def seconds_left(self) -> float | None:
        """Return the seconds to the end, None without one."""
        return None if self.end is None else max(0.0, self.end - time.monotonic())

    def is_stopped(self) -> bool:
        """Whether the caller requests a stop, whatever the time."""
        return self.should_stop is not None and self.should_stop()


def computable(name: str, values: NDArray[np.float64]) -> None:
    """Raise DataError for numbers that overflow when squared or divided."""
    present = values[~np.isnan(values)]
    most = np.abs(present).max(initial=0.0)
    spread = present.max(initial=-np.inf) / 2 - present.min(initial=np.inf) / 2  # no overflow
    for phrase, size in (("numbers", most), ("numbers that differ by", 2 * spread)):
        if size > EXTREME or 0 < size < 1 / EXTREME:
            raise DataError(
                f"Column {name[:60]!r} holds {phrase} up to {size:.3g}; to be computed with, "
                f"numbers must lie between {1 / EXTREME:g} and {EXTREME:g} in size. Give the "
                "column in another unit."
            )


def restore_on_failure(fit: Callable[..., Value]) -> Callable[..., Value]:
    """Restore the attributes of an estimator whose fit fails or is interrupted."""

    @wraps(fit)
    def restoring(self: Any, *given: Any, **named: Any) -> Value:
        before = dict(vars(self))
        try:
            return fit(self, *given, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return restoring


def read_training_table(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    multi_class: bool = False,
    reader: TableReader | None = None,
    rule: RuleSet | None = None,
) -> TrainingTable:
    """Check what `fit` was given; rows of weight 0 are left out, more than two classes refused."""
    # With a rule the columns that it reads are read as they were learned, and one class suffices.
    name = type(estimator).__name__
    if y is None:
        check_target(y, 0, name)
    frame = check_frame(estimator, X, reset=True)
    y = check_target(y, len(frame), name)
    weight = row_weights(sample_weight, None, frame, y)
    positive_weight = weight > 0
    if not positive_weight.all():
        frame, y, weight = frame[positive_weight], y[positive_weight], weight[positive_weight]
    classes, codes = two_classes(y, name, multi_class, one_class=rule is not None)
    rows = codes, classes, weight, sample_weight is not None, positive_weight
    fixed = {} if reader is None else reader.find_fixed_kinds(frame)
    schema = infer_kinds(frame, fixed) if rule is None else schema_of(rule)
    columns, report = conform(frame, schema, exact=True)
    if reader is None:
        columns = columns or ReadColumns({"": np.zeros(len(frame))})
        return TrainingTable(frame, columns, schema, *rows)
    misfits = report.misfits
    kinds = {column.name: COARSE[column.kind] for column in schema.columns}
    readings = reader.readings(frame, columns, kinds, codes)
    ignored = tuple(name for name, reading in readings.items() if reading is None)
    notes = [m.sentence(np.flatnonzero(positive_weight)) for m in misfits if m.name not in ignored]
    if ignored:
        notes.insert(0, describe_ignored(ignored, kinds))
    if len(ignored) == len(columns):
        raise DataError(f"No column is left to learn from. {notes[0]}")
    return TrainingTable(
        drop_ignored(frame, columns, misfits, ignored),
        ReadColumns((name, x) for name, x in columns.items() if name not in ignored),
        schema.take(name for name in kinds if name not in ignored),
        *rows,
        {name: reading for name, reading in readings.items() if reading is not None},
        ignored,
        tuple(notes),
    )


def read_like_training(estimator: Any, X: Any, rule: RuleSet, schema: Schema) -> RuleColumns:
    """Read the rows given to `predict` as the columns of the training table."""
    if isinstance(X, RuleColumns):
        return X
    X = as_pandas(X)
    names = X.columns if isinstance(X, pd.DataFrame) else ()
    if not len(names) or not hasattr(estimator, "feature_names_in_"):
        X = check_frame(estimator, X, reset=False)
    elif not len(X):
        raise DataError(f"At least 1 row is required; found 0 sample(s) (shape={X.shape}).")
    read = rule.schema or Schema()
    columns = (read.column(name) or schema.column(name) for name in rule.features)
    return RuleColumns.from_table(X, Schema(tuple(c for c in columns if c is not None)), schema)


def positive_code(label: Any, classes: NDArray[Any], name: str = "positive_label") -> int:
    """Find the class that a rule describes: the last one, if none is named."""
    if label is None:
        return len(classes) - 1
    single = isinstance(label, (str, bool, int, float, np.generic))
    if not (codes := [k for k, c in enumerate(classes.tolist()) if single and c == label]):
        shown = ", ".join(repr(c) for c in classes.tolist())
        raise ValueError(f"`{name}` must be one of the classes ({shown}), got {label!r}.")
    return codes[0]


def plain_label(label: Any) -> Any:
    """Convert NumPy scalars to Python scalars, as rule sets do."""
    return label.item() if isinstance(label, np.generic) else label


def two_classes(
    y: NDArray[Any], name: str, multi_class: bool = False, one_class: bool = False
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes, sorted, and the index of each row's: shapes (K,) and (n,)."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 1 and not one_class:
        only = repr(classes.tolist()[0])
        raise DataError(f"`{name}` needs rows of two classes; `y` holds one class only ({only}).")
    if len(classes) > 2 and not multi_class:
        shown = few([*map(repr, classes.tolist())])
        raise DataError(
            "Only binary classification is supported. The type of the target is multiclass: `y` "
            f"holds {len(classes)} classes ({shown}). Learn a rule for one class against "
            f"the rest, for example with `y == {classes[:1].tolist()[0]!r}`."
        )
    return classes, codes


def generator_of(random_state: Any) -> np.random.Generator:
    """Convert scikit-learn's `random_state` to a generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def as_constraints(constraints: Constraints | Mapping[str, Any] | None) -> Constraints:
    """Convert a mapping or None to `Constraints`."""
    if isinstance(constraints, Constraints):
        return constraints
    return NO_CONSTRAINTS if constraints is None else Constraints.from_dict(constraints)


def constraints_for(constraints: Any, table: TrainingTable, label: Any) -> Constraints:
    """Return constraints for clauses of a class; raise an error if the table cannot meet them."""
    if (read := as_constraints(constraints)) == NO_CONSTRAINTS:
        return NO_CONSTRAINTS
    unused = set(table.ignored) & set(read.forbidden)
    if unknown := [f for f in read.features if f not in table.columns and f not in unused]:
        why = "the table does not have; correct the name, or remove the constraint"
        if unknown[0] in table.ignored:
            why = "no condition can use: nearly every row has another text. Remove the constraint"
        raise DataError(f"A constraint (`constraints`) names column {unknown[0]!r}, which {why}.")
    for feature in dict(read.directions):
        if table.kinds[feature] in ("text", "date"):
            raise DataError(
                f"A direction needs a column of numbers or truth values, but {feature!r} holds "
                "text, which does not rise or fall. Drop the direction, or forbid the column."
            )
    if read.towards is not None:
        positive_code(read.towards, table.classes, "constraints.towards")
    return read.orient(label)


@dataclass(frozen=True)
class LearningProblem:
    """The table of one fit, of which a DNF is learned, and the raw columns of the same rows."""

    table: BinnedTable
    tie_literals: tuple[Literal, ...]  # by which columns are sorted and perturbed
    columns: Columns = field(repr=False)  # (n,)
    rows: NDArray[np.intp] = field(repr=False)  # (n,)
    forbidden: tuple[Literal, ...] = ()
    key: Hashable = None  # of this problem in `memory`, which is that of the table
    memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    until: list[float | None] = field(default_factory=lambda: [None], repr=False)

    def once(
        self,
        key: Hashable,
        make: Callable[[], Value],
        is_whole: Callable[[Value], bool] = lambda stored: True,
    ) -> Value:
        """Return what was made of this problem under this key if it is whole, or make it."""
        if (stored := self.memory.get((self.key, key))) is None or not is_whole(stored):
            stored = self.memory[self.key, key] = make()
        return cast(Value, stored)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, without the results of other problems."""
        return {**vars(self), "memory": {}}

    @cached_property
    def theta_max(self) -> float:
        """Price from which on the best one-level clause is empty."""
        signed = np.where(self.table.y, self.table.weight, -self.table.weight)
        return float((self.table.sums(signed) - signed.sum()).max(initial=0.0))

    @cached_property
    def constant_losses(self) -> tuple[float, float]:
        """Compute the wrong weight of the rule without clauses, and of one empty clause."""
        weight, y = self.table.weight, self.table.y
        return float(weight[y].sum()), float(weight[~y].sum())

    @cached_property
    def price_of_a_first_condition(self) -> float:
        """Price below which some single condition is cheaper than the better constant answer."""
        none, empty = self.constant_losses
        return max(0.0, self.theta_max - max(0.0, empty - none))

    def objective(
        self, clauses: Sequence[Sequence[Bools]], theta: float, *, counts_errors: bool
    ) -> float:
        """Compute the objective of any clauses, given by where their conditions hold."""
        columns, y = [holds for clause in clauses for holds in clause], ~self.table.y
        A = ~np.array(columns, dtype=bool).reshape(len(columns), len(y)).T
        sizes = np.array([len(clause) for clause in clauses], dtype=int)
        chosen = np.repeat(np.eye(len(clauses), dtype=bool), sizes, axis=1)
        cost = error_cost if counts_errors else hamming_cost
        return cost(A, y, self.table.weight, chosen, theta)

    @property
    def deadline(self) -> float | None:
        """When work ends."""
        return self.until[0]

    @property
    def axes(self) -> Axes:
        """The axes of box searches, which labels and weights do not change."""
        return self.once("axes", partial(Axes, self.table))

    @cached_property
    def solver(self) -> ClauseSolver:
        """What learns single clauses from this table by linear programs."""
        keys = [x.sort_key[:4] if x.is_plain else x.sort_key for x in self.tie_literals]
        digests = [hashlib.blake2b(repr(key).encode(), digest_size=8).digest() for key in keys]
        shares = [int.from_bytes(digest, "big") / 2**64 for digest in digests]  # by their texts
        perturbation = [PERTURBATION * (0.5 + 0.5 * share) for share in shares]
        solver = ClauseSolver(self.table, np.array(perturbation, dtype=float))
        solver.deadline = self.deadline
        return solver

    @cached_property
    def cuts(self) -> MovableCuts:
        """Where cuts may be moved: to any value of the training table."""
        ranks = {
            source: np.where(np.isnan(values), -1, np.searchsorted(self.distinct[source], values))
            for source, values in self._positions.items()
        }
        cuts_barred = set()  # column j, cut after its k-th value: would make a forbidden literal
        for barred in self.forbidden:
            for j in np.flatnonzero(self.table.side).tolist():
                distinct = self.distinct[int(self.table.feature[j])]
                literal = self.table.literals[j]
                same = (literal.feature, literal.op) == (barred.feature, barred.op)
                if same and barred.op in ORDERED and barred == replace(literal, value=barred.value):
                    above = int(np.searchsorted(distinct, barred.edge, side="right"))
                    cuts_barred.add((j, above - 1))
                elif literal.feature == barred.feature and {barred.op, literal.op} <= {*EQUALITIES}:
                    cuts = range(len(distinct) - 1)
                    cuts_barred |= {(j, k) for k in cuts if self._cut_anew(j, k) == barred}
        return MovableCuts(ranks, frozenset(cuts_barred))

    @cached_property
    def _positions(self) -> dict[int, Floats]:
        """What each source with cuts is compared by (see `positions`), arrays of shape (n,)."""
        sources = np.unique(self.table.feature[self.table.side != 0]).tolist()
        read = {source: self.table.encodings[source] for source in sources}
        return {source: e.positions(self.columns[e.name]) for source, e in read.items()}

    @cached_property
    def distinct(self) -> dict[int, Floats]:
        """The distinct positions of each source with cuts, ascending."""
        return {source: np.unique(v[~np.isnan(v)]) for source, v in self._positions.items()}

    def clauses(
        self, chosen: Bools, moved: Sequence[tuple[int, int]] = ()
    ) -> tuple[tuple[Literal, ...], ...]:
        """Read chosen columns, and moved cuts after them, as clauses of the DNF."""
        literals, cuts = self.table.literals, [self._cut_anew(j, k) for j, k in moved]
        d = len(literals)
        return tuple(
            tuple(literals[j] if j < d else cuts[j - d] for j in np.flatnonzero(row).tolist())
            for row in chosen
        )

    @contextmanager
    def limit_time(self, seconds: float | None) -> Iterator[Clock]:
        """Limit work in this block to some seconds; None for no limit."""
        clock = Clock.from_seconds(seconds)
        self.work_until(clock.end)
        try:
            yield clock
        finally:
            self.work_until(None)

    def work_until(self, deadline: float | None) -> None:
        """Set the deadline."""
        self.until[0] = deadline
        if "solver" in self.__dict__:
            self.solver.deadline = deadline

    def _cut_anew(self, j: int, k: int) -> Literal:
        """Write literal j with a cut between the k-th distinct value and the next."""
        source = int(self.table.feature[j])
        distinct, encoding = self.distinct[source], self.table.encodings[source]
        literal, (low, high) = self.table.literals[j], distinct[k : k + 2].tolist()
        middle = low + (high - low) / 2
        edge = encoding.edge_between(middle if middle < high else low, low, high)
        side = encoding.place(literal)[0]
        turned = literal.order is not None and literal.op in ("<", ">")
        cut: Literal = encoding.edge_literal(edge, -side if turned else side)
        cut = cut.negate() if turned else cut  # of levels in order, "<=" negated is ">", not ">="
        return replace(cut, missing=literal.missing)


def learning_problem(
    bins: BinnedTable, columns: Columns, form: str, constraints: Constraints, by_cells: bool = False
) -> LearningProblem:
    """Restrict and sort a labelled table; `by_cells` for many cuts, without their texts."""
    # A CNF of one class is the negated DNF of the other over the negated conditions: this is the
    # only place where tables are turned, and `LiteralRuleClassifier.in_form` turns the rule back.
    unconstrained, turned = constraints == NO_CONSTRAINTS, form == "cnf"
    ties: tuple[Literal, ...] = ()
    if by_cells:  # conditions stay in the order of their features and cuts; rows by bins
        conditions = join_conditions([e.conditions() for e in bins.encodings])
        if not unconstrained:
            written = enumerate(conditions.literals)
            allowed = [j for j, literal in written if constraints.allows(literal)]
            conditions = conditions.take(np.array(allowed, dtype=np.intp))
        table = replace(bins, given=conditions)
        table = table.opposite if turned else table
        rows = row_order(table.codes, ~table.y, table.weight)
        table = table[rows]
    else:  # conditions by the literals of the CNF, rows by what they hold for
        literals = bins.literals
        ties = tuple(literals)
        if not turned:  # of each literal the one that holds on the other training rows
            both = zip(literals, bins.complement.tolist(), strict=True)
            ties = tuple(literals[k] if k >= 0 else one.negate() for one, k in both)
        keys, each = sort_keys(ties), enumerate(literals)
        allowed = [j for j, literal in each if unconstrained or constraints.allows(literal)]
        order = np.array(sorted(allowed, key=keys.__getitem__), dtype=np.intp)
        taken = bins.take_columns(order)
        table, rows = (taken.opposite if turned else taken).sort_rows()
        ties = tuple(ties[j] for j in order)
    columns = take_rows(columns, rows)
    barred = [item for item in constraints.forbidden if not isinstance(item, str)]
    barred = [item.negate() for item in barred] if turned else barred
    return LearningProblem(table, ties, columns, rows, tuple(barred))

"""`fit_table`: learn from a sample of a table, count on all rows, look at wrong rows again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from rulekit._validation import Interval, weights_of_classes
from rulekit.binning.binned_table import Floats
from rulekit.binning.views import describe_ignored
from rulekit.exceptions import DataError
from rulekit.learners.from_table.counts import (
    UNCONSTRAINED,
    CutRefiner,
    Kinds,
    Pruning,
    confusion_of,
    shares_of,
    wrong_of,
)
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.learners.shares import Likeness, code_answers
from rulekit.learners.training import as_constraints, generator_of, plain_label, restore_on_failure
from rulekit.rules import ColumnSchema, RuleSet, Schema, simplify
from rulekit.rules.constraints import Constraints
from rulekit.rules.schema import infer_schema

ROUNDS = 4  # samples at most
SWEEPS = 3  # times that each cut is moved, at most
LEAST = 0.5  # of an even share of the sample: what the rarest class is drawn for at least
Watch = Callable[[float, str], None]


@dataclass(frozen=True)
class CountedRule:
    """A rule, its learner, and its counts on all rows."""

    learner: Any
    rule: RuleSet
    kinds: Kinds
    factors: Floats  # (K,)
    loss: float
    price: float
    value: float


@dataclass
class TableLearning:
    """Learns a rule from samples of a table and measures it on every row."""

    rows: TableRows
    sample_rows: int
    watch: Watch
    factors: Floats  # (K,)
    moves_cuts: bool = True
    constraints: Constraints = UNCONSTRAINED
    steps: list[dict[str, Any]] = field(default_factory=list)

    def run(self, learners: Callable[[int], Any]) -> CountedRule:
        """Learn until the objective on all rows no longer falls."""
        best: CountedRule | None = None
        for k in range(ROUNDS):
            self._report(k, 0.0, "Drawing a sample")
            frame, codes, weight, complete = self._sample(k, best)
            self._report(k, 0.1, f"Learning from {len(frame):,} rows")
            learner = learners(k)
            learner._fit_quietly(frame, self.rows.classes[codes], weight)
            result = self._count_rule(learner, learner.rule_set_, k, "sample", len(frame))
            if not complete:
                refiner = CutRefiner(self.rows, frame, self.factors, self.constraints)
                price = result.price * self.rows.sizes[0].sum() / self.sample_rows
                pruning = Pruning(self.rows.classes.tolist(), self.factors, price, self.constraints)
                for _ in range(SWEEPS):
                    rule = result.rule
                    if result.price:  # a scorecard has none, nor clauses that could be left out
                        rule = pruning.prune_rule(rule, result.kinds)
                    if self.moves_cuts:
                        self._report(k, 0.5, "Moving cuts by histograms of all rows")
                        rule = simplify(refiner.refine(rule))
                    if rule == result.rule:
                        break
                    new = self._count_rule(result.learner, rule, k, "refined", 0)
                    if new.value >= result.value:
                        break
                    result = new
            if best is not None and result.value >= best.value:
                break
            best = result
            if complete:
                break
        assert best is not None
        return best

    def _sample(
        self, number: int, best: CountedRule | None
    ) -> tuple[pd.DataFrame, NDArray[np.intp], Floats | None, bool]:
        """Draw a sample; return rows, classes, weights (None if even), and if it is complete."""
        sizes = self.rows.sizes[0].astype(float)
        if sizes.sum() <= self.sample_rows:
            frame, codes, _ = self.rows.draw(1, np.ones((len(sizes), 1)))
            return frame, codes, None, True
        strata, rule = sizes[:, None], None
        budget = split_budget(sizes, self.sample_rows)[:, None]
        if best is not None:
            rule = best.rule
            wrong = wrong_of(rule, best.kinds, self.rows.classes.tolist())
            strata = np.stack([sizes - wrong, wrong], axis=1)
            halves = [split_budget(part, self.sample_rows / 2) for part in strata.T]
            budget = np.stack(halves, axis=1)
        shares = np.divide(budget, strata, out=np.zeros_like(budget), where=strata > 0)
        shares = np.minimum(shares, 1.0)
        frame, codes, wrong_here = self.rows.draw(number + 1, shares, rule)
        drawn = np.zeros(strata.shape)
        np.add.at(drawn, (codes, wrong_here), 1.0)
        weight = np.divide(strata, drawn, out=np.zeros_like(strata), where=drawn > 0)
        even = np.ptp(shares[strata > 0]) < 1e-9
        return frame, codes, None if even else weight[codes, wrong_here], False

    def _count_rule(
        self, learner: Any, rule: RuleSet, number: int, step: str, drawn: int
    ) -> CountedRule:
        """Count a rule on all rows, and record the step."""
        self._report(number, 0.4, f"Counting the rule on {self.rows.n_rows:,} rows")
        kinds, sizes = self.rows.count_kinds(rule), self.rows.sizes[0]
        wrong, factors = wrong_of(rule, kinds, self.rows.classes.tolist()), self.factors
        loss = float(wrong @ factors / (sizes @ factors))
        price = float(getattr(getattr(learner, "learner_", learner), "theta", 0.0))
        value = loss * min(self.sample_rows, sizes.sum()) + price * rule.n_conditions
        entry: dict[str, Any] = {"round": number + 1, "step": step, "sample_rows": drawn}
        entry |= {"conditions": rule.n_conditions, "wrong": int(wrong.sum())}
        entry |= {"error": float(wrong.sum() / sizes.sum()), "loss": loss, "value": value}
        self.steps.append(entry)
        return CountedRule(learner, rule, kinds, factors, loss, price, value)

    def _report(self, number: int, share: float, message: str) -> None:
        self.watch((number + share) / ROUNDS, message)


def split_budget(sizes: Floats, budget: float) -> Floats:
    """Return how many rows of each class to draw: in proportion, with a minimum for rare ones."""
    if not (present := sizes > 0).any():
        return np.zeros(len(sizes))
    wanted = np.maximum(budget * sizes / sizes.sum(), LEAST * budget / present.sum() * present)
    return np.asarray(np.minimum(wanted * (budget / wanted.sum()), sizes))


def factors_of(class_weight: Any, classes: NDArray[Any], sizes: NDArray[np.int64]) -> Floats:
    """Return the weight of a row of each class, normalised to n in total, shape (K,)."""
    weight = np.ones(len(classes))
    if class_weight == "balanced":
        weight = 1.0 / sizes
    elif class_weight is not None:
        weight = weights_of_classes(class_weight, classes)
    if not (weight * sizes).sum() > 0:
        raise DataError("`class_weight` must give some class a positive weight; all are 0.")
    return np.asarray(weight * (sizes.sum() / (weight * sizes).sum()))


Counts = NDArray[np.int64]
SAMPLE_ROWS = 20_000
LIMITS = {
    "sample_rows": Interval(Integral, 100, None, closed="left"),
    "test_share": Interval(Real, 0, 1, closed="left"),
}


@dataclass(frozen=True, eq=False)
class Tally:
    """Exact counts of a rule on one part of a table."""

    labels: tuple[Any, ...]
    confusion: Counts  # (K, K)
    matched: Counts  # (n_clauses,)
    right: Counts  # (n_clauses,)

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        """Rows with a wrong prediction."""
        return self.n - int(np.trace(self.confusion))

    @property
    def error(self) -> float:
        """Share of wrong rows; NaN without rows."""
        return self.errors / self.n if self.n else float("nan")


@dataclass(frozen=True, eq=False)
class TableCertificate:
    """Counts of a rule on the training and held-out rows of a table."""

    engine: str
    n_rows: int
    sample_rows: int
    key: str | None
    seed: int
    training: Tally
    test: Tally
    steps: pd.DataFrame

    def __str__(self) -> str:
        """Return the counts as sentences, one per line."""
        identified_by = "the whole row" if self.key is None else f"column {self.key!r}"
        n, last = self.training.n, self.steps.iloc[-1]
        lines = [
            f"Counted by {self.engine} on all {n:,} rows learned from: {self.training.errors:,} "
            f"wrong ({self.training.error:.4%})."
        ]
        if self.test.n:
            lines.append(
                f"Counted on all {self.test.n:,} rows held back, by a hash of {identified_by} and "
                f"the seed {self.seed}: {self.test.errors:,} wrong ({self.test.error:.4%})."
            )
        if self.sample_rows >= n:
            return "\n".join([*lines, "Conditions and cuts were learned from all of these rows."])
        lines.append(
            f"Conditions were learned from {int(last['round'])} sample(s) of about "
            f"{self.sample_rows:,} rows, drawn by a hash of {identified_by}."
        )
        if (self.steps["step"] == "refined").any():
            lines.append("Cuts were moved, and conditions left out, by counts of all rows.")
        return "\n".join(lines)


def tallies(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> tuple[Tally, Tally]:
    """Sum the counts of the training and of the held-out rows."""
    labels, decides = tuple(classes), Likeness(rule).patterns(kinds.met)[1][:, : rule.n_clauses]
    codes = code_answers(rule, labels)[:-1]

    def tally(confusion: Counts, counts: Counts) -> Tally:
        decided = decides.T @ counts
        return Tally(labels, confusion, decided.sum(axis=1), decided[np.arange(len(codes)), codes])

    training, test = map(tally, confusion_of(rule, kinds, labels), kinds.counts)
    return training, test


class LearnsFromTables:
    """Mixin that adds `fit_table` to a rule learner."""

    @restore_on_failure
    def fit_table(
        self,
        table: Any,
        target: str,
        features: Sequence[str] | None = None,
        *,
        key: str | None = None,
        test_share: float = 0.0,
        sample_rows: int = SAMPLE_ROWS,
        on_progress: Callable[[float, str], None] | None = None,
    ) -> Self:
        """Learn a rule from samples of a database table, and count it on every row.

        The engine draws a sample, stratified by class. The rule learned from it is counted on all
        rows by one GROUP BY. Conditions that do not pay their price on all rows are dropped, and
        thresholds are moved to where the fewest rows are wrong, by histograms of the engine. Then
        another sample is drawn, half of it rows that the rule predicts wrongly. The work ends when
        a sample gives no better rule, after at most four samples.

        Parameters
        ----------
        table : ibis.Table
            The table, in any engine that ibis supports and that can hash: DuckDB (also files of
            Parquet or CSV), PostgreSQL, Spark and others.
        target : str
            The column of the class; it must have no gaps.
        features : sequence of str, optional
            The columns to learn from; None for all others except `key`.
        key : str, optional
            A column whose hash draws and splits the rows, so that rows of one value stay together.
            None hashes the whole row, so that equal rows stay together.
        test_share : float, default=0.0
            Share of the rows that are held out and only counted, see `table_certificate_`.
        sample_rows : int, default=20000
            Approximate number of rows of a sample. If the table has no more rows, the rule is the
            one that `fit` learns from all of them.
        on_progress : callable, optional
            Called with the share done, from 0 to 1, and a description of the current step. An error
            that it raises, such as `StoppedError`, ends the work between two queries.

        Returns
        -------
        self
            As after `fit`, with the counts in `table_certificate_`. `training_error_`,
            `predict_proba` and `get_rules` use the counts of all training rows. `objective_` is
            the loss on all rows, scaled to the size of a sample, plus the price of the conditions.
            `history_`, `choice_`, `path_` and the chances of a scorecard's totals are those of a
            sample.

        Raises
        ------
        DataError
            If the table cannot be used, or its engine cannot count it; the column is named.
        ValueError
            If a parameter is not allowed, or `max_gap` is given.
        RuleError
            If a cell cannot be read as a condition of the rule reads it.

        Notes
        -----
        `refine` and `refine_thresholds` set whether thresholds are moved. Required conditions stay.
        Scorecards keep their conditions and thresholds. `time_limit` applies to each search, not to
        the engine. Samples depend on the engine's hash, `random_state` and the columns of the
        table, not on the order of rows.

        Each sample and each count scans the table about once, and so does each threshold in each
        pass over the thresholds: 20 to 50 scans for a rule of eight conditions, each of the columns
        that it reads.
        """
        model: Any = self
        model._check()
        if any(getattr(model, name, None) is not None for name in ("max_gap", "groups")):
            raise ValueError(
                "`fit_table` does not support `groups` and `max_gap`. Leave them None, or `fit` a "
                "sample."
            )
        check_limits(sample_rows=sample_rows, test_share=test_share)
        seed = int(generator_of(model.random_state).integers(2**31))
        rows = TableRows(table, target, features, Parts(key, float(test_share), seed))
        class_weight = model._class_weight(rows.classes)
        factors = factors_of(class_weight, rows.classes, rows.sizes[0])
        first: Any = clone(self)
        if class_weight == "balanced":  # of all rows: a sample is balanced otherwise
            first.set_params(class_weight=dict(zip(rows.classes.tolist(), factors, strict=True)))
        moves = bool(model.refine or getattr(model, "refine_thresholds", False))
        watch = on_progress or (lambda share, message: None)
        aims = factors, moves, as_constraints(model.constraints)
        work = TableLearning(rows, int(sample_rows), watch, *aims)
        result = work.run(lambda k: first if k == 0 else clone(getattr(first, "learner_", first)))
        counts = tallies(result.rule, result.kinds, rows.classes.tolist())
        facts = rows.engine, rows.n_rows, min(int(sample_rows), int(rows.sizes[0].sum())), key, seed
        certificate = TableCertificate(*facts, *counts, pd.DataFrame(work.steps))
        parameters = {*first.get_params()}
        for fitted in (first, result.learner):
            known = vars(fitted).items()
            vars(self).update({k: v for k, v in known if k not in parameters and hasattr(first, k)})
        if hasattr(self, "learner_"):
            if result.learner is not first:
                self.learner_ = result.learner
            if hasattr(self.learner_, "theta"):  # of a scorecard, totals are of the sample
                _keep(self.learner_, result, rows, certificate)
        _keep(self, result, rows, certificate)
        model._warn()
        return self


def _keep(model: Any, result: CountedRule, rows: TableRows, certificate: TableCertificate) -> None:
    """Set the attributes that follow from the rule and its counts."""
    rule = result.rule
    model.table_certificate_, model.classes_ = certificate, rows.classes
    model.n_rules_, model.n_conditions_ = rule.n_clauses, rule.n_conditions
    classes = tuple(map(plain_label, rows.classes))
    named = {"number": "number", "boolean": "truth value"}
    kinds = {name: named.get(kind, "level") for name, kind in rows.kinds.items()}
    model._schema = Schema(tuple(ColumnSchema(*item) for item in kinds.items()), classes)
    columns = (
        rows.describe(replace(c, kind=kinds[c.name]) if kinds[c.name] != "level" else c)
        for c in infer_schema(rule).columns
    )
    model.rule_set_ = replace(rule, schema=Schema(tuple(columns), classes))
    ignored = tuple(result.learner.ignored_columns_)
    model.ignored_columns_ = list(ignored)
    model._data_notes = (describe_ignored(ignored, rows.kinds),) if ignored else ()
    model._shares = shares_of(rule, result.kinds, result.factors)
    model.training_error_ = result.loss
    if hasattr(model, "objective_"):
        model.objective_ = result.value
    model.empty_rule_hint_ = None
    if rule.is_constant:
        answer = rule.predict({"": np.zeros(1)})[0]
        model.empty_rule_hint_ = (
            f"The rule has no condition and answers {answer!r} to every row: counted on all rows, "
            "no condition found is worth its price. Larger samples (`sample_rows`), other columns "
            "or a smaller price may help."
        )


def check_limits(**given: Any) -> None:
    """Reject a size of the sample or a held-out share that is out of range."""
    for name, value in given.items():
        if isinstance(value, bool) or not LIMITS[name].is_satisfied_by(value):
            raise ValueError(f"`{name}` must be {LIMITS[name]}; got {value!r}.")

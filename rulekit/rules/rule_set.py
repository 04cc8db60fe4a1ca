"""A rule set: clauses, their labels, and the default label."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import iand, ior
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._notebook import notebook_html
from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, Condition, ReadColumns
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import scorecard_of
from rulekit.rules.schema import Schema, schema_of

Label = Any
CLAUSE_OP = {"dnf": "and", "cnf": "or"}
JOIN: dict[str, Any] = {"and": iand, "or": ior}
Masks = dict[Condition, NDArray[np.bool_]]  # for which rows of a table conditions hold


@dataclass(frozen=True, slots=True)
class Clause:
    """Conditions joined by AND or by OR.

    Parameters
    ----------
    conditions : tuple of Condition
        In the order they are read out. Repeats are dropped, the first one stays.
    op : {"and", "or"}, default="and"
        How they are joined. No condition at all is always true under "and", never under "or".

    Examples
    --------
    >>> import numpy as np
    >>> clause = Clause((Literal("age", ">", 50), Literal("bmi", ">", 30)))
    >>> clause.mask({"age": np.array([60.0, 60.0]), "bmi": np.array([31.0, 25.0])})
    array([ True, False])
    >>> clause.negate().op
    'or'
    """

    conditions: tuple[Condition, ...] = ()
    op: str = "and"

    def __post_init__(self) -> None:
        if self.op not in ("and", "or"):
            raise RuleError(f"A clause's `op` must be 'and' or 'or', got {self.op!r}.")
        check_parts("A clause", self.conditions, Condition)
        object.__setattr__(self, "conditions", tuple(dict.fromkeys(self.conditions)))

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, each once, in order of first use."""
        return _features_of(self.conditions)

    @property
    def n_conditions(self) -> int:
        """Number of literals; an interval counts two."""
        return sum(c.n_conditions for c in self.conditions)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The conditions that are literals."""
        return tuple(c for c in self.conditions if isinstance(c, Literal))

    def mask(self, columns: Columns, known: Masks | None = None) -> NDArray[np.bool_]:
        """Return whether the clause matches, for each row; see `Literal.mask`.

        `known` stores the masks of conditions on these columns, for all clauses that are given it.
        """
        answer, join = np.full(n_rows(columns), self.op == "and"), JOIN[self.op]
        known = {} if known is None else known
        for condition in self.conditions:
            if condition not in known:
                known[condition] = condition.mask(columns)
            answer = join(answer, known[condition])
        return answer

    def condition_masks(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether each condition holds, shape (n, number of conditions)."""
        return stack_masks(self.conditions, columns)

    def negate(self) -> "Clause":
        """Return the clause that matches exactly where this one does not (De Morgan)."""
        swapped = "or" if self.op == "and" else "and"
        return Clause(tuple(c.negate() for c in self.conditions), swapped)


def build_clauses(conditions: Iterable[Iterable[Condition]]) -> tuple[Clause, ...]:
    """Build an AND of the conditions of each."""
    return tuple(Clause(tuple(each)) for each in conditions)


def _features_of(conditions: Iterable[Condition]) -> tuple[str, ...]:
    """List the columns that conditions read, each once."""
    read = ((c.feature,) if isinstance(c, Literal) else c.features for c in conditions)
    return tuple(dict.fromkeys(chain.from_iterable(read)))


def n_rows(columns: Columns) -> int:
    """Count the rows of a table given as columns; a table without columns has none."""
    return next((len(column) for column in columns.values()), 0)


def stack_masks(parts: Sequence[Any], columns: Columns, *known: Masks) -> NDArray[np.bool_]:
    """Return whether each part holds for each row, (n, parts); see `Clause.mask` on `known`."""
    masks = [part.mask(columns, *known) for part in parts]
    return np.array(masks, dtype=bool).reshape(len(masks), n_rows(columns)).T


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Clauses in disjunctive or conjunctive normal form, with one label per clause.

    Parameters
    ----------
    clauses : tuple of Clause
        ANDs of conditions in a DNF, ORs of conditions in a CNF.
    labels : tuple of str, int, float or bool
        One label a clause. In a CNF they are all equal (the label given when every clause holds),
        and a CNF without clauses, which always holds, still carries its one label.
    form : {"dnf", "cnf"}, default="dnf"
        How the clauses are joined: by OR in a DNF, by AND in a CNF.
    default : str, int, float or bool
        The label where the rule set does not hold.
    schema : Schema, optional
        What the columns were when the rule was learned, by which tables are read; those that the
        rule does not read are left out. None for a rule that was written by hand: types, levels and
        ranges are then not checked. Rules that differ in nothing else are equal.

    Raises
    ------
    RuleError
        If the parts do not fit together.

    Notes
    -----
    A row gets the label of the first clause that holds (DNF), or the one label if all hold (CNF),
    else `default`. A two-level Boolean rule has one label throughout; a tree's paths may have many.

    Examples
    --------
    >>> import numpy as np
    >>> from rulekit.rules import Literal
    >>> old = Clause((Literal("age", ">", 50),))
    >>> rule = RuleSet((old,), ("ill",), "dnf", "well")
    >>> rule.predict({"age": np.array([60.0, 40.0])})
    array(['ill', 'well'], dtype=object)
    """

    clauses: tuple[Clause, ...]
    labels: tuple[Label, ...]
    form: str = "dnf"
    default: Label = None
    schema: Schema | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_parts("A rule set", self.clauses, Clause)
        object.__setattr__(self, "clauses", tuple(self.clauses))
        if self.schema is not None:
            object.__setattr__(self, "schema", self.schema.take(self.features))
        # Python's scalars instead of NumPy's print, hash and export alike
        given = (*self.labels, self.default)
        *labels, default = (v.item() if isinstance(v, np.generic) else v for v in given)
        object.__setattr__(self, "labels", tuple(labels))
        object.__setattr__(self, "default", default)
        if self.form not in CLAUSE_OP:
            raise RuleError(f"A rule set's `form` must be 'dnf' or 'cnf', got {self.form!r}.")
        if self.default is None:
            raise RuleError("A rule set needs a `default`: the label where no clause decides.")
        op = CLAUSE_OP[self.form]
        if wrong := [c for c in self.clauses if c.op != op and len(c.conditions) != 1]:
            raise RuleError(
                f"The clauses of a {self.form.upper()} join their conditions by {op.upper()}; "
                f"clause {self.clauses.index(wrong[0]) + 1} does not."
            )
        same = (c if c.op == op else replace(c, op=op) for c in self.clauses)
        object.__setattr__(self, "clauses", tuple(same))
        expected = 1 if self.form == "cnf" and not self.clauses else len(self.clauses)
        if len(self.labels) != expected:
            raise RuleError(
                f"A rule set needs one label a clause (an empty CNF needs one): {expected} "
                f"expected, {len(self.labels)} given."
            )
        if self.form == "cnf" and len(set(self.labels)) > 1:
            raise RuleError(f"All clauses of a CNF share one label, got {set(self.labels)}.")

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, each once, in order of first use."""
        return _features_of(c for clause in self.clauses for c in clause.conditions)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions, each once, in order of first use."""
        return tuple(dict.fromkeys(c for clause in self.clauses for c in clause.conditions))

    @property
    def tests(self) -> tuple[Literal, ...]:
        """The single-column tests of all conditions, each once, in order of first use."""
        return tuple(dict.fromkeys(t for c in self.conditions for t in c.tests))

    @property
    def types(self) -> dict[str, frozenset[type]]:
        """The types of the values that each column is compared with."""
        types: dict[str, frozenset[type]] = dict.fromkeys(self.features, frozenset())
        for condition in self.conditions:
            for feature, compared in condition.types.items():
                types[feature] |= compared
        return types

    @property
    def n_clauses(self) -> int:
        """Number of clauses."""
        return len(self.clauses)

    @property
    def n_conditions(self) -> int:
        """Number of literals over all clauses; an interval counts two, a scorecard once."""
        conditions = [c for clause in self.clauses for c in clause.conditions]
        if all(isinstance(c, Literal) for c in conditions):
            return len(conditions)
        counted = scorecard_of(self)[:1] or self.clauses  # all bands have the same conditions
        return sum(c.n_conditions for c in counted)

    @property
    def classes(self) -> tuple[Label, ...]:
        """Every label the rule set can predict, the default last."""
        return tuple(dict.fromkeys((*[v for v in self.labels if v != self.default], self.default)))

    @property
    def is_constant(self) -> bool:
        """Whether the rule set reads no column and predicts one label for every row."""
        return not any(c.features for clause in self.clauses for c in clause.conditions)

    @property
    def as_dnf(self) -> "RuleSet":
        """A DNF with the same predictions: of a CNF, clause k holds where its clause k fails."""
        return self if self.form == "dnf" else self.negate()

    def clauses_fired(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each clause matches each row, shape (n, n_clauses).

        `X` is a table of any library, columns by name, or rows; it is read by `schema`.
        DataError if a column is missing, or is not what the rule reads.
        """
        return stack_masks(self.clauses, self.read(X))

    def clauses_deciding(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each clause decides each row, shape (n, n_clauses).

        Of a DNF the first clause that holds decides, of a CNF the first one that fails.
        """
        fired = self.clauses_fired(X) == (self.form == "dnf")
        return np.asarray(fired & (fired.cumsum(axis=1) == 1))

    def read(self, X: Any) -> Columns:
        """Return the columns that the rule reads from a table; see `clauses_fired`."""
        if isinstance(X, ReadColumns):
            return X
        from rulekit.data.columns.conform import RuleColumns

        return RuleColumns.from_table(X, schema_of(self))

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Return whether the rule set matches each row, i.e. does not predict `default`."""
        fired = self.clauses_fired(X)
        return np.any(fired, axis=1) if self.form == "dnf" else np.all(fired, axis=1)

    def predict(self, X: Any) -> NDArray[np.object_]:
        """Predict the label of each row, shape (n,); see `clauses_fired` for `X`.

        Warns of values that no training row had (`UnseenValuesWarning`), or that are not of the
        kind of their column and count as missing (`DataWarning`).
        """
        columns = self.read(X)
        if columns is not X:
            columns.report.warn(stacklevel=2)  # type: ignore[attr-defined]
        return self.answers(self.clauses_fired(columns))

    def answers(self, fired: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the labels for known clause matches, shape (n,)."""
        fired = np.all(fired, axis=1)[:, None] if self.form == "cnf" else fired
        n_labels = fired.shape[1]
        index = np.full(len(fired), n_labels)
        for k in reversed(range(n_labels)):  # the first clause that holds is written last
            index[fired[:, k]] = k
        return np.array([*self.labels[:n_labels], self.default], dtype=object)[index]

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return notebook_html(self)

    def take_clauses(self, numbers: Iterable[int]) -> "RuleSet":
        """Return the rule set with some of its clauses; a CNF without clauses keeps its label."""
        taken = tuple(numbers)
        labels = tuple(self.labels[k] for k in taken)
        if self.form == "cnf":
            labels = labels or self.labels[:1]
        return replace(self, clauses=tuple(self.clauses[k] for k in taken), labels=labels)

    def with_conditions(self, k: int, conditions: Iterable[Condition]) -> "RuleSet":
        """Return the rule set with other conditions in clause k."""
        clause = replace(self.clauses[k], conditions=tuple(conditions))
        return replace(self, clauses=(*self.clauses[:k], clause, *self.clauses[k + 1 :]))

    def negate(self) -> "RuleSet":
        """Return the same predictions, written for the other class (De Morgan), DNF as CNF.

        RuleError if the clauses have different labels, or a DNF without clauses does not name the
        other class.
        """
        if len(labels := set(self.labels)) != 1:
            raise RuleError(
                "Only a rule set whose clauses share one label can be negated; this one has "
                f"{len(labels)}."
            )
        other = "cnf" if self.form == "dnf" else "dnf"
        turned = tuple(c.negate() for c in self.clauses)
        default_labels = (self.default,) * max(len(turned), int(other == "cnf"))
        return RuleSet(turned, default_labels, other, self.labels[0], self.schema)


def check_parts(name: str, parts: Any, kind: type) -> None:
    """Raise RuleError unless the parts are a sequence of one kind."""
    if not (isinstance(parts, (tuple, list)) and all(isinstance(part, kind) for part in parts)):
        raise RuleError(f"{name} must have a tuple of `{kind.__name__}`, got {parts!r:.60}.")


def rule_of(model: Any) -> RuleSet:
    """Return the rule set of a fitted model, or the rule set itself."""
    rule = model if isinstance(model, RuleSet) else getattr(model, "rule_set_", None)
    if not isinstance(rule, RuleSet):
        raise RuleError(
            f"A rule set or a fitted rule model is needed, got {type(model).__name__} without "
            "`rule_set_`. Fit it, or pass the last step of a fitted pipeline."
        )
    return rule

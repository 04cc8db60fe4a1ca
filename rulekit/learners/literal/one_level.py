"""Rules of one clause: an AND of literals, or an OR."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rulekit._validation import Needs, StrOptions
from rulekit.binning import Binarizer
from rulekit.binning.binned_table import Bools
from rulekit.exceptions import TimeLimitError
from rulekit.learners.literal.base import LearnedRule, LiteralRuleClassifier
from rulekit.learners.literal.certificate import Certificate
from rulekit.learners.training import LearningProblem
from rulekit.rules import Literal
from rulekit.rules.constraints import Constraints
from rulekit.search.columns.priced_columns import price_table
from rulekit.search.machine_code import ROUNDING
from rulekit.search.screening.proved_cover import best_columns
from rulekit.search.screening.screen import (
    BASIC,
    COUNTING,
    ENHANCED,
    Screening,
    list_unproved,
    screen,
)

#: What each test states about a condition.
TEST_NAMES = {
    "simple": "costs as much as it saves",
    "pairs": "another condition does the same for no more",
    "duality": "every rule with it is worse than a known one",
}
#: Its certificate in words.
SENTENCES = {
    "simple": "It costs {price:.6g} (its price and the rows it decides wrongly) and can save "
    "{worth:.6g} at most.",
    "pairs": "In every rule {by} can stand in its place, and the rule costs no more.",
    "duality": "Every rule with it costs {floor:.6g} or more; a rule is known that costs "
    "{upper:.6g}.",
}
HOW = {"counting": COUNTING, "duality": (), "basic": BASIC, "enhanced": ENHANCED}
PROVED = 2e-6  # what perturbed prices may hide of an optimum, relative to its value


@dataclass(frozen=True)
class ConditionScreening:
    """Removed conditions of a one-clause rule, with certificates.

    Attributes
    ----------
    problem : LearningProblem
    screening : Screening
        The tests' outcomes over the candidates.
    theta : float
        Price of a literal.
    form : {"dnf", "cnf"}
        Of the rule.
    """

    problem: LearningProblem = field(repr=False)
    screening: Screening = field(repr=False)
    theta: float
    form: str

    def __post_init__(self) -> None:
        """Leave out what else is stored for the table, such as other problems."""
        object.__setattr__(self, "problem", replace(self.problem, memory={}))

    @property
    def literals(self) -> Sequence[Literal]:
        """The candidates as the rule has them."""
        table = self.problem.table
        return (table if self.form == "dnf" else table.opposite).literals

    @property
    def n_conditions(self) -> int:
        """Number of candidate conditions."""
        return len(self.screening.removed)

    @property
    def n_removed(self) -> int:
        """Number of removed conditions."""
        return int(self.screening.removed.sum())

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Count the conditions removed by each test.

        A row a test: `test` ("simple", "pairs", "duality"), `reason`, `alone` (removed by this
        test, whatever the others do), `first` (removed by it and by none before it).
        """
        first = self.screening.first_test()
        rows = [
            (each.test, TEST_NAMES[each.test], int(each.removed.sum()), int((first == k).sum()))
            for k, each in enumerate(self.screening.outcomes)
        ]
        return pd.DataFrame(rows, columns=["test", "reason", "alone", "first"])

    def count_by_column(self) -> pd.DataFrame:
        """Count candidates by source column and result: one row per column."""
        first = self.screening.first_test()
        source = self.problem.table.feature
        names = [e.name for e in self.problem.table.encodings]
        parts = {"column": names, "conditions": np.bincount(source, minlength=len(names))}
        for k, outcome in enumerate(self.screening.outcomes):
            parts[outcome.test] = np.bincount(source[first == k], minlength=len(names))
        parts["kept"] = np.bincount(source[first < 0], minlength=len(names))
        return pd.DataFrame(parts)

    def list_kept(self) -> tuple[Literal, ...]:
        """List the remaining conditions."""
        return tuple(self.literals[int(j)] for j in self.screening.kept)

    def certificates(self, limit: int | None = None) -> pd.DataFrame:
        """Return the reason for each removed condition, in the order of the candidates.

        `condition`, `test`, `price` (its own and that of the rows it decides wrongly), `worth`
        (weight of the rows it decides rightly), `by` (the condition that does the same for no
        more), `floor` (what every rule with it costs at least), `upper` (what a known one costs),
        `sentence`.
        """
        literals, rows = self.literals, []
        for j in np.flatnonzero(self.screening.removed)[:limit].tolist():
            removal = self.screening.removal(j)
            by = None if removal["by"] is None else str(literals[removal["by"]])
            row = {"condition": str(literals[j])} | removal | {"by": by}
            rows.append(row | {"sentence": SENTENCES[row["test"]].format(**row)})
        return pd.DataFrame(rows)

    def list_unproved(self) -> list[tuple[str, Literal]]:
        """Check every certificate on the raw table; list the invalid ones (none expected)."""
        problem, table = self.problem, self.problem.table

        def column(j: int) -> Bools:
            return ~problem.table.literals[j].mask(problem.columns)

        reasons = list_unproved(self.screening, column, ~table.y, self.theta, table.weight)
        return [(test, self.literals[j]) for test, j in reasons]


@dataclass(eq=False, repr=False)
class OneLevelRuleClassifier(LiteralRuleClassifier):
    """Learn one clause, by a linear program or by an integer program with proof.

    Parameters
    ----------
    theta : float, default=1.0
        Price of a condition, in misclassified training rows.
    form : {"dnf", "cnf"}, default="dnf"
        An AND of conditions ("dnf") or an OR of conditions ("cnf") for the class `positive_label`.
    exact : bool, default=False
        Whether the best clause is searched and proved, instead of rounding the relaxation. No
        Boolean matrix is built, so a binarizer with ``n_thresholds=None`` (a threshold at every
        distinct value) is affordable.
    screening : {None, "counting", "duality"}, default="counting"
        Which conditions are removed before the solver starts. "counting" removes conditions that
        cost as much as they save, and conditions that another threshold of the same column replaces
        at no higher price. "duality" (needs ``exact=True``) also removes conditions with which each
        clause costs more than the best clause so far. Screening does not change the cost of the
        clause; without `exact` it does not change the clause.
    rounding : {"redundancy", "threshold", "random"}, default="redundancy"
        How a fractional clause is rounded, as in `TwoLevelRuleClassifier`.
    positive_label, class_weight, costs, binarizer, constraints, random_state, time_limit
        As in `TwoLevelRuleClassifier`.

    Attributes
    ----------
    rule_set_, classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, history_, n_iter_, \
theta_max_, theta_pays_, empty_rule_hint_, binarizer_
        As in `TwoLevelRuleClassifier`.
    objective_ : float
        Cost of the clause (2.1). For "dnf", a row of the other class that the clause matches costs
        1, and a row of `positive_label` costs 1 for each condition that it does not meet. For
        "cnf", a row of `positive_label` that the clause does not match costs 1, and a row of the
        other class costs 1 for each condition that it meets.
    lower_bound_ : float
        Lower bound of the cost of all clauses over the same conditions.
    proved_optimal_ : bool
        Whether the bound equals the cost, to a millionth of the heaviest row; without `exact`,
        where prices are perturbed, to 2e-6 of the cost.
    screening_ : ConditionScreening or None
        With ``exact=True``: the conditions removed, each with a certificate.

    References
    ----------
    .. [1] D. M. Malioutov, K. R. Varshney, "Exact rule learning via Boolean compressed sensing"
       (2013).
    .. [2] S. Dash, D. M. Malioutov, K. R. Varshney, "Screening for learning classification rules
       via Boolean compressed sensing" (2014).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 40, 60, 70], "smoker": [1, 0, 0, 1]})
    >>> model = OneLevelRuleClassifier(theta=0.1).fit(X, ["a", "a", "a", "b"])
    >>> print(model, model.proved_optimal_)
    b if
           (age > 62)
    else a True
    """

    _kernels = (ROUNDING,)
    _own_constraints: ClassVar[dict[str, Any]] = {
        "exact": ["boolean"],
        "screening": [StrOptions({"counting", "duality"}), None],
        "rounding": [StrOptions({"redundancy", "threshold", "random"})],
    }
    _needs = (Needs("rounding", "exact", (False,)),)
    _n_clauses = 1

    theta: float = 1.0
    form: str = "dnf"
    exact: bool = False
    screening: str | None = "counting"
    rounding: str = "redundancy"
    _: KW_ONLY
    random_state: Any = None

    @property
    def certificate_(self) -> Certificate | None:
        """The certificate of ``exact=True``; None without it.

        Unlike `certify`, it bounds the cost that is minimised, see `objective_`, which counts a
        row of one of the classes once for every literal.
        """
        if not self.exact or self.lower_bound_ is None:
            return None
        proved = bool(self.proved_optimal_)
        certificate = Certificate(self.objective_, self.lower_bound_, proved, "")
        joined = "AND" if self.form == "dnf" else "OR"
        n = self.history_[0]["conditions"]
        best = (
            f"no {joined} of these {n:,} conditions, and no constant answer, costs less than "
            f"{certificate.lower_bound:.6g}"
        )
        head = f"Proved optimal: {best}."
        if not certificate.proved:
            within = ""
            if certificate.gap:
                within = f", at most {math.ceil(1000 * certificate.gap) / 10:g} % too much"
            why = "The integer program that would tell is too large"
            if any(step.get("move") == "add required" for step in self.history_):
                why = "Required conditions were added to it afterwards"
            elif "stopped" in self.history_[-1]:
                why = "Time ran out"
            costs = f"{certificate.objective:.6g}{within}"
            head = f"Not proved optimal: {best}, and the rule costs {costs}. {why}."
        once, often = self.default_label_, self.positive_label_
        verbs = "that the rule takes", "it fails"
        if self.form == "cnf":
            once, often, verbs = often, once, ("that the rule misses", "it meets")
        rows = "1" if self.class_weight is None else "its weight"
        sentence = (
            f"{head} The cost is {self.theta:g} for each condition, {rows} for each training row "
            f"of class {once!r} {verbs[0]}, and {rows} for each row of class {often!r} times the "
            f"number of conditions {verbs[1]}. It is not the number of wrong rows, which is "
            f"{100 * self.training_error_:.1f} % of the training rows."
        )
        return replace(certificate, sentence=sentence)

    def _check(self) -> None:
        super()._check()
        if self.screening == "duality" and not self.exact:
            raise ValueError(
                "`screening='duality'` needs `exact=True`. Set it, or use `screening='counting'`."
            )

    def _learn(self, problem: Any, rng: np.random.Generator) -> LearnedRule:
        self.screening_: ConditionScreening | None = None
        theta = float(self.theta)
        if not self.exact:
            solver, constants = problem.solver, problem.constant_losses
            solver.screening = self.screening is not None
            try:
                clause = solver.learn(None, theta, self.rounding, rng)
            except TimeLimitError:
                step: dict[str, Any] = {"step": 0, "objective": constants[0]}
                step["stopped"] = "time limit"
                return LearnedRule((), constants[0], constants, (step,))
            clauses = problem.clauses(clause.selected[None, :])
            proved = clause.cost - clause.bound <= PROVED * max(1.0, clause.cost)
            step = {"step": 0, "objective": clause.cost, "relaxation_binary": clause.was_binary}
            return LearnedRule(clauses, clause.cost, constants, (step,), clause.bound, proved)
        priced = price_table(problem.table, theta)
        best = best_columns(priced, screening=self.screening, deadline=problem.deadline)
        if best.screening is not None:
            self.screening_ = ConditionScreening(problem, best.screening, theta, self.form)
        literals = [problem.table.literals[j] for j in best.columns.tolist()]
        turned = self.form == "cnf"
        literals.sort(key=lambda one: (one.negate() if turned else one).sort_key)
        removed = 0 if best.screening is None else int(best.screening.removed.sum())
        step = {"step": 0, "objective": best.cost, "relaxation": best.relaxation.lower}
        step |= {"conditions": len(problem.table.literals), "removed": removed}
        step |= {"generated": best.relaxation.n_generated, "left_to_integer_program": best.n_left}
        if not best.proved and problem.deadline is not None:
            step["stopped"] = "time limit"
        proof = best.bound, best.proved
        return LearnedRule((tuple(literals),), best.cost, problem.constant_losses, (step,), *proof)


def screen_conditions(
    X: Any,
    y: Any,
    *,
    theta: float = 1.0,
    form: str = "dnf",
    how: str = "duality",
    positive_label: Any = None,
    class_weight: Any = None,
    binarizer: Binarizer | None = None,
    constraints: Constraints | Mapping[str, Any] | None = None,
    sample_weight: Any = None,
) -> ConditionScreening:
    """Remove the conditions that some best one-clause rule does not need.

    Parameters
    ----------
    X, y, sample_weight
        As in `OneLevelRuleClassifier.fit`.
    theta : float, default=1.0
        Price of a literal, in misclassified training rows.
    form, positive_label, class_weight, binarizer, constraints
        As in `OneLevelRuleClassifier`.
    how : {"counting", "duality", "basic", "enhanced"}, default="duality"
        "counting": a condition costs as much as it saves, or another threshold of its column does
        the same for no more; safe for the linear program too. "duality": also, every rule with it
        costs more than a known one, by the optimum of the linear program. "basic", "enhanced":
        the two versions of the paper.

    Returns
    -------
    ConditionScreening

    Raises
    ------
    ValueError
        If `how` is unknown, or a parameter is not allowed.
    DataError
        If the table cannot be used.

    Notes
    -----
    Takes O(n p + d) for p columns and d conditions, and for "duality" the linear program. For the
    paper see `OneLevelRuleClassifier`.

    Examples
    --------
    >>> from rulekit import load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> found = screen_conditions(X, y, positive_label="malignant")
    >>> found.n_conditions > found.n_removed > 0, found.list_unproved()
    (True, [])
    """
    if how not in HOW:
        raise ValueError(f"`how` must be one of {tuple(HOW)}, got {how!r}.")
    given = {"class_weight": class_weight, "binarizer": binarizer, "constraints": constraints}
    model = OneLevelRuleClassifier(theta, form, exact=True)
    model.set_params(positive_label=positive_label, **given)
    model._check()
    problem = model.problem_of(model._read(X, y, sample_weight), positive_label, by_cells=True)
    priced = price_table(problem.table, float(theta))
    screening = best_columns(priced).screening if how == "duality" else screen(priced, HOW[how])
    assert screening is not None
    return ConditionScreening(problem, screening, float(theta), form)

"""Lower bounds and certificates for fitted rules."""

# One clause is compared with every clause by branch and bound; several with the linear program over
# all clauses, which bounds the priced loss: a row of the other class counts once for every clause
# that holds.

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rulekit._validation import SECONDS, check_arguments
from rulekit.binning.binned_table import Bools
from rulekit.binning.encodings import LevelColumn
from rulekit.learners.literal.base import LiteralRuleClassifier
from rulekit.learners.training import Clock, LearningProblem
from rulekit.rules import Literal, RuleSet, simplify
from rulekit.rules.condition import ORDERED
from rulekit.search.box_search.problem import BoxRows
from rulekit.search.clause_generation.column_generation import GenerationPlan, generate
from rulekit.search.clause_generation.exact_clause import ALL_TESTS, BoxClauses, ClauseLimits
from rulekit.search.machine_code import DESCENT, EXACT

SAME = 1e-6  # objectives that differ by less than this are equal
LARGEST_GAP = 1.0  # relative gap up to which the bound of an unfinished search is reported
ONE_CLAUSE, ANY_CLAUSES = "training errors of one clause", "errors counted clause by clause"


@dataclass(frozen=True)
class Certificate:
    """What is proved about a fitted rule.

    Attributes
    ----------
    objective : float
        What the rule costs on its training rows: weight of missed rows of the described class, plus
        weight of rows of the other class, once for every clause that takes them, plus `theta` a
        condition. For a rule of at most one clause that is (3.7), wrong rows plus conditions.
    lower_bound : float or None
        No rule over the same conditions costs less (among rules of one clause where the learner may
        use one only, else with any number of clauses). None: nothing is proved.
    proved : bool
        Whether the rule is proved to be a best one by that count.
    sentence : str
        The same in words, with its limits.
    counts : {"training errors of one clause", "errors counted clause by clause"}
        Which of the two objectives the bound is of: (3.7) among rules of one clause, or the priced
        Hamming loss among rules of any number of clauses, which does not bound the error that
        counts each row once.
    better : RuleSet or None
        A rule that costs less, if the search met one that the learner's own limits allow.
    """

    objective: float
    lower_bound: float | None
    proved: bool
    sentence: str
    counts: str = ONE_CLAUSE
    better: RuleSet | None = None

    @property
    def gap(self) -> float | None:
        """Upper bound on the relative excess of the objective; None without a lower bound."""
        if self.lower_bound is None or (self.lower_bound <= 0 < self.objective):
            return None
        over = max(0.0, self.objective - self.lower_bound)
        return over / self.lower_bound if over else 0.0

    @property
    def verdict(self) -> str:
        """The result in few words: optimal, within some per cent, or empty.

        It is about `objective` by `counts`, not about errors on new rows.
        """
        if self.proved:
            return "proven optimal"
        return "" if self.gap is None or self.gap > LARGEST_GAP else _format_gap(self)


def certify(
    model: LiteralRuleClassifier,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    time_limit: float = 10.0,
    should_stop: Callable[[], bool] | None = None,
) -> Certificate:
    """Compute a lower bound on the cost of any rule over the learner's own conditions.

    Parameters
    ----------
    model : a fitted learner of literals
        Fitted.
    X, y, sample_weight
        The table that it was fitted on.
    time_limit : float, default=10.0
        Seconds. A linear program that has begun is finished.
    should_stop : callable, optional
        Called now and then; True ends the search for a proof.

    Returns
    -------
    Certificate
        With ``lower_bound=None`` where nothing could be proved. A search cut short may still leave
        a bound, which is reported unless the rule may cost twice the best possible or more.

    Raises
    ------
    TypeError
        If the model was not learned from conditions.
    ValueError
        If the table is not the one that the model was fitted on, or `time_limit` is not positive.

    Notes
    -----
    Conditions are those of the model's binarizer that its constraints allow; a set of values counts
    as many conditions as it has values, unless the set is a condition of the binarizer. What the
    constraints require is not required of the rules compared, which can only lower the bound. Both
    proofs need a positive `theta`, and take exponential time in the worst case.

    References
    ----------
    .. [1] S. Dash, O. Gunluk, D. Wei, "Boolean decision rules via column generation" (2018).

    Examples
    --------
    >>> from rulekit import BoxSearchClassifier, certify, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> model = BoxSearchClassifier(n_clauses=1, theta=10.0, random_state=0)
    >>> certify(model.fit(X, y), X, y).proved
    True
    """
    if not isinstance(model, LiteralRuleClassifier):
        raise TypeError(
            "`model` must be a fitted OneLevelRuleClassifier, TwoLevelRuleClassifier, "
            f"BoxSearchClassifier or ColumnGenerationClassifier, got {type(model).__name__}."
        )
    check_is_fitted(model, "rule_set_")
    check_arguments("certify", time_limit=(time_limit, SECONDS[:1]))
    reader: Any = clone(model)
    table = reader._read(X, y, sample_weight)
    shapes = [(m.n_features_in_, [*getattr(m, "feature_names_in_", ())]) for m in (model, reader)]
    theta = float(model.theta)
    if not (
        shapes[0] == shapes[1]
        and table.classes.tolist() == model.classes_.tolist()
        and abs(table.error(model.rule_set_, model._weights(table)) - model.training_error_) < SAME
        and (problem := reader.problem_of(table, model.positive_label_))
        and reader.binarizer_.literals_ == model.binarizer_.literals_
        and abs(problem.theta_max - model.theta_max_) < SAME
    ):
        raise ValueError(
            "`X`, `y` and `sample_weight` differ from the table that the model was fitted on. Pass "
            "the training rows."
        )
    learned = model.rule_set_.as_dnf
    objective = _cost(learned, problem, theta)
    one_clause = getattr(model, "n_clauses", model._n_clauses) == 1
    kernels = (EXACT,) if one_clause else (DESCENT, EXACT)
    stop = Clock.from_seconds(time_limit, should_stop, kernels)
    listed = {_cut_key(side) for lit in problem.table.literals for side in (lit, lit.negate())}
    literals = (literal for clause in learned.clauses for literal in clause.literals)
    lower: float | None = None
    met: Bools | None = None  # conditions of the clauses of the best rule found, shape (k, d)
    if theta <= 0:
        why_not = "a proof needs a positive price of a condition (`theta`)"
    elif not problem.axes.are_complete:
        why_not = "the constraints leave conditions that the proof does not cover"
    elif any(literal.op in ORDERED and _cut_key(literal) not in listed for literal in literals):
        why_not = "the rule has cuts that were not compared"
    else:
        lower, why_not, met = _search_bound(problem, theta, objective, stop, one_clause)
    counts = ONE_CLAUSE if one_clause else ANY_CLAUSES
    certificate = Certificate(objective, lower, False, f"Nothing is proved: {why_not}.", counts)
    if lower is not None:
        certificate = replace(certificate, proved=objective - lower <= SAME * max(1.0, objective))
        certificate = replace(certificate, sentence=_write_proof(model, certificate, lower))
    if met is None or certificate.proved:
        return certificate
    rule = simplify(model.dnf_of(problem.clauses(met)))
    full = model.with_required(rule, problem, max(1, len(met)))
    limit = getattr(model, "max_conditions", None)
    allowed = full == rule and (limit is None or rule.n_conditions <= limit)
    cheaper = _cost(rule, problem, theta) < objective - SAME * max(1.0, objective)
    return replace(certificate, better=model.in_form(rule) if allowed and cheaper else None)


def _cost(rule: RuleSet, problem: LearningProblem, theta: float) -> float:
    """Compute the cost of a DNF as `Certificate.objective` does, from the raw table."""
    taken = rule.clauses_fired(problem.columns)
    described, weight = problem.table.y, problem.table.weight
    missed = weight[described & ~taken.any(axis=1)].sum()
    wrong = (weight[~described] * taken[~described].sum(axis=1)).sum()
    return float(missed + wrong + theta * n_counted(rule, problem))


def n_counted(rule: RuleSet, problem: LearningProblem) -> int:
    """Count the conditions in a DNF; a merged set counts by its values."""
    listed = {_cut_key(literal) for literal in problem.table.literals}
    count = rule.n_conditions
    for literal in (literal for clause in rule.clauses for literal in clause.literals):
        if isinstance(literal.value, tuple) and _cut_key(literal) not in listed:
            encodings = (e for e in problem.table.encodings if e.name == literal.feature)
            ranks = [e.ranks_of(literal) for e in encodings if isinstance(e, LevelColumn)]
            in_a_row = any(r and max(r) - min(r) == len(r) - 1 for r in ranks)
            count += (min(2, len(literal.value)) if in_a_row else len(literal.value)) - 1
    return count


def _cut_key(literal: Literal) -> tuple[Any, ...]:
    return literal.feature, literal.op, literal.value, literal.scale


def _search_bound(
    problem: LearningProblem,
    theta: float,
    objective: float,
    stop: Callable[[], bool],
    one_clause: bool,
) -> tuple[float | None, str, Bools | None]:
    """Return a lower bound or the reason why it is missing, with the best rule found."""
    limits = ClauseLimits(max_tests=ALL_TESTS, should_stop=stop)
    if one_clause:  # a finished search proves the optimal cost
        nothing = problem.constant_losses[0]  # cost of the rule without clauses
        incumbent = max(0.0, nothing - objective)
        rows = BoxRows.from_table(problem.table)
        answer, box = BoxClauses(rows).find_best(theta, np.asarray(rows.weight), incumbent, limits)
        met = None if box is None else rows.find_conditions(box)
        lower, is_finished = nothing - answer.upper, answer.proved
        why_not = "the search for better rules did not come to its end in time"
    else:
        plan = GenerationPlan(0.0, theta, max_rounds=10_000, exact_limits=limits, should_stop=stop)
        rule = generate(problem.table, plan)
        lower, is_finished, met = rule.lower_bound or 0.0, rule.solved, rule.chosen
        why_not = "the linear program over all rules was not solved to its end in time"
    if not is_finished and objective > (1 + LARGEST_GAP) * lower:
        return None, why_not, met
    return lower, "", met


def _write_proof(model: LiteralRuleClassifier, certificate: Certificate, lower: float) -> str:
    count = f"wrong training rows plus {model.theta:g} a condition"
    objective, least = f"{certificate.objective:.6g}", f"{lower:.6g}"
    if certificate.counts == ONE_CLAUSE:
        if certificate.proved:
            return (
                f"Proved optimal: no rule of one clause over these conditions has fewer {count} "
                f"than {least}; this rule has {objective}."
            )
        return (
            f"This rule is {_format_gap(certificate)}: counting {count}, it has {objective}, and "
            f"no rule of one clause over these conditions has fewer than {least}."
        )
    other, takes = model.default_label_, "holds for it"
    if model.rule_set_.form == "cnf":
        other, takes = model.positive_label_, "turns it away"
    head = f"By this count {_format_gap(certificate)}"
    if certificate.proved:
        head = "Proved optimal by this count"
    return (
        f"{head}: {count}, where a row of class {other!r} counts once for every clause that "
        f"{takes}. This rule has {objective}; no rule over these conditions, of any number of "
        f"clauses, has fewer than {least}. It does not bound the error that counts each row once."
    )


def _format_gap(certificate: Certificate) -> str:
    """Format the gap, rounded up so that the statement stays true."""
    if certificate.gap is None:
        return "not proved optimal (the best possible may cost nothing)"
    return f"within {math.ceil(1000 * certificate.gap) / 10:g} % of the best possible"

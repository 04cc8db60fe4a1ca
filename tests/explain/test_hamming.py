"""The Hamming distance to a correct rule: against its definition, for CNF and for DNF."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rulekit import TwoLevelRuleClassifier, load_sample
from rulekit.exceptions import DataError
from rulekit.explain import explain
from rulekit.explain.row import hamming_distances
from rulekit.rules import Clause, Literal, RuleSet
from tests.explain.tables import patients
from tests.reference.hamming import distance

LITERALS = tuple(Literal(f, op, 0.0) for f in "ab" for op in (">", "<="))
ROWS = {"a": np.array([-1.0, -1.0, 1.0, 1.0]), "b": np.array([-1.0, 1.0, -1.0, 1.0])}


@given(arrays(bool, (4, 2)), st.booleans())
def test_distance_of_a_cnf_is_the_fewest_flips_that_make_it_right(w, y):
    clauses = tuple(
        Clause(tuple(x for x, used in zip(LITERALS, w[:, r], strict=True) if used), "or")
        for r in range(2)
    )
    rule = RuleSet(clauses, (True, True), "cnf", False)
    found = hamming_distances(rule, ROWS, np.array([y] * 4, dtype=object))
    A = np.array([x.mask(ROWS) for x in LITERALS]).T
    assert found == [distance(a, w, y) for a in A]


@given(arrays(bool, (4, 2)), st.booleans())
def test_distance_equals_that_of_the_mirror_image(w, y):
    clauses = tuple(
        Clause(tuple(x for x, used in zip(LITERALS, w[:, r], strict=True) if used))
        for r in range(2)
    )
    rule = RuleSet(clauses, (True, True), "dnf", False)
    labels = np.array([y] * 4, dtype=object)
    assert hamming_distances(rule, ROWS, labels) == hamming_distances(rule.negated(), ROWS, labels)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_distances_and_literals_sum_to_the_objective(form):
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = TwoLevelRuleClassifier(n_clauses=2, theta=2.0, form=form).fit(X, y)
    distances = [e.hamming_distance for e in explain(model, X, y)]
    assert sum(distances) + 2.0 * model.n_conditions_ == pytest.approx(model.objective_)


def test_rows_answered_rightly_are_at_distance_zero():
    rule, frame = patients()
    found = explain(rule, frame, ["ill", "ill", "well", "ill"])
    assert [e.hamming_distance for e in found] == [0, 0, 2, 1]


def test_wrong_rule_without_clauses_has_no_distance():
    rule = RuleSet((), (), "dnf", "well")
    assert hamming_distances(rule, {"a": np.zeros(2)}, np.array(["well", "ill"], object)) == [
        0,
        None,
    ]


def test_clauses_of_several_labels_have_no_distance():
    clauses = (Clause((LITERALS[0],)), Clause((LITERALS[1],)))
    rule = RuleSet(clauses, ("x", "y"), "dnf", "z")
    assert hamming_distances(rule, ROWS, np.array(["x"] * 4, object)) == [None] * 4


def test_true_label_that_the_rule_never_answers_is_named():
    rule, frame = patients()
    with pytest.raises(DataError, match=r"holds 'sick' \(row 1\).* labels are 'ill' and 'well'"):
        explain(rule, frame, ["ill", "sick", "ill", "well"])


def test_one_true_label_a_row_is_needed():
    rule, frame = patients()
    with pytest.raises(DataError, match="4 rows and 2 labels"):
        explain(rule, frame, ["ill", "well"])

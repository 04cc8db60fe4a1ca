"""Conditions that may be given points: each pair once, written as the wishes allow."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Binarizer, Constraints, Literal, RuleError
from rulekit.data import columns_of
from rulekit.families.scorecard.candidates import candidates
from rulekit.families.scorecard.solver.search import Card
from tests.learners.tables import mixed_table
from tests.reference.points import holds


def found(X, y, **limits_given):
    binarizer = Binarizer(n_thresholds=3).fit(X)
    constraints = Constraints(**limits_given)
    weight = np.ones(len(y))
    return candidates(binarizer.transform(X), columns_of(X), y == "yes", weight, constraints)


def card(*given):
    chosen, points = zip(*sorted(given), strict=True)
    return Card(chosen, points, 1.0, 0.0, 0.0)


def literals(of, raising=True):
    sides = [w[not raising] for w in of.written]
    return [side and side[0] for side in sides]


@pytest.mark.parametrize("gaps", [True, False])
def test_a_candidate_is_written_as_what_holds_in_the_same_rows(gaps):
    X, y = mixed_table(gaps=gaps)
    of, columns = found(X, y), columns_of(X)
    x = holds(of.problem)
    for j, written in enumerate(of.written):
        for literal, turned in written:
            assert (literal.mask(columns) ^ turned).tolist() == x[:, j].tolist()
    patterns = {min(c.tobytes(), (~c).tobytes()) for c in x.T}
    assert len(patterns) == len(of.written), "no two say the same, or its opposite"


def test_candidates_have_points_and_keep_constraints():
    X, y = mixed_table()
    of, columns = found(X, y), columns_of(X)
    signed = card((0, 3), (2, -2), (5, 1), (8, -4))
    given, shift = of.write_card(signed)
    assert sorted(p for _, p in given) == [1, 2, 3, 4]
    totals = sum(p * literal.mask(columns) for literal, p in given)
    own = holds(of.problem)[:, signed.chosen] @ np.array(signed.points)
    assert (totals - shift).tolist() == own.tolist()
    assert [p for _, p in given] == [4, 3, 2, 1]
    of = found(X, y, forbidden=("age",))
    assert "age" not in {w[0][0].feature for w in of.written}
    first = literals(found(X, y))[0]
    of = found(X, y, forbidden=(first,))
    assert first not in literals(of)
    assert first not in literals(of, raising=False)
    assert len(of.written) == len(found(X, y).written), "its opposite stands for it"
    X = pd.DataFrame({"a": np.arange(20.0), "b": np.ones(20)})
    with pytest.raises(RuleError, match="Column 'b' is required"):
        found(X, np.repeat(["no", "yes"], 10), required=("b",))
    X, y = mixed_table()
    with pytest.raises(RuleError, match="holds in every row of the training table"):
        found(X, y, required=(Literal("age", ">", 0),))


def test_points_have_the_sign_of_their_direction():
    X, y = mixed_table()
    of = found(X, y, directions={"age": ">"})
    for written, (low, high) in zip(of.written, of.problem.limits, strict=True):
        if written[0][0].feature == "age":
            assert written[0][0].op == ">"
            assert (low, high) == (0, 5)
        else:
            assert (low, high) == (-5, 5)
    X, y = mixed_table(gaps=False)
    of = found(X, y, allow_not_equal=False)
    j = next(i for i, w in enumerate(of.written) if w[0][0].feature == "town")
    ((literal, points),), shift = of.write_card(card((j, 2)))
    assert (literal.op, points, shift) == ("==", -2, -2)


def test_a_required_literal_is_one_candidate_with_its_own_cut():
    X, y = mixed_table()
    constraint = Literal("age", ">", 43.25)
    of = found(X, y, required=("bmi", constraint))
    (single,), column = of.problem.required
    assert of.written[single] == ((constraint, False),) * 2
    assert holds(of.problem)[:, single].tolist() == (X.age > 43.25).tolist()
    assert {of.written[j][0][0].feature for j in column} == {"bmi"}
    bound = found(X, y, required=(constraint,), directions={"age": ">"})
    assert bound.problem.limits[-1].tolist() == [0, 5]
    constraint = literals(found(X, y))[0]
    of = found(X, y, required=(constraint,))
    assert len(of.written) == len(found(X, y).written)

"""What is counted in the rules of resamples, and told in words."""

from dataclasses import replace

import numpy as np
import pytest

from rulekit.evaluation import Stability
from rulekit.evaluation.trust.stability_found import Resample
from rulekit.rules import Clause, Literal, RuleSet

N = 100
X = {"age": np.arange(N, dtype=float), "town": np.array(["a", "b"] * 50, dtype=object)}
Y = np.where(X["age"] > 40, "ill", "well")


def rule(*clauses):
    made = [Clause(tuple(Literal(*test) for test in tests)) for tests in clauses]
    return RuleSet(tuple(made), ("ill",) * len(made), "dnf", "well")


def resample(made, left=range(20, 60)):
    left = np.array(left)
    wrong = made.predict({k: v[left] for k, v in X.items()}) != Y[left]
    return Resample(made, left, wrong, Y[left] == "well")


HAND = rule([("age", ">", 40.0)], [("town", "==", "a"), ("age", "<=", 10.0)])
OTHERS = (
    rule([("age", ">", 42.0)]),
    rule([("age", ">", 60.0)], [("town", "==", "a"), ("age", "<=", 20.0)]),
    rule([("town", "==", "b")]),
    rule([("age", ">", 40.0), ("town", "==", "a")]),
)
FOUND = Stability(HAND, tuple(map(resample, OTHERS)), 4, X, Y, np.ones(N))


def test_columns_are_counted_once_a_rule():
    assert FOUND.columns.values.tolist() == [["age", True, 3], ["town", True, 3]]


def test_returned_cuts_match_column_and_side_and_count_the_nearest():
    above, below = FOUND.cuts.itertuples(index=False)
    assert tuple(above)[:5] == ("age", "above", 40.0, 3, 2)  # 60 is a fifth of the rows away
    assert (above.low, above.middle, above.high) == (40.0, 42.0, 60.0)
    assert tuple(below)[:5] == ("age", "below", 10.0, 1, 0)


def test_cuts_of_other_rules_follow_the_selected_ones():
    found = replace(FOUND, selected=OTHERS[0])
    assert found.cuts["selected"].tolist()[0] == 42.0
    assert np.isnan(found.cuts["selected"].tolist()[1])
    assert found.cuts["side"].tolist() == ["above", "below"]


def test_a_clause_returns_on_the_same_columns_in_the_same_directions():
    first, second, *others = FOUND.clauses.itertuples(index=False)
    assert (first.number, first.returned) == (1, 2)
    assert (second.number, second.returned) == (2, 1)
    assert {(row.clause, row.number, row.returned) for row in others} == {
        ("town == b", 0, 1),
        ("age > 40 AND town == a", 0, 1),
    }


def test_a_clause_that_answers_otherwise_is_another_one():
    result = replace(OTHERS[0], labels=("well",), default="ill")
    found = replace(FOUND, resamples=(resample(result),))
    assert found.clauses["returned"].tolist() == [0, 0, 1]


def test_overlap_counts_rows_matched_by_both_clauses():
    def share(a, b):
        return (a & b).sum() / (a | b).sum()

    held = [r.clauses_fired(X).T for r in OTHERS]
    for k, own in enumerate(HAND.clauses_fired(X).T):
        best = [max(share(own, other) for other in each) for each in held]
        assert FOUND.clauses["overlap"][k] == pytest.approx(np.mean(best))


def test_answers_are_compared_row_by_row():
    answers = np.array([r.predict(X) for r in OTHERS])
    same = (answers == HAND.predict(X)).mean(axis=0)
    assert FOUND.same_answers.tolist() == same.tolist()


def test_left_out_errors_are_averaged_by_row_with_weights():
    weight = np.linspace(1, 2, N)
    made = (resample(OTHERS[0], range(30, 50)), resample(OTHERS[1], range(40, 80)))
    found = replace(FOUND, resamples=made, weight=weight)
    rows = np.arange(30, 80)
    wrong = [np.mean([r.wrong[r.left_out == i][0] for r in made if i in r.left_out]) for i in rows]
    usual = [
        np.mean([r.usual_wrong[r.left_out == i][0] for r in made if i in r.left_out]) for i in rows
    ]
    error, usual_error, spread = found.left_out
    assert error == pytest.approx(np.average(wrong, weights=weight[30:80]))
    assert usual_error == pytest.approx(np.average(usual, weights=weight[30:80]))
    gain = np.array(usual) - wrong
    share = weight[30:80] / weight[30:80].sum()
    centred = gain - share @ gain
    assert spread == pytest.approx(np.sqrt((share**2 * centred**2).sum()))


def test_only_rules_that_hold_on_other_rows_return_anything():
    good = tuple(resample(OTHERS[0]) for _ in range(5))
    found = replace(FOUND, resamples=good, n_requested=10)
    assert found.beats_chance
    assert found.returning == ["age"]
    message = found.sentences({"age": "Age"})
    assert message[0].startswith("5 of 10 resamples are made")
    assert "Of 5 rules, 4 or more read Age (5); of the given rule, fewer read town (0)." in message
    assert any(
        s.startswith("Age above 40: 5 rules cut it on this side, eight of ten of them at 42; 5 so")
        for s in message
    )
    bad = tuple(r._replace(wrong=~r.wrong) for r in good)
    found = replace(found, resamples=bad)
    assert not found.beats_chance
    assert found.returning == []
    assert "Nothing returns" in found.sentences()[1]
    assert len(found.sentences()) == 2


def test_without_a_resample_nothing_is_claimed():
    found = replace(FOUND, resamples=())
    assert found.sentences() == ["0 of 4 resamples are made."]
    assert found.returning == []
    assert np.isnan(found.same_answers).all()
    assert found.cuts["returned"].tolist() == [0, 0]


def test_deprecated_number_of_resamples_warns():
    with pytest.warns(FutureWarning, match="`n_asked` is now `n_requested`"):
        assert FOUND.n_asked == FOUND.n_requested

"""Steps that turn an answer: the search agrees with a look at every row."""

from itertools import combinations, product

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.rules import (
    Clause,
    Factor,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
    check_monotonicity,
)
from rulekit.rules.analysis.row_search import columns_of_rows
from rulekit.rules.condition import as_column
from tests.strategies.rules import (
    BETWEEN,
    NUMBERS,
    ORDER,
    PARTS,
    UNSEEN,
    WORDS,
    points_splits,
    rule_sets,
)


def turning(part, value):
    return Literal("opened", "==", value, part=part).turning


POOLS = {
    "age": sorted({*NUMBERS, *BETWEEN} - {np.inf, -np.inf}),
    "size": [*NUMBERS, *BETWEEN[:7], np.nan],
    "colour": [*WORDS, UNSEEN[0], None],
    "town": [*WORDS, UNSEEN[0], None],
    "smoker": [True, False, None],
    "opened": [*(moment for t in PARTS for v in PARTS[t] for moment in turning(t, v)), None],
    "grade": [*ORDER, "unknown", None],
    "note": [" ".join(w) for n in range(4) for w in combinations(("late", "paid", "twice"), n)],
}


def read_in_one_way(rule):
    """Whether dates are read in one way: how several meet, a promise does not go through."""
    tests = [t for k in rule.clauses for c in k.conditions for t in c.tests]
    return len({t.part for t in tests if t.part}) <= 1


def every_answer(rule, feature):
    """Evaluate every row that its conditions can distinguish: other columns first, then steps."""
    others = [f for f in rule.features if f != feature]
    pools = [POOLS[f] for f in others]
    own = sorted(v for v in POOLS[feature] if v is not None and v == v)
    cells = zip(*product(*pools, own), strict=True)
    table = dict(zip([*others, feature], map(as_column, cells), strict=True))
    return rule.predict(table).reshape(-1, len(own))


def plainly_kept(rule, feature, towards, direction):
    """Look at every step of every row, one after the other."""
    answers = every_answer(rule, feature) == towards
    if direction == "<":
        answers = answers[:, ::-1]
    return not (answers[:, :-1] & ~answers[:, 1:]).any()


@given(
    st.one_of(
        rule_sets(max_clauses=3, max_size=3),
        points_splits(max_size=4).map(
            lambda split: RuleSet((Clause((split,)),), ("yes",), "dnf", "no")
        ),
    ),
    st.sampled_from(("age", "smoker")),
    st.sampled_from(("yes", "no")),
    st.sampled_from("<>"),
)
def test_the_check_agrees_with_a_look_at_every_row(rule, feature, towards, direction):
    assume(len([f for f in rule.features if f != feature]) <= 2 and read_in_one_way(rule))
    report = check_monotonicity(rule, feature, towards, direction)
    assert report.kept is plainly_kept(rule, feature, towards, direction)
    if report.kept:
        assert report.example is None
        return
    before, after = report.example
    assert {name for name in before if before[name] != after[name]} <= {feature}
    assert (after[feature] > before[feature]) == (direction == ">")
    first, second = rule.predict(columns_of_rows(report.example, list(before)))
    assert first == towards != second


def test_tree_paths_of_sums_are_proved_if_each_step_is_monotonic():
    heavy = PowerLawSplit((PowerLaw(1.0, (Factor("m"),)),), 3.0, inside=False)
    tall = PowerLawSplit((PowerLaw(1.0, (Factor("h"),)),), 2.0, inside=False)
    paths = (Clause((heavy, tall)), Clause((heavy, tall.negate())), Clause((heavy.negate(), tall)))
    tree = RuleSet(paths, ("yes", "yes", "yes"), "dnf", "no")
    assert check_monotonicity(tree, "m", "yes").kept
    turned = RuleSet(paths, ("no", "yes", "yes"), "dnf", "no")
    assert check_monotonicity(turned, "m", "yes").kept is None


def test_a_search_that_takes_too_long_settles_nothing(monkeypatch):
    monkeypatch.setattr("rulekit.rules.analysis.monotonicity.MOST_STEPS", 2)
    split = PointsSplit(
        (Literal("age", ">", 1), Literal("age", ">", 2), Literal("b", ">", 0)), (3, -1, 2), 3
    )
    report = check_monotonicity(RuleSet((Clause((split,)),), ("yes",), "dnf", "no"), "age", "yes")
    assert report.kept is None
    assert "could not be verified" in report.sentence

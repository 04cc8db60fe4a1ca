"""Promises: a rule keeps one if no step of the column turns an answer away, by every row."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import (
    Clause,
    Constraints,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
    check_promise,
    promises_of,
)
from tests.strategies import BETWEEN, NUMBERS, UNSEEN, WORDS, literals, points_splits, rule_sets
from tests.strategies_power_laws import NAMES, splits

POOLS = {
    "age": sorted({*NUMBERS, *BETWEEN} - {np.inf, -np.inf}),
    "size": [*NUMBERS, *BETWEEN[:7], np.nan],
    "colour": [*WORDS, UNSEEN[0], None],
    "town": [*WORDS, UNSEEN[0], None],
    "smoker": [True, False, None],
}


def every_answer(rule, feature):
    """Answer every row that its conditions can tell apart: others by their values, then steps."""
    others = [f for f in rule.features if f != feature]
    pools = [POOLS[f] for f in others]
    own = [v for v in POOLS[feature] if v is not None and v == v]
    own = sorted(own)
    rows = list(product(*pools, own))
    table = {}
    for k, name in enumerate([*others, feature]):
        dtype = float if name in ("age", "size") else object
        column = np.empty(len(rows), dtype=dtype)
        column[:] = [row[k] for row in rows]
        table[name] = column
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
    assume(len([f for f in rule.features if f != feature]) <= 3)
    found = check_promise(rule, feature, towards, direction)
    assert found.kept is plainly_kept(rule, feature, towards, direction)
    if found.kept:
        assert found.example is None
        return
    before, after = found.example
    assert {name for name in before if before[name] != after[name]} <= {feature}
    assert (after[feature] > before[feature]) == (direction == ">")
    asked = [
        rule.predict(
            {
                name: np.array(
                    [np.nan if v is None and name in ("age", "size") else v],
                    dtype=float if name in ("age", "size") else object,
                )
                for name, v in row.items()
            }
        )[0]
        for row in found.example
    ]
    assert asked[0] == towards
    assert asked[1] != towards


@given(st.one_of(literals(), points_splits()), st.sampled_from(("age", "smoker")))
def test_a_condition_goes_the_way_it_says(condition, feature):
    trend = condition.trend(feature)
    rule = RuleSet((Clause((condition,)),), ("yes",), "dnf", "no")
    assume(feature in rule.features and len(rule.features) <= 3)
    if trend is None:
        return
    for sign, direction in ((1, ">"), (-1, "<")):
        if trend in (0, sign):
            assert plainly_kept(rule, feature, "yes", direction)


@given(splits(), st.sampled_from(NAMES), st.integers(0, 10_000))
def test_a_sum_of_power_laws_goes_the_way_it_says(split, feature, seed):
    trend = split.trend(feature)
    if trend is None:
        return
    rng = np.random.default_rng(seed)
    ladder = np.sort(rng.normal(scale=3.0, size=40))
    rows = {name: np.full(40, rng.normal(scale=2.0)) for name in NAMES} | {feature: ladder}
    steps = np.diff(split.mask(rows).astype(int))
    assert set(steps.tolist()) <= {0, trend}


def test_a_weight_s_sign_is_the_direction_of_a_plane():
    plane = LinearSplit((("a", 2.0), ("b", -1.0)), ">", 3.0)
    assert [plane.trend(name) for name in "abc"] == [1, -1, 0]
    assert [plane.negated().trend(name) for name in "abc"] == [-1, 1, 0]
    rule = RuleSet((Clause((plane, Literal("a", ">", 1))),), ("yes",), "dnf", "no")
    assert check_promise(rule, "a", "yes").kept
    assert check_promise(rule, "b", "yes", "<").kept
    assert check_promise(rule, "b", "yes").kept is None  # what sums can be is not looked into


def test_a_tree_s_paths_of_sums_are_proved_where_each_step_leads_on():
    heavy = PowerLawSplit((PowerLaw(1.0, (Factor("m"),)),), 3.0, inside=False)
    tall = PowerLawSplit((PowerLaw(1.0, (Factor("h"),)),), 2.0, inside=False)
    paths = (
        Clause((heavy, tall)),
        Clause((heavy, tall.negated())),
        Clause((heavy.negated(), tall)),
    )
    tree = RuleSet(paths, ("yes", "yes", "yes"), "dnf", "no")
    assert check_promise(tree, "m", "yes").kept
    turned = RuleSet(paths, ("no", "yes", "yes"), "dnf", "no")
    assert check_promise(turned, "m", "yes").kept is None


def test_an_age_between_two_cuts_breaks_a_promise_and_the_sentence_names_two_rows():
    old = Clause((Literal("age", ">", 30), Literal("age", "<=", 60), Literal("town", "==", "Ulm")))
    rule = RuleSet((old,), ("yes",), "dnf", "no")
    found = check_promise(rule, "age", "yes")
    assert not found.kept
    assert "with town = Ulm, age = 60 is answered yes and age = 61 is not" in found.sentence
    assert "Where age is missing, its conditions do not hold." in found.sentence
    both = RuleSet((old, Clause((Literal("age", ">", 60, True),))), ("yes", "yes"), "dnf", "no")
    assert check_promise(both, "age", "yes").kept
    assert "missing" not in check_promise(both, "age", "yes").sentence


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("age", "yes", "up"), "direction of a promise must be '<' or '>', got 'up'"),
        (("town", "yes"), "the rule compares 'town' with text, which does not rise or fall"),
    ],
)
def test_what_cannot_be_promised_is_refused_in_words(arguments, says):
    rule = RuleSet((Clause((Literal("town", "==", "Ulm"),)),), ("yes",), "dnf", "no")
    with pytest.raises(RuleError, match=says):
        check_promise(rule, *arguments)


def test_a_search_that_takes_too_long_settles_nothing(monkeypatch):
    monkeypatch.setattr("rulekit.rules.promises.MOST_STEPS", 2)
    split = PointsSplit(
        (Literal("age", ">", 1), Literal("age", ">", 2), Literal("b", ">", 0)), (3, -1, 2), 3
    )
    found = check_promise(RuleSet((Clause((split,)),), ("yes",), "dnf", "no"), "age", "yes")
    assert found.kept is None
    assert "was not settled" in found.sentence


@given(rule_sets(form="dnf", max_clauses=4, max_size=3), st.sampled_from("<>"))
def test_a_list_whose_clauses_are_each_allowed_for_their_class_keeps_the_promise(rule, sign):
    wishes = Constraints(directions={"age": sign, "smoker": sign}, towards="yes")
    kept = [
        Clause(tuple(c for c in clause.conditions if wishes.for_class(label).allows(c)))
        for clause, label in zip(rule.clauses, rule.labels, strict=True)
    ]
    kept_rule = RuleSet(tuple(kept), rule.labels, "dnf", rule.default)
    assume(len(kept_rule.features) <= 3)
    for check in promises_of(kept_rule, wishes):
        assert check.kept
        if check.feature in kept_rule.features:
            assert plainly_kept(kept_rule, check.feature, "yes", sign)

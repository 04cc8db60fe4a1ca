"""Steps that turn an answer: the search agrees with a look at every row."""

from itertools import product

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
    check_promise,
)
from tests.strategies import (
    BETWEEN,
    FLAGS,
    NUMBERS,
    NUMERIC,
    READ,
    TEXTS,
    UNSEEN,
    WORDS,
    clauses,
    literals,
    points_splits,
)

POOLS = {
    "age": sorted({*NUMBERS, *BETWEEN} - {np.inf, -np.inf}),
    "size": [*NUMBERS, *BETWEEN[:7], np.nan],
    "colour": [*WORDS, UNSEEN[0], None],
    "town": [*WORDS, UNSEEN[0], None],
    "smoker": [True, False, None],
    **{name: [*cells, None] for name, cells in READ.items()},
}
PLAIN = (*NUMERIC, *TEXTS, *FLAGS)
EVERY = (*PLAIN, *READ)


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


@st.composite
def rules(draw, features, form=None):
    """A rule of up to three clauses over some columns."""
    form = form or draw(st.sampled_from(("dnf", "cnf")))
    chosen = draw(st.lists(clauses("and" if form == "dnf" else "or", 3, features), max_size=3))
    labels = ("yes",) * max(len(chosen), 1)
    if form == "dnf":
        labels = draw(st.tuples(*[st.sampled_from(("yes", "no", "perhaps"))] * len(chosen)))
    return RuleSet(tuple(chosen), labels, form, "no")


def points(features):
    """A scorecard over some columns."""
    return points_splits(literals(features), 4).map(
        lambda split: RuleSet((Clause((split,)),), ("yes",), "dnf", "no")
    )


@given(
    st.one_of(rules(PLAIN), points(PLAIN)),
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
    else:
        turns_between(rule, found)


@given(
    st.one_of(rules(EVERY), points(EVERY)),
    st.sampled_from(("age", "smoker")),
    st.sampled_from(("yes", "no")),
    st.sampled_from("<>"),
)
def test_of_dates_levels_and_words_nothing_wrong_is_said(rule, feature, towards, direction):
    assume(len([f for f in rule.features if f != feature]) <= 3)
    found = check_promise(rule, feature, towards, direction)
    if found.kept:
        assert plainly_kept(rule, feature, towards, direction)
    elif found.kept is False:
        turns_between(rule, found)


def turns_between(rule, found):
    """Ask the rule about the two rows of an example."""
    feature = found.feature
    before, after = found.example
    assert {name for name in before if before[name] != after[name]} <= {feature}
    assert (after[feature] > before[feature]) == (found.direction == ">")
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
    assert asked[0] == found.towards
    assert asked[1] != found.towards


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


def test_a_search_that_takes_too_long_settles_nothing(monkeypatch):
    monkeypatch.setattr("rulekit.rules.turns.MOST_STEPS", 2)
    split = PointsSplit(
        (Literal("age", ">", 1), Literal("age", ">", 2), Literal("b", ">", 0)), (3, -1, 2), 3
    )
    found = check_promise(RuleSet((Clause((split,)),), ("yes",), "dnf", "no"), "age", "yes")
    assert found.kept is None
    assert "was not settled" in found.sentence

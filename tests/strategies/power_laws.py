"""Hypothesis generators for power-law splits, and rows on which they are evaluated."""

import numpy as np
from hypothesis import strategies as st

from rulekit.rules import Clause, Factor, PowerLaw, PowerLawSplit, RuleSet

NAMES = ("mass", "height of wall", 'odd "name"', "x-1", "max")
WEIGHTS = (1.0, -1.0, 0.031, -2.5, 1300.0)
VALUES = (0.0, 0.5, 1.0, 2.0, 3.0, -1.0, 150.0, np.nan)


@st.composite
def factors(draw, feature):
    shift = draw(st.sampled_from((0.0, 0.0, 0.5, -2.0)))
    exponent = draw(st.sampled_from((-3, -2, -1, 1, 2, 3)))
    floors = (shift + 0.25, shift + 1.0) if exponent < 0 else (None, shift + 0.25)
    return Factor(feature, exponent, shift, draw(st.sampled_from(floors)))


@st.composite
def power_laws(draw):
    features = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    return PowerLaw(draw(st.sampled_from(WEIGHTS)), tuple(draw(factors(f)) for f in features))


@st.composite
def splits(draw):
    terms = tuple(draw(st.lists(power_laws(), min_size=1, max_size=3)))
    high = draw(st.sampled_from((-3.0, 0.0, 0.75, 4.2, 9.0)))
    width = draw(st.sampled_from((None, 0.0, 0.5, 6.0)))
    low = None if width is None else high - width
    return PowerLawSplit(terms, high, low, draw(st.booleans()), draw(st.booleans()))


@st.composite
def rows(draw, min_rows=1, max_rows=12):
    n = draw(st.integers(min_rows, max_rows))
    column = st.lists(st.sampled_from(VALUES), min_size=n, max_size=n)
    return {name: np.array(draw(column), dtype=float) for name in NAMES}


@st.composite
def split_rules(draw):
    clauses = draw(st.lists(st.lists(splits(), min_size=1, max_size=2), min_size=1, max_size=3))
    made = tuple(Clause(tuple(c)) for c in clauses)
    labels = draw(st.lists(st.sampled_from(("a", "b")), min_size=len(made), max_size=len(made)))
    return RuleSet(made, tuple(labels), "dnf", "c")

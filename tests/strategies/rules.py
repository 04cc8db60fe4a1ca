"""Hypothesis generators for tables as columns, literals, clauses and rule sets.

The columns are always the same eight (those that dates, an order and words are read of only where
they are asked for); their values and the literals' thresholds come from the same
few numbers and words, so that equality at a threshold, unseen levels and contradictions are common.
"""

import numpy as np
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.condition import words_of

NUMBERS = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)
BETWEEN = (-2.0, -0.5, 0.25, 0.75, 1.5, 2.5, 4.0, float("inf"), float("-inf"))
WORDS = ("red", "green", "blue")
UNSEEN = ("grey", "")
NUMERIC, TEXTS, FLAGS = ("age", "size"), ("colour", "town"), ("smoker",)
ORDER = ("bad", "fair", "good", "great")
DATES = (
    "2023-12-31 23:59:59",
    "2024-01-01",
    "2024-02-29 12:30:00",
    "2024-03-02",
    "1999-07-05 08:00:00",
)
NOTES = ("late", "Paid LATE, twice", "later", "re-paid (late)", "", "twice paid")
READ = {"opened": DATES, "grade": (*ORDER, "unknown"), "note": NOTES}


def _column(values, dtype, n):
    return st.lists(st.sampled_from(values), min_size=n, max_size=n).map(
        lambda chosen: np.array(chosen, dtype=dtype)
    )


@st.composite
def columns(draw, min_rows=1, max_rows=30):
    """A table: two numeric columns, two of text, one of truth values, with missing values."""
    n = draw(st.integers(min_rows, max_rows))
    table = {name: draw(_column((*NUMBERS, *BETWEEN, np.nan), float, n)) for name in NUMERIC}
    table |= {name: draw(_column((*WORDS, *UNSEEN, None), object, n)) for name in TEXTS}
    table |= {name: draw(_column((*READ[name], None), object, n)) for name in READ}
    return table | {name: draw(_column((True, False, None), object, n)) for name in FLAGS}


# letters that engines put in lower case differently, or not at all; combining marks
LETTERS = "aAkK\u212aiIıİ\u0307\u0301σςΣßẞåÅ\u212bωΩ\u2126éÉжЖ_\u00ad"


@st.composite
def worded_cases(draw):
    """A rule that searches words of its table, negated, in points and in both forms."""
    notes = draw(st.lists(st.text(LETTERS + " .'\u00a0\n", max_size=9), min_size=1, max_size=9))
    words = sorted({word for note in notes for word in words_of(note).split()} | {"rückläufer"})
    tests = [
        Literal("note", draw(st.sampled_from(("contains", "not-contains"))), word, missing)
        for word in draw(st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True))
        for missing in [draw(st.booleans())]
    ]
    form = draw(st.sampled_from(("dnf", "cnf")))
    points = PointsSplit(tuple(tests), (1,) * len(tests), draw(st.integers(1, len(tests))))
    clauses = [Clause(part, "and" if form == "dnf" else "or") for part in ((points,), tuple(tests))]
    rule = RuleSet(tuple(clauses), ("yes", "yes"), form, "no")
    return rule, {"note": np.array([*notes, *words, *map(str.upper, words), None], dtype=object)}


def every_row():
    """One row for each value that literals can tell apart, column by column, others at random."""
    rng = np.random.default_rng(0)
    pools = {name: [*NUMBERS, *BETWEEN, np.nan] for name in NUMERIC}
    pools |= {name: [*WORDS, *UNSEEN, None] for name in TEXTS}
    pools |= {name: [True, False, None] for name in FLAGS}
    pools |= {name: [*READ[name], None] for name in READ}
    n = 400
    table = {}
    for name, pool in pools.items():
        picked = np.empty(len(pool), dtype=float if name in NUMERIC else object)
        picked[:] = pool
        table[name] = picked[rng.integers(0, len(pool), n)]
    return table


@st.composite
def literals(draw, features=(*NUMERIC, *TEXTS, *FLAGS, *READ)):
    """A literal of one of the columns, of any operator that can be evaluated there."""
    feature = draw(st.sampled_from(features))
    missing = draw(st.booleans())
    if feature in READ:
        return draw(read_literals(feature))
    if feature in NUMERIC:
        pool, ops = NUMBERS, ("<=", "<", ">=", ">", "==", "!=", "in", "not-in")
    else:
        pool = WORDS if feature in TEXTS else (True, False)
        ops = ("==", "!=", "in", "not-in")
    op = draw(st.sampled_from((*ops, "missing", "not-missing")))
    if op in ("missing", "not-missing"):
        return Literal(feature, op)
    if op in ("in", "not-in"):
        some = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3))
        return Literal(feature, op, tuple(some), missing)
    return Literal(feature, op, draw(st.sampled_from(pool)), missing)


PARTS = {
    "date": DATES,
    "year": (1999.0, 2023.5, 2024.0),
    "month": (1.0, 2.0, 12.0),
    "weekday": (1.0, 6.0, 7.0),
    "hour": (0.0, 12.0),
    "days since 2024-01-01": (0.0, -0.5, 59.5),
}


@st.composite
def read_literals(draw, feature):
    """A literal of a column of dates, of levels with an order, or of words."""
    missing = draw(st.booleans())
    ops = ("<=", "<", ">=", ">", "==", "!=", "in", "not-in")
    if feature == "note":
        ops = ("contains", "not-contains")
    op = draw(st.sampled_from((*ops, "missing", "not-missing")))
    if op in ("missing", "not-missing"):
        return Literal(feature, op)
    if feature == "note":
        return Literal(feature, op, draw(st.sampled_from(("late", "twice", "paid"))), missing)
    part = draw(st.sampled_from(sorted(PARTS))) if feature == "opened" else None
    pool = ORDER if part is None else PARTS[part]
    value = draw(st.sampled_from(pool))
    if op in ("in", "not-in"):
        value = tuple(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3)))
    order = ORDER if part is None else None
    try:
        return Literal(feature, op, value, missing, part, order)
    except RuleError:  # no level meets it, or every one
        return Literal(feature, "==", "fair", missing, None, order)


@st.composite
def points_splits(draw, of=None, max_size=4):
    """Conditions with points, several of one column among them, and a total that can be asked."""
    tests = draw(
        st.lists(literals() if of is None else of, min_size=1, max_size=max_size, unique=True)
    )
    points = draw(st.lists(st.integers(-3, 5), min_size=len(tests), max_size=len(tests)))
    points[0] = points[0] or 2
    bound = sum(map(abs, points))
    for total in draw(st.permutations(range(1 - bound, bound + 1))):
        try:
            return PointsSplit(tuple(tests), tuple(points), total, draw(st.booleans()))
        except RuleError:
            pass  # no row, or every row, reaches this total
    return PointsSplit((tests[0],), (points[0],), max(points[0], 0), draw(st.booleans()))


def clauses(op=None, max_size=5, features=(*NUMERIC, *TEXTS, *FLAGS, *READ)):
    """A clause of up to `max_size` literals, also of none."""
    ops = st.sampled_from(("and", "or")) if op is None else st.just(op)
    conditions = st.lists(literals(features), max_size=max_size).map(tuple)
    return st.builds(Clause, conditions, ops)


@st.composite
def rule_sets(draw, form=None, labels=("yes", "no", "perhaps"), max_clauses=5, max_size=4):
    """A rule set; a DNF may have several labels, a CNF has one."""
    form = form or draw(st.sampled_from(("dnf", "cnf")))
    op = "and" if form == "dnf" else "or"
    chosen = draw(st.lists(clauses(op, max_size), max_size=max_clauses))
    if form == "cnf":
        given = (labels[0],) * max(len(chosen), 1)
    else:
        given = draw(st.tuples(*[st.sampled_from(labels)] * len(chosen)))
    return RuleSet(tuple(chosen), given, form, "no")

"""Random small rules and rows for the tests of explanations and exports."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from rulekit.rules import Clause, LinearSplit, Literal, RuleSet
from tests.strategies.rules import points_splits

NUMBERS = (-1.5, 0.0, 0.1, 0.30000000000000004, 2.0, 1e-7, 1e22)
TEXTS = ("red", "blue", 'a "quoted" one', "it's", "<b>&amp;", "=1+1", "x\ny", "`tick`", "NaN", "")
NAMES = (
    "age", "bmi (kg/m2)", "a b", "A and B", "select", "lambda", 'say "hi"', "it's", "<script>",
    "x\ny", "a`b``c", "$a_b$ & {c}%", "back\\slash", "Größe", "AND", "IF", "1", "-2", "=cmd()",
    "*bold*", "a | b", "{{x}}", "\u202eevil", "😀", "x > 5", "a,b", "#", "; DROP TABLE t; --",
    " edge ",
)  # fmt: skip
LABELS = (
    ("ill", "well", "unclear"),
    (1, 0, 2),
    (True, False),
    ("<b>no</b>", "5", "=1"),
    ('y"es', "it's\nno", "ELSE"),
    ("a", "true"),
)

VALUES = {
    "number": NUMBERS,
    "level": (-1.5, 0.0, 0.5, 1.0, 2.0, 4.5),
    "text": TEXTS,
    "flag": (True, False),
}


@st.composite
def literals(draw, names):
    feature = draw(st.sampled_from(sorted(names)))
    missing = draw(st.booleans())
    if draw(st.integers(0, 6)) == 0:
        return Literal(feature, draw(st.sampled_from(["missing", "not-missing"])))
    kind = names[feature]
    values = VALUES[kind]
    if kind in ("number", "level") and draw(st.integers(0, 4)):
        op = draw(st.sampled_from(["<=", "<", ">=", ">"]))
        return Literal(feature, op, draw(st.sampled_from(values)), missing)
    if draw(st.booleans()):
        op = draw(st.sampled_from(["==", "!="]))
        return Literal(feature, op, draw(st.sampled_from(values)), missing)
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return Literal(feature, draw(st.sampled_from(["in", "not-in"])), tuple(chosen), missing)


@st.composite
def rule_sets(draw, names, max_clauses=3, max_conditions=3, many_labels=True):
    form = draw(st.sampled_from(["dnf", "cnf"]))
    label, default, *more = draw(st.sampled_from(LABELS))
    size = st.lists(literals(names), max_size=max_conditions)
    op = "and" if form == "dnf" else "or"
    clauses = tuple(Clause(tuple(c), op) for c in draw(st.lists(size, max_size=max_clauses)))
    labels = (label,) * (len(clauses) or (form == "cnf"))
    if form == "dnf" and many_labels and draw(st.booleans()):
        labels = tuple(draw(st.sampled_from([label, default, *more])) for _ in clauses)
    return RuleSet(clauses, labels, form, default)


@st.composite
def points_rules(draw, names, **sizes):
    """A rule with points that add up in its first clause, alone, and perhaps in others."""
    rule = draw(rule_sets(names, **sizes))
    split = points_splits(literals(names))
    clauses = [Clause((draw(split),), "and" if rule.form == "dnf" else "or")]
    for clause in rule.clauses:
        more = (draw(split),) if draw(st.booleans()) else ()
        clauses.append(Clause((*clause.conditions, *more), clause.op))
    labels = (*(rule.labels[:1] or (rule.default,)), *rule.labels)
    return RuleSet(tuple(clauses), labels[: len(clauses)], rule.form, rule.default)


@st.composite
def tables(draw, names, n=8):
    columns = {}
    for name, kind in names.items():
        near = [
            v + d for v in VALUES[kind] for d in (0.0, -1e-9, 1.0) if kind not in ("text", "flag")
        ]
        other = {"text": [*TEXTS, "unseen", None], "flag": [True, False, None]}
        cells = st.sampled_from(other.get(kind, [*near, np.nan]))
        dtype = float if near else object
        columns[name] = np.array([*draw(st.lists(cells, min_size=n, max_size=n)), None], dtype)[:n]
    return columns


@st.composite
def hostile_names(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=3, max_size=4, unique=True))
    return dict(zip(names, ("number", "number", "text", "flag"), strict=False))


@st.composite
def cases(draw, names=None, **sizes):
    names = draw(hostile_names()) if names is None else names
    return draw(rule_sets(names, **sizes)), draw(tables(names))


SUMMED = ("age", "Ab - schlag", 'b"; --', "x 2", "AND", "größe", "1st")
WEIGHTS = st.floats(-50, 50).filter(lambda v: v == 0 or abs(v) > 1e-3)


@st.composite
def linear_rules(draw):
    """A rule of an interval and a sum, in either form, with rows near the plane and gaps."""
    features = draw(st.lists(st.sampled_from(SUMMED), min_size=1, max_size=4, unique=True))
    terms = tuple((f, draw(WEIGHTS.filter(bool))) for f in features)
    split = LinearSplit(
        terms, draw(st.sampled_from(["<=", ">"])), draw(WEIGHTS), draw(st.booleans())
    )
    form = draw(st.sampled_from(["dnf", "cnf"]))
    op = "and" if form == "dnf" else "or"
    clauses = (Clause((Literal(features[0], ">", draw(WEIGHTS)), split), op), Clause((split,), op))
    cell = st.one_of(WEIGHTS, st.just(np.nan))
    columns = {f: np.array(draw(st.lists(cell, min_size=5, max_size=5))) for f in features}
    return RuleSet(clauses, ("yes", "yes"), form, "no"), columns


@st.composite
def hostile_cases(draw):
    names = draw(hostile_names())
    return draw(points_rules(names, max_conditions=2, max_clauses=2)), draw(tables(names))


PLAIN = {"age": "number", "bmi": "number", "colour": "text", "smoker": "flag"}


class FakeModel:
    """A fitted model as explanations and exports see one."""

    def __init__(self, rule, classes=None, answers=None):
        self.rule_set_ = rule
        self.classes_ = np.array(rule.classes if classes is None else classes, dtype=object)
        self.answers = answers

    def read_columns(self, X):
        return {str(c): X[c].to_numpy() for c in X.columns}

    def predict(self, X):
        return (
            self.rule_set_.predict(self.read_columns(X)) if self.answers is None else self.answers
        )


def dnf(*conditions, label="ill", default="well"):
    """Return a rule of one clause."""
    return RuleSet((Clause(conditions),), (label,), "dnf", default)


def patients():
    """A rule of two clauses and four patients, one with missing values."""
    first = Clause((Literal("glucose", ">", 126.5), Literal("age", ">", 50)))
    second = Clause((Literal("colour", "==", "red"), Literal("glucose", "<=", 200)))
    frame = pd.DataFrame(
        {
            "glucose": [141, 120, 190, np.nan],
            "age": [57, 44, 60, 70],
            "colour": ["blue", "red", "red", None],
            "zip": [1, 2, 3, 4],
        }
    )
    return RuleSet((first, second), ("ill", "ill"), "dnf", "well"), frame

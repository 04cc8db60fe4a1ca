"""The text form: as people read it, and as the parser does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import ExportError
from rulekit.export import ClauseNumbers, from_text, to_text
from rulekit.export.documents.text import KEYWORDS
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from tests.explain.tables import dnf


def test_intervals_clauses_and_gaps_have_their_words():
    text = to_text(dnf(Literal("age", ">", 20), Literal("bmi", "<", 30), Literal("age", "<=", 50)))
    assert "1. IF 20 < age <= 50 AND bmi < 30 THEN ill" in text
    assert from_text(text).n_conditions == 3
    rule = from_text("1. IF POINTS [2 if a > 1, 1 if b > 1] < 2 THEN x\nOTHERWISE y")
    assert "] < 2 (a missing value gives 0) THEN x" in to_text(rule)
    assert from_text(to_text(rule)) == rule
    law = PowerLaw(2.0, (Factor("max"), Factor("a - b", 2), Factor("x^2", -1, floor=0.5)))
    rule = dnf(PowerLawSplit((law,), 1.0, 0.5))
    assert '[0.5 <= 2 * "max" * "a - b"^2 / max("x^2", 0.5) <= 1]' in to_text(rule)
    assert from_text(to_text(rule)) == rule
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    text = to_text(rule, numbers=[ClauseNumbers(71, 62, 0.776, 0.93)])
    assert "#    decides 71 training rows, right for 62 (87 %, 95 % interval 78-93 %)" in text
    assert from_text(text) == rule
    pasted = "IF age > 50\n   THEN ill\nOR IF bmi >= 30 AND age > 20\n   THEN ill\nOTHERWISE well"
    plain = "IF age > 50 THEN ill\n2. IF bmi >= 30 AND age > 20 THEN ill\nOTHERWISE well"
    assert from_text(pasted) == from_text(pasted.replace("OR IF", "ELSE IF")) == from_text(plain)
    rule = RuleSet((Clause(()),), (1,), "dnf", 0)
    assert "1. IF ALWAYS THEN 1" in to_text(rule)
    assert from_text(to_text(rule)) == rule
    never = RuleSet((Clause((), "or"),), (1,), "cnf", 0)
    assert "1. NEVER" in to_text(never)
    assert from_text(to_text(never)) == never


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no rule; its last line must be 'OTHERWISE <label>'"),
        ("1. IF a > 1 THEN x", "Line 1 of the rule needs 'OTHERWISE' at character 1"),
        ("1. IF a >> 1 THEN x\nOTHERWISE y", "Line 1 .* needs a value at character 10|an operator"),
        ("1. IF a > b THEN x\nOTHERWISE y", "Line 1 .* needs a value at character 11, found 'b"),
        ("1. IF a > 1\nOTHERWISE y", "Line 1 .* needs ' THEN '|'THEN'"),
        ('# c\n\n1. IF a > 1 THEN x y"\nOTHERWISE y', "Line 3 .* needs the end of the line"),
        ('1. IF a = "\\q" THEN x\nOTHERWISE y', "Line 1 .* quoted text with JSON's escapes"),
        ("ALL OF\nOTHERWISE y", "needs a line 'THEN <label>'"),
        ("ALL OF\n1. a > 1 AND b > 2\nTHEN x\nOTHERWISE y", "Line 2 .* needs the end of the line"),
    ],
)
def test_text_that_is_no_rule_is_refused_with_line_and_place(text, message):
    with pytest.raises(ExportError, match=message):
        from_text(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("POINTS [2 if a > 1] >= 5", ".*no row can reach 5"),
        ("POINTS [2 if a > 1, 0.5 if b > 1] >= 2", ".*whole points and 'if'"),
        ("POINTS [2 if 1 < a <= 3] >= 2", ".*points for each end of an interval"),
        ("POINTS [2 if [a * b <= 3]] >= 2", ".*Points are given to tests of one column"),
        ("POINTS [2 if a > 1] > 1", ".*'\\]' and '>=' or '<'"),
        ("POINTS [2 if a > 1] >= 1.5", ".*a whole number"),
        ("POINTS [] >= 1", ".*whole points and 'if'"),
        ("POINTS [2 if a > 1, 1 if a > 1] >= 2", ".*is listed twice"),
        ("[a^2 * b <= ]", " needs .* at character"),
        ("[a^2 / <= 3]", " needs .* at character"),
        ("[a^2 <= 3", " needs .* at character"),
        ("[max(a) <= 3]", " needs .* at character"),
        ("[(a * 2) <= 3]", " needs .* at character"),
        ("[<= 3]", " needs .* at character"),
        ("[a / b <= 3]", ": Column 'b' has the exponent -1"),
    ],
)
def test_damaged_points_and_formulas_are_named_with_their_line(text, message):
    with pytest.raises(ExportError, match=f"Line 1 of the rule{message}"):
        from_text(f"1. IF {text} THEN x\nOTHERWISE y")


WORDS = (
    *(*KEYWORDS, "NOT IN", "IS NOT MISSING", "POINTS", "SINCE", "DAYS SINCE 2024-01-01", "BETWEEN"),
    *("if", "points", "true", "false", "inf", "nan", "max", "March", "May", "Sunday", "2024-03-01"),
    *("5", "(or missing)", "[", "]", "#", "*", "-", "²", "٣", "straße", "年", "e5", "\u2028", '"'),
)
AFFIXES = ("{}", "{}_A", "a_{}", "{} a", "a {}", "{}ED", "UN{}", "{}1", "1{}", "{} {}", "a {}B")
AFFIXES += (" {}",)
CASES = (str, str.lower, str.title, str.upper)
NAMES = sorted({case(a.format(w, w)) for w in WORDS for a in AFFIXES for case in CASES})
names = st.sampled_from(NAMES)


@st.composite
def conditions_of(draw):
    """Draw the conditions of one clause, of every kind, with any names and levels."""
    a, b, c, level, other = draw(st.lists(names, min_size=5, max_size=5, unique=True))
    missing, order = draw(st.booleans()), tuple(sorted((level, other)))
    dates = {"date": "2024-03-01", "month": 3.0, "weekday": 6.0, "days since 2024-01-01": 5.0}
    part, day = draw(st.sampled_from(sorted(dates.items())))
    tests = [
        *(Literal(a, op, 5.0, missing) for op in ("<=", "<", ">", "==")),
        *(Literal(b, op, (level, other), missing) for op in ("in", "not-in")),
        *(Literal(c, op) for op in ("missing", "not-missing")),
        *(Literal(b, op, "late", missing) for op in ("contains", "not-contains")),
        *(Literal(c, op, level, missing) for op in ("==", "!=")),
        Literal(b, "==", True, missing),
        Literal(a, "<=", order[0], missing, order=order),
        Literal(c, "<", day, missing, part),
    ]
    low = [Literal(a, ">", 2.0, missing), Literal(a, ">", order[0], missing, order=order)]
    points = [draw(st.sampled_from([t for t in tests if t.feature == f])) for f in (a, b, c)]
    sums = [
        LinearSplit(((a, 2.0), (b, -1.5)), "<=", 5.0, missing),
        PointsSplit(tuple(points), (1, 2, 3), 3),
        PowerLawSplit((PowerLaw(2.0, (Factor(a), Factor(b, 2))),), 5.0, missing=missing),
    ]
    kinds = st.sampled_from([*tests, *low, *sums])
    return tuple(draw(st.lists(kinds, min_size=1, max_size=4, unique=True)))


@given(st.sampled_from(("and", "or")), conditions_of(), conditions_of(), names, names)
def test_names_like_keywords_are_read_back_as_the_same_rule(op, first, second, label, default):
    clauses = Clause(first, op), Clause(second, op)
    rule = RuleSet(clauses, (label, label), {"and": "dnf", "or": "cnf"}[op], default)
    back = from_text(to_text(rule))
    assert [set(c.conditions) for c in back.clauses] == [set(c.conditions) for c in clauses]
    assert (back.form, back.labels, back.default) == (rule.form, rule.labels, rule.default)


@pytest.mark.parametrize(
    ("text", "name"),
    [("May <= 5", "May"), ("total INCOME > 5", "total INCOME"), ("inf < 5", "inf")],
)
def test_names_without_quotes_are_read_whole(text, name):
    assert from_text(f"1. IF {text} THEN x\nOTHERWISE y").features == (name,)


@pytest.mark.parametrize("op", ["and", "or"])
def test_each_name_like_a_keyword_is_read_back(op):
    tests = [(Literal(n, "<=", 5), Literal(n, "missing"), Literal("a", "==", n)) for n in NAMES]
    clauses = tuple(Clause((test,), op) for several in tests for test in several)
    rule = RuleSet(clauses, ("x",) * len(clauses), {"and": "dnf", "or": "cnf"}[op], "y")
    assert from_text(to_text(rule)) == rule

"""The text form: as people read it, and as the parser does."""

from textwrap import dedent

import pytest

from rulekit.exceptions import ExportError
from rulekit.export import ClauseNumbers, from_text, to_text
from rulekit.rules import Clause, Literal, RuleSet
from tests.explain.tables import patients


def test_dnf_is_written_one_clause_a_line():
    rule, _ = patients()
    assert to_text(rule) == dedent(
        """\
        # 4 conditions in 2 clauses: the first line that holds decides.
        1. IF glucose > 126.5 AND age > 50 THEN ill
        2. IF colour = "red" AND glucose <= 200 THEN ill
        OTHERWISE well
        """
    )


def test_cnf_is_written_as_what_has_to_hold():
    rule, _ = patients()
    assert to_text(rule.negated()) == dedent(
        """\
        # 4 conditions in 2 clauses: every line has to hold.
        ALL OF
        1. glucose <= 126.5 (or missing) OR age <= 50 (or missing)
        2. colour != "red" (or missing) OR glucose > 200 (or missing)
        THEN well
        OTHERWISE ill
        """
    )


def test_interval_has_two_literals_and_one_text():
    clause = Clause((Literal("age", ">", 20), Literal("bmi", "<", 30), Literal("age", "<=", 50)))
    text = to_text(RuleSet((clause,), ("ill",), "dnf", "well"))
    assert "1. IF 20 < age <= 50 AND bmi < 30 THEN ill" in text
    assert from_text(text).n_conditions == 3


def test_numbers_are_below_their_clause_as_a_comment():
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    text = to_text(rule, numbers=[ClauseNumbers(71, 62, 0.776, 0.93)])
    assert "#    matches 71 training rows, right for 62 (87 %, 95 % interval 78-93 %)" in text
    assert from_text(text) == rule


def test_clauses_without_conditions_are_words():
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
        ("IF a > 1 THEN x\nOTHERWISE y", "Line 1 .* needs a number and a point"),
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

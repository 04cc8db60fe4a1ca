"""JavaScript, run in Node: it answers as `predict` does, and refuses what the rule refuses."""

import json
from itertools import product

import numpy as np
import pytest

from rulekit.exceptions import ExportError
from rulekit.export import to_javascript
from rulekit.rules import LinearSplit, Literal, RuleSet
from rulekit.rules.condition import EPOCH, ReadColumns, moment
from tests.explain.tables import dnf
from tests.export.jobs import drawn, of_readings, of_samples
from tests.export.outside import differing, run_in_node

#: Each text is a scope of its own; rows are lists of cells, as a key of an object could be lost.
EACH = """
process.stdout.write(JSON.stringify([{jobs}].map(([{{ predict }}, names, rows]) =>
  predict(rows.map((row) => Object.fromEntries(row.map((v, k) => [names[k], v])))))));
"""


def evaluate(rule, expression):
    """Evaluate an expression of JavaScript beside a rule; an error becomes its message."""
    caught = f"try {{ answer = {expression}; }} catch (error) {{ answer = error.message; }}"
    return run_in_node(
        f"{to_javascript(rule)}\nlet answer;\n{caught}\nconsole.log(JSON.stringify(answer));"
    )


@pytest.mark.slow
def test_node_matches_the_rule_on_tables_and_hostile_rules():
    jobs = [*of_samples(), *drawn(), *of_readings()]
    written = [
        f"[(() => {{ const module = {{}};\n{to_javascript(job.rule)}\nreturn module.exports; }})()"
        f", {json.dumps(list(job.columns))}, {json.dumps(job.rows)}]"
        for job in jobs
    ]
    assert not differing(jobs, run_in_node(EACH.format(jobs=",\n".join(written))))
    assert sum(job.n for job in jobs) > 20_000


@pytest.mark.slow
def test_node_reads_dates_as_the_rule_does():
    days = ("2024-02-29", "2023-02-29", "0001-01-01", "9999-12-31", "0000-12-31", "2024-1-01")
    times = ("", " 23:59", "T07:30:15", " 07:30:15.75", " 24:00:00", " 07:60", " 07.30", "T7:30")
    zones = ("", "Z", " Z", "+05:30", "-0200", " -23:00", "+99:99", "+5:00", "z")
    texts = [*map("".join, product(days, times, zones)), " 2024-02-29", "2024-02-29\n", ""]
    rule = dnf(Literal("day", ">", "2024-01-01", part="date"))
    each = "((text) => { try { return seconds(text); } catch { return null; } })"
    result = evaluate(rule, f"{json.dumps(texts)}.map({each})")
    read = [moment(text) for text in texts]
    assert result == [None if m is None else (m - EPOCH).total_seconds() for m in read]
    assert sum(v is not None for v in result) > 50


@pytest.mark.slow
def test_cells_of_another_type_are_treated_as_by_the_rule():
    rule = RuleSet(dnf(Literal("x", "==", 1), Literal("y", ">", 0.5)).clauses, (1,), "dnf", 0)
    rows = [(1, True), (True, 1e308), ("1", 1), (1, None), (1, False)]
    given = ", ".join(f"{{x: {json.dumps(x)}, y: {json.dumps(y)}}}" for x, y in rows)
    x, y = (np.array(column, dtype=object) for column in zip(*rows, strict=True))
    assert evaluate(rule, f"predict([{given}])") == rule.predict(ReadColumns(x=x, y=y)).tolist()
    assert evaluate(rule, 'predictRow({x: 1, y: "7"})') == 'A number is needed, not "7".'
    assert evaluate(rule, "predictRow({x: 1})") == 'The row has no column "y".'
    total = dnf(LinearSplit((("toString", 1.0), ("y", 1.0)), "<=", 3.0))
    assert evaluate(total, "predictRow({y: 1})") == 'The row has no column "toString".'
    assert evaluate(total, 'predictRow({toString: "1", y: 1})') == 'A number is needed, not "1".'


@pytest.mark.slow
@pytest.mark.parametrize("name", ["__proto__", "constructor", "</script>", "a\u2028b", "`${x}`"])
def test_cases_notice_a_moved_limit_whatever_a_column_is_called(name):
    rule = dnf(Literal(name, ">", 50))
    assert run_in_node(f"{to_javascript(rule)}\ntestCases(); console.log(1);") == 1
    moved = to_javascript(rule).replace("number(x1) > 50.0", "number(x1) > 50.5")
    failed = "try { testCases(); } catch { console.log(1); }"
    assert run_in_node(f"{moved}\n{failed}") == 1
    assert "</script" not in to_javascript(rule)


def test_labels_that_are_not_exact_in_javascript_are_refused():
    assert str(2**53) in to_javascript(dnf(Literal("x", ">", 1), label=2**53))
    with pytest.raises(ExportError, match=r"label 9007199254740993, a whole number beyond 2\^53"):
        to_javascript(dnf(Literal("x", ">", 1), label=2**53 + 1))

"""Findings about a rule agree with a look at every row that its conditions distinguish."""

from itertools import combinations, product

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.rules import Clause, PointsSplit, RuleSet, verify_rule
from rulekit.rules.analysis.row_search import columns_of_rows
from tests.rules.analysis.test_violations import POOLS, read_in_one_way
from tests.strategies.rules import points_splits, rule_sets

WITH_POINTS = points_splits(max_size=3).map(
    lambda split: RuleSet((Clause((split,)),), ("yes",), "dnf", "no")
)


def list_every_row(rule):
    pools = [{None if v != v else v: None for v in (*POOLS[f], None)} for f in rule.features]
    rows = [dict(zip(rule.features, cells, strict=True)) for cells in product(*pools)]
    return columns_of_rows(rows, rule.features)


@given(rule_sets(max_clauses=3, max_size=3), st.integers(0, 99))
def test_new_rows_in_gaps_have_results_that_no_row_of_the_table_has(rule, seed):
    assume(1 <= len(rule.features) <= 3 and read_in_one_way(rule))
    columns, rng = list_every_row(rule), np.random.default_rng(seed)
    n = len(next(iter(columns.values())))
    known, new = rng.permutation(n)[:9], rng.permutation(n)[:9]
    dnf = rule.as_dnf
    results = np.array([test.mask(columns) for test in dnf.tests]).T
    seen = set(map(tuple, results[known]))
    fired = dnf.clauses_fired(columns)
    deciding = np.where(fired.any(axis=1), fired.argmax(axis=1), dnf.n_clauses)
    old, later = ({f: column[rows] for f, column in columns.items()} for rows in (known, new))
    check = verify_rule(rule, old, new=later)
    for gap in (f for f in check.findings if f.kind == "gap"):
        decided = {k: i for k, i in enumerate(new) if deciding[i] == gap.clause}
        expected = [k for k, i in decided.items() if tuple(results[i]) not in seen]
        assert list(gap.new_rows) == expected


@given(st.one_of(rule_sets(max_clauses=3, max_size=3), WITH_POINTS))
def test_findings_agree_with_a_look_at_every_row(rule):
    assume(1 <= len(rule.features) <= 3 and read_in_one_way(rule))
    check = verify_rule(rule)
    assert not check.not_checked
    columns = list_every_row(rule)
    predicted = rule.predict(columns)
    names = {(f.kind, f.clause) for f in check.findings}
    mirrored = rule if rule.form == "dnf" else rule.negate()
    fired = mirrored.clauses_fired(columns)
    for k in range(rule.n_clauses):
        never = not (fired[:, k] & ~fired[:, :k].any(axis=1)).any()
        assert (("masked clause", k) in names) == never
        others = [j for j in range(rule.n_clauses) if j != k]
        same = (rule.take_clauses(others).predict(columns) == predicted).all()
        assert (("subsumed clause", k) in names or never) == same
    for finding in check.findings:
        if finding.shorter is not None:
            assert (finding.shorter.predict(columns) == predicted).all()
        for row in finding.example if finding.kind == "overlap" else ():
            (held,) = mirrored.clauses_fired(columns_of_rows([row], list(row)))
            assert held.argmax() == finding.clause
            assert len({v for v, holds in zip(mirrored.labels, held, strict=True) if holds}) > 1
    unreached = {f.sentence for f in check.findings if f.kind == "unreachable outcome"}
    labels = {*rule.labels, rule.default}
    assert unreached == {f"No row gets the answer {v}." for v in labels - set(predicted)}
    pairs = {
        (k, j)
        for k, j in combinations(range(mirrored.n_clauses), 2)
        if mirrored.labels[k] != mirrored.labels[j]
        and (fired[:, k] & fired[:, j] & ~fired[:, :k].any(axis=1)).any()
    }
    gone = {f.clause for f in check.findings if f.kind in ("masked clause", "subsumed clause")}
    listed = [f.clause for f in check.findings if f.kind == "overlap"]
    if not any(isinstance(c, PointsSplit) for c in rule.conditions):
        assert sorted(listed) == sorted(k for k, j in pairs if not {k, j} & gone)

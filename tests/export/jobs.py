"""Rules of every kind with rows that are hard to decide, for engines that are run outside.

An engine takes seconds to start, so it is given all of a test's jobs at once.
"""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rulekit.data import columns_of, list_samples, load_sample
from rulekit.explain.subject import value_at
from rulekit.export.formats import _probes
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.condition import SEPARATORS
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from rulekit.rules.writer import KINDS
from tests.explain.tables import cases, hostile_names, linear_rules, points_rules, tables
from tests.strategies.power_laws import rows, split_rules
from tests.test_kinds import ORDER, READ


@dataclass(frozen=True)
class Job:
    """A rule, the rows it is asked about, and what stands behind it."""

    name: str
    rule: RuleSet
    columns: dict

    @property
    def n(self):
        return len(next(iter(self.columns.values()), ()))

    @property
    def expected(self):
        return self.rule.predict(self.columns).tolist()

    @property
    def rows(self):
        """Each row as a list of Python's own values, None where there is none."""
        return [[value_at(c, row) for c in self.columns.values()] for row in range(self.n)]

    def with_rows_at_the_cuts(self):
        """Add rows at every cut, one step of a double beside it, and with missing values."""
        used = {f: self.columns[f] for f in self.rule.features}
        probes = _probes(self.rule, used)
        return replace(self, columns={f: np.concatenate([used[f], probes[f]]) for f in used})


def drawn(n_examples=25):
    """Rules of every kind that Hypothesis draws, hostile names, levels and labels among them."""
    results = []
    run_through = settings(
        max_examples=n_examples,
        deadline=None,  # also outside the tests' profiles
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
    )

    def keep(name, strategy):
        @run_through
        @given(strategy)
        def collect(case):
            rule, columns = case
            used = {f: columns[f] for f in rule.features}
            if used:
                results.append(Job(name, rule, used).with_rows_at_the_cuts())

        collect()

    keep("literal", cases())
    keep("linear", linear_rules())
    keep("power_law", st.tuples(split_rules(), rows()))
    keep("points", hostile_names().flatmap(lambda n: st.tuples(points_rules(n), tables(n))))
    return results


def of_readings():
    """Rules whose tests read dates, orders, levels and words, of every kind of `READ`."""
    rng = np.random.default_rng(0)
    moments = np.datetime64("1987-12-30T23:59:58") + rng.integers(0, 2 * 10**9, 60)
    days = np.datetime64("2023-12-28") + np.arange(70)
    dates = [str(v).replace("T", " ") for v in (*moments, *days)]
    notes = [f"was{mark}Late{mark}again" for mark in SEPARATORS] + [f"a{m}late" for m in "_xé"]
    notes += ["LATE", "late", "later", "too late", "late, then", "l ate", "", "late\nthen"]
    pools = {
        "opened": [*dates, None],
        "grade": [*ORDER, "unheard of", "Good", None],
        "region": ["north", "south", "east", "East", None],
        "note": [*notes, None],
    }
    for name, test in READ.items():
        pool = pools[test.feature]
        column = np.empty(len(pool), dtype=object)
        column[:] = pool
        for condition in (test, test.negate()):
            for kind in (condition, PointsSplit((condition,), (2,), 1)):
                for form in ("dnf", "cnf"):
                    rule = RuleSet((Clause((kind,)),), ("yes",), form, "no")
                    yield Job(name, rule, {test.feature: column}).with_rows_at_the_cuts()


def of_samples(n=None):
    """For every bundled table a rule of each kind, cut at its own values: all rows.

    With `n` the first rows, and as many of the last ones, which lie at the cuts.
    """
    jobs = [job for sample in list_samples() for job in of_table(sample.name)]
    if n is None:
        return jobs
    few = ({f: np.concatenate([c[:n], c[n:][-n:]]) for f, c in job.columns.items()} for job in jobs)
    return [replace(job, columns=columns) for job, columns in zip(jobs, few, strict=True)]


def of_table(name):
    X = load_sample(name).frame
    numeric = [c for c in X if X[c].dtype.kind in "fi" and X[c].nunique() > 2]
    levels = [c for c in X if c not in numeric]
    columns = columns_of(X)
    middle = {c: float(np.nanmedian(columns[c])) for c in numeric}
    for kind in KINDS:
        rule = MADE[kind](numeric, levels, middle, columns)
        if rule is not None:
            used = {f: columns[f] for f in rule.features}
            yield Job(f"{name} {kind}", rule, used).with_rows_at_the_cuts()


def _rule(*clauses):
    labels = ("first", "second", "third")[: len(clauses)]
    return RuleSet(tuple(Clause(c) for c in clauses), labels, "dnf", "rest")


def _tests(numeric, levels, middle, columns):
    signs = ("<=", ">", "<", ">=")
    results = [Literal(c, signs[k % 4], middle[c], k % 2 == 1) for k, c in enumerate(numeric)]
    for k, column in enumerate(levels):
        present = sorted({v for v in columns[column] if v is not None and v == v}, key=str)
        if present and isinstance(present[0], str):
            several = Literal(column, "in", tuple(present[:3]))
            results.append(several if k % 2 else Literal(column, "!=", present[0]))
    return results


def _literals(numeric, levels, middle, columns):
    result = _tests(numeric, levels, middle, columns)
    return _rule(result[:2], result[2:4] or result[:1], [c.negate() for c in result[-2:]])


def _linear(numeric, levels, middle, columns):
    if len(numeric) < 2:
        return None
    terms = tuple((c, (-1) ** k / (abs(middle[c]) or 1.0)) for k, c in enumerate(numeric[:4]))
    split = LinearSplit(terms, "<=", 0.0)
    cut = float(np.nanmedian(split.total(columns)))
    return _rule((replace(split, value=cut),), (LinearSplit(terms[:2], ">", 0.1, True),))


def _power_law(numeric, levels, middle, columns):
    if len(numeric) < 2:
        return None
    first, second = numeric[:2]
    floor = abs(middle[second]) / 3 + 0.1
    law = PowerLaw(1.5, (Factor(first, 2, 0.25), Factor(second, -1, floor=floor)))
    split = PowerLawSplit((law, PowerLaw(-0.5, (Factor(second),))), 1.0)
    low, high = np.nanquantile(split.total(columns), [0.3, 0.7])
    band = replace(split, low=float(low), high=float(high))
    return _rule((band,), (replace(split, high=float(low), missing=True),))


def _points(numeric, levels, middle, columns):
    tests = tuple(_tests(numeric, levels, middle, columns)[:6])
    points = (3, 2, -1, 1, 2, 1)[: len(tests)]
    high = sum(p for p in points if p > 0)
    totals = sorted({high, high // 2 + 1, 1}, reverse=True)
    return _rule(*[(PointsSplit(tests, points, total),) for total in totals])


MADE = {"literal": _literals, "linear": _linear, "power_law": _power_law, "points": _points}

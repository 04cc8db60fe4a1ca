"""Rules just as good, and how stable a rule is: how complete, how fast, how often right.

``one clause``: all rules of one clause and at most as many conditions as the selected rule (learned
with a price of two thousandths of the rows), within 1 % of the rows of the best: seconds, beside
the 10 that are allowed, with the number of rules and whether the list is complete. ``chosen rule``:
the same for what `RuleClassifier` chooses among rules of at most 8 conditions; ``without its
column``: the wrong share of the best rule found without the column that most of its conditions
read, beside that of the selected rule, in %, and whether it is within the margin.

``found of the margin``: on small tables of 60 rows and two planted clauses, the share of all rules
of two clauses and at most 4 conditions within 10 rows of the best that the search for rules of
several clauses finds, beside enumeration.

``planted columns``: of 100 resamples of 1 000 rows with two planted clauses on 4 of 8 columns and 5
% noise, how many return the planted column that returns least, beside the most frequent other;
``resamples``: CPU seconds of these hundred, on one worker, beside the 30 that are allowed.
``noise``: the share of tables without any relation of which it is said that nothing returns.
"""

import argparse
import time

import numpy as np
import pandas as pd

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import BoxSearchClassifier, RuleClassifier, alternatives, stability
from rulekit.learners.literal.rule_space import RuleSpace
from rulekit.search.machine_code import warm_up
from tests.reference.near_rules import near_rules_by_force

TABLES = (
    *("pima", "heart_cleveland", "breast_cancer_wisconsin", "wdbc"),
    *("ionosphere", "german_credit", "congressional_voting"),
)
WITHIN, MOST, ALLOWED = 0.01, 8, 10.0
SMALL_ROWS, SMALL_MARGIN = 60, 10.0
N, RESAMPLES, RESAMPLES_ALLOWED = 1000, 100, 30.0


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then on made ones."""
    warm_up()
    rows: list[Row] = []
    for table in tables(arguments, TABLES):
        rows += [report(row) for row in just_as_good(table)]
    seeds = range(arguments.seeds or (1 if arguments.quick else 5))
    rows.append(report(margin_coverage(range(2 if arguments.quick else 10))))
    n_resamples = 10 if arguments.quick else RESAMPLES
    rows += [report(row) for row in planted(seeds, n_resamples)]
    rows.append(report(noise(seeds, n_resamples)))
    return rows


def just_as_good(table: BenchTable) -> list[Row]:
    """List the rules as good as one of one clause, and as one that was chosen."""
    n = len(table.y)
    clause = BoxSearchClassifier(
        theta=0.002 * n, n_clauses=1, positive_label=table.positive, random_state=0
    )
    chosen = RuleClassifier(max_conditions=MOST, random_state=0)
    rows = []
    for quantity, model in (("one clause", clause), ("chosen rule", chosen)):
        model.fit(table.X, table.y)
        began = time.perf_counter()
        result = alternatives(model, table.X, table.y, WITHIN)
        seconds = time.perf_counter() - began
        setting = {
            "conditions": result.max_conditions,
            "clauses": result.max_clauses,
            "rules": len(result.rules),
            "complete": result.complete,
            "complete to": result.complete_to,
        }
        row = {"what": quantity, "table": table.name, "setting": setting, "unit": "s"}
        rows.append(row | {"ours": seconds, "reference": ALLOWED})
        if quantity == "chosen rule" and not model.rule_set_.is_constant:
            most = result.columns.iloc[0]
            about = {"column": most["column"], "as good": bool(most["as_good"])}
            row = {"what": "without its column", "table": table.name, "setting": about}
            shares = {"ours": 100 * most["wrong"], "reference": 100 * result.selected_wrong}
            rows.append(row | shares | {"unit": "%"})
    return rows


def margin_coverage(seeds: range) -> Row:
    """Compare the search for rules of several clauses with enumeration."""
    counts = np.sum([_listed_and_all(seed) for seed in seeds], axis=0)
    setting = {"tables": len(seeds), "rows": SMALL_ROWS, "rules": int(counts[1])}
    share = 100 * counts[0] / counts[1]
    row = {"what": "found of the margin", "table": "small", "setting": setting, "unit": "%"}
    return row | {"ours": share, "reference": 100.0}


def _listed_and_all(seed: int) -> tuple[int, int]:
    rng = np.random.default_rng(seed)
    X = rng.random((SMALL_ROWS, 6)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3])) ^ (rng.random(SMALL_ROWS) < 0.1)
    learner = BoxSearchClassifier(theta=0.5, positive_label=True, random_state=0)
    learner._check()
    table = learner._read(X.astype(float), y, None)
    problem = learner.problem_of(table, True)
    space = RuleSpace(learner, problem, 0.5, 2, 4, lambda: False)
    candidates = [*space.constants(), *space.search(problem, np.random.default_rng(0))]
    best = min(rule.cost for rule in candidates)
    cells = problem.table
    wanted = near_rules_by_force(space.holds, cells.y, cells.weight, 0.5, SMALL_MARGIN, 2, 4, best)
    limit = min([best, *wanted.values()]) + SMALL_MARGIN
    listed = {rule.columns for rule in space.grow_rules(candidates, limit, 10_000)}
    rules = {tuple(sorted(rule)) for rule in wanted}
    return len(listed & rules), len(rules)


def made(seed: int, noise: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a table of eight columns, of which two clauses read four."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N, 8)), columns=[f"x{k}" for k in range(8)])
    y = ((X.x0 > 0.3) & (X.x1 < 0.5)) | ((X.x2 > 0.8) & (X.x3 > 0))
    return X, np.where(y ^ (rng.random(N) < noise), "yes", "no")


def planted(seeds: range, n_resamples: int) -> list[Row]:
    """Count how often planted columns return, and time it."""
    least, most, seconds = [], [], []
    for seed in seeds:
        X, y = made(seed, 0.05)
        model = RuleClassifier(random_state=0).fit(X, y)
        began = time.process_time()
        result = stability(model, X, y, n_resamples=n_resamples, n_jobs=1)
        seconds.append(time.process_time() - began)
        returned = result.columns.set_index("column")["returned"]
        relevant = [f"x{k}" for k in range(4)]
        least.append(min(int(returned.get(name, 0)) for name in relevant))
        most.append(int(returned.drop(relevant, errors="ignore").max()) if len(returned) > 4 else 0)
    setting = {"tables": len(seeds), "rows": N, "resamples": n_resamples}
    row = {"table": "planted", "setting": setting}
    return [
        row | {"what": "planted columns", "ours": min(least), "reference": max(most), "unit": ""},
        row
        | {
            "what": "resamples",
            "ours": max(seconds),
            "reference": RESAMPLES_ALLOWED,
            "unit": "s",
        },
    ]


def noise(seeds: range, n_resamples: int) -> Row:
    """Count tables without a relation of which it is said that nothing returns."""
    silent = []
    for seed in seeds:
        X, y = made(seed, 0.05)
        y = np.random.default_rng(1000 + seed).permutation(y)
        model = RuleClassifier(random_state=0).fit(X, y)
        silent.append(not stability(model, X, y, n_resamples=n_resamples).beats_chance)
    setting = {"tables": len(seeds), "rows": N, "resamples": n_resamples}
    row = {"what": "noise", "table": "permuted", "setting": setting, "unit": "%"}
    return row | {"ours": 100 * float(np.mean(silent)), "reference": 100.0}


if __name__ == "__main__":
    run(measure, __doc__ or "")

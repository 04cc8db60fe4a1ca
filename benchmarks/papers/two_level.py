"""The two-level paper's Table 1 and Figures 1 to 3, redrawn for any table.

``python -m benchmarks.papers.two_level --data DIR --only pima sonar --jobs 2`` writes an HTML page
and CSV files for each table into ``results/``. Finished folds are kept in
``results/protocol.sqlite``: an interrupted run goes on where it stopped. ``--quick`` takes one
seed, seven prices and R = 1, 2, 5.
"""

import argparse
import html
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from benchmarks._cli import BenchTable, Row, report, run, tables
from benchmarks.papers import protocol
from benchmarks.papers.svg import front_figure
from rulekit.evaluation import Comparison
from rulekit.evaluation.sweeps.grid import THETA_GRID

RESULTS = Path("results")
METHODS = ("SCS", "SCN", "TLP", "BCD", "AM", "AM refined")
DISABLED = " with disable"
LITERALS, TEST, TRAIN = "literals", "test error, %", "training error, %"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Redraw everything for each table asked for."""
    RESULTS.mkdir(exist_ok=True)
    rows = []
    for table in tables(arguments, ["pima", "sonar", "liver", "parkinsons", "breast_cancer"]):
        rows += redraw(table, arguments)
    return rows


def redraw(table: BenchTable, arguments: argparse.Namespace) -> list[Row]:
    """Sweep one table over all seeds; write the page and the CSV files."""
    clauses = (1, 2, 5) if arguments.quick else protocol.CLAUSES
    seeds = range(arguments.seeds or (1 if arguments.quick else 3))
    least, points = [], []
    for seed in seeds:
        plain = _swept(table, METHODS, clauses, seed, arguments)
        able = _swept(table, ("BCD", "AM"), clauses[-1:], seed, arguments, allow_disabled=True)
        least.append(protocol.least_errors(plain))
        points += [_points(plain), _points(able, DISABLED)]
        print(f"{table.name}: seed {seed} done", flush=True)
    errors = protocol.over_seeds(least)
    cloud = pd.concat(points).groupby(["method", "R", "theta"], sort=False).mean().reset_index()
    errors.to_csv(RESULTS / f"table_1_{table.name}.csv", index=False)
    cloud.to_csv(RESULTS / f"fronts_{table.name}.csv", index=False)
    page = RESULTS / f"two_level_{table.name}.html"
    page.write_text(_page(table, errors, cloud, clauses, len(seeds)), encoding="utf-8")
    print(f"wrote {page}", flush=True)
    return [_row(table, line, len(seeds)) for line in errors.to_dict("records")]


def _swept(
    table: BenchTable,
    methods: Sequence[str],
    clauses: Sequence[int],
    seed: int,
    arguments: argparse.Namespace,
    **fixed: bool,
) -> Comparison:
    return protocol.protocol_sweep(
        table,
        methods,
        clauses,
        seed,
        thetas=protocol.QUICK_THETAS if arguments.quick else THETA_GRID,
        n_jobs=arguments.jobs,
        store=RESULTS / "protocol.sqlite",
        **fixed,
    )


def _points(result: Comparison, suffix: str = "") -> pd.DataFrame:
    """List a point a setting: what the figures draw."""
    summary = result.summary
    return pd.DataFrame(
        {
            "method": [protocol.method_of(result, n) + suffix for n in summary["setting"]],
            "R": summary["n_clauses"].astype(int),
            "theta": summary["theta"],
            LITERALS: summary["n_conditions"],
            TEST: 100 * summary["test_error"],
            TRAIN: 100 * summary["train_error"],
        }
    )


def _row(table: BenchTable, line: dict[str, float | str], n_seeds: int) -> Row:
    method, n_clauses = str(line["method"]), int(line["R"])
    return report(
        {
            "what": "least test error",
            "table": table.name,
            "setting": {
                "method": method,
                "R": n_clauses,
                "seeds": n_seeds,
                "literals": round(float(line["literals"]), 2),
            },
            "ours": float(line["error"]),
            "reference": protocol.published(table.name, method, n_clauses),
            "unit": "%",
        }
    )


def _page(
    table: BenchTable,
    errors: pd.DataFrame,
    cloud: pd.DataFrame,
    clauses: Sequence[int],
    n_seeds: int,
) -> str:
    last = clauses[-1]
    figures = [
        *(
            _figure(f"Figure 1: {table.name}, {method}, by clauses", cloud, measure_, [
                (f"R = {r}", method, r) for r in clauses
            ])
            for method in ("AM", "BCD")
            for measure_ in (TEST, TRAIN)
        ),
        _figure(f"Figure 2: {table.name}, R = {last}, by method", cloud, TEST, [
            (method, method, last) for method in METHODS
        ]),
        *(
            _figure(f"Figure 3: {table.name}, {method}, R = {last}", cloud, TEST, [
                ("without disable", method, last), ("with disable", method + DISABLED, last)
            ])
            for method in ("AM", "BCD")
        ),
    ]  # fmt: skip
    title = html.escape(f"Two-level rules: {table.name}")
    note = (
        f"DNF of class {table.positive!r}; stratified 10-fold cross-validation, mean over "
        f"{n_seeds} seed(s), the least mean test error over the prices. The paper's figures are "
        "of one split: two figures less than about two points apart do not differ."
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.2em .7em;text-align:right}"
        "th:first-child{text-align:left}</style>"
        f"<h1>{title}</h1><p>{html.escape(note)}</p>{_table(table, errors, clauses)}"
        + "".join(f"<figure>{figure}</figure>" for figure in figures)
        + "</html>\n"
    )


def _figure(
    title: str, cloud: pd.DataFrame, measured: str, series: Sequence[tuple[str, str, int]]
) -> str:
    chosen = {
        name: cloud[(cloud["method"] == method) & (cloud["R"] == r)][[LITERALS, measured]]
        for name, method, r in series
    }
    points = {name: list(rows.itertuples(index=False, name=None)) for name, rows in chosen.items()}
    return front_figure(title, LITERALS, measured, points)


def _table(table: BenchTable, errors: pd.DataFrame, clauses: Sequence[int]) -> str:
    """Write Table 1: our mean, its spread over seeds, and the paper's figure."""
    head = "".join(f"<th>R = {r}</th>" for r in clauses)
    lines = []
    for method in METHODS:
        cells = []
        for r in clauses:
            row = errors[(errors["method"] == method) & (errors["R"] == r)].iloc[0]
            spread = "" if pd.isna(row["sd"]) else f" ± {row['sd']:.1f}"
            paper = protocol.published(table.name, method, r)
            beside = "" if paper is None else f" (paper {paper:.1f})"
            size = f"{row['literals']:.1f} literals"
            cells.append(f"<td>{row['error']:.1f}{spread}{beside}<br><small>{size}</small></td>")
        lines.append(f"<tr><th>{method}</th>{''.join(cells)}</tr>")
    caption = "<caption>Table 1: least mean test error, %</caption>"
    return f"<table>{caption}<tr><th></th>{head}</tr>{''.join(lines)}</table>"


if __name__ == "__main__":
    run(measure, __doc__ or "")

"""The benchmark of the dashboard, on small tables and with few visitors."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from benchmarks import _cli, bench_workbench

SMALL = {"TIMES": 1, "CROWD": 1, "ROW": 1, "HUNDRED": 1}


def test_benchmark_of_the_dashboard_runs_its_full_path(chromium, monkeypatch):
    made = bench_workbench.large(80), bench_workbench.wide(), bench_workbench.three()
    for table in made:
        small = replace(table, X=table.X.iloc[:80, :4], y=table.y[:80])
        monkeypatch.setattr(bench_workbench, table.name, lambda *_, small=small: small)
    path = bench_workbench.path  # the same for each table, so two are enough

    def short_path(visitor, table, *others):
        if table.name in ("only", "three"):
            path(visitor, table, *others)

    monkeypatch.setattr(bench_workbench, "path", short_path)
    only = replace(bench_workbench.large(), name="only")
    monkeypatch.setattr(bench_workbench, "tables", lambda g, _: [{"only": only}[n] for n in g.only])
    for name, number in SMALL.items():
        monkeypatch.setattr(bench_workbench, name, number)
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")  # it is changed, so it is restored
    with ThreadPoolExecutor(1) as thread:  # it has a browser of its own, beside `chromium`
        given = _cli.parsed("", ["--only", "only", *bench_workbench.PARTS])
        rows = thread.submit(bench_workbench.measure, given).result()
    assert {row["table"] for row in rows} >= {"only", "large", "wide", "three"}
    assert {row["what"] for row in rows} >= {*bench_workbench.AIMS, "longer search", "1 at once"}

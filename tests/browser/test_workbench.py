"""The benchmark of the dashboard, on small tables and with few visitors."""

from concurrent.futures import ThreadPoolExecutor

from benchmarks import _cli, bench_workbench

SMALL = {"TIMES": 1, "CROWD": 2, "ROW": 2, "HUNDRED": 2}


def test_benchmark_of_the_dashboard_runs_its_full_path(chromium, monkeypatch):
    large = bench_workbench.large
    monkeypatch.setattr(bench_workbench, "large", lambda _: large(600))
    for name, number in SMALL.items():
        monkeypatch.setattr(bench_workbench, name, number)
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")  # it is changed, so it is restored
    with ThreadPoolExecutor(1) as thread:  # it has a browser of its own, beside `chromium`
        rows = thread.submit(bench_workbench.measure, _cli.parsed("", [])).result()
    measured = {(row["table"], row["what"]) for row in rows}
    assert {table for table, _ in measured} >= {"credit", "large", "wide", "three"}
    assert {what for _, what in measured} >= {*bench_workbench.AIMS, "2 at once"}

"""The benchmark of alternatives and stability runs, on small tables, and writes its rows."""

import pytest

from benchmarks import bench_trust
from benchmarks._cli import BenchTable

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


@pytest.mark.slow
def test_the_search_of_longer_rules_is_compared_with_all_there_are():
    row = bench_trust.margin_coverage(range(1))
    assert row["setting"]["rules"] > 10
    assert 80 < row["ours"] <= 100


@pytest.mark.slow
def test_alternatives_and_stability_are_measured(monkeypatch):
    monkeypatch.setattr(bench_trust, "N", 150)
    X, y = bench_trust.made(0, 0.05)
    rows = bench_trust.just_as_good(BenchTable("made", X, y.astype(object), "yes"))
    assert [row["what"] for row in rows] == ["one clause", "chosen rule", "without its column"]
    assert rows[0]["setting"]["complete"]
    assert all(row["ours"] >= 0 for row in rows)
    columns, seconds = bench_trust.planted(range(1), 3)
    assert columns["ours"] <= 3
    assert seconds["ours"] > 0
    assert bench_trust.noise(range(1), 3)["ours"] in (0, 100)

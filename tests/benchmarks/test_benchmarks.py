"""The benchmarks read their tables, and both solvers of linear programs learn the same rules."""

import pytest

from benchmarks import _cli
from benchmarks.papers import bench_screening, bench_two_level


def test_absent_folders_and_tables_are_named_and_samples_measured(tmp_path, capsys, folder):
    with pytest.raises(SystemExit):
        _cli.parsed("", ["--data", str(tmp_path)])
    assert "must be a folder with a datasets.json" in capsys.readouterr().err
    given = _cli.parsed("", ["--data", str(folder), "--only", "moon"])
    with pytest.raises(SystemExit, match="no table 'moon'; there are planted"):
        list(_cli.tables(given, []))
    given = _cli.parsed("", [])
    assert [t.name for t in _cli.tables(given, ["pima", "iris"])] == ["iris"]


def test_the_pipeline_and_linprog_learn_the_same_rules(planted):
    speed, same = bench_two_level.speed(planted, thetas=(0.1, 1.0), clauses=(1, 2))
    assert speed["what"] == "pipeline speed"
    assert speed["ratio"] == pytest.approx(speed["reference"] / speed["ours"])
    assert (same["ours"], same["reference"]) == (12, 12)


@pytest.mark.slow
def test_screening_is_measured_with_its_full_programs(planted, folder):
    rows = {row["what"]: row for row in bench_screening.compare(planted, folder, 3)}
    assert rows["full LP over screened LP"]["ours"] > 0
    assert rows["certificates refused"]["ours"] == 0

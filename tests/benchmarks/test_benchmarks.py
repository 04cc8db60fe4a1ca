"""The benchmarks read their tables, and both solvers of linear programs learn the same rules."""

import importlib
import pkgutil

import pytest

import benchmarks
from benchmarks import _cli, bench_families
from benchmarks.papers import bench_two_level
from rulekit.families import FAMILIES


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


#: What makes the full path of a benchmark short: its constants, and a table of its own.
SMALL = {
    "benchmarks.bench_lists": {"only": ["iris"]},
    "benchmarks.bench_learners": {"FITS": 1},
    "benchmarks.bench_scale": {"only": None, "SIZES": [(300, 4), (600, 4)],
                               "LONG_AND_WIDE": [(300, 4), (100, 9)]},
    "benchmarks.bench_speed": {"SIZES": [(300, 4)], "EXPLAINED": 50},
    "benchmarks.bench_start": {"RUNS": 1},
    "benchmarks.bench_tables": {"rows": [3_000]},
    "benchmarks.papers.bench_ideal_parquet": {"rows": [3_000]},
}  # fmt: skip
NEEDS_MORE = ("workbench", "optimal_trees", "hyperplane", "power_law")  # own tests; a browser
EACH = [m.name for m in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
        if "bench_" in m.name and not m.name.endswith(NEEDS_MORE)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EACH)
def test_every_benchmark_runs_its_full_path_on_a_tiny_table(name, folder, tmp_path, monkeypatch):
    module = importlib.import_module(name)
    given = _cli.parsed("", ["--data", str(folder), "--only", "planted", "--seeds", "1"])
    given.scratch = tmp_path
    for setting, value in SMALL.get(name, {}).items():
        if setting.islower():
            setattr(given, setting, value)
        else:
            monkeypatch.setattr(module, setting, value)
    assert module.measure(given)


def test_pages_state_the_recorded_figures_of_each_family():
    record = bench_families.read_record()
    assert len({(mean["tables"], mean["seeds"]) for mean in record.values()}) == 1
    measured = [family for key, family in FAMILIES.items() if key in record]
    assert {bench_families.SINGLE.name, *(f.key for f in measured)} == set(record)
    for family in measured:
        assert family.good_for.endswith(bench_families.sentence(family, record))

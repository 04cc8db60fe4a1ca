"""The benchmarks read their tables, and both solvers of linear programs learn the same rules."""

import importlib
import json
import pkgutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import benchmarks
from benchmarks import _cli, bench_choice, bench_families, bench_optimal_trees
from benchmarks.papers import bench_hyperplane, bench_power_law, bench_two_level, planes
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
    "benchmarks.bench_choice": {"FOLDS": 2, "INNER_FOLDS": 2},
    "benchmarks.bench_costs": {"RATIOS": (5.0,), "FOLDS": 2, "INNER_FOLDS": 2},
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


def write_tables(folder, tables, target):
    """Write tables as ``--data`` takes them."""
    facts = {n: {"file": f"{n}.csv", "target": target, "positive_label": None} for n in tables}
    (folder / "datasets.json").write_text(json.dumps(facts))
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_benchmark_of_planes_runs_its_full_path_on_tiny_tables(tmp_path, monkeypatch):
    rng, tables = np.random.default_rng(5), {}
    for name, plane in json.loads(planes.STORED.read_text()).items():
        centre, scale = np.array(plane["centre"]), np.array(plane["scale"])
        coded = pd.DataFrame(centre + 3 * scale * rng.normal(size=(240, len(scale))))
        coded.columns = plane["features"]
        texts = {c: planes.CODES[c] for c in coded if c in planes.CODES}
        for column, codes in texts.items():
            coded[column] = rng.choice(list(codes.values()), 240)
        height = coded.to_numpy() @ planes.stored_plane(name, coded)[0]
        above = height > np.quantile(height, 0.4)
        names_of = {c: {v: k for k, v in codes.items()} for c, codes in texts.items()}
        frame = coded.assign(**{c: coded[c].map(names) for c, names in names_of.items()})
        target = planes.SETTINGS[name].target
        tables[name] = frame.assign(**{target: np.where(above, 1, 2) if target == "num" else above})
    plain = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    up = plain["a"] + plain["b"] > 0.1
    tables["banknote"] = plain.assign(**{"class": up.astype(int)})
    tables["electricity"] = plain.assign(**{"class": np.where(up, "UP", "DOWN"), "date": 1})
    write_tables(tmp_path, tables, "class")
    monkeypatch.setattr(bench_hyperplane, "ROWS", 80)
    priced = {n: replace(s, nu=1.0, confidence_nu=1.0) for n, s in planes.SETTINGS.items()}
    monkeypatch.setattr(planes, "SETTINGS", priced)
    rows = bench_hyperplane.measure(_cli.parsed("", ["--data", str(tmp_path)]))
    measured = {row["what"] for row in rows}
    assert {"wrong-side rows", "LP-SVM dual, primal", "calibration error"} <= measured
    assert all(row["ours"] == 0 for row in rows if row["what"] == "wrong-side rows")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_benchmark_of_power_laws_runs_its_full_path_on_tiny_tables(tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.uniform(0.5, 2, size=(60, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame["a"] * frame["b"] > 1.2, "high", "low")
    names = ("wdbc", "iris", *sum(bench_power_law.DEFAULT.values(), ()))
    write_tables(tmp_path, dict.fromkeys(names, frame), "kind")
    monkeypatch.setattr(bench_power_law, "TAUS", (0.05,))
    only = ["iris", "DS1", "m-ZDT-30", *bench_power_law.EXTRA, *bench_power_law.DEFAULT]
    given = _cli.parsed("", ["--data", str(tmp_path), "--seeds", "1", "--only", *only])
    measured = {row["what"] for row in bench_power_law.measure(given)}
    assert {"test accuracy", "effect of tau", "root split", "default-large"} <= measured


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_benchmark_of_optimal_trees_runs_with_peers_in_place(folder, tmp_path, monkeypatch):
    def grow(cuts, codes, size):
        tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(cuts.train, codes)
        return tree.predict, tree.get_n_leaves() - 1

    for peer in ("streed", "gosdt"):
        monkeypatch.setattr(bench_optimal_trees, peer, grow)
    monkeypatch.setattr(bench_optimal_trees, "version_of", lambda package: "0")
    for module in (bench_choice, bench_optimal_trees):
        monkeypatch.setattr(module, "FOLDS", 2)
    monkeypatch.setattr(bench_optimal_trees, "KEPT", tmp_path / "kept.sqlite")
    given = _cli.parsed("", ["--data", str(folder), "--only", "planted", "--seeds", "1"])
    rows = bench_optimal_trees.measure(given)
    assert {row["what"] for row in rows} >= {"accuracy, STreeD", "one fit, GOSDT"}

"""What a run computes: finished points as they come, the quick search, the backend of fits."""

import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal, assert_series_equal
from sklearn.base import clone

from rulekit import Binarizer, BoxSearchClassifier, Costs, RuleClassifier, from_json
from rulekit.cli.command import rulekit as command
from rulekit.data import Table, list_samples, load_sample, read_table, suggest_positive
from rulekit.data.costs import COST
from rulekit.data.folds import group_splitter
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError, RulekitError
from rulekit.style.wording import plural
from tests.clusters import cluster_of
from tests.outside import OUTSIDE, outside_table
from tests.ui.tasks import Quiet
from tests.waiting import until
from ui.learners import spec as spec_module
from ui.learners.offered import settings_of_run
from ui.learners.spec import CHOSEN, QUICK_COLUMNS, RunSpec, quick_part, quick_rows
from ui.models import work as work_module
from ui.models.points import RunResult
from ui.models.run import choice, quick, work
from ui.models.work import SEARCHES_OF_SELECTION
from ui.picked import fit_path, model_key
from ui.runs.jobs import JobRegistry
from ui.state import AppState, SplitSpec

SPEC = RunSpec(limits=(1, 2, 3), folds=3, against=False, robust=False, noisy=False)
BY_SIZE = replace(SPEC, baselines=False)


def reported(report, name):
    """What was reported under a name, in turn."""
    return [one[name] for one in report.reports if name in one]


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    work_module._client.cache_clear()
    yield
    work_module._client.cache_clear()


@pytest.fixture(scope="module")
def state():
    return AppState(table=load_sample("breast_cancer"))


@pytest.mark.slow
def test_run_counts_each_search_once_and_returns_rules(state):
    report = Quiet()
    result = work(BY_SIZE, state)(report)
    assert reported(report, "total") == [3 + SEARCHES_OF_SELECTION]
    assert sorted(set(reported(report, "done"))) == [0, 1, 2, 3]
    assert "fold 3 of 3" in reported(report, "message")[-2]
    assert reported(report, "message")[-1] == "Selecting the suggested rule"
    assert reported(report, "interim")[-1].points()["setting"].tolist() == [0, 1, 2]
    assert result.points()["setting"].tolist() == [0, 1, 2, 3]
    assert RunResult.from_comparison(BY_SIZE, result).points["limit"].tolist()[:3] == [1, 2, 3]
    assert all(row["rule"] is None for row in result.finished)
    assert all(result.models[k].rule_set_.n_conditions <= k + 1 for k in range(3))
    assert result.missed == ()


RISKS = load_sample("credit").frame.iloc[:200]
WINES = load_sample("wine").frame.iloc[::2]
COSTS = {"costs": (1.0, 3.0), "cost_unit": "EUR"}
PAIRS = {("high", "low"): 1.0, ("low", "high"): 3.0}
EITHER, BALANCED = {"against": True}, {"class_weight": "balanced"}
NO_INCOME = {"forbidden": ("income",)}
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("frame", "target", "settings", "parameters"),
    [
        pytest.param(RISKS, "risk", settings, parameters, id=name, marks=marks)
        for name, settings, parameters, marks in (
            ("one outcome", {}, {"positive_label": "high"}, ()),
            ("either outcome", EITHER, {}, SLOW),
            ("costs", {**COSTS, **EITHER}, {"costs": Costs(matrix=PAIRS, unit="EUR")}, SLOW),
            ("weights", {**BALANCED, **EITHER}, BALANCED, SLOW),
            ("constraints", {**NO_INCOME, **EITHER}, {"constraints": NO_INCOME}, SLOW),
        )
    ]
    + [pytest.param(WINES, "cultivar", {}, {}, id="three outcomes", marks=SLOW)],
)
def test_thorough_search_suggests_the_rule_of_the_library(
    tmp_path, frame, target, settings, parameters
):
    positive = "high" if target == "risk" else frame[target].iloc[0]
    table = Table.from_frame(frame).with_roles({target: "target"}, positive_label=positive)
    shown = AppState(table=table, every_class=target != "risk", split=SplitSpec(0.0))
    requested = replace(BY_SIZE, limits=(1, 2), **settings)
    task = replace(work(requested, shown), store=tmp_path / "store.sqlite")
    result = RunResult.from_comparison(requested, task(Quiet()))
    number = result.suggestion.number
    assert CHOSEN in result.settings[number]
    library = RuleClassifier(random_state=0, **parameters).fit(*shown.training)
    rule = result.models[model_key(result.settings[number])].rule_set_
    assert rule == library.rule_set_
    assert result.points.loc[number, "limit"] == rule.n_conditions
    assert plural(rule.n_conditions, "condition") == result.suggestion.words
    again = fit_path([result.settings[number]], requested, shown)
    assert [model.rule_set_ for model in again.values()] == [rule]
    restored = RunResult.from_comparison(requested, task.load_stored())
    decides, again = result.suggestion.estimates, restored.suggestion.estimates
    assert restored.suggestion.number == number
    if decides is not None:  # the arrow of the curve stands at its lowest value
        assert decides.idxmin() == rule.n_conditions
        assert_series_equal(decides, again)
    assert (decides is None) == (again is None) == ("uncosted" in result.settings[number])
    assert_frame_equal(restored.points, result.points)


def doubtful_table():
    """Return a table whose rules for "well" cost more than always "ill" in some folds."""
    draw = np.random.default_rng(4)
    frame = pd.DataFrame(draw.integers(0, 9, (300, 3)), columns=["age", "dose", "visits"])
    ill = ((frame["age"] > 5) & (frame["dose"] > 4)) ^ (draw.random(300) < 0.2)
    table = Table.from_frame(frame.assign(state=np.where(ill, "ill", "well")))
    return table.with_roles({"state": "target"}, positive_label="ill")


@pytest.mark.slow
@pytest.mark.parametrize("table", [load_sample("credit"), doubtful_table()], ids=["credit", "made"])
def test_every_size_has_its_cheapest_rule_with_costs(table):
    """Compare with all rules of one clause and up to two conditions."""
    state, requested = AppState(table=table), quick(RunSpec(folds=5, costs=(9.0, 1.0)))
    X, y = state.training
    described = (y == state.labels[0]).to_numpy()
    held = np.asarray(state.binning.binarizer().fit(X, y).transform(X), dtype=float)
    missed, alarms = held.T * (9.0 * described) @ held, held.T * ~described @ held
    alone = 900.0 * described.mean(), 100.0 * (~described).mean()  # always the other, always it
    # rows that meet two conditions get one outcome, all others the other one
    of_pairs = [alone[0] - 100.0 * (missed - alarms) / len(y)]
    of_pairs += [alone[1] + 100.0 * (missed - alarms) / len(y)]
    least = [min(*alone, *(costs.diagonal().min() for costs in of_pairs))]
    least += [min(*alone, *(costs.min() for costs in of_pairs))]
    result = RunResult.from_comparison(requested, work(requested, state)(Quiet()))
    points = result.curve(COST).set_index("limit", append=True)
    sizes = {}
    for number, limit in points.index:
        model = result.models[model_key(result.settings[number])]
        cost = 100.0 * np.where(described, 9.0, 1.0) @ (model.predict(X) != y) / len(y)
        assert limit > 2 or cost == pytest.approx(least[limit - 1])
        sizes[limit] = model.rule_set_.n_conditions
    assert len(sizes) == 12
    assert all(size for limit, size in sizes.items() if limit > 1)
    assert least[1] < min(alone)


MOST_ROWS = 1_000  # of a table outside that is learned from three times


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(s.name for s in list_samples()), *OUTSIDE])
def test_page_command_and_library_end_with_the_same_rule(name, tmp_path):
    """Page and command test gaps of no column by themselves; the library gets this setting."""
    if OUTSIDE.get(name, {}).get("rows", 0) > MOST_ROWS:
        pytest.skip("too many rows")
    table = outside_table(name) if name in OUTSIDE else load_sample(name)
    table = table.with_roles({}, positive_label=suggest_positive(table, table.target))
    shown = AppState(table=table, every_class=True)
    requested = choice(RunSpec(folds=5))
    task = replace(work(requested, shown), store=tmp_path / "store.sqlite")
    result = RunResult.from_comparison(requested, task(Quiet()))
    assert_frame_equal(
        RunResult.from_comparison(requested, task.load_stored()).points, result.points
    )
    (model,) = result.models.values()
    assert result.settings[result.suggestion.number] == result.settings[0]
    decides = result.suggestion.estimates
    assert decides is None or decides.idxmin() == model.rule_set_.n_conditions
    library = RuleClassifier(binarizer=Binarizer(test_missing=[])).fit(*shown.training)
    assert model.rule_set_ == library.rule_set_
    file, written = tmp_path / "table.parquet", tmp_path / "rule.json"
    table.frame[[*table.features, table.target]].to_parquet(file)
    words = ["learn", str(file), "--target", table.target, "-o", str(written)]
    if len(shown.classes) > 2:
        words.append("--every-class")
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    ours = replace(model.rule_set_, schema=None)
    assert replace(from_json(written.read_text()), schema=None) == ours


@pytest.mark.slow
@pytest.mark.parametrize("weighed", [False, True])
def test_selection_keeps_whole_groups_in_one_fold(weighed):
    frame = RISKS.assign(branch=np.arange(len(RISKS)) // 3, counts=np.arange(len(RISKS)) % 5)
    roles = {"risk": "target", "branch": "group", "counts": "weight" if weighed else "ignore"}
    table = Table.from_frame(frame).with_roles(roles, positive_label="high")
    shown = AppState(table=table, split=SplitSpec(0.0))
    X, y = shown.training
    requested = replace(BY_SIZE, limits=(1,), against=True)
    result = RunResult.from_comparison(requested, work(requested, shown)(Quiet()))
    rule = result.models[model_key(result.settings[result.suggestion.number])].rule_set_
    counts = frame["counts"].to_numpy(dtype=float)[X.index] if weighed else np.ones(len(y))
    X, y, counts = X[counts > 0], y[counts > 0], counts[counts > 0]
    by_group = group_splitter(y, frame["branch"].iloc[X.index])
    assert rule == RuleClassifier(cv=by_group).fit(X, y, counts).rule_set_
    assert work(requested, shown).selector.cv.get_n_splits() == 5


def test_search_on_groups_that_hold_a_whole_outcome_says_so():
    frame = RISKS.assign(
        branch=np.where(RISKS["risk"] == "high", 0, 1 + np.arange(len(RISKS)) % 20)
    )
    roles = {"risk": "target", "branch": "group"}
    table = Table.from_frame(frame).with_roles(roles, positive_label="high")
    shown = AppState(table=table, split=SplitSpec(0.0))
    with pytest.raises(DataError, match="Choose another column of groups"):
        work(BY_SIZE, shown)
    assert work(quick(BY_SIZE), shown).selector is None


def test_search_that_is_limited_in_time_or_to_a_form_selects_none(state):
    for given in (
        {"budget": 60.0},
        {"form": "cnf"},
        {"view": "prices"},
        {"learners": ("lp",)},
        {"required": ("mean area",)},
    ):
        assert work(replace(BY_SIZE, **given), state).selector is None
    assert work(quick(BY_SIZE), state).selector is None


@pytest.mark.slow
def test_quick_pass_of_a_large_table_fits_rules_on_the_same_part(state, monkeypatch):
    monkeypatch.setattr(spec_module, "QUICK_CELLS", 0)
    monkeypatch.setattr(spec_module, "QUICK_ROWS", 80)
    requested = work(quick(replace(SPEC, folds=5, against=True)), state)
    result = requested(Quiet())
    rows = quick_rows(requested.X, requested.y, np.arange(len(requested.y)))
    assert len(rows) == pytest.approx(80, abs=1)
    family, against = requested.families
    assert against.grid["positive_label"] != [family.estimator.positive_label]
    assert family.estimator.theta == len(rows) / 1000
    alone = next(
        fit_settings(family.estimator, requested.X.iloc[rows], requested.y.iloc[rows], [{}])
    )
    assert (
        result.models[11].rule_set_
        == alone.set_params(max_conditions=12)
        .fit(requested.X.iloc[rows], requested.y.iloc[rows])
        .rule_set_
    )
    assert len(result.points()) == len(result.models) == 24


def wide(n_rows=62, n_columns=1_999):
    """A table of many numbers, of which one in forty differs between the outcomes."""
    rng = np.random.default_rng(0)
    tumor = rng.permutation(n_rows) < 0.6 * n_rows
    shift = np.where(np.arange(n_columns) % 40 == 7, 1.5, 0.0)
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)) + tumor[:, None] * shift)
    return X.add_prefix("gene "), pd.Series(np.where(tumor, "tumor", "normal"))


def wide_state(n_columns=1_999):
    X, y = wide(n_columns=n_columns)
    made = read_table(X.assign(tissue=y).to_csv(index=False).encode(), name="genes")
    return AppState(table=made.with_roles({"tissue": "target"}, positive_label="tumor"))


def test_quick_columns_are_those_of_the_part_and_of_the_settings():
    X, y = wide()
    rows, search = np.arange(0, 62, 2), BoxSearchClassifier(binarizer=Binarizer())
    part, columns = quick_part(X, y, rows, search)
    assert part.tolist() == rows.tolist()
    assert len(columns) == QUICK_COLUMNS
    assert sum(int(name.split()[1]) % 40 == 7 for name in columns) > QUICK_COLUMNS / 3
    others = np.setdiff1d(np.arange(62), rows)
    X.iloc[others], y.iloc[others] = 100.0 * np.arange(1_999), y.iloc[others[::-1]].to_numpy()
    assert quick_part(X, y, rows, search)[1] == columns
    assert quick_part(X, y, others, search)[1] != columns
    X, y = wide()
    search = BoxSearchClassifier(
        binarizer=Binarizer(thresholds={"gene 0": [0.0]}), constraints={"forbidden": ("gene 7",)}
    )
    _, columns = quick_part(X, y, np.arange(62), search)
    assert {"gene 0", "gene 7"} < set(columns)
    assert len(columns) == QUICK_COLUMNS + 2
    assert quick_part(X[["gene 1"]], y, np.arange(62), search)[1] == ["gene 1"]


@pytest.mark.slow
def test_a_quick_pass_over_2000_columns_costs_at_most_four_over_60():
    def cpu_seconds(n_columns):
        requested = work(quick(RunSpec(against=False)), wide_state(n_columns))
        before = time.process_time()
        result = requested(Quiet())
        assert len(result.points()) == len(result.models) == 12
        assert (result.points()["folds"] == 10).all()
        return time.process_time() - before

    cpu_seconds(5)  # loads what the search needs
    assert cpu_seconds(1_999) < 4 * cpu_seconds(QUICK_COLUMNS)


@pytest.mark.slow
def test_folds_of_a_wide_table_choose_their_own_columns():
    requested = work(quick(replace(SPEC, folds=3)), wide_state())
    report = Quiet()
    result = requested(report)
    parts = [
        quick_part(requested.X, requested.y, train, requested.families[0].estimator)
        for train, _ in requested.folds
    ]
    errors = []
    for (rows, columns), (_, test) in zip(parts, requested.folds, strict=True):
        model = clone(requested.families[0].estimator).set_params(max_conditions=2)
        model.fit(requested.X[columns].iloc[rows], requested.y.iloc[rows])
        errors.append((model.predict(requested.X.iloc[test]) != requested.y.iloc[test]).mean())
    assert len({tuple(columns) for _, columns in parts}) == 3
    assert result.points().loc[1, "test_error"] == pytest.approx(np.mean(errors))
    assert reported(report, "message")[-1].rpartition(": ")[2] == "fold 3 of 3"


@pytest.mark.slow
def test_stored_points_return_with_their_budget_without_fits(state, tmp_path, monkeypatch):
    requested = replace(work(replace(BY_SIZE, budget=60.0), state), store=tmp_path / "sweep.sqlite")
    result = requested(Quiet())
    monkeypatch.setattr("rulekit.evaluation.sweeps.compare.fit_fold", None)
    pd.testing.assert_frame_equal(requested.load_stored().points(), result.points())


@pytest.mark.slow
def test_comparison_lists_learners_without_a_point(state):
    spec = replace(SPEC, learners=("search", "lp"), budget=0.5, baselines=False)
    result = work(spec, state)(Quiet())
    listed = settings_of_run(spec)
    learned = {listed[number]["learner"] for number in result.points()["setting"]}
    assert ("Two-level linear program" in result.missed) == ("lp" not in learned)
    assert ("Short rule" in result.missed) == ("search" not in learned)


ONE_RUN = RunSpec(limits=(1, 2), folds=2, against=False, robust=False, noisy=False)


def measured(found):
    return found.points().drop(columns="seconds"), [m.rule_set_ for m in found.models.values()]


@pytest.mark.slow
def test_a_run_on_a_cluster_gives_the_curve_and_the_rules_of_one_here(monkeypatch):
    distributed = pytest.importorskip("distributed")
    state = AppState(table=load_sample("iris"))
    requested = [work(ONE_RUN, state), work(quick(ONE_RUN), state)]
    plain = [measured(each(Quiet())) for each in requested]
    with cluster_of(2) as cluster:
        monkeypatch.setenv(work_module.SCHEDULER, cluster.scheduler_address)
        jobs = JobRegistry(n_running=2)
        try:
            ours = [jobs.start(f"visitor {k}", "A run", each) for k, each in enumerate(requested)]
            until(lambda: not any(job.active for job in ours))
        finally:
            jobs.close()
        with distributed.Client(cluster, set_as_default=False) as client:
            done = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(done.values()) >= 4  # two folds each
    for job, (points, rules) in zip(ours, plain, strict=True):
        assert job.state == "done", job.error
        result, same = measured(job.answer)
        pd.testing.assert_frame_equal(result, points)
        assert same == rules


def test_schedulers_that_do_not_answer_are_reported(monkeypatch):
    monkeypatch.setenv(work_module.SCHEDULER, "tcp://127.0.0.1:9")
    monkeypatch.setattr(work_module, "SECONDS", 0.2)
    pytest.importorskip("distributed")
    with pytest.raises(RulekitError, match=r"must name a Dask scheduler that answers; 'tcp://127"):
        work_module.count_as_running(urgent=True)
    monkeypatch.setenv(work_module.SCHEDULER, "tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RulekitError, match=r'pip install "rulekit-dashboard\[cluster\]"'):
        work_module.count_as_running(urgent=True)

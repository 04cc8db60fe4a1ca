"""The script of a rule of the quick search learns from the same part of the table."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from rulekit import Clause, Literal, RuleSet, to_text
from rulekit import FixedRuleClassifier as Fixed
from rulekit.cli.command import rulekit
from rulekit.data import ParseOptions, infer, load_sample
from rulekit.data.reading.loading import read_with_layout
from ui.export.formats import (
    AUDIENCES,
    CHOICES,
    CODE,
    FIRST,
    FORMATS,
    LANGUAGES,
    rule_file,
    run_record,
    script,
)
from ui.learners import spec as spec_module
from ui.learners.offered import settings_of_run
from ui.learners.spec import RunSpec
from ui.models.run import quick
from ui.picked import fit_path, model_key
from ui.state import IGNORED, UNITS, WORDS, AppState, SplitSpec

ROOT = Path(__file__).parents[3]
SETTING = {"learner": "one_level", "theta": 2.0}
SPEC = RunSpec(learners=("one_level",), thetas=(2.0,))


@pytest.mark.slow
def test_the_script_of_a_quick_rule_learns_it_again(monkeypatch, capsys):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    monkeypatch.setattr(spec_module, "QUICK_CELLS", 0)
    monkeypatch.setattr(spec_module, "QUICK_ROWS", 90)
    monkeypatch.setattr(spec_module, "QUICK_COLUMNS", 4)
    requested = quick(RunSpec(against=False))
    setting = settings_of_run(requested)[3]
    state = AppState(table=load_sample("breast_cancer"), setting=setting)
    model = fit_path([setting], requested, state)[model_key(setting)]
    source = script(state, model)
    assert len(model.feature_names_in_) == 4
    monkeypatch.chdir(ROOT)
    exec(compile(source, "script", "exec"), {})  # raises SystemExit where the rule differs
    assert capsys.readouterr().out.strip() == to_text(model).strip()


def recorded(split):
    state = AppState(
        table=load_sample("iris"),
        setting=SETTING,
        run_settings=SPEC.to_dict(),
        split=split,
        test_looks=3,
    )
    model = fit_path([SETTING], SPEC, state)[model_key(SETTING)]
    return state, model, run_record(state, model)


@pytest.mark.slow
def test_a_script_reads_the_same_file_when_columns_are_ignored():
    state, model, _ = recorded(SplitSpec())
    ignoring = replace(state, options={IGNORED: ["petal width"]})
    assert script(ignoring, model) == script(state, model)


def test_the_rule_file_reads_a_later_file_as_the_first_one(tmp_path, monkeypatch):
    raw = "".join(
        f"{k % 9},{5 * (k % 2)} %;{('yes', 'Yes ', 'no')[k % 3]};0{1 + k % 9}/02/2020;{k % 7 > 3}\n"
        for k in range(60)
    )
    given = ParseOptions(percent="share", day_first=False, merged=("s",))
    table, used, _ = read_with_layout(f"x;s;d;y\n{raw}".encode(), options=given)
    literals = (
        Literal("x", "<=", 0.03),
        Literal("s", "==", "Yes"),
        Literal("d", "<", "2020-05-01", part="date"),
    )
    clauses = tuple(Clause((each,)) for each in literals)
    rule = RuleSet(clauses, (True,) * 3, "dnf", False, schema=infer(table.frame))
    options = asdict(used) | {UNITS: dict(table.units), WORDS: {"x": ("k.A.",)}}
    monkeypatch.chdir(tmp_path)
    Path("rule.json").write_text(rule_file(AppState(table=table, options=options), Fixed(rule)))
    Path("new.csv").write_text(
        "x;s;d\n2 %;NO;05/02/2020\n4 %;YES;06/02/2020\n?;no;04/05/2020\n7 %;no;05/04/2020\n"
    )
    run = CliRunner().invoke(rulekit, ["score", "rule.json", "new.csv", "-o", "s.csv"])
    assert run.exit_code == 0, run.output
    assert pd.read_csv("s.csv")["answer"].tolist() == [True, True, True, False]


@pytest.mark.slow
def test_records_have_settings_and_test_errors_if_there_are_rows():
    state, model, record = recorded(SplitSpec(0.3, 7))
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["data"]["sha256"] == state.table.digest
    assert record["split"]["training_rows"] + record["split"]["test_rows"] == 150
    assert record["split"]["seed"] == 7
    assert record["split"]["test_rows_looked_at"] == 3
    assert record["setting"] == SETTING
    assert record["run"]["thetas"] == [2.0]
    assert record["result"]["conditions"] == model.n_conditions_
    X, y = state.testing
    wrong = float((model.predict(X) != y.to_numpy()).mean())
    assert record["result"]["test_error"] == pytest.approx(wrong)
    assert record["versions"]["numpy"]
    _, _, record = recorded(SplitSpec(0.0))
    assert record["result"]["test_error"] is None
    assert record["split"]["test_rows"] == 0
    offered = [*FIRST, *LANGUAGES, *[name for names in AUDIENCES.values() for name in names]]
    offered.remove(CODE)
    assert sorted(offered) == sorted(FORMATS)
    assert set(CHOICES) == {*FORMATS, CODE}

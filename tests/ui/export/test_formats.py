"""The script of a rule of the quick search learns from the same part of the table."""

from pathlib import Path

import pytest

from rulekit import to_text
from rulekit.data import load_sample
from ui.export.formats import script
from ui.learners import spec as spec_module
from ui.learners.offered import settings_of_run
from ui.learners.spec import RunSpec
from ui.models.run import quick
from ui.picked import fit_path, model_key
from ui.state import AppState

ROOT = Path(__file__).parents[3]


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

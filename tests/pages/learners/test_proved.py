"""A rule with a proof, on Models and on Rules."""

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.learners import Certificate
from tests.pages.driving import compared, finished, on_tab, opened_tab, pick_here, small, text
from tests.ui.tasks import Quiet
from ui.learners.literal import part_words, proof_headline, prove
from ui.learners.offered import RunSpec, settings_of_run
from ui.picked import fit_setting
from ui.runs import jobs
from ui.state import AppState


@pytest.mark.slow
def test_a_proved_rule_comes_with_its_proof_in_words(open_app):
    app = compared(small(open_app("models", sample="iris")), "One clause, proved")
    assert "proves it" in text(app)
    result = app.session_state["app"].result
    proved = [s for s in result.settings if s["learner"] == "one_level_exact"]
    pick_here(app, result, proved[-1])
    app = opened_tab(app, "How it was found")
    model = app.session_state["app"].model
    assert model.proved_optimal_
    (message,) = [s.value for s in app.success if "Proved optimal" in s.value]
    assert f"Cost {model.objective_:.6g}, and no rule of one clause costs less" in message
    assert "were ruled out with certificates" in text(app)
    app = on_tab(app.switch_page("pages/rules.py").run(), "Optimality")
    assert not [
        name for name in jobs.registry()._jobs if name.endswith("/proof")
    ]  # what is proved is not looked into again
    assert len([s for s in app.success if "Proved optimal" in s.value]) == 1
    assert "begin_certify" not in [b.key for b in app.button]


@pytest.mark.slow
def test_other_learners_have_no_proof_card(open_app):
    app = opened_tab(finished(open_app("models", sample="iris")), "How it was found")
    assert not [s for s in app.success if "Proved optimal" in s.value]


def test_learners_of_one_clause_have_no_number_of_clauses():
    spec = RunSpec(learners=("one_level_exact", "one_level", "lp"), thetas=(1.0, 2.0))
    result = settings_of_run(spec)
    assert len(result) == 2 * 5 + 2 + 2
    counts = Counter(s["learner"] for s in result)
    assert counts == {"lp": 10, "one_level": 2, "one_level_exact": 2}
    assert all("n_clauses" not in s for s in result if s["learner"] != "lp")


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (Certificate(41.0, 41.0, True, ""), "Cost 41, and no rule of one clause costs less"),
        (Certificate(43.0, 40.0, False, ""), "Cost 43, at most 7.5 % too much"),
        (Certificate(3.0, 0.0, False, ""), "Cost 3, no useful bound"),
    ],
)
def test_the_gap_is_reported_in_few_words(certificate, words):
    assert proof_headline(certificate) == words


@pytest.mark.slow
@pytest.mark.parametrize("costs", [(), (1.0, 5.0)])
def test_rule_of_the_quick_search_is_bounded_on_its_own_rows(costs):
    frame = pd.concat([load_sample("credit").frame] * 12, ignore_index=True)
    table = Table.from_frame(frame.drop(columns="loan_id")).with_roles(
        {"risk": "target"}, positive_label="high"
    )
    setting = {"learner": "search", "max_conditions": 3, "quick": True}
    spec = RunSpec(thorough=False, costs=costs)
    state = AppState(table=table, setting=setting, run_settings=spec.to_dict())
    certificate = prove(fit_setting(state, setting, spec), state, 1.0, Quiet())
    assert certificate.objective > 0
    assert "of 8,400 training rows, and the bound is for those" in part_words(state)
    assert part_words(replace(state, setting={"learner": "search"})) is None

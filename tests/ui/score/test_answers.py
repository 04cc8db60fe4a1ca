"""What Score hands out: the library's files of scored cases, smallest changes included."""

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd

from rulekit.explain import score
from rulekit.export import from_text
from ui.learners.spec import RunSpec
from ui.score.answers import _file, cost_sentence
from ui.score.new_cases import NewCases


def test_a_download_holds_every_case_with_its_smallest_change():
    found = score(
        from_text("1. IF age > 50 THEN ill\nOTHERWISE well"), pd.DataFrame({"age": [7, 60]})
    )
    file = pd.read_csv(io.BytesIO(_file("csv", found)))
    assert file["answer"].tolist() == ["well", "ill"]
    assert file["smallest change"].tolist() == found.table(changes=True)["smallest change"].tolist()


def test_cost_of_wrong_predictions_of_known_cases_is_shown():
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    table = pd.DataFrame({"age": [60, 61, 20, 21, 22]})
    truth = np.array(["ill", "well", "ill", "well", None], dtype=object)
    spec = RunSpec(costs=(5.0, 1.0), cost_unit="EUR")
    state = SimpleNamespace(run_settings=spec.to_dict(), labels=["ill", "well"])
    cases = NewCases("new", table, truth, "key")
    assert cost_sentence(cases, score(rule, table), state) == (
        "Errors cost 150 EUR a 100 cases; always predicting ill would cost 50 EUR."
    )
    plain = SimpleNamespace(run_settings={}, labels=["ill", "well"])
    assert cost_sentence(cases, score(rule, table), plain) == ""

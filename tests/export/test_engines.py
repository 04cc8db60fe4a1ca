"""What runs exports: a missing program, values that JSON has not, rules too long for an engine."""

import shutil

import numpy as np
import pytest

from rulekit import ExportError, Literal
from rulekit.export import FORMATS, to_javascript, verify_export
from tests.explain.tables import dnf
from tests.export.outside import needed


@pytest.mark.slow
def test_infinite_labels_and_gaps_of_every_kind_are_answered():
    needed(shutil.which("node"), "install Node to run JavaScript, Debian's `nodejs`")
    rule = dnf(Literal("__proto__", "missing"), label=np.inf, default=-np.inf)
    rows = {"__proto__": np.array([np.nan, np.nan, 1.0])}
    answers = FORMATS["javascript"].run(to_javascript(rule), rows, 3)
    assert answers == [np.inf, np.inf, -np.inf] == rule.predict(rows).tolist()


def test_exports_without_an_engine_are_not_checked(monkeypatch):
    rule = dnf(*(Literal("x", "!=", k) for k in range(1100)))
    with pytest.raises(ExportError, match=r"SQLite cannot run .* as SQL .* not checked"):
        verify_export(rule, {"x": np.array([])}, "sql")
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert "takes Node, which this machine does not have" in FORMATS["javascript"].why_unchecked
    assert not FORMATS["python"].why_unchecked
    with pytest.raises(ExportError, match=r"needs Node \(nodejs.org\)"):
        FORMATS["javascript"].run("", {}, 0)

"""PMML: valid by its schema, and two engines answer as `predict` does on every row."""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import compress

import numpy as np
import pytest
from lxml import etree

from rulekit.exceptions import ExportError
from rulekit.export.exchange.pmml import NAMESPACE, to_pmml
from rulekit.rules import Clause, Factor, LinearSplit, Literal, PowerLaw, PowerLawSplit, RuleSet
from tests.explain.tables import dnf
from tests.export.jobs import drawn, of_readings, of_samples
from tests.export.outside import differing, needed

IN = {"p": NAMESPACE}
PIECES = re.compile("<Constant[^>]*>[^<]*&")


def parsed(rule):
    return etree.fromstring(to_pmml(rule).encode())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["jpmml", "pmml4s"])
def test_engine_matches_the_rule_on_tables_and_hostile_rules(engine):
    package = {"jpmml": "jpmml_evaluator", "pmml4s": "pypmml"}[engine]
    needed(find_spec(package), f"install `{package}` to run PMML")
    needed(shutil.which("java"), "install Java to run PMML, Debian's `default-jre-headless`")
    jobs = [*of_samples(100), *drawn(), *list(of_readings())[::3]]
    given = [(to_pmml(job.rule), list(job.columns), job.rows) for job in jobs]
    if engine == "pmml4s":  # its reader of XML keeps the end of a constant that it meets in pieces
        pairs = zip(jobs, given, strict=True)
        kept = [job.name != "word" and not PIECES.search(text) for job, (text, *_) in pairs]
        jobs, given = list(compress(jobs, kept)), list(compress(given, kept))
    command = [sys.executable, "-m", "tests.export.pmml_engines", engine]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, timeout=300, check=True
    )
    assert not differing(jobs, json.loads(done.stdout.rpartition("\n")[2]))
    assert sum(job.n for job in jobs) > 10_000


def test_clauses_test_gaps_first_and_compute_in_fields():
    tests = (Literal("age", ">", 50), Literal("town", "in", ("Bonn", "Ulm"), True))
    rule = RuleSet((Clause(tests), Clause(())), ("ill", "watch"), "dnf", "well")
    root = parsed(rule)
    (ruleset,) = root.iterfind(".//p:RuleSet", IN)
    assert [r.get("score") for r in ruleset.iterfind("p:SimpleRule", IN)] == ["ill", "watch"]
    assert ruleset.get("defaultScore") == "well"
    first, second = ruleset.iterfind("p:SimpleRule", IN)
    fields = [p.get("operator") for p in first.iterfind(".//p:SimplePredicate", IN)]
    assert fields == ["isNotMissing", "greaterThan", "isMissing", "equal", "equal"]
    assert second.find("p:True", IN) is not None
    rule = RuleSet((Clause((Literal("answer", ">", 5),)),), (1,), "dnf", 0)
    names = [f.get("name") for f in parsed(rule).iterfind(".//p:DataField", IN)]
    assert names == ["answer", "answer_"]
    law = PowerLawSplit((PowerLaw(2.0, (Factor("a"), Factor("b", -1, floor=1.0))),), 3.0)
    root = parsed(dnf(LinearSplit((("a", 1.0), ("b", -2.0)), ">", 0.5), law))
    names = [f.get("name") for f in root.iterfind(".//p:DerivedField", IN)]
    assert names == ["sum 1", "power law 2"]
    assert {p.get("field") for p in root.iterfind(".//p:SimplePredicate", IN)} == {"a", "b", *names}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (dnf(Literal("", ">", 1)), "column without a name cannot be written in PMML"),
        (dnf(Literal("x", "==", np.inf)), "infinity, which PMML cannot express"),
        (dnf(Literal("x\x01", ">", 1)), r"XML cannot hold the name or value 'x\\x01'"),
        (dnf(Literal("x", "==", "\ud800")), "lone surrogate"),
        (dnf(Literal("x", "in", ("a", 1))), "'x' is compared with text and with numbers"),
        (dnf(Literal("x", ">", 1), default=0), "predicts number and text"),
        (RuleSet((), (), "dnf", (1, 2)), r"predicts \(1, 2\)"),
    ],
)
def test_conditions_beyond_pmml_are_refused(rule, message):
    with pytest.raises(ExportError, match=message):
        to_pmml(rule)

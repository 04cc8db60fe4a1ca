"""Every kind of condition through every format, explanation and view; none told apart elsewhere."""

import ast
import importlib
import inspect
import json
import pkgutil
import shutil
from itertools import chain, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rulekit
import ui
from rulekit.data import columns_of
from rulekit.exceptions import ExportError
from rulekit.explain import distance_to_boundary, explain, explain_path
from rulekit.export import FORMATS, verify_export
from rulekit.export.code.dialects import DIALECTS, TYPED
from rulekit.plots import case_figure, case_sentence, plot_rule
from rulekit.rules import (
    Clause,
    Condition,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
    compare_rules,
    rule_statistics,
    simplify,
)
from rulekit.rules.codec import READERS, rule_from_dict, rule_to_dict
from rulekit.rules.writer import KINDS, ConditionWriter, rule_lines
from rulekit.style.phrases import Wording, clause_words
from tests.export.outside import needed
from tests.export.readers import as_text
from ui.words import rule_words

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    "literal": Literal("age", "<=", 40.5),
    "linear": LinearSplit((("age", 0.5), ("mass", -1.25)), ">", -60.0),
    "power_law": PowerLawSplit(
        (PowerLaw(1.0, (Factor("mass"), Factor("age", -1, floor=1.0))),), 2.0
    ),
    "points": PointsSplit((Literal("age", "<=", 40.5), Literal("mass", ">", 100.0)), (2, -1), 2),
}
FRAME = pd.DataFrame(
    {
        "age": [20.0, 40.5, 61.0, np.nan],
        "mass": [50.0, 90.0, np.nan, 70.0],
        "opened": ["2024-03-02 18:30:00", "2023-12-31", "2024-02-29 07:00:00", None],
        "grade": ["good", "bad", "unheard of", None],
        "region": ["north", "south", "east", None],
        "note": ["Paid LATE, twice", "later", "", None],
    }
)
ORDER = ("bad", "fair", "good", "great")
# what a literal can read of a column; each is walked as a kind is
READ = {
    "date": Literal("opened", ">=", "2024-02-29 07:00:00", part="date"),
    "year": Literal("opened", ">=", 2024, part="year"),
    "month": Literal("opened", "<", 3, part="month"),
    "weekday": Literal("opened", "in", (6, 7), part="weekday"),
    "hour": Literal("opened", ">", 12, part="hour"),
    "days since": Literal("opened", ">", 59.25, part="days since 2024-01-01"),
    "order": Literal("grade", ">=", "good", order=ORDER),
    "levels": Literal("region", "in", ("east", "north")),
    "word": Literal("note", "contains", "late"),
}
HOSTILE = ("'; DROP TABLE t; --", '"]) THEN x # =1+1', "a < b <= WEEKDAY OF c OF (")
LABELS = ["yes", "no", "no", "yes"]
every_kind = pytest.mark.parametrize("kind", [*KINDS, *READ])


def rule_of(kind, form="dnf", missing=False, name=None):
    condition = (EXAMPLES | READ)[kind]
    condition = condition.negate() if missing else condition
    if name is not None:
        condition = condition.rename(dict.fromkeys(condition.features, name))
    return RuleSet((Clause((condition,)),), ("yes",), form, "no")


def all_writers(parent=ConditionWriter):
    for writer in parent.__subclasses__():
        yield writer
        yield from all_writers(writer)


def test_a_kind_is_entered_once_and_read_back_by_its_name():
    assert set(EXAMPLES) == set(KINDS) == set(READERS) == ConditionWriter.__abstractmethods__
    assert {name: type(example) for name, example in EXAMPLES.items()} == KINDS


@every_kind
def test_a_condition_hands_itself_to_the_method_of_its_kind(kind):
    class Names(ConditionWriter):
        literal = linear = power_law = points = None

        def __init__(self):
            for name in KINDS:
                setattr(self, name, lambda condition, name=name: (name, condition))

    condition = (EXAMPLES | READ)[kind]
    assert Names().write(condition) == (kind if kind in KINDS else "literal", condition)


def test_every_writer_has_a_method_for_every_kind():
    for package in (rulekit, ui):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):  # it runs
                importlib.import_module(module.name)
    writers = [w for w in all_writers() if w.__module__.startswith(("rulekit.", "ui."))]
    assert len(writers) >= 8
    for writer in writers:
        assert not set(KINDS) & writer.__abstractmethods__ or inspect.isabstract(writer)
    left = {w.__name__ for w in writers if inspect.isabstract(w)}
    assert left == {"CodeWriter", "FunctionWriter", "ReadingWriter"}


@pytest.mark.slow
def test_kinds_are_distinguished_in_the_rules_alone():
    names = {kind.__name__ for kind in KINDS.values()}
    result = []
    for path in [*(ROOT / "rulekit").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]:
        if (ROOT / "rulekit" / "rules") in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                requested = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                if requested & names:
                    result.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not result


@every_kind
def test_a_condition_answers_for_itself(kind):
    condition = (EXAMPLES | READ)[kind]
    columns = columns_of(FRAME)
    assert isinstance(condition, Condition)
    held = condition.mask(columns)
    assert (condition.negate().mask(columns) == ~held).all()
    assert condition.negate().negate() == condition
    swapped = condition.rename({"age": "mass", "mass": "age"})
    turned = columns | {"age": columns["mass"], "mass": columns["age"]}
    assert (swapped.mask(turned) == held).all()
    assert set(condition.types) == set(condition.features)
    assert len(condition.compute_values(columns)) == len(FRAME)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_turns_at_the_limits_of_a_column(kind):
    condition, row = EXAMPLES[kind], {"age": 30.0, "mass": 70.0}
    turns = 0
    for feature in condition.features:
        for limit in condition.limits(feature, row):
            around = np.array([limit - 1e-6, limit + 1e-6])
            columns = {f: np.full(2, v) for f, v in row.items()} | {feature: around}
            turns += len(set(condition.mask(columns).tolist())) == 2
    assert turns >= len(condition.features)
    assert condition.limits("another", row) == ()


#: Formats that start an engine or write a workbook; their own tests run one kind quickly.
ENGINES = {"xlsx", "duckdb", "sql", "scoring", "report", "javascript"}


@every_kind
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ENGINES else ())
        for name, form in FORMATS.items()
        if not form.learned
    ],
)
def test_every_format_writes_it_and_what_can_be_run_answers_alike(name, kind):
    if name == "duckdb":
        pytest.importorskip("duckdb")
    if program := FORMATS[name].program:
        needed(shutil.which(program), f"install {FORMATS[name].engine} to run {name}")
    for form, missing in product(("dnf", "cnf"), (False, True)):
        assert_written(name, kind, form, missing)
    is_quick = FORMATS[name].run is not None and not FORMATS[name].program
    tried = HOSTILE if kind in READ and is_quick else ()
    for hostile, missing in product(tried, (False, True)):
        renamed, (feature,) = rule_of(kind, "dnf", missing, hostile), rule_of(kind).features
        export = verify_export(renamed, FRAME.rename(columns={feature: hostile}), name)
        assert export.ok, (export.sentence, export.text)


def assert_written(name, kind, form, missing):
    rule, written = rule_of(kind, form, missing), FORMATS[name]
    if written.run is not None:
        export = verify_export(rule, FRAME, name)
        assert export.ok, (export.sentence, export.text)
        assert export.n_probes > 2
    given = {"training": (FRAME, LABELS)} if name == "report" else {}
    if kind in ("weekday", "days since") and name in TYPED and DIALECTS[name].grammar:
        with pytest.raises(ExportError, match=r"cannot be written for .*\. Make a column of it"):
            written.write(rule)
        return
    text = as_text(written.write(rule, **given))
    assert all(feature in text for feature in rule.features)
    assert "missing" in text.lower() or "null" in text.lower() or not missing


@every_kind
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_every_explanation_contains_it(kind, form):
    rule = rule_of(kind, form)
    results = [explain(rule, FRAME, LABELS, training=seen) for seen in (None, (FRAME, LABELS))]
    for row, result in chain(*map(enumerate, results)):
        assert result.prediction == rule.predict(FRAME)[row]
        reported = result.fired + result.near_misses
        assert all(c.text for k in reported for c in k.checks)
        assert all(f in result.sentence for f in rule.features)
        change = result.counterfactual
        if change.possible:
            changed = FRAME.iloc[[row]].assign(**{c.feature: c.new for c in change.changes})
            assert rule.predict(changed)[0] == change.prediction != result.prediction
        assert json.dumps(result.to_dict())
    assert len(explain_path(rule, FRAME)) == len(FRAME)
    distance = distance_to_boundary(rule, columns_of(FRAME), {"age": 41.0})
    assert np.isfinite(distance[:2]).all() or kind in READ


@every_kind
@pytest.mark.parametrize("missing", [False, True])
def test_every_view_shows_it(kind, missing):
    rule = rule_of(kind, missing=missing)
    columns = columns_of(FRAME)
    called = {name: f"The {name} in full" for name in FRAME}
    wording = Wording(names=called)
    words = clause_words(rule.clauses[0], wording)
    assert all(called[feature] in words for feature in rule.features)
    assert ("missing" in words) is missing
    if kind == "points":  # shown as a scorecard, one line a condition
        assert all(called[feature] in rule_words(rule, wording) for feature in rule.features)
    else:
        assert words in rule_words(rule, wording)
    assert str(rule.clauses[0].conditions[0]) in rule_lines(rule)
    assert plot_rule(rule, columns, LABELS).data
    case = {name: values[:1] for name, values in columns.items()}
    assert case_figure(rule.clauses[0], case, columns, LABELS) is not None
    assert case_sentence(rule.clauses[0], case)


@every_kind
def test_the_language_compares_counts_shortens_and_stores_it(kind):
    rule = rule_of(kind)
    assert rule_from_dict(json.loads(json.dumps(rule_to_dict(rule)))) == rule
    assert simplify(rule) == rule
    assert compare_rules(rule, simplify(rule), FRAME).is_same
    assert rule_statistics(rule, FRAME, LABELS).n == len(FRAME)

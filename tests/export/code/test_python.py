"""The script: run, it learns the same rule again, and says so if it does not."""

import contextlib
import runpy
from dataclasses import asdict
from functools import partial

import pandas as pd
import pytest

from rulekit import (
    LPSVM,
    Binarizer,
    Clause,
    Costs,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    Literal,
    OneLevelRuleClassifier,
    RuleSet,
    TwoLevelRuleClassifier,
    load_sample,
    read_table,
    to_python,
)
from rulekit.data import ParseOptions
from rulekit.data.reading.loading import read_with_layout
from rulekit.exceptions import ExportError
from rulekit.export import Preparation, to_script, to_text
from rulekit.rules.constraints import Constraints
from tests.data.reading.files import csv_file, xlsx_file
from tests.explain.tables import patients


@pytest.fixture
def learned(tmp_path):
    path = tmp_path / "it's a table.csv"
    load_sample("credit").frame.head(300).to_csv(path, index=False)
    table = read_table(path)
    X, y = table.xy("risk", ["late_payments", "guarantor", "amount", "employment"])
    model = TwoLevelRuleClassifier(
        n_clauses=2,
        theta=1,
        binarizer=Binarizer(n_thresholds=4, thresholds={"amount": [3000.0]}),
        costs=Costs(2.0, 1.0, "EUR", positive="high"),
        constraints=Constraints(forbidden=(Literal("guarantor", "==", "no"),)),
    )
    return table, X, model.fit(X.iloc[50:], y.iloc[50:])


def run(text, folder):
    path = folder / "again.py"
    path.write_text(text, encoding="utf-8")
    with contextlib.chdir(folder):
        runpy.run_path(str(path))


def test_script_learns_the_same_rule_again_and_notices_another_table(learned, tmp_path, capsys):
    table, X, model = learned
    options = {"source": "it's a table.csv", "target": "risk", "features": list(X.columns)}
    options |= {"rows": range(50, len(X)), "digest": table.digest}
    run(to_script(model, **options), tmp_path)
    assert capsys.readouterr().out == to_text(model) + "\n"
    with pytest.raises(SystemExit, match=r"The table has changed\."):
        run(to_script(model, **(options | {"digest": "0"})), tmp_path)


@pytest.mark.slow
def test_script_learns_an_ideal_dnf_again(learned, tmp_path, capsys):
    _, X, _ = learned
    y = read_table(tmp_path / "it's a table.csv").xy("risk")[1]
    model = IdealDNFClassifier(5, mode="paper", positive_label="high", random_state=3).fit(X, y)
    options = {"source": "it's a table.csv", "target": "risk", "features": list(X.columns)}
    run(to_script(model, **options), tmp_path)
    assert capsys.readouterr().out == to_text(model) + "\n"


def test_a_learner_within_a_learner_is_written_out(tmp_path):
    load_sample("iris").frame.to_csv(tmp_path / "iris.csv", index=False)
    table = read_table(tmp_path / "iris.csv")
    X, y = table.xy(table.columns[-1].name)
    linear = LPSVM(nu=0.3, max_features=2)
    model = HyperplaneRuleClassifier(linear, max_rules=2).fit(X, y == y.iloc[-1])
    text = to_script(model, source="iris.csv", target=table.columns[-1].name)
    assert "HyperplaneRuleClassifier(linear=LPSVM(max_features=2, nu=0.3), max_rules=2)" in text
    assert "import HyperplaneRuleClassifier, LPSVM, from_json" in text


def test_rules_alone_and_other_rules_have_no_script(learned, tmp_path):
    _, X, model = learned
    options = {"source": "it's a table.csv", "target": "risk", "features": list(X.columns)}
    with pytest.raises(SystemExit, match=r"The rule differs: settings or versions"):
        run(to_script(model.set_params(n_clauses=1), **options), tmp_path)
    with pytest.raises(ExportError, match="this library's fitted models, not RuleSet"):
        to_script(patients()[0], source="t.csv", target="y")


def test_script_names_unusual_settings_and_those_without_source(learned):
    _, _, model = learned
    text = to_script(model, source="t.csv", target="risk")
    assert "Binarizer(n_thresholds=4, thresholds={'amount': [3000.0]})" in text
    assert "rounding" not in text
    model.set_params(random_state=object())
    with pytest.raises(ExportError, match="The setting `random_state` holds object"):
        to_script(model, source="t.csv", target="risk")


def test_script_repeats_reading_options_weights_and_merged_classes(tmp_path, capsys):
    path = tmp_path / "métier.csv"
    lines = ["taille;œil;poids;x;niveau"]
    for k in range(60):
        level = ("bas", "haut", "moyen")[0 if k % 20 < 9 else 1 + k % 2]
        lines.append(f"{k % 20},5;{'brun' if k % 3 else 'bleu'};{1 + k % 4};{k or 'aucun'};{level}")
    path.write_bytes("\n".join(lines).encode("cp1252"))
    table, result, _ = read_with_layout(path)
    options = asdict(result)
    options.pop("missing")
    table = table.as_numeric("x").with_roles({"niveau": "target", "poids": "weight"})
    X, y = table.xy()
    y = y.astype(object)
    y = y.mask(y != "bas", "not bas")
    model = TwoLevelRuleClassifier(n_clauses=2, theta=0.5, positive_label="bas")
    rows = range(3, 60)
    model.fit(X.iloc[rows], y.iloc[rows], sample_weight=table.weights().to_numpy()[3:])
    done = Preparation(options, ("x",), "poids", "not bas")
    given = {"source": path.name, "target": "niveau", "features": list(X.columns), "rows": rows}
    text = to_script(model, **given, digest=table.digest, preparation=done)
    assert "encoding='cp1252'" in text
    run(text, tmp_path)
    assert capsys.readouterr().out == to_text(model) + "\n"


def test_script_repeats_columns_codes_and_outcome_names(tmp_path, capsys):
    lines = (f"{k % 20},{1 + k % 4},{k},{int(k % 20 > 8)}" for k in range(60))
    lines = ["a,chest,more,died", *lines]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    options = {"columns": ("a", "chest", "died")}
    table = read_with_layout(path, options=ParseOptions(**options))[0].as_category("chest")
    X, y = table.xy("died")
    names = {"1": "died", "0": "survived"}
    model = TwoLevelRuleClassifier(n_clauses=1, theta=0.5, positive_label="died")
    model.fit(X, y.map(lambda v: names[str(v)]))
    done = Preparation(options, categories=("chest",), outcomes=names)
    given = {"source": path.name, "target": "died", "features": list(X.columns)}
    run(to_script(model, **given, digest=table.digest, preparation=done), tmp_path)
    assert capsys.readouterr().out == to_text(model) + "\n"


TITLED = [["x", "s", "z", "b"], *[[k, "u", 3, "ab"[k > 6]] for k in range(12)]]
CELLS = [
    ["x", "p", "s", "d", "t", "y"],
    *[
        [k, f"{k} %", ("Yes", "yes", "NA")[k % 3], f"0{1 + k % 9}/02/2020", "1,234", "ab"[k > 6]]
        for k in range(12)
    ],
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "rows", "decision"),
    [
        (csv_file, TITLED, {"header_row": 2}),
        (csv_file, TITLED, {"header": False}),
        (csv_file, TITLED, {"skip_rows": (3, 5)}),
        (csv_file, TITLED, {"skip_last": 2}),
        (csv_file, TITLED, {"columns": ("x", "b")}),
        (csv_file, TITLED, {"missing_in": {"z": ("3",)}}),
        (partial(xlsx_file, after=[("b", TITLED[:9], "visible")]), TITLED, {"sheet": "b"}),
        (csv_file, CELLS, {"percent": "share"}),
        (csv_file, CELLS, {"decimal": ","}),
        (csv_file, CELLS, {"decimals": {"t": ","}}),
        (csv_file, CELLS, {"day_first": True}),
        (csv_file, CELLS, {"day_first_in": {"d": False}}),
        (csv_file, CELLS, {"missing": ("Yes",)}),
        (csv_file, CELLS, {"levels": {"s": ("NA",)}}),
        (csv_file, CELLS, {"texts": ("p",)}),
        (csv_file, CELLS, {"merged": ("s",)}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_script_reads_the_file_by_each_decision(write, rows, decision, tmp_path, capsys):
    path = tmp_path / "file"
    path.write_bytes(write(rows))
    table, used, _ = read_with_layout(path, options=ParseOptions(**decision))
    assert table.digest != read_table(path).digest
    first, target = table.frame.columns[0], table.frame.columns[-1]
    model = OneLevelRuleClassifier(theta=0.1)
    model.fit(table.frame[[first]], table.frame[target])
    source = {"source": path.name, "target": target, "features": [first], "digest": table.digest}
    run(to_script(model, **source, preparation=Preparation(asdict(used))), tmp_path)
    assert capsys.readouterr().out == to_text(model) + "\n"


UNITS = [["x", "b"], ["cm", ""], *[[f"{k}.5", "ab"[k > 6]] for k in range(12)]]
KILOS = [["x", "b"], *[[f"{k}.5 kg", "ab"[k > 6]] for k in range(12)]]


@pytest.mark.parametrize(
    ("rows", "unit", "decision"),
    [(KILOS, "kg", {}), (UNITS, "cm", {}), (UNITS, "cm", {"skip_rows": (2, 4)})],
)
def test_script_keeps_the_units_of_columns(rows, unit, decision, tmp_path, capsys):
    path = tmp_path / "file"
    path.write_bytes(csv_file(rows))
    table, used, _ = read_with_layout(path, options=ParseOptions(**decision))
    model = OneLevelRuleClassifier(theta=0.1).fit(table.frame[["x"]], table.frame["b"])
    source = {"source": path.name, "target": "b", "features": ["x"], "digest": table.digest}
    text = to_script(model, **source, preparation=Preparation(asdict(used), units=table.units))
    run(text, tmp_path)
    assert capsys.readouterr().out == f"# Units: x in {unit}.\n{to_text(model)}\n"
    path.write_bytes(path.read_bytes().replace(unit.encode(), b"g"))
    with pytest.raises(SystemExit, match=r"The units of columns have changed\."):
        run(text, tmp_path)


@pytest.mark.parametrize(
    ("part", "op", "value"),
    [
        ("date", "<", "2024-02-29"),
        ("date", "in", ("2024-02-28 23:59:59", "2024-02-29")),
        ("year", ">", 2023),
        ("month", "<=", 2),
        ("weekday", "==", 4),
        ("hour", ">", 22),
        ("days since 2024-02-29", ">", -1),
    ],
)
def test_dates_and_their_parts_predict_as_the_rule_does(part, op, value):
    rule = RuleSet((Clause((Literal("day", op, value, part=part),)),), ("yes",), "dnf", "no")
    days = ["2023-12-31", "2024-02-28 23:59:59", "2024-02-29", "2024-03-01 07:30", None]
    namespace: dict = {}
    exec(to_python(rule), namespace)
    result = namespace["predict"]([{"day": day} for day in days])
    assert result == rule.predict(pd.DataFrame({"day": days})).tolist()
    assert set(result) == {"yes", "no"}


def test_a_module_brings_cases_that_notice_a_moved_limit():
    rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    source, module = to_python(rule), {}
    exec(source, module)
    module["test_cases"]()
    exec(source.replace("x1 > 50.0", "x1 > 50.5"), module)
    with pytest.raises(AssertionError):
        module["test_cases"]()

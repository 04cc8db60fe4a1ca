"""pandera takes the tables that a rule can answer, and refuses those that it cannot."""

import ast
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from hypothesis import given

from rulekit import load_sample
from rulekit.data import list_samples
from rulekit.exceptions import ExportError, RuleError
from rulekit.export import from_text
from rulekit.export.exchange.pandera import to_pandera
from rulekit.rules import Clause, LinearSplit, Literal, PointsSplit, RuleSet
from tests.explain.tables import cases
from tests.export.jobs import of_readings, of_table
from tests.export.test_golden import rules
from tests.test_kinds import EXAMPLES, FRAME, HOSTILE, ORDER, READ, rule_of

every_kind = pytest.mark.parametrize("kind", EXAMPLES | READ)


def schema_of(rule):
    module = {}
    exec(compile(to_pandera(rule), "schema", "exec"), module)
    return module["schema"]


def takes(rule, table):
    try:
        schema_of(rule).validate(table)
    except pa.errors.SchemaError:
        return False
    return True


def frame(columns):
    return pd.DataFrame({f: pd.Series(list(c), dtype=c.dtype) for f, c in columns.items()})


def dnf(*conditions):
    return RuleSet((Clause(conditions),), ("yes",), "dnf", "no")


@every_kind
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_a_table_that_fits_passes_as_it_is_with_gaps_and_more_columns(kind, form, missing):
    rule = rule_of(kind, form, missing)
    found = schema_of(rule).validate(FRAME)
    pd.testing.assert_frame_equal(found, FRAME)
    assert takes(rule, FRAME.astype(object))
    assert takes(rule, FRAME.iloc[:0])


@every_kind
def test_a_table_without_a_column_is_refused_by_its_name(kind):
    rule = rule_of(kind)
    for feature in rule.features:
        with pytest.raises(pa.errors.SchemaError, match=f"column '{feature}' not in dataframe"):
            schema_of(rule).validate(FRAME.drop(columns=feature))


@every_kind
def test_a_column_of_another_kind_is_refused(kind):
    rule = rule_of(kind)
    numbers = kind in EXAMPLES
    wrong = ["12", "much", None, "1.5"] if numbers else [1.0, 2.0, np.nan, 4.0]
    for feature in rule.features:
        said = "a number" if numbers else "text|a date"
        with pytest.raises(pa.errors.SchemaError, match=f"'{feature}' failed .*: ({said})"):
            schema_of(rule).validate(FRAME.assign(**{feature: wrong}))


def names_in(rule):
    """What the file calls by name, outside quotes."""
    return {n.id for n in ast.walk(ast.parse(to_pandera(rule))) if isinstance(n, ast.Name)}


@every_kind
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_quoted_text_and_nothing_else(kind, name):
    features = rule_of(kind).features
    condition = (EXAMPLES | READ)[kind].renamed({f: f"{name}{f}" for f in features})
    table = FRAME.rename(columns={f: f"{name}{f}" for f in features})
    assert takes(dnf(condition), table)
    assert not takes(dnf(condition), FRAME)
    assert set(schema_of(dnf(condition)).columns) == set(condition.features)
    assert names_in(dnf(condition)) == names_in(rule_of(kind))


@pytest.mark.parametrize("sample", [info.name for info in list_samples()])
def test_the_bundled_tables_pass_the_schemas_of_rules_about_them(sample):
    table = load_sample(sample).frame
    for job in of_table(sample):
        assert takes(job.rule, table)
        assert takes(job.rule, frame(job.columns))


def test_rows_at_every_cut_of_dates_orders_and_words_pass():
    jobs = list(of_readings())
    assert len(jobs) >= 70
    for job in jobs:
        assert takes(job.rule, frame(job.columns))


@given(cases())
def test_tables_pass_whatever_columns_levels_and_labels_are_called(case):
    rule, columns = case
    table = frame({f: columns[f] for f in rule.features})
    assert takes(rule, table)
    for feature in rule.features:
        assert not takes(rule, table.drop(columns=feature))


CELLS = {
    "numbers": [1.0, 2.5, None],
    "whole": pd.Series([1, 2, None], dtype="Int64"),
    "small": np.array([1, 2, 3], dtype=np.int8),
    "single": np.array([1, 2, np.nan], dtype=np.float32),
    "decimal": [Decimal("1.5"), Decimal(2), None],
    "ones": [1, 0, 1],
    "truth": [True, False, True],
    "truth with gaps": [True, None, False],
    "nullable truth": pd.Series([True, None, False], dtype="boolean"),
    "mixed truth": pd.Series([True, 2.0, None], dtype=object),
    "mixed": pd.Series([1.0, "good", None], dtype=object),
    "text": ["good", "12", None],
    "objects": pd.Series(["good", "bad", None], dtype=object),
    "levels": pd.Series(["good", "bad", None], dtype="category"),
    "levels of numbers": pd.Series([1, 2, None], dtype="category"),
    "levels of truth": pd.Series([True, False, None], dtype="category"),
    "dates as text": ["2024-03-01", "2024-03-01 12:30:00", None],
    "moments": pd.to_datetime(
        pd.Series(["2024-03-01", "2024-03-01 12:30:00.25", None]), format="ISO8601"
    ),
    "zoned": pd.to_datetime(pd.Series(["2024-03-01", None, None]), utc=True),
    "days": pd.Series([date(2024, 3, 1), None, date(2023, 1, 1)], dtype=object),
    "no such day": ["2024-02-30", "2024-03-01", None],
    "German dates": ["01.03.2024", None, None],
    "nothing": [np.nan, np.nan, np.nan],
    "nothing of text": pd.Series([None, None, None], dtype=object),
}
NUMBERS = {"numbers", "whole", "small", "single", "decimal", "ones", "nothing", "nothing of text"}
TRUTH = {"truth", "truth with gaps", "nullable truth"}
NOTHING = {"nothing", "nothing of text"}
TEXT = {"text", "objects", "levels", "dates as text", "no such day", "German dates"}
LEVELS = {"levels of numbers", "levels of truth"}
DATES = {"dates as text", "moments", "days"}
# a test, and the columns its schema takes
TAKEN = {
    "number": (Literal("x", "<=", 1.5), NUMBERS | TRUTH),
    "sum": (LinearSplit((("x", 1.0),), ">", 1.5), NUMBERS | TRUTH),
    "truth": (Literal("x", "==", True), TRUTH | NOTHING | {"ones"}),
    "level": (Literal("x", "==", "good"), TEXT | LEVELS | NOTHING),
    "order": (Literal("x", ">=", "good", order=ORDER), TEXT | LEVELS | NOTHING),
    "word": (Literal("x", "contains", "good"), TEXT | LEVELS | {"nothing of text"}),
    "date": (Literal("x", ">", "2024-01-01", part="date"), DATES | NOTHING),
    "weekday": (Literal("x", "in", (1, 2), part="weekday"), DATES | NOTHING),
    "points": (PointsSplit((Literal("x", "in", ("good", "a")),), (1,), 1), TEXT | LEVELS | NOTHING),
    "gap": (Literal("x", "missing"), set(CELLS)),
}


@pytest.mark.parametrize("kind", TAKEN)
def test_every_column_type_is_accepted_or_rejected_and_predicted(kind):
    test, taken = TAKEN[kind]
    for name, cells in CELLS.items():
        table = pd.DataFrame({"x": cells})
        assert takes(dnf(test), table) is (name in taken), name
        if name in taken:
            assert len(dnf(test).predict(table)) == 3


@pytest.mark.parametrize("kind", ["number", "word", "date"])
def test_no_table_passes_that_the_rule_cannot_read(kind):
    test, _ = TAKEN[kind]
    refused = 0
    for cells in CELLS.values():
        table = pd.DataFrame({"x": cells})
        try:
            dnf(test).predict(table)
        except RuleError:
            refused += 1
            assert not takes(dnf(test), table)
    assert refused >= 3


def test_unknown_levels_pass_and_stand_in_the_description():
    columns = schema_of(dnf(READ["levels"], READ["order"], READ["word"], READ["year"])).columns
    assert columns["region"].description == "text; the rule knows 'east', 'north'"
    assert "any other counts as missing: 'bad', 'fair', 'good'" in columns["grade"].description
    assert columns["note"].description == "text, read for its words"
    assert columns["opened"].description.startswith("a date")
    assert all(column.nullable for column in columns.values())


def test_the_schema_tells_the_rule_word_for_word():
    for rule in rules().values():
        assert from_text(schema_of(rule).description) == rule


def test_a_name_that_stands_twice_is_refused():
    twice = FRAME[["age", "mass", "age"]]
    with pytest.raises(pa.errors.SchemaError, match=r"duplicate column labels|age"):
        schema_of(rule_of("literal")).validate(twice)


def test_a_rule_that_reads_no_column_takes_any_table():
    assert takes(RuleSet((), (), "dnf", "well"), FRAME)


def test_a_column_compared_with_text_and_numbers_has_no_schema():
    with pytest.raises(ExportError, match="Column 'x' is compared with text and with numbers"):
        to_pandera(dnf(Literal("x", "==", "a"), Literal("x", ">", 1)))

"""Names, outcomes and missing words of a second table."""

import re

import pandas as pd
import pytest

from rulekit.data import ParseOptions, Table, conform, infer, read_table
from rulekit.data.matching import (
    describe_numbers,
    describe_reading,
    match_names,
    match_outcomes,
    match_units,
    missing_words,
    reading_options,
    strip_flags,
)
from rulekit.data.options import LOST, has_kind
from rulekit.data.reading.loading import read_with_layout
from rulekit.exceptions import DataError


def test_names_are_matched_without_case_and_spaces_if_one_fits():
    frame = pd.DataFrame({" Age ": [1, 2], "BMI value": [3, 4], "bmi_value": [5, 6], "Sex": [7, 8]})
    table = match_names(Table.from_frame(frame), ["age", "bmi  value", "sex"])
    assert list(table.frame) == ["age", "BMI value", "bmi_value", "sex"]
    assert [column.name for column in table.columns] == list(table.frame)
    assert "'Age' as 'age', 'Sex' as 'sex'" in table.notes[-1]
    assert match_names(table, ["age", "sex", "weight"]) is table


def test_flags_behind_numbers_are_stripped_where_a_rule_has_numbers():
    table = read_table(b"age,town\n12.3 b,1 b\nold,2 b\n")
    stripped = strip_flags(table, ["age"])
    assert stripped.frame.to_numpy().tolist() == [["12.3", "1 b"], ["old", "2 b"]]
    assert "'age' is read as numbers; in 1 of 2 rows a flag" in stripped.notes[-1]
    assert stripped.cells["age"].to_pylist() == ["12.3 b", "old"]
    metres = read_table(b"age,town\n12 m,a\n13 m,b\n")
    assert strip_flags(metres, ["age", "no column"]) is metres


def test_outcomes_in_another_spelling_mean_the_same_label():
    assert match_outcomes(["SICK", " well", "sik"], ["sick", "well"], {}) == {
        "SICK": "sick", " well": "well", "sik": None
    }  # fmt: skip
    assert match_outcomes([1, 0], ["1", "0"], {}) == {1: "1", 0: "0"}
    assert match_outcomes([1.0, 0.0], [True, False], {}) == {1.0: True, 0.0: False}
    assert match_outcomes([1, 0], ["died", "alive"], {"1": "Died", "0": "alive"}) == {
        1: "died", 0: "alive"
    }  # fmt: skip


def test_words_read_as_missing_are_known_to_a_schema_and_counted():
    raw = b"rate;size;harm\n5,5 %;1,5 kg;None\n7 %;?;Some\n9,5 %;2 kg;Much\n"
    table, used, _ = read_with_layout(raw)
    schema = describe_reading(
        infer(table.frame), used, table.units, missing_words(table, table.frame)
    )
    rate, size = schema.column("rate"), schema.column("size")
    assert (rate.decimal, rate.unit, rate.percent) == (",", "%", True)
    assert (size.unit, size.missing, size.percent) == ("kg", ("?",), False)
    options = reading_options(schema, ParseOptions(), ("harm", ["None", "Some"]))
    assert (options.decimal, options.missing_in) == (",", {"size": ("?",)})
    assert options.levels == {"harm": ("None",)}
    again = read_with_layout(b"rate;harm\n1.234 %;None\n", options=options)[0].frame
    assert again.iloc[0].tolist() == [1234, "None"]
    table = read_table(b"root,x\n?,1\na,2\n,3\n? ,4\nb,5\n")
    assert missing_words(table, ["root", "x"]) == {"root": {"?": 2}}


NOT_CERTAIN = (
    "was in % when the rule was learned. Whether 0.4 is a percentage or a share is not certain"
)
UNITS = [
    ("{} kg", "{}000 g", None, [5, 40], "multiplied by 0.001"),
    ("{} kg", "{}", None, [5, 40], "has no unit, and was in kg when the rule was learned"),
    ("{} kg", "${}", None, "was in kg when the rule was learned. Convert its numbers to kg.", None),
    ("€{}", "${}", None, "was in € when the rule was learned. Convert its numbers to €.", None),
    ("€{}", "{} EUR", None, [5, 40], "are read alike"),
    ("{}", "${}", None, [5, 40], "is in $, and had none when the rule was learned"),
    ("{} %", "{} %", "share", [5, 40], "multiplied by 100"),
    ("{} %", "{}", None, [5, 40], "are read alike"),
    ("{} %", "0.{:02}", None, NOT_CERTAIN, None),
    (
        "0.{:02}",
        "{} %",
        None,
        [0.05, 0.4],
        "was in shares when the rule was learned. Its numbers were mult",
    ),
]


@pytest.mark.parametrize(("learned", "given", "percent", "expected", "note"), UNITS)
def test_units_are_converted_where_that_is_certain(learned, given, percent, expected, note):
    table, used, _ = read_with_layout(make_file(learned, range(3, 60)))
    schema = describe_reading(infer(table.frame[["v"]]), used, table.units, {})
    assert match_units(table, schema, "points") is table
    content = make_file(given, [5, 40])
    new = read_table(content, options=ParseOptions(percent=percent))
    for known in (schema, describe_numbers(table, ["v"], used)):
        if isinstance(expected, str):
            with pytest.raises(DataError, match=re.escape(expected)):
                match_units(new, known, percent or "points")
            continue
        matched = match_units(new, known, percent or "points")
        assert matched.frame["v"].tolist() == expected
        assert note in matched.notes[-1]
        assert has_kind(matched.notes[-1], LOST)
        assert match_units(matched, known) is matched or not table.units
        if "{}" != learned != "0.{:02}":  # texts of a frame are read alike
            texts = [line.partition(",")[0] for line in content.decode().splitlines()[1:]]
            assert conform({"v": texts}, schema)[0]["v"].tolist() == expected


def make_file(form, values):
    return "\n".join(["v,x", *(f"{form.format(v)},1" for v in values)]).encode()

"""Columns of cells as people write them: the values, the kind and the notes that are expected."""

from dataclasses import asdict
from datetime import datetime
from itertools import product

import pandas as pd
import pytest

from rulekit.data import ParseOptions, conform, infer
from rulekit.data.cells.columns import is_level
from rulekit.data.matching import describe_reading, missing_words, reading_options
from rulekit.data.options import apply_decision, cell_options
from rulekit.data.reading.loading import read_with_layout

ALWAYS = ("Cells are separated", "is a date, and is not used", "is an identifier")


def read(cells, **options):
    """Read a column v beside another one; its values, its notes, the table and the options."""
    rows = "".join(f'"{cell}";{"abc"[k % 3]}\n' for k, cell in enumerate(cells))
    table, used, _ = read_with_layout(f"v;k\n{rows}".encode(), options=ParseOptions(**options))
    values = [None if pd.isna(value) else value for value in table.frame["v"].tolist()]
    notes = " ".join(n for n in table.notes if not any(words in n for words in ALWAYS))
    return values, notes, table, used


NUMBERS = [
    # currencies on either side
    ("$1,200.50|$3|$1,000,000", [1200.5, 3, 1e6], "numbers in $: '$1,200.50' is 1200.5"),
    ("12 €|5 €|7€", [12, 5, 7], "numbers in €"),
    ("1 200,50 €|3 €|5 €", [1200.5, 3, 5], "numbers in €"),
    ("EUR 1.200|EUR 3.450", [1200, 3450], "'EUR 1.200' is 1200"),
    ("US$5|US$7,000", [5, 7000], "numbers in US$"),
    ("12 USD|7 USD", [12, 7], "numbers in USD"),
    ("CHF 1'200.50|CHF 3.–|CHF 5", [1200.5, 3, 5], "numbers in CHF"),
    ("-$5|$-7|$9", [-5, -7, 9], "numbers in $"),
    ("£5|6|£7", [5, 6, 7], "1 cell without £ is read alike"),
    ("₹1,23,456|₹7", [123456, 7], "numbers in ₹"),
    ("$5|€6|$7", ["$5", "€6", "$7"], "numbers in several units ($, €), so it is read as text"),
    # thousands and more
    ("1.2K|345|3.4M", [1200, 345, 3.4e6], "In 2 of 3 rows of column 'v' the cell is in thousands"),
    ("$1.2M|$3.5B|$4k", [1.2e6, 3.5e9, 4000], "numbers in $: '$1.2M' is 1200000"),
    ("3 Mio. €|4,5 Mrd. €|5 kEUR", ["3 Mio. €", "4,5 Mrd. €", "5 kEUR"], "(EUR, €)"),
    ("293 K|294 K", ["293 K", "294 K"], ""),
    ("5B|6B", ["5B", "6B"], ""),
    # percent
    ("26%|3 %|0|5.5%", [26, 3, 0, 5.5], "numbers in %: '26%' is 26"),
    ("26%|0.26|3%", ["26%", "0.26", "3%"], ""),
    # units
    ("12 kg|13 kg|14.5kg", [12, 13, 14.5], "numbers in kg"),
    ("120 mmHg|80 mmHg", [120, 80], "numbers in mmHg"),
    ("5.5 mmol/L|6 mmol/L", [5.5, 6], "numbers in mmol/L"),
    ("3 doors|4 doors|5 doors", [3, 4, 5], "numbers in doors"),
    ("-3 °C|21.5°C", [-3, 21.5], "numbers in °C"),
    ("12kg|13kg|n/a", [12, 13, None], "'n/a' (1 cell)"),
    ("12 kg|13 g|14 kg", ["12 kg", "13 g", "14 kg"], "numbers in several units (g, kg)"),
    ("2WD|4WD|2WD", ["2WD", "4WD", "2WD"], ""),
    ("5th|6th|7th", ["5th", "6th", "7th"], ""),
    ("10 am|11 am|9 am", ["10 am", "11 am", "9 am"], ""),
    # accounting, signs and limits
    ("(5)|4|(1,234.50)", [-5, 4, -1234.5], "read as a negative number (first: row 1, '(5)')"),
    ("5-|4|3,5-", [-5, 4, -3.5], "negative number"),
    ("−7|+3|2", [-7, 3, 2], ""),
    ("($5)|($4)|($1,200.50)", [-5, -4, -1200.5], "numbers in $: '($5)' is -5"),
    ("(5)|(4)|(3)", ["(5)", "(4)", "(3)"], ""),
    ("5-|4-|3-", ["5-", "4-", "3-"], ""),
    ("<0.5|3|>100|7", [0.5, 3, 100, 7], "In 2 of 4 rows of column 'v' the cell is a limit"),
    ("≤0,5|3|7", [0.5, 3, 7], "a limit, and read as the number (first: row 1, '≤0,5')"),
    (
        "65+|12|14",
        [65, 12, 14],
        "the cell is a limit, and read as the number (first: row 1, '65+')",
    ),
    ("1+|2|3-|1", ["1+", "2", "3-", "1"], "holds text in 2 of 4 rows (first: row 1, '1+')"),
    (
        "0.5***|1.5*|3|2[1]",
        [0.5, 1.5, 3, 2],
        "In 3 of 4 rows of column 'v' the cell has a mark, wh",
    ),
    ("<18|18-65|>65", ["<18", "18-65", ">65"], ""),
    ("<=50K|>50K|<=50K", ["<=50K", ">50K", "<=50K"], ""),
    # numbers with an uncertainty
    ("12.3 ± 0.1|3±1|7 +/- 0.25", [12.3, 3, 7], "In 3 of 3 rows of column 'v' the cell has an"),
    ("-12,3 ± 0,1|3,5±1|n/a", [-12.3, 3.5, None], "number (first: row 1, '-12,3 ± 0,1')"),
    ("5.1 ± 0.2 kg|6.2 ± 0.2 kg", [5.1, 6.2], "numbers in kg"),
    ("12.3 ± 0.1|3|7", ["12.3 ± 0.1", "3", "7"], "holds text in 1 of 3 rows"),
    ("3 ± a|4 ± b", ["3 ± a", "4 ± b"], ""),
    # flags of statistical offices
    (
        "12.3 b|7|5.5|:|4.1 bp|6|7.2|8.5 p|9",
        [12.3, 7, 5.5, None, 4.1, 6, 7.2, 8.5, 9],
        "in 3 of 9 rows a flag behind the number is left out: 'b' (1 cell), 'bp' (1 cell), 'p' (1",
    ),
    ("83155031 b|: c|4|5|:|:u", [83155031, None, 4, 5, None, None], "': c' (1 cell)"),
    ("12,3 e|7,5|1,5", [12.3, 7.5, 1.5], "a flag behind the number is left out: 'e' (1 cell)"),
    (":|3|4.5", [None, 3, 4.5], "as missing: ':' (1 cell)"),
    (":|a|b", [":", "a", "b"], ""),
    ("k.A.|3,5|4,5|不明", [None, 3.5, 4.5, None], "as missing: 'k.A.' (1 cell), '不明' (1 cell)"),
    ("unknown|missing|1", ["unknown", "missing", "1"], ""),
    ("12.5 m|7|8|9.5", ["12.5 m", "7", "8", "9.5"], "holds text in 1 of 4 rows"),
    ("12.5 ep|7|8|9.5", ["12.5 ep", "7", "8", "9.5"], "holds text in 1 of 4 rows"),
    ("12 b|13|14|15", ["12 b", "13", "14", "15"], "holds text in 1 of 4 rows"),
    ("12.5 b|13 p|14", ["12.5 b", "13 p", "14"], ""),
    ("2.5 a|13|14|15", ["2.5 a", "13", "14", "15"], "holds text in 1 of 4 rows"),
    ("12.5b|13|14|15", ["12.5b", "13", "14", "15"], "holds text in 1 of 4 rows"),
    # groups of digits and decimal marks
    ("1'234|2'345'678|5", [1234, 2345678, 5], "grouped by thousands"),
    ("1,23,456|12,34,567.5|7", [123456, 1234567.5, 7], "grouped by thousands"),
    ("1.234.567|2.345.678|5", [1234567, 2345678, 5], "grouped by thousands"),
    ("1\u202f234|5|6", [1234, 5, 6], "grouped by thousands"),
    ("0.250|1.234|5.678", [0.25, 1.234, 5.678], ""),
    ("0,250|1,234|5", [0.25, 1.234, 5], "decimal commas"),
    ("1.234|5.678|2.345", [1.234, 5.678, 2.345], "1.234 in column 'v' may have a decimal mark"),
    ("0,5|1.234,5|2", [0.5, 1234.5, 2], "decimal commas"),
    ("1.2.3|1.2.4|2.0.0", ["1.2.3", "1.2.4", "2.0.0"], ""),
    ("192.168.1.1|10.0.0.1|1.1.1.1", ["192.168.1.1", "10.0.0.1", "1.1.1.1"], ""),
    ("007|008|123", ["007", "008", "123"], "begin with a zero"),
    ("12.5 kg|13,5 kg|1 kg", ["12.5 kg", "13,5 kg", "1 kg"], "holds text in 1 of 3 rows"),
    # times of day
    ("10:30|9:05|23:59:30", [10.5, 9 + 5 / 60, 23 + 59.5 / 60], "hours ('10:30' is 10.5)"),
    ("9:00 PM|12:00 am|1:30 pm", [21, 0, 13.5], "times of day"),
    ("5.30 Uhr|5h45|6:15 Uhr", [5.5, 5.75, 6.25], "times of day"),
    ("10:30|36:15|9:05", ["10:30", "36:15", "9:05"], ""),
    ("2:75|9:05|1:00", ["2:75", "9:05", "1:00"], ""),
]
DAY = {k: datetime(2020, 1, k) for k in range(1, 32)}
DATES = [
    ("Jan 02 2020|Jan 3, 2020|January 4th 2020", [DAY[2], DAY[3], DAY[4]], "'Jan 02 2020' is 2020"),
    ("2-Jan-20|03-Jan-2020|4 January 2020", [DAY[2], DAY[3], DAY[4]], "'2-Jan-20' is 2020-01-02"),
    ("02JAN2020|03JAN2020", [DAY[2], DAY[3]], "as dates"),
    ("Thu, 02 Jan 2020|Fri 3 Jan 2020", [DAY[2], DAY[3]], "as dates"),
    ("2. Januar 2020|3. Jan. 2020", [DAY[2], DAY[3]], "as dates"),
    ("2020-01-02T10:00Z|2020-01-03T11:30:15.5Z",
     [datetime(2020, 1, 2, 10), datetime(2020, 1, 3, 11, 30, 15, 500_000)], "is 2020-01-02 10:00"),
    ("2020/1/2 3:04 PM|2020.1.3", [datetime(2020, 1, 2, 15, 4), DAY[3]], "as dates"),
    ("2020-Q1|2020 Q3|Q2-2020", [DAY[1], datetime(2020, 7, 1), datetime(2020, 4, 1)], "as dates"),
    ("2020-01|2020-07", [DAY[1], datetime(2020, 7, 1)], "as dates"),
    ("Jan 2020|July 2020", [DAY[1], datetime(2020, 7, 1)], "as dates"),
    ("13/01/2020|02/01/2020", [DAY[13], DAY[2]], "day first: '02/01/2020' is 2020-01-02"),
    ("01/13/2020|01/02/2020", [DAY[13], DAY[2]], "month first: '01/02/2020' is 2020-01-02"),
    ("05.01.2020|07.01.20", [DAY[5], DAY[7]], "day first"),
    ("01/02/2020|03/04/2020", ["01/02/2020", "03/04/2020"], "which of day and month comes first"),
    ("13/01/2020|01/14/2020", ["13/01/2020", "01/14/2020"], "which of day and month comes first"),
    ("2020-01-02|2020-01-03", ["2020-01-02", "2020-01-03"], ""),
    ("0000-00-00|2020-01-02|2020-01-03", [None, "2020-01-02", "2020-01-03"], "'0000-00-00' (1 ce"),
    ("2020-01-02|unknown|2020-01-03|2020-01-04|2020-01-05", [DAY[2], None, DAY[3], DAY[4], DAY[5]],
     "1 of 5 cells is no date (first: row 2, 'unknown') and became missing"),
    ("2020-01-02|43833|2020-01-04", [DAY[2], DAY[3], DAY[4]], "as dates"),
    ("|".join(f"202001{k:02}" for k in range(1, 13)), [DAY[k] for k in range(1, 13)], "as dates"),
    ("20200101|20200102", [20200101, 20200102], ""),
    ("31.01.2020|30.02.2020|04.01.2020|05.01.2020|6.1.2020",
     [DAY[31], None, DAY[4], DAY[5], DAY[6]], "1 of 5 cells is no date"),
    ("5 Main|6 Jan|7 Oak", ["5 Main", "6 Jan", "7 Oak"], ""),
]  # fmt: skip
WORDS = [
    ("None|Minor|Severe|None", ["None", "Minor", "Severe", "None"], "'None' (2 cells) is a level"),
    ("None|yes|no", [None, "yes", "no"], "as missing: 'None' (1 cell)"),
    ("None|3|4", [None, 3, 4], "as missing: 'None' (1 cell)"),
    ("None|True|False", [None, True, False], "as missing"),
    ("NA|DE|FR|NA", ["NA", "DE", "FR", "NA"], "'NA' (2 cells) is a level like 'DE' and 'FR'"),
    ("NA|Grvl|Pave", [None, "Grvl", "Pave"], "as missing: 'NA' (1 cell)"),
    ("NA|DE|DE", [None, "DE", "DE"], "as missing"),
    ("None|None|None", [None, None, None], "as missing"),
    ("?|N/A|a|b", [None, None, "a", "b"], "as missing: '?' (1 cell), 'N/A' (1 cell)"),
    ("|a|b", [None, "a", "b"], ""),
]


@pytest.mark.parametrize(("cells", "values", "note"), [*NUMBERS, *DATES, *WORDS])
def test_cells_are_read_as_people_mean_them(cells, values, note):
    result, notes, table, _ = read(cells.split("|"))
    assert (
        result == pytest.approx(values) if isinstance(values[0], float | int) else result == values
    )
    assert note in notes
    if not note:
        assert notes == ""
    assert table.column("v").kind in ("date", "boolean") or "dates" not in note


DECISIONS = [
    ("26%|3 %", {"percent": "share"}, [0.26, 0.03]),
    ("1.234|5.678", {"decimal": ","}, [1234, 5678]),
    ("1.234|5.678", {"decimals": {"v": ","}}, [1234, 5678]),
    ("1,5|2,5", {"decimal": "."}, [1.5, 2.5]),
    ("None|Minor|Severe", {"missing": ("None",)}, [None, "Minor", "Severe"]),
    ("?|a|b", {"missing": ()}, ["?", "a", "b"]),
    ("NA|3|4", {"missing": ()}, [None, 3, 4]),
    ("-9|a|b", {"missing_in": {"v": ("-9",)}}, [None, "a", "b"]),
    ("-9|3|4", {"missing_in": {"v": ("-9",), "k": ("a",)}}, [None, 3, 4]),
    ("NA|x|y", {"levels": {"v": ("NA",)}}, ["NA", "x", "y"]),
    ("01/02/2020|03/04/2020", {"day_first": False}, [DAY[2], datetime(2020, 3, 4)]),
    ("01/02/2020|03/04/2020", {"day_first_in": {"v": True}},
     [datetime(2020, 2, 1), datetime(2020, 4, 3)]),
    ("$5|$6", {"texts": ("v",)}, ["$5", "$6"]),
    ("3.5 ± 0.1|4 +/- 1", {}, [3.5, 4]),
    ("1.2K|345|3.4M|5M+|7*|k.A.|<3", {}, [1200, 345, 3.4e6, 5e6, 7, None, 3]),
    ("5-|4|3,5-", {}, [-5, 4, -3.5]),
    ("$5|$1,200.50|$7", {}, [5, 1200.5, 7]),
    (":|: c|3.5", {}, [None, None, 3.5]),
    ("3 ± 1|4 ± 1", {"texts": ("v",)}, ["3 ± 1", "4 ± 1"]),
    ("3.5 b|4|:|5", {"texts": ("v",)}, ["3.5 b", "4", ":", "5"]),
    ("yes|Yes |no|yes|NO|no", {"merged": ("v",)}, ["yes", "yes", "no", "yes", "no", "no"]),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "options", "values"), DECISIONS)
def test_options_change_how_cells_are_read(cells, options, values):
    assert read(cells.split("|"), **options)[0] == values


@pytest.mark.parametrize(("cells", "options", "values"), DECISIONS)
def test_a_decision_holds_for_a_file_scored_later(cells, options, values):
    """By the options of an analysis (Score) and by the schema of a rule (`rulekit score`)."""
    cells = cells.split("|")
    _, _, table, used = read(cells, **options)
    words = missing_words(table, ["v"])
    schema = describe_reading(infer(table.frame[["v"]]), used, table.units, words)
    expected = conform(table.frame, schema)[0]["v"]
    for later in (cell_options(asdict(used)), reading_options(schema, ParseOptions())):
        for (cell, value), beside in product(zip(cells, expected, strict=True), ([], ["bad"])):
            frame = read([cell, *beside], **asdict(later))[2].frame
            again = conform(frame, schema)[0]["v"][0]
            assert again == value or (pd.isna(again) and pd.isna(value)), (cell, again)


@pytest.mark.parametrize("cells", ["$5|$6", "3 ± 1|4 ± 1", "3.5 b|4|:|5"])
def test_converted_cells_can_be_kept_as_text_and_back(cells):
    values, _, table, used = read(cells.split("|"))
    (note,) = (n for n in table.notes if getattr(n, "label", "") == "Keep as text")
    used = apply_decision(used, note.change)
    kept, _, table, _ = read(cells.split("|"), **asdict(used))
    (note,) = (n for n in table.notes if "kept as text" in n)
    assert kept == cells.split("|")
    again, *_ = read(cells.split("|"), **asdict(apply_decision(used, note.change)))
    assert again == values


def test_words_among_numbers_have_notes():
    assert read(["a", "b"], texts=("v",))[1] == ""  # nothing to convert
    rows = "".join(f"{'NA' if k == 3 else k};{('NA', 'DE', 'FR')[k % 3]}\n" for k in range(12))
    table, *_ = read_with_layout(f"x;country\n{rows}".encode())
    assert table.frame["country"].isna().sum() == 4


@pytest.mark.parametrize(
    "cells", ["13/01/2020|02/01/2020", "0,5|1,234", "None|Minor|Severe", "NA|DE|FR", "26%|3%"]
)
def test_used_options_read_a_file_of_one_row_alike(cells):
    cells = cells.split("|")
    values, _, _, used = read(cells)
    names = ("decimal", "decimals", "levels", "day_first_in")
    again = [read([cell], **{n: getattr(used, n) for n in names})[0][0] for cell in cells]
    assert again == values


def test_each_column_has_its_own_decimal_mark_and_order_of_days():
    rows = "".join(f"{k},5;{k}.25;{k + 1:02}/05/2020;{k + 10}/05/2020\n" for k in range(10))
    table, used, _ = read_with_layout(f"a;b;c;d\n{rows}".encode())
    assert table.frame["a"].tolist() == [k + 0.5 for k in range(10)]
    assert table.frame["b"].tolist() == [k + 0.25 for k in range(10)]
    assert "In column 'a', the decimal mark is a comma, unlike in other columns." in table.notes
    assert (used.decimal, used.decimals) == (".", {"a": ","})
    assert [date.month for date in table.frame["c"]] == [5] * 10  # as column d certainly is
    assert used.day_first_in == {"c": True, "d": True}


@pytest.mark.parametrize(
    ("word", "others", "among_numbers", "level"),
    [
        ("None", ["Minor", "Severe"], (), True),
        ("None", ["Minor", "Severe"], ("None",), False),
        ("None", ["Yes", "no"], (), False),
        ("None", [f"name {k}" for k in range(51)], (), False),
        ("None", [], (), False),
        ("NA", ["DE", "FR"], (), True),
        ("NA", ["DE", "FR", "GBR"], (), False),
        ("NA", ["DE"], (), False),
        ("NA", ["DE", "FR"], ("None", "NA"), False),
    ],
)
def test_a_word_is_a_level_where_other_values_make_it_likelier(word, others, among_numbers, level):
    assert is_level(word, others, among_numbers) == level

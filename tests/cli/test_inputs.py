"""What verbs are given: files that are and are not what they should be."""

import gzip

import pandas as pd
import pytest
from click import ClickException

from rulekit import Table, from_json, from_text, to_json
from rulekit.cli.inputs import read_outcomes
from tests.cli.conftest import ANSWERS, TABLE, printed


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet", "csv.gz", "tsv"])
def test_every_kind_of_file_that_the_dashboard_reads_is_read(run, tmp_path, kind):
    frame = pd.read_csv(tmp_path / "table.csv")
    file = tmp_path / f"same.{kind}"
    if kind == "csv.gz":
        file.write_bytes(gzip.compress(TABLE.encode()))
    elif kind == "tsv":
        frame.to_csv(file, sep="\t", index=False)
    else:
        name = {"csv": "to_csv", "xlsx": "to_excel"}.get(kind, "to_parquet")
        getattr(frame, name)(file, index=False)
    cases = printed(run("score", "rule.json", file, "--json"))["cases"]
    assert [case["answer"] for case in cases] == ANSWERS


@pytest.mark.parametrize("verb", [["show"], ["score", "--json"], ["explain", "--row", "1"]])
def test_files_that_are_not_there_are_named(refused, verb):
    tables = [] if verb[0] == "show" else ["table.csv"]
    assert "'none.json' was not read: No such file" in refused(*verb, "none.json", *tables)
    if tables:
        assert "'none.csv' was not read. No such file" in refused(*verb, "rule.json", "none.csv")
    assert "'.' was not read: Is a directory" in refused(*verb, ".", *tables)


@pytest.mark.parametrize(
    "verb",
    [
        ["score", "rule.json", "other.csv"],
        ["explain", "rule.json", "other.csv", "--row", "1"],
        ["compare", "rule.json", "rule.json", "other.csv"],
        ["export", "rule.json", "--format", "sql", "--table", "other.csv"],
    ],
)
def test_every_verb_rejects_a_table_without_a_column_of_the_rule(refused, tmp_path, verb):
    (tmp_path / "other.csv").write_text("age,bmi\n60,20\n")
    assert "The rule reads column 'sex', which the table does not have" in refused(*verb)


def test_reading_and_layout_follow_the_options(run, tmp_path, refused):
    (tmp_path / "table.txt").write_text("60|f|20,5\n40|m|31,5\n")
    rule = from_text('1. IF "column 3" > 31 THEN ill\nOTHERWISE well')
    (tmp_path / "by place.json").write_text(to_json(rule))
    requested = ["--delimiter", "|", "--decimal", ",", "--no-header", "--json"]
    output = printed(run("score", "by place.json", "table.txt", *requested))
    assert output["answers"] == {"well": 1, "ill": 1}
    assert "must be one character" in run("score", "a", "b", "--delimiter", "ab", code=1).stderr
    file = tmp_path / "titled.csv"
    lines = TABLE.splitlines()
    text = ["A, title", lines[0], ",".join("u" for _ in lines[0].split(",")), *lines[1:], "end"]
    file.write_text("\n".join(text) + "\n")
    options = ["--header-row", 2, "--skip-row", 3, "--skip-last", 1]
    cases = printed(run("score", "rule.json", file, "--json", *options))["cases"]
    assert [case["answer"] for case in cases] == ANSWERS
    words = ("score", "rule.json", file, "--header-row", 2, "--no-header")
    assert "`header_row` must be" in refused(*words)


def test_columns_are_read_as_the_rule_compares_them_with_a_note(run, tmp_path):
    rule = from_text('1. IF code = "2" AND size > 3.5 THEN a\nOTHERWISE b')
    (tmp_path / "typed.json").write_text(to_json(rule))
    (tmp_path / "codes.csv").write_text("code,size\n1,4.5\n2,high\n2,4\n2,1\n")
    done = run("score", "typed.json", "codes.csv", "--json")
    assert [case["answer"] for case in printed(done)["cases"]] == ["b", "b", "a", "b"]
    assert "Not checked: types, levels and ranges" in done.stderr
    assert "Column 'size' is read as numbers: 1 of 4 values does not fit" in done.stderr


def test_outcomes_are_named_as_by_the_rule():
    rule = from_text("1. IF age > 50 THEN died\nOTHERWISE survived")
    table = Table.from_frame(pd.DataFrame({"dead": [1, 0, None, 1]}))
    truth = read_outcomes(table, "dead", rule, {"1": "died", "0": "survived"})
    assert truth.tolist() == ["died", "survived", None, "died"]
    rule = from_text('1. IF age > 50 THEN red\nOTHERWISE "not red"')
    table = Table.from_frame(pd.DataFrame({"colour": ["red", "blue", "green"]}))
    assert read_outcomes(table, "colour", rule, {}).tolist() == ["red", "not red", "not red"]
    table = Table.from_frame(pd.DataFrame({"state": ["ill", "well", None]}))
    truth = read_outcomes(table, "state", from_text("OTHERWISE well"), {})
    assert truth.tolist() == ["ill", "well", None]
    with pytest.raises(ClickException, match="The rule answers 'dead', and column 'state' holds"):
        read_outcomes(table, "state", from_text("OTHERWISE dead"), {})


def test_a_target_that_the_rule_does_not_speak_of_is_refused(refused):
    result = refused("score", "rule.json", "table.csv", "--target", "sex")
    assert "The rule answers 'ill' or 'well', and column 'sex' holds 'f'" in result
    result = refused("score", "rule.json", "table.csv", "--target", "stat")
    assert "has no column 'stat'; did you mean 'state'?" in result


def test_unused_columns_are_noted_when_learning_only(run, tmp_path):
    rule = from_text("1. IF amount > 3845 THEN high\nOTHERWISE low")
    (tmp_path / "rule.json").write_text(to_json(rule))
    options = ("--target", "risk", "--positive", "high", "--learner", "one-clause")
    noted = run("learn", "sample:credit", *options).stderr
    assert "Note: Column 'loan_id' is an identifier and is not used." in noted
    for words in (("explain", "--row", 1), ("score",), ("export", "--format", "sql", "--table")):
        verb, *others = words
        table = [*others, "sample:credit"] if verb == "export" else ["sample:credit", *others]
        assert "Note:" not in run(verb, "rule.json", *table).stderr, verb


def test_options_on_cells_reach_the_table(run, tmp_path):
    rows = "".join(
        f"{k % 7},{1 + k % 9:02}/{1 + k % 5:02}/2023,{k}%,{('None', 'NA', 'b')[k % 3]},"
        f"{('yes', 'Yes', 'no', 'yes')[k % 4]}\n"
        for k in range(60)
    )
    (tmp_path / "cells.csv").write_text("x,day,rate,word,late\n" + rows)
    options = ("--month-first", "--date", "day", "--percent", "share", "--missing", "NA,x=6")
    learned = run("learn", "cells.csv", "--target", "late", "--positive", "YES",
                  "--merge-levels", "late", *options, "--learner", "one-clause").stderr  # fmt: skip
    for words in (
        "'day' is read as dates, month first: '06/01/2023' is 2023-06-01",
        "'0%' is 0",
        "These cells are read as missing: 'NA' (20 cells), '6' (8 cells)",
        "'Yes' as 'yes' is read",
        "The rule describes late = yes",
    ):
        assert words in learned, learned


def test_learn_prints_what_data_shows(run, tmp_path):
    rows = "".join(
        f"{k // 2},{k % 7},{k % 7 > 3},{'' if k == 5 else ('no', 'yes')[k % 7 > 3]}\n"
        for k in range(60)
    )
    (tmp_path / "leaky.csv").write_text("patient_id,x,flag,ill\n" + rows)
    notes = run("learn", "leaky.csv", "--target", "ill", "--learner", "one-clause").stderr
    assert "1 of 60 rows have no value in 'ill' and are left out of learning" in notes
    assert "'flag' alone tells the classes of 'ill' apart perfectly" in notes
    assert "(--leave-out 'flag')" in notes
    assert "looks like an identifier that repeats" in notes
    assert "(--group 'patient_id')" in notes


def test_a_file_of_one_row_is_read_as_the_table_of_the_rule(run, tmp_path):
    rows = "".join(
        f"{1 + k % 28:02}/{1 + k % 12:02}/2023;{k % 60},5;{('late', 'None')[k % 12 > 5]}\n"
        for k in range(336)
    )
    (tmp_path / "old.csv").write_text("day;rate;end\n" + rows)
    options = ("--positive", "None", "--date", "day", "--learner", "one-clause", "--use", "day")
    run("learn", "old.csv", "--target", "end", *options, "-o", "learned.json")
    schema = from_json((tmp_path / "learned.json").read_text()).schema
    assert schema.column("day").day_first is True
    (tmp_path / "one.csv").write_text("Day;END\n05/10/2023;None\n")
    result = run("score", "learned.json", "one.csv", "--target", "end", "-o", "out.csv")
    assert "day first: '05/10/2023' is 2023-10-05" in result.stderr
    assert "Wrong on 0 of the 1" in result.stdout


def test_spellings_and_other_classes_are_matched_with_a_note(run, tmp_path):
    (tmp_path / "new.csv").write_text(" AGE,Sex,bmi,State\n60,f,20,ILL\n40,m,31,ill\n50,f,3,WELL\n")
    result = run("score", "rule.json", "new.csv", "--target", "state", "-o", "out.csv")
    assert "'AGE' as 'age', 'Sex' as 'sex'" in result.stderr
    assert "'ILL' as 'ill', 'WELL' as 'well' is read" in result.stderr
    assert "Wrong on 0 of the 3" in result.stdout
    rule = from_text('1. IF age > 50 THEN sick\nOTHERWISE "not sick"')
    (tmp_path / "one.json").write_text(to_json(rule))
    (tmp_path / "new.csv").write_text("age,y\n60,sik\n70,SICK\n40,well\n")
    notes = run("score", "one.json", "new.csv", "--target", "y", "-o", "out.csv").stderr
    assert "'SICK' as 'sick' is read" in notes
    assert "'sik' (1 row), 'well' (1 row) count as 'not sick', as would" in notes


def test_an_export_names_the_words_that_were_read_as_missing(run, tmp_path):
    rule = from_text("1. IF root IS MISSING THEN p\nOTHERWISE e")
    (tmp_path / "gap.json").write_text(to_json(rule))
    (tmp_path / "roots.csv").write_text("root,x\n?,1\na,2\n?,3\nb,4\n")
    notes = run("export", "gap.json", "--format", "sqlite", "--table", "roots.csv").stderr
    assert "column 'root' has '?' (2 cells), read as missing" in notes


def test_notes_and_scores_keep_the_cells_of_the_file(run, tmp_path):
    (tmp_path / "new.csv").write_text("age,sex,bmi,paid\n60,f,NA,$5\n40,m,31,$6\n50,f,?,$7\n")
    written = run("score", "rule.json", "new.csv").stdout.splitlines()
    cells = [line.split(",")[2:4] for line in written[1:]]
    assert cells == [["NA", "$5"], ["31", "$6"], ["?", "$7"]]
    rows = "".join(f"{k % 7},u{k},{'yes' if k % 7 > 3 else 'no'}\n" for k in range(40))
    (tmp_path / "codes.csv").write_text("x,code,ill\n" + rows.replace("u", "100"))
    options = ("--target", "ill", "--learner", "one-clause", "--category", "code")
    notes = run("learn", "codes.csv", *options).stderr
    assert notes.count("'code'") == 1, notes

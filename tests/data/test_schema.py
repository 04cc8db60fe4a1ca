"""Kinds, roles, targets and the digest of tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Binarizer, BoxSearchClassifier, DataError
from rulekit.binning.encodings import literals_of
from rulekit.data import Limits, Table
from rulekit.data.schema import cut_of_outcomes, digest_of, outcomes_of_cut

N = 60


def mixed():
    """A table with a column of every kind."""
    return Table.from_frame(
        pd.DataFrame(
            {
                "patient_id": range(100, 100 + N),
                "age": np.linspace(20, 80, N),
                "score": [i % 7 for i in range(N)],
                "flag": [i % 2 for i in range(N)],
                "gaps": ["yes" if i % 3 else None for i in range(N)],
                "town": [f"t{i % 5}" for i in range(N)],
                "remark": [f"r{i}" for i in range(N)],
                "code": [f"c{i // 2} x" for i in range(N)],
                "day": [f"2024-01-{i % 28 + 1:02d}" for i in range(N)],
                "stamp": pd.date_range("2024-01-01", periods=N),
                "same": 1.0,
                "empty": np.nan,
                "ill": ["yes" if i % 4 == 0 else "no" for i in range(N)],
            }
        ),
        name="mixed",
        limits=Limits(max_levels=20),
    )


def test_features_target_weights_and_groups_are_split():
    notes = " ".join(mixed().notes)
    for name in ("patient_id", "remark", "code", "day", "stamp", "same", "empty"):
        assert f"'{name}'" in notes
    X, y = mixed().xy("ill")
    assert list(X.columns) == ["age", "score", "flag", "gaps", "town"]
    assert y.tolist()[:2] == ["yes", "no"]
    table = mixed().with_roles({"score": "weight", "town": "group"})
    assert table.weights().tolist()[:3] == [0.0, 1.0, 2.0]
    assert table.groups().tolist()[:2] == ["t0", "t1"]
    assert mixed().weights() is None
    assert mixed().groups() is None


def test_roles_move_and_rows_without_a_target_are_left_out():
    table = Table.from_frame(pd.DataFrame({"a": [1.5, 2, 3, 4], "t": [1.0, np.nan, 0.0, 1.0]}))
    X, y = table.xy("t")
    assert X.index.tolist() == [0, 2, 3]
    assert y.tolist() == [1, 0, 1]
    assert y.dtype == np.int64
    table = mixed().with_roles({"ill": "target"}, positive_label="yes")
    moved = table.with_roles({"flag": "target"})
    assert (moved.target, moved.column("ill").role) == ("flag", "feature")
    assert moved.positive_label is None
    assert table.with_roles({"age": "ignore"}).positive_label == "yes"
    assert moved.digest == table.digest
    frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    assert [c.name for c in Table.from_frame(frame).columns] == ["a x", "a y"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: t.xy(), "A target must be named"),
        (lambda t: t.xy("il"), "no column 'il'; did you mean 'ill'"),
        (lambda t: t.xy("zzzz"), "no column 'zzzz'; its columns are 'patient_id'"),
        (lambda t: t.xy("ill", ["ill", "age"]), "The target 'ill' is among the features"),
        (lambda t: t.xy("ill", []), "No feature is left"),
        (lambda t: t.with_roles({"age": "goal"}), "A role must be one of .* got 'goal' for 'age'"),
        (
            lambda t: t.with_roles({"age": "target", "flag": "target"}),
            "One column at most can have the role 'target', got 'age' and 'flag'",
        ),
        (
            lambda t: t.with_roles({"ill": "target"}, positive_label="maybe"),
            "must occur in the target 'ill'; 'maybe' does not",
        ),
        (lambda t: t.with_roles({}, positive_label="yes"), "A positive class needs a target"),
        (lambda t: t.with_roles({"town": "weight"}).weights(), "Weights must be numbers"),
        (lambda t: t.with_roles({"gaps": "group"}).groups(), r"misses some \(first: row 1\)"),
        (lambda t: t.with_cut("town", 3), "Only a column of numbers can be cut; 'town' holds none"),
        (lambda t: t.with_cut("age", np.nan), "A cut must be a finite number, got nan"),
        (lambda t: t.with_cut("none", 3), "The table has no column 'none'"),
        (lambda t: Table.from_frame(pd.DataFrame()), "The table has no columns"),
        (lambda t: Table.from_frame(pd.DataFrame({"a": []})), "a header but no rows"),
        (lambda t: Table.from_frame([[1, 2]]), "made of a data frame, got list"),
    ],
)
def test_misuse_is_answered_in_a_sentence(call, sentence):
    with pytest.raises(DataError, match=sentence):
        call(mixed())


def test_content_decides_equality_and_text_finds_classes():
    assert mixed().with_roles({"flag": "target"}, positive_label="1").positive_label == 1
    table = mixed().as_category("score")
    assert table.column("score").kind == "category"
    assert table.frame["score"].tolist()[:2] == ["0", "1"]
    assert mixed() == mixed()
    assert len({mixed(), mixed()}) == 1
    assert mixed() != mixed().with_roles({"ill": "target"})
    expected = "<Table 'mixed': 60 rows, 13 columns, target 'ill'>"
    assert repr(mixed().with_roles({"ill": "target"})) == expected
    table = Table.from_frame(pd.DataFrame({"a": ["\ud800", "b", None]}, dtype=object))
    assert table.frame["a"].tolist()[:2] == ["\ud800", "b"]
    assert table.digest == Table.from_frame(table.frame).digest
    table = Table.from_frame(pd.DataFrame({"a": [1.5, 2.5], "a (number)": [1.5, 2.5]}))
    with pytest.raises(DataError, match="Rename that column"):
        table.with_cut("a", 2)


def large():
    rng = np.random.default_rng(0)
    n = 120_000
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "k": rng.integers(0, 9, n),
            "t": np.array(["u", "v", "w"], dtype=object)[rng.integers(0, 3, n)],
            "b": rng.integers(0, 2, n).astype(bool),
        }
    )


@pytest.mark.parametrize(("name", "value"), [("x", 0.125), ("k", 10), ("t", "v2"), ("b", None)])
def test_one_cell_among_hundred_thousands_changes_the_digest(name, value):
    frame = large()
    before = Table.from_frame(frame).digest
    row = 77_777
    frame.loc[row, name] = (not frame.loc[row, name]) if value is None else value
    assert Table.from_frame(frame).digest != before


@given(st.lists(st.text(st.characters(), max_size=3), min_size=2, max_size=6), st.data())
def test_equal_digests_mean_equal_text(texts, data):
    other = data.draw(st.permutations(texts))
    one, two = (Table.from_frame(pd.DataFrame({"a": t}, dtype=object)) for t in (texts, other))
    assert (one.digest == two.digest) == (texts == list(other))


def test_names_types_and_gaps_count_in_the_digest():
    frames = [
        pd.DataFrame({"a": [1, 2]}),
        pd.DataFrame({"b": [1, 2]}),
        pd.DataFrame({"a": [1.0, 2.0]}),
        pd.DataFrame({"a": ["1", "2"]}),
        pd.DataFrame({"a": ["1", None]}),
        pd.DataFrame({"a": ["1", "None"]}),
        pd.DataFrame({"a": [1.0, np.nan]}),
        pd.DataFrame({"a": pd.array([True, None], "boolean")}),
        pd.DataFrame({"a": ["True", None]}),
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01", "2024-01-02"])}),
        pd.DataFrame({"a": [1], "b": [2]}),
    ]
    assert len({Table.from_frame(frame).digest for frame in frames}) == len(frames)
    things = [[1, 2], ["1", "2"], [1, "2"], [True, 2], [True, False], ["True", "False"]]
    objects = [pd.DataFrame({"a": pd.Series(values, dtype=object)}) for values in things]
    assert len({digest_of(frame) for frame in objects}) == len(objects)


def test_a_digest_can_be_had_of_any_frame():
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["u", "v", None]),
            "i": pd.array([1, None, 3], "Int64"),
            "p": pd.array([1.5, None, 3], "double[pyarrow]"),
            "l": [[1], [2], None],
        }
    )
    changed = frame.assign(i=pd.array([1, None, 4], "Int64"))
    assert digest_of(frame) == digest_of(frame.copy())
    assert digest_of(frame) != digest_of(changed)


def people(**columns):
    """A table with a target of forty rows, and these columns."""
    target = [("no", "yes")[k % 2] for k in range(40)]
    return Table.from_frame(pd.DataFrame({**columns, "ill": target})).with_roles({"ill": "target"})


SIZES = [("small", "middle", "large", "middle")[k % 4] for k in range(40)]


def test_ordered_levels_become_an_ordered_categorical():
    order = ("small", "middle", "large")
    table = people(size=SIZES).with_order("size", order)
    assert table.column("size").order == order
    X, _ = table.xy()
    assert X["size"].cat.ordered
    assert tuple(X["size"].cat.categories) == order
    assert X["size"].astype(str).tolist() == SIZES
    binarizer = Binarizer().fit(*table.xy())
    result = [
        str(literal) for encoding in binarizer.encodings_ for literal in literals_of(encoding)
    ]
    assert any("small" in text for text in result)
    assert not table.with_order("size", []).column("size").order
    assert table.digest == table.with_order("size", []).digest


@pytest.mark.parametrize(
    ("values", "levels", "why"),
    [
        (SIZES, ["small", "large"], "name each of its levels once.*'middle' is not in it"),
        (SIZES, ["small", "middle", "large", "small"], "levels once.*'small' is listed twice"),
        (SIZES, ["small"], "levels once.*'large', 'middle' is not in it"),
        (list(range(40)), ["1", "0"], "holds numbers, which have their own order"),
        (pd.date_range("2024", periods=40), ["1", "0"], "holds dates, which have their own order"),
        ([k % 3 > 0 for k in range(40)], ["True", "False"], "holds truth values, which have none"),
    ],
)
def test_invalid_order_is_refused_with_the_reason(values, levels, why):
    with pytest.raises(DataError, match=f"'x'.* {why}"):
        people(x=values).with_order("x", levels)


def dotted(first, second):
    """Forty dates, of which `first` and `second` are given as counts of day and month."""
    return [f"{1 + k % first:02d}.{1 + k % second:02d}.2024" for k in range(40)]


def test_dates_need_an_order_and_other_cells_become_missing():
    table = people(day=[day.replace(".", "/") for day in dotted(11, 7)])
    with pytest.raises(DataError, match="'day' day and month are ambiguous"):
        table.as_date("day")
    early = table.as_date("day", day_first=True).frame["day"]
    late = table.as_date("day", day_first=False).frame["day"]
    assert (early.iloc[9].day, early.iloc[9].month) == (10, 3)
    assert (late.iloc[9].day, late.iloc[9].month) == (3, 10)
    values = ["2024-03-01"] * 38 + ["soon", None]
    table = people(day=values).as_date("day")
    assert table.frame["day"].isna().tolist() == [False] * 38 + [True, True]
    assert "1 of 40 cells could not be read and became missing (first: row 39" in table.notes[-1]
    assert table.as_date("day") is table
    with pytest.raises(DataError, match="'size' has no date such as 2024-03-01"):
        people(size=SIZES).as_date("size")
    values = ["06:30:00", "06:30", "2 days", "1 day 12:00:00", "-12:00", None, "5", "later"]
    table = people(stay=values * 5).as_duration("stay")
    days = table.frame["stay"].tolist()[:8]
    assert days[:5] == pytest.approx([6.5 / 24, 6.5 / 24, 2, 1.5, -0.5])
    assert np.isnan(days[5:]).all()
    assert table.column("stay").kind == "numeric"
    assert "10 of 40 cells could not be read and became missing (first: row 7" in table.notes[-1]
    for none in (SIZES, [str(k) for k in range(40)]):
        with pytest.raises(DataError, match="'x' has no duration such as 06:30:00"):
            people(x=none).as_duration("x")


def test_a_cut_makes_two_classes_and_keeps_the_numbers_ignored():
    given = Table.from_frame(
        pd.DataFrame({"charges": [1.0, 12400, 12401, None] * 5, "age": [3, 1, 4, 1, 5] * 4})
    ).with_roles({"charges": "target"})
    table = given.with_cut("charges", 12400)
    X, y = table.xy()
    assert y.tolist() == ["up to 12 400", "up to 12 400", "charges above 12 400"] * 5
    assert list(X.columns) == ["age"]
    assert table.column("charges (number)").role == "ignore"
    assert table.frame["charges"].isna().sum() == 5
    assert table.with_cut("charges", 5).xy()[1].value_counts()["charges above 5"] == 10
    assert Table.from_frame(table.frame).digest == table.digest
    back = table.with_cut("charges", None)
    assert (back, back.columns) == (given, given.columns)


@pytest.mark.parametrize("cut", [12_400.0, 0.25, -3.5, 1e20, 1e-7, 14_913.935])
def test_cut_is_read_from_the_names_of_its_classes(cut):
    above, up_to = outcomes_of_cut("size", cut)
    assert cut_of_outcomes("size", [above]) == cut_of_outcomes("size", [up_to]) == cut
    assert cut_of_outcomes("other", [above]) is None
    assert cut_of_outcomes("size", ["size above all", "up to you", 3, True]) is None


def test_times_are_dates_or_numbers_in_order():
    days = ["31.01.2024", "01.02.2024", "15.01.2024"] * 4
    table = Table.from_frame(pd.DataFrame({"day": days, "n": range(12), "t": list("abc") * 4}))
    assert table.times("day").dt.day.tolist() == [31, 1, 15] * 4
    assert table.times("n").tolist() == list(range(12))
    with pytest.raises(DataError, match="'t' has neither"):
        table.times("t")


BASE = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": ["x", None, "y"], "c": [True, False, True]})


def test_digest_ignores_the_index_and_not_a_time_zone():
    assert digest_of(BASE) == digest_of(BASE.copy()) == digest_of(BASE.set_index([[7, 8, 9]]))
    assert len(digest_of(BASE)) == 64
    utc = pd.Series(pd.to_datetime(["2020-01-01 12:00"]).tz_localize("UTC"))
    others = [utc + pd.Timedelta(seconds=1), utc.dt.tz_convert("Asia/Tokyo")]
    digests = {digest_of(pd.DataFrame({"t": t})) for t in (utc, utc.copy(), *others)}
    assert len(digests) == 3


@pytest.mark.parametrize(
    "other",
    [
        BASE.rename(columns={"a": "d"}),
        BASE[["b", "a", "c"]],
        BASE.iloc[::-1],
        BASE.iloc[:2],
        BASE.assign(a=[1.0, 2.0, 3.0]),
        BASE.assign(b=["x", "", "y"]),
        BASE.assign(c=[True, True, True]),
        BASE.assign(c=[1, 0, 1]),
        BASE.assign(c=["True", "False", "True"]),
    ],
    ids=lambda frame: ",".join(map(str, frame.iloc[0])),
)
def test_any_change_of_a_cell_a_name_an_order_or_a_type_shows(other):
    assert digest_of(other) != digest_of(BASE)


def test_rules_of_durations_read_tables_days_and_durations():
    hours = pd.Series(pd.to_timedelta([*range(1, 40), None], unit="h"))
    raw = pd.DataFrame({"stay": hours, "y": ["a"] * 20 + ["b"] * 20})
    text = raw.assign(stay=hours.dt.total_seconds().div(3600).map("{:.0f}:00:00".format))
    for table in (Table.from_frame(raw), Table.from_frame(text).as_duration("stay")):
        X, y = table.with_roles({"stay": "feature"}).xy("y")
        rule = BoxSearchClassifier().fit(X, y).rule_set_
        assert rule.schema.column("stay").kind == "duration"
        assert rule.predict(raw).tolist() == rule.predict(table.frame).tolist()

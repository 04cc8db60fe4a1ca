"""How one column is read: levels, an order, dates and their parts, words; and in which sets."""

import pickle
import warnings
from datetime import date
from decimal import Decimal
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

from rulekit import (
    Binarizer,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    ScorecardClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.binning.dates import round_date
from rulekit.binning.encodings import LevelColumn, OrderedColumn, WordColumn
from rulekit.data import columns_of
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError, DataWarning, EmptyRuleWarning
from rulekit.rules import Literal
from rulekit.rules.constraints import Constraints

DAYS = pd.date_range("2021-01-01", periods=800, freq="D")


def literals_on(frame, y=None, **parameters):
    return Binarizer(**parameters).fit(frame, y).literals_


def test_dates_have_parts_cuts_and_levels_on_request():
    frame = pd.DataFrame({"opened": DAYS + pd.to_timedelta(np.arange(800) % 24, unit="h")})
    fitted = Binarizer(n_thresholds=3).fit(frame, np.arange(800) % 2)
    assert {e.part for e in fitted.encodings_} == {"date", "year", "month", "weekday", "hour"}
    dates = [x for x in fitted.literals_ if x.part == "date"]
    assert {x.op for x in dates} == {"<", ">="}
    round_days = {x.value for x in dates if x.value[5:] in ("01-01", "04-01", "07-01", "10-01")}
    assert len({x.value for x in dates} - round_days) <= 1  # the date that divides y best
    assert Literal("opened", ">", 5, part="weekday") in fitted.literals_
    matrix, columns = fitted.transform(frame), columns_of(frame)
    for j, literal in enumerate(matrix.literals):
        assert (matrix.values[:, j] == literal.mask(columns)).all()
    days = fitted.set_params(read_as={"opened": "days since 2021-01-01"}).fit(frame).literals_
    assert {x.part for x in days} == {"days since 2021-01-01"}
    frame = pd.DataFrame({"opened": ["2021-03-01", "2021-03-02", None, "2022-05-01 10:00"]})
    assert {x.part for x in literals_on(frame)} >= {"date", "year"}
    assert {x.part for x in literals_on(frame, read_as={"opened": "levels"})} == {None}
    one = literals_on(frame, read_as={"opened": ("year",)})
    assert {x.part for x in one if x.op != "missing" and x.op != "not-missing"} == {"year"}
    assert sum(x.op == "missing" for x in literals_on(frame)) == 1
    frame = pd.DataFrame({"opened": DAYS})
    literals = literals_on(frame, thresholds={"opened": ["2021-06-15"]})
    dates = [x for x in literals if x.part == "date"]
    assert [str(x) for x in dates] == ["opened < 2021-06-15", "opened >= 2021-06-15"]
    with pytest.raises(ValueError, match="of column 'opened': A date must be written as"):
        literals_on(frame, thresholds={"opened": ["15.6.2021"]})


def test_order_comes_with_the_column_or_names_every_level():
    grades = ["good", "bad", "good", "great"]
    frame = pd.DataFrame({"grade": pd.Categorical(grades, ["bad", "good", "great"], ordered=True)})
    literals = literals_on(frame)
    assert literals == literals_on(frame.astype(str), orders={"grade": ("bad", "good", "great")})
    assert [str(x) for x in literals] == [
        "grade <= bad", "grade <= good", "grade >= good", "grade >= great",
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"must name every level; 'great' \(1 rows\) is not in it"):
        literals_on(frame.astype(str), orders={"grade": ("bad", "good")})
    with pytest.raises(DataError, match="'bad' is listed twice"):
        literals_on(frame.astype(str), orders={"grade": ("bad", "good", "bad")})
    with pytest.raises(ValueError, match="is in both `orders` and `read_as`"):
        literals_on(frame, orders={"grade": grades[1:]}, read_as={"grade": "levels"})
    with pytest.raises(ValueError, match="`orders` names column 'age', which the table does not"):
        literals_on(frame, orders={"age": grades[1:]})
    with pytest.raises(ValueError, match="'levels', 'words', or parts of dates"):
        literals_on(frame, read_as={"grade": "week"})


def test_unclear_columns_are_refused_or_stay_text():
    frame = pd.DataFrame({"opened": ["2021-03-01", "31.12.2021", "soon"]})
    with pytest.warns(DataWarning, match="'opened' is read as dates: 1 of 3 .* row 3, 'soon'"):
        literals = literals_on(frame, read_as={"opened": "date"})
    assert Literal("opened", "<", "2021-04-01", part="date") in literals
    with pytest.raises(DataError, match="'opened' must hold dates; none of its 3"):
        literals_on(frame.assign(opened="soon"), read_as={"opened": "date"})
    keys = [Decimal(2**60 + k) for k in range(N)]
    for cells in (keys, [*keys[:-1], "unknown"], [*keys[:-1], 0.5]):
        X = pd.DataFrame({"key": pd.Series(cells, dtype=object)})
        with pytest.raises(DataError, match="'key' holds whole numbers above 9007199254740991"):
            OneLevelRuleClassifier().fit(X, target())
    cells = np.array(["a", "b", 1, 2] * 15, dtype=object)
    model = OneLevelRuleClassifier(theta=0.1).fit(pd.DataFrame({"c": cells}), cells == "a")
    assert str(model.rule_set_.clauses[0].conditions[0]) == "c == a"
    X = contaminated("whole", "unknown", [50])
    with pytest.warns(DataWarning, match="1 of 60"):
        model = OneLevelRuleClassifier(theta=0.1).fit(X, np.arange(N) % 19 > 9)
    with pytest.raises(DataError, match=r"'c' must hold numbers.* none of its 3 values fits"):
        model.predict(X.iloc[:3].assign(c="x"))
    with pytest.warns(DataWarning, match=r"1 of 1 values does not fit .*\(first: row 1, 'x'\)"):
        model.predict(X.iloc[:1].assign(c="x"))


@given(
    st.lists(st.integers(0, 8), min_size=5, max_size=6).filter(lambda h: 0 < sum(h) < 8 * len(h))
)
def test_best_set_of_levels_is_a_prefix_of_the_order_of_shares(hits):
    """All levels have eight rows; all sets are tried (Breiman's theorem)."""
    levels = [f"l{k}" for k in range(len(hits))]
    town = np.repeat(levels, 8).astype(object)
    y = np.concatenate([np.arange(8) < h for h in hits])
    frame = pd.DataFrame({"town": town})
    fitted = Binarizer().fit(frame, y)
    sets = [x for x in fitted.literals_ if fitted.encodings_[0].place(x)[0]]

    def wrong(mask):
        return min((mask != y).sum(), (mask == y).sum())

    columns = columns_of(frame)
    every = chain.from_iterable(combinations(levels, n) for n in range(1, len(levels)))
    best = min(wrong(np.isin(town, some)) for some in every)
    assert min(wrong(x.mask(columns)) for x in sets) == best


def test_set_condition_lists_the_shorter_side():
    shares = {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}
    frame = pd.DataFrame({"town": np.repeat(list(shares), 4)})
    y = np.concatenate([np.arange(4) < n for n in shares.values()])
    encoding = Binarizer().fit(frame, y).encodings_[0]
    assert isinstance(encoding, LevelColumn)
    assert [str(encoding.cut_literal(k, -1)) for k in range(4)] == [
        "town == a", "town in {a, b}", "town not in {d, e}", "town != e",
    ]  # fmt: skip
    columns = columns_of(frame)
    for k in range(4):
        below, above = encoding.cut_literal(k, -1), encoding.cut_literal(k, 1)
        assert (below.mask(columns) == ~above.mask(columns)).all()
        assert encoding.place(below) == (-1, k)
        assert encoding.place(above) == (1, k)
    assert not any(x.op in ("in", "not-in") for x in literals_on(frame, y, sets=False))
    assert not any(x.op in ("in", "not-in") for x in literals_on(frame))


def test_each_of_several_classes_has_its_own_order_of_levels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(list("abcdef"), 300)})
    fitted = Binarizer().fit(frame, rng.integers(0, 3, 300))
    assert len(fitted.encodings_) == 3
    assert len(set(fitted.literals_)) == len(fitted.literals_)
    assert any(x.op == "in" for x in fitted.literals_)


def test_phrases_are_read_as_words():
    rng = np.random.default_rng(0)
    words = ["paid", "late", "twice", "call", "again"]
    notes = [" ".join(rng.permutation(words)[:3]) + f" {k}" for k in range(200)]
    frame = pd.DataFrame({"note": notes})
    fitted = Binarizer().fit(frame, [("late" in n) for n in notes])
    assert all(isinstance(e, WordColumn) for e in fitted.encodings_)
    assert {e.word for e in fitted.encodings_} == set(words)
    matrix, columns = fitted.transform(frame), columns_of(frame)
    for j, literal in enumerate(matrix.literals):
        assert (matrix.values[:, j] == literal.mask(columns)).all()


def test_a_pickled_binarizer_reads_every_kind_of_column_alike():
    notes = [f"paid {'late' if k % 3 else 'twice'} {k}" for k in range(N)]
    frame = pd.DataFrame({**KINDS, "notes": notes})
    fitted = Binarizer(n_thresholds=2).fit(frame, target())
    again = pickle.loads(pickle.dumps(fitted))
    assert {"twice", None} < {getattr(e, "word", None) for e in again.encodings_}
    assert again.literals_ == fitted.literals_
    assert (again.transform(frame).values == fitted.transform(frame).values).all()


@given(st.floats(-30_000, 60_000), st.floats(0.1, 900))
def test_rounded_date_stays_within_its_gap_and_is_roundest(low, width):
    result = round_date(low, low + width, low)
    every = [d for d in range(int(low) - 1, int(low + width) + 2) if low < d <= low + width]
    dates = [(np.datetime64("1970-01-01") + d).item() for d in every]
    firsts = [(d, day) for d, day in zip(every, dates, strict=True) if day.day == 1]
    if not firsts:
        assert result is None
        return
    rank = {d: (day.month == 1) + (day.month % 3 == 1) for d, day in firsts}
    assert rank[result] == max(rank.values())
    assert abs(result - low) == min(abs(d - low) for d in rank if rank[d] == rank[result])


def test_an_ordered_column_of_dates_cuts_between_any_two_values():
    column = OrderedColumn("d", np.empty(0), False, "date")
    for low, high in ((1.25, 1.5), (1.0, 2.0), (1.5, 9.0)):
        edge = column.edge_between((low + high) / 2, low, high)
        below = column.edge_literal(edge, -1)
        assert low <= edge < high
        assert below.edge == edge
        assert below.negate().op == ">="


LEARNERS = [
    BoxSearchClassifier(),
    ColumnGenerationClassifier(),
    HyperplaneRuleClassifier(),
    IdealDNFClassifier(),
    IdealDNFClassifier(binarizer=Binarizer(n_thresholds=2)),
    OneLevelRuleClassifier(),
    PowerLawTreeClassifier(max_depth=1),
    ScorecardClassifier(max_conditions=2),
    TwoLevelRuleClassifier(),
]
EACH = [
    pytest.param(m, id=f"{type(m).__name__}{k}", marks=[pytest.mark.slow] * (k == 6))
    for k, m in enumerate(LEARNERS)
]
N = 60
KINDS = {
    "numbers": [float(k % 23) for k in range(N)],
    "whole": [k % 19 for k in range(N)],
    "decimals": [Decimal(k % 17) / 4 for k in range(N)],
    "truth": [k % 3 == 0 for k in range(N)],
    "dates": [str(np.datetime64("2023-01-01") + 5 * k) for k in range(N)],
    "days": [date(2023, 1 + k % 12, 1 + k % 28) for k in range(N)],
    "levels": [f"level {k % 4}" for k in range(N)],
}
FOREIGN = ["unknown", "-", "", "0000-00-00", "2023-02-30", "10000-01-01", date(2024, 1, 1), 7, True]


def contaminated(kind, foreign, rows):
    cells = list(KINDS[kind])
    for row in rows:
        cells[row] = foreign
    return pd.DataFrame({"c": pd.Series(cells, dtype=object), "u": np.arange(N) % 7 + 0.5})


def target():
    return np.where((np.arange(N) % 7 > 3) ^ (np.arange(N) % 11 == 0), "yes", "no")


def fitted(learner, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, y)
        answers = learner.predict(X)
    return answers, [str(w.message) for w in caught if issubclass(w.category, DataWarning)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(FOREIGN),
    st.lists(st.integers(0, N - 1), min_size=1, max_size=5, unique=True),
    st.sampled_from([m for m in LEARNERS if not isinstance(m, PowerLawTreeClassifier)]),
)
def test_contaminated_columns_fit_predict_and_cross_validate(kind, foreign, rows, learner):
    X, y = contaminated(kind, foreign, rows), target()
    answers = learner.fit(X, y).predict(X)
    one_by_one = [learner.predict(X.iloc[[k]])[0] for k in (*rows, 0, N - 1)]
    assert one_by_one == answers[[*rows, 0, N - 1]].tolist()
    assert np.isfinite(cross_val_score(learner, X, y, cv=3, error_score="raise")).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("foreign", ["unknown", 7], ids=str)
def test_the_choice_holds_on_contaminated_columns(foreign):
    X = pd.DataFrame({kind: contaminated(kind, foreign, [2, 40])["c"] for kind in KINDS})
    y = target()
    model = RuleClassifier(max_conditions=2, cv=2, forms=("rule", "points"))
    assert len(model.fit(X, y).predict(X)) == N
    assert np.isfinite(cross_val_score(model, X, y, cv=2, error_score="raise")).all()


@pytest.mark.parametrize("learner", EACH)
@pytest.mark.parametrize(
    ("kind", "foreign", "read"),
    [("numbers", "unknown", "numbers"), ("whole", "-", "numbers"), ("truth", "?", "truth values")],
)
def test_every_learner_names_the_value_that_does_not_fit(learner, kind, foreign, read):
    X, y = contaminated(kind, foreign, [2]), target()
    _, notes = fitted(learner, X, y)
    shown = f"Column 'c' is read as {read}: 1 of 60 values does not fit and counts as missing"
    assert notes[0] == f"{shown} (first: row 3, '{foreign}')."
    read = "c" in learner.rule_set_.features  # predict looks at the columns of the rule alone
    assert notes[1:] == notes[:1] * read


@pytest.mark.parametrize("foreign", ["unknown", "0000-00-00", "2023-02-30", "10000-01-01"])
@pytest.mark.parametrize("kind", ["dates", "days"])
def test_one_text_among_dates_counts_as_missing(kind, foreign):
    X, y = contaminated(kind, foreign, [2]), target()
    model = BoxSearchClassifier()
    _, notes = fitted(model, X, y)
    assert notes[0].endswith(f"counts as missing (first: row 3, '{foreign}').")
    rest = X.assign(c=X["c"].where(X.index != 2, None).astype(object))
    assert BoxSearchClassifier().fit(rest, y).rule_set_ == model.rule_set_


def test_rows_of_weight_zero_decide_no_kind_and_keep_their_numbers():
    X, y = contaminated("whole", "unknown", [50]), target()
    X.loc[:9, "c"] = "text"
    weight = np.where(np.arange(N) < 10, 0.0, 1.0)
    with pytest.warns(DataWarning, match=r"1 of 50 values .*\(first: row 51, 'unknown'\)"):
        OneLevelRuleClassifier().fit(X, y, weight)


def test_read_as_decides_over_the_cells():
    X, y = contaminated("dates", "unknown", [2]), target()
    levels = OneLevelRuleClassifier(binarizer=Binarizer(read_as={"c": "levels"}))
    assert fitted(levels, X, y)[1] == []
    X["c"] = X["c"].where(X.index < 40, "later")
    dates = OneLevelRuleClassifier(binarizer=Binarizer(read_as={"c": "year"}))
    assert "21 of 60 values do not fit" in fitted(dates, X, y)[1][0]


def passengers(n=80):
    """A table as a passenger list has it: names, a ticket and a cabin each, nearly all missing."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "Name": [f"Family{k}, Mr. Given{k}" for k in range(n)],
            "Sex": rng.choice(["male", "female"], n),
            "Age": rng.integers(1, 70, n).astype(float),
            "Ticket": [f"A/{1000 + k}" for k in range(n)],
            "Cabin": [f"C{k}" if k % 5 else None for k in range(n)],
        }
    )
    return X, np.where((X["Sex"] == "female") ^ (rng.random(n) < 0.1), 1, 0)


@pytest.mark.parametrize("learner", EACH)
def test_identifiers_do_not_stop_a_fit(learner):
    X, y = passengers()
    _, notes = fitted(learner, X, y)
    assert {"Ticket", "Cabin"} <= set(learner.ignored_columns_) <= {"Name", "Ticket", "Cabin"}
    assert "'Cabin' hold too many different texts, as names and identifiers do" in notes[0]
    assert not set(learner.rule_set_.features) & set(learner.ignored_columns_)
    assert (learner.predict(X.assign(Cabin="new")) == learner.predict(X)).all()


@pytest.mark.slow
def test_identifiers_do_not_stop_the_choice():
    X, y = passengers()
    with pytest.warns(DataWarning, match="'Cabin' hold too many different texts"):
        model = RuleClassifier(max_conditions=2, cv=3).fit(X, y)
    assert model.ignored_columns_ == ["Name", "Ticket", "Cabin"]
    assert model.rule_set_.features == ("Sex",)


def test_unused_dates_are_not_called_texts():
    X, y = passengers()
    X = X.assign(Cabin=pd.date_range("2020-01-01", periods=len(X)))
    learner = IdealDNFClassifier(selection="ranking")
    _, notes = fitted(learner, X, y)
    assert (
        "Column 'Cabin' holds too many different dates, which this learner does not compare"
        in notes[0]
    )
    assert "'Ticket' hold too many different texts" in notes[0]
    assert "Cabin" in learner.ignored_columns_


def test_phrases_with_words_in_common_are_used():
    texts = [f"order {k} {'paid late' if k % 3 else 'paid'}" for k in range(80)]
    model = OneLevelRuleClassifier(theta=0.5)
    model.fit(pd.DataFrame({"note": texts}), [k % 3 > 0 for k in range(80)])
    assert model.ignored_columns_ == []
    assert "late" in str(model)


def test_an_unused_column_may_be_forbidden_and_not_required():
    X, y = passengers()
    model = OneLevelRuleClassifier(constraints=Constraints(forbidden=("Cabin",)))
    with pytest.warns(DataWarning, match="Cabin"):
        model.fit(X, y)
    required = OneLevelRuleClassifier(
        constraints={"required": [{"feature": "Cabin", "op": "missing"}]}
    )
    with pytest.raises(DataError, match="names column 'Cabin', which no condition can use"):
        required.fit(X, y)


@pytest.mark.parametrize("learner", EACH[:6] + EACH[7:])
def test_a_table_of_identifiers_alone_is_refused(learner):
    X, y = passengers()
    with pytest.raises(DataError, match=r"No column is left to learn from.* they are not used"):
        learner.fit(X[["Ticket", "Cabin"]], y)


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_many_settings_warn_of_the_table_once():
    X, y = passengers()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        settings = [{"theta": 1.0}, {"theta": 2.0}]
        models = list(fit_settings(OneLevelRuleClassifier(), X, y, settings))
    assert [w.category for w in caught if w.category is not EmptyRuleWarning] == [DataWarning]
    assert models[1].ignored_columns_ == ["Name", "Ticket", "Cabin"]

"""One case against one clause: histograms of the columns compared, and the case in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots import case_figure, case_sentence
from rulekit.plots.case import points_figure
from rulekit.rules import Clause, Literal, PointsSplit
from rulekit.style.phrases import Wording

AGES = np.arange(0.0, 101.0, 1.0)
REFERENCE = {"age": AGES, "sex": np.array(["m", "f", "f", None] * 25 + ["m"], dtype=object)}
Y = np.where(AGES > 50, "ill", "well")
OLD = Literal("age", ">", 50.0)
AMONG = st.floats(0, 100) | st.integers(0, 200).map(lambda k: k / 2)


def row(age, sex="m"):
    return {"age": np.array([age], dtype=float), "sex": np.array([sex], dtype=object)}


def lines(figure, k=1):
    """Return the places of dashed cuts and of the case in a histogram."""
    shapes = [s for s in figure.layout.shapes if s.xref in (f"x{k}", "x" if k == 1 else "")]
    cuts = {s.x0 for s in shapes if s.line.dash == "dash"}
    return sorted(cuts), {s.x0 for s in shapes if s.line.color == "#111111"}


def ticks(axis):
    return dict(zip(axis.tickvals, axis.ticktext, strict=True))


def titles(figure):
    return [a.text for a in figure.layout.annotations]


def test_every_row_is_counted_by_outcome_beside_cuts_and_case():
    clause = Clause((OLD, Literal("age", "<=", 75.0), Literal("sex", "==", "m")))
    words = Wording(units={"age": "years"}, names={"age": "Age"})
    figure = case_figure(clause, row(60.0, "f"), REFERENCE, Y, wording=words)
    assert [sum(t.y) for t in figure.data[:2]] == [50, 51]
    known = REFERENCE["sex"] != None  # noqa: E711
    assert [sum(t.y) for t in figure.data[2:]] == [
        (known & (v == Y)).sum() for v in ("ill", "well")
    ]
    assert lines(figure) == ([50.5, 75.5], {60.0})
    assert titles(figure) == ["Age: <b>60 years</b>, met", "sex: <b>f</b>, not met"]
    (here,) = lines(figure, 2)[1]
    assert ticks(figure.layout.xaxis2) == {here: "f", 1 - here: "m"}
    assert case_sentence(clause, row(20.0, "f")) == "1 of 3 conditions of this clause is met."
    many = case_figure(clause, row(60.0), REFERENCE, AGES // 5).layout
    assert (many.showlegend, many.height - many.margin.b) == (True, figure.layout.height - 30)
    assert figure.layout.legend.y > 1 > 0 > many.legend.y  # a list below, which needs room


def test_case_without_a_value_or_with_an_unseen_one_is_named():
    words = Wording(units={"age": "years"})
    figure = case_figure(Clause((OLD,)), row(np.nan), REFERENCE, Y, wording=words)
    assert titles(figure) == ["age: <b>missing</b>, not met"]
    assert lines(figure)[1] == set()
    sex = Clause((Literal("sex", "!=", "m"),))
    figure = case_figure(sex, row(1.0, "x"), REFERENCE, Y)
    (here,) = lines(figure)[1]
    assert ticks(figure.layout.xaxis)[here] == "x"
    nothing = {"age": np.full(3, np.nan), "sex": np.array([None] * 3, dtype=object)}
    assert not case_figure(Clause((OLD,)), row(1.0), nothing, Y[:3]).data
    many = {"sex": np.array([f"level {k:02d}" for k in range(40)], dtype=object)}
    figure = case_figure(sex, row(1.0, "level 33"), many, Y[:40])
    assert sum(sum(t.y) for t in figure.data) == 40
    assert len(figure.data[0].x) == 13
    (here,) = lines(figure)[1]
    names = ticks(figure.layout.xaxis)
    assert (names[here], names[12.0]) == ("level 33", "others")


@pytest.mark.slow
@given(st.floats(-1e9, 1e9) | AMONG, AMONG, st.integers(2, 60))
def test_case_is_on_the_side_of_each_cut_that_its_value_is_on(age, other, n):
    reference = {"age": np.linspace(0, 100, n)}
    figure = case_figure(Clause((OLD, Literal("age", "<=", other))), row(age), reference, Y[:n])
    cuts, (here,) = lines(figure)
    sides = [age > edge for edge in sorted({50.0, other})]
    if len(cuts) == len(sides) or len(set(sides)) == 1:  # else between two that are drawn as one
        assert [here > cut for cut in cuts] == sides[: len(cuts)]
    if n <= 20:
        place = np.searchsorted(reference["age"], age)
        assert here == place if age in reference["age"] else place - 1 < here < place


def test_points_are_a_sentence():
    older = Literal("age", ">", 75.0)
    card = PointsSplit((OLD, older, Literal("sex", "==", "m")), (3, -2, 1), 3)
    assert case_sentence(Clause((card,)), row(60.0)) == "4 points; 3 or more are needed."
    below = Clause((card.negate(),))
    assert case_sentence(below, row(80.0, "f")) == "1 point; fewer than 3 are needed."
    beside = Clause((Literal("age", "<=", 90.0), card))
    assert case_sentence(beside, row(60.0)) == "2 of 2 conditions of this clause are met."


LATE, EARLY = Literal("at", ">=", "2024-01-03", part="date"), Literal("at", "<=", 3, part="weekday")
GOOD = Literal("at", ">=", "good", order=("bad", "fair", "good", "best"))


@pytest.mark.parametrize(
    ("test", "cells", "case", "title"),
    [
        (LATE, "2024-01-01 2024-01-11", "2024-01-09", "at: <b>2024-01-09</b>, met"),
        (EARLY, "2024-01-01 2024-01-07", "2024-01-03", "weekday of at: <b>Wednesday</b>, met"),
        (GOOD, "bad best", "fair", "at: <b>fair</b>, not met"),
    ],
    ids=["date", "weekday", "order"],
)
def test_dates_parts_and_ordered_levels_are_drawn_as_compared(test, cells, case, title):
    reference = {"at": np.array(cells.split(), dtype=object)}
    case = {"at": np.array([case], dtype=object)}
    figure = case_figure(Clause((test,)), case, reference, ["a", "b"])
    assert titles(figure) == [title]
    (cut,), (here,) = lines(figure)
    assert bool(here > cut) is (bool(test.mask(case)[0]) is (test.op == ">="))
    if test.part:
        both = Clause((test, Literal("at", "<=", 3, part="month")))
        assert len(titles(case_figure(both, case, reference, ["a", "b"]))) == 2


def test_points_of_a_case_grow_to_its_total_beside_the_required_ones():
    tests = (OLD, Literal("sex", "==", "m"), Literal("age", ">", 70.0))
    bands = [PointsSplit(tests, (3, -2, 1), total) for total in (4, 2)]
    figure = points_figure(bands, row(80.0), Wording(names={"age": "<b>Age</b>"}))
    steps, total = figure.data
    assert (list(steps.base), list(steps.x)) == ([0, 4], [4, -2])
    assert list(total.x) == [2]
    assert [shape.x0 for shape in figure.layout.shapes] == [4, 2]
    names = ["&lt;b&gt;Age&lt;/b&gt;", "sex is &#x27;m&#x27;", "total"]
    assert ticks(figure.layout.yaxis) == dict(enumerate(names))

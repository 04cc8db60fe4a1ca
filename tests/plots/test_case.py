"""One case against one clause."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots import case_figure, case_sentence
from rulekit.rules import Clause, Literal, PointsSplit

REFERENCE = {"age": np.array([0.0, 50.0, 100.0]), "sex": np.array(["m", "f", None], dtype=object)}
OLD = Literal("age", ">", 50.0)


def row(age, sex="m"):
    return {"age": np.array([age], dtype=float), "sex": np.array([sex], dtype=object)}


@pytest.mark.parametrize(("more", "width"), [((), 0.5), ((Literal("age", "<=", 75.0),), 0.25)])
def test_the_requested_region_is_drawn_in_shares_of_the_range(more, width):
    requested = case_figure(Clause((OLD, *more)), row(60.0), REFERENCE).data[1]
    assert (requested.base[0], requested.x[0]) == (0.5, width)


def test_conditions_have_a_bar_and_known_values_a_mark():
    either = Clause((OLD, Literal("age", "<=", 10.0)), "or")
    assert len(case_figure(either, row(60.0), REFERENCE).data[1].x) == 2
    figure = case_figure(Clause((OLD,)), row(np.nan), REFERENCE)
    assert not len(figure.data[2].x)
    assert not len(figure.data[3].x)
    assert not case_figure(Clause((Literal("sex", "==", "m"),)), row(1.0), REFERENCE).data
    clause = Clause((OLD, Literal("sex", "==", "m")))
    assert case_sentence(clause, row(20.0)) == "1 of 2 conditions of this clause is met."


@pytest.mark.parametrize(("age", "trace"), [(60.0, 2), (50.0, 3), (0.0, 3)])
def test_shape_of_the_mark_shows_whether_the_condition_is_met(age, trace):
    figure = case_figure(Clause((OLD,)), row(age), REFERENCE)
    assert list(figure.data[trace].x) == [age / 100]
    assert {figure.data[2].marker.symbol, figure.data[3].marker.symbol} == {"circle", "x"}


@pytest.mark.slow
@given(st.floats(-1e9, 1e9))
def test_a_mark_never_leaves_the_bar(age):
    figure = case_figure(Clause((OLD,)), row(age), REFERENCE)
    assert all(0 <= x <= 1 for trace in figure.data[2:] for x in trace.x)


def test_each_numeric_test_of_points_has_a_bar_and_a_mark():
    older = Literal("age", ">", 75.0)
    card = PointsSplit((OLD, older, Literal("sex", "==", "m")), (3, -2, 1), 3)
    figure = case_figure(Clause((card,)), row(60.0), REFERENCE)
    assert list(figure.data[1].y) == ["1. age (+3)", "2. age (-2)"]
    assert list(figure.data[1].base) == [0.5, 0.75]
    assert (list(figure.data[2].y), list(figure.data[3].y)) == (["1. age (+3)"], ["2. age (-2)"])
    assert case_sentence(Clause((card,)), row(60.0)) == "4 points; 3 or more are needed."
    below = Clause((card.negate(),))
    assert case_sentence(below, row(80.0, "f")) == "1 point; fewer than 3 are needed."
    beside = Clause((Literal("age", "<=", 90.0), card))
    assert case_figure(beside, row(60.0), REFERENCE).data[1].y[0] == "1. age"
    assert case_sentence(beside, row(60.0)) == "2 of 2 conditions of this clause are met."


@pytest.mark.parametrize(
    ("test", "cells", "case", "share", "label"),
    [
        (
            Literal("at", ">=", "2024-01-03", part="date"),
            ["2024-01-01", "2024-01-11"],
            "2024-01-09",
            (0.2, 0.8),
            "2024-01-09",
        ),
        (
            Literal("at", "<=", 3, part="weekday"),
            ["2024-01-01", "2024-01-07"],
            "2024-01-03",
            (0, 2 / 6),
            "Wednesday",
        ),
        (
            Literal("at", ">=", "good", order=("bad", "fair", "good", "best")),
            ["bad", None],
            "fair",
            (0.5, 0.5),
            "fair",
        ),
    ],
    ids=["date", "weekday", "order"],
)
def test_dates_parts_and_ordered_levels_are_drawn_as_compared(test, cells, case, share, label):
    reference = {"at": np.array(cells, dtype=object)}
    figure = case_figure(Clause((test,)), {"at": np.array([case], dtype=object)}, reference)
    requested, met, missed = figure.data[1:]
    assert (requested.base[0], requested.x[0]) == pytest.approx(share)
    mark = met if label != "fair" else missed
    assert list(mark.text) == [label]
    inside = requested.base[0] <= mark.x[0] <= requested.base[0] + requested.x[0]
    assert inside is bool(test.mask({"at": np.array([case], dtype=object)})[0])
    assert requested.y[0] == f"1. {test.subject}"
    gone = case_figure(Clause((test,)), {"at": np.array([None], dtype=object)}, reference)
    assert not any(len(trace.x) for trace in gone.data[2:])


def test_a_date_and_its_weekday_have_a_bar_each():
    both = Clause(
        (Literal("at", ">=", "2024-01-03", part="date"), Literal("at", "<=", 3, part="weekday"))
    )
    reference = {"at": np.array(["2024-01-01", "2024-01-07"], dtype=object)}
    figure = case_figure(both, {"at": np.array(["2024-01-04"], dtype=object)}, reference)
    assert list(figure.data[1].y) == ["1. at", "2. weekday of at"]

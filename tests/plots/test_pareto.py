"""The trade-off figure: what is drawn, what a click gives back, what is said."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.plots import Baseline, front_sentence, plot_curve
from rulekit.plots.pareto import (
    LEAST_PLOT,
    LETTER,
    LINE,
    LINE_HEIGHT,
    MARGIN_WIDTH,
    OUTSIDE,
    PLOTS,
    ROOM,
    _box,
    _Plot,
    place_labels,
)
from rulekit.style.palette import learner_look

FRAME, SIZE = ((0.0, 10.0), (0.0, 1.0)), (500.0, 300.0)


def settings(n=6, **more):
    table = pd.DataFrame(
        {
            "n_conditions": np.arange(n, dtype=float),
            "test_error": np.linspace(0.3, 0.1, n),
            "test_error_se": 0.01,
            "on_front": True,
        },
        index=10 * np.arange(n),
    )
    return table.assign(**more)


def test_clicks_and_suggestions_belong_to_one_setting():
    figure = plot_curve(settings())
    assert [row[0] for row in figure.data[0].customdata] == [0, 10, 20, 30, 40, 50]
    figure = plot_curve(settings(), selected=20)
    assert (figure.data[-1].name, figure.data[-1].x[0]) == ("selected", 2.0)
    assert "selected" not in {trace.name for trace in plot_curve(settings(), selected=7).data}
    figure = plot_curve(settings(), notes={10: "simplest and best"})
    assert [a.text for a in figure.layout.annotations] == ["simplest and best"]


def test_dominated_and_empty_rules_are_marked():
    points = settings()
    points.loc[20, "on_front"] = False
    drawn, steps = plot_curve(points).data
    assert drawn.customdata[0] == [20]
    assert drawn.marker.symbol[0].endswith("-open")
    assert not any(symbol.endswith("-open") for symbol in drawn.marker.symbol[1:])
    assert steps.line.shape == "hv"
    assert 2.0 not in steps.x
    assert drawn.error_y.array is None
    assert list(steps.error_y.array) == [0.01] * 5
    points = by_limit().assign(n_conditions=[0.0, 0.0, 2.0, 2.0, 3.0, 3.0])
    points.loc[[0, 10], "test_error"] = 0.9
    layout = plot_curve(points, x="limit", series="method").layout
    assert layout.yaxis.range[1] < 0.5
    assert [a.text for a in layout.annotations] == ["↑ 2 from 90.0 %"]
    layout = plot_curve(points, x="limit", series="method", selected=10).layout
    assert layout.yaxis.range[1] > 0.9


def test_learners_have_a_shape_colour_and_line_of_their_own():
    points = settings(method=["a", "b"] * 3)
    trace = plot_curve(points, series="method").data[0]
    assert trace.marker.symbol[0] != trace.marker.symbol[1]
    assert trace.marker.color[0] != trace.marker.color[1]
    assert len(plot_curve(settings(method="a"), series="method").data) == 2
    trace, *lines = plot_curve(by_limit(), x="limit", series="method", selected=30).data
    band, a, b = (lines[1], lines[0], lines[2])
    assert [list(line.x) for line in (a, b)] == [[1, 2, 3], [1, 2, 3]]
    assert [a.line.color, b.line.color] == list(trace.marker.color[:2])
    assert band.name == "± one standard error"
    red, green, blue = bytes.fromhex(b.line.color[1:])
    assert band.fillcolor == f"rgba({red},{green},{blue},0.2)"
    assert max(band.y) == pytest.approx(by_limit().loc[10, "test_error"] + 0.01)
    points = by_limit()
    looks = {"a": learner_look(4), "b": learner_look(1)}
    points = points.assign(look=points["method"].map(looks))
    for shown in (points, points[points["method"] == "a"]):
        trace = plot_curve(shown, x="limit", series="method").data[0]
        drawn = points.loc[[label for (label,) in trace.customdata], "look"]
        assert list(trace.marker.color) == [look.colour for look in drawn]
        assert list(trace.marker.symbol) == [look.symbol for look in drawn]


def test_the_front_is_described_and_stays_among_many_points():
    points = settings(500)
    points["on_front"] = points["n_conditions"] < 20
    labels = {row[0] for row in plot_curve(points).data[0].customdata}
    assert len(labels) == 200
    assert {10 * k for k in range(20)} <= labels
    assert front_sentence(settings()) == (
        "The error falls from 30.0 % with 0 conditions to 10.0 % with 5 conditions; "
        "more conditions do not lower it."
    )
    assert front_sentence(settings(1)) == "The lowest error, 30.0 %, needs 0 conditions."
    assert front_sentence(settings(0)) == "No setting has been measured yet."


def test_baselines_share_labels_or_are_a_curve_over_sizes():
    lines = [Baseline("tree", 0.2), Baseline("forest", 0.201), Baseline("majority", 0.3)]
    texts = [a.text for a in plot_curve(settings(), baselines=lines).layout.annotations]
    assert texts == ["forest 20.1\u00a0%<br>tree 20.0\u00a0%", "majority 30.0\u00a0%"]
    trees = Baseline("trees", 0.1, ((1.0, 0.3), (3.0, 0.1)))
    figure = plot_curve(settings(), baselines=[trees, Baseline("tree", float("nan"))])
    assert [list(t.x) for t in figure.data if t.name == "trees"] == [[1.0, 3.0]]
    assert not figure.layout.annotations


@given(st.lists(st.floats(0.02, 0.5), min_size=1, max_size=6, unique=True))
def test_names_of_baselines_fit_into_the_margin_and_do_not_overlap(values):
    names = [f"always not recovered {k}" for k in range(len(values))]
    lines = [Baseline(name, value) for name, value in zip(names, values, strict=True)]
    figure = plot_curve(settings(), baselines=lines)
    labels = sorted(figure.layout.annotations, key=lambda label: label.y)
    texts = [label.text.split("<br>") for label in labels]
    assert max(len(line) for text in texts for line in text) <= MARGIN_WIDTH
    low, high = figure.layout.yaxis.range
    middles = np.array([label.y - low for label in labels]) * LEAST_PLOT[1] / (high - low)
    halves = np.array([len(text) for text in texts]) * LINE_HEIGHT / 2
    assert (np.diff(middles) >= halves[:-1] + halves[1:] - 1e-6).all()
    assert "".join(map("".join, texts)).count("%") == len(values)


def test_the_axis_holds_points_and_bars_and_not_far_baselines():
    trees = Baseline("trees", 0.01, ((1, 0.25), (3, 0.05), (5, 0.2), (40, 0.01)))
    low = plot_curve(settings(), baselines=[trees]).layout.yaxis.range[0]
    assert 0.01 < low < 0.05
    figure = plot_curve(settings(), baselines=[Baseline("majority", 0.9)])
    assert figure.layout.yaxis.range[1] < 0.4
    assert [a.text for a in figure.layout.annotations] == ["↑ majority 90.0\u00a0%"]
    points = settings().assign(test_error=0.0)
    low, high = plot_curve(points).layout.yaxis.range
    assert -0.002 < low < -0.001  # room for half a ring
    assert 0.01 < high < 0.02  # the bars of a hundredth, and no more
    points = settings().assign(test_error_se=0.05)
    _, high = plot_curve(points, baselines=[Baseline("majority", 0.9)]).layout.yaxis.range
    assert (points[points["on_front"]]["test_error"] + 0.05 < high).all()
    assert plot_curve(settings(0)).layout.yaxis.range is None
    points, far = settings().assign(test_error=0.125, test_error_se=0.0), ((1.0, 0.3),)
    lines = [Baseline("estimate", 0.3, far, decides=True)]
    low, high = plot_curve(points, baselines=lines).layout.yaxis.range
    assert min(0.125 - low, high - 0.3) > 0.05 * (high - low)  # both marks are whole


def by_limit(**more):
    return settings(6, method=["a", "b"] * 3).assign(limit=[1, 1, 2, 2, 3, 3], **more)


def test_limits_are_whole_ticks_with_names_below():
    axis = plot_curve(by_limit(), x="limit").layout.xaxis
    assert axis.dtick == 1
    assert (axis.range[0], axis.range[1]) == (0.5, 3.5)
    one = plot_curve(by_limit(), x="limit").layout
    six = plot_curve(by_limit(method=list("abcdef")), x="limit", series="method")
    assert {trace.name.strip() for trace in six.data if trace.legend == "legend2"} == set("abcdef")
    assert (six.layout.legend2.yanchor, six.layout.legend2.y < 0) == ("top", True)
    assert six.layout.legend.yanchor == "bottom"
    assert six.layout.height - one.height == 3 * LINE


@pytest.mark.parametrize("n", [5, 12, 24])
def test_ring_of_the_last_point_and_numbers_fit_into_a_narrow_plot(n):
    errors = np.linspace(0.3, 0.1, n)
    points = pd.DataFrame({"limit": range(1, n + 1), "test_error": errors}).assign(on_front=True)
    figure = plot_curve(points, x="limit", selected=n - 1)
    (left, right), ring = figure.layout.xaxis.range, figure.data[-1].marker.size / 2
    scale = LEAST_PLOT[0] / (right - left)
    assert (right - n) * scale > ring  # names of lines begin right of the axis
    assert figure.layout.xaxis.dtick * scale > 2 * LETTER + 1  # two digits


def test_a_note_does_not_lie_on_a_steep_line():
    errors = [0.256, 0.097, *[0.095] * 10]
    points = pd.DataFrame({"limit": range(1, 13), "test_error": errors}).assign(on_front=True)
    layout = plot_curve(points, x="limit", notes={1: "suggested"}).layout
    (note,) = layout.annotations
    (left, right), (low, high) = layout.xaxis.range, layout.yaxis.range
    part = np.linspace(0, 1, 101)  # of the way from the first point down to the second
    x = (1 + part - left) / (right - left) * LEAST_PLOT[0]
    y = (high - errors[0] + part * (errors[0] - errors[1])) / (high - low) * LEAST_PLOT[1]
    wide = LETTER * len(note.text)
    begins = x[-1] + note.ax - {"left": 0, "center": wide / 2, "right": wide}[note.xanchor]
    ends = y[-1] + note.ay + (0 if note.yanchor == "bottom" else LINE_HEIGHT)
    inside = (x > begins) & (x < begins + wide) & (y > ends - LINE_HEIGHT) & (y < ends)
    assert not inside.any()


def test_labels_of_far_points_cover_nothing():
    errors = {"test_error": [0.9, 0.8, 0.85, *[0.1] * 9], "n_conditions": [0, 0, 0, *[2] * 9]}
    points = pd.DataFrame({"limit": range(12), **errors}).assign(on_front=True)
    far = plot_curve(points, x="limit").layout.annotations
    assert [label.text for label in far] == ["↑ 90.0 %", "↑ 80.0 %", "↑ 85.0 %"]
    assert len({label.yshift for label in far}) == 3
    assert [label.xanchor for label in far] == ["left", "center", "center"]  # the axis is left
    rows = [(1, 0.9), (2, 0.9), (3, 0.24), (4, 0.2), *[(k, 0.1) for k in range(5, 13)]]
    points = pd.DataFrame(rows, columns=["limit", "test_error"])
    points["on_front"] = points["limit"] > 3
    layout = plot_curve(points, x="limit").layout
    assert len(layout.annotations) == 2
    (left, right), (low, high) = layout.xaxis.range, layout.yaxis.range
    for label in layout.annotations:
        begin = (label.x - left) / (right - left) * LEAST_PLOT[0]
        begin -= LETTER * len(label.text) / 2 * (label.xanchor == "center")
        x = (points["limit"] - left) / (right - left) * LEAST_PLOT[0] - begin
        y = (high - points["test_error"]) / (high - low) * LEAST_PLOT[1] + label.yshift
        covered = (x > 0) & (x < LETTER * len(label.text)) & (y > 0) & (y < LINE_HEIGHT)
        assert not covered.any()


def test_bands_of_known_spread_are_shown_in_full():
    points = by_limit(test_error_se=0.05, on_front=False)
    low, high = plot_curve(points, x="limit", series="method").layout.yaxis.range
    assert low < (points["test_error"] - 0.05).min()
    assert high > (points["test_error"] + 0.05).max()
    figure = plot_curve(by_limit(test_error_se=float("nan")), x="limit", series="method")
    assert all(line.fill is None for line in figure.data)
    errors = [0.1, 0.12, 0.18, 0.25, 0.33, 0.42, 0.52, 0.63]
    points = pd.DataFrame({"limit": range(1, 9), "test_error": errors, "test_error_se": 0.06})
    points["on_front"] = points["limit"] == 1
    assert plot_curve(points, x="limit").layout.yaxis.range[1] < 0.42
    points = pd.DataFrame({"limit": range(1, 13), "test_error": [0.085, *[0.13] * 11]})
    points = points.assign(test_error_se=[0.046, *[0.063] * 11], on_front=points["limit"] == 1)
    assert plot_curve(points, x="limit").layout.yaxis.range[1] > 0.13 + 0.063
    far = points.assign(test_error=[0.085, *[0.4] * 11])
    assert plot_curve(far, x="limit").layout.yaxis.range[1] < 0.15


@pytest.mark.parametrize("name", ["<a href='http://evil'>x</a>", "<img src=x onerror=y>"])
def test_names_from_outside_are_shown_and_never_read_as_markup(name):
    points = settings(label=name, method=[name, "b"] * 3)
    figure = plot_curve(points, series="method", notes={10: name}, baselines=[Baseline(name, 0)])
    assert "<a" not in figure.to_json().replace("\\u003c", "<")
    assert "<img" not in figure.to_json().replace("\\u003c", "<")


def test_costs_are_numbers_on_axes_in_names_and_in_words():
    points = settings()
    points = points.assign(test_cost_per_100=200 * points["test_error"])
    figure = plot_curve(points, y="test_cost_per_100", baselines=[Baseline("always good", 45.0)])
    assert figure.layout.yaxis.title.text == "Cost a 100 cases, cross-validated"
    assert "%" not in figure.layout.yaxis.tickformat
    assert [a.text for a in figure.layout.annotations] == ["always good 45"]
    assert figure.data[0].hovertext[0].endswith("0 conditions, 60 a 100 cases")
    assert front_sentence(points, y="test_cost_per_100", unit="EUR") == (
        "The cost a 100 cases falls from 60 EUR with 0 conditions to 20 EUR with 5 conditions; "
        "more conditions do not lower it."
    )


@pytest.mark.parametrize(
    ("per", "value"), [("cost_per_100", 60), ("cost_per_100", 0.06), ("error", 0.2)]
)
def test_axis_of_equal_points_reaches_a_tenth_further_in_any_unit(per, value):
    points = settings().assign(**{f"test_{per}": value})
    for line in (1.095 * value, 1.105 * value):
        beside = [Baseline("line", line)]
        low, high = plot_curve(points, y=f"test_{per}", baselines=beside).layout.yaxis.range
        assert low < value
        assert (high > line) == (line < 1.1 * value)


def box(note):
    """Left, top, right and bottom of a note as Plotly draws it, in pixels of the plot."""
    x = note["x"] / 10 * 500 + note["ax"]
    y = (1 - note["y"]) * 300 + note["ay"]
    lines = note["text"].split("<br>")
    wide, tall = LETTER * max(map(len, lines)), LINE_HEIGHT * len(lines)
    left = {"left": x, "right": x - wide, "center": x - wide / 2}[note["xanchor"]]
    top = y if note["yanchor"] == "top" else y - tall
    return left, top, left + wide, top + tall


def meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("seed", range(20))
def test_notes_of_a_falling_curve_cover_no_point_and_stay_in_the_plot(seed):
    rng = np.random.default_rng(seed)
    x = np.arange(1.0, 10.0)
    y = 0.2 + 0.6 * np.exp(-x / 3) + rng.normal(0, 0.02, 9)
    one, other = rng.choice(9, 2, replace=False)
    words = "5 conditions: each further one buys less than 0.2 points"
    message = {(x[one], y[one]): [words], (x[other], y[other]): ["lowest mean error"]}
    boxes = [box(note) for note in place_labels(message, np.column_stack([x, y]), FRAME, SIZE)]
    assert not meet(*boxes)
    for left, top, right, bottom in boxes:
        assert min(left, top, 500 - right, 300 - bottom) >= 0
        across, down = x * 50, (1 - y) * 300
        assert not ((across > left) & (across < right) & (down > top) & (down < bottom)).any()


@pytest.mark.parametrize("seed", range(20, 40))
def test_a_note_covers_no_point_whatever_the_width_of_the_plot(seed):
    rng = np.random.default_rng(seed)
    sizes = np.tile(np.arange(1.0, 13.0), 3)
    errors = 0.3 - 0.012 * sizes + rng.normal(0, 0.02, len(sizes))
    points = pd.DataFrame({"limit": sizes, "test_error": errors, "test_error_se": 0.02})
    points = points.assign(series=np.repeat(list("abc"), 12), on_front=True)
    figure = plot_curve(points, x="limit", series="series", notes={10: "suggested"})
    (note,) = [n for n in figure.layout.annotations if n.text == "suggested"]
    (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
    for wide, tall in PLOTS:
        scale = np.array([wide / (right - left), -tall / (high - low)])
        dots = (points[["limit", "test_error"]].to_numpy() - [left, high]) * scale
        begin, top, end, bottom = _box(dots[10], (note.ax, note.ay), 60.0, LINE_HEIGHT)
        assert not ((dots > [begin, top]) & (dots < [end, bottom])).all(axis=1).any()


def test_notes_are_broken_between_words_and_touch_no_other_note():
    plot = _Plot(FRAME, SIZE, np.array([[0.0, 1.0], [10.0, 0.0]]))  # points at two corners
    whole = np.array([0.0, 0.0, *SIZE])
    note = whole + ROOM * np.array([1, 1, -1, -1])
    assert plot.cost(note) == 0
    for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        plot.taken = [whole + np.array([x, y, x, y]) * np.array([*SIZE, *SIZE])]
        assert plot.cost(note) == OUTSIDE
    assert place_labels({(5.0, 0.5): ["best"]}, [[5.0, 0.5]], ((5.0, 5.0), (0.5, 0.5)), SIZE)
    words = "Suggested, simplest within one standard error, lowest mean error"
    (note,) = place_labels({(5.0, 0.5): [words]}, [[5.0, 0.5]], FRAME, SIZE)
    assert note["text"].replace("<br>", " ") == words
    assert max(map(len, note["text"].split("<br>"))) <= 26
    assert place_labels({}, [[1.0, 0.5]], FRAME, SIZE) == []

"""One case against one clause: its values among those of the training rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from rulekit.data.typed import read_labels
from rulekit.plots import outcomes
from rulekit.rules import Clause, Columns, Literal, PointsSplit
from rulekit.rules.condition import ORDERED, missing_in, spell_part, value_text
from rulekit.rules.literal import EQUALITIES
from rulekit.style.palette import BLUE, GREY, VERMILION, base_layout, outcome_looks, plain
from rulekit.style.phrases import PLAIN, Wording
from rulekit.style.scorecard import scales_of
from rulekit.style.wording import plural, short_number

MOST, MOST_LEVELS, HEIGHT = 4, 12, 140  # columns drawn, levels of one; pixels of a column
CASE = {"color": "#FFFFFF", "width": 6}, {"color": "#111111", "width": 3}  # seen on any page


def case_figure(
    clause: Clause,
    row: Columns,
    reference: Columns,
    y: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    wording: Wording = PLAIN,
) -> go.Figure:
    """Draw one case in the histogram of each column that a clause compares.

    Parameters
    ----------
    clause : Clause
        Its tests of numbers, dates, parts of dates, ordered levels and words are drawn, one
        histogram for what is compared, at most four; of sums and other conditions none.
    row : mapping of column name to array of shape (1,)
    reference : mapping of column name to array of shape (n,)
        The rows that are counted.
    y : array-like of shape (n,)
        Their outcomes.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`.
    wording : Wording

    Returns
    -------
    plotly.graph_objects.Figure
        Bars by outcome, dashed lines at the cut points of the clause, a solid line at the case. The
        title of a histogram has the value of the case with its unit, and whether it meets the
        tests. Without such a test the figure has no trace.
    """
    truth = read_labels(y).astype(object)
    labels = sorted(set(truth.tolist()), key=str)
    looks = outcome_looks(labels, classes)
    compared: dict[tuple[Any, ...], list[Literal]] = {}
    for test in clause.literals:
        if test.op in ORDERED or test.op in EQUALITIES:
            compared.setdefault((test.feature, test.part, test.order), []).append(test)
    panels: list[tuple[Any, ...]] = []  # of each column the title, and what `_numbers` returns
    for tests in compared.values():
        first, met = tests[0], [bool(test.mask(row)[0]) for test in tests]
        is_text = first.is_plain and reference[first.feature].dtype in (object, bool)
        place_rows = _levels if is_text else _numbers
        known, places, cuts, here, value, ticks = place_rows(tests, row, reference)
        is_amount = not is_text and first.is_plain and value != "missing"
        text = plain(wording.amount(first.feature, value) if is_amount else value, 20)
        is_met = "met" if (all if clause.op == "and" else any)(met) else "not met"
        title = f"{plain(wording.subject(first), 30)}: <b>{text}</b>, {is_met}"
        if len(places) and len(panels) < MOST:
            panels.append((title, places, known, cuts, here, ticks))
    if not panels:
        return go.Figure(layout=base_layout())
    titles = [title for title, *_ in panels]
    gap = 60 / (HEIGHT * len(panels)) if len(panels) > 1 else 0
    figure = make_subplots(rows=len(panels), cols=1, subplot_titles=titles, vertical_spacing=gap)
    for k, (_, places, known, cuts, here, ticks) in enumerate(panels):
        parts = [truth[known] == label for label in labels]
        outcomes.add_histogram(figure, places, parts, labels, looks, row=k + 1)
        outcomes.mark_cuts(figure, cuts, row=k + 1)
        place = {"type": "line", "x0": here, "x1": here, "y0": 0, "y1": 1}
        place |= outcomes.shape_axes(k + 1)
        lines = [place | {"line": look} for look in CASE if np.isfinite(here)]
        figure.update_layout(shapes=[*figure.layout.shapes, *lines])
        if ticks:
            axis = {"tickvals": list(ticks), "ticktext": list(ticks.values())}
            figure.update_xaxes(axis, row=k + 1, col=1)
    for trace in figure.data[len(labels) :]:
        trace.showlegend = False
    height = 70 + HEIGHT * len(panels)
    outcomes.stack_bars(figure, height, labels)
    below = 0 if figure.layout.showlegend else 10 + 20 * len(labels)  # many outcomes: a list
    lower = {"y": -30 / (height - 90), "yanchor": "top", "orientation": "v"}
    figure.update_layout(
        height=height + below,
        margin={"t": 60, "b": 30 + below},
        legend=lower if below else {"y": 1 + 24 / (height - 90)},
        showlegend=True,
    )
    return figure.update_annotations(font_size=13)


def case_sentence(clause: Clause, row: Columns) -> str:
    """Return how many conditions of a clause a case (arrays of shape (1,)) meets, or its points."""
    conditions = clause.conditions
    if len(conditions) == 1 and getattr(conditions[0], "given", None):  # points
        sign, total = conditions[0].comparison
        needed = f"{total} or more are needed" if sign == ">=" else f"fewer than {total} are needed"
        return f"{plural(int(conditions[0].compute_values(row)[0]), 'point')}; {needed}."
    met = int(clause.condition_masks(row).sum())
    size = plural(len(conditions), "condition")
    return f"{met} of {size} of this clause {'is' if met == 1 else 'are'} met."


def points_figure(
    splits: Sequence[PointsSplit], row: Columns, wording: Wording = PLAIN
) -> go.Figure:
    """Draw how the points of a case add up, with the total of each prediction of a scorecard."""
    given, scales = dict(splits[0].given), scales_of(splits[0], wording)
    points = [sum(given[c] for c in scale.conditions if c.mask(row)[0]) for scale in scales]
    ends, n = np.cumsum(points), len(points)
    figure = go.Figure(layout=base_layout(110 + 26 * n))
    colours = [BLUE if p >= 0 else VERMILION for p in points]
    bar = {"orientation": "h", "textposition": "auto", "hoverinfo": "none"}
    steps = {"base": ends - points, "text": [f"{p:+d}" for p in points], "marker_color": colours}
    figure.add_bar(y=list(range(n)), x=points, **steps, **bar)
    figure.add_bar(y=[n], x=[ends[-1]], text=[f"{ends[-1]}"], marker_color=GREY, **bar)
    line = {"dash": "dash", "color": GREY}
    for split in splits:
        figure.add_vline(split.total, line=line, annotation_text=f"{split.total} needed")
    names = [*(plain(scale.name, 40) for scale in scales), "total"]
    axis = {"tickvals": list(range(n + 1)), "ticktext": names, "autorange": "reversed"}
    return figure.update_layout(yaxis=axis, showlegend=False, xaxis_title="points", bargap=0.3)


def _numbers(tests: list[Literal], row: Columns, reference: Columns) -> tuple[Any, ...]:
    """Return known rows, places, cuts, place and text of the case, and ticks of an ordered axis."""
    first = tests[0]
    numbers = np.asarray(first.compute_values(reference), dtype=float)
    known = np.isfinite(numbers)
    here = float(first.compute_values(row)[0]) if not missing_in(row[first.feature])[0] else np.nan
    edges = np.array(sorted({test.edge for test in tests if test.op in ORDERED}))

    def write(number: float) -> str:
        if first.is_plain:
            return short_number(number)
        return plain(value_text(spell_part(first.value_at(number), first.part)), 20)

    value = write(here) if np.isfinite(here) else "missing"
    if not known.any():
        return known, np.array([]), edges, np.nan, value, {}
    drawn, _ = outcomes.gather_outliers(numbers[known], edges.tolist())
    distinct = np.unique(drawn)
    cuts, _ = outcomes.cut_positions(distinct, edges)
    if len(distinct) <= outcomes.FEW:
        ticks = {float(k): write(v) for k, v in enumerate(distinct)}
        place = float(np.searchsorted(distinct, here))
        if here not in distinct:
            place = _place_between(place - 1, here, cuts, edges)
        return known, drawn, cuts, place if np.isfinite(here) else np.nan, value, ticks
    ticks = {} if first.is_plain else {v: write(v) for v in (distinct[0], distinct[-1])}
    ends = [distinct[0], distinct[-1], *cuts]
    pad = np.ptp(ends) / 50
    place = float(np.clip(here, min(ends) - pad, max(ends) + pad))
    if place == here and outcomes.is_whole(distinct) and not here.is_integer():
        place = _place_between(np.floor(here), here, cuts, edges)
    return known, drawn, cuts, place, value, ticks


def _place_between(
    left: float, here: float, cuts: outcomes.Floats, edges: outcomes.Floats
) -> float:
    """Return where a case is between `left` and the next place, with its cuts drawn halfway."""
    below = edges[cuts == left + 0.5] < here
    return left + 0.25 + 0.5 * (float(below.mean()) if len(below) else 0.5)


def _levels(tests: list[Literal], row: Columns, reference: Columns) -> tuple[Any, ...]:
    """Return the same for words: the most frequent levels, that of the case and a rest."""
    column, cell = reference[tests[0].feature], row[tests[0].feature][0]
    known = ~missing_in(column)
    words = column[known].astype(str)
    levels, counts = np.unique(words, return_counts=True)
    shown = levels[np.argsort(-counts, kind="stable")][:MOST_LEVELS].tolist()
    value = "missing" if missing_in(row[tests[0].feature])[0] else str(cell)
    if value in levels and value not in shown:
        shown[-1] = value
    order = {level: float(k) for k, level in enumerate(shown)}
    places = np.array([order.get(word, float(len(shown))) for word in words])
    ticks = {k: plain(level, 12) for level, k in order.items()}
    if len(levels) > len(shown):
        ticks[float(len(shown))] = "others"
    here = np.nan if value == "missing" else order.setdefault(value, float(len(ticks)))
    return known, places, np.array([]), here, value, ticks | {here: plain(value, 12)}

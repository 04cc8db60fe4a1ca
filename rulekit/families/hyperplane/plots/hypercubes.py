"""Figures of a hyperplane and its boxes, with their data frames and sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, cast

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.solver.half_space import Floats, HalfSpace
from rulekit.rules import LinearSplit
from rulekit.style.palette import GREY, MARK, base_layout, outcome_looks, plain
from rulekit.style.phrases import Wording, condition_text, join_list, number
from rulekit.style.wording import percent, plural, short_number

FAINT = 0.12  # opacity of a point that meets none of the other conditions
ANY = "any value"


@dataclass(frozen=True)
class Projection:
    """A box in two columns."""

    x: str
    y: str
    points: pd.DataFrame  # a training row each: x, y, described (class), others (conditions met)
    boxes: pd.DataFrame  # columns x0, x1, y0, y1
    chosen: int  # box whose conditions on other columns are counted
    n_others: int
    # where the plane cuts the two columns, with the others as in `case`; None outside the range
    line: tuple[tuple[float, float], tuple[float, float]] | None
    case: tuple[float, float]


def interval_figure(intervals: pd.DataFrame) -> go.Figure:
    """Draw a box as one bar per column, with a case as a tick.

    Parameters
    ----------
    intervals : DataFrame, a row a column
        Columns ``name``, ``low`` and ``high`` (range in training), ``start`` and ``stop`` (the
        box, within that range), ``value`` (the case's) and ``words`` (the condition, or that any
        value will do).

    Returns
    -------
    plotly.graph_objects.Figure
        Bars from 0 to 100 % of each column's range, the box filled; the case is a tick with its
        value, drawn at the end of the bar where it lies beyond. The condition is beside the
        column's name.
    """
    names = [
        f"{k}. {plain(row.name_, 34)}<br>{plain(row.words, 44)}"
        for k, row in enumerate(intervals.rename(columns={"name": "name_"}).itertuples(), start=1)
    ]
    start, stop, value = (_share(intervals, column) for column in ("start", "stop", "value"))
    figure = go.Figure(layout=base_layout())
    bar = {"orientation": "h", "width": 0.3, "hoverinfo": "skip"}
    grey, words = {"color": "rgba(128,128,128,0.25)"}, "range in the training rows"
    figure.add_bar(y=names, x=[1.0] * len(names), marker=grey, name=words, **bar)
    wide = np.maximum(stop - start, 0.004)
    figure.add_bar(y=names, base=start, x=wide, marker={"color": GREY}, name="the box", **bar)
    finite = np.isfinite(value)
    text = [short_number(v) for v in intervals["value"][finite]]
    look: dict[str, Any] = {"mode": "markers+text", "text": text, "textposition": "top center"}
    look |= {"marker": {"symbol": "diamond-tall", "size": 20, **MARK}, "hoverinfo": "skip"}
    y = np.array(names, dtype=object)[finite]
    figure.add_scatter(x=value[finite], y=y, name="this case", **look)
    figure.update_layout(height=120 + 58 * len(names), barmode="overlay", showlegend=True)
    # the value above the first bar needs room below the legend
    figure.update_yaxes(range=[len(names) - 0.5, -1], type="category", automargin=True)
    figure.update_yaxes(showgrid=False)
    figure.update_xaxes(tickformat=".0%", range=[-0.05, 1.05], title="Place in the column's range")
    return figure


def interval_sentence(intervals: pd.DataFrame) -> str:
    """Return how many columns a box limits and whether the case is inside."""
    # `intervals` are as for `interval_figure`, with columns ``limits`` (whether the box limits the
    # column) and ``met``.
    limited = int(intervals["limits"].sum())
    outside = [str(name) for name in intervals["name"][~intervals["met"]]]
    lead = f"The box limits {limited} of {plural(len(intervals), 'column')} that the plane reads"
    if not outside:
        return f"{lead}; the case is inside."
    return f"{lead}; the case is outside, by {', '.join(outside)}."


def projection_figure(
    shown: Projection, described: str, other: str, *, classes: Sequence[Any] | None = None
) -> go.Figure:
    """Draw boxes, rows and the hyperplane's trace in two columns.

    Parameters
    ----------
    shown : Projection
    described, other : str
        Names of the two classes; the boxes are of the first.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`.

    Returns
    -------
    plotly.graph_objects.Figure
        Every box as a rectangle, the chosen one filled; a row is the fainter, the fewer of the
        chosen box's other conditions it meets; classes differ by shape and colour. The dashed line
        is the plane for the case's values in the other columns.
    """
    figure = go.Figure(layout=base_layout(460))
    looks = outcome_looks((described, other), classes)
    colour = looks[0].colour
    for k, box in enumerate(shown.boxes.itertuples()):
        chosen = k == shown.chosen
        figure.add_shape(
            type="rect",
            **{end: getattr(box, end) for end in ("x0", "x1", "y0", "y1")},
            line={"color": colour if chosen else GREY, "width": 3 if chosen else 1},
            fillcolor=colour if chosen else "rgba(0,0,0,0)",
            opacity=0.35 if chosen else 0.7,
            layer="below",
        )
    for is_class, name, look in zip((True, False), (described, other), looks, strict=True):
        rows = shown.points[shown.points["described"] == is_class]
        share = rows["others"].to_numpy() / shown.n_others if shown.n_others else np.ones(len(rows))
        marker = {"symbol": look.symbol, "size": 8, "color": look.colour}
        dots = {"marker": marker | {"opacity": FAINT + (1 - FAINT) * share}, "mode": "markers"}
        dots["text"] = [
            f"{int(n)} of {shown.n_others} other conditions hold" for n in rows["others"]
        ]
        dots |= {"hovertemplate": "%{x}, %{y}<br>%{text}<extra></extra>", "name": plain(name, 30)}
        figure.add_scatter(x=rows["x"], y=rows["y"], **dots)
    if shown.line is not None:
        x, y = zip(*shown.line, strict=True)
        words, line = "the plane, other columns as in the case", {"width": 2, "dash": "dash"}
        line["color"] = GREY
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name=words)
    star = {"mode": "markers", "marker": {"symbol": "star", "size": 16, **MARK}}
    case = {"x": [shown.case[0]], "y": [shown.case[1]], "name": "the case"}
    figure.add_scatter(hoverinfo="skip", **case, **star)
    figure.update_xaxes(title=plain(shown.x, 50))
    figure.update_yaxes(title=plain(shown.y, 50), automargin=True)
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"}, margin={"b": 90})
    return figure


def projection_sentence(shown: Projection, described: str) -> str:
    """Return how many of the rows in the rectangle of a `Projection` meet the other conditions."""
    box, points = shown.boxes.iloc[shown.chosen], shown.points
    inside = points["x"].between(box["x0"], box["x1"]) & points["y"].between(box["y0"], box["y1"])
    n = int(inside.sum())
    lead = f"{plural(n, 'training row')} {'lies' if n == 1 else 'lie'} in the filled rectangle"
    if not shown.n_others:
        of_class = int((inside & points["described"]).sum())
        return f"{lead}, {of_class} of them {described}; the box has no other condition."
    all_met = inside & (points["others"] == shown.n_others)
    of_class = int((all_met & points["described"]).sum())
    several = "condition" if shown.n_others == 1 else f"all {shown.n_others} conditions"
    return (
        f"{lead}; {int(all_met.sum())} of these also meet the box's "
        f"{several} on other columns, {of_class} of them {described}."
    )


def coverage_figure(
    curves: dict[str, list[int]], totals: dict[str, int], *, classes: Sequence[Any] | None = None
) -> go.Figure:
    """Draw the share of rows covered against the number of boxes.

    Parameters
    ----------
    curves : dict of str to list of int
        For each class the rows that each box holds, largest first.
    totals : dict of str to int
        The rows of each class that the plane gets right.
    classes : sequence, optional
        As for `projection_figure`.

    Returns
    -------
    plotly.graph_objects.Figure
        A line a class, from no box to all of them.
    """
    figure = go.Figure(layout=base_layout(320))
    for (name, counts), look in zip(curves.items(), outcome_looks(curves, classes), strict=True):
        shares = np.concatenate([[0.0], np.cumsum(counts)]) / max(totals[name], 1)
        figure.add_scatter(
            x=list(range(len(shares))),
            y=shares,
            mode="lines+markers",
            line={"color": look.colour},
            marker={"symbol": look.symbol, "size": 8},
            name=plain(name, 40),
            hovertemplate="%{x} boxes: %{y:.1%}<extra></extra>",
        )
    dtick = 1 if max(map(len, curves.values()), default=0) <= 15 else None
    figure.update_xaxes(title="Boxes, largest first", rangemode="tozero", dtick=dtick)
    figure.update_yaxes(title="Share of rows covered", tickformat=".0%", range=[0, 1.05])
    return figure


def coverage_sentence(curves: dict[str, list[int]], totals: dict[str, int]) -> str:
    """Return how much the first and all boxes of each class cover; see `coverage_figure`."""
    parts = []
    for name, counts in curves.items():
        if not counts:
            parts.append(f"{name}: no box")
            continue
        first, total = counts[0], max(totals[name], 1)
        parts.append(
            f"{name}: the largest box covers {percent(first / total)} of the rows that the plane "
            f"gets right, all {len(counts)} together {percent(sum(counts) / total)}"
        )
    return "; ".join(parts) + "."


def _share(intervals: pd.DataFrame, name: str) -> np.ndarray:
    """Scale values to the bars: 0 at the smallest, 1 at the largest, clipped."""
    low, high, value = (intervals[c].to_numpy(float) for c in ("low", "high", name))
    share = np.divide(value - low, high - low, out=np.full(len(low), 0.5), where=high > low)
    return np.asarray(np.clip(share, 0.0, 1.0))


def has_one_plane(model: Any) -> bool:
    """Return whether a model has one hyperplane that reads columns."""
    plane = model.plane_ if isinstance(model, HyperplaneRuleClassifier) else None
    return plane is not None and bool(plane.w.any())


def side_of(model: HyperplaneRuleClassifier, label: Any) -> HalfSpace:
    """Return the side of the hyperplane of a class."""
    return cast(HalfSpace, model.plane_.half(list(model.boxes_).index(label)))


def numbers_of(model: HyperplaneRuleClassifier, X: pd.DataFrame) -> Floats:
    """Return the hyperplane's input for some rows, shape (n, p), NaN for missing values."""
    return cast(Floats, model.plane_.design.frame(model.read_columns(X)).to_numpy(float))


def number_names(model: HyperplaneRuleClassifier, wording: Wording) -> list[str]:
    """Return the names of the hyperplane's inputs, in the order of its weights."""
    used = [model.plane_.design.numbers[j] for j in np.flatnonzero(model.plane_.w)]
    return [f"{wording.name(n.feature)}{n.name[len(n.feature) :]}" for n in used]


def plane_words(model: HyperplaneRuleClassifier, wording: Wording) -> str:
    """Return the described class's side of the hyperplane as one line, with six digits."""
    above = list(model.boxes_).index(model.positive_label_) == 1
    terms = zip(number_names(model, wording), model.plane_.w[model.plane_.w != 0], strict=True)
    split = LinearSplit(tuple((n, float(w)) for n, w in terms), ">", model.plane_.gamma)
    text = split.sum_text(lambda name: f"[{name}]" if " = " in name else name, number)
    return f"{text} {'>' if above else '<='} {number(model.plane_.gamma)}"


def intervals(
    model: HyperplaneRuleClassifier,
    label: Any,
    faces: tuple[Floats, Floats],
    case: Floats,
    wording: Wording,
) -> pd.DataFrame:
    """Describe a box column by column, as `rulekit.plots.interval_figure` takes it."""
    half, words = side_of(model, label), []
    face_low, face_high = half.open_faces(*faces)
    low, high = half.face_values(half.low, half.high)
    start, stop = half.face_values(*faces)
    for i, column in enumerate(half.columns.tolist()):
        number = model.plane_.design.numbers[column]
        literals = number.literals(float(half.signs[i]), face_low[i], face_high[i])
        words.append(join_list(condition_text(c, wording) for c in literals) or ANY)
    v = case * half.signs
    return pd.DataFrame(
        {
            "name": number_names(model, wording),
            "low": low,
            "high": high,
            "start": start,
            "stop": stop,
            "value": case,
            "words": words,
            "limits": np.isfinite(face_low) | np.isfinite(face_high),
            "met": (face_low < v) & (v <= face_high),
        }
    )


def projection(
    model: HyperplaneRuleClassifier,
    label: Any,
    chosen: int,
    axes: tuple[int, int],
    case: Floats,
    names: list[str],
) -> Projection:
    """Describe boxes, rows and the hyperplane in two columns; shapes: case (k,)."""
    half, boxes, plane = side_of(model, label), model.boxes_[label], model.plane_
    a, b = axes
    rows = plane.rows[:, half.columns]
    V = half.orient(plane.rows)
    lower, upper = half.open_faces(boxes.lower[chosen], boxes.upper[chosen])
    inside, counted = (lower < V) & (upper >= V), np.isfinite(lower) | np.isfinite(upper)
    counted[[a, b]] = False
    code = list(model.boxes_).index(label)
    points = pd.DataFrame({"x": rows[:, a], "y": rows[:, b], "described": plane.codes == code})
    points["others"] = inside[:, counted].sum(axis=1)
    low, high = half.face_values(boxes.lower, boxes.upper)
    corners = {"x0": low[:, a], "x1": high[:, a], "y0": low[:, b], "y1": high[:, b]}
    # where the plane, with the case's other values, meets the edges of the rows' range
    w = plane.w[half.columns]
    rest = [j for j in range(len(w)) if j not in axes]
    level = plane.gamma - float(w[rest] @ case[rest])
    least, most, edges = rows.min(axis=0), rows.max(axis=0), set()
    for (one, other), end in product(((a, b), (b, a)), (least, most)):
        there = (level - w[one] * end[one]) / w[other]
        if least[other] <= there <= most[other]:
            point = (float(end[one]), float(there))
            edges.add(point if one == a else point[::-1])
    ends = sorted(edges)
    line = (ends[0], ends[-1]) if len(ends) > 1 else None
    boxes_shown, at = pd.DataFrame(corners), (float(case[a]), float(case[b]))
    n_others = int(counted.sum())
    return Projection(names[a], names[b], points, boxes_shown, chosen, n_others, line, at)


def others_words(table: pd.DataFrame, axes: tuple[int, int]) -> str:
    """Return which of a box's conditions on other columns a case meets."""
    others = table.drop(index=list(axes))
    others = others[others["limits"]]
    if others.empty:
        return "The box has no condition on other columns."
    met = int(others["met"].sum())
    if len(others) == 1:
        does = "meets" if met else "does not meet"
        return f"The case {does} the box's other condition, {others['words'].iloc[0]}."
    words = f"The case meets {met} of the {len(others)} conditions on other columns"
    failing = [str(w) for w in others["words"][~others["met"]]]
    return f"{words}; not met: {join_list(failing)}." if failing else f"{words}."


def curves(model: HyperplaneRuleClassifier) -> tuple[dict[str, list[int]], dict[str, int]]:
    """Return the coverage curve of each class, the described one first, and its rows."""
    sides = sorted(model.boxes_.items(), key=lambda side: side[0] != model.positive_label_)
    counts = {str(label): boxes.n_points.tolist() for label, boxes in sides}
    return counts, {str(label): boxes.n_total for label, boxes in sides}


def coverage_table(model: HyperplaneRuleClassifier) -> pd.DataFrame:
    """Return one row per number of boxes, with the rows covered of each class."""
    counts, totals = curves(model)
    longest = max((len(c) for c in counts.values()), default=0)
    table = pd.DataFrame({"boxes": range(1, longest + 1)})
    for name, rows in counts.items():
        more = [None] * (longest - len(rows))
        table[f"rows in it, {name}"] = pd.array([*rows, *more], dtype="Int64")
        table[f"covered, {name}"] = [*(100 * (np.cumsum(rows) / max(totals[name], 1))), *more]
    return table

"""The trade-off curve: error by number of conditions."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from rulekit.data.costs import COST
from rulekit.style.palette import GREY, MARK, VERMILION, Look, base_layout, learner_look, plain
from rulekit.style.wording import format_measure, plural

MAX_POINTS = 200
LEAST_SIZE = 0.5  # mean conditions below which most folds' rules are constant
LEAST_REACH = 0.02  # of the vertical axis, in errors; of costs five times this part of the largest
HEIGHT = 380
ALONG = np.linspace(0.1, 0.9, 9)  # parts of a line that words keep clear of
APART = 4  # blanks after a learner, so that the next mark is nearer to its own name
PER_LINE, LINE = 3, 20  # learners in a line of the legend; its height in pixels
MAX_TICKS = 10  # numbers along the axis that fit into a narrow window
MARGIN, MARGIN_WIDTH = 130, 19  # right of the plot, for names of lines: pixels, letters
LEAST_PLOT = (170.0, 200.0)  # pixels inside the axes, in a narrow window
PLOTS = (LEAST_PLOT, (380.0, 240.0), (550.0, 275.0))  # and in wider ones
WHOLE = "limit"  # the axis of whole numbers of conditions allowed
AXIS_NAMES = {
    "limit": "Conditions allowed",
    "n_conditions": "Conditions in the rule (simple → complex)",
    "n_clauses": "Clauses in the rule (simple → complex)",
    "n_clauses_used": "Clauses in the rule (simple → complex)",
    "test_error": "Cross-validated error",
    "test_balanced_error": "Balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "Error on the training folds",
    COST: "Cost a 100 cases, cross-validated",
}
WIDTH = 26  # letters of a note in one line
FAR_LINE, FAR_LINES = 16, 6  # height of a label at the upper edge in pixels, lines to choose from
LETTER, LINE_HEIGHT = 6.5, 15.0  # size of a letter and of a line, in pixels
ACROSS = (-40, 40, -90, 90, -160, 160, 0)  # from the point to the note's near corner, in pixels
DOWN = (-40, 40, -80, 80, -130, 130, -180)
COVERED, OUTSIDE = 10.0, 100.0  # costs of a point that is covered, and of leaving the plot
POINT_WEIGHT = 4  # cost of a point that is covered, relative to a mark on a line
ROOM = 6.0  # pixels kept free around a note
RING = 24  # diameter of the mark of the selected point, in pixels
SMALL = {"size": 11, "color": GREY}  # letters of labels in the plot
Pair = tuple[float, float]


def place_labels(
    notes: Mapping[Pair, Sequence[str]], marks: ArrayLike, frame: tuple[Pair, Pair], *sizes: Pair
) -> list[dict[str, Any]]:
    """Return annotations with arrows, without overlap in plots of some sizes; marks (n, 2)."""
    plots = [_Plot(frame, size, np.asarray(marks, dtype=float).reshape(-1, 2)) for size in sizes]
    placed_notes = []
    for point, labels in notes.items():
        text = plain(" and ".join(labels), 120)
        lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
        area = LETTER * max(map(len, lines)), LINE_HEIGHT * len(lines)
        costs = {}
        for move in product(ACROSS, DOWN):
            covered = sum(plot.cost(_box(plot.pixels(point), move, *area)) for plot in plots)
            costs[move] = covered + 0.01 * (abs(move[0]) + abs(move[1]))
        best = min(costs, key=costs.__getitem__)
        for plot in plots:
            plot.taken.append(_box(plot.pixels(point), best, *area))
        side = {-1: "right", 0: "center", 1: "left"}[int(np.sign(best[0]))]
        note = {"x": point[0], "y": point[1], "text": "<br>".join(lines), "align": side}
        note |= {"xanchor": side, "yanchor": "bottom" if best[1] < 0 else "top"}
        note |= {"ax": best[0], "ay": best[1], "arrowhead": 2, "arrowcolor": GREY}
        placed_notes.append(note | {"showarrow": True})
    return placed_notes


def _box(at: NDArray[np.float64], move: Pair, wide: float, tall: float) -> NDArray[np.float64]:
    """Return left, top, right and bottom of a note, in pixels from the plot's upper left."""
    x, y = at + move
    left, top = x - wide * (1 - np.sign(move[0])) / 2, y - tall * (move[1] < 0)
    return np.array([left, top, left + wide, top + tall])


class _Plot:
    """Marks and notes of a plot in pixels from its upper left."""

    def __init__(self, frame: tuple[Pair, Pair], size: Pair, marks: NDArray[np.float64]) -> None:
        (left, right), (low, high) = frame
        self.size, self.origin = size, np.array([left, high])
        self.scale = np.array([size[0] / ((right - left) or 1.0), -size[1] / ((high - low) or 1.0)])
        self.dots = self.pixels(marks)
        self.taken: list[NDArray[np.float64]] = []

    def pixels(self, points: ArrayLike) -> NDArray[np.float64]:
        """Convert points of the axes."""
        return np.asarray((np.asarray(points) - self.origin) * self.scale)

    def cost(self, box: NDArray[np.float64]) -> float:
        """Compute what a label covers, and how far it leaves the plot."""
        left, top, right, bottom = box + ROOM * np.array([-1, -1, 1, 1])
        inside = (self.dots > [left, top]) & (self.dots < [right, bottom])
        n_bad = int(left < 0 or top < 0 or right > self.size[0] or bottom > self.size[1])
        for other in self.taken:
            apart = right < other[0] or left > other[2] or bottom < other[1] or top > other[3]
            n_bad += not apart
        return COVERED * float(inside.all(axis=1).sum()) + OUTSIDE * n_bad


@dataclass(frozen=True, slots=True)
class Baseline:
    """A reference model: a horizontal line, or a dotted curve if it comes in several sizes.

    Parameters
    ----------
    name : str
        How the model is called in the figure.
    value : float
        Its value on the vertical axis; of several, the smallest.
    curve : tuple of (float, float), default=()
        Size and value of each model of a family, from small to large.
    decides : bool, default=False
        The curve is an estimate by which settings are selected: a thin line with a mark at its
        lowest value, which is always shown.
    """

    name: str
    value: float
    curve: tuple[tuple[float, float], ...] = ()
    decides: bool = False


def plot_curve(
    points: pd.DataFrame,
    *,
    x: str = "n_conditions",
    y: str = "test_error",
    series: str | None = None,
    baselines: Sequence[Baseline] = (),
    notes: Mapping[int, str] | None = None,
    selected: int | None = None,
) -> go.Figure:
    """Draw settings as points and connect the best of them.

    Over conditions allowed (``x="limit"``) each learner's best points are joined, with a band of
    one standard error around the picked learner's; over any other measure of size a step line
    joins the front of all.

    Parameters
    ----------
    points : DataFrame, a row a setting
        Columns `x`, `y` and ``on_front`` (bool); optional: ``<y>_se`` (drawn as an error bar of
        one standard error for points on the front), ``label`` (text of the hover box) and ``look``
        (the `rulekit.style.palette.Look` of the point's series; otherwise in the order of their
        names). The index labels name the points: they come back as ``customdata`` of a click.
    x, y : str
        Columns of the two axes; smaller is better on both.
    series : str, optional
        Column that distinguishes learners; each gets a shape of its own and, redundantly, a colour.
    baselines : sequence of Baseline
        Lines too close for two labels share one label, one far above the points is only named
        at the edge; curves are grey crosses.
    notes : mapping of index label to str, optional
        Words written at points, for example which one is suggested.
    selected : int, optional
        Index label of the point drawn with a ring.

    Returns
    -------
    plotly.graph_objects.Figure
        Trace 0 holds all points and is the only one that answers to clicks.

    Notes
    -----
    Above 200 points the dominated ones farthest from the front are left out. Points
    that fall on each other are all drawn; the last one, which is on the front if any is, is hit.
    """
    if len(points) > MAX_POINTS:  # those farthest from the front are left out
        order = points.assign(_rank=(~points["on_front"]).astype(int)).sort_values(["_rank", y])
        points = points.loc[sorted(order.index[:MAX_POINTS])]
    shown = points.sort_values("on_front", kind="stable")
    figure = go.Figure(layout=base_layout(HEIGHT)).update_layout(hovermode="closest")
    names, kind, looks = _add_points(figure, shown, x, y, series)
    if x == WHOLE:
        _add_families(figure, shown, y, kind, looks, selected)
    else:
        _add_steps(figure, shown, x, y)
    _add_legend(figure, names, looks)
    families = [b for b in baselines if b.curve]
    for family in families:
        _add_curve(figure, family)
    lines = [b for b in baselines if not b.curve and np.isfinite(b.value)]
    lines.sort(key=lambda line: line.value)
    largest = shown[x].max()
    beside = [b.value for b in lines]
    beside += [value for b in families for size, value in b.curve if size <= largest]
    limits = _choose_vertical_range(shown, y, beside, everywhere=x == WHOLE, selected=selected)
    if limits is not None:
        (low, high), least = limits, [family.value for family in families if family.decides]
        pad = 0.06 * (max([high, *least]) - min([low, *least]))
        low = min(low, max(shown[y].min() - pad, -pad / 4))  # the mark of the lowest is whole
        limits = min([low, *(v - pad for v in least)]), max([high, *(v + pad for v in least)])
        _add_baselines(figure, lines, limits, y)
        _add_far(figure, shown, (x, y), limits)
        _add_notes(figure, shown, (x, y), notes or {}, limits)
    if selected is not None and selected in shown.index:
        ring = {"symbol": "circle-open", "size": RING, "color": VERMILION}
        ring |= {"line": {"width": 2, "color": VERMILION}}
        point, look = shown.loc[selected], {"mode": "markers", "marker": ring, "hoverinfo": "skip"}
        figure.add_scatter(x=[point[x]], y=[point[y]], name="selected", showlegend=True, **look)
    figure.update_xaxes(title=AXIS_NAMES.get(x, plain(x)), rangemode="tozero")
    if x == WHOLE and len(shown):
        dtick = -(-int(shown[x].max()) // MAX_TICKS)
        figure.update_xaxes(dtick=dtick, range=_choose_horizontal_range(shown, x))
    ticks = ",.4~g" if y == COST else ".2~%"
    return figure.update_yaxes(title=AXIS_NAMES.get(y, plain(y)), tickformat=ticks, range=limits)


def front_sentence(
    points: pd.DataFrame, *, x: str = "n_conditions", y: str = "test_error", unit: str = ""
) -> str:
    """Return where the front of `plot_curve` begins and ends; costs are counted in `unit`."""
    front = points[points["on_front"]].sort_values([x, y])
    if front.empty:
        return "No setting has been measured yet."
    word = "clause" if x.startswith("n_clauses") else "condition"
    first, last = front.iloc[0], front.iloc[-1]
    quantity = {"train_error": "training error", COST: "cost a 100 cases"}.get(y, "error")
    least, most = format_measure(last[y], y, unit), format_measure(first[y], y, unit)
    if len(front) == 1 or first[y] == last[y]:
        return f"The lowest {quantity}, {least}, needs {plural(last[x], word)}."
    return (
        f"The {quantity} falls from {most} with {plural(first[x], word)} to "
        f"{least} with {plural(last[x], word)}; more {word}s do not lower it."
    )


def _add_points(
    figure: go.Figure, points: pd.DataFrame, x: str, y: str, series: str | None
) -> tuple[list[str], NDArray[np.intp], list[Look]]:
    """Draw points; return the learners, the learner number of each point, and their looks."""
    learners = points[series].astype(str) if series else pd.Series("setting", points.index)
    names = sorted(learners.unique()) if series else ["setting"]
    kind = learners.map(names.index).to_numpy(dtype=np.intp)
    looks = list(map(learner_look, range(len(names))))
    if "look" in points:
        looks = [points["look"].iloc[np.argmax(kind == k)] for k in range(len(names))]
    best = points["on_front"].to_numpy(dtype=bool)
    shown = [looks[k] for k in kind]
    colours = [look.colour for look in shown]
    texts = points["label"] if "label" in points else [""] * len(points)
    quantity = "a 100 cases" if y == COST else "error"
    symbols = [f"{shown[k].symbol}{'' if best[k] else '-open'}" for k in range(len(best))]
    mark = {"symbol": symbols, "color": colours, "size": np.where(best, 12, 8)}
    mark |= {"opacity": np.where(best, 1.0, 0.4), "line": {"width": 1.2, "color": colours}}
    figure.add_scatter(
        x=points[x],
        y=points[y],
        mode="markers",
        customdata=[[int(label)] for label in points.index],
        hovertext=[
            f"{plain(text, 200)}<br>{plural(a, 'condition')}, {format_measure(b, y)} {quantity}"
            for text, a, b in zip(texts, points[x], points[y], strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
        marker=mark,
        selected={"marker": {"size": 16}},
        unselected={"marker": {"opacity": 0.6}},
    )
    return names, kind, looks


def _add_steps(figure: go.Figure, points: pd.DataFrame, x: str, y: str) -> None:
    front = points[points["on_front"]].sort_values([x, y])
    bars = {"type": "data", "thickness": 1, "width": 3, "color": GREY}
    figure.add_scatter(
        x=front[x],
        y=front[y],
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": GREY},
        error_y=bars | {"array": front[f"{y}_se"]} if f"{y}_se" in front else None,
        name="best for this size or smaller",
        hoverinfo="skip",
    )


def _add_families(
    figure: go.Figure,
    points: pd.DataFrame,
    y: str,
    kind: NDArray[np.intp],
    looks: Sequence[Look],
    selected: int | None,
) -> None:
    """Connect each learner's best point at each number of conditions."""
    held = kind[points.index.get_loc(selected)] if selected in points.index else 0
    for k, look in enumerate(looks):
        of_family = points[kind == k].sort_values([WHOLE, y]).drop_duplicates(WHOLE)
        colour = look.colour
        if k == held and f"{y}_se" in of_family and of_family[f"{y}_se"].notna().any():
            band = of_family.dropna(subset=[f"{y}_se"])
            low = (band[y] - band[f"{y}_se"]).clip(lower=0.0)  # an error is not negative
            red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
            figure.add_scatter(
                x=[*band[WHOLE], *band[WHOLE][::-1]],
                y=[*low, *(band[y] + band[f"{y}_se"])[::-1]],
                fill="toself",
                fillcolor=f"rgba({red},{green},{blue},0.2)",
                line={"width": 0},
                mode="lines",
                name="± one standard error",
                hoverinfo="skip",
            )
        line = {"width": 1.5, "color": colour}
        hidden = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"}
        figure.add_scatter(x=of_family[WHOLE], y=of_family[y], line=line, **hidden)


def _choose_horizontal_range(points: pd.DataFrame, x: str) -> Pair:
    """Return the range of the horizontal axis, with room for the outermost points."""
    values = points[x].to_numpy(dtype=float)
    left, last = float(min(values.min(), 1) - 0.5 if x == WHOLE else 0.0), float(values.max())
    ring = (RING / 2 + 2) / LEAST_PLOT[0]  # part of the axis: names of lines are right of it
    return left, last + max(0.5, (last - left) * ring / (1 - ring))


def _add_curve(figure: go.Figure, family: Baseline) -> None:
    """Draw a reference model by size; the estimate that decides with its minimum as a diamond."""
    sizes, values = zip(*family.curve, strict=True)
    mark = {"symbol": "x-thin-open", "size": 7, "color": GREY}
    mark = {"symbol": "star", "size": 14} | MARK if len(sizes) == 1 else mark  # of one rule
    figure.add_scatter(
        x=sizes,
        y=values,
        mode="lines" if family.decides else "lines+markers",
        line={"dash": "dash" if family.decides else "dot", "width": 1, "color": GREY},
        marker=mark,
        name=plain(family.name),
        hoverinfo="skip",
    )
    if family.decides:
        least = [size for size, value in family.curve if value == family.value]
        mark |= {"symbol": "diamond"}
        look = {"mode": "markers", "marker": mark, "showlegend": False, "hoverinfo": "skip"}
        figure.add_scatter(x=least, y=[family.value] * len(least), **look)


def _add_legend(figure: go.Figure, names: Sequence[str], looks: Sequence[Look]) -> None:
    """Add a legend of several learners below the plot, as wide as the plot and its left margin."""
    if len(names) < 2:
        return
    place = {"orientation": "h", "x": -0.01, "xanchor": "left", "y": -0.25, "yanchor": "top"}
    place |= {"font": {"size": 10}, "indentation": -15}  # three in a line of a window of 1280 px
    height = HEIGHT + LINE * (1 + -(-len(names) // PER_LINE))
    figure.update_layout(legend2=place, height=height, xaxis_automargin=True)
    for name, look in zip(names, looks, strict=True):
        mark = {"symbol": look.symbol, "color": look.colour, "size": 10}
        words = plain(name) + "\u00a0" * APART
        entry = {"mode": "markers", "marker": mark, "name": words, "legend": "legend2"}
        figure.add_scatter(x=[None], y=[None], **entry)


def _add_baselines(figure: go.Figure, ordered: Sequence[Baseline], limits: Pair, y: str) -> None:
    """Draw lines with their names at the right; names that would overlap share one label."""
    if not ordered:
        return
    low, high = limits
    per_line = (high - low) * LINE_HEIGHT / LEAST_PLOT[1]
    inside = [line for line in ordered if line.value <= high]
    entries = [(line.value, _lines(line, y)) for line in inside]
    for value, _ in entries:
        figure.add_hline(y=value, line={"dash": "dot", "width": 1, "color": GREY})
    above = [text for line in ordered[len(inside) :] for text in _lines(line, y, "↑ ")]
    if above:
        entries.append((high - per_line * len(above) / 2, above))
    labels: list[tuple[float, list[str]]] = []
    for middle, lines in entries:
        while labels and middle - labels[-1][0] < per_line * (len(lines) + len(labels[-1][1])) / 2:
            below, more = labels.pop()
            middle, lines = (middle + below) / 2, [*lines, *more]
        labels.append((middle, lines))
    place = {"x": 1.01, "xref": "paper", "xanchor": "left", "align": "left", "showarrow": False}
    for middle, lines in labels:
        figure.add_annotation(y=middle, text="<br>".join(lines), font=SMALL, **place)
    figure.update_layout(margin={"r": MARGIN})


def _lines(line: Baseline, y: str, before: str = "") -> list[str]:
    """Return the name and the value of a reference model in lines that fit into the margin."""
    value = format_measure(line.value, y).replace(" ", "\u00a0")  # and its unit share a line
    return textwrap.wrap(f"{before}{plain(line.name)} {value}", MARGIN_WIDTH)


def _choose_vertical_range(
    points: pd.DataFrame, y: str, beside: Sequence[float], *, everywhere: bool, selected: int | None
) -> Pair | None:
    """Choose the vertical range: near points, their bars and lines; None without points."""
    values = points[y].to_numpy(dtype=float)
    if not len(values):
        return None
    front = points["on_front"].to_numpy(dtype=bool)
    sizes = points.get("n_conditions", pd.Series(1.0, points.index)).to_numpy(dtype=float)
    # rules without a condition count as the front only if there are no others
    ruled = front & (sizes >= LEAST_SIZE)
    base = values[ruled] if ruled.any() else values
    least = LEAST_REACH * (5 * abs(values.max()) or 1.0 if y == COST else 1.0)
    highest = base.max() + max((base.max() - base.min()) / 2, least)
    near = (values <= highest) | (points.index == selected)
    spread = points.get(f"{y}_se", pd.Series(0.0, points.index)).to_numpy(dtype=float)
    spread = np.where(front | everywhere, np.nan_to_num(spread), 0.0)
    crossing = [value for value in beside if value <= highest]
    for _ in range(2):  # what the bars of others bring into the range is shown with its bars
        low = min([*(values - spread * everywhere)[near], *crossing])
        high = max([*(values + spread)[near], *crossing])
        pad = 0.12 * max(high - low, least)
        near |= values <= high + pad
    return max(low - pad, -pad / 2), high + pad  # a point at 0 is not cut in halves


def _add_far(figure: go.Figure, shown: pd.DataFrame, axes: tuple[str, str], limits: Pair) -> None:
    """Label the points above the shown range with an arrow at the edge, in the first free line."""
    x, y = axes
    marks, (_, high) = shown[[x, y]].to_numpy(dtype=float), limits
    plots = [_Plot((_choose_horizontal_range(shown, x), limits), size, marks) for size in PLOTS]
    for size, same_size in shown[shown[y] > high].groupby(x):
        several = f" {len(same_size)} from" if len(same_size) > 1 else ""
        text = f"↑{several} {format_measure(same_size[y].min(), y)}"
        # centred at the smallest size, it would meet the numbers of the axis
        centred, wide = size != shown[x].min(), LETTER * len(text)
        inside = np.array([ROOM, ROOM, wide - ROOM, FAR_LINE - ROOM])  # no room is kept around it
        boxes, costs = [], []
        for line in range(FAR_LINES):
            corner = np.array([-wide / 2 * centred, FAR_LINE * line])
            boxes.append([np.tile(p.pixels((size, high)) + corner, 2) + inside for p in plots])
            costs.append(sum(p.cost(box) for p, box in zip(plots, boxes[-1], strict=True)))
        best = int(np.argmin(costs))
        for plot, box in zip(plots, boxes[best], strict=True):
            plot.taken.append(box)
        place = {"x": size, "xanchor": "center" if centred else "left", "y": high}
        place |= {"yshift": -FAR_LINE * best, "yanchor": "top", "showarrow": False}
        figure.add_annotation(place, font=SMALL, text=text)


def _add_notes(
    figure: go.Figure, points: pd.DataFrame, axes: tuple[str, str], notes: Any, limits: Pair
) -> None:
    x, y = axes
    notes_at: dict[Pair, list[str]] = {}
    for label, words in notes.items():
        if label in points.index:
            notes_at.setdefault((points.loc[label, x], points.loc[label, y]), []).append(words)
    error = points.get(f"{y}_se", pd.Series(0.0, points.index)).fillna(0.0)
    marks = [np.column_stack([points[x], points[y] + k * error]) for k in (-1, 1)]
    marks += POINT_WEIGHT * [points[[x, y]].to_numpy(dtype=float)]
    for line in figure.select_traces({"mode": "lines", "fill": None}):
        ends = np.column_stack([line.x, line.y]).astype(float)
        marks += [(1 - part) * ends[:-1] + part * ends[1:] for part in ALONG]
    frame = _choose_horizontal_range(points, x), limits
    for annotation in place_labels(notes_at, np.concatenate(marks), frame, *PLOTS):
        figure.add_annotation(annotation)

"""The trade-off curve: what each further condition buys."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from rulekit.plots.palette import GREY, SERIES, SYMBOLS, VERMILION, base_layout, plain
from rulekit.plots.wording import percent, plural

MAX_POINTS = 200
LEAST_REACH = 0.02  # of the vertical axis, in errors
NOTE_WIDTH = 26  # letters of a note in one line
AXIS_NAMES = {
    "n_conditions": "Conditions in the rule (simple → complex)",
    "n_clauses": "Clauses in the rule (simple → complex)",
    "n_clauses_used": "Clauses in the rule (simple → complex)",
    "test_error": "Cross-validated error",
    "test_balanced_error": "Balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "Error on the training folds",
}


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
    """

    name: str
    value: float
    curve: tuple[tuple[float, float], ...] = ()


def front_figure(
    points: pd.DataFrame,
    *,
    x: str = "n_conditions",
    y: str = "test_error",
    series: str | None = None,
    baselines: Sequence[Baseline] = (),
    notes: Mapping[int, str] | None = None,
    selected: int | None = None,
) -> go.Figure:
    """Draw settings as points and join the best of them by a step line.

    Parameters
    ----------
    points : DataFrame, a row a setting
        Columns `x`, `y` and ``on_front`` (bool); optional: ``<y>_se`` (drawn as an error bar of
        one standard error for points on the front) and ``label`` (text of the hover box). The
        index labels name the points: they come back as ``customdata`` of a click.
    x, y : str
        Columns of the two axes; smaller is better on both.
    series : str, optional
        Column that tells learners apart; each gets a shape of its own and, redundantly, a colour.
    baselines : sequence of Baseline
        Lines too close to be told apart share one label, one far above the points is only named
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
    shown = _thinned(points, y).sort_values("on_front", kind="stable")
    figure = go.Figure(layout=base_layout(460))
    figure.update_layout(hovermode="closest")
    figure.add_trace(_points(shown, x, y, series))
    _add_steps(figure, shown, x, y)
    _add_legend(figure, shown, series)
    for family in (b for b in baselines if b.curve):
        figure.add_trace(_curve(family))
    lines = sorted(
        (b for b in baselines if not b.curve and np.isfinite(b.value)), key=lambda b: b.value
    )
    limits = _shown_range(shown, y, lines)
    if limits is not None:
        _add_baselines(figure, lines, limits)
    _add_notes(figure, shown, (x, y), notes or {})
    if selected is not None and selected in shown.index:
        _add_ring(figure, shown.loc[selected], x, y)
    figure.update_xaxes(title=AXIS_NAMES.get(x, plain(x)), rangemode="tozero")
    figure.update_yaxes(title=AXIS_NAMES.get(y, plain(y)), tickformat=".2~%", range=limits)
    return figure


def front_sentence(points: pd.DataFrame, *, x: str = "n_conditions", y: str = "test_error") -> str:
    """Say in one sentence what the trade-off curve shows.

    Parameters
    ----------
    points : DataFrame
        As for `front_figure`.
    x, y : str
        As for `front_figure`.

    Returns
    -------
    str
        Where the front begins, where it ends, and that more conditions buy nothing beyond.
    """
    front = points[points["on_front"]].sort_values([x, y])
    if front.empty:
        return "No setting has been measured yet."
    word = "clause" if x.startswith("n_clauses") else "condition"
    first, last = front.iloc[0], front.iloc[-1]
    what = "training error" if y == "train_error" else "error"
    if len(front) == 1 or first[y] == last[y]:
        return f"The lowest {what}, {percent(last[y])}, needs {plural(last[x], word)}."
    return (
        f"The {what} falls from {percent(first[y])} with {plural(first[x], word)} to "
        f"{percent(last[y])} with {plural(last[x], word)}; more {word}s do not lower it."
    )


def _thinned(points: pd.DataFrame, y: str) -> pd.DataFrame:
    if len(points) <= MAX_POINTS:
        return points
    order = points.assign(_rank=(~points["on_front"]).astype(int)).sort_values(["_rank", y])
    return points.loc[sorted(order.index[:MAX_POINTS])]


def _kinds(points: pd.DataFrame, series: str | None) -> tuple[list[str], NDArray[np.intp]]:
    """Name the learners in order of their name, and number each point's learner."""
    if series is None:
        return ["setting"], np.zeros(len(points), dtype=np.intp)
    names = sorted(points[series].astype(str).unique())
    return names, points[series].astype(str).map(names.index).to_numpy(dtype=np.intp)


def _points(points: pd.DataFrame, x: str, y: str, series: str | None) -> go.Scatter:
    kind = _kinds(points, series)[1] % len(SYMBOLS)
    best = points["on_front"].to_numpy(dtype=bool)
    colours = [SERIES[k] for k in kind]
    texts = points["label"] if "label" in points else [""] * len(points)
    hover = [
        f"{plain(text, 200)}<br>{plural(a, 'condition')}, {percent(b)} error"
        for text, a, b in zip(texts, points[x], points[y], strict=True)
    ]
    return go.Scatter(
        x=points[x],
        y=points[y],
        mode="markers",
        customdata=[[int(label)] for label in points.index],
        hovertext=hover,
        hoverinfo="text",
        showlegend=False,
        marker={
            "symbol": [
                SYMBOLS[k] if b else f"{SYMBOLS[k]}-open" for k, b in zip(kind, best, strict=True)
            ],
            "color": colours,
            "size": np.where(best, 12, 8),
            "opacity": np.where(best, 1.0, 0.4),
            "line": {"width": 1.2, "color": colours},
        },
        selected={"marker": {"size": 16}},
        unselected={"marker": {"opacity": 0.6}},
    )


def _add_steps(figure: go.Figure, points: pd.DataFrame, x: str, y: str) -> None:
    front = points[points["on_front"]].sort_values([x, y])
    bars = {"type": "data", "thickness": 1, "width": 3, "color": GREY}
    figure.add_trace(
        go.Scatter(
            x=front[x],
            y=front[y],
            mode="lines",
            line={"shape": "hv", "width": 1.5, "color": GREY},
            error_y=bars | {"array": front[f"{y}_se"]} if f"{y}_se" in front else None,
            name="best for this size or smaller",
            hoverinfo="skip",
        )
    )


def _curve(family: Baseline) -> go.Scatter:
    return go.Scatter(
        x=[size for size, _ in family.curve],
        y=[value for _, value in family.curve],
        mode="lines+markers",
        name=plain(family.name),
        hoverinfo="skip",
        line={"dash": "dot", "width": 1, "color": GREY},
        marker={"symbol": "x-thin-open", "size": 7, "color": GREY},
    )


def _add_legend(figure: go.Figure, points: pd.DataFrame, series: str | None) -> None:
    names = _kinds(points, series)[0]
    if len(names) < 2:
        return
    for k, name in enumerate(names):
        mark = {
            "symbol": SYMBOLS[k % len(SYMBOLS)],
            "color": SERIES[k % len(SERIES)],
            "size": 10,
        }
        figure.add_trace(
            go.Scatter(x=[None], y=[None], mode="markers", marker=mark, name=plain(name))
        )


def _add_baselines(
    figure: go.Figure, ordered: Sequence[Baseline], limits: tuple[float, float]
) -> None:
    """Draw lines with their names at the right; names that would overlap share one label."""
    if not ordered:
        return
    low, high = limits
    inside = [b for b in ordered if b.value <= high]
    groups: list[list[Baseline]] = []
    for line in inside:
        figure.add_hline(y=line.value, line={"dash": "dot", "width": 1, "color": GREY})
        if groups and line.value - groups[-1][0].value < (high - low) / 20:
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        middle = sum(b.value for b in group) / len(group)
        _label(figure, middle, [f"{plain(b.name)} {percent(b.value)}" for b in reversed(group)])
    above = [f"↑ {plain(b.name)} {percent(b.value)}" for b in ordered if b.value > high]
    if above:
        _label(figure, high, above)
    figure.update_layout(margin={"r": 180})


def _shown_range(
    points: pd.DataFrame, y: str, lines: Sequence[Baseline]
) -> tuple[float, float] | None:
    """Choose the vertical range: points, their bars and lines near them; None without points.

    A far line is named at the edge. Points that all have one value are not stretched apart.
    """
    values = points[y].to_numpy(dtype=float)
    if not len(values):
        return None
    spread = points.get(f"{y}_se", pd.Series(0.0, points.index)).to_numpy(dtype=float)
    spread = np.where(points["on_front"].to_numpy(dtype=bool), np.nan_to_num(spread), 0.0)
    reach = max(values.max() - values.min(), LEAST_REACH)
    near = [b.value for b in lines if b.value <= values.max() + reach]
    low, high = min([*values, *near]), max([*(values + spread), *near])
    pad = 0.12 * max(high - low, LEAST_REACH)
    return max(low - pad, -pad / 4), high + pad  # a point at 0 is not cut in halves


def _label(figure: go.Figure, y: float, lines: Sequence[str]) -> None:
    figure.add_annotation(
        x=1.01,
        xref="paper",
        xanchor="left",
        align="left",
        y=y,
        showarrow=False,
        font={"size": 11, "color": GREY},
        text="<br>".join(lines),
    )


def _add_notes(
    figure: go.Figure, points: pd.DataFrame, axes: tuple[str, str], notes: Mapping[int, str]
) -> None:
    by_point: dict[int, list[str]] = {}
    for label, words in notes.items():
        if label in points.index:
            by_point.setdefault(label, []).append(words)
    drawn = [np.asarray(trace.x, dtype=float) for trace in figure.data if trace.x is not None]
    width = max((float(np.nanmax(x)) for x in drawn if np.isfinite(x).any()), default=0.0)
    # the lowest of several goes below the front, where no points are; notes never meet there
    upwards = sorted(by_point, key=lambda label: -points.loc[label, axes[1]])
    for place, label in enumerate(upwards):
        said = by_point[label]
        across = points.loc[label, axes[0]]
        left = across > width / 2  # there is more room to its left
        lines = textwrap.wrap(
            plain(" and ".join(said), 120),
            NOTE_WIDTH,
            break_long_words=False,
            break_on_hyphens=False,
        )
        figure.add_annotation(
            x=across,
            y=points.loc[label, axes[1]],
            text="<br>".join(lines),
            align="right" if left else "left",
            showarrow=True,
            arrowhead=2,
            arrowcolor=GREY,
            xanchor="right" if left else "left",
            ax=-40 if left else 40,
            ay=45 if 0 < place == len(upwards) - 1 else -45 - 40 * place,
            yanchor="top" if 0 < place == len(upwards) - 1 else "bottom",
        )


def _add_ring(figure: go.Figure, point: pd.Series, x: str, y: str) -> None:
    ring = {
        "symbol": "circle-open",
        "size": 24,
        "color": VERMILION,
        "line": {"width": 2, "color": VERMILION},
    }
    figure.add_trace(
        go.Scatter(
            x=[point[x]],
            y=[point[y]],
            mode="markers",
            marker=ring,
            hoverinfo="skip",
            name="picked",
            showlegend=True,
        )
    )

"""One case against one clause: where its values lie, and where they would have to lie."""

from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from rulekit.plots.palette import GREY, MARK, base_layout, plain
from rulekit.plots.wording import plural, short_number
from rulekit.rules import ORDERED, Clause, Columns, Condition, Literal


@dataclass(frozen=True, slots=True)
class Track:
    """One numeric column of a clause: its range in the data, the region asked for, the value.

    Of points that add up, one test: `points` is what it gives.
    """

    feature: str
    low: float
    high: float
    start: float
    stop: float
    value: float
    met: bool
    points: int | None = None


def case_figure(clause: Clause, row: Columns, reference: Columns) -> go.Figure:
    """Draw the values of one case beside the ranges a clause asks for.

    Parameters
    ----------
    clause : Clause
        Its numeric literals are drawn, one bar a column; an AND intersects the literals of one
        column, an OR draws each literal by itself. So does each numeric test of points that add
        up, with what it gives beside its name.
    row : mapping of column name to array of shape (1,)
        The case.
    reference : mapping of column name to array of shape (n,)
        The rows whose smallest and largest values are the ends of the bars.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars from 0 to 100 % of each column's range, the asked region filled, the case as a dot
        where the condition is met and as a cross where it is not. Values outside the range are
        drawn at its end. Without a numeric literal the figure has no trace.
    """
    tracks = _tracks(clause, row, reference)
    figure = go.Figure(layout=base_layout())
    if not tracks:
        return figure
    names = [_name(k, track) for k, track in enumerate(tracks)]
    figure.add_trace(
        go.Bar(
            y=names,
            x=[1.0] * len(tracks),
            orientation="h",
            width=0.25,
            marker={"color": "rgba(128,128,128,0.25)"},
            hoverinfo="skip",
            name="range in the training rows",
        )
    )
    figure.add_trace(
        go.Bar(
            y=names,
            base=[_place(t, t.start) for t in tracks],
            x=[_place(t, t.stop) - _place(t, t.start) for t in tracks],
            orientation="h",
            width=0.25,
            marker={"color": GREY},
            hoverinfo="skip",
            name="what the clause asks for",
        )
    )
    for met, symbol, words in ((True, "circle", "met"), (False, "x", "not met")):
        chosen = [(n, t) for n, t in zip(names, tracks, strict=True) if t.met is met]
        figure.add_trace(_marks(chosen, symbol, f"this case, {words}"))
    figure.update_layout(height=110 + 50 * len(tracks), barmode="overlay", showlegend=True)
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, showgrid=False)
    figure.update_xaxes(tickformat=".0%", range=[-0.05, 1.05], title="Place in the column's range")
    return figure


def case_sentence(clause: Clause, row: Columns) -> str:
    """Say how many conditions of a clause a case meets; of points alone, how many it has.

    Parameters
    ----------
    clause : Clause
    row : mapping of column name to array of shape (1,)

    Returns
    -------
    str
    """
    if len(clause.conditions) == 1 and _given(clause.conditions[0]):
        (condition,) = clause.conditions
        sign, total = condition.comparison
        asked = f"{total} are asked for" if sign == ">=" else f"fewer than {total} are asked for"
        return f"{plural(int(condition.compared(row)[0]), 'point')}; {asked}."
    met = int(clause.condition_masks(row).sum())
    total = len(clause.conditions)
    return (
        f"{met} of {plural(total, 'condition')} of this clause {'is' if met == 1 else 'are'} met."
    )


def _name(k: int, track: Track) -> str:
    """Call a bar by number and column, so that two bars of one column stay apart."""
    points = "" if track.points is None else f" ({track.points:+d})"
    return f"{k + 1}. {plain(track.feature, 40)}{points}"


def _given(condition: Condition) -> tuple[tuple[Literal, int], ...]:
    """List the tests of a condition that give points; most kinds give none."""
    return getattr(condition, "given", ())


def _tracks(clause: Clause, row: Columns, reference: Columns) -> list[Track]:
    literals = [c for c in clause.literals if c.op in ORDERED and c.is_plain]
    added = [given for c in clause.conditions for given in _given(c) if given[0].op in ORDERED]
    counted = [replace(_track([test], row, reference), points=points) for test, points in added]
    if clause.op == "or":
        return [_track([literal], row, reference) for literal in literals] + counted
    columns: dict[str, list[Literal]] = {}
    for literal in literals:
        columns.setdefault(literal.feature, []).append(literal)
    return [_track(group, row, reference) for group in columns.values()] + counted


def _track(literals: list[Literal], row: Columns, reference: Columns) -> Track:
    feature = literals[0].feature
    floors = [_cut(v) for v in literals if v.op in (">", ">=")]
    ceilings = [_cut(v) for v in literals if v.op in ("<", "<=")]
    ends = [*_finite(reference, feature), *floors, *ceilings]
    low, high = float(min(ends)), float(max(ends))
    start, stop = max(floors, default=low), min(ceilings, default=high)
    met = all(bool(literal.mask(row)[0]) for literal in literals)
    value = row[feature][0]
    here = float("nan") if value is None else float(value)
    return Track(feature, low, high, start, max(start, stop), here, met)


def _cut(literal: Literal) -> float:
    return float(literal.value) if isinstance(literal.value, float) else float("nan")


def _finite(reference: Columns, feature: str) -> list[float]:
    numbers = np.asarray(reference[feature], dtype=float)
    return [float(v) for v in numbers[np.isfinite(numbers)]]


def _place(track: Track, value: float) -> float:
    """Place a value on the bar: 0 at the smallest, 1 at the largest, never outside."""
    span = track.high - track.low
    return float(np.clip((value - track.low) / span, 0, 1)) if span > 0 else 0.5


def _marks(chosen: list[tuple[str, Track]], symbol: str, legend: str) -> go.Scatter:
    known = [(name, t) for name, t in chosen if np.isfinite(t.value)]
    return go.Scatter(
        x=[_place(t, t.value) for _, t in known],
        y=[name for name, _ in known],
        mode="markers+text",
        text=[short_number(t.value) for _, t in known],
        textposition="top center",
        marker={"symbol": symbol, "size": 13, **MARK},
        hoverinfo="skip",
        name=legend,
    )

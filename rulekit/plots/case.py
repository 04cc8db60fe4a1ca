"""One case against one clause: its values and the required ranges."""

from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from rulekit.rules import Clause, Columns, Condition, Literal
from rulekit.rules.condition import ORDERED, spell_part, value_text
from rulekit.style.palette import GREY, MARK, base_layout, plain
from rulekit.style.wording import plural, short_number


@dataclass(frozen=True, slots=True)
class Track:
    """One bar of the figure: range in the data, required region, and value."""

    subject: str
    low: float  # days since 1970 for dates, the place in their order for levels
    high: float
    start: float
    stop: float
    value: float
    label: str
    met: bool
    points: int | None = None  # of the test, where points are added up


def case_figure(clause: Clause, row: Columns, reference: Columns) -> go.Figure:
    """Draw the values of one case beside the ranges that a clause requires.

    Parameters
    ----------
    clause : Clause
        Its tests of numbers, dates, parts of dates and ordered levels are drawn, one bar for what
        is compared; an AND intersects those of one bar, an OR draws each by itself. So does each
        such test of points that add up, with what it gives beside its name.
    row : mapping of column name to array of shape (1,)
    reference : mapping of column name to array of shape (n,)
        The rows whose smallest and largest values are the ends of the bars; of ordered levels the
        bar holds them all.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars from 0 to 100 % of each column's range, the required region filled, the case as a dot
        where the condition is met and as a cross where it is not. Values outside the range are
        drawn at its end. Without such a test the figure has no trace.
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
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Bar(
            y=names,
            base=[_position(t, t.start) for t in tracks],
            x=[_position(t, t.stop) - _position(t, t.start) for t in tracks],
            orientation="h",
            width=0.25,
            marker={"color": GREY},
            hoverinfo="skip",
            name="required by the clause",
        )
    )
    for met, symbol, words in ((True, "circle", "met"), (False, "x", "not met")):
        chosen = [(n, t) for n, t in zip(names, tracks, strict=True) if t.met is met]
        figure.add_trace(_marks(chosen, symbol, f"this case, {words}"))
    figure.update_layout(height=130 + 50 * len(tracks), barmode="overlay", showlegend=True)
    # room for the value above the first bar
    figure.update_yaxes(range=[len(tracks) - 0.5, -0.8], type="category", automargin=True)
    figure.update_yaxes(showgrid=False)
    figure.update_xaxes(tickformat=".0%", range=[-0.05, 1.05])
    figure.update_xaxes(title="Range of the training rows")
    return figure


def case_sentence(clause: Clause, row: Columns) -> str:
    """Return how many conditions of a clause a case meets, or its points.

    Parameters
    ----------
    clause : Clause
    row : mapping of column name to array of shape (1,)
    """
    if len(clause.conditions) == 1 and _list_points(clause.conditions[0]):
        (condition,) = clause.conditions
        sign, total = condition.comparison
        needed = f"{total} or more are needed" if sign == ">=" else f"fewer than {total} are needed"
        return f"{plural(int(condition.compute_values(row)[0]), 'point')}; {needed}."
    met = int(clause.condition_masks(row).sum())
    total = len(clause.conditions)
    return (
        f"{met} of {plural(total, 'condition')} of this clause {'is' if met == 1 else 'are'} met."
    )


def _name(k: int, track: Track) -> str:
    """Return a bar name from number and column, so that bars of one column stay apart."""
    points = "" if track.points is None else f" ({track.points:+d})"
    return f"{k + 1}. {plain(track.subject, 40)}{points}"


def _list_points(condition: Condition) -> tuple[tuple[Literal, int], ...]:
    """List the tests of a condition that give points; most kinds have none."""
    return getattr(condition, "given", ())


def _tracks(clause: Clause, row: Columns, reference: Columns) -> list[Track]:
    literals = [c for c in clause.literals if c.op in ORDERED]
    added = [
        given for c in clause.conditions for given in _list_points(c) if given[0].op in ORDERED
    ]
    counted = [replace(_track([test], row, reference), points=points) for test, points in added]
    if clause.op == "or":
        return [_track([literal], row, reference) for literal in literals] + counted
    compared: dict[tuple[str, str | None, tuple[str, ...] | None], list[Literal]] = {}
    for test in literals:
        compared.setdefault((test.feature, test.part, test.order), []).append(test)
    return [_track(group, row, reference) for group in compared.values()] + counted


def _track(literals: list[Literal], row: Columns, reference: Columns) -> Track:
    first = literals[0]
    floors = [v.edge for v in literals if v.op in (">", ">=")]
    ceilings = [v.edge for v in literals if v.op in ("<", "<=")]
    ends = [*_ends(first, reference), *floors, *ceilings]
    low, high = float(min(ends)), float(max(ends))
    start, stop = max(floors, default=low), min(ceilings, default=high)
    met = all(bool(literal.mask(row)[0]) for literal in literals)
    here = float(first.compute_values(row)[0] if row[first.feature][0] is not None else np.nan)
    label = short_number(here)
    if not first.is_plain and np.isfinite(here):
        label = plain(value_text(spell_part(first.value_at(here), first.part)), 40)
    return Track(first.subject, low, high, start, max(start, stop), here, label, met)


def _ends(test: Literal, reference: Columns) -> list[float]:
    """Return the ends of a bar; for ordered levels half a place beyond the first and last."""
    if test.order is not None:
        return [-0.5, len(test.order) - 0.5]
    numbers = np.asarray(test.compute_values(reference), dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    return [float(v) for v in (numbers.min(), numbers.max())] if len(numbers) else []


def _position(track: Track, value: float) -> float:
    """Scale a value to the bar: 0 at the smallest, 1 at the largest, clipped."""
    span = track.high - track.low
    return float(np.clip((value - track.low) / span, 0, 1)) if span > 0 else 0.5


def _marks(chosen: list[tuple[str, Track]], symbol: str, legend: str) -> go.Scatter:
    finite = [(name, t) for name, t in chosen if np.isfinite(t.value)]
    return go.Scatter(
        x=[_position(t, t.value) for _, t in finite],
        y=[name for name, _ in finite],
        mode="markers+text",
        text=[t.label for _, t in finite],
        textposition="top center",
        marker={"symbol": symbol, "size": 13, **MARK},
        hoverinfo="skip",
        name=legend,
    )

"""Where the rows go: the rows that each clause, total, value or leaf of a rule decides."""

import textwrap
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from rulekit.data.typed import read_labels
from rulekit.explain.subject import columns_for
from rulekit.plots.outcomes import FEW, gather_outliers, outcome_bins_figure
from rulekit.rules import Columns, RuleSet, scorecard_of
from rulekit.rules.analysis.tree import Part, divide_rows
from rulekit.rules.rule_set import rule_of
from rulekit.style.palette import GREY, MARK, Look, bars, base_layout, outcome_looks, plain
from rulekit.style.phrases import PLAIN, Wording, clause_words, whole_percent, write_outcome
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import capital, plural

WIDTH, LINES = 50, 3  # characters of a line on a phone, lines of a clause
LINE, BAR, GAP = 17, 18, 10  # pixels
LIGHT = 0.4  # opacity of rows that are predicted wrongly
FLOW = "rgba(128,128,128,0.15)"


def flow_table(model: Any, X: Any, y: Any, *, wording: Wording = PLAIN) -> pd.DataFrame:
    """Count the rows that each part of a rule decides.

    Parameters
    ----------
    model : RuleSet or fitted model
    X : data frame, or mapping of column name to array, n rows
    y : array-like of shape (n,)
    wording : Wording

    Returns
    -------
    DataFrame
        A row for each clause, range of totals or leaf, in the order of the rule, the rest last:
        ``part``, ``prediction``, ``rows``, ``correct``, ``share`` (that is correct; NaN without
        rows) and ``lift`` (`share` divided by that of the prediction in all rows). Every row of
        the table is counted once.
    """
    rule, columns = rule_of(model), columns_for(model, X)
    truth, parts = read_labels(y).astype(object), divide_rows(rule, columns)
    wording = wording.for_rule(rule)
    rows = [
        (name, str(p.label), int(p.rows.sum()), int((truth[p.rows] == p.label).sum()))
        for name, p in zip(_names(rule, parts, wording), parts, strict=True)
        if p.label is not None
    ]
    table = pd.DataFrame(rows, columns=["part", "prediction", "rows", "correct"])
    share = table["correct"] / table["rows"].where(table["rows"] > 0)
    base = [np.mean(truth == p.label) or np.nan for p in parts if p.label is not None]
    return table.assign(share=share, lift=share / base)


def flow_sentence(table: pd.DataFrame) -> str:
    """Return the counts of a `flow_table` as one sentence, the alternative text of the figure."""
    parts = [
        f"{row.part} ({row.prediction}): {row.correct:,} of {row.rows:,} correct"
        for row in table.itertuples()
    ]
    return f"{plural(int(table['rows'].sum()), 'row')}. {'; '.join(parts)}."


def plot_rule(
    model: Any,
    X: Any,
    y: Any,
    *,
    classes: Sequence[Any] | None = None,
    case: Columns | None = None,
    wording: Wording = PLAIN,
    is_small: bool = False,
) -> go.Figure:
    """Draw where a rule sends the rows of a table.

    Parameters
    ----------
    model, X, y, wording
        As for `flow_table`.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`.
    case : mapping of column name to array of shape (1,), optional
        A row that is drawn as a line that ends in the part that decides it.
    is_small : bool, default=False
        Leave out the texts of clauses, where they stand beside the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        All rows as one bar by outcome; below, each part as a bar below the rows it takes. Widths
        are rows; rows predicted wrongly are faint. A tree is drawn with all its splits. A
        scorecard, or a single sum, is a histogram of its value by outcome with its thresholds.
        A bar's ``customdata`` is the number of its part in the order of `flow_table`.
    """
    rule, columns, truth = rule_of(model), columns_for(model, X), read_labels(y).astype(object)
    labels, wording = sorted(set(truth.tolist()), key=str), wording.for_rule(rule)
    value = _value_of(rule)
    if value is not None and np.isfinite(value.compute_values(columns).astype(float)).any():
        return _draw_values(rule, columns, truth, classes, case, wording)
    parts = divide_rows(rule, columns)
    looks = dict(zip(labels, outcome_looks(labels, classes), strict=True))
    short = _shorten([*labels, *(part.label for part in parts if part.label is not None)], 30)
    figure = go.Figure(layout=base_layout())
    noun = "past case" if wording.spoken else "row"
    depth, places = 0.0, []
    for k, (name, part) in enumerate(zip(_names(rule, parts, wording), parts, strict=True)):
        lines = _lines(name, part, truth, short, is_small) if k or part.clause else []
        lines = lines if k else [*_head(truth, looks, short, noun), *lines]
        corner = {"x": 0, "xref": "paper", "xanchor": "left", "y": depth, "yanchor": "top"}
        text = {"text": "<br>".join(lines), "align": "left", "font": {"size": 12}, "borderpad": 0}
        figure.add_annotation(corner | text, showarrow=False)
        places.append(depth + LINE * len(lines))
        if k:  # the way of its rows from its parent's bar
            box = {"type": "rect", "x0": part.start, "x1": part.start + int(part.rows.sum())}
            box |= {"y0": places[part.parent] + BAR, "y1": places[k]}
            figure.add_shape(box, fillcolor=FLOW, line={"width": 0}, layer="below")
        depth = places[k] + BAR + GAP
    number = 0
    for part, place in zip(parts, places, strict=True):
        _draw(figure, part, place, truth, looks, number)
        number += part.label is not None
    if case is not None:
        taken = divide_rows(rule, case)
        k = next(k for k, part in enumerate(taken) if part.label is not None and part.rows[0])
        x = parts[k].start + int(parts[k].rows.sum()) / 2
        look = {"mode": "lines+markers", "line": {"color": GREY, "width": 2, "dash": "dot"}}
        look |= {"hovertext": "this case", "hoverinfo": "text", "name": "this case"}
        look["marker"] = {**MARK, "size": [0, 13], "symbol": "diamond"}
        figure.add_scatter(x=[x, x], y=[places[0], places[k] + BAR / 2], **look)
    figure.update_layout(barmode="overlay", height=int(depth) + 8, showlegend=False)
    figure.update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})
    figure.update_xaxes(visible=False, range=[0, max(len(truth), 1)], fixedrange=True)
    return figure.update_yaxes(visible=False, range=[depth, 0], fixedrange=True)


def _names(rule: RuleSet, parts: Sequence[Part], wording: Wording) -> list[str]:
    """Return the display name of each part, with its conditions."""
    if scorecard_of(rule):
        return [parts[0].name, *map(capital, clause_names(rule))]
    texts = [clause_words(part.clause, wording) if part.clause else "" for part in parts]
    return [
        capital(f"{p.name}: {text}" if text and not wording.spoken else text or p.name)
        for p, text in zip(parts, texts, strict=True)
    ]


def _shorten(labels: Sequence[Any], limit: int) -> dict[Any, str]:
    """Return names of outcomes that differ: long common beginnings and ends are left out."""
    words = {label: str(label).split() for label in labels}
    if len(words) > 1 and max(len(" ".join(each)) for each in words.values()) > limit:
        for _ in range(2):  # once from the left, once from the right
            groups = zip(*words.values(), strict=False)
            alike = sum(1 for _ in takewhile(lambda group: len(set(group)) == 1, groups))
            n = min([alike, *(len(each) - 1 for each in words.values())])
            cut = {label: ["…"] * (n > 0) + each[n:] for label, each in words.items()}
            words = {label: each[::-1] for label, each in cut.items()}
    return {label: " ".join(each) for label, each in words.items()}


def _head(truth: Any, looks: Mapping[Any, Look], short: Mapping[Any, str], noun: str) -> list[str]:
    """Return the lines above all rows: their number, and the rows of each outcome."""
    lines, length = [f"{plural(len(truth), noun)} (faint: predicted wrongly)"], WIDTH
    room = 30 if len(looks) <= 6 else 16  # of many outcomes, two stand in a line
    for label, look in looks.items():
        name = plain(write_outcome(short[label]), room)
        words = f"{name}: {int((truth == label).sum()):,}"
        sign = f'<span style="color:{look.colour}">■</span> {words}'
        wide = len(unescape(words))
        length += wide + 4
        if length > WIDTH:
            lines.append(sign)
            length = wide + 2
        else:
            lines[-1] += f"  {sign}"
    return lines


def _lines(
    name: str, part: Part, truth: NDArray[Any], short: Mapping[Any, str], is_small: bool
) -> list[str]:
    """Return the lines above a part: its conditions, its prediction and its counts."""
    wrapped = textwrap.wrap(name, WIDTH, max_lines=LINES, placeholder=" …")
    if part.label is None:
        return list(map(plain, wrapped))
    outcome = write_outcome(short[part.label])
    n, right = int(part.rows.sum()), int((truth[part.rows] == part.label).sum())
    counts = f"{right:,} of {n:,} correct ({whole_percent(right, n)})" if n else "no row"
    if is_small:
        name = plain(capital(part.name))
        room = max(6, WIDTH - 4 - len(name) - len(counts))
        return [f"{name}: <b>{plain(outcome, room)}</b>, {counts}"]
    return [*map(plain, wrapped), f"<b>{plain(outcome, WIDTH - 28)}</b>: {counts}"]


def _draw(figure: go.Figure, part: Part, top: float, truth: Any, looks: Any, number: int) -> None:
    """Draw a part as one bar: rows predicted correctly first, wrong ones faint."""
    start = part.start
    predicted = "" if part.label is None else f", predicted {plain(part.label, 30)}"
    place = {"y": [top + BAR / 2], "width": [BAR], "orientation": "h", "hoverinfo": "text"}
    place |= {"customdata": [] if part.label is None else [number]}
    for label in sorted(looks, key=lambda label: label != part.label):
        if n := int((truth[part.rows] == label).sum()):
            figure.add_bar(
                x=[n],
                base=[start],
                marker=bars(looks[label]),
                opacity=LIGHT if part.label is not None and label != part.label else 1,
                name=plain(label),
                hovertext=f"{n:,} actual {plain(label, 30)}{predicted}",
                **place,
            )
            start += n


def _value_of(rule: RuleSet) -> Any:
    """Return the condition whose value decides alone: points or a sum; None for clauses."""
    if splits := scorecard_of(rule):
        return splits[0]
    conditions = rule.clauses[0].conditions if rule.n_clauses == 1 else ()
    return conditions[0] if len(conditions) == 1 and hasattr(conditions[0], "sum_text") else None


def _draw_values(
    rule: RuleSet, columns: Columns, truth: NDArray[Any], classes: Any, case: Any, wording: Wording
) -> go.Figure:
    """Draw the values of points or of a sum by outcome, with the thresholds of the rule."""
    value, labels = _value_of(rule), sorted(set(truth.tolist()), key=str)
    values = np.asarray(value.compute_values(columns), dtype=float)
    if splits := scorecard_of(rule):
        cuts, name = sorted(split.total - 0.5 for split in splits), "points"
    else:
        cuts, name = np.atleast_1d(value.comparison[1]).tolist(), wording.score(value)
    codes = np.array(list(map(labels.index, truth.tolist())))
    figure = outcome_bins_figure(values, codes, cuts, name=name, labels=labels, classes=classes)
    if case is not None and np.isfinite(here := float(value.compute_values(case)[0])):
        distinct = np.unique(gather_outliers(values[np.isfinite(values)], cuts)[0])
        here = float(np.clip(here, distinct[0], distinct[-1]))
        x = float(np.searchsorted(distinct, here)) if len(distinct) <= FEW else here
        look = {"mode": "markers", "marker": {**MARK, "size": 13, "symbol": "diamond"}}
        figure.add_scatter(x=[x], y=[0], name="this case", row=1, col=1, **look)
    return figure

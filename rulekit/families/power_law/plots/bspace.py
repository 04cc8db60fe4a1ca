"""A power-law split as a figure: rows in B-space, where the boundary is linear."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rulekit.rules import Columns, PowerLawSplit
from rulekit.style.palette import GREY, MARK, Look, base_layout, outcome_looks, plain

Bools = NDArray[np.bool_]
MAX_POINTS = 2000  # of one class; more are drawn by chance
SKEWED, WIDE = 1.5, 30.0  # skewness, and largest over smallest value, from which a log scale helps
Floats = NDArray[np.float64]
GRID = 120
WRONG = "decided wrongly"


@dataclass(frozen=True)
class SplitPoints:
    """Input of a split's figure: the m rows with a value, and their coordinates."""

    laws: Floats  # (m, q)
    margin: Floats  # (m,), the paper's f
    labels: NDArray[Any]  # (m,), true classes
    wrong: Bools  # (m,)
    rows: NDArray[np.intp]  # (m,), positions in the table
    classes: tuple[Any, ...]  # of the whole table, so that colours agree with other figures


def split_points(
    split: PowerLawSplit,
    columns: Columns,
    labels: Sequence[Any] | NDArray[Any],
    answers: Sequence[Any] | NDArray[Any],
    reached: Bools | None = None,
    classes: Sequence[Any] | None = None,
) -> SplitPoints:
    """Compute the coordinates of rows in B-space, without those that have a gap in its columns.

    Parameters
    ----------
    split : PowerLawSplit
    columns : mapping of str to ndarray of shape (n,)
    labels, answers : array of shape (n,)
        True classes, and the rule's predictions.
    reached : ndarray of bool, shape (n,), optional
        Rows that come to the split's node; all by default.
    classes : sequence, optional
        All classes of the table, see `rulekit.style.palette.outcome_looks`; by default `labels`.

    Returns
    -------
    SplitPoints
    """
    total = split.total(columns)
    drawable = np.isfinite(total) if reached is None else np.isfinite(total) & reached
    numbers = {f: np.asarray(columns[f], dtype=float)[drawable] for f in split.features}
    laws = np.column_stack([t.value(numbers) for t in split.terms])
    truth = np.asarray(labels, dtype=object)[drawable]
    wrong = np.not_equal(truth, np.asarray(answers, dtype=object)[drawable]).astype(bool)
    all_labels = tuple(set(labels) if classes is None else classes)
    margin = split.margin(columns)[drawable]
    return SplitPoints(laws, margin, truth, wrong, np.flatnonzero(drawable), all_labels)


def log_helps(points: SplitPoints) -> bool:
    """Return whether logarithmic axes would spread the rows: long tails, only positive values."""
    laws = points.laws
    if laws.shape[1] > 2 or len(laws) < 3 or (laws <= 0).any():
        return False
    centred = laws - laws.mean(axis=0)
    skew = (centred**3).mean(axis=0) / np.maximum(centred.std(axis=0), 1e-300) ** 3
    return bool((np.abs(skew) > SKEWED).any() or (laws.max(axis=0) / laws.min(axis=0) > WIDE).any())


def looks_of(points: SplitPoints) -> dict[Any, Look]:
    """Return the look of the classes of some rows, sorted as text."""
    labels = sorted(dict.fromkeys(points.labels.tolist()), key=str)
    return dict(zip(labels, outcome_looks(labels, points.classes), strict=True))


def sample_points(points: SplitPoints) -> SplitPoints:
    """Select at most `MAX_POINTS` rows of each class; wrong predictions first."""
    rng = np.random.default_rng(0)
    indices = []
    for label in looks_of(points):
        of_label = np.flatnonzero(np.equal(points.labels, label))
        if len(of_label) > MAX_POINTS:
            order = np.lexsort((rng.random(len(of_label)), ~points.wrong[of_label]))
            of_label = of_label[np.sort(order[:MAX_POINTS])]
        indices.append(of_label)
    places = np.concatenate(indices) if indices else np.zeros(0, dtype=int)
    drawn = ("laws", "margin", "labels", "wrong", "rows")
    return replace(points, **{name: getattr(points, name)[places] for name in drawn})


def bspace_figure(
    split: PowerLawSplit,
    points: SplitPoints,
    *,
    case: Columns | None = None,
    log: bool = False,
    solid: bool = False,
    names: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the rows of a node in B-space, with the boundary of its split.

    Parameters
    ----------
    split : PowerLawSplit
        At most three power laws are drawn as they are; more as for three.
    points : SplitPoints
    case : mapping of column name to array of shape (1,), optional
        One row that is marked with a star.
    log : bool, default=False
        Logarithmic axes, for one or two power laws; the boundary of two is then bent.
    solid : bool, default=False
        For three power laws: a picture that can be turned.
    names : mapping of str to str, optional

    Returns
    -------
    plotly.graph_objects.Figure
        Classes differ in colour and shape; rows decided wrongly are ringed. At most 2000 points of
        each class are drawn, by a fixed chance.
    """
    star = None if case is None else split_points(split, case, [None], [None])
    drawing = _Drawing(split, sample_points(points), names or {}, star, "log" if log else "linear")
    q = len(split.terms)
    if q == 1:
        return drawing.strip()
    if q == 2:
        return drawing.plane()
    return drawing.solid() if q == 3 and solid else drawing.distance()


def columns_figure(
    split: PowerLawSplit,
    points: SplitPoints,
    columns: Columns,
    *,
    names: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the rows of a node over the two columns of a split, with the boundary.

    Parameters
    ----------
    split : PowerLawSplit
        Reads two columns.
    points : SplitPoints
    columns : mapping of str to ndarray of shape (n,)
        The table the points were computed from.
    names
        As in `bspace_figure`.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the split does not read exactly two columns.
    """
    if len(split.features) != 2:
        raise ValueError(f"`split` must read two columns, it reads {len(split.features)}.")
    drawing = _Drawing(split, sample_points(points), names or {})
    a, b = split.features
    x, y = (np.asarray(columns[f], dtype=float)[drawing.points.rows] for f in (a, b))
    figure = go.Figure(layout=base_layout(420))
    gx, gy = np.meshgrid(_grid(x), _grid(y))
    margin = split.margin({a: gx.ravel(), b: gy.ravel()}).reshape(gx.shape)
    figure.add_trace(_boundary(gx[0], gy[:, 0], margin, split.is_band))
    drawing.add_points(figure, x, y)
    figure.update_xaxes(title=plain(drawing.name(a), 80))
    figure.update_yaxes(title=plain(drawing.name(b), 80))
    return figure


def bspace_sentence(split: PowerLawSplit, points: SplitPoints) -> str:
    """Return how many rows are on which side of a split, as one sentence; see `bspace_figure`."""
    n = len(points.margin)
    if n == 0:
        return "No row comes to this split."
    within = points.margin <= 0
    parts = []
    sides = "at or below the boundary", "above it"
    sides = ("within the band", "outside it") if split.is_band else sides
    for side, word in zip((within, ~within), sides, strict=True):
        labels, counts = np.unique(points.labels[side].astype(str), return_counts=True)
        classes = ", ".join(f"{c} {label}" for label, c in zip(labels, counts, strict=True))
        classes = f" ({classes})" if classes else ""
        parts.append(f"{int(side.sum())} of {n} rows lie {word}{classes}")
    wrong = int(points.wrong.sum())
    errors = f"{wrong or 'none'} of these rows wrong{'; they are ringed' if wrong else ''}"
    return f"{'; '.join(parts)}. The whole rule gets {errors}."


@dataclass(frozen=True)
class _Drawing:
    """A figure of a split: rows, names of columns, a row that is marked, and the kind of axes."""

    split: PowerLawSplit
    points: SplitPoints
    names: Mapping[str, str]
    star: SplitPoints | None = None
    kind: str = "linear"

    def name(self, feature: str) -> str:
        return self.names.get(feature, feature)

    def law(self, k: int) -> str:
        return plain(self.split.terms[k].text(self.name, "{:.4g}".format), 80)

    def strip(self) -> go.Figure:
        """One power law: a strip with random height of the points."""
        figure, laws = go.Figure(layout=base_layout(300)), self.points.laws
        height = np.random.default_rng(0).uniform(0.1, 0.9, len(laws))
        self.add_points(figure, laws[:, 0], height)
        weight = self.split.terms[0].weight
        for bound in (self.split.low, self.split.high):
            if bound is not None and (self.kind != "log" or bound / weight > 0):
                figure.add_vline(x=bound / weight, line={"width": 2, "dash": "dash"})
        if self.star is not None:
            _add_star(figure, self.star.laws[:, 0], np.full(len(self.star.laws), 0.5))
        figure.update_xaxes(title=self.law(0), type=self.kind)
        figure.update_yaxes(visible=False, range=[0, 1])
        return figure

    def plane(self) -> go.Figure:
        """Two power laws: a plane; the boundary is a line, or the two edges of a band."""
        figure, split = go.Figure(layout=base_layout(420)), self.split
        x, y = self.points.laws.T
        log = self.kind == "log"
        gx, gy = (np.geomspace(v.min(), v.max(), GRID) if log else _grid(v) for v in (x, y))
        a, b = (t.weight for t in split.terms)
        total = a * gx[None, :] + b * gy[:, None]
        margin = total - split.high
        if split.low is not None:
            margin = np.maximum(margin, split.low - total)
        figure.add_trace(_boundary(gx, gy, margin, split.is_band))
        self.add_points(figure, x, y)
        if self.star is not None:
            _add_star(figure, *self.star.laws.T)
        figure.update_xaxes(title=self.law(0), type=self.kind)
        figure.update_yaxes(title=self.law(1), type=self.kind)
        return figure

    def distance(self) -> go.Figure:
        """Draw f against its largest power law: the boundary is a vertical line."""
        figure, points = go.Figure(layout=base_layout(420)), self.points
        weights = np.array([t.weight for t in self.split.terms])
        k = int(np.abs(weights * points.laws.std(axis=0)).argmax()) if len(points.laws) else 0
        self.add_points(figure, points.margin, points.laws[:, k])
        figure.add_vline(x=0, line={"width": 2, "dash": "dash"})
        if self.star is not None:
            _add_star(figure, self.star.margin, self.star.laws[:, k])
        figure.update_xaxes(title="score beyond its limit (dashed: the limit)")
        figure.update_yaxes(title=self.law(k))
        return figure

    def solid(self) -> go.Figure:
        """Draw three power laws with the boundary as planes."""
        figure, laws = go.Figure(layout=base_layout(520)), self.points.laws
        self.add_points(figure, *laws[:, :3].T)
        x, y = (_grid(laws[:, k], 60) for k in (0, 1))
        ends = _grid(laws[:, 2], 2)
        a, b, c = (t.weight for t in self.split.terms)
        look = {"colorscale": [[0, GREY], [1, GREY]], "showscale": False, "hoverinfo": "skip"}
        for bound in (self.split.low, self.split.high):
            if bound is not None:
                z = (bound - a * x[None, :] - b * y[:, None]) / c
                z[(z < ends[0]) | (z > ends[1])] = np.nan  # as far as there are rows
                figure.add_surface(x=x, y=y, z=z, opacity=0.35, **look)
        if self.star is not None:
            _add_star(figure, *self.star.laws[:, :3].T)
        titles = {f"{axis}axis": {"title": self.law(k)} for k, axis in enumerate("xyz")}
        figure.update_layout(scene=titles)
        return figure

    def add_points(self, figure: go.Figure, *at: Floats) -> None:
        """Add one trace per class, and rings around wrong predictions, in a plane or in space."""
        points = self.points
        dots: dict[str, Any] = {"size": 7, "opacity": 0.65}
        rings: dict[str, Any] = {"size": 13, "line": {"width": 2}}
        if len(at) == 3:
            dots, rings = {"size": 3, "opacity": 0.7}, {"size": 7}
        for label, look in looks_of(points).items():
            of_label = np.equal(points.labels, label)
            marker = {**dots, "color": look.colour, "symbol": look.symbol}
            hover = {"hovertemplate": "row %{customdata}<extra></extra>"}
            hover["customdata"] = points.rows[of_label] + 1
            rows = [x[of_label] for x in at]
            figure.add_trace(_markers(rows, name=plain(label), marker=marker, **hover))
        if points.wrong.any():
            marker = {"symbol": "circle-open", "color": GREY, **rings}
            wrong = [x[points.wrong] for x in at]
            figure.add_trace(_markers(wrong, name=WRONG, marker=marker, hoverinfo="skip"))
        figure.update_layout(showlegend=None if len(at) == 3 else True)


def _add_star(figure: go.Figure, *at: Floats) -> None:
    """Mark one row, in a plane or in space."""
    flat = len(at) == 2
    marker = {"size": 16, "symbol": "star"} if flat else {"size": 8, "symbol": "diamond"}
    look = {"marker": marker | MARK, "hovertemplate": "this case<extra></extra>" if flat else None}
    figure.add_trace(_markers(at, name="this case", **look))


def _markers(at: Sequence[Floats], **look: Any) -> go.Scatter | go.Scatter3d:
    """Return a trace of markers in a plane or in space."""
    trace = go.Scatter if len(at) == 2 else go.Scatter3d
    return trace(**dict(zip("xyz", at, strict=False)), mode="markers", **look)


def _boundary(x: Floats, y: Floats, margin: Floats, is_band: bool) -> go.Contour:
    """Draw the line where f is 0, the side within the bounds shaded."""
    return go.Contour(
        x=x,
        y=y,
        z=np.sign(margin) * np.minimum(np.abs(margin), 1e300),
        contours={"type": "constraint", "operation": ">", "value": 0.0},
        fillcolor="rgba(128,128,128,0.18)",
        line={"width": 2, "dash": "dash"},
        name="within the band" if is_band else "at or below the boundary",
        showlegend=True,
        hoverinfo="skip",
    )


def _grid(values: Floats, n: int = GRID) -> Floats:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    padding = 0.04 * (high - low) or 1.0
    return np.linspace(low - padding, high + padding, n)

"""Pareto fronts as SVG: one drawing, several series, no library."""

import html
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulekit.evaluation import pareto_front

WIDTH, HEIGHT = 560, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 36, 48
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 2", "5 5")
Points = Sequence[tuple[float, float]]


def front_figure(title: str, x_title: str, y_title: str, series: Mapping[str, Points]) -> str:
    """Draw the points of at most six series, and the front of each as a staircase, as ``<svg>``."""
    present = {name: points for name, points in series.items() if len(points)}
    flat = np.array([p for points in present.values() for p in points], dtype=float)
    if not len(flat):
        return f"<p>{html.escape(title)}: nothing to draw.</p>"
    x_ticks, y_ticks = _ticks(0.0, flat[:, 0].max()), _ticks(flat[:, 1].min(), flat[:, 1].max())
    frame = _Frame(x_ticks, y_ticks)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<text x="{LEFT}" y="20" font-size="14">{html.escape(title)}</text>',
        *frame.axes(x_title, y_title),
    ]
    for index, (name, points) in enumerate(present.items()):
        parts += _drawn(frame, name, np.array(points, dtype=float), index)
    return "\n".join([*parts, "</svg>"])


class _Frame:
    """From values to places on the page."""

    def __init__(self, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> None:
        self.x_ticks, self.y_ticks = x_ticks, y_ticks

    def x(self, value: float) -> float:
        share = (value - self.x_ticks[0]) / (self.x_ticks[-1] - self.x_ticks[0])
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = (value - self.y_ticks[0]) / (self.y_ticks[-1] - self.y_ticks[0])
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def axes(self, x_title: str, y_title: str) -> list[str]:
        low, high = self.y(self.y_ticks[0]), self.y(self.y_ticks[-1])
        right = self.x(self.x_ticks[-1])
        lines = [f'<path d="M{LEFT} {high}V{low}H{right}" fill="none" stroke="#333"/>']
        for tick in self.x_ticks:
            position = self.x(tick)
            lines.append(f'<path d="M{position} {low}v5" stroke="#333"/>')
            lines.append(
                f'<text x="{position}" y="{low + 18}" text-anchor="middle">{tick:g}</text>'
            )
        for tick in self.y_ticks:
            position = self.y(tick)
            lines.append(f'<path d="M{LEFT} {position}H{right}" stroke="#ddd"/>')
            lines.append(
                f'<text x="{LEFT - 8}" y="{position + 4}" text-anchor="end">{tick:g}</text>'
            )
        lines.append(
            f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
            f"{html.escape(x_title)}</text>"
        )
        lines.append(
            f'<text x="16" y="{(low + high) / 2}" text-anchor="middle" '
            f'transform="rotate(-90 16 {(low + high) / 2})">{html.escape(y_title)}</text>'
        )
        return lines


def front_steps(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the staircase through the non-dominated points."""
    mask = pareto_front(x, y)
    points = np.unique(
        np.c_[np.asarray(x, dtype=float)[mask], np.asarray(y, dtype=float)[mask]], axis=0
    )
    across, up = points[:, 0], points[:, 1]
    if not across.size:
        return across, up
    return np.r_[across[0], np.repeat(across[1:], 2)], np.r_[np.repeat(up[:-1], 2), up[-1]]


def _drawn(frame: _Frame, name: str, points: np.ndarray, index: int) -> list[str]:
    colour, dash = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
    steps = " ".join(
        f"{frame.x(x)},{frame.y(y)}" for x, y in zip(*front_steps(*points.T), strict=True)
    )
    legend_y = TOP + 10 + 20 * index
    legend_x = WIDTH - RIGHT + 14
    stroke = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" fill="none"'
    return [
        *(
            f'<circle cx="{frame.x(x)}" cy="{frame.y(y)}" r="3" fill="{colour}" opacity="0.6"/>'
            for x, y in points
        ),
        f'<polyline points="{steps}" {stroke}/>',
        f'<path d="M{legend_x} {legend_y}h26" {stroke}/>',
        f'<text x="{legend_x + 32}" y="{legend_y + 4}">{html.escape(name)}</text>',
    ]


def _ticks(low: float, high: float) -> list[float]:
    """Choose round values that span the data, about five of them."""
    span = max(high - low, 1e-9)
    size = 10.0 ** np.floor(np.log10(span / 4))
    step = next(size * k for k in (1, 2, 5, 10) if span / (size * k) <= 6)
    first, last = np.floor(low / step), np.ceil(high / step)
    return [float(round(k * step, 10)) for k in np.arange(first, max(last, first + 1) + 1)]

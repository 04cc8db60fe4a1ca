"""Rules as a self-contained web page: no script, no request, styles inside."""

from collections.abc import Sequence
from html import escape
from typing import Any

from rulekit.export.documents.text import exact_scales, label_text, size_text, write_lines
from rulekit.export.subject import ClauseNumbers, describe_columns, rule_to_export
from rulekit.rules import PointsSplit, scorecard_of
from rulekit.style.scorecard import (
    Band,
    Scale,
    bands_of_totals,
    clause_names,
    count_per_hundred,
    reading_notes,
)
from rulekit.style.wording import capital

STYLE = """
html{background:#fff}
body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:52rem;margin:2rem auto;
padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.size,.count{color:#555}.count{display:block;font-size:.9rem}
ol.rule{padding-left:1.5rem;list-style:none}.rule li{margin:.6rem 0}
code{background:#f2f4f7;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
b{font-weight:600;font-size:.85em;letter-spacing:.03em}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .75rem;text-align:left;
border-bottom:1px solid #ccc}td.n{text-align:right}
svg{max-width:40rem}
@media print{body{margin:0;max-width:none}code{background:none;padding:0}}
""".strip()

MANY = 5  # classes, above which a confusion table is written smaller


def to_html(
    model: Any, *, numbers: Sequence[ClauseNumbers] | None = None, title: str = "Rule"
) -> str:
    """Write a rule as a web page.

    Parameters
    ----------
    model : RuleSet or fitted model
        The rule to write.
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown below each clause.
    title : str, default="Rule"
        The page's heading.

    Returns
    -------
    str
        A complete page; names, values and labels are escaped.

    Raises
    ------
    ExportError
        If there is no rule, or it has conditions or labels that text cannot express.
    """
    lines = describe_columns(rule_to_export(model))
    columns = [f'<p class="count">{escape(line)}</p>' for line in lines]
    return page(title, "\n".join([rule_html(model, numbers), *columns]))


def page(title: str, body: str, style: str = "") -> str:
    """Return a page with one head and inline styles; nothing is fetched."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}{style}\n</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def rule_html(
    model: Any,
    numbers: Sequence[ClauseNumbers] | None = None,
    size: str | None = None,
    bands: Sequence[Band] | None = None,
) -> str:
    """Write a rule as a list for a page, a scorecard as tables with its `bands` of totals."""
    rule = rule_to_export(model)
    lines = [f'<p class="size">{escape(size or size_text(rule))}</p>']
    if splits := scorecard_of(rule):
        lines += _card(splits[0], bands_of_totals(model) if bands is None else bands)
        for name, counts in zip(clause_names(rule), numbers or (), strict=False):
            sentence = f"{capital(name)}: {counts.sentence}"
            lines.append(f'<p class="count">{escape(sentence)}</p>')
        return "\n".join(lines)
    lines.append('<ol class="rule">')
    for index, line in write_lines(rule, "<b>{}</b>".format, _code):
        count = ""
        if numbers is not None and index is not None:
            count = f'<span class="count">{escape(numbers[index].sentence)}</span>'
        lines.append(f'<li><span class="line">{line}</span>{count}</li>')
    return "\n".join([*lines, "</ol>"])


def _card(split: PointsSplit, bands: Sequence[Band]) -> list[str]:
    """Write a scorecard as two tables: points of columns, predictions of totals."""
    scales = exact_scales(split)
    lines = ["<table><tr><th>If this holds</th><th>points</th></tr>"]
    for scale in scales:
        points = scale_html(scale)
        lines.append(f'<tr><td>{_code(scale.name)}</td><td class="n">{points}</td></tr>')
    lines += ["</table>", f'<p class="size">{reading_notes(scales)}</p>']
    described = escape(label_text(bands[0].label))
    chance = bands[0].chance is not None
    head = f"<th>of 100 such cases, {described}</th>" if chance else ""
    lines.append(f"<table><tr><th>total</th><th>prediction</th>{head}</tr>")
    for band in bands:
        cell = f'<td class="n">{count_per_hundred(band)}</td>' if chance else ""
        label = _code(label_text(band.label))
        lines.append(f"<tr><td>{band.total}</td><td>{label}</td>{cell}</tr>")
    return [*lines, "</table>"]


def scale_html(scale: Scale) -> str:
    """Write the points of a scale, one line per range."""
    return "<br>".join(f"{escape(text)}: {p}" if text else f"{p}" for text, p in scale.lines)


def matrix_html(confusion: Any) -> str:
    """Write a confusion table (data frame, actual by predicted) with shades for shares of a row.

    Heads of columns are turned, so that many classes with long names fit on a screen.
    """
    head = "".join(
        '<th scope="col" style="writing-mode:vertical-rl;rotate:180deg;max-height:20em;overflow:'
        f'hidden;white-space:nowrap;font-weight:400;text-align:left">{escape(str(label))}</th>'
        for label in confusion.columns
    )
    size = "clamp(.55rem,2.4vw,.8rem)" if len(confusion) > MANY else "1rem"
    lines = [f'<table style="border-collapse:collapse;font-size:{size}"><tr><td></td>{head}</tr>']
    for label, counts in confusion.iterrows():
        cells = "".join(
            f'<td style="background:rgb(0 114 178/{0.5 * n / max(counts.sum(), 1):.2f});'
            f'text-align:right;padding:.2em .3em">{n:,}</td>'
            for n in counts
        )
        name = escape(str(label))
        lines.append(
            f'<tr><th scope="row" style="font-weight:400;text-align:left;overflow-wrap:anywhere;'
            f'min-width:5em">{name}</th>{cells}</tr>'
        )
    return "".join([*lines, "</table>"])


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"

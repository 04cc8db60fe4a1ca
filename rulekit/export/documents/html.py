"""Documents as web pages, and what notebooks show: no script, no request, styles inside."""

from collections.abc import Sequence
from html import escape
from typing import Any

from rulekit.explain import Explanation
from rulekit.export.documents import blocks as doc
from rulekit.export.documents.text import write_lines
from rulekit.export.subject import ClauseNumbers, rule_to_export
from rulekit.rules import RuleSet, scorecard_of
from rulekit.style.phrases import PLAIN, Wording
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import capital

STYLE = """
html{background:#fff}
body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:52rem;margin:2rem auto;
padding:0 1rem;overflow-wrap:break-word}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.size,.count{color:#555}.count{display:block;font-size:.9rem}
ol.rule{padding-left:1.5rem;list-style:none}.rule li{margin:.6rem 0}
code{background:#f2f4f7;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
b{font-weight:600;font-size:.85em;letter-spacing:.03em}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .75rem;text-align:left;
border-bottom:1px solid #ccc;overflow-wrap:anywhere}td.n{text-align:right;overflow-wrap:normal}
svg{max-width:40rem}th:first-child{min-width:6em}
.parts{padding:0;list-style:none}.parts svg{display:block;width:100%;height:12px}
.right{fill:#595959}.wrong{fill:none;stroke:#595959;stroke-width:3}
rect{vector-effect:non-scaling-stroke}
@media print{body{margin:0;max-width:none}code{background:none;padding:0}}
""".strip()
NOTEBOOK_STYLE = """
.rulekit{max-width:52rem}.rulekit ol{list-style:none;padding-left:0}.rulekit .size,.rulekit .count{
opacity:.75}.rulekit svg{display:block;width:100%;max-width:30rem;height:12px}
.rulekit .right{fill:#0072b2}.rulekit .wrong{fill:none;stroke:#0072b2;stroke-width:1}
.rulekit td,.rulekit th{text-align:left}.rulekit td.n{text-align:right}
"""

TAGS = {"": "<p>{}</p>", "note": '<p class="size">{}</p>', "heading": "<h2>{}</h2>"}
MANY = 5  # classes, above which a confusion table is written smaller
WIDE = 36  # characters in the heads of a table's columns, side by side


def to_html(
    model: Any, *, numbers: Sequence[ClauseNumbers] | None = None, title: str = "Rule"
) -> str:
    """Write a rule as a web page.

    Parameters
    ----------
    model : RuleSet or fitted model
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown below each clause.
    title : str, default="Rule"

    Returns
    -------
    str
        A complete page; names, values and labels are escaped.
    """
    return page(title, write_blocks(doc.describe(model, numbers)))


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


def write_blocks(blocks: Sequence[doc.Block]) -> str:
    """Write blocks as the body of a page."""
    lines = []
    for block in blocks:
        match block:
            case doc.Text(text, style):
                lines.append(TAGS[style].format(_inline(text)))
            case list():
                items = "".join(f"<li>{_inline(item)}</li>" for item in block)
                lines.append(f"<ul>{items}</ul>")
            case doc.TableBlock(heads, rows, is_headed):
                written = [_write_row(heads, "th", "th")] * bool(heads)
                written += [_write_row(row, "th" if is_headed else "td", "td") for row in rows]
                lines += ["<table>", *written, "</table>"]
            case doc.Lines(rule, remarks):
                lines.append('<ol class="rule">')
                for index, line in write_lines(rule, "<b>{}</b>".format, _code):
                    shown = remarks[index : index + 1] if index is not None else ()
                    count = "".join(f'<span class="count">{escape(text)}</span>' for text in shown)
                    lines.append(f'<li><span class="line">{line}</span>{count}</li>')
                lines.append("</ol>")
            case doc.Raw():
                lines.append(block)
    return "\n".join(lines)


def _write_row(cells: Sequence[doc.Cell], first: str, others: str) -> str:
    """Write a row; numbers, also those after ranges of values, are right-aligned."""
    parts = []
    for k, cell in enumerate(cells):
        tag = others if k else first
        style = ' class="n"' * (tag == "td" and isinstance(cell, (int, list)))
        parts.append(f"<{tag}{style}>{_inline(cell)}</{tag}>")
    return f"<tr>{''.join(parts)}</tr>"


def _inline(cell: doc.Cell) -> str:
    match cell:
        case doc.Raw():
            return cell
        case doc.Code():
            return _code(cell)
        case doc.Strong():
            return f"<b>{escape(cell)}</b>"
        case tuple():
            return "".join(map(_inline, cell))
        case list():
            return "<br>".join(map(_inline, cell))
    return escape(str(cell))


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def matrix_html(confusion: Any) -> str:
    """Write a confusion table (data frame, actual by predicted) with shades for shares of a row."""
    names = [str(label) for label in confusion.columns]
    style = "white-space:nowrap;font-weight:400;text-align:left;padding:.2em .3em"
    if len(names) * max(map(len, names)) > WIDE:  # turned, so that long names fit on a screen
        style += ";writing-mode:vertical-rl;rotate:180deg;max-height:20em;overflow:hidden"
    head = "".join(f'<th scope="col" style="{style}">{escape(name)}</th>' for name in names)
    size = "clamp(.55rem,2.4vw,.8rem)" if len(confusion) > MANY else "1rem"
    lines = [f'<table style="border-collapse:collapse;font-size:{size}"><tr><td></td>{head}</tr>']
    for label, counts in confusion.iterrows():
        cells = "".join(
            f'<td class="n" style="background:rgb(0 114 178/{0.5 * n / max(counts.sum(), 1):.2f});'
            f'text-align:right;padding:.2em .3em">{n:,}</td>'
            for n in counts
        )
        row = "font-weight:400;text-align:left;overflow-wrap:anywhere;min-width:5em;padding:0 .5em"
        name = f'<th scope="row" style="{row}">{escape(str(label))}</th>'
        lines.append(f"<tr>{name}{cells}</tr>")
    return "".join([*lines, "</table>"])


def name_parts(rule: RuleSet, wording: Wording) -> list[str]:
    """Return the names of what can decide: each clause of the rule as DNF, and the rest."""
    *names, rest = clause_names(rule, wording.clause)
    if rule.form == "cnf":
        names, rest = [f"{name} fails" for name in names], f"every {wording.clause} holds"
    elif not scorecard_of(rule):
        rest = f"no {wording.clause} holds"
    return [*map(capital, names), capital(rest)]


def draw_parts(
    rule: RuleSet, wording: Wording, parts: Sequence[tuple[float, float]], rows: str
) -> list[doc.Block]:
    """Draw the rows that each clause, and none, decides: `parts` are the correct ones and all."""
    n, lines, decided_by = sum(decided for _, decided in parts), ['<ol class="parts">'], rule.as_dnf
    labels = (*decided_by.labels[: decided_by.n_clauses], decided_by.default)
    named = zip(name_parts(rule, wording), labels, parts, strict=True)
    for k, (name, label, (right, decided)) in enumerate(named):
        text = escape(f"{name}: {label}, {right:g} of {decided:g} correct")
        full, empty = 'class="right"', 'class="wrong"'
        if colour := escape(wording.colours.get(label, "")):
            full, empty = f'fill="{colour}"', f'fill="none" stroke="{colour}" stroke-width="3"'
        start, width = 100 * right / n, 100 * (decided - right) / n
        bar = f'<rect {full} width="{start:.2f}" height="12"/>'
        if width > 0:
            bar += f'<rect {empty} x="{start:.2f}" width="{width:.2f}" height="12"/>'
        svg = f'<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
        lines.append(f'<li data-part="{k}">{text}{svg}</li>')
    note = f"{n:g} {rows} rows; filled: predicted correctly, outlined: wrongly."
    picture = doc.Raw("\n".join([*lines, "</ol>"]))
    return [doc.Text("Where the rows go", "heading"), doc.Text(note, "note"), picture]


def write_notebook(subject: Any) -> str:
    """Write a rule, a fitted model or an explanation for a notebook."""
    if isinstance(subject, Explanation):
        others: list[doc.Cell] = [*subject.supporting, *(r.text for r in subject.reasons)]
        blocks: list[doc.Block] = [doc.Text(subject.sentence), *[others] * bool(others)]
    else:
        rule, parts = rule_to_export(subject), getattr(subject, "training_counts_", None)
        blocks = doc.describe_rule(subject)
        if parts is not None and not rule.is_constant:
            blocks += draw_parts(rule, PLAIN, parts, "training")
    return f'<div class="rulekit"><style>{NOTEBOOK_STYLE}</style>\n{write_blocks(blocks)}\n</div>'

"""A sheet to print and fill in: conditions to tick, points to add, and the result."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from rulekit.export.documents.html import page, scale_html
from rulekit.export.subject import rule_to_export
from rulekit.rules import PointsSplit, RuleSet, scorecard_of
from rulekit.style.phrases import PLAIN, Wording, condition_text, label_text
from rulekit.style.scorecard import bands_of_totals, count_per_hundred, reading_notes, scales_of

BOX, BLANK = "☐", '<span class="blank"></span>'
#: Only black and white with lines, so that a photocopy stays readable. One page for up to about
#: twenty conditions and bands.
STYLE = """
body{font-size:11pt;max-width:19cm;color:#000}
h1{font-size:14pt;margin:0 0 .4cm}h2{font-size:11pt;margin:.4cm 0 .1cm}
table{width:100%;margin:.1cm 0}th,td{border:1px solid #000;padding:.12cm .2cm}
td+td,th+th{text-align:right;width:2.6cm}tr.sum td{border-top:3px double #000;font-weight:600}
.blank{display:inline-block;min-width:3cm;border-bottom:1px solid #000}
p{margin:.15cm 0}
@page{size:A4;margin:1.5cm}@media print{h2,tr{break-inside:avoid}}
""".strip()


def to_sheet(model: Any, *, title: str = "Sheet to fill in", wording: Wording = PLAIN) -> str:
    """Write a rule as a page to print and fill in by hand, one page per case.

    Parameters
    ----------
    model : RuleSet or fitted model
        For a scorecard its conditions with their points, a column for the case's points and for the
        running total, and its bands, with their probabilities if the model has them (`bands_`). For
        any other rule each clause as a list to tick.
    title : str, default="Sheet to fill in"
        The page's heading.
    wording : Wording
        Display names and units of columns.

    Returns
    -------
    str
        A complete page without colours, scripts or requests; everything is escaped.

    Raises
    ------
    ExportError
        If there is no rule.
    """
    rule = rule_to_export(model)
    head = " &nbsp; ".join(f"{name}: {BLANK}" for name in ("Case", "Date", "Filled in by"))
    splits = scorecard_of(rule)
    body = _card(rule, splits, model, wording) if splits else _ticks(rule, wording)
    return page(title, f"<p>{head}</p>\n{body}", f"\n{STYLE}")


def _card(rule: RuleSet, splits: Sequence[PointsSplit], model: Any, words: Wording) -> str:
    scales = scales_of(splits[0], words)
    rows = [[escape(scale.name), scale_html(scale), "", ""] for scale in scales]
    heads = ["If this holds", "points", "this case", "so far"]
    table = _table(heads, rows, last=["Total", "", "", ""])
    note = f"Write the points of what holds, 0 for what does not. {reading_notes(scales)}"
    return f"<p>{note}</p>\n{table}\n<h2>Read off</h2>\n{_bands(rule, model, words)}"


def _bands(rule: RuleSet, model: Any, words: Wording) -> str:
    """Write what totals mean: a model's bands with their probabilities, else the predictions."""
    bands = bands_of_totals(model)
    heads = ["Total", "answer"]
    rows = [[band.total, _label(band.label, words)] for band in bands]
    if bands[0].chance is not None:
        heads.append(f"of 100 such cases, {_label(rule.labels[0], words)}")
        rows = [[*row, str(count_per_hundred(band))] for row, band in zip(rows, bands, strict=True)]
    return _table([*heads, ""], [[*row, BOX] for row in rows])


def _ticks(rule: RuleSet, words: Wording) -> str:
    """Write each clause as a list to tick."""
    parts, every = [], "all" if rule.form == "dnf" else "one or more"
    default = _label(rule.default, words)
    for k, clause in enumerate(rule.clauses, start=1):
        parts.append(f"<h2>{k}. Tick what holds</h2>")
        texts = [escape(condition_text(c, words)) for c in clause.conditions]
        parts.append(_table(["", ""], [[text, BOX] for text in texts]))
        if rule.form == "dnf":
            then = f"the answer is {_label(rule.labels[k - 1], words)}. Stop here. {BOX}"
        else:
            then = f"go on. If none is ticked, the answer is {default}. Stop here. {BOX}"
        parts.append(f"<p>If {every} of these are ticked, {then}</p>")
    last = rule.default if rule.form == "dnf" else rule.labels[0]
    why = "Otherwise" if rule.clauses else "Always"
    parts.append(f"<p><b>{why} the answer is {_label(last, words)}. {BOX}</b></p>")
    return "\n".join(parts)


def _label(value: Any, words: Wording) -> str:
    return escape(label_text(value, words))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], last: Sequence[str] = ()) -> str:
    """Write a table with HTML cells; columns after the first are narrow."""
    lines = ["<table>"]
    if any(heads):
        lines.append(_row(heads, "th"))
    lines += [_row(row, "td") for row in rows]
    if last:
        lines.append(_row(last, "td", ' class="sum"'))
    return "\n".join([*lines, "</table>"])


def _row(cells: Sequence[str], tag: str, style: str = "") -> str:
    first, *rest = (f"<{tag}>{cell}</{tag}>" for cell in cells)
    return f"<tr{style}>{first}{''.join(rest)}</tr>"

"""A sheet to print and fill in: conditions to tick, points to add, and the result."""

from functools import partial
from typing import Any

from rulekit.export.documents import blocks as doc
from rulekit.export.documents.html import page, write_blocks
from rulekit.export.subject import rule_to_export
from rulekit.rules import scorecard_of
from rulekit.style.phrases import PLAIN, Wording, condition_text, label_text
from rulekit.style.scorecard import reading_notes, scale_note, scales_of

BOX, BLANK = "☐", '<span class="blank"></span>'
#: Only black and white with lines, so that a photocopy stays readable. One page for up to about
#: twenty conditions and bands.
STYLE = """
body{font-size:11pt;max-width:19cm;color:#000}
h1{font-size:14pt;margin:0 0 .4cm}h2{font-size:11pt;margin:.4cm 0 .1cm}
table{width:100%;margin:.1cm 0}th,td{border:1px solid #000;padding:.12cm .2cm}
td+td,th+th{text-align:right;width:2.6cm}tr:has(b) td{border-top:3px double #000}
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
    wording : Wording

    Returns
    -------
    str
        A complete page without colours, scripts or requests; everything is escaped.
    """
    rule = rule_to_export(model)
    wording = wording.for_rule(rule)
    head = " &nbsp; ".join(f"{name}: {BLANK}" for name in ("Case", "Date", "Filled in by"))
    blocks: list[doc.Block] = [doc.Text(doc.Raw(head))]
    write = partial(label_text, wording=wording)
    if splits := scorecard_of(rule):
        scales = scales_of(splits[0], wording)
        table, totals = doc.points_table(scales), doc.totals_table(model, write)
        rows = (*((*row, "", "") for row in table.rows), (doc.Strong("Total"), "", "", ""))
        text = f"Write the points of what holds, 0 for what does not. {reading_notes(scales)}"
        blocks += [
            doc.Text(text),
            doc.TableBlock((*table.heads, "this case", "so far"), rows),
            doc.Text("Read off", "heading"),
            doc.TableBlock((*totals.heads, ""), tuple((*row, BOX) for row in totals.rows)),
            *(doc.Text(note) for note in [scale_note(model)] if note),
        ]
        return page(title, write_blocks(blocks), f"\n{STYLE}")
    is_dnf, labels, last = rule.form == "dnf", list(map(write, rule.labels)), write(rule.default)
    for k, clause in enumerate(rule.clauses, start=1):
        every, then = "all", f"the answer is {labels[k - 1]}"
        if not is_dnf:
            every, then = "one or more", f"go on. If none is ticked, the answer is {last}"
        rows = tuple((condition_text(c, wording), BOX) for c in clause.conditions)
        blocks += [doc.Text(f"{k}. Tick what holds", "heading"), doc.TableBlock((), rows)]
        blocks.append(doc.Text(f"If {every} of these are ticked, {then}. Stop here. {BOX}"))
    why = "Otherwise" if rule.clauses else "Always"
    answer = f"{why} the answer is {last if is_dnf else labels[0]}. {BOX}"
    return page(title, write_blocks([*blocks, doc.Text(doc.Strong(answer))]), f"\n{STYLE}")

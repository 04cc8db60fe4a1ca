"""What notebooks show of rules, fitted models and explanations, in a few kB without a script."""

from typing import Any

from rulekit.explain import Explanation
from rulekit.export.documents.blocks import Block, Cell, Text, describe_rule
from rulekit.export.documents.html import draw_parts, write_blocks
from rulekit.export.subject import rule_to_export
from rulekit.style.phrases import PLAIN

STYLE = """
.rulekit{max-width:52rem}.rulekit ol{list-style:none;padding-left:0}.rulekit .size,.rulekit .count{
opacity:.75}.rulekit svg{display:block;width:100%;max-width:30rem;height:12px}
.rulekit .right{fill:#0072b2}.rulekit .wrong{fill:none;stroke:#0072b2;stroke-width:1}
.rulekit td,.rulekit th{text-align:left}.rulekit td.n{text-align:right}
"""


def write_notebook(subject: Any) -> str:
    """Write a rule, a fitted model or an explanation for a notebook."""
    if isinstance(subject, Explanation):
        others: list[Cell] = [*subject.supporting, *(r.text for r in subject.reasons)]
        blocks: list[Block] = [Text(subject.sentence), *[others] * bool(others)]
    else:
        rule, parts = rule_to_export(subject), getattr(subject, "training_counts_", None)
        blocks = describe_rule(subject)
        if parts is not None and not rule.is_constant:
            blocks += draw_parts(rule, PLAIN, parts, "training")
    return f'<div class="rulekit"><style>{STYLE}</style>\n{write_blocks(blocks)}\n</div>'

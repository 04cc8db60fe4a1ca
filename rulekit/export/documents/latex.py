"""Rules as a LaTeX table in the style of booktabs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulekit.export.documents.text import with_gap
from rulekit.export.subject import ClauseNumbers, check_label, describe_names, rule_to_export
from rulekit.rules import Literal, PointsSplit, scorecard_of
from rulekit.rules.condition import GAPS, NAMES, WORDS, number_text, spell_part
from rulekit.rules.sums import Factor, LinearSplit, PowerLawSplit, Write, WriteNumber
from rulekit.rules.writer import ReadingWriter, ValueInterval
from rulekit.style.scorecard import clause_names, points_listed

SPECIAL = {c: f"\\{c}" for c in "{}$&#_%"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "{-}",
}
SIGNS = {"<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "==": "=", "!=": r"\ne"}
SETS = {"in": r"\in", "not-in": r"\notin"}


def to_latex(
    model: Any, *, numbers: Sequence[ClauseNumbers] | None = None, caption: str | None = None
) -> str:
    """Write a rule as a LaTeX table.

    Parameters
    ----------
    model : RuleSet or fitted model
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown in a last column.
    caption : str, optional
        Caption of a floating table; without it the table does not float.

    Returns
    -------
    str
        Needs the packages booktabs and textcomp. One row per clause; for a scorecard one per
        condition with its points, then one per range of the total. All texts from the table are
        escaped, and control characters become blanks.
    """
    rule = rule_to_export(model)
    labels = [*map(escape_label, rule.labels), escape_label(rule.default)]
    if splits := scorecard_of(rule):
        listed = points_listed(splits[0], LatexWriter().literal)
        rows = [[text, f"${points}$", ""] for text, points in listed]
        named = zip(clause_names(rule), labels, strict=True)
        closing = [[name, "", label] for name, label in named]
        columns, head = r"p{0.6\linewidth}rl", " & Points & Answer"
    else:
        is_dnf, rows = rule.form == "dnf", []
        for k, clause in enumerate(rule.clauses):
            empty = "always" if clause.op == "and" else "never"
            text = f" {clause.op} ".join(LatexWriter().clause(clause)) or empty
            rows.append([f"{k + 1}", text, labels[k] if is_dnf else ""])
        closing = [["", "if all hold", labels[0]]] * (not is_dnf) + [["", "otherwise", labels[-1]]]
        columns, head = r"rp{0.6\linewidth}l", " & Clause & Answer"
    if numbers is not None:
        columns, head = f"{columns}r", f"{head} & Right of decided"
        counts = [f"{k.n_right} of {k.n}" for k in numbers]
        counted, others = (closing, rows) if splits else (rows, closing)
        counts += [""] * (len(rows) + len(closing) - len(counts))
        for cells, count in zip([*counted, *others], counts, strict=True):
            cells.append(count)
    lines = [f"% {line}" for line in describe_names(rule)]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rf"{head} \\", r"\midrule"]
    lines += [rf"{' & '.join(cells)} \\" for cells in rows]
    lines += [r"\midrule"] * bool(rows)
    lines += [*(rf"{' & '.join(cells)} \\" for cells in closing), r"\bottomrule", r"\end{tabular}"]
    if caption is None:
        return "\n".join(lines) + "\n"
    floating = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(caption)}}}", *lines]
    return "\n".join([*floating, r"\end{table}"]) + "\n"


class LatexWriter(ReadingWriter[str]):
    """Writes conditions for LaTeX, numbers and signs as formulas between dollar signs."""

    def __init__(self, name: Write | None = None, number: WriteNumber | None = None) -> None:
        self.name = name or escape_latex
        self.number = number or latex_number

    def literal(self, literal: Literal) -> str:
        """Write a test, its sign and value each as a formula."""
        name = self._subject(literal)
        if literal.op in GAPS:
            return f"{name} is {'missing' if literal.op == 'missing' else 'known'}"
        cells = ", ".join(self._cell(spell_part(v, literal.part)) for v in literal.values)
        if literal.op in WORDS:
            verb = "contains" if literal.op == "contains" else "does not contain"
            return with_gap(f"{name} {verb} ``{cells}''", literal.missing)
        if literal.op in SETS:
            cells = rf"\{{{cells}\}}"
        sign = SETS.get(literal.op) or SIGNS[literal.op]
        return with_gap(f"{name} ${sign}$ {cells}", literal.missing)

    def interval(self, interval: ValueInterval) -> str:
        """Write two bounds, each with its sign as a formula."""
        low, left, right, high = interval.ends
        name = self._subject(interval.low)
        if not isinstance(low, float) or interval.low.part in NAMES:
            low, high = (self._cell(spell_part(v, interval.low.part)) for v in (low, high))
            text = f"{low} ${SIGNS[left]}$ {name} ${SIGNS[right]}$ {high}"
            return with_gap(text, interval.missing)
        text = f"${self.number(low)} {SIGNS[left]}$ {name} "
        return with_gap(f"{text}${SIGNS[right]} {self.number(high)}$", interval.missing)

    def _subject(self, literal: Literal) -> str:
        name = self.name(literal.feature)
        return name if literal.part in (None, "date") else f"{escape_latex(literal.part)} of {name}"

    def linear(self, split: LinearSplit) -> str:
        """Write a weighted sum, one short formula per term so that lines can break between them."""
        parts = []
        for index, (feature, weight) in enumerate(split.terms):
            sign = "" if not index else "- " if weight < 0 else "+ "
            size = self.number(abs(weight) if index else weight)
            parts.append(rf"${sign}{size} \cdot {{}}$ {self.name(feature)}")
        text = f"{' '.join(parts)} ${SIGNS[split.op]} {self.number(split.value)}$"
        return with_gap(text, split.missing)

    def power_law(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws as one formula."""
        parts = []
        for index, term in enumerate(split.terms):
            sign = "-" if term.weight < 0 else "+" if index else ""
            size = abs(term.weight)
            weight = "" if size == 1.0 else rf"{self.number(size)} \cdot "
            up = r" \cdot ".join(map(self._factor, term.numerators))
            down = r" \cdot ".join(map(self._factor, term.denominators))
            law = rf"\frac{{{up or 1}}}{{{down}}}" if down else up
            parts.append(f"{sign} {weight}{law}".strip())
        total = " ".join(parts)
        if split.low is None:
            text = f"{total} {SIGNS['<='] if split.inside else '>'} {self.number(split.high)}"
        else:
            text = rf"{self.number(split.low)} \le {total} \le {self.number(split.high)}"
            text = text if split.inside else rf"\neg\,({text})"
        return with_gap(f"${text}$", split.missing)

    def points(self, split: PointsSplit) -> str:
        """Write points as a list, the total first."""
        given = ", ".join(f"${p}$ if {self.literal(c)}" for c, p in split.given)
        sign, total = split.comparison
        gaps = "; a missing value gives $0$" if split.gaps_matter else ""
        return f"points ${SIGNS[sign]} {total}$ of ({given}{gaps})"

    def _factor(self, factor: Factor) -> str:
        base = rf"\mbox{{{self.name(factor.feature)}}}"
        if factor.floor is not None:
            base = rf"\max({base}, {self.number(factor.floor)})"
        power = abs(factor.exponent)
        text = replace(factor, exponent=1, floor=None).text(lambda _: base, self.number)
        return text if power == 1 else f"{text}^{{{power}}}"

    def _cell(self, value: Any) -> str:
        return f"${self.number(value)}$" if isinstance(value, float) else escape_label(value)


def latex_number(value: Any) -> str:
    """Write a number for math mode: 1e-05 as a power of ten."""
    text = number_text(value)
    if "inf" in text:
        return text.replace("inf", r"\infty")
    digits, _, exponent = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


def escape_label(label: Any) -> str:
    """Escape a label; truth values and numbers become plain words."""
    label = check_label(label, "LaTeX")
    if isinstance(label, bool):
        return "true" if label else "false"
    return escape_latex(label if isinstance(label, str) else repr(label))


def escape_latex(text: str) -> str:
    """Escape text for LaTeX; unprintable characters become blanks."""
    return "".join(SPECIAL.get(c, c) if c.isprintable() else " " for c in text)

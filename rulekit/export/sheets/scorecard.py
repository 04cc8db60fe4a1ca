"""A scorecard as a sheet for one case: points, a running total and the prediction."""

from collections.abc import Mapping

from rulekit.export.sheets.cell_formulas import CellWriter, Given, Values
from rulekit.export.sheets.sheet import INPUTS, Sheet, input_style
from rulekit.rules import (
    ConditionWriter,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
)


class _Points(ConditionWriter[Given]):
    """Returns the points condition; None for other kinds."""

    def literal(self, literal: Literal) -> Given:
        return ()

    def linear(self, split: LinearSplit) -> Given:
        return ()

    def power_law(self, split: PowerLawSplit) -> Given:
        return ()

    def points(self, split: PointsSplit) -> Given:
        return split.given


def card_of(rule: RuleSet) -> Given:
    """Return the points condition of all clauses if there is nothing else; else None."""
    points = {tuple(map(_Points().write, clause.conditions)) for clause in rule.clauses}
    given = points.pop() if len(points) == 1 and rule.form == "dnf" else ()
    return given[0] if len(given) == 1 else ()


def write_card(
    sheet: Sheet, rule: RuleSet, given: Given, kinds: Mapping[str, str], values: Values
) -> None:
    """Write the input cells of one case, its points, and the prediction."""
    sheet.title(1, "Type one case into the yellow cells; what it gets adds up below.")
    sheet.headings(3, ("column", "value", "to mend"))
    cells = {f: f"$B${row}" for row, f in enumerate(rule.features, start=4)}
    for row, (feature, cell) in enumerate(cells.items(), start=4):
        kind = kinds[feature]
        sheet.value(row, 1, feature)
        sheet.value(row, 2, None, input_style(kind))
        if kind in INPUTS:
            test, hint = INPUTS[kind]
            ask = f'IF({test}({cell}),"","must be {hint}")'
            sheet.formula(row, 3, f'IF(LEN({cell})=0,"",{ask})')
    last = 3 + len(cells)
    top = last + 2
    sheet.headings(top, ("condition", "points", "here", "running total"))
    writer = CellWriter(cells, kinds, values)
    for row, (condition, points) in enumerate(given, start=top + 1):
        sheet.value(row, 1, str(condition))
        sheet.value(row, 2, points)
        sheet.formula(row, 3, writer.given(condition, points))
        sheet.formula(row, 4, f"C{row}" if row == top + 1 else f"D{row - 1}+C{row}")
    total = top + len(given)
    top = total + 2
    sheet.headings(top, ("where", "holds", "answer"))
    writer = CellWriter(cells, kinds, values, {given: f"$D${total}"})
    row = top
    for row, (clause, label) in enumerate(zip(rule.clauses, rule.labels, strict=True), top + 1):
        sign, limit = clause.conditions[0].comparison
        sheet.value(row, 1, f"{'at least' if sign == '>=' else 'less than'} {limit} points")
        sheet.formula(row, 2, writer.write(clause.conditions[0]))
        sheet.value(row, 3, label)
    sheet.value(row + 1, 1, "otherwise")
    sheet.value(row + 1, 3, rule.default)
    found = f"INDEX($C${top + 1}:$C${row},MATCH(TRUE,$B${top + 1}:$B${row},0))"
    answer = f"IFERROR({found},$C${row + 1})"
    wrong = f"SUMPRODUCT(LEN($C$4:$C${last}))>0"
    empty = f"COUNTA($B$4:$B${last})=0"
    sheet.value(row + 3, 1, "answer", "answer")
    sheet.formula(
        row + 3, 2, f'IF({empty},"",IF({wrong},"mend the values above",{answer}))', "answer"
    )
    sheet.widths({1: 44, 2: 16, 3: 22, 4: 14})

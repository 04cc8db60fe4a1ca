"""A workbook with formulas: cases are typed in, and the prediction appears."""

import io
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from itertools import zip_longest
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.explain.subject import value_at
from rulekit.export.documents.text import TextWriter, clause_text, size_text
from rulekit.export.sheets import cell_formulas as formulas
from rulekit.export.subject import check_label, column_kinds, describe_columns, rule_to_export
from rulekit.rules import RuleSet, scorecard_of
from rulekit.rules.condition import WORDS
from rulekit.style.phrases import Wording, clause_words, condition_text
from rulekit.style.scorecard import clause_names, points_listed

MOST_COLUMNS = 16_384  # by the file format
# required type of a cell, by what its column is compared with; any text is allowed
INPUTS = {
    "number": ("ISNUMBER", "a number"),
    "flag": ("ISLOGICAL", "TRUE or FALSE"),
    "date": ("ISNUMBER", "a date"),
}
INPUT = {"bg_color": "#FFF6CC", "locked": False, "border": 1, "border_color": "#D9D9D9"}
STYLES: Mapping[str, Mapping[str, Any]] = {
    "title": {"italic": True},
    "heading": {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1},
    "answer": {"bold": True},
    "text": {"text_wrap": True, "valign": "top"},
    "plain": {},
    **dict.fromkeys(("input", "input number", "input flag", "input unknown"), INPUT),
    "input text": INPUT | {"num_format": "@"},
    "input date": INPUT | {"num_format": "yyyy-mm-dd hh:mm:ss"},
}


class Exact(float):
    """A number written with all its digits; XlsxWriter would write sixteen."""

    def __format__(self, spec: str) -> str:
        """Return the shortest decimal that means the same double."""
        return repr(float(self))


class ProtectedSheet:
    """A protected sheet whose text is never read as a formula, a link or a number."""

    def __init__(self, book: Any, name: str) -> None:
        self._sheet = book.add_worksheet(name)
        self._sheet.protect()  # the cells that are no input, without a password
        self._styles = {key: book.add_format(dict(style)) for key, style in STYLES.items()}

    def values(self, row: int, values: Iterable[Any], style: str = "text") -> None:
        """Write a row, from the first column on."""
        for column, value in enumerate(values, start=1):
            self.value(row, column, value, style)

    def value(self, row: int, column: int, value: Any, style: str = "text") -> None:
        """Write text, a truth value or a number with all its digits; None for an empty cell."""
        if column > MOST_COLUMNS:
            raise ExportError(
                f"A sheet has at most {MOST_COLUMNS} columns, this rule needs more; shorten it, or "
                "take another format."
            )
        position, form = (row - 1, column - 1), self._styles[style]
        if value is None:
            self._sheet.write_blank(*position, None, form)
        elif isinstance(value, bool):
            self._sheet.write_boolean(*position, value, form)
        elif isinstance(value, str):
            self._sheet.write_string(*position, value[: formulas.LONGEST_TEXT], form)
        else:
            self._sheet.write_number(*position, Exact(value), form)

    def formula(self, row: int, column: int, formula: str, style: str = "plain") -> None:
        """Write a formula that every program computes when it opens the file."""
        if len(formula) >= formulas.LONGEST_FORMULA:
            raise ExportError(
                f"A formula of a spreadsheet has at most {formulas.LONGEST_FORMULA} characters, "
                f"this rule needs one of {len(formula)}. Take fewer values or terms in one "
                "condition, or another format."
            )
        # without a stored value, programs that would trust it compute it, too
        self._sheet.write_formula(row - 1, column - 1, f"={formula}", self._styles[style], "")

    def choices(self, first: int, last: int, column: int, offered: str) -> None:
        """Offer values to choose from, a range or a list; other input is allowed."""
        if offered:
            source = offered.split(",") if ":" not in offered else f"={offered}"
            rule = {"validate": "list", "source": source, "show_error": False}
            self._sheet.data_validation(first - 1, column - 1, last - 1, column - 1, rule)

    def freeze(self, row: int, column: int) -> None:
        """Freeze the rows above and the columns to the left."""
        self._sheet.freeze_panes(row - 1, column - 1)

    def widths(self, widths: Mapping[int, int]) -> None:
        """Set the widths of columns, in characters."""
        for column, width in widths.items():
            self._sheet.set_column(column - 1, column - 1, width)


def column_name(number: int) -> str:
    """Return the letters of a column, counted from 1: A, B, ..., Z, AA."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


N_CASES = 200
FIRST = 4  # the row of the first case, from 1
CASES, WORKINGS = "Cases", "Workings"
HELP = (
    "Type a case into a row of yellow cells; leave a cell empty where its value is missing. "
    "The answer appears beside it."
)
CARD_HELP = "Type one case into the yellow cells; what it gets adds up below."
READ = {
    "dnf": "A line holds if all its conditions hold; the first line that holds decides.",
    "cnf": "A line holds if one of its conditions holds; every line has to hold.",
}
NOTES = (
    "Capitals count in text. An empty cell is a missing value.",
    "Numbers in the second column have six digits, in the last one all that they have.",
    "GESTEP(a, b) is 1 if a is at least b, and STANDARDIZE(a, b, 1) is a minus b: both are "
    "exact, where >= and - take numbers that agree in fifteen digits for equal.",
)


def to_xlsx(
    model: Any, *, cases: Any = None, n_cases: int = N_CASES, wording: Wording | None = None
) -> bytes:
    r"""Write a rule as an Excel workbook that predicts each case typed into it.

    Parameters
    ----------
    model : RuleSet or fitted model
    cases : DataFrame or mapping of column name to array, optional
        Rows to fill in; others stay empty. Columns that the rule does not read are left out.
    n_cases : int, default=200
        Number of rows with formulas, at least the number of `cases`.
    wording : Wording, optional
        Display names and units for the rule in words.

    Returns
    -------
    bytes
        The file. Its formulas predict as `predict` does, also one step of a double beside a cut,
        with functions that every spreadsheet has; a sum that overflows is shown as an error of the
        spreadsheet. Equal rules of equal schemas give equal files.

    Raises
    ------
    ExportError
        If XlsxWriter is not installed, or a spreadsheet cannot represent the rule: a column
        compared with text and with numbers, infinities, empty texts, formulas of more than 8192
        characters.
    ValueError
        If `n_cases` is less than 1 or than the number of cases.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> to_xlsx(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"))[:2]
    b'PK'
    """
    try:
        import xlsxwriter  # an optional dependency, included with the dashboard
    except ImportError:
        raise ExportError(
            "A workbook needs the package XlsxWriter. Install it, or take 'csv'."
        ) from None
    rule = rule_to_export(model)
    given = None if cases is None else rule.read(cases)
    n_given = 0 if given is None else len(next(iter(given.values()), ()))
    if n_cases < max(1, n_given):
        raise ValueError(
            f"`n_cases` must be at least 1 and the number of cases, {n_given}; got {n_cases}."
        )
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"created": datetime(2020, 1, 1), "title": "A rule"})
    words = (wording or Wording()).for_rule(rule)
    _BookWriter(rule, book, words).write(given or {}, n_given, n_cases)
    book.close()  # no `with`, which would also write a workbook after an error
    return buffer.getvalue()


class _BookWriter:
    """Writes one rule into one workbook."""

    def __init__(self, rule: RuleSet, book: Any, wording: Wording) -> None:
        self.rule, self.wording = rule, wording
        dates = {t.feature for t in rule.tests if t.part is not None}
        self.kinds = column_kinds(rule) | dict.fromkeys(dates, "date")
        for test in rule.tests:
            if test.feature in dates and test.part is None and test.values:
                raise ExportError(
                    f"Column {test.feature!r} is read as a date and as text, but a cell of a "
                    "spreadsheet holds one of them. Take Python or JSON."
                )
        for name in rule.features:
            formulas.check_cell(name or " ")
        labels = [check_label(v, "A spreadsheet") for v in (*rule.labels, rule.default)]
        self.values = formulas.Values()
        self.labels = self.values.several(labels)
        self.default = self.values.one(rule.default)
        splits = scorecard_of(rule)
        self.card = splits[0].given if splits else ()
        names = [CASES, "Rule", *(["Scorecard"] if self.card else []), WORKINGS, "Values"]
        self.sheets = {name: ProtectedSheet(book, name) for name in names}
        self.checked = [f for f in rule.features if self.kinds[f] in INPUTS]
        self.last_input = 1 + len(rule.features)  # after the case's name
        self.last_points = self.last_input + (len(self.card) + 1 if self.card else 0)

    def write(self, given: Mapping[str, Any], n_given: int, n_cases: int) -> None:
        """Write every sheet; the values last, since formulas add to them."""
        self._rule_in_words()
        cases, rule, sheet = self.sheets[CASES], self.rule, self.sheets[WORKINGS]
        cases.value(1, 1, HELP, "title")
        points = [f"{p:+d} where {c}" for c, p in self.card] + ["total"] * bool(self.card)
        features = (f or "(no name)" for f in rule.features)
        heads = ("case", *features, *points, "answer", "decided by")
        cases.values(FIRST - 1, heads, "heading")
        cases.widths(dict.fromkeys(range(1, len(heads) + 1), 16))
        cases.freeze(FIRST, 2)
        sheet.value(1, 1, "What holds for the case in the same row of Cases.", "title")
        hints = [f"{f} must be {INPUTS[self.kinds[f]][1]}" for f in self.checked]
        names = clause_names(rule)[:-1]
        pairs = zip(names, rule.clauses, strict=True)
        tests = [f"{name}: {c}" for name, clause in pairs for c in clause.conditions]
        sheet.values(FIRST - 1, (*hints, *names, *tests), "heading")
        sheet.freeze(FIRST, 1)
        for index in range(n_cases):
            row, is_given = FIRST + index, bool(given) and index < n_given
            cases.value(row, 1, index + 1 if is_given else None, "input")
            for column, feature in enumerate(rule.features, start=2):
                kind = self.kinds[feature]
                value = value_at(given[feature], index) if is_given else None
                cell = None if value is None else formulas.cell_of(value, kind)
                cases.value(row, column, cell, f"input {kind}")
            self._case(row)
        for column, feature in enumerate(rule.features, start=2):
            levels = [t for t in rule.tests if t.feature == feature and t.op not in WORDS]
            offered = "TRUE,FALSE" if self.kinds[feature] == "flag" else ""
            if self.kinds[feature] == "text" and (named := {v for t in levels for v in t.values}):
                offered = self.values.several(sorted(named))
            cases.choices(FIRST, FIRST + n_cases - 1, column, offered)
        if self.card:
            self._fill_card()
        sheet = self.sheets["Values"]
        text = "What the rule compares with, and answers; formulas read these cells"
        sheet.value(1, 1, text, "heading")
        for row, value in enumerate(self.values.listed, start=2):
            sheet.value(row, 1, value)
        sheet.widths({1: 70})

    def _fill_card(self) -> None:
        """Write the input cells of one case, its points, and the prediction."""
        sheet, rule = self.sheets["Scorecard"], self.rule
        sheet.value(1, 1, CARD_HELP, "title")
        sheet.values(3, ("column", "value", "to mend"), "heading")
        cells = {f: f"$B${row}" for row, f in enumerate(rule.features, start=4)}
        for row, (feature, cell) in enumerate(cells.items(), start=4):
            kind = self.kinds[feature]
            sheet.value(row, 1, feature)
            sheet.value(row, 2, None, f"input {kind}")
            if kind in INPUTS:
                test, hint = INPUTS[kind]
                ask = f'IF({test}({cell}),"","must be {hint}")'
                sheet.formula(row, 3, f'IF(LEN({cell})=0,"",{ask})')
        last = 3 + len(cells)
        top = last + 2
        sheet.values(top, ("condition", "points", "here", "running total"), "heading")
        writer = formulas.CellWriter(cells, self.kinds, self.values)
        for row, (condition, points) in enumerate(self.card, start=top + 1):
            sheet.values(row, (str(condition), points))
            sheet.formula(row, 3, writer.write_points(condition, points))
            sheet.formula(row, 4, f"C{row}" if row == top + 1 else f"D{row - 1}+C{row}")
        total = top + len(self.card)
        top = total + 2
        sheet.values(top, ("where", "holds", "answer"), "heading")
        writer = formulas.CellWriter(cells, self.kinds, self.values, {self.card: f"$D${total}"})
        bands = zip(scorecard_of(rule), rule.labels, strict=True)
        for row, (split, label) in enumerate(bands, start=top + 1):
            sheet.value(row, 1, f"at least {split.total} points")
            sheet.formula(row, 2, writer.points(split))
            sheet.value(row, 3, label)
        sheet.value(row + 1, 1, "otherwise")
        sheet.value(row + 1, 3, rule.default)
        lookup = f"INDEX($C${top + 1}:$C${row},MATCH(TRUE,$B${top + 1}:$B${row},0))"
        answer = f"IFERROR({lookup},$C${row + 1})"
        answer = f'IF(SUMPRODUCT(LEN($C$4:$C${last}))>0,"mend the values above",{answer})'
        sheet.value(row + 3, 1, "answer", "answer")
        answer = f'IF(COUNTA($B$4:$B${last})=0,"",{answer})'
        sheet.formula(row + 3, 2, answer, "answer")
        sheet.widths({1: 44, 2: 16, 3: 22, 4: 14})

    def _case(self, row: int) -> None:
        """Write the formulas of one case, on both sheets."""
        rule, cases = self.rule, self.sheets[CASES]
        names = (column_name(k) for k in range(2, self.last_input + 1))
        local = {f: f"{name}{row}" for f, name in zip(rule.features, names, strict=True)}
        cells = {f: f"{CASES}!{cell}" for f, cell in local.items()}
        writer = formulas.CellWriter(cells, self.kinds, self.values, self._points(row, local))
        read = ((cells[f], INPUTS[self.kinds[f]][0]) for f in self.checked)
        checks = [f"IF(LEN({cell})=0,FALSE,NOT({test}({cell})))" for cell, test in read]
        first = len(checks) + rule.n_clauses + 1
        clauses: list[str] = []
        tests: list[str] = []
        for clause in rule.clauses:
            start = first + len(tests)
            tests += map(writer.write, clause.conditions)
            span = _span(row, start, first + len(tests) - 1)
            clauses.append(f"{clause.op.upper()}({span or str(clause.op == 'and').upper()})")
        for index, formula in enumerate((*checks, *clauses, *tests), start=1):
            self.sheets[WORKINGS].formula(row, index, formula)
        wrong = _span(row, 1, len(checks), WORKINGS)
        lines = (f"${FIRST - 1}", row)  # headings, and what holds
        heads, held = (_span(line, len(checks) + 1, first - 1, WORKINGS) for line in lines)
        label = self.labels.partition(":")[0]
        if rule.form == "cnf":
            answer, decided = label, '"all clauses"'
            if held:
                failing, every = f'"clause "&MATCH(FALSE,{held},0)&" does not hold"', f"AND({held})"
                answer = f"IF({every},{label},{self.default})"
                decided = f'IF({every},"all clauses",{failing})'
        else:
            answer, decided = self.default, '"otherwise"'
            if held:
                answer = f"IFERROR(INDEX({self.labels},MATCH(TRUE,{held},0)),{self.default})"
                decided = f'IFERROR(INDEX({heads},MATCH(TRUE,{held},0)),"otherwise")'
        if wrong:
            first_wrong = f"MATCH(TRUE,{wrong},0)"
            hints = _span(f"${FIRST - 1}", 1, len(checks), WORKINGS)
            answer = f"IFERROR(INDEX({hints},{first_wrong}),{answer})"
            decided = f'IF(ISNUMBER({first_wrong}),"",{decided})'
        unused = f"COUNTA({_span(row, 1, self.last_input)})=0"
        cases.formula(row, self.last_points + 1, f'IF({unused},"",{answer})', "answer")
        cases.formula(row, self.last_points + 2, f'IF({unused},"",{decided})')

    def _points(self, row: int, cells: Mapping[str, str]) -> dict[formulas.Given, str]:
        """Write the points of each condition of a scorecard, and their sum."""
        if not self.card:
            return {}
        sheet, writer = self.sheets[CASES], formulas.CellWriter(cells, self.kinds, self.values)
        for index, (condition, points) in enumerate(self.card, start=self.last_input + 1):
            sheet.formula(row, index, writer.write_points(condition, points))
        given = _span(row, self.last_input + 1, self.last_points - 1)
        sheet.formula(row, self.last_points, f"SUM({given})")
        return {self.card: f"{CASES}!{column_name(self.last_points)}{row}"}

    def _rule_in_words(self) -> None:
        """Write the lines or points of the rule with their answers, and notes."""
        sheet, rule, splits = self.sheets["Rule"], self.rule, scorecard_of(self.rule)
        sheet.value(1, 1, size_text(rule) if splits else READ[rule.form], "title")
        heads = ("points", "where") if splits else ("line", "holds where")
        sheet.values(3, (*heads, "answer", "to the last digit"), "heading")
        rows: list[tuple[Any, ...]] = []
        if splits:
            listed = points_listed(splits[0], partial(condition_text, wording=self.wording))
            exact = [TextWriter().literal(c) for c, _ in splits[0].given]
            rows += [(p, text, None, e) for (text, p), e in zip_longest(listed, exact)]
            totals = zip(clause_names(rule), (*rule.labels, rule.default), strict=True)
            rows += [(None, *total, None) for total in totals]
        else:
            for k, clause in enumerate(rule.clauses):
                label = rule.labels[k] if rule.form == "dnf" else None
                words = clause_words(clause, self.wording)
                rows.append((f"line {k + 1}", words, label, clause_text(clause)))
            if rule.form == "cnf":
                rows.append((None, "where every line holds", rule.labels[0]))
            rows.append((None, "otherwise", rule.default))
        for row, values in enumerate(rows, start=4):
            sheet.values(row, values)
        for row, note in enumerate((*NOTES, *describe_columns(rule)), start=5 + len(rows)):
            sheet.value(row, 2, note)
        sheet.widths({1: 18, 2: 70, 3: 20, 4: 70})


def _span(row: int | str, first: int, last: int, sheet: str = "") -> str:
    """Return the cells of a row as a range; empty if there are none."""
    if last < first:
        return ""
    text = f"${column_name(first)}{row}:${column_name(last)}{row}"
    return f"{sheet}!{text}" if sheet else text

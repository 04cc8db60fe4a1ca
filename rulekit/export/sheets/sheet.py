"""One sheet of a workbook, with cells counted from 1."""

from collections.abc import Iterable, Mapping
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.sheets.cell_formulas import LONGEST_FORMULA, LONGEST_TEXT

MOST_COLUMNS = 16_384  # by the file format
# what a cell must hold, by what its column is compared with; text may be anything
INPUTS = {
    "number": ("ISNUMBER", "a number"),
    "flag": ("ISLOGICAL", "TRUE or FALSE"),
    "date": ("ISNUMBER", "a date"),
}
TYPED = {"text": "@", "date": "yyyy-mm-dd hh:mm:ss"}  # how cells to type in show what they hold
STYLES: Mapping[str, Mapping[str, Any]] = {
    "title": {"italic": True},
    "heading": {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1},
    "input": {"bg_color": "#FFF6CC", "locked": False, "border": 1, "border_color": "#D9D9D9"},
    "answer": {"bold": True},
    "text": {"text_wrap": True, "valign": "top"},
    "plain": {},
}


class Exact(float):
    """A number written with all its digits; XlsxWriter would write sixteen."""

    def __format__(self, spec: str) -> str:
        """Return the shortest decimal that means the same double."""
        return repr(float(self))


class Sheet:
    """A protected sheet whose text is never read as a formula, a link or a number."""

    def __init__(self, book: Any, name: str) -> None:
        self.name = name
        self._sheet = book.add_worksheet(name)
        self._styles = {key: book.add_format(dict(style)) for key, style in STYLES.items()}
        for kind, shown in TYPED.items():
            style = {**STYLES["input"], "num_format": shown}
            self._styles[input_style(kind)] = book.add_format(style)

    def title(self, row: int, text: str) -> None:
        """Write a sentence above a table."""
        self._sheet.write_string(row - 1, 0, text, self._styles["title"])

    def heading(self, row: int, column: int, text: str) -> None:
        """Write a heading, shortened to the limit of a cell."""
        if column > MOST_COLUMNS:
            raise ExportError(
                f"A sheet has at most {MOST_COLUMNS} columns, this rule needs more; shorten it, or "
                "take another format."
            )
        self._sheet.write_string(row - 1, column - 1, text[:LONGEST_TEXT], self._styles["heading"])

    def headings(self, row: int, texts: Iterable[str]) -> None:
        """Write headings, from the first column on."""
        for column, text in enumerate(texts, start=1):
            self.heading(row, column, text)

    def values(self, row: int, values: Iterable[Any]) -> None:
        """Write a row, from the first column on."""
        for column, value in enumerate(values, start=1):
            self.value(row, column, value)

    def value(self, row: int, column: int, value: Any, style: str = "text") -> None:
        """Write text, a truth value or a number, all digits of it; None for an empty cell."""
        place, form = (row - 1, column - 1), self._styles[style]
        if value is None:
            self._sheet.write_blank(*place, None, form)
        elif isinstance(value, bool):
            self._sheet.write_boolean(*place, value, form)
        elif isinstance(value, str):
            self._sheet.write_string(*place, value[:LONGEST_TEXT], form)
        else:
            self._sheet.write_number(*place, Exact(value), form)

    def formula(self, row: int, column: int, formula: str, style: str = "plain") -> None:
        """Write a formula that every program computes when it opens the file."""
        if len(formula) >= LONGEST_FORMULA:
            raise ExportError(
                f"A formula of a spreadsheet has at most {LONGEST_FORMULA} characters, this rule "
                f"needs one of {len(formula)}. Take fewer values or terms in one condition, or "
                "another format."
            )
        # without a stored value, programs that trust stored values compute it, too
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

    def close(self) -> None:
        """Protect the cells that are no input, without a password."""
        self._sheet.protect()


def input_style(kind: str) -> str:
    """Return the style of input cells for a kind of value."""
    return f"input {kind}" if kind in TYPED else "input"


def column_name(number: int) -> str:
    """Return the letters of a column, counted from 1: A, B, ..., Z, AA."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text

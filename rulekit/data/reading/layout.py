"""Where a table begins and ends in a file: title, header, units, data, totals and notes."""

# Rows are pairs of a number, from 1 as in the file, and its cells: texts, or values of a
# spreadsheet.

import datetime
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data.headers import few, quote
from rulekit.data.options import MISSING, MISSING_AMONG_NUMBERS, Decision, ParseOptions
from rulekit.exceptions import DataError

Row = tuple[int, Sequence[Any]]
Line = tuple[int, str, str]
WINDOW = 120  # rows from which the beginning is found
TAIL = 20  # rows from which the end is found
LINES = 4  # lines before and after the beginning, and before the end, that are shown
MOST_ABOVE = 60  # rows of titles, notes and comments above a header
TYPICAL = 0.8  # share of a column's cells that gives its kind
MARKS = ("#", "%", "//")
COMMENT = re.compile(rf"\s*({'|'.join(MARKS)})")
_NUMBER = re.compile(
    r"[<>≤≥]?[(+\-−–]?\s*[$€£¥₹]?\s*[+\-−]?(\d[\d.,'’\u00a0\u202f]*|[.,]\d+)([eE][+-]?\d+)?"
    r"\s*[%€$£¥₹]?\)?-?"
)
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}-?Q[1-4]"
    r"|\[?\d{1,2}[-/ ][A-Za-z]{3,9}\.?[-/ ]\d{2,4}|\d{1,2}:\d{2}(:\d{2})?)([T :]\d{1,2}:\d{2}.*)?"
)
_GAPS = {text.lower() for text in (*MISSING, *MISSING_AMONG_NUMBERS)}
_UNIT = re.compile(
    r"[(\[]?(%|[°$€£¥‰]\s?[A-Za-z]?|[kKmMcCdDµuGhn]?(g|m|s|l|L|b|B|W|V|A|Hz|Pa|J|mol|eV|bar|cal)"
    r"|(k|m|c|µ|n)?(g|m|l|L|s|mol)\s?[/·*^]\s?\S{1,8}|m[²³23]|min|h|hrs?|sec|ms|d|days?|weeks?"
    r"|months?|years?|yrs?|in|inch(es)?|ft|lbs?|oz|mi|miles?|mph|km/h|kg/m2|kg/m²|USD|EUR|GBP|CHF"
    r"|mm\s?Hg|mmHg|bpm|IU/?\S*|U/L|ppm|ppb|pct|percent|count|score|counts?|units?|index|n|No\.?|#"
    r"|-|—|unitless|ratio|text|string|name|category|code|label|date|yyyy-mm-dd|id)[)\]]?"
)
_TYPES = {"continuous", "discrete", "string", "time", "numeric", "categorical", "nominal", "text"}
_LETTERS = {"c", "d", "s", "t", "n"}
_RESPONSES = ("response", "open-ended response")
_ROLES = {"class", "meta", "ignore", "weight", "target", "feature", "i", "m"}
_NOTE = re.compile(
    r"\s*(sources?|notes?|quellen?|anmerkung|hinweis|remarks?|comments?|footnotes?|legend|"
    r"last updated|updated|generated|exported|created|downloaded|data (from|as of|source)|see |"
    r"copyright|n\.?b\.?|stand|end of|\(?\d+ rows?)\b.*|\s*([*†‡©¹²³]|\(\d\)|\[\d\]|#|//|--).*",
    re.IGNORECASE | re.DOTALL,
)
_TOTAL = re.compile(
    r"\s*((grand|sub|overall)[ -]?)?(totals?|sum|summe|gesamt|insgesamt|somme|totale?s?|suma|"
    r"totaal|celkem|razem|summa|yhteensä|összesen|toplam|итого|всего|合計|合计|总计|합계|"
    r"average|mean|durchschnitt|mittelwert|gemiddelde|moyenne|media|média|overall|all)"
    r"( general| général| geral| \(all\))?\s*:?\s*",
    re.IGNORECASE,
)
_MEAN = re.compile("(?i)average|mean|durchschn|mittelw|gemidd|moyen|m[eé]dia")
#: further words of rows below totals
_STATISTIC = re.compile(
    r"\s*(sd|s\.d\.|std\.?( ?dev\.?)?|stdev|se|sem|cv|var(iance)?|min(imum)?|max(imum)?|median|"
    r"range|count|n|anzahl|aantal|nombre|number|balance|(quartile|percentile).*)\s*:?\s*",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"(?i)(.*[ _.-])?(id|ids|name|names|nr|no|num|number|index|key|code|row|case|label|title|"
    r"item|sample|subject|patient|person|student|country|city|town|state|region|year|date|day|"
    r"product|company|customer|species|gene|team|player|model|car|record|obs)s?[.:#]?|#|.*(name|id)"
)  # names of columns whose cells all differ


@dataclass(frozen=True)
class TableLayout:
    """Where a table begins; rows are numbered from 1, as in the file."""

    header: int | None  # None if the columns are numbered
    first: int  # row of data
    names: tuple[Any, ...]  # as in the file, "" for a column without one
    skipped: tuple[int, ...] = ()  # rows before the first one that are neither names nor data
    units: dict[int, str] = field(default_factory=dict)  # by position of the column
    notes: tuple[str, ...] = ()  # a sentence on each decision
    cells: tuple[Any, ...] = ()  # of the header as they are
    lines: tuple[Line, ...] = ()  # first and last rows: number, text, "names", "units", "not read"
    sheets: tuple[str, ...] = ()  # of a workbook
    first_kind: str = ""  # of the cells of the first column; "#" if some begin as comments do

    def is_header(self, row: Sequence[Any]) -> bool:
        """Return whether a row repeats the header, of three names or more in any case."""
        if len(row) < 2 or len(row) != len(self.cells):
            return False
        pairs = zip(row, self.cells, strict=True)
        alike = (str(a).strip().casefold() == str(b).strip().casefold() for a, b in pairs)
        return tuple(row) == self.cells or (len(row) > 2 and all(alike))

    def is_comment(self, row: Sequence[Any]) -> bool:
        """Return whether a row inside the table is a comment, in none or the first of its cells."""
        width = len(self.names)
        if self.first_kind == "#" or not is_comment(row):
            return False
        apart = len(row) != width or (count_cells(row) == 1 and width > 2)
        return apart or self.first_kind in ("number", "date")

    def with_lines(
        self, begin: Sequence[Row], end: Sequence[Row], n_cut: int, skip_rows: Sequence[int]
    ) -> "TableLayout":
        """Return the layout with lines to show: from the beginning, and of the last rows."""
        at = next((k for k, row in enumerate(begin) if row[0] >= self.first), len(begin))
        rows = begin[max(0, at - 2 * LINES) : at + LINES]
        marks = dict.fromkeys((*self.skipped, *skip_rows), "not read") | {self.header: "names"}
        if self.units:
            marks[self.skipped[-1]] = "units"
        marks |= {n: "not read" for n, _ in end[len(end) - n_cut :]}
        last = max((n for n, _ in rows), default=0)
        rows = [*rows, *(row for row in end[-n_cut - LINES :] if row[0] > last)]
        lines = []
        for n, cells in rows:
            if not isinstance(cells, str):
                texts = ("" if cell is None else " ".join(str(cell).split()) for cell in cells)
                cells = " | ".join(texts)
            lines.append((n, cells[:200], marks.get(n, "")))
        return replace(self, lines=tuple(lines))


def kind_of_cell(cell: Any) -> str:
    """Return "number", "date", "text", or "" for an empty or missing cell."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, (int, float)):
        return "text" if isinstance(cell, bool) else "number"
    if isinstance(cell, (datetime.date, datetime.time, datetime.timedelta)):
        return "date"
    text = str(cell).strip()
    if text.lower() in _GAPS:
        return ""
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def is_empty(cell: Any) -> bool:
    """Return whether a cell holds nothing but blanks."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def count_cells(row: Sequence[Any]) -> int:
    """Return the number of cells that hold something."""
    return sum(not is_empty(cell) for cell in row)


def is_comment(row: Sequence[Any]) -> bool:
    """Return whether a row begins with a comment mark."""
    return bool(row) and isinstance(row[0], str) and COMMENT.match(row[0]) is not None


def find_layout(rows: Sequence[Row], options: ParseOptions, word: str = "Line") -> TableLayout:
    """Find where the table begins, from its first rows; `word` is "Line" or "Row" in notes."""
    skip = set(options.skip_rows or ())
    left_out = [row for row in rows if row[0] in skip]
    rows = [row for row in rows if row[0] not in skip and count_cells(row[1])]
    if not rows:
        raise DataError("The file is empty. Give a table with a header and rows.")
    numbers = [number for number, _ in rows]
    if options.header_row is None:
        above = _count_above(rows)
    elif options.header_row in numbers:
        above = numbers.index(options.header_row)
    else:
        raise DataError(
            f"{word} {options.header_row} cannot be the header: it is empty, inside another row, "
            f"or further down than row {WINDOW}. Set another header row."
        )
    begin, body = rows[above], rows[above + 1 :]
    counts = Counter(len(cells) for _, cells in body)
    width, count = counts.most_common(1)[0] if counts else (0, 0)
    if count <= len(body) / 2 or len(body) < 3:
        width = len(begin[1])
    columns = _Columns([cells for _, cells in body], width)
    notes = _notes_above(rows[:above], word) if above and options.header_row is None else []
    marked = any(is_comment(row) and count_cells(row) > 1 for row in columns.rows)
    kind = "#" if marked and columns.kinds[0] == "text" else columns.kinds[0]
    reason = _reason_for_data(begin[1], columns, options)
    if reason or options.header is False:
        if reason:
            text = f"{word} {begin[0]} {reason}, so it is read as data and the columns are"
            text += " numbered; if it is a header, set it so."
            notes.append(Decision(text, "It is the header", {"header": True}))
        skipped, names = tuple(n for n, _ in rows[:above]), ("",) * width
        return TableLayout(None, begin[0], names, skipped, {}, tuple(notes), first_kind=kind)
    written, more = _names(begin, columns, options, word)
    notes += more
    n_more, written, units, note = _second_header(written, body, columns, options, word)
    notes += [Decision(note, "Read it as data", {"skip_rows": ()})] if note else []
    skipped = tuple(n for n, _ in [*rows[:above], *body[:n_more]])
    for row in left_out:
        if row[0] == begin[0] + 1 and len(row[1]) == width:
            units, note = _read_units(row, written, columns, word)
            skipped = (*skipped, row[0])
            notes += [note] * bool(note)
    first = body[n_more][0] if len(body) > n_more else begin[0] + 1
    cells, names = tuple(begin[1]), tuple(written)
    return TableLayout(begin[0], first, names, skipped, units, tuple(notes), cells, first_kind=kind)


def _count_above(rows: Sequence[Row]) -> int:
    """Return the number of rows above the header: comments, titles and notes."""
    cells = [row for _, row in rows]
    position = 0
    while position < len(cells) - 1 and is_comment(cells[position]):
        position += 1
    width = _mode(cells[position:])
    row, following = cells[position - 1], cells[position]
    names_below = set(map(kind_of_cell, following)) <= {"text"} and len(following) == width
    is_full = width > 1 and len(row) == width == count_cells(row)
    if position and is_full and "number" not in map(kind_of_cell, row) and not names_below:
        position -= 1  # a row with a comment mark holds the names
    limit = min(len(cells) - 1, position + MOST_ABOVE)
    start = position
    while position < limit and _is_above(cells, position, width):
        position += 1
    return start if position == limit else position  # nothing looks like a header


def _mode(rows: Sequence[Sequence[Any]]) -> int:
    """Return the most common number of cells, the larger of two."""
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width))


def _is_above(rows: Sequence[Sequence[Any]], position: int, width: int) -> bool:
    """Return whether a row is a title or note above the header."""
    row, below = rows[position], rows[position + 1 :]
    if width < 2:
        return False
    if is_comment(row) and len(row) != width:
        return True
    sizes = [count_cells(r) if len(r) == width else 0 for r in below]
    k = next((k for k, size in enumerate(sizes) if size > width / 2), None)
    if k is None:
        return False
    n_filled = count_cells(row)
    if n_filled > max(1, width // 3):
        packed = n_filled <= width / 2 and not count_cells(row[n_filled:])
        apart = len(row) != width or (packed and sizes[k] == width)
        return apart and _is_above_numbers(below[k], below[k + 1 :])
    n_sparse = sum(count_cells(r) <= max(1, width // 3) for r in below)
    if "text" not in map(kind_of_cell, row) or n_sparse > len(below) / 2:
        return False
    alone = (len(row) != width or n_filled == 1) and width > 2
    header, body = below[k], below[k + 1 :]
    if alone or _is_above_numbers(header, body):
        return True
    texts = [str(cell).strip() for cell in header]  # different, and most of them in no other row
    if {kind_of_cell(cell) for cell in header} != {"text"} or len(set(texts)) < len(texts):
        return False
    return not any(map(operator.contains, _Columns(body, len(header)).cells, header))


def _is_above_numbers(row: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Return whether a row holds names: texts above numbers, and no number but years."""
    kinds = [kind_of_cell(cell) for cell in row]
    numbers = [k for k, kind in enumerate(kinds) if kind == "number"]
    if numbers and not _are_years(row, numbers):
        return False
    below = _Columns(body, len(row)).kinds
    pairs = list(zip(kinds, below, strict=True))
    return any(a in ("text", "number") and b in ("number", "date") for a, b in pairs)


class _Columns:
    """Kinds and values of the columns of the first data rows."""

    def __init__(self, rows: Sequence[Sequence[Any]], width: int) -> None:
        self.width = width
        self.rows = [row for row in rows if len(row) == width]
        self.cells = list(zip(*self.rows, strict=True)) if self.rows else [()] * width

    @cached_property
    def kinds(self) -> list[str]:
        """Kind of the cells of each column."""
        return [_kind_of_column(column) for column in self.cells]


def _kind_of_column(cells: Sequence[Any]) -> str:
    kinds = Counter(filter(None, map(kind_of_cell, cells)))
    kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
    return kind if count >= TYPICAL * kinds.total() else "text"


def _reason_for_data(row: Sequence[Any], columns: _Columns, options: ParseOptions) -> str:
    """Return why the first row holds no names; "" if it may, or if the options say it."""
    if options.header_row is not None or options.header is not None:
        return ""
    words = [cell for cell in row if kind_of_cell(cell) or is_empty(cell)]  # "?" is no name
    if set(map(kind_of_cell, words)) == {"number"}:
        return "holds numbers only"
    return "looks like data: it holds what the rows below hold" if _is_data(row, columns) else ""


def _is_data(row: Sequence[Any], columns: _Columns) -> bool:
    """Return whether the first row is like those below it."""
    if len(columns.rows) < 4 or len(row) != columns.width:
        return False
    kinds = [kind_of_cell(cell) for cell in row]
    strict = [k for k, kind in enumerate(columns.kinds) if kind in ("number", "date")]
    if any(kinds[k] not in (columns.kinds[k], "") for k in strict):
        return False
    texts = [k for k, kind in enumerate(columns.kinds) if kind == "text" and kinds[k]]
    levels = [k for k in texts if len(set(columns.cells[k])) < len(columns.cells[k])]
    others = [other for other in columns.rows if list(other) != list(row)]
    repeated = sum(any(other[k] == row[k] for other in others) for k in levels)
    alike = [k for k in strict if kinds[k]]
    if alike and all(kind_of_cell(columns.rows[0][k]) == "text" for k in alike):
        return False  # a second row of names is between
    if not alike:
        return len(levels) >= 2 and len(columns.rows) >= 8 and repeated == len(levels)
    if levels:
        return repeated * 2 >= len(levels)
    numbers = _floats([row[k] for k in alike])
    if numbers is None or len(set(numbers)) < len(numbers) or (numbers % 1).any():
        return _is_in_range(row, alike, columns)
    is_series = _are_years(row, alike) or len(set(np.diff(numbers))) == 1  # as names count up
    return not is_series and _is_in_range(row, alike, columns)


def _floats(cells: Iterable[Any]) -> NDArray[np.float64] | None:
    """Return cells as numbers; None if they are not all numbers."""
    try:
        return np.array([float(cell) for cell in cells])
    except (TypeError, ValueError):
        return None


def _are_years(row: Sequence[Any], positions: Sequence[int]) -> bool:
    texts = [str(row[k]).strip().removesuffix(".0") for k in positions]
    return all(re.fullmatch(r"(1[5-9]|2[01])\d\d", text) for text in texts)


def _is_in_range(row: Sequence[Any], positions: Sequence[int], columns: _Columns) -> bool:
    """Return whether numbers lie between those below them, or are no whole ones."""
    if any(columns.kinds[k] == "date" for k in positions):
        return True
    for k in positions:
        values = _floats([row[k], *filter(kind_of_cell, columns.cells[k])])
        if values is None or values[0] % 1 or (isinstance(row[k], str) and "." in row[k]):
            return True
        if not values[1:].min() <= values[0] <= values[1:].max():
            return False
    return True


def _names(
    begin: Row, columns: _Columns, options: ParseOptions, word: str
) -> tuple[list[Any], list[str]]:
    """Return the names for all columns; a header may be a cell short, or have one more."""
    number, row = begin
    width, names = columns.width, list(row)
    if isinstance(names[0], str) and re.match(r"#\s*\w", names[0]):
        names[0] = names[0].lstrip("# ")
    if len(names) > width and not count_cells(names[width:]):
        return names[:width], []
    first = [cell for cell in columns.cells[0] if not is_empty(cell)]
    distinct = len(set(first)) == len(first) == len(columns.rows)
    values = _floats(first) if distinct else None
    counted = values is not None and bool((np.diff(values) == 1).all())
    distinct &= counted or set(map(kind_of_cell, first)) == {"text"}
    as_rows = len(names) == width and distinct and options.header_row is None
    # the last column alone has no name but cells, and the first is not a key
    as_rows &= all(not is_empty(cell) for cell in columns.cells[-1])
    as_rows &= [is_empty(name) for name in names] == [False] * (len(names) - 1) + [True]
    enough = len(names) > 2 and len(columns.rows) > 3
    if as_rows and enough and not _ENTITY.fullmatch(str(names[0]).strip()):
        text = f"The last column has no name in {word.lower()} {number}, and the first one holds"
        text += (
            f" row names: {quote(names[0])} is read as the name of the second column, and so on."
        )
        change = {"header_row": number}
        return ["row name", *names[:-1]], [Decision(text, "Names are above their columns", change)]
    if len(names) == width or not columns.rows:
        return names, []
    short = width - len(names)
    if short > 0 and not any(map(count_cells, columns.cells[len(names) :])):
        return [*names, *[""] * short], []
    if short == 1 and distinct:
        note = f"The header in {word.lower()} {number} has a cell less than the rows; the first"
        return ["row name", *names], [f"{note} column is read as row names."]
    raise DataError(
        f"{word} {number}, the header, has {len(names)} cells, but most rows have {width}. Add or "
        "remove names there, set the row of the header, or another delimiter."
    )


def _notes_above(rows: Sequence[Row], word: str) -> list[str]:
    kind = "comments" if all(is_comment(cells) for _, cells in rows) else "a title or notes"
    sentence = _describe_left_out(rows, "above the header", kind, word)
    return [Decision(sentence, f"{word} {rows[0][0]} is the header", {"header_row": rows[0][0]})]


def _describe_left_out(rows: Sequence[Row], place: str, kind: str, word: str) -> str:
    numbers, verb = _numbers_of([n for n, _ in rows], word), "is" if len(rows) == 1 else "are"
    texts = [" ".join(str(c).strip() for c in cells if not is_empty(c)) for _, cells in rows]
    text = next((quote(text, 60) for text in texts if text), "empty")
    return f"{numbers} {place} {verb} not read, as {kind} ({text})."


def _numbers_of(numbers: Sequence[int], word: str) -> str:
    """Return row numbers in words, such as "Lines 1 to 3"."""
    if len(numbers) == 1:
        return f"{word} {numbers[0]}"
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{word}s {numbers[0]} to {numbers[-1]}"
    return f"{word}s {few(list(map(str, numbers)))}"


def _second_header(
    names: list[Any], body: Sequence[Row], columns: _Columns, options: ParseOptions, word: str
) -> tuple[int, list[Any], dict[int, str], str]:
    """Return how many further rows belong to the header, the names, units, and a note."""
    if options.skip_rows is not None or len(columns.rows) < 2 or len(body[0][1]) != columns.width:
        return 0, names, {}, ""
    number, row = body[0]
    below = _Columns(columns.rows[1:], columns.width)
    gaps = [k for k, name in enumerate(names) if is_empty(name)]
    numeric = [k for k, kind in enumerate(below.kinds) if kind == "number"]
    survey = any(word in _RESPONSES for word in _words(row))
    grouped = (  # names of groups, each over several columns, are above the names
        bool(gaps and numeric)
        and len(names) == len(row)
        and (count_cells(row) > len(gaps) or survey)
        and any(k > 0 and not is_empty(names[k - 1]) for k in gaps)
        and {kind_of_cell(row[k]) for k in numeric} <= {"text", ""}  # "Na" is sodium, too
        and (survey or not any(is_empty(row[k]) for k in numeric))
        and "text" in map(kind_of_cell, row)
        and all(not is_empty(row[k]) for k in gaps if k)
    )
    known = _are_types(row) or _are_responses(row)
    has_twins = len(set(map(str, names))) < len(names)
    if grouped or (has_twins and not known and _is_no_data(row, below)):
        top, joined = "", []
        for name, sub in zip(names, row, strict=True):
            top = top if is_empty(name) else name
            parts = [f"{part}".strip() for part in (top, sub) if not is_empty(part)]
            parts = [re.sub(r"^(\d+)\.0$", r"\1", part) for part in parts]  # years in a sheet
            kept = [part for part in parts if part.lower() not in _RESPONSES]
            joined.append(" ".join(dict.fromkeys(kept or parts)))
        note = f"The header takes two rows; {word.lower()} {number} holds the second part of names."
        next_row = body[1][1] if len(body) > 3 else ()
        if not joined[0] and [k for k, cell in enumerate(next_row) if not is_empty(cell)] == [0]:
            return 2, [next_row[0], *joined[1:]], {}, note  # pandas' name of the index
        rest = _Columns(columns.rows[2:], columns.width)
        units, of_units = _read_units(body[1], joined, rest, word) if next_row else ({}, "")
        return 1 + bool(units), joined, units, f"{note} {of_units}".strip()
    for are_header, more, words in (
        (_are_types, _are_roles, "types and roles of columns"),
        (_are_responses, _are_responses, "further words of the header"),
    ):
        further = len(body) > 2 and more(body[1][1])
        if are_header(row) or (further and more is _are_responses):
            n = 2 if further else 1
            rows = _numbers_of([at for at, _ in body[:n]], word)
            return n, names, {}, f"{rows} below the names: {words}; not read."
    units, note = _read_units(body[0], names, below, word)
    if not units and _is_no_data(row, below):
        note = f"{word} {number} below the names: further words of the header; not read."
    return int(bool(note)), names, units, note


def _is_no_data(row: Sequence[Any], below: _Columns) -> bool:
    """Return whether a row holds texts alone, over two columns of numbers or more."""
    kinds = zip(row, below.kinds, strict=True)
    texts = all(kind_of_cell(c) == "text" or (is_empty(c) and of != "number") for c, of in kinds)
    pairs = zip(row, below.cells, strict=True)
    repeated = any(cell in cells for cell, cells in pairs if not is_empty(cell))
    return texts and not repeated and below.kinds.count("number") > 1


def _words(row: Sequence[Any]) -> list[str]:
    return [str(cell).strip().lower() for cell in row if not is_empty(cell)]


def _are_types(row: Sequence[Any]) -> bool:
    """Return whether a row holds Orange's types of columns."""
    words = _words(row)
    named = set(words) <= _TYPES or not {"continuous", "discrete", "string"}.isdisjoint(words)
    return len(words) >= max(1, len(row) - 1) and named and set(words) <= _TYPES | _LETTERS


def _are_roles(row: Sequence[Any]) -> bool:
    words = _words(row)
    return len(words) < len(row) and all(w in _ROLES or "=" in w for w in words)


def _are_responses(row: Sequence[Any]) -> bool:
    """Return whether a row is the second or third of a survey's header."""
    words = _words(row)
    known = sum(w in _RESPONSES or "importid" in w for w in words)
    return bool(words) and known * 2 >= len(words)


def _read_units(
    numbered: Row, names: Sequence[Any], below: _Columns, word: str
) -> tuple[dict[int, str], str]:
    """Return the units in a row, and a note: texts above numbers, which no level repeats."""
    number, row = numbered
    filled = [k for k, cell in enumerate(row) if not is_empty(cell)]
    numeric = [k for k in filled if below.kinds[k] == "number"]
    if not numeric or len(below.rows) < 2 or {"number", "date"} & set(map(kind_of_cell, row)):
        return {}, ""
    repeated = any(row[k] in below.cells[k] for k in filled if k not in numeric)
    if repeated or not all(_UNIT.fullmatch(str(row[k]).strip()) for k in filled):
        return {}, ""
    units = {k: str(row[k]).strip("()[] ") for k in numeric}
    listing = few([f"{quote(names[k])} in {quote(unit)}" for k, unit in units.items()])
    return units, f"{word} {number} below the names is read as units: {listing}."


def describe_comments(numbers: Sequence[int], word: str) -> list[str]:
    """Return a note on rows inside the table that are comments, if there are any."""
    verb = "is a comment" if len(numbers) == 1 else "are comments"
    text = f"inside the table {verb} and not read."
    return [f"{_numbers_of(numbers, word)} {text}"] if numbers else []


def count_after(
    rows: Sequence[Row], options: ParseOptions, adds_up: Callable[..., bool], word: str = "Line"
) -> tuple[int, list[str]]:
    """Return how many of the last rows are totals, notes or empty, and a note."""
    # `rows` are the file's last rows; ``adds_up(k, "sum", n)`` returns whether the last cell but n
    # of column k is the sum, or "mean", of those before it.
    if options.skip_last is not None:
        return options.skip_last, []
    reasons: list[str] = []
    while (n_cut := len(reasons)) < len(rows) - 1:
        if not (reason := _reason_after(rows[: len(rows) - n_cut], adds_up, n_cut)):
            break
        reasons.append(reason)
    if not reasons:
        return 0, []
    kinds = " and ".join(dict.fromkeys(reversed(reasons)))
    text = _describe_left_out(rows[-n_cut:], "at the end", kinds, word)
    return n_cut, [Decision(text, "Read as data", {"skip_last": 0})]


def _reason_after(rows: Sequence[Row], adds_up: Callable[..., bool], n_cut: int) -> str:
    """Return what the last row is, if it is no data; `n_cut` rows after it are none."""
    if len(rows) < 2:
        return ""
    number, row = rows[-1]
    filled = [k for k, cell in enumerate(row) if not is_empty(cell)]
    width = _mode([cells for _, cells in rows])
    if not filled:
        return "an empty row" if width > 1 else ""
    label, numbers = row[filled[0]], [k for k in filled if kind_of_cell(row[k]) == "number"]
    gap = number - rows[-2][0] > 1 or not count_cells(rows[-2][1])
    keyed = filled[0] > 0 and not any(is_empty(cells[0]) for _, cells in rows[:-1] if any(cells))
    above = _Columns([cells for _, cells in rows[:-1]], len(row))
    texts = [k for k in filled if kind_of_cell(row[k]) == "text"]
    is_closing = gap and any(row[k] not in above.cells[k] for k in texts)
    is_sum = len(numbers) == len(filled) > 0 and len(rows) > 4
    is_sum = is_sum and all(adds_up(k, "sum", n_after=n_cut) for k in numbers)
    if keyed and len(row) == width and (is_closing or is_sum):
        return "totals"  # without the name that all other rows have
    if not isinstance(label, str) or width < 2:
        return ""
    strange = any(above.kinds[k] == "number" for k in texts if k != filled[0])
    if len(row) != width or len(filled) == 1 or strange:
        noted = _NOTE.fullmatch(label) or (gap and kind_of_cell(label) == "text")
        usual = sum(count_cells(cells) == 1 for _, cells in rows) > len(rows) / 2
        return "notes" if noted and len(filled) < width and not usual else ""
    if any(label in cells for _, cells in rows[:-1]):
        return ""
    if _STATISTIC.fullmatch(label):
        return "totals" if _reason_after(rows[:-1], adds_up, n_cut + 1) == "totals" else ""
    how = "mean" if _MEAN.search(label) else "sum"
    is_total = _TOTAL.fullmatch(label) and any(adds_up(k, how, n_after=n_cut) for k in numbers)
    return "totals" if is_total else ""


def ends_with_total(values: NDArray[np.float64], how: str) -> bool:
    """Return whether the last value is the sum, or mean, of those before it."""
    above = values[:-1][~np.isnan(values[:-1])]
    if not len(above):
        return False
    total = above.sum() if how == "sum" else above.mean()
    return bool(np.isclose(values[-1], total, rtol=5e-3 if how == "mean" else 1e-6, atol=1e-9))

"""JSON, JSON lines, and the tables of web pages, as rows or columns of values."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from rulekit.data.headers import check_width, few, quote, repair_headers, select_columns
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.delimited import RawTable, check_cells, check_size, open_text
from rulekit.data.reading.layout import Row
from rulekit.data.reading.spreadsheets import columns_of_rows
from rulekit.exceptions import DataError

MOST_JSON = 50_000_000  # bytes; values take ten times as many in memory
_BLANK = re.compile(r"\s*")
DEEPEST_LIST = 3  # values around a list of records
DEEPEST_SPAN = 1_000  # rows or columns that one cell of a web page may take


def read_json(raw: bytes, options: ParseOptions, limits: Limits) -> RawTable:
    """Read records, columns or lines of JSON; values nested one level get names with a dot."""
    if len(raw) > MOST_JSON:
        raise DataError(
            f"A JSON file may have {MOST_JSON // 1_000_000} MB; this one has "
            f"{len(raw) / 1e6:,.0f} MB. Save the table as CSV or Parquet."
        )
    stream, _, notes = open_text(raw, options.encoding)
    text = "".join(stream)
    content = _parse(text)
    if isinstance(content, list) and content and all(isinstance(row, list) for row in content):
        table = columns_of_rows(_rectangle(content, limits), options, limits)
        table.notes[:0] = notes
        return table
    records = _records_of(content, notes)
    columns, nested = _collect_columns(records, limits)
    if not columns:
        raise DataError("The JSON file holds no table. Give a list of records of plain values.")
    if nested:
        notes.append(f"Lists and nested values are not read: {few([*map(quote, nested)])}.")
    headers, repairs = repair_headers(list(columns), limits)
    positions = select_columns(headers, options.columns, limits)
    lists = list(columns.values())
    check_size(len(records), len(positions), limits)
    chosen = {headers[k]: lists[k] for k in positions}
    for name, values in chosen.items():
        check_cells(values, name, limits)
    return RawTable(chosen, [*notes, *repairs], options)


def _collect_columns(
    records: Sequence[Mapping[str, Any]], limits: Limits
) -> tuple[dict[str, list[Any]], dict[str, None]]:
    """Return the columns of records, and the names of values that are not read."""
    columns: dict[str, list[Any]] = {}
    nested: dict[str, None] = {}
    for number, record in enumerate(records):
        for name, value in _flat(record):
            if isinstance(value, (list, dict)):
                nested[name] = None
                continue
            if name not in columns:
                check_width(len(columns) + 1, limits)
                check_size(number + 1, 1, limits)
                columns[name] = []
            cells = columns[name]
            cells.extend([None] * (number - len(cells)))
            cells.append(value)
    for cells in columns.values():
        cells.extend([None] * (len(records) - len(cells)))
    return columns, nested


def _parse(text: str) -> Any:
    """Parse JSON, or JSON lines."""
    try:
        return json.loads(text, object_pairs_hook=_reject_twins)
    except RecursionError as error:
        raise DataError("The JSON file is nested too deeply. Give a list of records.") from error
    except DataError:
        raise
    except ValueError as error:
        message = str(error)
    records: list[Any] = []
    decode, place = json.JSONDecoder(object_pairs_hook=_reject_twins).raw_decode, 0
    try:  # one value after the other
        while (place := _BLANK.match(text, place).end()) < len(text):  # type: ignore[union-attr]
            record, place = decode(text, place)
            records.append(record)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        if not records:
            raise DataError(f"The JSON file is damaged ({message}). Write it anew.") from None
        raise DataError(f"Record {len(records) + 1} is no JSON ({error}). Correct it.") from None
    return records


def _reject_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise DataError(f"A record of the JSON file has {quote(twin)} twice. Rename one.")
    return record


def _records_of(content: Any, notes: list[str]) -> Sequence[Mapping[str, Any]]:
    """Return the records in the usual forms of a table in JSON."""
    if isinstance(content, list) and content and all(isinstance(one, dict) for one in content):
        return content
    if isinstance(content, dict):
        if (rows := _name_rows(content.get("columns"), content.get("data"))) is not None:
            return rows
        values = list(content.values())
        nested = values and all(isinstance(value, (list, dict)) for value in values)
        if nested and (columns := _columns_of(content)) is not None:
            return columns
        if values and not _are_nested(values):
            return [content]
    if _are_nested([content]) and (records := _find_records(content, notes)) is not None:
        return records
    raise DataError(
        "The JSON file holds no table that is known: a list of records, columns of equal length, "
        "or a record a line. Write it as one of these, or as CSV."
    )


def _find_records(content: Any, notes: list[str]) -> Sequence[Mapping[str, Any]] | None:
    """Return the list of records inside other values, or rows with their names apart from them."""
    lists = dict(_lists_inside(content, ""))
    parts = content.values() if isinstance(content, dict) else ()
    if rows := [v for v in parts if isinstance(v, list) and v and isinstance(v[0], list)]:
        headers = [[c.get("name") for c in v] for v in lists.values() if len(v) == len(rows[0][0])]
        named = [names for names in headers if None not in names]
        return _name_rows(named[0], rows[0]) if len(rows) == len(named) == 1 else None
    usual = re.compile("data|results?|records|items|rows|values?|features|entries")

    def rank(name: str) -> tuple[bool, int, int]:
        return bool(usual.fullmatch(name.split(".")[-1])), -name.count("."), len(lists[name])

    name = max(lists, key=rank, default="")
    if len(lists) > 1:
        notes.append(f"The file has {len(lists)} lists of records; {quote(name)} is read.")
    return lists.get(name)


def _name_rows(names: Any, rows: Any) -> Sequence[Mapping[str, Any]] | None:
    """Return records of rows under names apart from them; None if they do not fit."""
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    keys = dict.fromkeys(map(str, names))
    width = len(names) if len(keys) == len(names) else -1
    fit = all(isinstance(row, list) and len(row) == width for row in rows)
    return [dict(zip(keys, row, strict=True)) for row in rows] if fit else None


def _lists_inside(content: Any, path: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the lists of records inside other values, by their names joined by dots."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        name = f"{path}.{key}".removeprefix(".")
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            yield name, value
        elif isinstance(value, (list, dict)) and name.count(".") < DEEPEST_LIST:
            yield from _lists_inside(value, name)


def _columns_of(content: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return columns (lists, or mappings by row) as records; None if they differ in length."""
    values = list(content.values())
    if all(isinstance(value, dict) for value in values):
        names = {name for value in values for name in value}
        if all(map(str.isdecimal, content)) and not all(map(str.isdecimal, names)):
            return values  # by the number of the row
        keys = list(values[0])
        cells = [cell for value in values for cell in value.values()]
        if not keys or any(list(value) != keys for value in values) or _are_nested(cells):
            return None
        if not all(map(str.isdecimal, keys)):  # names of rows: inside, or outside as of records
            columns = [value.values() for value in values]
            turned = list(zip(*columns, strict=True))
            first, other = ((sum(map(_is_mixed, part)), len(part)) for part in (turned, columns))
            if len(content) > 1 and first < other:
                return [{"row name": key, **value} for key, value in content.items()]
            content = {"row name": dict.fromkeys(keys), **content}
            values = [dict(zip(keys, keys, strict=True)), *values]
        values = [list(value.values()) for value in values]
    if not all(isinstance(value, list) for value in values):
        return None
    if len(set(map(len, values))) != 1 or _are_nested(values[-1][:1]):
        return None
    return [dict(zip(content, row, strict=True)) for row in zip(*values, strict=True)]


def _are_nested(values: Iterable[Any]) -> bool:
    return any(isinstance(value, (list, dict)) for value in values)


def _is_mixed(values: Iterable[Any]) -> bool:
    """Return whether values are of several types, numbers being one."""
    return len({float if type(v) is int else type(v) for v in values if v is not None}) > 1


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values of a record, values nested one level by "outer.inner"."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", cell) for inner, cell in value.items())
        else:
            yield str(name), value


class _Tables(HTMLParser):
    """Collects the cells of all tables of a web page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self.open: list[list[list[str]]] = []  # tables within tables
        self.spans: dict[int, tuple[int, str]] = {}  # by column: last row to fill, and text
        self.text: list[str] | None = None
        self.n_before = 0  # parts of the text before a raised one
        self.span = [1, 1]  # numbers of rows and columns that the open cell takes

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell."""
        if tag == "table":
            self.open.append([])
            self.tables.append(self.open[-1])
            self.spans, self.text = {}, None
        elif tag == "tr" and self.open:
            self._end_cell()
            self.open[-1].append([])
            self._fill_spans()
        elif tag in ("td", "th") and self.open and self.open[-1]:
            self._end_cell()
            self.text = []
            spans = [dict(attrs).get(name) or "1" for name in ("rowspan", "colspan")]
            self.span = [min(max(1, int(n)), DEEPEST_SPAN) if n.isdecimal() else 1 for n in spans]
        elif tag == "br" and self.text is not None:
            self.text.append(" ")
        elif tag == "sup":
            self.n_before = len(self.text or ())

    def handle_endtag(self, tag: str) -> None:
        """End a cell or a table."""
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        raised = "".join((self.text or [])[self.n_before :])
        if tag == "sup" and self.text and re.fullmatch(r"\s*(\[[^\]]*\]\s*)+", raised):
            del self.text[self.n_before :]  # the number of a reference
        if tag == "table" and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Add text to the open cell."""
        if self.text is not None:
            self.text.append(data)

    def _end_cell(self) -> None:
        if self.text is None or not self.open or not self.open[-1]:
            return
        text, row = " ".join("".join(self.text).split()), self.open[-1][-1]
        n_rows, n_columns = self.span
        for k in range(n_columns):
            if n_rows > 1:
                self.spans[len(row)] = (len(self.open[-1]) + n_rows - 1, "" if k else text)
            row.append("" if k else text)
        self.text = None
        self._fill_spans()

    def _fill_spans(self) -> None:
        """Fill the next cells of a row that a cell above takes, too."""
        row = self.open[-1][-1]
        while self.spans.get(len(row), (0, ""))[0] >= len(self.open[-1]):
            row.append(self.spans[len(row)][1])


def rows_of_page(raw: bytes, options: ParseOptions, limits: Limits) -> tuple[list[Row], list[str]]:
    """Return the rows of the largest table of a web page, and notes."""
    stream, _, notes = open_text(raw, options.encoding)
    parser = _Tables()
    for line in stream:
        parser.feed(line)
        if parser.tables and len(parser.tables[-1]) > limits.max_rows + 1:
            check_size(len(parser.tables[-1]), 1, limits)
    parser.close()
    tables = [[row for row in table if row] for table in parser.tables]
    table = max(tables, key=lambda rows: sum(map(len, rows)), default=[])
    if not table:
        raise DataError("It is a web page without a table. Give a table.")
    if len(tables) > 1:
        text = f"The page has {len(tables)} tables; the largest, of {len(table)} rows, is read."
        notes.append(text)
    return _rectangle(table, limits), notes


def _rectangle(table: Sequence[list[Any]], limits: Limits) -> list[Row]:
    """Return numbered rows of one width."""
    width = max(1, *map(len, table))
    check_size(len(table), width, limits)
    if any(isinstance(cell, (list, dict)) for row in table for cell in row):
        raise DataError("The rows of the JSON file hold lists. Give rows of plain values.")
    return list(enumerate(([*row, *[""] * (width - len(row))] for row in table), start=1))

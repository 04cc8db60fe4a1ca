"""Settings and limits for reading a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeGuard

MISSING = (
    "",
    *("NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "NAN", "-nan"),
    *("NULL", "null", "Null", "None", "?"),
    *("0000-00-00", "0000-00-00 00:00:00"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),
)
MISSING_AMONG_NUMBERS = ("-", "--", "---", ".", "..", "...", "na", "none", "*", ":")
#: The same in words, in any case; names of columns may be such words.
MISSING_IN_WORDS = (
    *("n.a.", "n.d.", "nd", "n/d", "s/d", "k.a.", "k. a.", "keine angabe", "unbekannt", "unknown"),
    *("missing", "not available", "no data", "inconnu", "desconocido", "sin dato", "sin datos"),
    *("sconosciuto", "onbekend", "brak", "нет данных", "н/д", "不明", "未知", "불명"),
)
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "run of blanks"}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Settings for `read_table`; None means automatic.

    Parameters
    ----------
    delimiter : str, default=None
        The one character between cells of a text file.
    encoding : str, default=None
        The text file's encoding, by Python's name.
    decimal : {".", ","}, default=None
        The decimal mark of a text file; a column that certainly has the other one keeps it.
    decimals : mapping of str to {".", ","}, default=None
        The decimal marks of single columns, by name.
    header : bool, default=None
        Whether the first row holds names. Found out, it does unless it holds numbers only.
    sheet : str, default=None
        The sheet of a spreadsheet; found out, the first visible one that holds a table.
    header_row : int, default=None
        The line of a text file, or the row of a sheet, with the names; counted from 1.
    skip_rows : tuple of int, default=None
        Lines or rows that are not read, such as one with units; found out, titles and notes above
        the header, and units below it.
    skip_last : int, default=None
        Number of rows at the end that are not read; found out, totals and notes.
    columns : tuple of str, default=None
        The columns to be read, by name; the others are skipped. None reads all.
    missing : tuple of str, default=None
        Words that mean "no value" beside the empty cell; all others are levels. Found out, these
        are the usual ones, where a column's other values do not make a level likelier. In a
        column of numbers all of them and a few more (such as "-" and ".") mean it.
    missing_in : mapping of str to tuple of str, default=None
        Words, or numbers as they are written, that mean "no value" in single columns.
    levels : mapping of str to tuple of str, default=None
        Words such as "None" that are levels of single columns.
    day_first : bool, default=None
        Whether 03/04/2024 is the 3rd of April, where a column's cells leave that open.
    day_first_in : mapping of str to bool, default=None
        The same for single columns, whatever their cells are.
    percent : {"points", "share"}, default=None
        Whether 26 % is read as 26, the default, or as 0.26.
    texts : tuple of str, default=None
        Columns whose cells are kept as text.
    merged : tuple of str, default=None
        Columns whose levels are one where they differ only in case or spaces.

    Raises
    ------
    ValueError
        If a setting is invalid.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool | None = None
    sheet: str | None = None
    columns: tuple[str, ...] | None = None
    decimals: Mapping[str, str] | None = None
    missing: tuple[str, ...] | None = None
    missing_in: Mapping[str, tuple[str, ...]] | None = None
    levels: Mapping[str, tuple[str, ...]] | None = None
    day_first: bool | None = None
    day_first_in: Mapping[str, bool] | None = None
    percent: str | None = None
    texts: tuple[str, ...] | None = None
    merged: tuple[str, ...] | None = None
    header_row: int | None = None
    skip_rows: tuple[int, ...] | None = None
    skip_last: int | None = None

    def __post_init__(self) -> None:
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or mark in '"\r\n' or mark.isalnum()):
            raise ValueError(f"`delimiter` must be one character between cells, got {mark!r}.")
        for decimal in (self.decimal, *(self.decimals or {}).values()):
            if decimal not in (None, ".", ","):
                raise ValueError(f"`decimal` must be '.' or ',', got {decimal!r}.")
        if self.percent not in (None, "points", "share"):
            raise ValueError(f"`percent` must be 'points' or 'share', got {self.percent!r}.")
        if self.header_row is not None and (self.header_row < 1 or self.header is False):
            raise ValueError(f"`header_row` must be from 1, with a header, got {self.header_row}.")
        if min((*(self.skip_rows or ()), 1)) < 1 or (self.skip_last or 0) < 0:
            words = "Lines not read must be counted from 1, those at the end from 0"
            raise ValueError(f"{words} (`skip_rows`, `skip_last`).")


#: Kinds of notes: a conversion by request, a cut into two classes, cells that became missing or
#: lost a part, text that keeps a column from being numbers, and columns that are not learned from.
CONVERTED, CUT, LOST, TEXT, UNUSED = "converted", "cut", "lost", "text", "unused"
DAYS = "days"  # durations that are read as numbers of days


class Note(str):
    """A sentence on how a table was read, with the column that it is about, and its kinds."""

    def __new__(cls, text: str, column: str = "", *kinds: str) -> Self:
        """Build a note of some kinds, such as `LOST`."""
        note = super().__new__(cls, text)
        note.column, note.kinds = column, kinds
        return note

    column: str
    kinds: tuple[str, ...]


class Decision(Note):
    """A note on how a file was read, with the options that change it, and what they do."""

    def __new__(
        cls,
        text: str,
        label: str = "",
        change: Mapping[str, Any] | None = None,
        column: str = "",
        kinds: Sequence[str] = (),
    ) -> Self:
        """Build a note; `label` is the text of a button that applies `change`."""
        note = super().__new__(cls, text, column, *kinds)
        note.label, note.change = label, change or {}
        return note

    label: str
    change: Mapping[str, Any]


def has_kind(note: str, kind: str) -> TypeGuard[Note]:
    """Return whether a sentence on a table is a note of a kind."""
    return isinstance(note, Note) and kind in note.kinds


def apply_decision(options: ParseOptions, change: Mapping[str, Any]) -> ParseOptions:
    """Return options with a change; a mapping changes single columns, None or False removes one."""
    values = {}
    for field, value in change.items():
        if isinstance(value, Mapping):
            former = getattr(options, field) or {}
            by_column = former if isinstance(former, Mapping) else dict.fromkeys(former, True)
            kept = {name: v for name, v in {**by_column, **value}.items() if v not in (None, ())}
            is_list = field in ("texts", "merged")
            value = tuple(name for name, v in kept.items() if v) if is_list else kept
            value = value or None
        values[field] = value
    return replace(options, **values)


#: What cells of text mean: these options apply to a file that is scored later, too.
CELL_OPTIONS = (
    *("decimal", "decimals", "missing", "missing_in", "levels", "day_first", "day_first_in"),
    *("percent", "texts", "merged"),
)


def cell_options(options: Mapping[str, Any]) -> ParseOptions:
    """Return the options that say what cells mean, for another file of the same columns."""
    return ParseOptions(**{k: options[k] for k in CELL_OPTIONS if options.get(k) is not None})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that `read_table` checks before it reads.

    Parameters
    ----------
    max_bytes : int, default=200_000_000
        Size of the file.
    max_rows : int, default=1_000_000
        Rows of data, the header not counted.
    max_columns : int, default=2_500
        Columns that are read; of a wider file, some can be chosen.
    max_cells : int, default=20_000_000
        Rows times columns.
    max_inflated : int, default=200_000_000
        Bytes a spreadsheet may take when it is unpacked.
    max_zip_ratio : float, default=100
        How many times larger than packed a spreadsheet may be.
    max_levels : int, default=500
        Distinct values up to which a text column counts as a category; more than 50 only if each
        occurs twice on average.
    max_cell_length : int, default=10_000
        Characters in one cell.
    max_header_length : int, default=200
        Characters kept of a column name; a longer one is shortened, with a note.
    """

    max_bytes: int = 200_000_000
    max_rows: int = 1_000_000
    max_columns: int = 2_500
    max_cells: int = 20_000_000
    max_inflated: int = 200_000_000
    max_zip_ratio: float = 100.0
    max_levels: int = 500
    max_cell_length: int = 10_000
    max_header_length: int = 200

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ValueError(f"`{name}` must be positive, got {getattr(self, name)!r}.")

    def sentence(self) -> str:
        """Return the limits as one line, as on an upload card."""
        return (
            "Text (CSV, TSV), spreadsheets, Parquet, Feather, ORC, JSON, Stata, SPSS or SAS, also "
            f"packed, up to {self.max_bytes // 1_000_000} MB, "
            f"{self.max_rows:,} rows, {self.max_columns:,} columns and {self.max_cells:,} cells."
        )

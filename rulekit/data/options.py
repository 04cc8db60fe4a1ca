"""Settings and limits for reading a file."""

from dataclasses import dataclass

MISSING = (
    "",
    *("NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "NAN", "-nan"),
    *("NULL", "null", "Null", "None", "?"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),
)
MISSING_AMONG_NUMBERS = ("-", "--", "---", ".", "..", "...", "na", "none", "*")
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
        The decimal mark of a text file.
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
    missing : tuple of str
        Cells that mean "no value", spaces around them removed. A few more (such as "-" and ".")
        mean it in a column of numbers.

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
    missing: tuple[str, ...] = MISSING
    header_row: int | None = None
    skip_rows: tuple[int, ...] | None = None
    skip_last: int | None = None

    def __post_init__(self) -> None:
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or mark in '"\r\n' or mark.isalnum()):
            raise ValueError(f"`delimiter` must be one character between cells, got {mark!r}.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"`decimal` must be '.' or ',', got {self.decimal!r}.")
        if self.header_row is not None and (self.header_row < 1 or self.header is False):
            raise ValueError(f"`header_row` must be from 1, with a header, got {self.header_row}.")
        if min((*(self.skip_rows or ()), 1)) < 1 or (self.skip_last or 0) < 0:
            raise ValueError("`skip_rows` must count from 1, and `skip_last` from 0.")


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
    max_levels : int, default=50
        Distinct values up to which a text column counts as a category.
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
    max_levels: int = 50
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

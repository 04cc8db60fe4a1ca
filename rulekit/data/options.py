"""How a file is to be read: what a person may set, and what was found."""

from dataclasses import dataclass

MISSING = (
    "",
    *("NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "NAN", "-nan"),
    *("NULL", "null", "Null", "None", "?"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),
)
MISSING_AMONG_NUMBERS = ("-", "--", "---", ".", "..", "...", "na", "none", "*")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Settings for `read_table`; None means: find out.

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
        The sheet of a spreadsheet; found out, the first that holds something.
    missing : tuple of str
        Cells that mean "no value", spaces around them removed. A few more (such as "-" and ".")
        mean it in a column of numbers.

    Raises
    ------
    ValueError
        If delimiter or decimal mark is none, or both are the same.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool | None = None
    sheet: str | None = None
    missing: tuple[str, ...] = MISSING

    def __post_init__(self) -> None:
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or mark in '"\r\n' or mark.isalnum()):
            raise ValueError(f"`delimiter` must be one character between cells, got {mark!r}.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"`decimal` must be '.' or ',', got {self.decimal!r}.")

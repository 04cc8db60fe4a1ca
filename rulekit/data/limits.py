"""How much a table may hold before it is refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings that `read_table` checks before it reads.

    Parameters
    ----------
    max_bytes : int, default=50_000_000
        Size of the file.
    max_rows : int, default=1_000_000
        Rows of data, the header not counted.
    max_columns : int, default=2_000
        Columns.
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
    max_seconds : float, default=60
        Time a spreadsheet may take, the slowest of the formats.
    max_header_length : int, default=200
        Characters kept of a column name; a longer one is shortened, with a note.
    """

    max_bytes: int = 50_000_000
    max_rows: int = 1_000_000
    max_columns: int = 2_000
    max_cells: int = 20_000_000
    max_inflated: int = 200_000_000
    max_zip_ratio: float = 100.0
    max_levels: int = 50
    max_cell_length: int = 10_000
    max_seconds: float = 60.0
    max_header_length: int = 200

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ValueError(f"`{name}` must be positive, got {getattr(self, name)!r}.")

    def sentence(self) -> str:
        """Say the ceilings in one line, as an upload card prints them."""
        return (
            f"CSV, TSV, XLSX or Parquet, up to {self.max_bytes // 1_000_000} MB, "
            f"{self.max_rows:,} rows, {self.max_columns:,} columns and {self.max_cells:,} cells."
        )

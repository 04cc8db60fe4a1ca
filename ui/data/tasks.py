"""Work on files and tables, here or in a worker: no Streamlit, nothing but values."""

from dataclasses import dataclass, field
from typing import Any

from rulekit.data import ParseOptions, Table
from rulekit.data.reading.loading import read_with_options
from rulekit.exceptions import RulekitError, WideTableError
from ui.data.sources import TableLocation, sampled
from ui.runs.worker import Reporter

LARGE = {"text": 8_000_000, "xlsx": 600_000, "parquet": 20_000_000}  # bytes: a second or more


@dataclass(frozen=True)
class Answer:
    """Result of reading a file: a table and its options, or an error and column names."""

    table: Table | None = None
    options: ParseOptions | None = None
    error: str | None = None
    names: tuple[str, ...] = ()
    source: dict[str, Any] | None = None  # what the table is a sample of


@dataclass(frozen=True)
class ReadFile:
    """Read a file; called with the job that does it, or without."""

    name: str
    content: bytes = field(repr=False)
    options: ParseOptions

    @property
    def title(self) -> str:
        """What it does, in words."""
        return f"Reading {self.name} ({len(self.content) / 1e6:.0f} MB)"

    @property
    def large(self) -> bool:
        """Whether reading is slow enough to run in the background."""
        return len(self.content) > LARGE[kind_of_file(self.content)]

    def __call__(self, reporter: Reporter | None = None) -> Answer:
        """Read the file; errors are messages in the result."""
        if reporter is not None:
            reporter.report(message="Splitting into cells, finding numbers and dates")
        try:
            return Answer(*read_with_options(self.content, name=self.name, options=self.options))
        except WideTableError as error:
            return Answer(error=str(error), names=error.names)
        except (RulekitError, ValueError) as error:
            return Answer(error=str(error))


def kind_of_file(content: bytes) -> str:
    """Return what a file's first bytes look like: "text", "xlsx" or "parquet"."""
    if content.startswith(b"PAR1"):
        return "parquet"
    return "xlsx" if content.startswith(b"PK") else "text"


@dataclass(frozen=True)
class OpenSource:
    """Draw a sample of a table that is not loaded."""

    source: dict[str, Any]
    location: TableLocation

    def __call__(self, reporter: Reporter) -> Answer:
        """Draw the sample; errors are messages in the result."""
        reporter.report(message="Drawing a sample of its rows")
        try:
            table, n_rows = sampled(self.location)
        except (RulekitError, ValueError) as error:
            return Answer(error=str(error))
        whole_source = {**self.source, "rows": n_rows} if n_rows > table.n_rows else None
        return Answer(table, source=whole_source)

"""Work on files and tables, in this process or a worker: no Streamlit, only plain values."""

from dataclasses import dataclass, field
from typing import Any

from rulekit.data import ParseOptions, Table
from rulekit.data.reading.loading import read_with_options
from rulekit.exceptions import RulekitError, WideTableError
from ui.data.sources import TableLocation, sampled
from ui.runs.worker import Reporter

# bytes; reading takes a second or more
LARGE = {"text": 8_000_000, "xlsx": 600_000, "parquet": 20_000_000}


@dataclass(frozen=True)
class Answer:
    """Result of reading a file: a table and its options, or an error and column names."""

    table: Table | None = None
    options: ParseOptions | None = None
    error: str | None = None
    names: tuple[str, ...] = ()
    source: dict[str, Any] | None = None  # the source of the sample


@dataclass(frozen=True)
class ReadFile:
    """Read a file; called in a job, or directly."""

    name: str
    content: bytes = field(repr=False)
    options: ParseOptions

    @property
    def title(self) -> str:
        """The title of the task."""
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
    """Return the type of a file by its first bytes: "text", "xlsx" or "parquet"."""
    if content.startswith(b"PAR1"):
        return "parquet"
    return "xlsx" if content.startswith(b"PK") else "text"


@dataclass(frozen=True)
class OpenSource:
    """Draw a sample of a table that is not loaded."""

    source: dict[str, Any]
    location: TableLocation
    n_rows: int

    def __call__(self, reporter: Reporter) -> Answer:
        """Draw the sample; errors are messages in the result."""
        reporter.report(message="Drawing a sample of its rows")
        try:
            table, n_rows = sampled(self.location, self.n_rows)
        except (RulekitError, ValueError) as error:
            return Answer(error=str(error))
        whole_source = {**self.source, "rows": n_rows} if n_rows > table.n_rows else None
        return Answer(table, source=whole_source)

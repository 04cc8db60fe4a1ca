"""Work on files, done in this process or in a worker's: no Streamlit here, nothing but values."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rulekit.data import ParseOptions, Table, read_with_options
from rulekit.exceptions import RulekitError, WideTableError
from rulekit.learners import IdealDNFClassifier
from ui.runs.worker import Telling

STEPS = 100

LARGE = {"text": 8_000_000, "xlsx": 600_000, "parquet": 20_000_000}  # bytes: a second or more


@dataclass(frozen=True)
class Answer:
    """What became of a file: a table and how it was read, or a sentence and names to choose."""

    table: Table | None = None
    options: ParseOptions | None = None
    error: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadFile:
    """Read a file; called with the job that does it, or without."""

    name: str
    content: bytes = field(repr=False)
    options: ParseOptions

    @property
    def large(self) -> bool:
        """Whether reading takes so long that the page should go on meanwhile."""
        return len(self.content) > LARGE[kind_of_file(self.content)]

    def __call__(self, telling: Telling | None = None) -> Answer:
        """Read it; whatever is wrong with the file is a sentence in the answer."""
        if telling is not None:
            telling.report(message="Splitting into cells, finding numbers and dates")
        try:
            return Answer(*read_with_options(self.content, name=self.name, options=self.options))
        except WideTableError as error:
            return Answer(error=str(error), names=error.names)
        except (RulekitError, ValueError) as error:
            return Answer(error=str(error))


def kind_of_file(content: bytes) -> str:
    """Say what a file's first bytes look like: "text", "xlsx" or "parquet"."""
    if content.startswith(b"PAR1"):
        return "parquet"
    return "xlsx" if content.startswith(b"PK") else "text"


@dataclass(frozen=True)
class LearnWholeFile:
    """Learn the ideal DNF from all rows of a Parquet file."""

    path: Path
    target: str
    features: tuple[str, ...]
    positive: Any

    def __call__(self, telling: Telling) -> IdealDNFClassifier:
        """Learn, and tell how far it is."""

        def told(share: float, what: str) -> None:
            telling.report(done=int(STEPS * share), message=what)

        model = IdealDNFClassifier(positive_label=self.positive, random_state=0)
        return model.fit_parquet(
            self.path,
            self.target,
            list(self.features),
            on_progress=told,
            should_stop=telling.should_stop,
        )

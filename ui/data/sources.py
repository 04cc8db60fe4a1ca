"""A table that is not loaded: opened, sampled, and counted as a whole.

No Streamlit here: this runs in a worker. A source is described by plain values, kept with an
analysis: ``{"path": name}`` of a file or folder, ``{"connection": name, "table": name}`` of a
database; `rows` is the number of its rows. The page resolves it to a `TableLocation`, which is not
shown.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rulekit._engine import fetch, kind_of, read
from rulekit.data import Limits, Table
from rulekit.data.headers import repaired_headers
from rulekit.data.tables import open_table
from rulekit.exceptions import DataError
from rulekit.learners.from_table.rows import RowNumbers, limit
from rulekit.rules import RuleSet, clause_statistics, rule_statistics
from ui.data import server_files
from ui.data.connections import TableLink, connections, without

SAMPLE_ROWS = 50_000
Source = Mapping[str, Any]


def source_words(source: Source) -> str:
    """Return the text shown for a source."""
    if "connection" in source:
        return f"{source['table']} of {source['connection']}"
    return str(source["path"])


@dataclass(frozen=True)
class TableLocation:
    """Location of a source: files, or a table of a connection."""

    name: str
    files: tuple[Path, ...] = field(default=(), repr=False)
    link: TableLink | None = None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open it as an ibis table, with the columns that rules can read."""
        secrets = () if self.link is None else self.link.secrets
        secrets += tuple(f"{folder}/" for folder in {file.parent for file in self.files})
        try:
            table = self._table() if self.link is None else self.link.opened()
            yield table.select([n for n in table.columns if _readable(table[n])])
        except DataError as error:
            raise DataError(without(str(error), secrets)) from None

    def _table(self) -> Any:
        whole = self.name.endswith("/")
        return open_table(self.files if whole else self.files[0], memory_limit="1GB")


def located(source: Source) -> TableLocation:
    """Find a source; DataError if it does not exist, or is not available to the dashboard."""
    name = source_words(source)
    if "connection" not in source:
        return TableLocation(name, tuple(server_files.resolved(str(source["path"]))))
    configured = connections().get(str(source["connection"]))
    if configured is None:
        raise DataError(
            f"There is no connection {str(source['connection'])[:60]!r} any more; choose another "
            "one."
        )
    return TableLocation(name, link=configured.link(str(source["table"])))


def _readable(column: Any) -> bool:
    try:
        kind_of(column)
    except DataError:
        return False
    return True


def sampled(source: TableLocation, n_rows: int) -> tuple[Table, int]:
    """Draw about `n_rows` rows by a hash of each row; return them and the number of all rows."""
    limits = Limits()
    with source.opened() as table:
        n_columns = len(table.columns)
        if not 0 < n_columns <= limits.max_columns:
            raise DataError(
                f"A table must have 1 to {limits.max_columns:,} columns that rules can read; this "
                f"one has {n_columns:,}. Create a view with fewer columns."
            )
        total = int(fetch(table.count()).as_py())
        wanted = min(n_rows, limits.max_rows, limits.max_cells // n_columns)
        drawn = table
        if total > wanted:
            numbers = RowNumbers(table.get_backend().name, 0)
            base = numbers.base(table, sorted(table.columns))
            drawn = table.mutate(**{_free(table): numbers.of(base, 0)})
            drawn = drawn.filter(drawn[_free(table)] < limit(wanted / total)).select(*table.columns)
        exact = {n: read(drawn[n]) for n in table.columns if drawn[n].type().is_decimal()}
        frame = fetch(drawn.mutate(**exact) if exact else drawn).to_pandas()
    notes = [f"These are {len(frame):,} of the table's {total:,} rows, drawn by a hash."]
    if len(frame) == total:
        return Table.from_frame(frame, name=source.name), total
    return Table.from_frame(frame, name=f"{source.name} (sample)", notes=notes), total


def _free(table: Any) -> str:
    return "n" * (1 + max(map(len, table.columns)))


@dataclass(frozen=True)
class AllRows:
    """The settings of a page, applied to the whole source.

    `names` are the columns' names on the page, in the source's order; `classes` the label of each
    value of the class, `other` that of any other value (None excludes such rows).
    """

    location: TableLocation
    names: tuple[str, ...]
    target: str
    classes: tuple[tuple[Any, Any], ...]
    other: Any = None

    def labelled(self, table: Any) -> Any:
        """Return the whole table with the page's names and labels, without unlabelled rows."""
        import ibis

        headers, _ = repaired_headers(list(table.columns), Limits())
        if tuple(headers) != self.names:
            raise DataError(
                "The columns of the table have changed since the sample was drawn. Open it again."
            )
        table = table.rename(dict(zip(self.names, table.columns, strict=True)))
        with_outcome = table.filter(table[self.target].notnull())
        value = read(with_outcome[self.target])
        label = ibis.cases(*((value == v, name) for v, name in self.classes), else_=self.other)
        table = with_outcome.mutate(**{self.target: label})
        return table if self.other is not None else table.filter(table[self.target].notnull())


@dataclass(frozen=True)
class WholeCount:
    """Counts of a rule on all rows: total, wrong, and matched and right per clause."""

    n: int
    errors: int
    clauses: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CountRule:
    """Count a rule on all rows of a source."""

    rows: AllRows
    rule: RuleSet

    def __call__(self, reporter: Any) -> WholeCount:
        """Query the engine twice: for the rule, and for its clauses."""
        reporter.report(message="Counting the rule on all rows")
        with self.rows.location.opened() as table:
            table = self.rows.labelled(table)
            whole = rule_statistics(self.rule, table, self.rows.target)
            clauses = clause_statistics(self.rule, table, self.rows.target)
        counts = tuple((c.n, c.positives) for c in clauses)
        return WholeCount(whole.n, whole.errors, counts)


@dataclass(frozen=True)
class LearnWhole:
    """Learn from all rows of a source, with a learner that has `fit_table`."""

    rows: AllRows
    learner: Any
    features: tuple[str, ...]
    steps: int
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, reporter: Any) -> Any:
        """Learn and report the progress, until the job is stopped."""

        def report(share: float, message: str) -> None:
            reporter.report(done=int(self.steps * share), message=message)

        fit: Callable[..., Any] = self.learner.fit_table
        with self.rows.location.opened() as table:
            table = self.rows.labelled(table)
            given = dict(self.options)
            return fit(table, self.rows.target, list(self.features), on_progress=report, **given)

"""Files, and tables on the server that are not loaded: opened, sampled, counted as a whole."""

# No Streamlit here: this runs in a worker. A source is described by plain values, kept with an
# analysis: ``{"path": name}`` of a file or folder, ``{"connection": name, "table": name}`` of a
# database; `rows` is the number of its rows. The page resolves it to a `TableLocation`, which is
# not shown.
#
# ``RULEKIT_DATA_ROOT`` names a folder of Parquet and CSV files; without it none is offered. A path
# is resolved, including links, and rejected if it is outside the folder; so is every file of a
# folder that is read as one table. ``RULEKIT_TABLES`` names a file of connections, in TOML;
# the guide has an example.
#
# ``${NAME}`` is replaced by an environment variable, so that no secret is in the file; a secret in
# it raises an error. Addresses and drivers' messages are not shown: they go to the server's log,
# with secrets masked. Only the listed tables can be read.

import logging
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from rulekit._engine import fetch, kind_of, quiet, read
from rulekit.data import Limits, ParseOptions, Table
from rulekit.data.headers import repair_headers
from rulekit.data.reading.layout import TableLayout
from rulekit.data.reading.loading import kind_of_file, read_with_layout
from rulekit.data.tables import open_table
from rulekit.exceptions import DataError, RulekitError, WideTableError
from rulekit.learners.from_table.rows import RowNumbers, limit
from rulekit.rules import ClauseStatistics, RuleSet, clause_statistics, rule_statistics
from rulekit.rules.analysis.statistics import RuleStatistics
from ui.runs.worker import Report

DATA_ROOT = "RULEKIT_DATA_ROOT"  # environment variable: the folder of tables
MAX_LISTED = 500
MAX_FILES = 20_000  # number of files of one table
SUFFIXES = (".parquet", ".csv")
PART = "="  # a folder called year=2024 is a part of the table above it


def data_root() -> Path | None:
    """Return the folder that the operator allows, resolved; None without one."""
    if not (named := os.environ.get(DATA_ROOT, "")):
        return None
    folder = Path(named).resolve()
    return folder if folder.is_dir() else None


def list_tables() -> list[str]:
    """List at most 500 tables below the folder, sorted; a Parquet folder ends in a slash."""
    if (folder := data_root()) is None:
        return []
    files: set[str] = set()
    for path in _walk(folder):
        name = path.relative_to(folder)
        if path.suffix not in SUFFIXES or _resolve(folder, name.as_posix()) is None:
            continue
        files.add(name.as_posix())
        whole = name.parent
        while PART in whole.name:
            whole = whole.parent
        if path.suffix == ".parquet" and whole != Path():
            files.add(f"{whole.as_posix()}/")
        if len(files) >= MAX_LISTED:
            break
    return sorted(files)[:MAX_LISTED]


def server_files(name: str) -> list[Path]:
    """Return the files of a table: one, or those of a folder, sorted."""
    if (folder := data_root()) is None:
        raise DataError(
            f"No folder of this server is open to the dashboard; its operator can name one in "
            f"{DATA_ROOT}."
        )
    if (path := _resolve(folder, name)) is None:
        raise DataError(
            f"There is no table {name[:120]!r} in the folder that this server opens to the "
            "dashboard. Choose one of the list."
        )
    if path.is_file():
        return [path]
    files = []
    for part in _walk(path):
        if part.suffix != ".parquet":
            continue
        if _resolve(folder, part.relative_to(folder).as_posix()) is None:
            raise DataError(
                f"The folder {name[:120]!r} holds a file that leads out of what this server opens "
                "to the dashboard; its operator can take it away."
            )
        files.append(part)
        if len(files) > MAX_FILES:
            raise DataError(
                f"The folder {name[:120]!r} holds more than {MAX_FILES:,} files; choose one of its "
                "parts."
            )
    return files


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder in order; links to folders are not followed."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            yield Path(path) / name


def _resolve(folder: Path, name: str) -> Path | None:
    """Resolve a path below a folder; None if it is outside or not a table."""
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    if not path.is_relative_to(folder) or path == folder:
        return None
    if name.endswith("/"):
        return path if any(part.suffix == ".parquet" for part in _walk(path)) else None
    return path if path.suffix in SUFFIXES and path.is_file() else None


CONNECTIONS = "RULEKIT_TABLES"  # environment variable: the file of connections
GIVEN = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SECRET = re.compile("pass|pwd|secret|token|key|credential", re.IGNORECASE)
BLOT = "***"
log = logging.getLogger("rulekit.dashboard")


@dataclass(frozen=True)
class Connection:
    """One named connection; its address is not shown."""

    name: str
    tables: tuple[str, ...]
    url: str = field(repr=False)

    def link(self, table: str) -> "TableLocation":
        """Return the location of one of its tables, without opening it."""
        if table not in self.tables:
            raise DataError(
                f"The connection {self.name[:60]!r} has no table {table[:120]!r}. Choose one of "
                "the list."
            )
        secrets = []
        for name in GIVEN.findall(self.url):
            if not (value := os.environ.get(name, "")):
                raise DataError(
                    f"The connection {self.name[:60]!r} needs the environment variable {name}, "
                    "which is not set where this server runs. Its operator can set it."
                )
            secrets += [value, quote(value, safe="")]
        address = GIVEN.sub(lambda match: quote(os.environ[match[1]], safe=""), self.url)
        name = f"{table} of {self.name}"
        return TableLocation(name, (), self.name, table, address, (*secrets, address))


def blot_secrets(words: str, secrets: tuple[str, ...]) -> str:
    """Replace secrets in a text."""
    for secret in sorted(secrets, key=len, reverse=True):
        words = words.replace(secret, BLOT)
    return words


def connections() -> dict[str, Connection]:
    """Read the file of connections; without one there are none."""
    if not (named := os.environ.get(CONNECTIONS, "")):
        return {}
    try:
        listed = tomllib.loads(Path(named).read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise DataError(
            f"The file that {CONNECTIONS} names cannot be read ({type(error).__name__}); its "
            "operator can name another, or unset the variable."
        ) from error
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at [^()]*\)$", str(error))
        raise DataError(
            f"The file that {CONNECTIONS} names must be TOML{' ' + where[0] if where else ''}; see "
            "the guide for what it holds."
        ) from None
    return {name: _connection(name, given) for name, given in listed.items()}


def _connection(name: str, given: Any) -> Connection:
    """Check the entry of one connection in the file; messages contain none of its values."""
    head = f"The connection {name[:60]!r} in the file that {CONNECTIONS} names"
    if not isinstance(given, dict) or set(given) != {"url", "tables"}:
        held = ", ".join(sorted(map(str, given)))[:120] if isinstance(given, dict) else "a value"
        raise DataError(f"{head} must hold “url” and “tables”, and nothing else; it holds {held}.")
    url, tables = given["url"], given["tables"]
    if not isinstance(url, str) or "://" not in url:
        raise DataError(f"{head} must give its “url” as text such as 'postgres://host/database'.")
    if not isinstance(tables, list) or not tables or not all(isinstance(t, str) for t in tables):
        raise DataError(f"{head} must list in “tables” the names of the tables that may be read.")
    if any(value and not GIVEN.fullmatch(value) for value in _secrets_in(url)):
        raise DataError(
            f"{head} holds a secret; write ${{NAME}} in its place, and set the environment "
            "variable NAME where this server runs."
        )
    return Connection(name, tuple(tables), url)


def _secrets_in(url: str) -> list[str]:
    """List the secret parts of an address: the password and parameters named like one."""
    try:
        parts = urlsplit(url)
        secrets = [parts.password or ""]
    except ValueError:  # an address that cannot be parsed is rejected when it is opened
        return []
    return secrets + [v for k, v in parse_qsl(parts.query) if SECRET.search(k)]


SAMPLE_ROWS = 50_000
Source = Mapping[str, Any]


def source_words(source: Source) -> str:
    """Return the text shown for a source."""
    if "connection" in source:
        return f"{source['table']} of {source['connection']}"
    return str(source["path"])


@dataclass(frozen=True)
class TableLocation:
    """Location of a source: files, or a table of a connection with its address, not shown."""

    name: str
    files: tuple[Path, ...] = field(default=(), repr=False)
    connection: str = ""
    table: str = ""
    address: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Open it as an ibis table, with the columns that rules can read."""
        secrets = (*self.secrets, *{f"{file.parent}/" for file in self.files})
        try:
            if self.address:
                schema, _, table_name = self.table.rpartition(".")
                try:
                    import ibis

                    quiet()
                    table = ibis.connect(self.address).table(table_name, database=schema or None)
                except Exception as error:  # each driver has its own; they may include the address
                    message = blot_secrets(f"{type(error).__name__}: {error}", self.secrets)
                    log.warning("connection %r, table %r: %s", self.connection, self.table, message)
                    raise DataError(
                        f"The table {self.table[:120]!r} of the connection "
                        f"{self.connection[:60]!r} cannot be opened ({type(error).__name__}). The "
                        "reason is in the server's log."
                    ) from None
            else:
                files = self.files if self.name.endswith("/") else self.files[0]
                table = open_table(files, memory_limit="1GB")
            yield table.select([n for n in table.columns if _readable(table[n])])
        except DataError as error:
            raise DataError(blot_secrets(str(error), secrets)) from None


def find_table(source: Source) -> TableLocation:
    """Find a source; DataError if it does not exist, or is not available to the dashboard."""
    if "connection" not in source:
        return TableLocation(source_words(source), tuple(server_files(str(source["path"]))))
    name = str(source["connection"])
    if (configured := connections().get(name)) is None:
        raise DataError(f"There is no connection {name[:60]!r} any more; choose another one.")
    return configured.link(str(source["table"]))


def _readable(column: Any) -> bool:
    try:
        kind_of(column)
    except DataError:
        return False
    return True


def draw_sample(source: TableLocation, n_rows: int) -> tuple[Table, int]:
    """Draw about `n_rows` rows by a hash of each row; return them and the number of all rows."""
    limits = Limits()
    with source.open() as table:
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
            number = "n" * (1 + max(map(len, table.columns)))  # no column has this name
            drawn = table.mutate(**{number: numbers.make_numbers(base, 0)})
            drawn = drawn.filter(drawn[number] < limit(wanted / total)).select(*table.columns)
        exact = {n: read(drawn[n]) for n in table.columns if drawn[n].type().is_decimal()}
        frame = fetch(drawn.mutate(**exact) if exact else drawn).to_pandas()
    notes = [f"These are {len(frame):,} of the table's {total:,} rows, drawn by a hash."]
    if len(frame) == total:
        return Table.from_frame(frame, name=source.name), total
    return Table.from_frame(frame, name=f"{source.name} (sample)", notes=notes), total


@dataclass(frozen=True)
class AllRows:
    """The settings of a page, applied to the whole source."""

    location: TableLocation
    names: tuple[str, ...]  # of the columns on the page, in the source's order
    target: str
    classes: tuple[tuple[Any, Any], ...]  # (value, label)
    other: Any = None  # label of any other value; None excludes such rows

    def add_labels(self, table: Any) -> Any:
        """Return the whole table with the page's names and labels, without unlabelled rows."""
        import ibis

        headers, _ = repair_headers(list(table.columns), Limits())
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


def count_rule(
    rows: AllRows, rule: RuleSet, report: Report
) -> tuple[RuleStatistics, tuple[ClauseStatistics, ...]]:
    """Count a rule, and its clauses, on all rows of a source, by two queries, as a job."""
    report(message="Counting the rule on all rows")
    with rows.location.open() as table:
        table = rows.add_labels(table)
        whole = rule_statistics(rule, table, rows.target)
        return whole, clause_statistics(rule, table, rows.target)


def learn_whole(
    rows: AllRows, learner: Any, options: dict[str, Any], n_steps: int, report: Report
) -> Any:
    """Learn from all rows of a source, with a learner that has `fit_table`, as a job."""
    with rows.location.open() as table:
        return learner.fit_table(
            rows.add_labels(table),
            rows.target,
            on_progress=lambda share, message: report(done=int(n_steps * share), message=message),
            **options,
        )


# bytes; reading takes a second or more
LARGE = {"text": 8_000_000, "json": 8_000_000, "html": 2_000_000, "parquet": 20_000_000}
OTHERS_LARGE = 600_000  # bytes of spreadsheets, and of what is read in a process of its own


@dataclass(frozen=True)
class Answer:
    """Result of reading a file: a table and its options, or an error and column names."""

    table: Table | None = None
    options: ParseOptions | None = None
    error: str | None = None
    names: tuple[str, ...] = ()
    source: dict[str, Any] | None = None  # of a table on the server, with its number of rows
    layout: TableLayout | None = None


def is_large(content: bytes) -> bool:
    """Return whether reading a file is slow enough to run in the background."""
    try:
        kind = kind_of_file(content)
    except DataError:  # refused at once
        return False
    return len(content) > LARGE.get(kind, OTHERS_LARGE)


def read_file(
    name: str, content: bytes, options: ParseOptions, report: Report | None = None
) -> Answer:
    """Read a file, also as a job; errors are messages in the result."""
    if report is not None:
        report(message="Splitting into cells, finding numbers and dates")
    try:
        table, used, layout = read_with_layout(content, name=name, options=options)
        return Answer(table, used, layout=layout)
    except WideTableError as error:
        return Answer(error=str(error), names=error.names)
    except (RulekitError, ValueError) as error:
        return Answer(error=str(error))


def open_sample(
    source: dict[str, Any], location: TableLocation, n_rows: int, report: Report
) -> Answer:
    """Draw a sample of a table that is not loaded, as a job; errors are messages in the result."""
    report(message="Drawing a sample of its rows")
    try:
        table, n_all = draw_sample(location, n_rows)
    except (RulekitError, ValueError) as error:
        return Answer(error=str(error))
    return Answer(table, source={**source, "rows": n_all})

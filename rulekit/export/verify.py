"""Runs an export and compares every row with the model: the proof that goes with a download."""

import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.exceptions import ExportError
from rulekit.explain.subject import columns_for, value_at
from rulekit.export.html import from_html, to_html
from rulekit.export.json import from_json, to_json
from rulekit.export.markdown import from_markdown, to_markdown
from rulekit.export.numbers import ClauseNumbers
from rulekit.export.python import to_python
from rulekit.export.sql import to_sql
from rulekit.export.subject import exported_rule
from rulekit.export.text import to_text
from rulekit.export.text_parser import from_text
from rulekit.rules import LinearSplit, PowerLawSplit, RuleSet
from rulekit.rules.crossings import crossings

Rows = dict[str, NDArray[Any]]
Runner = Callable[[RuleSet, Rows, int], tuple[str, list[Any]]]
MAX_BASES = 3


@dataclass(frozen=True)
class VerifiedExport:
    """An export and what came out when it was run.

    Attributes
    ----------
    format : str
        The format's name.
    text : str
        The export itself.
    n_rows, n_equal : int
        Rows of the table, and how many got the same label.
    n_probes, n_probes_equal : int
        Made-up rows at, just below and just above every threshold and with missing values, and how
        many of these got the same label.
    sentence : str
        The finding in words.
    """

    format: str
    text: str
    n_rows: int
    n_equal: int
    n_probes: int
    n_probes_equal: int
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether every row and every probe got the same label."""
        return self.n_equal == self.n_rows and self.n_probes_equal == self.n_probes


def verify_export(
    model: Any, X: Any, format: str, *, numbers: Sequence[ClauseNumbers] | None = None
) -> VerifiedExport:
    r"""Export a rule, run the export on a table, and compare every row with `predict`.

    Parameters
    ----------
    model : RuleSet or fitted model
        What is exported.
    X : DataFrame, array or mapping of column name to array
        The rows.
    format : {"text", "markdown", "html", "json", "python", "sql", "sqlite", "duckdb"}
        "sql" is standard SQL, run by sqlite3; "duckdb" needs that package. Python source is
        executed, JSON is loaded, and the forms people read are read back by a parser that knows
        only their grammar.
    numbers : sequence of ClauseNumbers, optional
        Counts that stand beside the clauses in text, Markdown and HTML; the other formats that
        are checked have no place for them.

    Returns
    -------
    VerifiedExport

    Raises
    ------
    ExportError
        If the format cannot express the rule, or its engine is not installed.
    ValueError
        If `format` is none of these.

    Notes
    -----
    Missing values are given as None and as NaN in turn, since engines tell them apart.

    Examples
    --------
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> verify_export(rule, {"age": np.array([40.0, 50.0, 60.0, np.nan])}, "json").sentence
    'Checked: 4/4 rows give the same class when this JSON is loaded (and 15/15 at the limits).'
    """
    run = _runner(format, numbers)
    rule, columns = exported_rule(model), columns_for(model, X)
    rows = {f: columns[f] for f in rule.features}
    n = len(next(iter(columns.values()), ()))
    expected = rule.predict(columns).tolist()
    if not isinstance(model, RuleSet):
        expected = np.asarray(model.predict(X)).tolist()
    probes = _probes(rule, rows)
    text, answers = run(rule, rows, n)
    n_probes = len(next(iter(probes.values()), ()))
    found = run(rule, probes, n_probes)[1] if n_probes else []
    equal = _n_equal(expected, answers)
    probes_equal = _n_equal(rule.predict(probes).tolist() if n_probes else [], found)
    sentence = _sentence(format, (n, equal), (n_probes, probes_equal))
    return VerifiedExport(format, text, n, equal, n_probes, probes_equal, sentence)


def _runner(format: str, numbers: Sequence[ClauseNumbers] | None) -> Runner:
    if format in FOR_READERS:
        write, read = FOR_READERS[format]
        return _read_back(partial(write, numbers=numbers), read)
    if format not in RUNNERS:
        raise ValueError(f"`format` must be one of {CHECKED}, got {format!r}.")
    return RUNNERS[format]


def _n_equal(expected: list[Any], answers: list[Any]) -> int:
    if len(expected) != len(answers):
        raise ExportError(
            f"The export answered {len(answers)} rows of {len(expected)}; please report this."
        )
    return sum(_same(a, b) for a, b in zip(expected, answers, strict=True))


def _same(label: Any, answer: Any) -> bool:
    """Compare labels; engines without truth values answer with 0 and 1."""
    return isinstance(label, str) == isinstance(answer, str) and bool(label == answer)


def _sentence(format: str, rows: tuple[int, int], probes: tuple[int, int]) -> str:
    how = HOW.get(format, "this text is read back")
    text = f"{rows[1]}/{rows[0]} rows give the same class when {how}"
    if probes[0]:
        text += f" (and {probes[1]}/{probes[0]} at the limits)"
    failed = rows[0] != rows[1] or probes[0] != probes[1]
    return f"{'Not the same' if failed else 'Checked'}: {text}."


def _probes(rule: RuleSet, rows: Rows) -> Rows:
    """Vary a few rows: each column at, below and above its thresholds, and missing."""
    n = min(MAX_BASES, len(next(iter(rows.values()), ())))
    made: dict[str, list[Any]] = {f: [] for f in rows}
    for base in range(n):
        values = {f: value_at(column, base) for f, column in rows.items()}
        for feature in rows:
            limits = _limits(rule, feature, rows[feature])
            if rows[feature].dtype != object:
                limits += _plane_limits(rule, feature, values)
            for value in limits:
                for f in rows:
                    made[f].append(value if f == feature else values[f])
    return {f: _like(rows[f], values) for f, values in made.items()}


def _limits(rule: RuleSet, feature: str, column: NDArray[Any]) -> list[Any]:
    literals = [x for c in rule.clauses for x in c.literals if x.feature == feature]
    named = [v for x in literals for v in (x.value if isinstance(x.value, tuple) else (x.value,))]
    if column.dtype != object:
        numbers = [float(v) for v in named if isinstance(v, (bool, float))]
        below = [math.nextafter(v, -math.inf) for v in numbers]
        above = [math.nextafter(v, math.inf) for v in numbers]
        return [*below, *numbers, *above, None, None]
    kind = bool if any(isinstance(v, bool) for v in (*named, *column)) else str
    return [*(v for v in named if isinstance(v, kind)), None]


def _plane_limits(rule: RuleSet, feature: str, row: dict[str, Any]) -> list[float]:
    """Say where, but for rounding, the other values put a column on the plane; and both sides."""
    found = _crossings(rule, feature, row)
    for split in (c for k in rule.clauses for c in k.conditions if isinstance(c, LinearSplit)):
        weights = dict(split.terms)
        others = [row[f] for f in weights if f != feature]
        if feature not in weights or any(v is None for v in others):
            continue
        rest = sum(w * float(row[f]) for f, w in split.terms if f != feature)
        value = (split.value - rest) / weights[feature]
        if math.isfinite(value):
            found += [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]
    return found


def _crossings(rule: RuleSet, feature: str, row: dict[str, Any]) -> list[float]:
    """Say where, but for rounding, a column meets a bound of a power-law split; and both sides."""
    found = []
    for split in (c for k in rule.clauses for c in k.conditions if isinstance(c, PowerLawSplit)):
        known = all(isinstance(row[f], float) for f in split.features if f != feature)
        if feature in split.features and known:
            meets = crossings(split, feature, row)
            floors = [f.floor for t in split.terms for f in t.factors if f.feature == feature]
            for value in (*meets, *(f for f in floors if f is not None)):
                found += [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]
    return found


def _like(column: NDArray[Any], values: list[Any]) -> NDArray[Any]:
    if column.dtype != object:
        return np.array([np.nan if v is None else v for v in values], dtype=float)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _read_back(write: Callable[[Any], str], read: Callable[[str], RuleSet]) -> Runner:
    """Make a runner of a writer and a reader."""

    def run(rule: RuleSet, rows: Rows, n: int) -> tuple[str, list[Any]]:
        text = write(rule)
        return text, read(text).predict(rows or {"": np.zeros(n)}).tolist()

    return run


def _run_python(rule: RuleSet, rows: Rows, n: int) -> tuple[str, list[Any]]:
    text = to_python(rule)
    module: dict[str, Any] = {}
    exec(compile(text, "exported rule", "exec"), module)
    given = [{f: _given(column, i) for f, column in rows.items()} for i in range(n)]
    return text, module["predict"](given)


def _given(column: NDArray[Any], row: int) -> Any:
    """Give a cell; a missing one as None and as NaN in turn."""
    value = value_at(column, row)
    return (math.nan if row % 2 else None) if value is None else value


def _run_sqlite(dialect: str) -> Runner:
    def run(rule: RuleSet, rows: Rows, n: int) -> tuple[str, list[Any]]:
        text = to_sql(rule, dialect=dialect)
        names, order = [_quoted(f) for f in rows], _quoted(_free(rows))
        types = ["TEXT" if _is_text(c) else "REAL" for c in rows.values()]
        with sqlite3.connect(":memory:") as connection:
            declared = [f"{a} {b}" for a, b in zip(names, types, strict=True)]
            connection.execute(f"CREATE TABLE t ({', '.join([f'{order} INTEGER', *declared])})")
            marks = ", ".join("?" * (len(rows) + 1))
            values = ((i, *(value_at(c, i) for c in rows.values())) for i in range(n))
            connection.executemany(f"INSERT INTO t VALUES ({marks})", values)
            found = connection.execute(f"SELECT {text} FROM t ORDER BY {order}").fetchall()
        connection.close()
        return text, [row[0] for row in found]

    return run


def _run_duckdb(rule: RuleSet, rows: Rows, n: int) -> tuple[str, list[Any]]:
    try:
        import duckdb  # an extra: most people never need it
    except ImportError:
        raise ExportError(
            "Checking SQL for DuckDB needs the package duckdb; install it, or take 'sql'."
        ) from None
    text = to_sql(rule, dialect="duckdb")
    arrays = [_arrow(column, n) for column in rows.values()]
    table = pa.table([pa.array(range(n), pa.int64()), *arrays], names=[_free(rows), *rows])
    with duckdb.connect() as connection:
        connection.register("t", table)
        query = f"SELECT {text} FROM t ORDER BY {_quoted(_free(rows))}"
        return text, [row[0] for row in connection.execute(query).fetchall()]


def _arrow(column: NDArray[Any], n: int) -> pa.Array:
    """Make a column of Arrow with NULL and, among numbers, NaN in turn where it is missing."""
    values = [value_at(column, i) for i in range(n)]
    if _is_text(column):
        return pa.array(values, pa.string())
    if column.dtype == object:
        return pa.array(values, pa.bool_())
    return pa.array([_given(column, i) for i in range(n)], pa.float64(), from_pandas=False)


def _is_text(column: NDArray[Any]) -> bool:
    return column.dtype == object and not any(isinstance(v, (bool, np.bool_)) for v in column)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _free(rows: Rows) -> str:
    """Return a column name that is not taken, whatever case a database folds."""
    name = "row_number"
    while name in {f.lower() for f in rows}:
        name += "_"
    return name


FOR_READERS: dict[str, tuple[Callable[..., str], Callable[[str], RuleSet]]] = {
    "text": (to_text, from_text),
    "markdown": (to_markdown, lambda text: from_text(from_markdown(text))),
    "html": (to_html, lambda text: from_text(from_html(text))),
}
RUNNERS: dict[str, Runner] = {
    "json": _read_back(to_json, from_json),
    "python": _run_python,
    "sql": _run_sqlite("ansi"),
    "sqlite": _run_sqlite("sqlite"),
    "duckdb": _run_duckdb,
}
CHECKED = (*FOR_READERS, *RUNNERS)
HOW = {
    "json": "this JSON is loaded",
    "python": "this function is executed",
    "sql": "this SQL is run",
    "sqlite": "this SQL is run",
    "duckdb": "this SQL is run",
}

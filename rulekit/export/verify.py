"""Verification of exports: run one and compare every row with the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import ExportError
from rulekit.explain.subject import columns_for, value_at
from rulekit.export.formats import FORMATS
from rulekit.export.numbers import ClauseNumbers
from rulekit.export.runners import Rows
from rulekit.export.subject import exported_rule
from rulekit.rules import RuleSet

CHECKED = tuple(name for name, form in FORMATS.items() if form.run is not None)
MAX_BASES = 3


@dataclass(frozen=True)
class VerifiedExport:
    """An export and the result of running it.

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
        If `format` is unknown.

    Notes
    -----
    Missing values are given as None and as NaN in turn, since engines tell them apart.

    Examples
    --------
    >>> from rulekit.export import from_text
    >>> rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    >>> verify_export(rule, {"age": np.array([40.0, 50.0, 60.0, np.nan])}, "json").sentence
    'Checked: 4/4 rows give the same class when this JSON is loaded (and 15/15 at the limits).'
    """
    form = FORMATS.get(format)
    if form is None or form.run is None:
        raise ValueError(f"`format` must be one of {CHECKED}, got {format!r}.")
    rule, columns = exported_rule(model), columns_for(model, X)
    rows = {f: columns[f] for f in rule.features}
    n = len(next(iter(columns.values()), ()))
    expected = rule.predict(columns).tolist()
    if not isinstance(model, RuleSet):
        expected = np.asarray(model.predict(X)).tolist()
    probes = _probes(rule, rows)
    text = form.write(model, numbers=numbers) if form.counted else form.write(model)
    answers = form.run(text, rows, n)
    n_probes = len(next(iter(probes.values()), ()))
    found = form.run(text, probes, n_probes) if n_probes else []
    equal = _n_equal(expected, answers)
    probes_equal = _n_equal(rule.predict(probes).tolist() if n_probes else [], found)
    sentence = _sentence(form.how, (n, equal), (n_probes, probes_equal))
    return VerifiedExport(format, text, n, equal, n_probes, probes_equal, sentence)


def _n_equal(expected: list[Any], answers: list[Any]) -> int:
    if len(expected) != len(answers):
        raise ExportError(
            f"The export answered {len(answers)} rows of {len(expected)}; please report this."
        )
    return sum(_same(a, b) for a, b in zip(expected, answers, strict=True))


def _same(label: Any, answer: Any) -> bool:
    """Compare labels; engines without truth values return 0 and 1."""
    return isinstance(label, str) == isinstance(answer, str) and bool(label == answer)


def _sentence(how: str, rows: tuple[int, int], probes: tuple[int, int]) -> str:
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
            limits = _limits(rule, feature, rows[feature], values)
            for value in limits:
                for f in rows:
                    made[f].append(value if f == feature else values[f])
    return {f: _like(rows[f], values) for f, values in made.items()}


def _limits(rule: RuleSet, feature: str, column: NDArray[Any], row: dict[str, Any]) -> list[Any]:
    """List values of a column at, just below and just above its limits, and missing ones."""
    conditions = [c for clause in rule.clauses for c in clause.conditions]
    if column.dtype != object:
        numbers = [v for c in conditions for v in c.limits(feature, row)]
        near = [math.nextafter(v, end) for end in (-math.inf, math.inf) for v in numbers]
        return [*near, *numbers, None, None]
    tests = [x for c in conditions for x in c.tests if x.feature == feature]
    named = [v for x in tests for v in x.turning]
    kind = bool if any(isinstance(v, bool) for v in (*named, *column)) else str
    return [*(v for v in named if isinstance(v, kind)), None]


def _like(column: NDArray[Any], values: list[Any]) -> NDArray[Any]:
    if column.dtype != object:
        return np.array([np.nan if v is None else v for v in values], dtype=float)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made

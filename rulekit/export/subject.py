"""Input of an export: the rule of a model, its columns and labels, and counts beside clauses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import ExportError, RuleError
from rulekit.rules import Columns, RuleSet, wilson_interval
from rulekit.rules.rule_set import rule_of
from rulekit.style.phrases import whole_percent

LONGEST = 300  # characters of a line that describes a column


def rule_to_export(model: Any) -> RuleSet:
    """Return the rule set that a model predicts with."""
    try:
        return rule_of(model)
    except RuleError as error:
        raise ExportError(str(error)) from None


def check_label(label: Any, format_name: str) -> str | bool | int | float:
    """Return a label if every format can write its type."""
    if isinstance(label, (str, bool, int, float)) and label == label:
        return label
    raise ExportError(
        f"{format_name} can express labels that are text, numbers or truth values; this rule "
        f"predicts {label!r}. Rename the classes."
    )


def describe_columns(rule: RuleSet) -> list[str]:
    """Return what each column was when the rule was learned, one printable line a column."""
    columns = () if rule.schema is None else rule.schema.columns
    return _make_printable(f"{column.name!r}: {column.sentence()}" for column in columns)


def describe_names(rule: RuleSet) -> list[str]:
    """Return what people's names of a rule's conditions mean, one printable line a name."""
    texts = {} if rule.schema is None else rule.schema.texts
    used = dict.fromkeys(map(str, (*rule.conditions, *rule.tests)))
    return _make_printable(f"{texts[each]!r} means {each}" for each in used if each in texts)


def write_comments(rule: RuleSet, sign: str, *, titled: bool = True) -> str:
    """Write names of conditions and columns as comments, with headings; empty if none."""
    parts = {
        "What the names of conditions mean:": describe_names(rule),
        "What the columns were when the rule was learned:": describe_columns(rule),
    }
    listed = [x for head, lines in parts.items() if lines for x in (*[head] * titled, *lines)]
    return "".join(f"{sign} {line}\n" for line in listed)


def _make_printable(lines: Iterable[str]) -> list[str]:
    return ["".join(c if c.isprintable() else " " for c in line)[:LONGEST] for line in lines]


def column_kinds(rule: RuleSet) -> dict[str, str]:
    """Return the type that each column is compared with, for formats with typed columns."""
    for feature, types_of_column in rule.types.items():
        if str in types_of_column and len(types_of_column) > 1:
            raise ExportError(
                f"Column {feature!r} is compared with text and with numbers, but a column of this "
                "format has one type. Split the column, or take Python or JSON."
            )
    names = {frozenset(): "unknown", frozenset([str]): "text", frozenset([bool]): "flag"}
    return {feature: names.get(types, "number") for feature, types in rule.types.items()}


@dataclass(frozen=True)
class ClauseNumbers:
    """Counts of one clause on one set of rows.

    Attributes
    ----------
    n : int
        The rows it decides: in a DNF the first clause that holds decides, in a CNF the first one
        that fails.
    n_right : int
        How many of these have the predicted label.
    low, high : float
        95 % Wilson interval of the share, from 0 to 1.
    where : str
        The counted rows: "training" or "test".
    """

    n: int
    n_right: int
    low: float
    high: float
    where: str = "training"

    @property
    def sentence(self) -> str:
        """The counts in words."""
        if self.n == 0:
            return f"decides no {self.where} row"
        share = whole_percent(self.n_right, self.n)
        span = f"95 % interval {100 * self.low:.0f}-{100 * self.high:.0f} %"
        rows = f"{self.n} {self.where} row{'s' * (self.n != 1)}"
        return f"decides {rows}, right for {self.n_right} ({share}, {span})"


@dataclass(frozen=True)
class PredictedRows:
    """A set of rows with their outcomes, their predictions, and the counts of each clause."""

    name: str
    columns: Columns
    y: list[Any]
    answers: list[Any]
    numbers: tuple[ClauseNumbers, ...]
    rows: Sequence[Any]  # their names, or numbers

    @classmethod
    def from_rows(cls, model: Any, name: str, rows: Any) -> "PredictedRows":
        """Predict rows, given as a pair of table and labels."""
        from rulekit.data.typed import read_labels
        from rulekit.explain.subject import columns_for

        if not (isinstance(rows, tuple) and len(rows) == 2):
            raise TypeError(
                f"`{name}` must be a pair (X, y) of rows and their labels, got "
                f"{type(rows).__name__}. Write (X, y)."
            )
        X, y = rows
        columns, labels = columns_for(model, X), read_labels(y).tolist()
        answers = rule_to_export(model).predict(columns).tolist()
        index = getattr(X, "index", range(len(labels)))
        return cls(name, columns, labels, answers, clause_numbers(model, X, y, name), index)

    @property
    def n_right(self) -> int:
        """How many are predicted correctly."""
        return sum(bool(a == b) for a, b in zip(self.y, self.answers, strict=True))

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The rows that each clause, and none, decides: correct ones and all."""
        n, right = (sum(getattr(k, part) for k in self.numbers) for part in ("n", "n_right"))
        return [*((k.n_right, k.n) for k in self.numbers), (self.n_right - right, len(self.y) - n)]


def clause_numbers(
    model: Any, X: Any, y: Any, where: str = "training"
) -> tuple[ClauseNumbers, ...]:
    """Count the rows that each clause decides, for the formats that show them.

    Parameters
    ----------
    model : RuleSet or fitted model
        Whose clauses are counted.
    X : DataFrame, array or mapping of column name to array, n rows
    y : array-like of shape (n,)
    where : str, default="training"

    Returns
    -------
    tuple of ClauseNumbers
        One a clause, in order.

    Raises
    ------
    ExportError, DataError, RuleError
        If there is no rule, or rows and labels do not fit it.
    """
    # both import pandas, which texts do not need
    from rulekit.data.typed import read_labels
    from rulekit.explain.subject import columns_for

    rule = rule_to_export(model)
    columns, truth = columns_for(model, X), read_labels(y).astype(object)
    counts = []
    for rows, label in zip(rule.clauses_deciding(columns).T, rule.as_dnf.labels, strict=True):
        n, right = int(rows.sum()), int((truth[rows] == label).sum())
        counts.append(ClauseNumbers(n, right, *wilson_interval(right, n), where))
    return tuple(counts)

"""What the columns of a rule are: kind, levels or range, and how texts become values."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any, Self

from rulekit.exceptions import RuleError
from rulekit.rules.condition import WORDS

NUMERIC = ("number", "whole number", "duration")
TEXTUAL = ("level", "grade", "words")
COLUMN_KINDS = (*NUMERIC, "truth value", *TEXTUAL, "date", "any")
#: How a kind of column is computed with: "boolean" for truth values, "text" for levels and words.
COARSE = (
    dict.fromkeys(NUMERIC, "number")
    | dict.fromkeys((*TEXTUAL, "any"), "text")
    | {"truth value": "boolean", "date": "date"}
)
MOST_LEVELS = 1_000  # of a column whose levels are kept


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """What one column held when a rule was learned.

    Parameters
    ----------
    name : str
    kind : str
        "number", "whole number", "truth value", "level" (a category as text), "grade" (levels with
        an order), "words" (a text whose words are tested), "date", "duration" (in days), or "any"
        if nothing is known.
    levels : tuple of str, optional
        The levels of the training rows, sorted; of a grade its order, the lowest first. None if
        they are not known, or more than 1 000.
    low, high : float or str, optional
        The range of the training rows; of dates as ISO text.
    gaps : bool, optional
        Whether training rows had no value; None if that is not known.
    time : bool, default=False
        Whether dates have a time of day.
    zone : str, optional
        "UTC" if dates had a time zone or an offset: they are compared in UTC.
    decimal : str, optional
        The decimal mark of numbers that are given as text.
    day_first : bool, optional
        Whether 03.04.2024, given as text, is the 3rd of April.
    missing : tuple of str
        Texts that mean "no value".
    unit : str, optional
        What follows numbers that are given as text, and is left out.
    percent : bool, default=False
        Whether numbers given as text end in a percent sign; 12 % is 12.
    merged : bool, default=False
        Whether levels are one where they differ only in case or spaces.
    """

    name: str
    kind: str = "any"
    levels: tuple[str, ...] | None = None
    low: float | str | None = None
    high: float | str | None = None
    gaps: bool | None = None
    time: bool = False
    zone: str | None = None
    decimal: str | None = None
    day_first: bool | None = None
    missing: tuple[str, ...] = ()
    unit: str | None = None
    percent: bool = False
    merged: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.kind not in COLUMN_KINDS:
            raise RuleError(
                f"A column of a rule has a name and one of the kinds {COLUMN_KINDS}; got "
                f"{self.name!r} and {self.kind!r}."
            )
        for part in ("levels", "missing"):
            texts = getattr(self, part)
            if texts is not None and not all(isinstance(v, str) for v in texts):
                raise RuleError(f"`{part}` of column {self.name!r} must be texts, got {texts!r}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain values, without what is not known."""
        values = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value, default in values
            if default is MISSING or value != default
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read a column from plain values; RuleError if it is malformed."""
        if not isinstance(data, Mapping):
            raise RuleError(f"A column of a stored rule must be a dictionary, found {data!r}.")
        values: dict[str, Any] = {
            f.name: tuple(value) if isinstance(value := data[f.name], list) else value
            for f in fields(cls)
            if f.name in data
        }
        wrong = [name for name, value in values.items() if not isinstance(value, _TYPES[name])]
        if "name" not in values or wrong:
            name = wrong[0] if wrong else "name"
            raise RuleError(f"A column of a stored rule has no valid {name!r}: {dict(data)!r:.80}.")
        return cls(**values)

    def sentence(self) -> str:
        """Describe the column for people who provide it."""
        text = {"words": "text", "any": "not known"}.get(self.kind, self.kind)
        if self.levels is not None:
            text += f", one of {', '.join(map(repr, self.levels[:20]))}"
            text += f" and {len(self.levels) - 20} more" if len(self.levels) > 20 else ""
        elif self.low is not None and self.high is not None:
            low, high = (f"{v:g}" if isinstance(v, float) else v for v in (self.low, self.high))
            text += f", {low} to {high}"
        if self.kind == "duration":
            text += ", in days"
        if self.kind == "date":
            text += ", to whole seconds" if self.time else ""
            text += f", in {self.zone}" if self.zone else ""
        if self.gaps is not None:
            text += "; may be missing" if self.gaps else "; never missing"
        return text


_TYPES: dict[str, Any] = {
    **dict.fromkeys(("name", "kind"), str),
    **dict.fromkeys(("zone", "decimal", "unit"), str | None),
    **dict.fromkeys(("time", "percent", "merged"), bool),
    **dict.fromkeys(("gaps", "day_first"), bool | None),
    **dict.fromkeys(("low", "high"), str | int | float | None),
    "levels": tuple | None,
    "missing": tuple,
}


@dataclass(frozen=True, slots=True)
class OddsScale:
    """A lender's scale: at the base score `base_odds` rows of `label` for each other row."""

    base_score: float
    base_odds: float
    points_to_double: float
    label: Any

    def __post_init__(self) -> None:
        numbers = self.base_score, self.base_odds, self.points_to_double
        if not all(isinstance(v, (int, float)) for v in numbers):
            raise TypeError(f"A scale has three numbers, got {numbers!r}.")

    @property
    def sentence(self) -> str:
        """What scores mean."""
        return (
            f"{self.base_score:g} points mean odds of {self.base_odds:g} to 1 for {self.label}; "
            f"each {self.points_to_double:g} points more double the odds."
        )


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns that a rule reads, the classes of its outcome, and names for people.

    Parameters
    ----------
    columns : tuple of ColumnSchema
    classes : tuple of str, int, float or bool
        The classes of the training rows; empty if they are not known.
    scale : OddsScale, optional
        What the scores of a scorecard mean; see `rulekit.families.scale_points`.
    texts : mapping of str to str
        Names that a person gave to conditions, by the text of a condition, as "age > 60".

    Examples
    --------
    >>> schema = Schema((ColumnSchema("age", "number", low=18.0, high=75.0, gaps=False),))
    >>> schema.column("age").sentence()
    'number, 18 to 75; never missing'
    """

    columns: tuple[ColumnSchema, ...] = ()
    classes: tuple[Any, ...] = ()
    scale: OddsScale | None = None
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)

    def column(self, name: str) -> ColumnSchema | None:
        """Return one column, None if there is none."""
        return next((c for c in self.columns if c.name == name), None)

    def take(self, names: Iterable[str]) -> "Schema":
        """Return some columns, in the order of their names; unknown ones are left out."""
        by_name = {c.name: c for c in self.columns}
        return replace(self, columns=tuple(by_name[name] for name in names if name in by_name))

    def rename(self, names: Mapping[str, str]) -> "Schema":
        """Return the schema with renamed columns; columns not listed keep their name."""
        renamed = [replace(c, name=names.get(c.name, c.name)) for c in self.columns]
        return replace(self, columns=tuple(renamed))

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as plain values."""
        more = {"scale": self.scale and asdict(self.scale), "texts": dict(self.texts)}
        return {
            "columns": [c.to_dict() for c in self.columns],
            "classes": list(self.classes),
            **{name: value for name, value in more.items() if value},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a schema from plain values; RuleError if it is malformed."""
        columns, classes = data["columns"], data.get("classes", [])
        scale, texts = data.get("scale"), data.get("texts", {})
        try:
            scale = None if scale is None else OddsScale(**scale)
            texts = {str(condition): str(text) for condition, text in texts.items()}
        except (TypeError, AttributeError):
            raise RuleError("The scale or the texts of a stored rule are malformed.") from None
        if not isinstance(columns, list) or not isinstance(classes, list):
            raise RuleError("The columns and classes of a stored rule must be lists.")
        if not all(isinstance(v, (str, bool, int, float)) for v in classes):
            raise RuleError(f"The classes of a stored rule must be plain values, got {classes!r}.")
        return cls(tuple(map(ColumnSchema.from_dict, columns)), tuple(classes), scale, texts)


def schema_of(rule: Any) -> Schema:
    """Return the schema of a rule; of columns without one what the conditions imply."""
    kept = rule.schema or Schema()
    known = {name: kept.column(name) for name in rule.features}
    inferred = infer_schema(rule) if None in known.values() else kept
    return replace(kept, columns=tuple(c or inferred.column(name) for name, c in known.items()))


def infer_schema(rule: Any) -> Schema:
    """Return what the conditions of a rule imply about its columns."""
    kinds: dict[Any, str] = {float: "number", bool: "truth value", str: "level"}
    columns, every = [], rule.tests
    for name, types in rule.types.items():
        tests = [test for test in every if test.feature == name]
        order = next((test.order for test in tests if test.order is not None), None)
        kind = kinds[next(iter(types))] if len(types) == 1 else "any"
        if any(test.part is not None for test in tests):
            kind, order = "date", None
        elif order is not None:
            kind = "grade"
        elif any(test.op in WORDS for test in tests):
            kind = "words"
        columns.append(ColumnSchema(name, kind, order))
    return Schema(tuple(columns))

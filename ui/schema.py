"""The declared types of a saved analysis: what does not have its type is not read."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    Required,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


class Setting(TypedDict, total=False):
    """One point of a run, or what else a rule comes from."""

    learner: str
    theta: float
    n_clauses: int
    max_conditions: int | None
    max_variables: int | None
    max_exponents: int | None
    max_depth: int | None
    max_columns: int | None
    robustness: float
    label_noise: float
    describes: str
    quick: bool
    chosen: float
    refined: bool
    uncosted: bool
    edited: str
    whole_file: str


class CaseReview(TypedDict):
    """A person's verdict on one prediction."""

    verdict: str
    note: str
    answer: str


class RuleVersion(TypedDict):
    """One version of an edited rule."""

    setting: Setting | None
    rule_json: str | None
    error: float | None


class ServerTable(TypedDict, total=False):
    """The table on the server that an analysis has a sample of."""

    rows: Required[int]
    path: str
    connection: str
    table: str


class Scale(TypedDict):
    """A lender's scale of points; see `rulekit.families.scale_points`."""

    base_score: float
    base_odds: float
    points_to_double: float
    label: str | bool | float


class Options(TypedDict, total=False):
    """How a table was read: the options of its file, and what was done to its columns."""

    delimiter: str | None
    encoding: str | None
    decimal: str | None
    header: bool | None
    sheet: str | None
    columns: tuple[str, ...] | None
    header_row: int | None
    skip_rows: tuple[int, ...] | None
    skip_last: int | None
    decimals: dict[str, str] | None
    missing_in: dict[str, tuple[str, ...]] | None
    levels: dict[str, tuple[str, ...]] | None
    day_first: bool | None
    day_first_in: dict[str, bool] | None
    percent: str | None
    texts: tuple[str, ...] | None
    merged: tuple[str, ...] | None
    units: dict[str, str]
    words: dict[str, tuple[str, ...]]
    numeric: tuple[str, ...]
    categories: tuple[str, ...]
    durations: tuple[str, ...]
    ignored: tuple[str, ...]
    dates: dict[str, bool | None]
    cut: dict[str, float]
    server: ServerTable


def fits(value: Any, kind: Any) -> bool:
    """Whether a value read from JSON has a declared type."""
    if kind is Any:
        return True
    if kind is float:
        return isinstance(value, int | float) and value is not True and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind in (str, bool, NoneType):
        return isinstance(value, kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is tuple:
        return _fits_tuple(value, arguments)
    if not isinstance(value, Mapping):
        return False
    if origin is dict:
        return all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in value.items())
    return _fits_record(value, kind)


def _fits_tuple(value: Any, kinds: tuple[Any, ...]) -> bool:
    if not isinstance(value, list | tuple):
        return False
    if kinds[-1] is not Ellipsis:
        return len(value) == len(kinds) and all(map(fits, value, kinds))
    return all(fits(entry, kinds[0]) for entry in value)


def _fits_record(value: Mapping[str, Any], kind: Any) -> bool:
    hints = get_type_hints(kind)
    if is_typeddict(kind):
        needed = kind.__required_keys__
    else:
        assert is_dataclass(kind)
        needed = {f.name for f in fields(kind) if f.default is f.default_factory is MISSING}
    return needed <= value.keys() <= hints.keys() and all(
        fits(entry, hints[name]) for name, entry in value.items()
    )

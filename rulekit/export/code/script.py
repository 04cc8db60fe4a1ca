"""A Python script that reads the table, learns the rule again and compares."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rulekit.exceptions import ExportError
from rulekit.export.code.python import value_source
from rulekit.export.exchange.json import to_json

CLASSES = ("Binarizer", "Constraints", "Costs", "LPSVM", "Literal")


@dataclass(frozen=True)
class Preparation:
    """Changes made to a table between its file and the learner.

    Attributes
    ----------
    options : mapping of str to object
        How the file is read, as in `rulekit.data.ParseOptions`; None is detected.
    numeric : tuple of str
        Text columns that are read as numbers.
    weight : str or None
        The column with weights of rows.
    others : str or None
        The label of all other classes, if there were three or more.
    categories : tuple of str
        Number columns that are read as codes.
    outcomes : mapping of str to str
        Display names of the target's values, by their text; other values keep their names. Empty:
        no value is renamed.
    dates : mapping of str to bool or None
        Text columns that are read as dates, and whether the day comes first.
    durations : tuple of str
        Text columns that are read as durations, in days.
    orders : mapping of str to sequence of str
        The ordered levels of columns that have an order, the lowest first.
    cuts : mapping of str to float
        Number columns that became two classes, and the number that separates them.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    weight: str | None = None
    others: str | None = None
    categories: tuple[str, ...] = ()
    outcomes: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, bool | None] = field(default_factory=dict)
    durations: tuple[str, ...] = ()
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cuts: Mapping[str, float] = field(default_factory=dict)


def to_script(
    model: Any,
    *,
    source: str,
    target: str,
    features: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    digest: str | None = None,
    preparation: Preparation | None = None,
) -> str:
    """Write a script that learns a model's rule again.

    Parameters
    ----------
    model : fitted rule model of this library
        Its settings are written if they differ from the defaults.
    source : str
        Where the script finds the table: a path on the reader's machine.
    target : str
        The column that was learned.
    features : sequence of str, optional
        The columns that were used; all features if None.
    rows : sequence of int, optional
        Positions of the training rows; all rows if None.
    digest : str, optional
        The table's digest; with it the script stops if the table has changed.
    preparation : Preparation, optional
        How the file is read and what was changed in the table; by default nothing.

    Returns
    -------
    str
        Source that needs this library. It ends with an error if the rule differs from the exported
        one, and prints the rule otherwise.

    Raises
    ------
    ExportError
        If the model is not one of this library's estimators, is not fitted, or has a setting that
        cannot be written as source; the setting is named.
    """
    if not isinstance(model, BaseEstimator) or not type(model).__module__.startswith("rulekit."):
        raise ExportError(
            f"A script can be written for this library's fitted models, not {type(model).__name__}."
        )
    expected = to_json(model, indent=None)
    learner = _call(model)
    used = {c for c in CLASSES if f"{c}(" in learner} | {type(model).__name__}
    names = sorted(used | {"from_json", "read_table", "to_text"})
    listed = "" if features is None else f", {[str(f) for f in features]!r}"
    done = preparation or Preparation()
    lines = [
        '"""Learns a rule again and checks that it is the same."""',
        "",
        f"from rulekit import {', '.join(names)}",
        *_reading(source, done),
    ]
    if digest is not None:
        lines += [f"if table.digest != {digest!r}:", f"    {_stop('The table has changed.')}"]
    lines.append(f"X, y = table.xy({target!r}{listed})")
    if done.outcomes:
        given = _source(dict(done.outcomes), "outcomes")
        lines += [f"names = {given}", "y = y.map(lambda v: names.get(str(v), str(v)))"]
    if done.others is not None:
        label = _source(model.positive_label_, "positive_label")
        lines += ["y = y.astype(object)", f"y = y.mask(y != {label}, {done.others!r})"]
    if rows is not None:
        positions = [int(i) for i in rows]
        lines += [f"rows = {positions!r}", "X, y = X.iloc[rows], y.iloc[rows]"]
    weight = ""
    if done.weight is not None:
        weight = ", sample_weight=weight"
        lines.append(f"weight = table.frame.loc[X.index, {done.weight!r}].to_numpy(dtype=float)")
    lines += [
        f"model = {learner}",
        f"model.fit(X, y{weight})",
        f"if model.rule_set_ != from_json({expected!r}):",
        f"    {_stop('The rule differs: settings or versions are not the same.')}",
        "print(to_text(model))",
    ]
    return "\n".join(lines) + "\n"


def _reading(source: str, done: Preparation) -> list[str]:
    """Write how the file becomes the table."""
    given = {name: value for name, value in done.options.items() if value is not None}
    steps = [f"table = table.as_numeric({name!r})" for name in done.numeric]
    steps += [f"table = table.as_category({name!r})" for name in done.categories]
    for name, day_first in done.dates.items():
        argument = "" if day_first is None else f", day_first={bool(day_first)}"
        steps.append(f"table = table.as_date({name!r}{argument})")
    steps += [f"table = table.as_duration({name!r})" for name in done.durations]
    steps += [f"table = table.with_order({name!r}, {[*of]!r})" for name, of in done.orders.items()]
    steps += [f"table = table.with_cut({name!r}, {cut!r})" for name, cut in done.cuts.items()]
    if not given:
        return ["", f"table = read_table({source!r})", *steps]
    parts = ", ".join(f"{name}={_source(value, name)}" for name, value in given.items())
    return [
        "from rulekit.data import ParseOptions",
        "",
        f"options = ParseOptions({parts})",
        f"table = read_table({source!r}, options=options)",
        *steps,
    ]


def _stop(message: str) -> str:
    return f"raise SystemExit({message!r})"


def _call(instance: Any) -> str:
    """Write an estimator or a dataclass as a constructor call, without defaults."""
    if isinstance(instance, BaseEstimator):
        given = instance.get_params(deep=False)
        usual = type(instance)().get_params(deep=False)
    else:
        given = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance)}
        usual = {f.name: f.default for f in dataclasses.fields(instance)}
    parts = [
        f"{name}={_source(value, name)}"
        for name, value in given.items()
        if not _same(value, usual[name])
    ]
    return f"{type(instance).__name__}({', '.join(parts)})"


def _same(value: Any, usual: Any) -> bool:
    return type(value) is type(usual) and bool(np.all(value == usual))


def _source(value: Any, setting: str) -> str:
    """Write a setting's value as source."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value_source(value)
    if type(value).__name__ in CLASSES:
        return _call(value)
    if isinstance(value, Mapping):
        pairs = (f"{_source(k, setting)}: {_source(v, setting)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple):
        return f"({''.join(f'{_source(v, setting)}, ' for v in value)})"
    if isinstance(value, (list, np.ndarray)):
        return f"[{', '.join(_source(v, setting) for v in value)}]"
    raise ExportError(
        f"The setting `{setting}` holds {type(value).__name__}, which cannot be written as source; "
        "give it as numbers, text or one of this library's objects."
    )

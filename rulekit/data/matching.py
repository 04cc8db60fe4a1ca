"""A second table in the terms of a rule: names of columns, outcomes, words that meant missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from rulekit.data.cells.levels import match_level, normal_form
from rulekit.data.cells.numbers import are_flags, read_flagged
from rulekit.data.cells.units import PERCENT, SHARE, multiply, unit_ratio
from rulekit.data.headers import few, quote
from rulekit.data.options import (
    LOST,
    MISSING,
    MISSING_AMONG_NUMBERS,
    MISSING_IN_WORDS,
    Note,
    ParseOptions,
)
from rulekit.data.schema import Table, digest_of
from rulekit.exceptions import DataError
from rulekit.rules.schema import NUMERIC, TEXTUAL, ColumnSchema, Schema


def match_names(table: Table, names: Iterable[str]) -> Table:
    """Rename columns that equal an absent name but for case and spaces, with a note."""
    # A column is renamed only if it is the one that fits, and the name the only one it fits.
    renamed = find_names(table, names)
    if not renamed:
        return table
    frame = table.frame.rename(columns=renamed)
    pairs = few([f"{quote(old)} as {quote(new)}" for old, new in renamed.items()])
    by_name: dict[str, Any] = {"labels": table.labels, "units": table.units, "cells": table.cells}
    for part, content in by_name.items():
        by_name[part] = {renamed.get(name, name): value for name, value in content.items()}
    columns = tuple(replace(c, name=renamed.get(c.name, c.name)) for c in table.columns)
    notes = (*table.notes, f"Columns are read by their names in the rule: {pairs}.")
    digest = digest_of(frame)
    return replace(table, frame=frame, columns=columns, notes=notes, digest=digest, **by_name)


def strip_flags(table: Table, names: Iterable[str]) -> Table:
    """Remove flags behind numbers ("12.3 b") in text columns that a rule reads as numbers."""
    # The reader does so by itself if most cells of the column are plain numbers.
    read = set(names)
    for name in [c.name for c in table.columns if c.name in read and not c.is_number]:
        original = table.frame[name]
        if original.dtype.kind in "mMb":
            continue
        present = original.notna().to_numpy()
        texts = pa.array(original[present].astype(str), pa.string())
        reads = [read_flagged(texts, mark) for mark in ".,"]
        flags = np.where(np.any([read.valid for read, _ in reads], axis=0), reads[0][1], "")
        if not are_flags(flags, minority=False):
            continue
        pairs = zip(texts.to_pylist(), flags, strict=True)
        frame = table.frame.assign(**{name: original.astype(object)})
        frame.loc[present, name] = [t.rsplit(maxsplit=1)[0] if flag else t for t, flag in pairs]
        k = int(np.argmax(flags != ""))
        first = f"row {np.flatnonzero(present)[k] + 1}, {quote(texts[k].as_py())}"
        note = f"Column {quote(name)} is read as numbers; in {np.sum(flags != ''):,} of"
        note += f" {table.n_rows:,} rows a flag behind the number is left out (first: {first})."
        texts = pa.array(original.astype(object), pa.string(), from_pandas=True)
        cells, notes = {name: texts, **table.cells}, (*table.notes, Note(note, name, LOST))
        table = replace(table, frame=frame, cells=cells, notes=notes, digest=digest_of(frame))
    return table


def match_units(table: Table, schema: Schema, percent: str | None = None) -> Table:
    """Convert columns to the units of a schema, with notes; DataError if that is not certain."""
    # `percent` is the option that the table was read with, if known. Bare numbers are read in the
    # other unit, unless percentages may be shares.
    for column in schema.columns:
        name = column.name
        is_number = column.kind in NUMERIC and name in table.frame
        if is_number and pd.api.types.is_numeric_dtype(table.frame[name].dtype):
            table = _match_unit(table, column, percent)
    return table


def _match_unit(table: Table, column: ColumnSchema, percent: str | None) -> Table:
    """Convert one column to its unit in a schema."""
    name, values = column.name, table.frame[column.name]
    unit, known = table.units.get(name, ""), column.unit or ""
    unit = SHARE if unit == "%" and percent == "share" else unit
    known = SHARE if known == "%" and not column.percent else known
    was_share = column.kind == "number" and _are_shares(column.low, column.high)
    if unit in PERCENT and not known and was_share and column.decimal is not None:
        known = SHARE  # a file with bare numbers from 0 to 1
    is_unclear = percent is None and {unit, known} == {*PERCENT}
    if unit == known or is_unclear or not values.any():
        return table
    now = f"is in {unit}" if unit else "has no unit"
    then = f"was in {known}" if known else "had none"
    text = f"Column {quote(name)} {now}, and {then} when the rule was learned"
    if known in PERCENT and not unit:
        is_share = _are_shares(values.min(), values.max())
        if is_share != (known == SHARE or was_share):
            raise DataError(
                f"{text}. Whether {values.max():.6g} is a percentage or a share is not certain; "
                "write its numbers with a percent sign."
            )
    ratio = unit_ratio(unit, known) if unit and known else Fraction(1)
    if ratio is None:
        raise DataError(f"{text}. Convert its numbers to {known}.")
    done = "are read alike" if ratio == 1 else f"were multiplied by {float(ratio):.9g}"
    notes = (*table.notes, Note(f"{text}. Its numbers {done}.", name, LOST))
    units = {**table.units, name: column.unit or ("" if known else unit)}
    table = replace(table, notes=notes, units=units)
    if ratio == 1:
        return table
    frame = table.frame.assign(**{name: multiply(values, ratio)})
    return replace(table, frame=frame, digest=digest_of(frame))


def _are_shares(low: Any, high: Any) -> bool:
    return low is not None and bool(0 <= low <= high <= 1)


def describe_numbers(
    table: Table, names: Sequence[str], options: ParseOptions | None = None
) -> Schema:
    """Return units and ranges of columns of numbers, as `match_units` compares them."""
    kept = (c for c in table.columns if c.is_number and c.name in names)
    columns = tuple(ColumnSchema(c.name, "number", low=c.minimum, high=c.maximum) for c in kept)
    return describe_reading(Schema(columns), options or ParseOptions(), table.units, {})


def find_names(table: Table, names: Iterable[str]) -> dict[str, str]:
    """Return the absent names that columns have but for case and spaces, by column."""
    names = list(dict.fromkeys(names))
    present = [column.name for column in table.columns]
    absent = [name for name in names if name not in present]
    renamed = {}
    for name in absent:
        alike = [c for c in present if c not in names and _plain(c) == _plain(name)]
        rivals = [other for other in absent if _plain(other) == _plain(name)]
        if len(alike) == 1 and len(rivals) == 1:
            renamed[alike[0]] = name
    return renamed


def rename_options(options: ParseOptions, renamed: Mapping[str, str]) -> ParseOptions:
    """Return options of single columns under the names that a file has for them."""
    name_of = {new: old for old, new in renamed.items()}
    by_column: dict[str, Any] = {}
    for field in ("decimals", "missing_in", "levels", "day_first_in", "texts", "merged"):
        settings = getattr(options, field)
        if isinstance(settings, tuple):
            by_column[field] = tuple(name_of.get(name, name) for name in settings)
        elif settings is not None:
            by_column[field] = {name_of.get(name, name): v for name, v in settings.items()}
    return replace(options, **by_column)


def match_outcomes(
    values: Iterable[Any], labels: Sequence[Any], names: Mapping[str, str]
) -> dict[Any, Any]:
    """Return the label that each value (or its name) means in any spelling, or None: 1.0 is "1"."""
    by_text = {str(label): label for label in labels}
    known = list(names)
    matched = {}
    for value in values:
        key = match_level(value, known)
        label = match_level(names[key] if key is not None else str(value), list(by_text))
        matched[value] = None if label is None else by_text[label]
    return matched


def describe_reading(
    schema: Schema,
    options: ParseOptions,
    units: Mapping[str, str],
    words: Mapping[str, Iterable[str]],
) -> Schema:
    """Return a schema that knows how the texts of its columns became values."""
    # `units` and `words`, which were read as missing, are by column; see `missing_words`.
    columns = []
    for column in schema.columns:
        name, unit = column.name, units.get(column.name)
        mark = (options.decimals or {}).get(name, options.decimal)
        usual = {*MISSING, *MISSING_AMONG_NUMBERS, *(options.missing or ())}
        usual |= {
            w for w in words.get(name, ()) if w.lower() in MISSING_IN_WORDS or w.startswith(":")
        }
        missing = [word for word in words.get(name, ()) if word in usual]
        missing += (options.missing_in or {}).get(name, ())
        described = replace(
            column,
            decimal=mark if column.kind in NUMERIC else None,
            day_first=(options.day_first_in or {}).get(name, column.day_first),
            missing=tuple(dict.fromkeys(missing)),
            unit=unit,
            percent=unit == "%" and options.percent != "share",
            merged=column.levels is not None and name in (options.merged or ()),
        )
        columns.append(described)
    return replace(schema, columns=tuple(columns))


def reading_options(
    schema: Schema, options: ParseOptions, outcome: tuple[str, Sequence[Any]] | None = None
) -> ParseOptions:
    """Return options that read another file as the rule's table was read; given ones go first."""
    # `outcome` is the column of the outcome with its labels, whose words such as "None" are levels.
    columns = schema.columns
    marks = {c.name: c.decimal for c in columns if c.decimal is not None}
    usual = max(sorted({*marks.values()}), key=list(marks.values()).count, default=None)
    seen = {c.name: c.levels or () for c in columns}
    if outcome is not None:
        seen[outcome[0]] = tuple(map(str, outcome[1]))
    words = {name: tuple(w for w in MISSING if w in levels) for name, levels in seen.items()}
    levels = {name: kept for name, kept in words.items() if kept}
    orders = {c.name: c.day_first for c in columns if c.day_first is not None}
    shares = any(c.unit == "%" and not c.percent for c in columns)
    texts = tuple(c.name for c in columns if c.kind in TEXTUAL)
    missing = {c.name: c.missing for c in columns if c.missing}
    return replace(
        options,
        decimal=options.decimal or usual,
        decimals={**marks, **(options.decimals or {})} or None,
        day_first_in=(orders or None) if options.day_first is None else options.day_first_in,
        percent=options.percent or ("share" if shares else None),
        missing_in={**missing, **(options.missing_in or {})} or None,
        levels={**levels, **(options.levels or {})} or None,
        texts=(*texts, *(options.texts or ())) or None,
    )


def missing_words(table: Table, names: Iterable[str]) -> dict[str, dict[str, int]]:
    """Count the words of columns of a file that were read as missing, the empty cell left out."""
    counts: dict[str, dict[str, int]] = {}
    for name in table.cells.keys() & set(names):
        gaps = pa.array(table.frame[name].isna().to_numpy())
        words = table.cells[name].filter(gaps).to_pandas().dropna().astype(str).str.strip()
        counts[name] = dict(words[words != ""].value_counts())
    return {name: of for name, of in counts.items() if of}


def _plain(name: str) -> str:
    return normal_form(name).replace(" ", "").replace("_", "")

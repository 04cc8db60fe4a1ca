"""Files of Stata, SPSS and SAS, through pyreadstat (an extra)."""

import io
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data.headers import few, quote
from rulekit.exceptions import DataError

READERS = {"dta": "read_dta", "sav": "read_sav", "sas7bdat": "read_sas7bdat", "xpt": "read_xport"}
_SAS = b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"


def kind_of_statistics(raw: bytes) -> str:
    """Return "dta", "sav", "sas7bdat" or "xpt" by the first bytes, else ""."""
    if raw.startswith((b"$FL2", b"$FL3")):
        return "sav"
    if re.match(rb"<stata_dta>|[f-s][\x01\x02]\x01\x00", raw):
        return "dta"
    if raw[12:32] == _SAS:
        return "sas7bdat"
    return "xpt" if raw.startswith(b"HEADER RECORD*******LIB") else ""


def read_statistics(raw: bytes, kind: str) -> tuple[pd.DataFrame, dict[str, str], list[str]]:
    """Return the columns with value labels as levels, labels of columns, and notes."""
    try:
        import pyreadstat
    except ImportError as error:
        raise DataError(
            "Reading files of Stata, SPSS or SAS needs pyreadstat (pip install pyreadstat); or "
            "save the table as CSV."
        ) from error
    try:
        reader = getattr(pyreadstat, READERS[kind])
        options = {} if kind == "xpt" else {"dates_as_pandas_datetime": True}
        options |= {"user_missing": True} if kind == "sav" else {}
        frame, meta = reader(io.BytesIO(raw), **options)
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise DataError(f"The {kind.upper()} file is damaged. Write it anew.") from error
    notes = _blank_missing(frame, meta.missing_ranges)
    levels, special = [], []
    for name, labels in meta.variable_value_labels.items():
        present = set(frame[name].dropna().unique())
        if present and present <= set(labels):
            texts = [str(text) for text in labels.values()]
            distinct = {  # the code is added where two codes have the same label
                code: text if texts.count(text) == 1 else f"{text} ({code:g})"
                for code, text in zip(labels, texts, strict=True)
            }
            frame[name] = frame[name].map(distinct)
            levels.append(quote(name))
        elif present & set(labels):
            special.append(quote(name))
    if levels:
        notes.append(f"Value labels are read as levels: {few(levels)}.")
    if special:
        codes = "Some values only have labels, so these columns keep their codes"
        notes.append(f"{codes}: {few(special)}.")
    labels = {name: text for name, text in meta.column_names_to_labels.items() if text}
    return frame, labels, notes


def _blank_missing(frame: pd.DataFrame, ranges: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    """Remove values that the file calls missing, and empty texts; return a note."""
    counts = []
    for name, of in ranges.items():
        values = frame[name]
        marked = np.any([(values >= span["lo"]) & (values <= span["hi"]) for span in of], axis=0)
        frame[name] = values.mask(marked)
        counts += [f"{quote(name)} ({marked.sum():,})"] * bool(marked.any())
    for name in frame.columns:
        if (empty := frame[name] == "").any():  # these programs have no other missing text
            frame[name] = frame[name].mask(empty)
    return [f"Values that the file calls missing are read so: {few(counts)}."] if counts else []

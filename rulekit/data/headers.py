"""Column names: normalisation of headers and limits on their number."""

import datetime
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import count, takewhile
from typing import Any

from rulekit.data.options import Limits
from rulekit.exceptions import DataError, WideTableError

MAX_NAMES = 100_000  # columns that a file may have where some of them are chosen
RESERVED = ("__index_level_0__",)
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def repair_headers(names: Sequence[Any], limits: Limits) -> tuple[list[str], list[str]]:
    """Convert a header to distinct, printable names."""
    repairs: dict[str, list[str]] = {}
    repaired: list[str] = []
    taken: set[str] = set()
    for position, raw in enumerate(names, start=1):
        name, reasons = _clean_name(raw, position, limits.max_header_length)
        if name in taken:
            reasons.append("occurred before, and was numbered")
            numbered = (f"{name} ({number})" for number in count(2))
            name = next(other for other in numbered if other not in taken)
        taken.add(name)
        repaired.append(name)
        for reason in reasons:
            repairs.setdefault(reason, []).append(f"column {position} is now {quote(name)}")
    notes = []
    for reason, places in repairs.items():
        if len(places) == 1:
            notes.append(f"A column name {reason}: {places[0]}.")
            continue
        for one, many in (("was ", "were "), ("is ", "are "), ("around it", "around them")):
            reason = reason.replace(one, many)
        notes.append(f"{len(places)} column names {reason}: {few(places, '; ')}.")
    return repaired, notes


def select_columns(
    names: Sequence[str], requested: Sequence[str] | None, limits: Limits
) -> list[int]:
    """Return the positions of the columns to read, in the file's order."""
    if requested is None:
        check_width(len(names), limits, limits.max_columns, names)
        return list(range(len(names)))
    wanted = set(requested)
    if unknown := sorted(wanted - set(names)):
        raise DataError(f"The file has no column {quote(unknown[0])}. Choose among those it has.")
    if not wanted or len(wanted) > limits.max_columns:
        raise DataError(
            f"Between 1 and {limits.max_columns:,} columns can be read; {len(wanted):,} are chosen."
        )
    return [position for position, name in enumerate(names) if name in wanted]


def check_width(
    width: int, limits: Limits, most: int = MAX_NAMES, names: Sequence[str] = ()
) -> None:
    """Raise DataError if there are too many columns to read, or to choose from."""
    if width > max(most, limits.max_columns):
        text = f"A table may have at most {limits.max_columns:,} columns; this one has {width:,}."
        raise WideTableError(f"{text} Leave out columns that are not needed.", names)


def shorten(text: str, limit: int) -> str:
    """Cut the middle of a long text, since names often differ at their ends only."""
    tail = limit // 3
    return text if len(text) <= limit else f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"


def shorten_apart(names: Iterable[str], limit: int) -> dict[str, str]:
    """Shorten long names; of those that would look alike, begin with the word that differs."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(shorten(name, limit), []).append(name)
    short: dict[str, str] = {}
    for text, alike in groups.items():
        letters = takewhile(lambda at: len(set(at)) == 1, zip(*alike, strict=False))
        same = sum(1 for _ in letters)
        start = 1 + max(alike[0].rfind(" ", 0, same), same - limit // 3)
        rests = [name[start:] for name in alike]
        apart = shorten_apart(rests, limit - 1) if len(alike) > 1 else {}
        cut = [f"…{apart[rest]}" if apart else text for rest in rests]
        short |= dict(zip(alike, cut, strict=True))
    return short


def quote(name: Any, length: int = 40) -> str:
    """Quote a name for a message, shortened in the middle of a sentence."""
    return repr(shorten(str(name), length))


def few(texts: Sequence[str], mark: str = ", ") -> str:
    """Join up to five texts, and count the others."""
    more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
    return mark.join(texts[:5]) + more


def _clean_name(raw: Any, position: int, length: int) -> tuple[str, list[str]]:
    """Return a header cell as a name, 2015.0 as "2015" and midnight as its date, and repairs."""
    raw = int(raw) if isinstance(raw, float) and raw.is_integer() else raw
    text = "" if raw is None or raw != raw else str(raw)
    text = text.removesuffix(" 00:00:00") if isinstance(raw, datetime.datetime) else text
    reasons = []
    visible = "".join(" " if unicodedata.category(c) in _INVISIBLE else c for c in text)
    if visible != text:
        reasons.append("held control or invisible characters")
    name = re.sub(r"\s+", " ", visible).strip()
    if name != visible and visible.strip():
        reasons.append("had spaces around it or several in a row")
    if len(name) > length:
        reasons.append(f"was longer than {length} characters, and was shortened")
        name = name[:length].rstrip()
    if not name:
        return f"column {position}", ["was empty"]
    if name in RESERVED:
        return f"{name.strip('_')} (renamed)", [*reasons, "is reserved"]
    return name, reasons

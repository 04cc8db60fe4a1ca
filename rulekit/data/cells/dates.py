"""Dates and times as people write them, on the distinct texts of a column."""

# The order of day and month is decided by all cells of a column (13/04 has the day first), else by
# dots (day first), else it is open. A year of two digits lies between 1969 and 2068, and what names
# no day begins with its first: 2020-Q1, 2020-W05, 2020-03, March 2020. Times with an offset are
# read in UTC.

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit.data.cells.texts import encode_series, extract_parts, match, match_among, select_texts
from rulekit.data.headers import quote
from rulekit.data.typed import DAY
from rulekit.exceptions import DataError

Moments = NDArray[np.datetime64]
Parts = dict[str, pa.Array]

SAMPLE = 1_000  # distinct texts that show whether a column has dates
SHARE = 0.8  # of the rows that must hold dates beside words
CERTAIN = 10  # different numbers such as 20200102 that are certainly dates
_TIME = (
    r"(?:(?:[Tt :]|, ?)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
    r"\s*(?P<offset>Z|z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?(?: Uhr)?)?"
)
_DAY_NAME = r"(?:\pL{2,12}\.?,? +)?"  # in any language
_YEAR = r"(?P<year>\d{4}|\d{2})"
_NAME = r"(?P<name>\pL{3,12})"
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_SHAPES = (
    rf"^{_DAY_NAME}(?P<year>\d{{4}})[-/.年] ?"
    rf"(?P<month>\d{{1,2}})[-/.月] ?(?P<day>\d{{1,2}})[.日]?{_TIME}$",
    rf"^{_DAY_NAME}(?P<first>\d{{1,2}})(?P<mark>[-/.]) ?(?P<next>\d{{1,2}})[-/.] ?{_YEAR}{_TIME}$",
    rf"^\[?{_DAY_NAME}{_ORDINAL}[-/ ,]*(?:de )?{_NAME}\.?[-/ ,]+(?:de )?{_YEAR}{_TIME}\]?$",
    rf"^{_DAY_NAME}{_NAME}\.?[-/ ]*{_ORDINAL}(?:,? +|[-/]){_YEAR}{_TIME}$",
    rf"^{_DAY_NAME}{_NAME} +(?P<day>\d{{1,2}}) (?P<hour>\d{{2}}):(?P<minute>\d{{2}}):"
    r"(?P<second>\d{2})(?: (?P<offset>UTC|GMT|[+-]\d{4}))? (?P<year>\d{4})$",
    rf"^(?P<year>\d{{4}})[-/ ]{_NAME}\.?[-/ ]{_ORDINAL}{_TIME}$",
    rf"^(?P<day>\d{{2}}){_NAME}(?P<year>\d{{4}}){_TIME}$",
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})[T ](?P<hour>\d{2}):?(?P<minute>\d{2}):?"
    r"(?P<second>\d{2})?Z?$",
    r"^(?P<year>\d{4})[-/ ]?[Qq](?P<quarter>[1-4])$",
    rf"^(?P<year>\d{{4}})-?W(?P<week>\d{{2}})(?:-?(?P<weekday>[1-7]){_TIME})?$",
    r"^[Qq](?P<quarter>[1-4])[-/ ]?(?P<year>\d{4})$",
    r"^(?P<year>\d{4})(?:[-/]|-?M)(?P<month>\d{2})$",
    r"^(?P<month>\d{2})[-/](?P<year>\d{4})$",
    rf"^{_NAME}\.?[-/ ,]+(?P<year>\d{{4}})$",
    rf"^(?P<year>\d{{4}})[-/ ]{_NAME}$",
)
_COMPACT = r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})$"
#: Text that rules read as a date without conversion.
_PLAIN = r"^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$"
_CLOCK = (
    r"^(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?(?: Uhr)?$"
)
_NAMES_OF_DATES = re.compile(r"(?i)(date|datum|day|dob|birth|time|stamp)|(^|_)(dt|on|at)$")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jän jänner janv janvier ene enero gen gennaio januari janeiro "
            "styczeń stycznia leden ledna январь января янв",
            "feb february februar févr février febrero febbraio februari fev fevereiro "
            "luty lutego únor února февраль февраля фев",
            "mar march mär märz mrz mars marzo maart mrt março marts "
            "marzec marca březen března март марта мар",
            "apr april avr avril abr abril aprile kwiecień kwietnia duben dubna апрель апреля апр",
            "may mai mayo mag maggio mei maj maio maja květen května май мая",
            "jun june juni juin junio giu giugno junho "
            "czerwiec czerwca červen června июнь июня июн",
            "jul july juli juil juillet julio lug luglio julho "
            "lipiec lipca červenec července июль июля июл",
            "aug august août ago agosto augustus augusti "
            "sierpień sierpnia srpen srpna август августа авг",
            "sep sept september septembre septiembre set settembre setembro "
            "wrzesień września září сентябрь сентября сен",
            "oct october okt oktober octobre octubre ott ottobre out outubro "
            "październik października říjen října октябрь октября окт",
            "nov november novembre noviembre novembro listopad listopada ноябрь ноября ноя",
            "dec december dez dezember déc décembre dic diciembre dicembre dezembro "
            "grudzień grudnia prosinec prosince декабрь декабря дек",
        ),
        start=1,
    )
    for name in names.split()
}


@dataclass(frozen=True)
class Dates:
    """Distinct texts read as dates; NaT for other texts, shape (u,)."""

    moments: Moments
    day_first: bool | None = None  # None where no cell leaves the order open
    is_open: bool = False  # whether nothing decides the order
    example: str = ""  # a text whose meaning depends on the order

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each text is a date, shape (u,)."""
        return ~np.isnat(self.moments)


def read_dates(texts: pa.Array, *, day_first: bool | None = None, compact: bool = False) -> Dates:
    """Parse texts as dates; shapes: texts u. With `compact`, also numbers such as 20200102."""
    moments = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
    dates = Dates(moments)
    if not match(texts, "[0-9]").any():  # to compile all the patterns takes longer
        return dates
    remaining = np.ones(len(texts), dtype=bool)
    for shape in (*_SHAPES, _COMPACT) if compact else _SHAPES:
        if not remaining.any():
            break
        matches, parts = extract_parts(select_texts(texts, remaining), shape)
        if not matches.any():
            continue
        places = np.flatnonzero(remaining)[matches]
        if "first" in parts:
            one, two = _whole(parts["first"]), _whole(parts["next"])
            before = bool(((one > 12) & (two <= 12)).any())
            after = bool(((two > 12) & (one <= 12)).any())
            unclear = (one != two) & (one <= 12) & (two <= 12)
            early = day_first if day_first is not None else before or not after
            if unclear.any() or (before and after):
                dotted = not before and bool(pc.all(pc.equal(parts["mark"], ".")).as_py())
                is_open = day_first is None and before == after and not dotted
                example = texts[int(places[np.argmax(unclear)])].as_py()
                dates = replace(dates, day_first=early, is_open=is_open, example=example)
            day, month = ("first", "next") if early else ("next", "first")
            parts |= {"day": parts[day], "month": parts[month]}
        moments[places] = _moments(parts)
        remaining[places] = False
    if dates.valid.sum() > remaining.sum() > 0:  # a spreadsheet's days since 1899-12-30
        serials = match_among(texts, remaining, r"^\d{5}(\.\d+)?$")
        days = np.asarray(pc.cast(select_texts(texts, serials), pa.float64()))
        since = np.round(days * DAY).astype("timedelta64[s]")
        moments[serials] = np.datetime64("1899-12-30") + since
    return dates


def _whole(texts: pa.Array) -> NDArray[np.int64]:
    """Convert digits to whole numbers, "" to 0."""
    return np.asarray(pc.cast(pc.if_else(pc.equal(texts, ""), "0", texts), pa.int64()))


def _moments(parts: Parts) -> Moments:
    """Combine the parts of dates; NaT for a day or a time that does not exist."""
    year = _whole(parts["year"])
    short = np.asarray(pc.equal(pc.utf8_length(parts["year"]), 2))
    year = np.where(short, np.where(year > 68, 1900, 2000) + year, year)
    month = day = np.ones_like(year)
    if "name" in parts:
        month = _look_up(parts["name"], lambda name: _MONTHS.get(name.casefold(), 0))
    elif "quarter" in parts:
        month = 3 * _whole(parts["quarter"]) - 2
    elif "month" in parts:
        month = _whole(parts["month"])
    if "day" in parts:
        day = _whole(parts["day"])
    exists = (month >= 1) & (month <= 12) & (year >= 1)
    months = ((year - 1970) * 12 + np.where(exists, month, 1) - 1).astype("datetime64[M]")
    first = months.astype("datetime64[D]")
    length = ((months + 1).astype("datetime64[D]") - first).astype(int)
    exists &= (day >= 1) & (day <= length)
    days = first + np.where(exists, day - 1, 0)
    if "week" in parts:  # the first week of a year is the one with the 4th of January
        before = (first.astype(int) + 6) % 7  # days from the Monday of that week to the 4th
        thursday = first + 7 * _whole(parts["week"]) - 1 - before
        exists &= thursday.astype("datetime64[Y]") == first.astype("datetime64[Y]")
        days = thursday + np.maximum(_whole(parts["weekday"]), 1) - 4
    moments = days.astype("datetime64[us]")
    if "hour" in parts:
        times = _hours(parts)
        exists &= ~np.isnan(times)
        microseconds = np.round(np.nan_to_num(times) * 3_600_000_000)
        moments = moments + microseconds.astype("timedelta64[us]")
    if "offset" in parts:
        moments = moments - _look_up(parts["offset"], _minutes).astype("timedelta64[m]")
    moments[~exists] = np.datetime64("NaT")
    return moments


def _look_up(texts: pa.Array, number_of: Callable[[str], int]) -> NDArray[np.int64]:
    """Return a number of each text, computed once for each distinct one."""
    coded = texts.dictionary_encode()
    numbers = np.array(list(map(number_of, coded.dictionary.to_pylist())), dtype=np.int64)
    return np.asarray(numbers[np.asarray(coded.indices)])


def _minutes(offset: str) -> int:
    """Return the minutes of +01:30, +0130 or +01; 0 for Z and the like."""
    digits = offset[1:].replace(":", "")
    minutes = 60 * int(digits[:2]) + int(digits[2:] or 0) if digits.isdigit() else 0
    return -minutes if offset[:1] == "-" else minutes


def _hours(parts: Parts) -> NDArray[np.float64]:
    """Return times of day as hours, 0 where it is absent; NaN for those that do not exist."""
    hour, minute = _whole(parts["hour"]), _whole(parts["minute"])
    seconds = _whole(parts["second"]).astype(float)
    if "fraction" in parts:
        fraction = pc.binary_join_element_wise("0.", parts["fraction"], "0", "")
        seconds = seconds + np.asarray(pc.cast(fraction, pa.float64()))
    exists = (hour < 24) & (minute < 60) & (seconds < 60)
    if "half" in parts:
        half = pc.utf8_lower(pc.utf8_slice_codeunits(parts["half"], 0, 1))
        named, late = np.asarray(pc.not_equal(half, "")), np.asarray(pc.equal(half, "p"))
        exists &= ~named | ((hour >= 1) & (hour <= 12))
        hour = np.where(named, hour % 12 + 12 * late, hour)
    return np.where(exists, hour + minute / 60 + seconds / 3600, np.nan)


def are_plain(texts: pa.Array) -> bool:
    """Return whether all texts are dates such as 2020-01-31 or 2020-01-31 10:30:00."""
    if not match(texts, _PLAIN).all():
        return False
    try:
        pc.cast(texts, pa.timestamp("us"))
    except pa.ArrowInvalid:  # the 30th of February
        return False
    return True


def are_compact(name: str, texts: pa.Array) -> bool:
    """Return whether all texts are certainly dates such as 20200102."""
    named = _NAMES_OF_DATES.search(name) is not None
    if len(texts) < (2 if named else CERTAIN) or not match(texts, r"^(19|20)\d{6}$").all():
        return False
    return bool(read_dates(texts, compact=True).valid.all())


def read_clock(texts: pa.Array) -> NDArray[np.float64] | None:
    """Read times of day as hours, shape (u,); None if a text is something else."""
    if not len(texts) or not match(texts.slice(0, SAMPLE), _CLOCK).all():
        return None
    matches, parts = extract_parts(texts, _CLOCK)
    hours = _hours(parts) if matches.all() else None
    return None if hours is None or np.isnan(hours).any() else hours


def dates_in(texts: pd.Series, name: str, day_first: bool | None) -> pd.Series:
    """Parse a Series of text as dates, NaT for the rest."""
    column = encode_series(texts)
    present = column.present_texts
    compact = bool(match(present, _COMPACT).any())
    dates = read_dates(column.texts, day_first=day_first, compact=compact)
    if dates.is_open:
        raise DataError(
            f"In column {quote(name)} day and month are ambiguous ({quote(dates.example)}). Set "
            "which comes first (`day_first`, or --day-first and --month-first)."
        )
    if not dates.valid.any():
        raise DataError(
            f"Column {quote(name)} has no date such as 2024-03-01 or 31.12.2024. Leave it as text."
        )
    moments = np.append(dates.moments, np.datetime64("NaT"))[column.codes]
    return pd.Series(moments, index=texts.index, name=texts.name)


def durations_in(texts: pd.Series) -> pd.Series:
    """Parse a Series of text as days, NaN for the rest; 06:30 is six hours and a half."""
    text = texts.astype("string").str.strip()
    text = text.str.replace(r"^([-+]?\d+:[0-5]\d)$", r"\1:00", regex=True)
    text = text.mask(text.str.fullmatch(r"[-+\d.,eE]+").fillna(False).astype(bool))
    return pd.to_timedelta(text.astype(object), errors="coerce").dt.total_seconds() / DAY

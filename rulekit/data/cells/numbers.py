"""Numbers as people write them: decimal marks, groups of digits, currencies, percent, units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit.data.cells.texts import (
    TextColumn,
    encode_series,
    extract_parts,
    match,
    match_among,
    select_texts,
)
from rulekit.data.options import ParseOptions

_SPACES = "'’ \u00a0\u202f\u2009"
_PLAIN = r"^[+-]?(\d+{d}?\d*|{d}\d+)([eE][+-]?\d+)?$"
# a zero begins no group of thousands: 0.250 is never 250
_GROUPED = rf"^[+-]?[1-9]\d{{{{0,2}}}}(?:({{t}}\d{{{{3}}}})+|([{_SPACES}]\d{{{{3}}}})+)({{d}}\d+)?$"
_INDIAN = r"^[+-]?[1-9]\d?(,\d{2})+,\d{3}(\.\d+)?$"
_AMBIGUOUS = r"^[+-]?[1-9]\d{{0,2}}{d}\d{{3}}$"
_SEVERAL_GROUPS = r"\d{t}\d{{2,3}}{t}\d{{3}}"
_MARK = {".": r"\.", ",": ","}
OTHER = {".": ",", ",": "."}
VOTERS = 2_000  # distinct cells of a column from which its decimal mark is determined
AT_ONCE = 200_000  # distinct cells that are parsed in one call
TELLING_SHARE = 0.5  # from this share of numbers on, text in a column is worth a word

_SIGNS = r"(?:US|CA|C|A|AU|NZ|HK|S|R|MX)?\$|[€£¥₹₽₩₺₴₪฿₫₱₦₡₲₵]"
_CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RUB|UAH|TRY|ILS|ZAR|NGN|"
    "KES|EGP|AED|SAR|PKR|BDT|LKR|THB|VND|IDR|MYR|SGD|PHP|KRW|TWD|HKD|AUD|NZD|CAD|MXN|BRL|ARS|CLP|"
    "COP|PEN|BTC|Rs|kr|Fr|zł|Kč|Ft|lei"
)
_CURRENCY = re.compile(rf"(?:{_SIGNS}|{_CODES})\.?")
#: 1.2K and 3 Mio. €; one letter after a space may be a unit (293 K), and B needs a currency
_SCALES = {
    **dict.fromkeys(("k", "K", "tsd", "thousand"), 1e3),
    **dict.fromkeys(("M", "mn", "mio", "mln", "million", "millions", "millionen"), 1e6),
    **dict.fromkeys(("B", "bn", "mrd", "billion", "milliard", "milliarden"), 1e9),
}
_SCALED = re.compile(
    rf"([kKMB]|(?i:tsd|thousand|mn|mio|mln|million(?:s|en)?|bn|mrd|billion|milliard(?:en)?))\.?"
    rf"\s*({_SIGNS}|{_CODES})?\.?"
)
#: Units that may follow a number without a space; after a space any one word may.
_UNIT_WORDS = (
    "% ‰ ppm ppb bp bps ° °C °F ℃ ℉ kg g mg µg μg ug ng lb lbs oz t km m cm mm µm μm nm mi ft in "
    "yd m2 m² km2 km² cm2 cm² m3 m³ cm3 cm³ ha sqm sqft l L dl dL cl ml mL µl cc gal h hr hrs min "
    "mins s sec secs ms d w y yr yrs km/h kmh kph mph m/s rpm bpm Hz kHz MHz GHz W kW MW kWh MWh "
    "Wh V mV A mA J kJ kcal cal Pa kPa hPa MPa bar mbar psi mmHg mol mmol/L mmol/l µmol/L umol/L "
    "mg/dL mg/dl mg/L mg/l g/dL g/dl g/L g/l ng/mL ng/ml pg/mL U/L U/l IU IU/L mIU/L mEq/L cm/s "
    "kg/m2 kg/m² g/km L/100km KB kB MB GB TB Mbps px pt db dB x"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_WORD = re.compile(r"[^\W\d_]{2,15}\.?(?:/[^\W\d_]{1,10}\.?)?")
_NO_UNIT = re.compile(
    r"(?i)uhr|(am|pm|st|nd|rd|th|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
)
_MINUS = "−–-"  # the last of a class, where it is no range
_DECORATED = (
    r"^(?P<open>\()?\s*(?P<limit><=|>=|=<|=>|[<>≤≥])?\s*"
    rf"(?P<sign>[+{_MINUS}])?\s*(?P<before>{_SIGNS}|(?:{_CODES})\.?|%)?\s*(?P<inner>[+{_MINUS}])?\s*"
    rf"(?P<body>(?:\d(?:[\d.,{_SPACES}]*\d)?[.,]?|[.,]\d+)(?:[eE][+-]?\d+)?)"
    rf"(?P<error>\s*(?:±|\+/[{_MINUS}])\s*(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)?"
    r"(?P<mark>[*†‡§]{1,3}|\[\w{1,2}\])?"
    rf"(?P<space>[\s\x{{a0}}\x{{202f}}]*)(?P<unit>[^\d\s.,+()<>=~'’/:;{_MINUS}][^()<>=]{{0,15}}?)?"
    rf"(?P<more>\+)?\s*(?P<after>[{_MINUS}])?\s*(?P<close>\))?$"
)
#: Numbers with a flag of a statistical office, as in "12.3 bp".
_FLAGGED = r"^(?P<number>.*\d)\s+(?P<flag>[bdefimnprsuz]{1,3})$"
MAX_FLAGS = 8  # in one column
UNCERTAIN_SHARE = 0.9  # of numbers with an uncertainty in a column that holds some


@dataclass(frozen=True)
class Numbers:
    """Distinct texts read as numbers; arrays of shape (u,)."""

    values: NDArray[np.float64]
    valid: NDArray[np.bool_]
    grouped: NDArray[np.bool_]
    leading_zero: NDArray[np.bool_]
    whole: NDArray[np.bool_]


@dataclass(frozen=True)
class Decorated:
    """Distinct texts read as numbers with signs, units and the like around them, shape (u,)."""

    numbers: Numbers
    units: NDArray[np.object_]  # "" without one
    limits: NDArray[np.bool_]  # whether only a limit is known, as in <0.5
    accounting: NDArray[np.bool_]  # (5) and 5-
    uncertain: NDArray[np.bool_]  # with an uncertainty, as in 12.3 ± 0.1
    marked: NDArray[np.bool_]  # with a mark of a note, as in 12.3*
    scaled: NDArray[np.bool_]  # 1.2K and 3 Mio. €
    above: NDArray[np.bool_]  # a limit such as 65+

    @cached_property
    def unit(self) -> str:
        """The unit of the most texts."""
        units = pd.Series(self.units[self.numbers.valid & (self.units != "")])
        return "" if units.empty else str(units.value_counts().index[0])

    def fits(self, present: NDArray[np.bool_], *, known: bool = False) -> bool:
        """Return whether a column, perhaps known as one of numbers, fits; shapes: present (u,)."""
        valid = self.numbers.valid & present
        units = self.units[valid]
        without = units == ""
        if self.unit:
            few_bare = without.sum() <= 0.5 * len(units)
            if self.unit == "%":  # 26 % beside 0.26 could be the same
                few_bare = not (without & (self.numbers.values[valid] != 0)).any()
            if set(units) - {"", self.unit} or not few_bare:
                return False
        uncertain = self.uncertain[valid]
        if uncertain.any() and uncertain.mean() < UNCERTAIN_SHARE:
            return False
        if known or not valid.any():
            return True
        values, above = self.numbers.values[valid], self.above[valid]
        if above.any() and values[above].min() < values[~above].max(initial=-np.inf):
            return False  # 1+, 2, 3- are grades
        # (1), (2), (3) may be footnotes
        few_limits = self.limits[valid].sum() <= 0.5 * valid.sum()
        return bool(few_limits and (self.unit or not self.accounting[valid].all()))


@dataclass(frozen=True)
class DecimalMarks:
    """The decimal mark of a file, and of columns that differ."""

    mark: str
    columns: dict[str, str] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()  # columns in which 1.234 may be 1234, and nothing decides

    def get_mark(self, name: str) -> str:
        """Return the decimal mark of a column."""
        return self.columns.get(name, self.mark)


def read_numbers(texts: pa.Array, decimal: str) -> Numbers:
    """Parse texts as numbers; shapes: texts u."""
    plain, grouped, infinite = _match_numbers(texts, decimal)
    valid = plain | grouped | infinite
    values = np.full(len(texts), np.nan)
    if (plain | grouped).any():
        written = select_texts(texts, plain | grouped)
        decoration = f"[+{_SPACES}{OTHER[decimal]}]"
        if match(written, decoration).any():
            written = pc.replace_substring_regex(written, decoration, "")
        if decimal != ".":
            written = pc.replace_substring(written, decimal, ".")
        values[plain | grouped] = np.asarray(pc.cast(written, pa.float64()))
    if infinite.any():
        signs = pc.starts_with(select_texts(texts, infinite), "-").to_numpy(False)
        values[infinite] = np.where(signs, -np.inf, np.inf)
    whole = valid & ~infinite & (values == np.floor(values))
    whole &= ~match_among(texts, whole, "[eE" + _MARK[decimal] + "]")
    return Numbers(values, valid, grouped, match(texts, r"^[+-]?0\d"), whole)


def _match_numbers(texts: pa.Array, decimal: str) -> tuple[NDArray[np.bool_], ...]:
    """Return which texts are plain numbers, grouped ones and infinite ones."""
    marks = {"d": _MARK[decimal], "t": _MARK[OTHER[decimal]]}
    plain = match(texts, _PLAIN.replace("{d}", marks["d"]))
    grouped = match_among(texts, ~plain, _GROUPED.format(**marks))
    if decimal == ".":
        grouped |= match_among(texts, ~(plain | grouped), _INDIAN)
    return plain, grouped, match_among(texts, ~plain, "(?i)^[+-]?inf(inity)?$")


def read_columns(columns: Sequence[TextColumn], marks: DecimalMarks) -> list[Numbers]:
    """Read each column's texts as plain numbers; a call a column takes 1 ms more for each."""
    results: dict[int, Numbers] = {}
    for decimal in ".,":
        numbered = [k for k, c in enumerate(columns) if marks.get_mark(c.name) == decimal]
        sizes = np.cumsum([len(columns[k].texts) for k in numbered])
        # few texts a call: memory is taken for all of them
        for _, part in groupby(zip(numbered, sizes, strict=True), lambda pair: pair[1] // AT_ONCE):
            together = [k for k, _ in part]
            texts = [columns[k].texts for k in together]
            cells = pa.chunked_array(texts, pa.string()).combine_chunks()
            read = vars(read_numbers(cells, decimal)).values()
            ends = np.cumsum([0, *map(len, texts)])
            for k, (start, end) in zip(together, pairwise(ends), strict=True):
                results[k] = Numbers(*(values[start:end] for values in read))
    return [results[k] for k in range(len(columns))]


def read_decorated(texts: pa.Array, decimal: str, *, share: bool = False) -> Decorated:
    """Parse texts (u,) as numbers with sign, currency, unit or limit; with `share` 26 % is 0.26."""
    matches, parts = extract_parts(texts, _DECORATED)
    read = read_numbers(parts["body"], decimal)
    part = {k: np.asarray(v, dtype=object) for k, v in parts.items()}
    keys = zip(part["before"], part["unit"], part["space"] != "", strict=True)
    units, fits, scale = np.array([_unit(*key) for key in keys], dtype=object).reshape(-1, 3).T
    signs = [np.isin(part[k], list(_MINUS)) for k in ("sign", "inner", "after")]
    signs[2] &= ~match(parts["body"], r"[.,]$")  # 5.- has no cents
    opened, closed = part["open"] != "", part["close"] != ""
    n_signs = sum(signs) + opened + ((part["sign"] == "+") | (part["inner"] == "+"))
    valid = read.valid & fits.astype(bool) & (opened == closed) & (n_signs <= 1)
    values = np.where(opened | np.logical_or.reduce(signs), -read.values, read.values)
    shares = (units == "%") & share
    values = np.where(shares, values / 100, values) * scale.astype(float)

    def spread(source: NDArray[Any], fill: Any = False) -> NDArray[Any]:
        target = np.full(len(texts), fill, dtype=np.asarray(source).dtype)
        target[matches] = source
        return target

    kinds = (read.grouped, read.leading_zero, read.whole & ~shares)
    limits = (part["limit"] != "") | (part["more"] != "")
    others = (part["error"] != "", part["mark"] != "", scale != 1, part["more"] != "")
    masks = (valid, *kinds, limits, opened | signs[2], *others)
    flags = [spread(mask & valid) for mask in masks]
    numbers = Numbers(spread(np.where(valid, values, np.nan), np.nan), *flags[:4])
    return Decorated(numbers, spread(units, ""), *flags[4:])


def read_flagged(texts: pa.Array, decimal: str) -> tuple[Numbers, NDArray[np.object_]]:
    """Parse texts (u,) as numbers before flags such as "b" and "ep"; also return these, or ""."""
    matches, parts = extract_parts(texts, _FLAGGED)
    flags = np.full(len(texts), "", dtype=object)
    flags[matches] = parts["flag"].to_pylist()
    bare = pc.replace_with_mask(texts, pa.array(matches), parts["number"])
    return read_numbers(bare, decimal), flags


def are_flags(flags: NDArray[np.object_], *, minority: bool = True) -> bool:
    """Return whether a minority (or any) of texts (u,) has few flags, one a letter and no unit."""
    distinct = set(flags) - {""}
    clear = any(len(flag) == 1 and flag not in _UNITS for flag in distinct)
    is_minority = bool((flags == "").mean() > TELLING_SHARE)
    return clear and len(distinct) <= MAX_FLAGS and (is_minority or not minority)


@lru_cache(10_000)
def _unit(before: str, after: str, spaced: bool) -> tuple[str, bool, float]:
    """Return the unit before or after a number, whether it can be one, and the number's scale."""
    unit, scaled = before or after.strip(), _SCALED.fullmatch(after.strip())
    if scaled and unit not in _UNITS and not _CURRENCY.fullmatch(after.strip()):
        word, money = scaled[1], before or scaled[2] or ""
        scale = _SCALES.get(word if len(word) == 1 else word.lower(), 1.0)
        alone = word not in ("B", "mn") and (len(word) > 1 or not spaced)  # mn: minutes, too
        if scale > 1 and (_CURRENCY.fullmatch(money) if money else alone):
            return money.rstrip("."), True, scale
    if before and after.strip():
        return "", False, 1.0
    if not unit or before or unit in _UNITS or _CURRENCY.fullmatch(unit):
        return unit.rstrip("."), True, 1.0
    word = spaced and _WORD.fullmatch(unit) and not _NO_UNIT.fullmatch(unit)
    return unit, bool(word), 1.0


def choose_decimal_marks(columns: Sequence[TextColumn], options: ParseOptions) -> DecimalMarks:
    """Choose the decimal mark of most columns, and that of each which certainly differs."""
    # Only unambiguous numbers count: 1,5 and 1.234.567 and 1.234 € are evidence for a comma, but
    # 1.234 is not.
    voters = [column.present_texts.slice(0, VOTERS) for column in columns]
    voting = [k for k, texts in enumerate(voters) if len(texts)]
    requested = dict(options.decimals or {})
    if not voting:
        return DecimalMarks(options.decimal or ".", requested)
    sizes = np.array([len(voters[k]) for k in voting], dtype=int)
    starts = np.cumsum(sizes) - sizes
    cells = pa.chunked_array([voters[k] for k in voting], pa.string()).combine_chunks()
    # Money has no three decimals: $7,000 is seven thousand.
    plain = np.logical_or.reduce([*_match_numbers(cells, "."), *_match_numbers(cells, ",")])
    texts, money, strange = cells, np.zeros(len(cells), dtype=bool), ~plain
    if strange.any():
        matches, parts = extract_parts(select_texts(cells, strange), _DECORATED)
        strange[strange] = matches
        units = pc.binary_join_element_wise(parts["before"], parts["unit"], "")
        money[strange] = match(units, rf"^(?:{_SIGNS}|{_CODES})\.?$")
        texts = pc.replace_with_mask(cells, pa.array(strange), parts["body"])
    n_valid, votes, unclear = {}, {}, {}
    for mark in ".,":
        valid = np.logical_or.reduce(_match_numbers(texts, mark))
        unclear[mark] = match(texts, _AMBIGUOUS.format(d=_MARK[mark]))
        groups = match(texts, _SEVERAL_GROUPS.format(t=_MARK[OTHER[mark]]))
        groups |= money & match(texts, _AMBIGUOUS.format(d=_MARK[OTHER[mark]]))
        clear = valid & (match(texts, _MARK[mark]) & ~unclear[mark] | groups)
        n_valid[mark] = np.add.reduceat(valid.astype(int), starts)
        votes[mark] = n_valid[mark] >= TELLING_SHARE * sizes
        votes[mark] &= np.logical_or.reduceat(clear, starts)
    either = {mark: np.logical_or.reduceat(unclear[mark], starts) for mark in ".,"}
    lead = int(votes[","].sum()) - int(votes["."].sum())
    mark = options.decimal or ("," if lead > 0 else ".")
    undecided = options.decimal is None and not (votes[","] ^ votes["."]).any()
    if undecided and options.delimiter == ";" and (either[","] & ~votes["."]).any():
        mark = ","
    for place, k in enumerate(voting):
        other = OTHER[mark]
        outvoted = votes[other][place] and n_valid[other][place] > n_valid[mark][place]
        if outvoted and columns[k].name not in requested:
            requested[columns[k].name] = other
    doubtful = (either["."] | either[","]) & ~votes["."] & ~votes[","] & undecided
    names = [columns[voting[place]].name for place in np.flatnonzero(doubtful)]
    return DecimalMarks(mark, requested, tuple(n for n in names if n not in requested))


def numbers_in(texts: pd.Series) -> NDArray[np.float64]:
    """Parse a Series of text as numbers under its decimal mark; NaN for the rest."""
    column = encode_series(texts)
    mark = choose_decimal_marks([column], ParseOptions()).get_mark(column.name)
    numbers = read_numbers(column.texts, mark)
    values = numbers.values
    if (others := ~numbers.valid).any():
        decorated = read_decorated(select_texts(column.texts, others), mark)
        in_unit = decorated.numbers.valid & np.isin(decorated.units, ["", decorated.unit])
        values[others] = np.where(in_unit, decorated.numbers.values, np.nan)
    return np.append(values, np.nan)[column.codes]

"""Columns of text cells converted to numbers, dates, truth values or text; missing words."""

# A column of text whose missing words are not named keeps "None" and "NA" as levels where its other
# values make that likelier. Both are missing where a column of numbers of the file writes the word,
# or where more than 50 other texts occur. Else
#
# - "None" is a level unless the others are truth words (yes and no),
# - "NA" is a level if the others, two at least, are two capital letters, as codes of countries are.

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit.data.cells import dates, numbers
from rulekit.data.cells.texts import TextColumn, encode_cells, is_among, match, match_among
from rulekit.data.headers import few, quote
from rulekit.data.options import (
    LOST,
    MISSING,
    MISSING_AMONG_NUMBERS,
    MISSING_IN_WORDS,
    TEXT,
    Decision,
    Note,
    ParseOptions,
)
from rulekit.data.typed import EXACT, drop_infinities, text_series

Values: TypeAlias = pd.Series | NDArray[Any]
COMPACT = 19_000_101, 20_991_231  # numbers that may be dates
FIRST = 1_000  # distinct texts that show whether a column has decorated numbers
LONG = 20  # characters, more than most numbers of 17 digits have
SPELLINGS = 48  # of two truth words, in any case
DOUBTFUL = ("None", "NA")
FLAGGED_GAP = r"^:\s*[a-z]{0,3}$"  # as statistical offices write it, with a flag
MAX_OTHERS = 50
_TRUTH_WORDS = {"yes", "no", "y", "n", "true", "false", "t", "f", "0", "1", "on", "off"}
_MARKS = {".": "point", ",": "comma"}
#: Notes that are made once for all columns that they are true of.
_SHARED = {
    "mark": "the decimal mark is a {mark}, unlike in other columns",
    "grouped": "digits are grouped by thousands; they are read as numbers",
    "leading": "some numbers begin with a zero, as codes do; it is kept as text",
    "large": "numbers have many digits and would not be exact; it is kept as text",
    "trimmed": "spaces around cells are removed",
}


@dataclass(frozen=True)
class Blanked:
    """A column without its missing words, and how many cells held each of them."""

    column: TextColumn
    words: Counter[str] = field(default_factory=Counter)
    original: TextColumn | None = None  # kept where a doubtful word was removed


def convert_columns(columns: Mapping[str, pa.ChunkedArray], options: ParseOptions) -> "CellReader":
    """Convert columns of text to columns of a table."""
    encoded = [encode_cells(name, cells) for name, cells in columns.items()]
    parts = [blank_missing(column, options) for column, _ in encoded]
    marks = numbers.choose_decimal_marks([part.column for part in parts], options)
    reader = CellReader(options, marks)
    reader.named["trimmed"] = [column.name for column, changed in encoded if changed]
    parsed = numbers.read_columns([part.column for part in parts], marks)
    for part, read in zip(parts, parsed, strict=True):
        reader.read(part, read)
    reader.finish()
    reader.texts = reader.undecided = {}  # frees their codes
    reader.typed = {name: reader.typed[name] for name in columns}
    reader.cells = {name: columns[name] for name in reader.converted}
    return reader


@dataclass
class CellReader:
    """Reads the columns of one file, and collects what notes and options are made of."""

    options: ParseOptions
    marks: numbers.DecimalMarks
    typed: dict[str, Values] = field(default_factory=dict)
    texts: dict[str, Blanked] = field(default_factory=dict)  # columns that are text so far
    undecided: dict[str, Blanked] = field(default_factory=dict)  # dates with an open order
    words: Counter[str] = field(default_factory=Counter)
    among_numbers: set[str] = field(default_factory=set)
    named: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in _SHARED})
    sentences: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    day_first: dict[str, bool] = field(default_factory=dict)
    converted: list[str] = field(default_factory=list)
    certain: list[str] = field(default_factory=list)  # numbers that alone could be text
    cells: dict[str, pa.ChunkedArray] = field(default_factory=dict)  # of converted columns

    def read(self, part: Blanked, parsed: numbers.Numbers) -> None:
        """Convert a column; one of text, or of dates with an open order, waits for the others."""
        name = part.column.name
        if name in (self.options.texts or ()):
            detected = CellReader(replace(self.options, texts=None), self.marks)
            detected.read(part, parsed)
            if name not in detected.texts:
                text = f"Column {quote(name)} is kept as text, as requested."
                self._note(name, text, "Convert its cells", {"texts": {name: False}})
            self._keep(part, _text(part.column))
            return
        part = blank_among_numbers(part, parsed.valid)
        present = part.column.present
        if not present.any():
            self._keep(part, np.full(len(part.column.codes), np.nan))
        elif parsed.valid[present].all():
            column, plain = part.column, parsed.values[present]
            may_be_compact = plain.min() >= COMPACT[0] and plain.max() <= COMPACT[1]
            if may_be_compact and dates.are_compact(name, column.present_texts):
                self._keep_dates(part, dates.read_dates(column.texts, compact=True))
            elif (values := self._numeric(column, parsed)) is None:
                self.texts[name] = part
            else:
                self._keep_numbers(part, values)
        elif (truth := _read_truth(part.column)) is not None:
            self._keep(part, truth)
        elif not (
            self._read_flagged(part, parsed)
            or self._read_decorated(part, parsed)
            or self._read_dates(part)
        ):
            self.texts[name] = part

    def finish(self) -> None:
        """Convert the columns that waited."""
        orders = set(self.day_first.values())
        usual = self.options.day_first
        usual = orders.pop() if usual is None and len(orders) == 1 else usual
        for name, part in self.undecided.items():
            if usual is None or not self._read_dates(part, usual):
                self.texts[name] = part
                example = quote(dates.read_dates(part.column.texts).example)
                text = f"Column {quote(name)} holds dates such as {example}, and which of day and"
                text += " month comes first is open. Set it before you use the column."
                self._note(name, text, "Day first", {"day_first_in": {name: True}})
        for name, part in self.texts.items():
            original = part.original
            kept: tuple[str, ...] = ()  # the doubtful words that are levels
            if original is not None and part.column.present.sum() <= MAX_OTHERS:
                others = part.column.present_texts.to_pylist()
                certain = {*self.among_numbers, *(self.options.missing_in or {}).get(name, ())}
                doubtful = [word for word in DOUBTFUL if part.words[word]]
                kept = tuple(word for word in doubtful if is_level(word, others, certain))
                words = Counter({w: n for w, n in part.words.items() if w not in kept})
                part = Blanked(original.drop(is_among(original.texts, ["", *words])), words)
            if kept:
                self.levels[name] = kept
                change = {"levels": {name: None}, "missing_in": {name: kept}}
                column = part.column
                others = [t for t in column.present_texts.to_pylist() if t not in kept][:2]
                count = int(column.counts[is_among(column.texts, kept)].sum())
                text = (
                    f"In column {quote(name)}, {few([*map(quote, kept)])} ({count:,} cells) is a "
                    f"level like {' and '.join(map(quote, others))}, not a missing value. If it is "
                    "one, name it as a missing word (rows without an outcome are left out)."
                )
                self._note(name, text, "It means missing", change)
            self._keep(part, _text(part.column))

    def _note(
        self, name: str, text: str, label: str = "Keep as text", change: Any = None, kinds: Any = ()
    ) -> None:
        """Add a note on a column, with the change of options that reads it otherwise."""
        change = change or {"texts": {name: True}}
        self.sentences.append(Decision(text, label, change, name, kinds))

    def _keep(self, part: Blanked, values: Values, *, converted: bool = False) -> None:
        """Keep a column; `converted` if its cells are written in another way than they were."""
        self.typed[part.column.name] = values
        self.words += part.words
        if converted or part.words:
            self.converted.append(part.column.name)

    def _keep_numbers(self, part: Blanked, values: Values, *, converted: bool = False) -> None:
        name = part.column.name
        if self.marks.get_mark(name) != self.marks.mark:
            self.named["mark"].append(name)
        self.among_numbers |= part.words.keys()
        self._keep(part, values, converted=converted)

    def _read_flagged(self, part: Blanked, plain: numbers.Numbers) -> bool:
        """Read numbers of which some have a flag; False if the column holds other text."""
        # missing cells such as ": c" are among the others
        if plain.valid[part.column.present].mean() <= numbers.TELLING_SHARE / 2:
            return False
        decimal = self.marks.get_mark(part.column.name)
        parsed, flags = numbers.read_flagged(part.column.texts, decimal)
        part = blank_among_numbers(part, parsed.valid)
        column, present = part.column, part.column.present
        has_gap = any(word.startswith(":") for word in part.words)
        is_table = has_gap or not parsed.whole[present].all()  # else perhaps numbers of houses
        if not (parsed.valid[present].all() and is_table and numbers.are_flags(flags[present])):
            return False
        if (values := self._numeric(column, parsed)) is None:
            return False
        counts = {f: column.count(flags == f) for f in sorted(set(flags[present]) - {""})}
        listed = few([f"{quote(f)} ({n:,} cell{'' if n == 1 else 's'})" for f, n in counts.items()])
        rows = f"in {sum(counts.values()):,} of {len(column.codes):,} rows"
        text = f"Column {quote(column.name)} is read as numbers; {rows} a flag behind the number"
        first = column.first_cell(present & (flags != ""))
        self._note(column.name, f"{text} is left out: {listed} ({first}).", kinds=(LOST,))
        self._keep_numbers(part, values, converted=True)
        return True

    def _read_decorated(self, part: Blanked, plain: numbers.Numbers) -> bool:
        """Read numbers with units and the like; False if the column holds other text."""
        column, decimal = part.column, self.marks.get_mark(part.column.name)
        sample = numbers.read_decorated(column.present_texts.slice(0, FIRST), decimal)
        if sample.numbers.valid.mean() < numbers.TELLING_SHARE:
            return False
        share = self.options.percent == "share"
        decorated = numbers.read_decorated(column.texts, decimal, share=share)
        valid = plain.valid | decorated.numbers.valid
        part = blank_among_numbers(part, valid)
        column, present = part.column, part.column.present
        certain = decorated.fits(present, known=column.name in (self.options.decimals or {}))
        if not certain or not valid[present].all():
            self._note_text(column, decorated, present & ~(valid if certain else plain.valid))
            return False
        pairs = zip(vars(plain).values(), vars(decorated.numbers).values(), strict=True)
        joined = numbers.Numbers(*(np.where(plain.valid, one, other) for one, other in pairs))
        if (values := self._numeric(column, joined)) is None:
            return False
        name = column.name
        if unit := decorated.unit:
            self.units[name] = unit
            k = int(np.argmax(present & (decorated.units == unit)))
            text = quote(column.texts[k].as_py())
            value = f"{decorated.numbers.values[k]:.15g}"
            note = f"Column {quote(name)} is read as numbers in {unit}: {text} is {value}"
            if bare := column.count(present & (decorated.units == "")):
                which = "{} cell without {} is" if bare == 1 else "{} cells without {} are"
                note += f"; {which.format(f'{bare:,}', unit)} read alike"
            turned: tuple[Any, ...] = ()
            if unit == "%":
                other = "points" if self.options.percent == "share" else "share"
                example = "26" if other == "points" else "0.26"
                turned = f"Read 26 % as {example}", {"percent": other}
            self._note(name, f"{note}.", *turned)
        for kind, texts in (
            ("is a limit, and read as the number", decorated.limits & present),
            ("is read as a negative number", decorated.accounting & present),
            ("has an uncertainty, and is read as the number", decorated.uncertain & present),
            ("has a mark, which is left out", decorated.marked & present),
            ("is in thousands or more, and multiplied", decorated.scaled & present),
        ):
            if texts.any():
                self.certain.append(name)
                rows = f"In {column.count(texts):,} of {len(column.codes):,} rows of column"
                first = column.first_cell(texts)
                self._note(name, f"{rows} {quote(name)} the cell {kind} ({first}).")
        self._keep_numbers(part, values, converted=True)
        return True

    def _note_text(
        self, column: TextColumn, decorated: numbers.Decorated, others: NDArray[np.bool_]
    ) -> None:
        """Add a note on a column with numbers that is text: by other cells, or several units."""
        units = few(sorted({*decorated.units[others]} - {""}))
        if (count := column.count(others)) <= (1 - numbers.TELLING_SHARE) * column.counts.sum():
            rows = f"{count} of {len(column.codes)} rows ({column.first_cell(others)})"
            text = f"holds text in {rows}, so it is read as text. Correct these cells, or read the"
            text += " column as numbers, which makes them missing."
        elif decorated.numbers.valid[others].all() and ", " in units:
            text = f"holds numbers in several units ({units}), so it is read as text. Write them in"
            text += " one unit."
        else:
            return
        self.sentences.append(Note(f"Column {quote(column.name)} {text}", column.name, TEXT))

    def _numeric(self, column: TextColumn, parsed: numbers.Numbers) -> NDArray[np.number] | None:
        """Return the column as numbers; None if it must stay text."""
        present = column.present
        if parsed.leading_zero[present].any():
            self.named["leading"].append(column.name)
            return None
        if _loses_digits(column.texts, parsed, present):
            self.named["large"].append(column.name)
            return None
        if column.name in self.marks.doubtful:
            k = int(np.argmax(match_among(column.texts, present, r"\d[.,]\d")))
            text = f"Numbers such as {column.texts[k].as_py()} in column {quote(column.name)} may"
            text += " have a decimal mark or groups of thousands; this one is read as"
            text += f" {parsed.values[k]:.15g}. Set the decimal mark if that is wrong."
            other = numbers.OTHER[self.marks.get_mark(column.name)]
            label = f"The decimal mark is a {_MARKS[other]}"
            self._note(column.name, text, label, {"decimals": {column.name: other}})
        elif parsed.grouped[present].any():
            self.named["grouped"].append(column.name)
        values = np.append(parsed.values, np.nan)[column.codes]
        values, notes = drop_infinities(values, column.name)
        self.sentences += notes
        whole = parsed.whole[present].all() and (column.codes >= 0).all()
        return values.astype(np.int64) if whole else values

    def _read_dates(self, part: Blanked, day_first: bool | None = None) -> bool:
        """Read dates, or times of day; False if the column holds other text."""
        column = part.column
        name, texts = column.name, column.present_texts
        sample = texts.slice(0, dates.SAMPLE)
        if not len(sample) or dates.read_dates(sample).valid.mean() < 0.5:
            hours = dates.read_clock(column.texts) if column.present.all() else None
            if hours is None:
                return False
            self.units[name] = "h"
            k = int(column.codes[column.codes >= 0][0])
            example = f"{quote(column.texts[k].as_py())} is {hours[k]:.4g}"
            text = f"Column {quote(name)} holds times of day; they are read as hours ({example})."
            self._note(name, text)
            self._keep(part, np.append(hours, np.nan)[column.codes], converted=True)
            return True
        if dates.are_plain(texts):
            return False  # kept as text, which rules read as dates
        requested = (self.options.day_first_in or {}).get(name, day_first)
        parsed = dates.read_dates(column.texts, day_first=requested)
        if parsed.is_open:
            self.undecided[name] = part
            return True
        if column.count(parsed.valid) < dates.SHARE * column.counts.sum():
            return False
        self._keep_dates(part, parsed)
        return True

    def _keep_dates(self, part: Blanked, parsed: dates.Dates) -> None:
        """Keep a column of dates, with notes on the order and on cells that are none."""
        column, name = part.column, part.column.name
        valid = parsed.valid & column.present
        k = column.texts.index(parsed.example).as_py() if parsed.example else int(np.argmax(valid))
        order = {None: "", True: ", day first", False: ", month first"}[parsed.day_first]
        moment = str(parsed.moments[k])[:16].removesuffix("T00:00").replace("T", " ")
        text = quote(column.texts[k].as_py())
        note = f"Column {quote(name)} is read as dates{order}: {text} is {moment}."
        others = column.present & ~valid
        if count := column.count(others):
            are = f"cells {'is' if count == 1 else 'are'} no date ({column.first_cell(others)})"
            note += f" {count:,} of {len(column.codes):,} {are} and became missing."
        label = "Keep as text"
        turned = {"texts": {name: True}}
        if (day_first := parsed.day_first) is not None:
            self.day_first[name] = day_first
            label = "Month first" if day_first else "Day first"
            turned = {"day_first_in": {name: not day_first}}
        self._note(name, note, label, turned, kinds=(LOST,) if count else ())
        moments = np.append(parsed.moments, np.datetime64("NaT"))[column.codes]
        self._keep(part, pd.Series(moments), converted=True)

    def notes(self) -> list[str]:
        """Return the notes on all columns."""
        notes: list[str] = []
        if self.marks.mark == ",":
            text = "Commas are read as decimal commas."
            notes.append(Decision(text, "The decimal mark is a point", {"decimal": "."}))
        if self.words:
            counts = self.words.most_common(8)
            listed = [f"{quote(t)} ({n:,} cell{'' if n == 1 else 's'})" for t, n in counts]
            text = f"These cells are read as missing: {', '.join(listed)}."
            notes.append(Decision(text, "Keep these words", {"missing": (), "missing_in": None}))
        for kind, names in self.named.items():
            if names:
                words = _SHARED[kind].format(mark=_MARKS[numbers.OTHER[self.marks.mark]])
                columns = "column" if len(names) == 1 else "columns"
                notes.append(f"In {columns} {few([*map(quote, names)])}, {words}.")
        return notes + self.sentences

    def collect_options(self) -> ParseOptions:
        """Return the options that read other files as this one was read."""
        options = self.options
        marks = {name: self.marks.get_mark(name) for name in (*self.named["mark"], *self.certain)}
        return replace(
            options,
            decimal=self.marks.mark,
            decimals={**(options.decimals or {}), **marks} or None,
            levels={**(options.levels or {}), **self.levels} or None,
            day_first_in={**(options.day_first_in or {}), **self.day_first} or None,
        )


def _text(column: TextColumn) -> pd.Series:
    texts = np.append(np.asarray(column.texts, dtype=object), [None])
    return text_series(texts[column.codes])


def _read_truth(column: TextColumn) -> pd.Series | None:
    """Read "true" and "false", in any case; None if the column holds other text."""
    texts = column.present_texts
    if len(texts) > SPELLINGS or not set(pc.utf8_lower(texts).to_pylist()) <= {"true", "false"}:
        return None
    true = np.asarray(pc.equal(pc.utf8_lower(column.texts), "true"), dtype=object)
    answers: NDArray[Any] = np.append(true, [None])[column.codes]
    return pd.Series(answers, dtype="boolean" if (column.codes < 0).any() else bool)


def _loses_digits(texts: pa.Array, parsed: numbers.Numbers, present: NDArray[np.bool_]) -> bool:
    """Return whether whole numbers above 2^53 are written out, or long numbers no longer differ."""
    finite = present & np.isfinite(parsed.values)
    large = finite & (np.abs(parsed.values) > EXACT)
    values = parsed.values[present]
    whole = bool(large.any()) and (values == np.floor(values)).all()
    if whole and not match_among(texts, present, "[eE]").any():
        return True
    rounded = finite & (large | np.asarray(pc.greater_equal(pc.binary_length(texts), LONG)))
    n_values = len(np.unique(parsed.values[rounded]))
    if n_values == int(rounded.sum()):  # as many as texts, which differ
        return False
    parts = [text.lower().partition("e") for text in texts.filter(pa.array(rounded)).to_pylist()]
    # digits without zeros at either end, and the exponent
    written = {(re.sub("[^0-9]", "", m).strip("0"), e.lstrip("+0")) for m, _, e in parts}
    return n_values < len(written)


def blank_missing(column: TextColumn, options: ParseOptions) -> Blanked:
    """Return a column with its missing words as missing cells."""
    words = MISSING if options.missing is None else options.missing
    gaps = is_among(column.texts, ["", *words, *(options.missing_in or {}).get(column.name, ())])
    gaps &= ~is_among(column.texts, (options.levels or {}).get(column.name, ()))
    if not (gaps & column.present).any():
        return Blanked(column)
    counts = _count(column, gaps)
    doubtful = options.missing is None and not counts.keys().isdisjoint(DOUBTFUL)
    return Blanked(column.drop(gaps), counts, column if doubtful else None)


def blank_among_numbers(blanked: Blanked, valid: NDArray[np.bool_]) -> Blanked:
    """Return a column with "-", "NA" and the like missing if all other cells are valid."""
    column = blanked.column
    present = column.present
    if valid[present].all():
        return blanked
    gaps = is_among(column.texts, (*MISSING, *MISSING_AMONG_NUMBERS))
    words = is_among(pc.utf8_lower(column.texts), MISSING_IN_WORDS)
    if column.count(words & present) <= (1 - numbers.TELLING_SHARE) * column.counts.sum():
        gaps |= words
    gaps = (gaps | match(column.texts, FLAGGED_GAP)) & present
    others = present & ~gaps
    if not gaps.any() or not others.any() or not valid[others].all():
        return blanked
    counts = blanked.words + _count(column, gaps)
    return replace(blanked, column=column.drop(gaps), words=counts)


def _count(column: TextColumn, gaps: NDArray[np.bool_]) -> Counter[str]:
    """Count the cells of each missing word; the empty cell is not counted."""
    places = np.flatnonzero(gaps & column.present)
    words = {column.texts[int(k)].as_py(): int(column.counts[k]) for k in places}
    return Counter({word: n for word, n in words.items() if word})


def is_level(word: str, others: Sequence[str], missing: Collection[str]) -> bool:
    """Return whether "None" or "NA" is a level beside a column's other values (see the module)."""
    if word in missing or not others or len(others) > MAX_OTHERS:
        return False
    if word == "NA":
        return len(others) > 1 and all(re.fullmatch("[A-Z]{2}", text) for text in others)
    return not {text.casefold() for text in others} <= _TRUTH_WORDS

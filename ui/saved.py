"""Saved analyses: their files, the declared types of their fields, the merging of two windows."""

# An analysis is a folder, named by its id, in the workspace. A thread or process that writes or
# deletes one locks the workspace. A deleted analysis leaves its id in ``.deleted``, so that no
# other window brings it back.

import hashlib
import json
import math
import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Required, TypedDict, Union, get_args, get_origin, get_type_hints

import pandas as pd

from rulekit.data import ParseOptions, Table

TABLE, SETTINGS, ABOUT = "table.parquet", "analysis.json", "about.json"
DELETED, LOCK = ".deleted", ".lock"
NEW = ".new"  # suffix of files that are being written
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
WAIT = 60.0  # seconds for another writer, who may be writing a large table


@dataclass(frozen=True)
class Version:
    """One state of an analysis on disk: its settings as plain values, and a name of its own."""

    plain: dict[str, Any]
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    stamp: tuple[int, int] | None = None  # of its file


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the workspace that an analysis is in."""
    path = folder.parent / LOCK
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise OSError(f"another window is saving ({error})") from error
        yield


def is_deleted(folder: Path) -> bool:
    """Whether the analysis of a folder was deleted, by any window."""
    return (folder.parent / DELETED / folder.name).exists()


def delete(folder: Path) -> None:
    """Delete an analysis for good; OSError if the disk refuses it."""
    with lock_folder(folder):
        if folder.exists():
            shutil.rmtree(folder)
        (folder.parent / DELETED).mkdir(mode=0o700, exist_ok=True)
        (folder.parent / DELETED / folder.name).touch(mode=0o600)


def copy(folder: Path, target: Path) -> None:
    """Copy an analysis without the folds of its runs."""
    with lock_folder(folder):
        target.mkdir(mode=0o700)
        for name in (TABLE, SETTINGS, ABOUT):
            shutil.copy(folder / name, target / name)


def read_settings(folder: Path) -> Version:
    """Read the settings of an analysis; ValueError if they were altered."""
    before, plain = stamp(folder), json.loads((folder / SETTINGS).read_text("utf-8"))
    if plain.pop("checksum") != _checksum(plain):
        raise ValueError("The file is not as it was saved: it was altered or damaged.")
    name = plain.pop("saved")
    return Version(plain, name, before)


def read(folder: Path) -> tuple[Version, Table]:
    """Read an analysis; ValueError if its settings or the cells of its table were altered."""
    try:
        return _read(folder)
    except UNREADABLE:
        with lock_folder(folder):  # between the two files of a writer
            return _read(folder)


def _read(folder: Path) -> tuple[Version, Table]:
    version = read_settings(folder)
    table = Table.from_frame(pd.read_parquet(folder / TABLE), name=version.plain["name"])
    if table.digest != version.plain["digest"]:
        raise ValueError("The table's cells are not those that were saved.")
    return version, table


def stamp(folder: Path) -> tuple[int, int] | None:
    """Return what changes whenever the settings are written; None if they are not there."""
    try:
        status = (folder / SETTINGS).stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def write(folder: Path, version: Version, table: Table | None) -> Version:
    """Write an analysis, with its table if there is a new one; the lock must be held."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for path in folder.glob(f"*{NEW}"):  # of a writer that was killed
        path.unlink()
    if table is not None:
        replace_file(folder / TABLE, lambda path: table.frame.to_parquet(path))
    plain = version.plain | {"saved": version.name}
    text = json.dumps(plain | {"checksum": _checksum(plain)}, indent=1)
    replace_file(folder / SETTINGS, lambda path: path.write_text(text, "utf-8"))
    return replace(version, stamp=stamp(folder))


def replace_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a temporary file and replace the target by it, readable by its owner only."""
    handle, name = tempfile.mkstemp(NEW, f"{path.name}.", path.parent)
    os.close(handle)
    try:
        write(Path(name))
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _checksum(plain: dict[str, Any]) -> str:
    read_back = json.loads(json.dumps(plain))
    return hashlib.sha256(json.dumps(read_back, sort_keys=True).encode()).hexdigest()


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


class SavedScale(TypedDict):
    """A lender's scale of points; see `rulekit.families.scale_points`."""

    base_score: float
    base_odds: float
    points_to_double: float
    label: str | bool | float


# how a table was read: the options of its file, and what was done to its columns; none is required
OPTIONS: dict[str, Any] = get_type_hints(ParseOptions) | {
    "units": dict[str, str],
    "words": dict[str, tuple[str, ...]],
    "dates": dict[str, bool | None],
    "cut": dict[str, float],
    "server": ServerTable,
    **dict.fromkeys(("numeric", "categories", "durations", "ignored"), tuple[str, ...]),
}


def fits(value: Any, kind: Any) -> bool:
    """Whether a value read from JSON has a declared type."""
    if kind is float:
        return isinstance(value, int | float) and value is not True and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind in (str, bool, NoneType, Any):
        return kind is Any or isinstance(value, kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            return False
        kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        return len(value) == len(kinds) and all(map(fits, value, kinds))
    if not isinstance(value, Mapping):
        return False
    if origin in (dict, Mapping):
        return all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in value.items())
    hints = kind if isinstance(kind, dict) else get_type_hints(kind)
    needed = getattr(kind, "__required_keys__", set())  # of a `TypedDict`
    return needed <= value.keys() <= hints.keys() and all(
        fits(entry, hints[name]) for name, entry in value.items()
    )


# What both windows started from is `base`, what each made of it `mine` and `theirs`: dicts of
# `ui.state.to_plain`.
Plain = Mapping[str, Any]

TABLE_FIELDS = ("name", "digest", "notes_on_table", "options")  # fields that belong to one table
# what a rule is learned from, and what it is called in a sentence
LEARNED = {
    "roles": "the roles of columns",
    "orders": "an order of levels",
    "positive": "the class that the rule describes",
    "outcomes": "the names of classes",
    "every_class": "the classes to predict",
    "split": "the test rows",
    "binning": "the cut points",
}
RULE = ("setting", "run_settings", "rule_json", "error", "rule_selected", "edits", "edit")
SELECTED = ("setting", "rule_json", "edits")  # of these, what another rule changes
GONE: Any = object()  # in place of an entry that a side does not have


@dataclass
class Merger:
    """Merges two sides; where both changed the same, `prefer_mine` decides, see `conflicts`."""

    base: Plain
    mine: Plain
    theirs: Plain
    prefer_mine: bool = False
    conflicts: list[str] = field(default_factory=list)  # in words

    def merge(self) -> dict[str, Any]:
        """Return both sides' changes."""
        rule = self._merge_rule()
        reviews = self._entries("case_notes", "the review of case {}")
        for case in reviews:
            texts = [side["case_notes"].get(case, {}).get("note", "") for side in self._sides]
            reviews[case] = {**reviews[case], "note": merge_texts(*texts)}
        seen = _union(self.theirs["looked_at"], self.mine["looked_at"])
        return {
            **self.theirs,
            **rule,
            "own_rule": self._choose("your own rule", *(s.get("own_rule") for s in self._sides)),
            "wording": self._entries("wording", "the name or unit of {}"),
            "texts": self._entries("texts", "the name of {}"),
            "scale": self._choose("the scale of points", *(s.get("scale") for s in self._sides)),
            "case_notes": reviews,
            "notes": merge_texts(*(side["notes"] for side in self._sides)),
            "runs": _union(self.theirs["runs"], self.mine["runs"]),
            "looked_at": seen,
            "test_looks": max(self.mine["test_looks"], self.theirs["test_looks"], len(seen)),
        }

    @property
    def _sides(self) -> tuple[Plain, Plain, Plain]:
        return self.base, self.mine, self.theirs

    def _merge_rule(self) -> dict[str, Any]:
        """Return table, settings and rule; all of one side if they would not fit together."""
        n_before = len(self.conflicts)
        parts = [_part(side, TABLE_FIELDS) for side in self._sides]
        if same(*parts[:2]) and same(parts[0], parts[2]):
            learned = {
                name: self._entries(name, words)
                if isinstance(self.base[name], Mapping)
                else self._choose(words, *(side[name] for side in self._sides))
                for name, words in LEARNED.items()
            }
        else:
            names = (*TABLE_FIELDS, *LEARNED)
            learned = self._choose("the table", *(_part(s, names) for s in self._sides))
        rules = [_part(side, SELECTED) for side in self._sides]
        sides = [s for s in self._sides[1:] if same(learned, _part(s, learned))]
        by_hand = [s for s in sides if s["rule_selected"]]
        by_hand = [s for s in by_hand if not same(_part(s, SELECTED), rules[0])]
        if len(sides) == 2 and len(by_hand) == 1:
            rule = by_hand[0]  # the other one was selected by a run, or is as before
        elif same(rules[0], rules[1]):
            rule = self.theirs
        else:
            rule = self._choose("the rule", *self._sides, parts=rules)
        if rule["rule_json"] and not same(learned, _part(rule, learned)):
            self.conflicts.append("the rule")  # it was learned from other settings
        if len(self.conflicts) > n_before:
            winner = self.mine if self.prefer_mine else self.theirs
            return _part(winner, (*TABLE_FIELDS, *LEARNED, *RULE))
        return {**learned, **_part(rule, RULE)}

    def _entries(self, name: str, words: str) -> dict[str, Any]:
        """Merge a dict entry by entry; an older analysis may not have it."""
        sides = [side.get(name, {}) for side in self._sides]
        entries = {
            key: self._choose(words.format(key), *(side.get(key, GONE) for side in sides))
            for key in dict.fromkeys([*sides[2], *sides[1]])
        }
        return {key: value for key, value in entries.items() if value is not GONE}

    def _choose(self, words: str, base: Any, mine: Any, theirs: Any, parts: Any = None) -> Any:
        """Return the side that changed; note a conflict if both did, in different ways."""
        compared = parts or (base, mine, theirs)
        if same(compared[1], compared[0]) or same(compared[1], compared[2]):
            return theirs
        if same(compared[2], compared[0]):
            return mine
        if words not in self.conflicts:
            self.conflicts.append(words)
        return mine if self.prefer_mine else theirs


def merge_texts(base: str, mine: str, theirs: str) -> str:
    """Return a text with both sides' words; nothing that a side wrote is lost."""
    if mine == base or mine in theirs:
        return theirs
    if theirs == base or theirs in mine:
        return mine
    return f"{theirs}\n\n{mine.removeprefix(base).strip() or mine}"


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON."""
    if one is GONE or other is GONE:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _part(side: Plain, names: Iterable[str]) -> dict[str, Any]:
    return {name: side[name] for name in names}


def _union(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    merged = list(first)
    merged += [value for value in second if not any(same(value, v) for v in merged)]
    return merged

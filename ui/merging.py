"""Two windows changed one analysis: what only one of them changed is kept, the rest is compared."""

# `base` is what both windows started from, `mine` and `theirs` what each made of it: dicts of
# `ui.state.to_plain`.

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Plain = Mapping[str, Any]

TABLE = ("name", "digest", "notes_on_table", "options")  # fields that belong to one table
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
        parts = [_part(side, TABLE) for side in self._sides]
        if same(*parts[:2]) and same(parts[0], parts[2]):
            learned = {name: self._field(name, words) for name, words in LEARNED.items()}
        else:
            names = (*TABLE, *LEARNED)
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
            return _part(winner, (*TABLE, *LEARNED, *RULE))
        return {**learned, **_part(rule, RULE)}

    def _field(self, name: str, words: str) -> Any:
        if isinstance(self.base[name], Mapping):
            return self._entries(name, words)
        return self._choose(words, *(side[name] for side in self._sides))

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

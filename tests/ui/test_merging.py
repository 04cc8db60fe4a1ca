"""Merge the changes that two windows make to one analysis, and list those that conflict."""

import json
from itertools import combinations

import pytest

from rulekit.data import load_sample
from rulekit.export import to_json
from rulekit.rules import Clause, Literal, RuleSet
from ui.merging import Merger, merge_texts
from ui.state import AppState, to_plain

BASE = json.loads(json.dumps(to_plain(AppState(table=load_sample("credit"), notes="Begun."))))


def rule(limit, by_hand=True):
    model = RuleSet((Clause((Literal("age", ">", limit),)),), ("high",), "dnf", "low")
    return {"rule_json": to_json(model), "setting": {"limit": limit}, "rule_selected": by_hand}


def changed(**values):
    nested = {k: {**BASE[k], **v} for k, v in values.items() if isinstance(BASE[k], dict)}
    return {**BASE, **values, **nested}


def named(label):
    return {"wording": {"age": {"label": label, "unit": ""}}}


CHANGES = [
    {"notes": "Begun. The board decided."},
    {"case_notes": {"3": {"verdict": "agree", "note": "", "answer": "low"}}},
    {"wording": {"age": {"label": "Age", "unit": "years"}}},
    {"roles": {"age": "ignore"}},
    {"split": {"test_share": 0.2}},
    {"binning": {"cuts": [["age", [30.0]]]}},
    {"every_class": True},
    {"outcomes": {"high": "bad"}},
    {"texts": {"age > 40": "old"}},
    {"scale": {"base_score": 600, "base_odds": 50, "points_to_double": 20, "label": "low"}},
]


PAIRS = [*combinations(CHANGES, 2), *((change, rule(40.0)) for change in CHANGES)]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_one_window_changed_is_kept_from_both(first, second):
    learned = first.keys() & {"roles", "split", "binning", "every_class", "outcomes"}
    for mine, theirs in ((first, second), (second, first)):
        merger = Merger(BASE, changed(**mine), changed(**theirs))
        merged = merger.merge()
        if "rule_json" in second and learned:  # it was learned from other settings
            assert merger.conflicts == ["the rule"]
        else:
            assert not merger.conflicts
            assert merged == changed(**{**first, **second})


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        (rule(30.0), rule(40.0), "the rule"),
        ({"split": {"seed": 1}}, {"split": {"seed": 2}}, "the test rows"),
        ({"roles": {"age": "ignore"}}, {"roles": {"age": "group"}}, "the roles of columns"),
        (named("A"), named("B"), "the name or unit of age"),
        ({"digest": "x"}, {"roles": {"age": "ignore"}}, "the table"),
    ],
)
def test_what_both_changed_is_named_and_one_side_is_taken(mine, theirs, words):
    for prefer_mine, side in ((False, theirs), (True, mine)):
        merger = Merger(BASE, changed(**mine), changed(**theirs), prefer_mine)
        assert merger.merge() == changed(**side)
        assert merger.conflicts == [words]


def test_rule_that_a_person_selected_wins_over_one_of_a_run():
    for mine, theirs in ((True, False), (False, True)):
        merger = Merger(BASE, changed(**rule(30.0, mine)), changed(**rule(40.0, theirs)))
        assert merger.merge() == changed(**(rule(30.0) if mine else rule(40.0)))
        assert not merger.conflicts


def test_runs_and_looks_at_test_rows_add_up():
    mine = changed(runs=[{"folds": 5}], looked_at=["a"], test_looks=1)
    theirs = changed(runs=[{"folds": 7}, {"folds": 5}], looked_at=["b"], test_looks=1)
    merged = Merger(BASE, mine, theirs).merge()
    assert merged["runs"] == [{"folds": 7}, {"folds": 5}]
    assert (merged["looked_at"], merged["test_looks"]) == (["b", "a"], 2)


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        ("old", "old, new", "old, new"),
        ("old, new", "old", "old, new"),
        ("", "old, new", "old, new"),
        ("old. A", "old. B", "old. B\n\n. A"),
        ("A", "B", "B\n\nA"),
    ],
)
def test_no_words_of_notes_are_lost(mine, theirs, merged):
    assert merge_texts("old", mine, theirs) == merged


def test_reviews_of_one_case_keep_both_notes():
    def review(verdict, note):
        return changed(case_notes={"3": {"verdict": verdict, "note": note, "answer": "low"}})

    merger = Merger(BASE, review("agree", "young"), review("disagree", "rich"))
    assert merger.merge()["case_notes"]["3"]["note"] == "rich\n\nyoung"
    assert merger.conflicts == ["the review of case 3"]

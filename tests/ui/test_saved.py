"""Saved analyses: files with many writers, fields of wrong types, changes of two windows."""

import copy
import json
import threading
from dataclasses import asdict
from itertools import combinations

import pandas as pd
import pytest

from rulekit import Clause, Literal, RuleSet, to_json
from rulekit.data import ParseOptions, Table, load_sample
from tests.pages.driving import errors, opened, routed
from tests.waiting import until
from ui import saved
from ui.learners.offered import LEARNERS, settings_of_run
from ui.learners.spec import RunSpec
from ui.saved import Merger, merge_texts
from ui.shell import PAGES
from ui.state import KINDS, OF_TABLE, RULE, AppState, BinningSpec, ColumnName, from_file, to_plain

TABLES = [
    Table.from_frame(pd.DataFrame({"a": range(k, k + 2000), "b": ["x", "y"] * 1000}), name=f"t{k}")
    for k in range(3)
]


def version(number, notes=""):
    return saved.Version(to_plain(AppState(table=TABLES[number], notes=notes)))


def test_readers_meet_whole_analyses_while_several_write(tmp_path):
    folder, failures, counts = tmp_path / "analysis", [], {"written": 0, "read": 0}
    saved.write(folder, version(0), TABLES[0])
    over = threading.Event()

    def save(number):
        with saved.lock_folder(folder):
            saved.write(folder, version(number, "a note"), TABLES[number])
        counts["written"] += 1

    def read(number):
        result, table = saved.read(folder)
        assert table.name == result.plain["name"]
        counts["read"] += 1

    def repeat(action, number):
        while not over.is_set():
            try:
                action(number)
            except Exception as error:  # any is a failure
                failures.append(repr(error))

    actions = [(save, 0), (save, 1), (save, 2), (read, 0), (read, 0)]
    threads = [threading.Thread(target=repeat, args=each) for each in actions]
    for thread in threads:
        thread.start()
    until(lambda: failures or min(counts.values()) >= 25, pause=0.01)
    over.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert {path.name for path in folder.iterdir()} == {saved.TABLE, saved.SETTINGS}


def test_next_writer_removes_half_files_and_deleting_marks(tmp_path):
    folder = tmp_path / "analysis"
    saved.write(folder, version(0), TABLES[0])
    (folder / f"table.parquet.abc{saved.NEW}").write_bytes(b"half")
    saved.write(folder, version(0), None)
    assert {path.name for path in folder.iterdir()} == {saved.TABLE, saved.SETTINGS}
    assert not saved.is_deleted(folder)
    saved.delete(folder)
    assert saved.is_deleted(folder)
    assert not folder.exists()


def test_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file.json"
    path.write_text("old")

    def fail(temporary):
        temporary.write_text("half")
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        saved.replace_file(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file.json"]
    assert path.read_text() == "old"


TABLE = load_sample("credit")
LIMIT = to_json(RuleSet((Clause((Literal("age", ">", 40.0),)),), ("defaults",), "dnf", "low"))
VERSION = {"setting": {"learner": "search", "theta": 1.0}, "rule_json": LIMIT, "error": 0.25}
FULL = json.loads(
    json.dumps(
        to_plain(
            AppState(
                table=TABLE,
                outcomes={"high": "defaults"},
                options=asdict(ParseOptions(";")) | {"dates": {"x": None}, "numeric": ["y"]},
                wording={"age": ColumnName("Age", "years")},
                binning=BinningSpec(cuts=(("age", (30.0, 50.0)),), missing=("age",)),
                run_settings=RunSpec(costs=(1.0, 5.0), directions=(("age", ">"),)).to_dict(),
                setting={"edited": "by hand"},
                rule_json=LIMIT,
                error=0.25,
                edits=(VERSION, VERSION | {"setting": {"edited": "by hand"}}),
                edit=1,
                own_rule=LIMIT,
                runs=(RunSpec().to_dict(),),
                scale={"base_score": 600, "base_odds": 50, "points_to_double": 20, "label": "low"},
                texts={"age > 40": "old"},
                notes="Ask Ada.",
                case_notes={"3": {"verdict": "agree", "note": "", "answer": "low"}},
                test_looks=1,
                looked_at=("ab",),
            )
        )
    )
)
STRANGE = (None, True, 7, 0.5, "x", [], [1], ["x"], {}, {"x": 1}, {"x": "y"})


def places(value, path=()):
    """List the paths of all parts of a nested value."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def with_value(path, value):
    """Return the full analysis with another value at a path."""
    changed = copy.deepcopy(FULL)
    part = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return changed


PATHS = [path for path in places(FULL) if path and path[0] not in OF_TABLE]
EACH_KIND = {  # one path for each field and depth
    (path[0], len(path), type(path[-1]), isinstance(path[-1], str) and path[-1]): path
    for path in PATHS
}


def test_full_analysis_is_read_as_it_was_saved():
    state, unread = from_file(FULL, TABLE)
    assert unread == []
    assert json.loads(json.dumps(to_plain(state))) == FULL
    assert {name for name in FULL if FULL[name] != to_plain(AppState(table=TABLE))[name]} >= (
        FULL.keys() - {"roles", "orders", "positive", "split", "every_class", "rule_selected"}
    ) - set(OF_TABLE)


@pytest.mark.parametrize("thorough", [True, False])
@pytest.mark.parametrize("learner", LEARNERS)
def test_settings_of_every_learner_have_the_declared_types(learner, thorough):
    for view in ("conditions", "prices"):
        spec = RunSpec(learners=(learner,), thorough=thorough, view=view)
        settings = json.loads(json.dumps(settings_of_run(spec)))
        assert settings
        assert all(saved.fits(setting, saved.Setting) for setting in settings)
        assert saved.fits(json.loads(json.dumps(spec.to_dict())), RunSpec)


def test_fields_of_wrong_types_are_named_and_the_rest_is_read():
    state, unread = from_file(FULL | {"split": 5, "notes": ["x"], "edit": "first"}, TABLE)
    assert sorted(unread) == sorted(["split", "notes", *RULE])
    assert state.case_notes == FULL["case_notes"]


@pytest.mark.slow
@pytest.mark.parametrize("field", sorted(FULL.keys() - set(OF_TABLE)))
def test_any_value_at_any_place_leaves_the_rest_as_it_was(field):
    usual = to_plain(AppState(table=TABLE))
    for path in EACH_KIND.values():
        for value in STRANGE if path[0] == field else ():
            changed = with_value(path, value)
            state, unread = from_file(changed, TABLE)
            plain = json.loads(json.dumps(to_plain(state)))
            named = [name for name in plain if name not in OF_TABLE]
            assert all(saved.fits(plain[name], KINDS[name]) for name in named), (path, value)
            is_taken = field in unread or plain[field] == changed[field]
            assert is_taken or value in (None, {}), (path, value)  # what is left out is usual
            lost = {field} | (set(RULE) if set(RULE) & set(unread) else set())
            if field not in ("roles", "positive", "outcomes"):  # the rule may no longer fit
                assert [n for n in FULL if plain[n] != FULL[n] and n not in lost] == []
            for name in unread:
                assert json.dumps(plain[name]) == json.dumps(usual[name]), (path, value)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_with_any_wrong_field(page):
    with routed():
        for path in sorted(EACH_KIND.values(), key=str)[::4]:
            value = STRANGE[len(str(path)) % len(STRANGE)]
            app = opened(page, state=from_file(with_value(path, value), TABLE)[0])
            assert not errors(app), (path, value)


BASE = json.loads(json.dumps(to_plain(AppState(table=TABLE, notes="Begun."))))


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

"""A saved analysis with fields of wrong types: they are named, and everything else is read."""

import copy
import json
from typing import get_type_hints

import pytest

from rulekit.data import load_sample
from rulekit.export import to_json
from rulekit.rules import Clause, Literal, RuleSet
from tests.pages.driving import errors, opened, routed
from ui import schema
from ui.learners.offered import LEARNERS, settings_of_run
from ui.learners.spec import RunSpec
from ui.shell import PAGES
from ui.state import (
    OF_TABLE,
    RULE,
    AppState,
    BinningSpec,
    ColumnName,
    SavedAnalysis,
    from_file,
    to_plain,
)

TABLE = load_sample("credit")
LIMIT = to_json(RuleSet((Clause((Literal("age", ">", 40.0),)),), ("defaults",), "dnf", "low"))
VERSION = {"setting": {"learner": "search", "theta": 1.0}, "rule_json": LIMIT, "error": 0.25}
FULL = json.loads(
    json.dumps(
        to_plain(
            AppState(
                table=TABLE,
                outcomes={"high": "defaults"},
                options={"delimiter": ";", "header": True, "dates": {"x": None}, "numeric": ["y"]},
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
        assert all(schema.fits(setting, schema.Setting) for setting in settings)
        assert schema.fits(json.loads(json.dumps(spec.to_dict())), RunSpec)


def test_fields_of_wrong_types_are_named_and_the_rest_is_read():
    state, unread = from_file(FULL | {"split": 5, "notes": ["x"], "edit": "first"}, TABLE)
    assert sorted(unread) == sorted(["split", "notes", *RULE])
    assert state.case_notes == FULL["case_notes"]


@pytest.mark.slow
@pytest.mark.parametrize("field", sorted(FULL.keys() - set(OF_TABLE)))
def test_any_value_at_any_place_leaves_the_rest_as_it_was(field):
    kinds, usual = get_type_hints(SavedAnalysis), to_plain(AppState(table=TABLE))
    for path in EACH_KIND.values():
        for value in STRANGE if path[0] == field else ():
            changed = with_value(path, value)
            state, unread = from_file(changed, TABLE)
            plain = json.loads(json.dumps(to_plain(state)))
            assert all(schema.fits(plain[name], kinds[name]) for name in kinds), (path, value)
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

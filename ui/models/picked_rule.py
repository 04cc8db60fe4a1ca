"""The selected rule beside the curve, and rules side by side with their differences in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.data.costs import COST
from rulekit.evaluation.metrics import cost_per_100, error_rate
from rulekit.rules import RuleSet, scorecard_of
from rulekit.style.phrases import join_list
from rulekit.style.wording import format_measure, percent, plural
from ui import picked
from ui.escape import md
from ui.learners.learner import KINDS_OF_RULE
from ui.learners.offered import CARDS, learner_of, same_search
from ui.learners.spec import CHOSEN, FIT_SECONDS, LEARNER_KEY, QUICK, SHARED, RunSpec, quiet
from ui.models.curve import choose, cost_words, error_words, fold_words, sides_curve
from ui.models.points import SPREAD_FOLDS, RunResult, gap_words, make_thorough
from ui.models.run import earlier_words, get_offer, note_suggestion, part_words
from ui.rule_numbers import beats_majority, class_shares
from ui.runs.background import answer_of
from ui.runs.worker import Report
from ui.state import AppState, app_state
from ui.widgets import choice, flow_chart, parts_table, rule_text
from ui.words import constant_answer, difference, rule_words, wording

LINKS = {"explain": "Why this row?", "rules": "Read in full", "export": "Export"}
WEIGHING = ("class_weight", "costs", "cost_unit")


def measure(state: AppState, spec: RunSpec, report: Report) -> pd.Series:
    """Measure the selected rule with folds and costs of `spec`, as a job."""
    quiet()
    X, y = state.training
    weight, costs = state.training_weight, spec.error_costs(state.labels)
    folds = state.folds(spec.folds)
    settings, figures = picked.path_of(state.setting, state.spec), []
    for done, (train, test) in enumerate(folds):
        report(done=done, total=len(folds))
        models = picked.fit_path(settings, state.spec, state, rows=train)
        answers = models[picked.model_key(state.setting)].predict(X.iloc[test])
        of_test = None if weight is None else weight[test]
        row = {"test_error": error_rate(y.iloc[test], answers, of_test)}
        if costs is not None:
            row[COST] = cost_per_100(y.iloc[test], answers, costs, of_test)
        figures.append(row)
    table = pd.DataFrame(figures)
    spread = table.sem() if len(folds) >= SPREAD_FOLDS else pd.Series(dtype=float)
    return pd.concat([table.mean(), spread.add_suffix("_se"), pd.Series({"folds": len(folds)})])


def describe_changes(state: AppState, spec: RunSpec) -> str:
    """Return what differs from the run that found the selected rule: "costs", "folds"."""
    changed = {name for name in SHARED if getattr(state.spec, name) != getattr(spec, name)}
    if changed and changed <= set(WEIGHING):
        return "costs"
    return "folds" if changed == {"folds"} else "settings"


KINDS = {  # how rules of a run may differ besides size and described class
    "robustness": (
        "Robustness",
        lambda value: f"{value:g}",
        "How much a row of the other class counts that a single condition keeps out of the rule: "
        "0 counts wrong rows only.",
    ),
    "label_noise": (
        "Doubtful rows",
        lambda value: "count less" if value else "count in full",
        "Whether the search heeds rows less that look like the other class to trees grown without "
        "them. Errors shown count every row in full.",
    ),
}
SIDES_HELP = "One of the two is often much shorter. All other rows get the other prediction."


def show_picked(result: RunResult, spec: RunSpec) -> None:
    """Show the selected rule with its slider, figures and next steps."""
    if (model := picked.get_model()) is None:
        return
    state = app_state()
    if (number := result.number_of_rule(state)) is not None:
        _limit_slider(result, number)
    rule = model.rule_set_
    rule_text(rule_words(model, wording(state)), rule.n_clauses)
    size = plural(rule.n_conditions, "condition")
    if not (scorecard_of(rule) or rule.is_constant):
        size += f" in {plural(rule.n_clauses, 'clause')}"
    if number is None:
        _offer_measuring(size, state, spec)
    else:
        row = result.points.loc[number]
        part = part_words(state) if QUICK in state.setting else ""
        cost = md(cost_words(result, row), 80)
        wrong = "wrong by weight" if state.training_weight is not None else "wrong"
        wrong += f"{cost} in {fold_words(row)}{earlier_words(state)}"
        measured = f"**{error_words(row)}** {wrong}"
        st.markdown(f"{measured} · {size}{part}")
        if words := gap_words(result, number, state):
            (st.caption if result.keeps_gap(number) else st.warning)(md(words, 300))
    beats = beats_constant(rule, state) and beats_majority(model, state, state.spec)
    (st.caption if beats else st.info)(md(constant_words(rule, state, beats), 300))
    if never := never_predicted(rule, state):
        st.warning(md(never, 300))
    picked.constraint_lines(rule, state)
    if not rule.is_constant:
        heading = st.container(horizontal=True, vertical_alignment="center")
        heading.caption("Where the training rows go", width="content")
        table = flow_chart(model, *state.training, "flow_small", is_small=True)
        with heading.popover("As a table", type="tertiary"):
            parts_table(table, "training")
    with st.container(horizontal=True):
        for page, label in LINKS.items():
            if st.button(label, key=f"to_{page}"):
                st.switch_page(f"pages/{page}.py")
        show_held_out(model)


def beats_constant(rule: RuleSet, state: AppState) -> bool:
    """Return whether a rule has fewer errors than a constant; weighed errors are not compared."""
    spec = state.spec
    if rule.is_constant or state.error is None or spec.class_weight or spec.costs:
        return not rule.is_constant
    return bool(state.error < 1.0 - class_shares(state)[0].iloc[0])


def constant_words(rule: RuleSet, state: AppState, beats: bool = True) -> str:
    """Return the error of always predicting the most frequent outcome, for comparison."""
    shares, rows = class_shares(state)
    answer = constant_answer(rule) if rule.is_constant else shares.index[0]
    wrong = f"{percent(1.0 - shares.get(answer, 0.0))} {rows} wrong"
    if rule.is_constant:
        return f"No rule found beats always predicting {answer} ({wrong})."
    if not beats:
        return f"This does not beat always predicting {answer} ({wrong})."
    return f"Always predicting {answer}: {wrong}."


def never_predicted(rule: RuleSet, state: AppState) -> str:
    """Return which of several outcomes the rule never predicts; empty if it predicts all."""
    predicted = {*map(str, rule.labels), str(rule.default)}
    missing = [str(label) for label in state.labels if str(label) not in predicted]
    if not state.several or not missing:
        return ""
    return f"This rule never predicts {join_list(missing)}."


def _offer_measuring(size: str, state: AppState, spec: RunSpec) -> None:
    """Show that the rule has no point on the curve, with a button that measures it."""
    setting = state.setting or {}
    if {"edited", "whole_file"} & setting.keys():
        words = picked.setting_words(setting)
        words += ". Not on the curve; select a point to use the slider."
        st.markdown(f"**{size}**, {md(words, 300)}")
        return
    place, key = st.empty(), repr((state.rule_key, spec.shared))
    task = partial(measure, replace(state, result=None, model=None), spec)
    row = answer_of("measure", "Measuring this rule", key, task, offer="Measure it")
    if row is not None:
        cost = format_measure(row[COST], COST, spec.cost_unit) if COST in row else ""
        cost = md(f", {cost} a 100 cases" if cost else "", 80)
        place.markdown(f"**{error_words(row)}** wrong{cost} in {fold_words(row)} · {size}")
        st.caption("Found under other settings, measured with these.")
        return
    before = "" if state.error is None else f" It was {percent(state.error)} wrong in its own run."
    words = f"not measured with these {describe_changes(state, spec)}.{before}"
    place.markdown(f"**{size}**, {words}")


def show_held_out(model: ClassifierMixin) -> None:
    """Show the rule's error on the test rows on demand, and count how often."""
    state = app_state()
    if state.is_of_all_rows or not len(state.testing[0]):
        return
    key = f"held_out_{hash((state.fit_key, state.rule_json))}"
    words = (
        "On the test rows, which took no part in any run. Each rule that is looked at with them is "
        "counted."
    )
    if st.session_state.get(key) or st.button("Held-out error", "held_out", words, type="tertiary"):
        st.session_state[key] = True
        X, y = state.testing
        looks = picked.count_look()
        wrong = float((model.predict(X) != y.to_numpy()).mean())
        own = f" of {md(state.split.own_name, 40)}" * bool(state.split.own_rows)
        looked = f"looked at for {plural(looks, 'rule')}"
        words = f"**{percent(wrong)}** of {len(X):,} test rows{own} wrong ({looked})"
        st.markdown(words, width="content")


def _limit_slider(result: RunResult, number: int) -> None:
    """Show a slider along the line of the selected rule; nothing is fitted."""
    options = sorted(result.line(app_state().setting))
    if len(options) < 2:
        return
    # If the rule is selected elsewhere or the limits change, the slider has another key. Until the
    # browser draws it, the old one may be moved, and its position is sent with every timer.
    generation = st.session_state.get("_slides", 0)
    key = f"slider_limit_{generation}_{'_'.join(map(str, options))}"
    positions = st.session_state.setdefault("_positions", {})
    st.session_state["_limit_key"] = key
    limit = int(result.points.loc[number, "limit"])
    words = "Looks up what was found; nothing is learned again."
    actions = {"key": key, "on_change": partial(_slid, key)}
    positions[key] = st.select_slider("Conditions at most", options, limit, help=words, **actions)


def _slid(key: str) -> None:
    """Select the rule at a slider's position, unless the position is only sent again."""
    state, positions = app_state(), st.session_state["_positions"]
    limit, before = st.session_state[key], positions.get(key)
    positions[key] = limit
    line = {} if state.result is None else state.result.line(state.setting)
    if limit != before and line:
        nearest = max((one for one in line if one <= limit), default=min(line))
        choose(state.result, line[nearest], by_slider=key == st.session_state["_limit_key"])


def how_it_was_found(result: RunResult, y: str) -> None:
    """Show the setting, the other kinds of rule, and the cards of its learner."""
    state, model = app_state(), picked.get_model()
    if model is None or state.setting is None:
        st.caption("No rule is picked yet.")
        return
    words = picked.setting_words(state.setting, variant=True, several=state.several)
    st.markdown(f"**{md(words, 300)}**")
    if result.number_of_rule(state) is not None:
        sides(result, state.setting)
    sides_curve(result, y)
    if QUICK in state.setting:
        st.caption(
            f"Quick search done{part_words(state)}. “Search longer”, under the curve, searches "
            "more kinds of rule."
        )
    if result.cut:
        st.caption(
            f"A search of this table takes longer than its time limit of {FIT_SECONDS:g} s; what "
            "it had found by then is shown."
        )
    for cards in CARDS:
        cards.models(model, state)


def sides(result: RunResult, setting: Mapping[str, Any]) -> None:
    """Show controls for the described class and kind of rule if runs have found several."""
    state = app_state()
    learner = learner_of(setting)
    mine = [s for s in result.settings if learner_of(s) is learner]
    names = {"for": md(state.positive), "other": md(state.other_label)}
    fields = [("describes", "for", ("Describes", names.__getitem__, SIDES_HELP))]
    fields += [(name, 0.0, kind) for name, kind in KINDS.items()]
    generation = st.session_state.get("_picks", 0)
    for column, (name, plain, kind) in zip(st.columns(3), fields, strict=True):
        label, named, sentence = kind
        current = setting.get(name, plain)
        values = {m.get(name, plain) for m in mine} - {current}
        values = {v for v in values if find_other_kind(result, setting, name, v) is not None}
        words = {value: named(value) for value in sorted({current, *values})}
        if values:
            key = f"{'side' if name == 'describes' else name}_{generation}"
            change = partial(_choose_kind, result, name, key)
            options = {"persist_state": None, "on_change": change, "help": sentence}
            choice(label, words, current, key, place=column, wrap=True, **options)


def _choose_kind(result: RunResult, name: str, key: str) -> None:
    choose(result, find_other_kind(result, app_state().setting, name, st.session_state[key]))


def find_other_kind(
    result: RunResult, setting: Mapping[str, Any], name: str, value: Any
) -> int | None:
    """Return the point of another kind with nearly the limit of a setting, or None."""
    wanted = _set_limit(setting) | {name: value}
    wanted = {k: v for k, v in wanted.items() if not (k in KINDS_OF_RULE and v in (0, "for"))}
    near = _alike(result, wanted)
    if not len(near):  # not all combinations of kinds exist
        near = _alike(result, {k: v for k, v in wanted.items() if k not in KINDS or k == name})
    if not len(near):
        return None
    limit = result.points.loc[result.number_of(setting), "limit"]
    return int((near["limit"] - limit).abs().idxmin())


def _alike(result: RunResult, wanted: Mapping[str, Any]) -> pd.DataFrame:
    same = [k for k, s in enumerate(result.settings) if same_search(_set_limit(s), wanted)]
    plain = [CHOSEN not in result.settings[k] for k in same]
    return result.points.loc[same].assign(plain=plain).sort_values(["plain", "test_error"])


def _set_limit(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a thorough setting; of the selected one, a setting of its kind at a limit."""
    if CHOSEN not in setting:
        return make_thorough(setting)
    kind = {k: v for k, v in setting.items() if k in (LEARNER_KEY, *KINDS_OF_RULE)}
    return kind | {"max_conditions": 0}


MAX_COMPARED = 3
SHOWN = "_offer_shown"


def offer(result: RunResult) -> None:
    """Offer, in one line, a rule suggested since the selected one was picked."""
    if (number := get_offer(result)) is None:
        st.session_state[SHOWN] = False
        return
    row = result.points.loc[number]
    with st.container(horizontal=True, vertical_alignment="center", key="offer"):
        st.markdown(
            f"A run suggests another rule: **{plural(row['limit'], 'condition')}, "
            f"{error_words(row)}**.",
            width="content",
        )
        st.toggle("Show both", key=SHOWN)
        st.button("Use this rule", "take_offer", on_click=partial(choose, result, number))
        st.button("Keep mine", "keep_mine", on_click=partial(note_suggestion, result))


def both(result: RunResult) -> None:
    """Show the selected rule and the suggested one if the toggle is on."""
    number = get_offer(result)
    if number is None or not st.session_state.get(SHOWN) or (mine := picked.get_model()) is None:
        return
    state = app_state()
    run_number = result.number_of_rule(state)
    figures = "not on this curve" if run_number is None else figure_words(result, run_number)
    other = picked.fit_setting(state, result.settings[number], result.specs[number])
    entries = [("Selected", figures, mine), ("Suggested", figure_words(result, number), other)]
    _show_rules(entries, state)


def compare(result: RunResult) -> None:
    """Show up to three points side by side, with their rules, figures and differences."""
    rows = result.curve(selected=result.number_of_rule(app_state()))
    ordered = rows.assign(_behind=~rows["on_front"]).sort_values(["_behind", "limit", "test_error"])
    label = f"Compare up to {MAX_COMPARED} points (the best for their size are listed first)"
    numbers = [int(k) for k in ordered.index]
    words = {k: f"{result.points.loc[k, 'label']}, {figure_words(result, k)}" for k in numbers}
    chosen = st.multiselect(
        label, numbers, format_func=words.get, key="compare", max_selections=MAX_COMPARED
    )
    state = app_state()
    models = [picked.fit_setting(state, result.settings[k], result.specs[k]) for k in chosen]
    names = [result.points.loc[k, "label"] for k in chosen]
    figures = [figure_words(result, k) for k in chosen]
    _show_rules(list(zip(names, figures, models, strict=True)), state)


def figure_words(result: RunResult, number: int) -> str:
    """Return a point's error and size."""
    row = result.points.loc[number]
    return f"{error_words(row)} wrong, at most {plural(row['limit'], 'condition')}"


def _show_rules(entries: Sequence[tuple[str, str, Any]], state: AppState) -> None:
    """Show rules beside each other, each with its name and figures, and the differences."""
    if not entries:
        return
    words = wording(state)
    for column, (name, figures, model) in zip(st.columns(len(entries)), entries, strict=True):
        with column:
            st.markdown(f"**{md(name, 200)}**  \n{md(figures, 200)}")
            rule_text(rule_words(model, words))
    (first, _, model), *others = entries
    for second, _, other in others:
        sentences, clauses = difference(model.rule_set_, other.rule_set_, *state.training, words)
        st.markdown(f"**From “{md(first, 100)}” to “{md(second, 100)}”**")
        st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in sentences))
        if clauses:
            st.code(clauses, "diff", wrap_lines=True)
            st.caption("Marked “-”: in the first only. Marked “+”: in the second only.")

"""Every figure that a page shows is the selected rule's own, after any sequence of actions."""

import re

import numpy as np
import pytest

from rulekit.data import load_sample, make_folds
from rulekit.data.costs import COST
from rulekit.rules import scorecard_of
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import percent
from tests.pages.driving import (
    compared,
    exported,
    finished,
    listed_conditions,
    opened,
    opened_tab,
    pick_here,
    slider,
    small,
    text,
)
from tests.reference.rules import clause_holds, decide, rows_of
from ui.learners.offered import LEARNERS, learner_of
from ui.learners.spec import QUICK, RunSpec
from ui.models.picked_rule import constant_words
from ui.picked import fit_path, model_key, path_of
from ui.runs import jobs
from ui.shell import status_words
from ui.state import AppState
from ui.words import rule_words, wording

STEPS = 30
PAGES = ("models", "rules", "explain", "score", "export")
OFTEN = ("slide", "pick", "turn", "suggested", "costs", "edit", "undo", "back", "reload")


class Recount:
    """A rule's figures on some rows, counted in plain Python."""

    def __init__(self, model, X, y):
        self.rule = rule = model.rule_set_
        columns = {name: list(values) for name, values in model.read_columns(X).items()}
        rows = rows_of(columns) if columns else [{}] * len(y)
        self.truth = [str(label) for label in y]
        self.predicted = [str(decide(rule, row)) for row in rows]
        self.n, self.clauses = len(rows), [[0, 0] for _ in range(rule.n_clauses + 1)]
        self.deciding = []
        for row, label in zip(rows, self.truth, strict=True):
            fired = [k for k, clause in enumerate(rule.clauses) if clause_holds(clause, row)]
            self.deciding.append(fired[0] if fired else -1)
            k = self.deciding[-1]
            outcome = rule.labels[k] if k >= 0 else rule.default
            self.clauses[k][0] += label == str(outcome)
            self.clauses[k][1] += 1

    @property
    def pairs(self):
        return list(zip(self.truth, self.predicted, strict=True))

    @property
    def wrong(self):
        return sum(actual != predicted for actual, predicted in self.pairs)

    @property
    def of_clauses(self):
        """Right and counted rows of each clause, as pages write them."""
        return [(f"{right:,}", f"{n:,}") for right, n in self.clauses[:-1]]


class Session:
    """One person's session; actions act on it, and `check` recomputes what it shows."""

    def __init__(self, state, seed, costs=False):
        self.rng = np.random.default_rng(seed)
        app = opened("models", state=state)
        several = state.every_class
        app = app.segmented_control(key="run_folds").set_value(5).run() if several else small(app)
        if not several:
            app = app.toggle(key="run_against").set_value(True).run()  # rules of both classes
        self.app = finished(app)
        self.page, self.before = "models", "models"
        self.counted = (None, None, None)  # a model, its training and its test rows
        self.done = set()  # the actions whose widget was there
        if costs:
            self.price("costs")

    @property
    def state(self):
        return self.app.session_state["app"]

    def go(self, page):
        if page != self.page:
            self.app.switch_page(f"pages/{page}.py").run()
            if page == "models":  # after a reload it searches again
                self.app = finished(self.app)
            self.before, self.page = self.page, page

    def button(self, key):
        return next((b for b in self.app.button if b.key == key and not b.disabled), None)

    def price(self, kind):
        self.app = finished(self.app.selectbox(key="run_weight").set_value(kind).run())
        for key, value in (("run_cost_0", 5.0), ("run_cost_1", 1.0)):
            if any(n.key == key for n in self.app.number_input):
                self.app.number_input(key=key).set_value(value)
        self.app = finished(self.app.run())

    def act(self, name):
        """Do one thing that a person may do."""
        getattr(self, f"_{name}")()

    def _slide(self):
        self.go("models")
        if self.state.result.number_of_rule(self.state) is None:  # an edited rule has no slider
            self._pick()
        output = [s for s in self.app.select_slider if s.key.startswith("slider_limit_")]
        if output:
            self.done.add("slide")
            limit = int(self.rng.choice(list(map(int, output[0].options))))
            here = self.state.result.number_of_rule(self.state)
            output[0].set_value(limit).run()
            result = self.state.result
            number, suggested = result.number_of_rule(self.state), result.suggestion.number
            if result.points.loc[suggested, "limit"] == limit and number != here:
                short = result.searches[number] == LEARNERS["search"].name
                assert not short or number == suggested

    def _pick(self):
        self.go("models")
        result = self.state.result
        number = int(self.rng.choice(result.curve(sides=True).index))
        self.app = pick_here(self.app, result, result.settings[number])

    def _turn(self):
        """Describe the other class; a rule of a learner that offers both is picked before."""
        if self.state.several:
            return
        self.go("models")
        result = self.state.result
        sides = {}  # of each learner, the classes that its rules describe
        for setting in result.settings:
            sides.setdefault(learner_of(setting), set()).add(setting.get("describes", "for"))
        both = [
            s for s in result.settings if "max_conditions" in s and len(sides[learner_of(s)]) > 1
        ]
        if not both:  # learners that describe one class
            return
        if result.number_of_rule(self.state) is None or self.state.setting not in both:
            self.app = pick_here(self.app, result, both[self.rng.integers(len(both))])
        opened_tab(self.app, "How it was found")
        before = self.state.setting.get("describes", "for")
        (side,) = [s for s in self.app.segmented_control if s.key.startswith("side_")]
        side.set_value("other" if before == "for" else "for").run()
        assert self.state.setting.get("describes", "for") != before
        self.done.add("turn")
        self.app = opened_tab(self.app, "Points")

    def _suggested(self):
        self.go("models")
        if (button := self.button("pick_suggested")) is not None:
            self.done.add("suggested")
            button.click().run()

    def _longer(self):
        self.go("models")
        self.app = finished(self.button("search_longer").click().run())

    def _compare(self):
        self.go("models")
        self.app = opened_tab(compared(self.app, "One clause"), "Points")

    def _costs(self):
        self.go("models")
        if len(self.app.selectbox(key="run_weight").options) > 1:
            now = self.app.selectbox(key="run_weight").value
            self.price("costs" if now != "costs" else "none")

    def _edit(self):
        """Move a cut point of the first clause, and apply it."""
        self.go("rules")
        rule = self.state.model.rule_set_
        if self.button("edit_0") is None or scorecard_of(rule) or not rule.n_clauses:
            return
        self.button("edit_0").click().run()
        if not any(r.key.startswith("conditions_") for r in self.app.radio):  # it was open
            self.button("edit_0").click().run()
        for k in range(len(listed_conditions(self.app).options) - 1):
            listed_conditions(self.app).set_value(k).run()
            fields = [n for n in self.app.number_input if n.key.startswith("cut_")]
            if fields:
                self.done.add("edit")
                fields[0].set_value(fields[0].value + float(self.rng.integers(1, 5))).run()
                self.button("score_edit").click().run()
                return
        self.button("edit_0").click().run()

    def _undo(self):
        """Undo the last edit, made first if there is none."""
        self.go("rules")
        if self.button("undo_edit") is None:
            self._edit()
        if (button := self.button("undo_edit")) is not None:
            self.done.add("undo")
            button.click().run()

    def _back(self):
        self.go(self.before)

    def _reload(self):
        """Open the address again on a server that knows of no job."""
        jobs.registry().forget(self.app.session_state["analysis_id"])
        query = {"analysis": self.app.query_params["analysis"]}
        self.app = finished(opened(self.page, query=query))

    def check(self):
        """Check this page and another one."""
        self.check_page()
        self.go(str(self.rng.choice([p for p in PAGES if p != self.page])))
        self.check_page()

    def check_page(self):
        app, state = self.app, self.state
        assert not [e.value for e in app.error]
        words, message = text(app), status_words(state)
        assert f"{state.model.rule_set_.n_conditions} condition" in message
        number = None if state.result is None else state.result.number_of_rule(state)
        known = [state.error] if number is None else [state.result.points.loc[number, "test_error"]]
        for error in known:
            assert error is None or f"{percent(error)} wrong" in message
        assert message in words
        if self.counted[0] is not state.model:
            rows = (state.training, state.testing)
            self.counted = (state.model, *(Recount(state.model, *part) for part in rows))
        getattr(self, f"check_{self.page}")(words, *self.counted[1:])

    def check_models(self, words, train, test):
        app, state = self.app, self.state
        model, rule = state.model, state.model.rule_set_
        assert app.text[0].value == rule_words(model, wording(state))
        beats = "does not beat" not in words
        assert constant_words(rule, state, beats) in words
        most = max(train.truth.count(label) for label in set(train.truth))
        assert (
            rule.is_constant
            or not beats
            or f": {percent(1 - most / train.n)} of training rows" in words
        )
        if not rule.is_constant and not scorecard_of(rule):
            (flow,) = [c.proto.alt for c in app.get("plotly_chart") if c.key == "flow_small"]
            shown = re.findall(r": ([\d,]+) of ([\d,]+) correct", flow)
            assert shown[:-1] == train.of_clauses
        number = state.result.number_of_rule(state)
        if number is None:
            assert not [s for s in app.select_slider if s.key.startswith("slider_limit_")]
            assert "edited" in state.setting or "not measured with these " in words
            return
        row = state.result.points.loc[number]
        assert f"**{percent(row['test_error'])}" in words
        assert rule.n_conditions <= row["limit"]
        measured = state.result.models.get(model_key(state.setting))
        assert measured is None or measured.rule_set_ == rule  # the figures are this rule's
        if any(s.key.startswith("slider_limit_") for s in app.select_slider):
            assert slider(app, "limit").value == row["limit"]
        suggested = state.result.suggestion
        if suggested is not None and suggested.number == number:
            by = " by the quick search" * (QUICK in state.setting)
            assert f"Suggested{by}: {suggested.words}." in words
            sizes = f"{rule.n_conditions} condition", f"at most {row['limit']} condition"
            assert suggested.words.startswith(sizes)
        for table in (d.value for d in app.dataframe if "conditions at most" in d.value):
            listed = table[table["conditions at most"] == row["limit"]]
            name, value = "error", 100 * row["test_error"]
            if "error" not in table:
                name, value = "cost a 100 cases", row[COST]
            assert np.isclose(listed[name], value).any()

    def check_rules(self, words, train, test):
        state, rule = self.state, self.state.model.rule_set_
        metrics = {m.label: m.value for m in self.app.metric}
        size = str(rule.n_conditions) if scorecard_of(rule) else f"{rule.n_conditions} in "
        assert metrics["Conditions"].startswith(size)
        assert metrics["Error, training rows"] == percent(train.wrong / train.n)
        assert metrics["Error, test rows"] == percent(test.wrong / test.n)
        majority = max(sorted(set(train.truth)), key=train.truth.count)
        alone = sum(label != majority for label in test.truth)
        assert f" of 100 new rows (test {percent(test.wrong / test.n)}" in words
        assert f"always {write_outcome(majority)}: {percent(alone / test.n)}." in words
        costs = RunSpec.from_dict(state.run_settings).error_costs(state.labels)
        for name, counted in (("training", train), ("test", test)):
            if costs is None:
                assert f"Cost a 100, {name} rows" not in metrics
                continue
            charged = [costs.matrix[pair] for pair in counted.pairs if pair[0] != pair[1]]
            assert metrics[f"Cost a 100, {name} rows"].startswith(
                f"{100 * sum(charged) / counted.n:.4g}"
            )
        counts = re.findall(r"(?<![^ ])([\d,]+) of ([\d,]+) correct(?! \()", words)
        if not scorecard_of(rule):
            both = zip(train.of_clauses, test.of_clauses, strict=True)
            assert counts == [pair for pairs in both for pair in pairs]
        (matrix,) = [h.proto.body for h in self.app.get("html") if "<table" in h.proto.body]
        predicted = re.findall(r'scope="col"[^>]*>([^<]*)</th>', matrix)
        lines = re.findall(r'scope="row"[^>]*>([^<]*)</th>(.*?)</tr>', matrix)
        assert {label for label, _ in lines} == set(train.truth)
        for label, cells in lines:
            counts = [f"{train.pairs.count((label, answer)):,}" for answer in predicted]
            assert re.findall(r">([\d,]+)</td>", cells) == counts
        assert f"{train.wrong:,} of {train.n:,} training rows" in words

    def check_explain(self, words, train, test):
        assert f"{test.n:,} cases. " in words
        assert f"wrong for {test.wrong:,} of those listed" in words
        row = int(self.app.query_params["row"][0]) - 1
        k = self.state.testing[0].index.get_loc(row)
        actual, predicted = test.pairs[k]
        _, reason = words.split(f"### Predicted {predicted}\n\n")
        right = "correct" if actual == predicted else "wrong"
        assert f"Actual: **{actual}**. The prediction is {right}." in words
        if scorecard_of(self.state.model.rule_set_):
            return
        clause = test.deciding[k]
        name = f"Clause {clause + 1}" if clause >= 0 else "No clause matches"
        assert clause < 0 or reason.startswith(self.state.model.rule_set_.features)
        right, n = train.clauses[clause]
        if n:
            assert f"{name}: {predicted} in {right:,} of {n:,} training row" in words

    def check_score(self, words, train, test):
        assert f"{test.n:,} test rows. Upload a table to predict its cases." in words
        answers = next(d.value for d in self.app.dataframe if "predicted" in d.value.columns)
        assert answers.sort_values("row")["predicted"].astype(str).tolist() == test.predicted
        figures = next(d.value for d in self.app.dataframe if "correct, test rows" in d.value)
        for name, counted in (("training", train), ("test", test)):
            shown = figures[f"correct, {name} rows"].tolist()
            assert shown[0] == f"{counted.n - counted.wrong:,} of {counted.n:,}"
            if not scorecard_of(self.state.model.rule_set_):
                assert shown[1:] == [f"{right} of {n}" for right, n in counted.of_clauses]

    def check_export(self, words, train, test):
        n = train.n + test.n
        self.app = exported(self.app, "text")
        checked = self.app.success[0].value.replace("\\", "").replace("\u2060", "")
        assert checked.startswith(f"Checked: {n:,}/{n:,} rows give the same class")
        if scorecard_of(self.state.model.rule_set_):
            return
        shown = re.findall(
            r"(\d+) training rows?, right for (\d+) |(no) training row",
            next(c.value for c in self.app.code if c.value.startswith("# ")),
        )
        counted = [(str(n), str(right), "") if n else ("", "", "no") for right, n in train.clauses]
        assert shown == counted[:-1]


def cross_validated_error(state):
    """Fit the selected setting on each fold again, and count wrong rows in plain Python."""
    spec, (X, y) = RunSpec.from_dict(state.run_settings), state.training
    errors = []
    for rows, held_out in make_folds(y, spec.folds, random_state=0):
        models = fit_path(path_of(state.setting, spec), spec, state, rows=rows)
        counted = Recount(models[model_key(state.setting)], X.iloc[held_out], y.iloc[held_out])
        errors.append(counted.wrong / counted.n)
    return np.mean(errors)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "costs", "once"),
    [("credit", False, ["compare"]), ("iris", False, []), ("credit", True, [])],
)
def test_figures_are_the_selected_rules_own_after_any_action(sample, costs, once):
    """The actions in `once` take seconds, and occur once."""
    state = AppState(table=load_sample(sample), every_class=sample == "iris")
    session = Session(state, seed=len(sample) + costs, costs=costs)
    number = session.state.result.number_of_rule(session.state)
    measured = session.state.result.points.loc[number, "test_error"]
    assert measured == pytest.approx(cross_validated_error(session.state))
    session.check()
    for action in ("longer", "turn"):  # the quick search and a comparison may describe one class
        session.act(action)
        session.check()
    more = session.rng.choice(OFTEN, STEPS - len(OFTEN) - len(once)).tolist()
    actions = [*once, *OFTEN, *more]
    session.rng.shuffle(actions)
    for k, action in enumerate(actions):
        try:
            session.act(action)
            session.check()
        except Exception as error:
            error.add_note(f"after {actions[: k + 1]}, on {session.page}")
            raise
    assert session.done >= {"slide", "suggested", "edit", "undo"}
    assert session.state.several or "turn" in session.done

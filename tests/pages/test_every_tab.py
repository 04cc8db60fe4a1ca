"""Every tab of every page opens without an error, for rules of every family and odd tables."""

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from rulekit import RulekitError, Table, to_json
from tests.outside import OUTSIDE, outside_table
from tests.pages.driving import on_tab, opened, text
from tests.ui.tasks import Quiet
from ui.learners.offered import LEARNERS, curve_key, settings_of_run
from ui.learners.spec import RunSpec
from ui.models.points import RunResult
from ui.models.run import FIRST, quick
from ui.picked import fit_path, model_key
from ui.runs import jobs
from ui.shell import PAGES
from ui.state import AppState, SplitSpec

FAMILIES = list(LEARNERS)
TABS = {
    "data": ("First rows", "How the file was read", "Load another table", "This analysis"),
    "models": ("Compare rules", "Learners", "By price and clauses", "How it was found"),
    "binning": ("How many of them can matter?",),
}
# buttons that leave the page, start a search that other tests wait for, or need a file
LEFT_OUT = (
    "search_longer",
    "compare_learners",
    "sweep_prices",
    "onward",
    "to_",
    "sample_",
    "open_",
)
FOR_CALLERS = ("`", "Pass the training rows", "fit(", "DataFrame", "internal error", "None]")


def made(n=240, seed=0, **columns):
    """Return a frame with a number, a word and an outcome of two that they explain in part."""
    rng = np.random.default_rng(seed)
    age, kind = rng.integers(18, 90, n), rng.choice(["a", "b", "c"], n)
    sick = (age > 55) & (kind != "c") ^ (rng.random(n) < 0.15)
    frame = pd.DataFrame({"age": age, "kind": kind, "dose": rng.normal(5, 2, n).round(2)})
    return frame.assign(**columns, outcome=np.where(sick, "sick", "well"))


def of_classes(sizes):
    """Return a frame whose outcome has classes of these sizes, explained by a number."""
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(1)
    x = numbers + rng.normal(0, 0.3, len(numbers))
    names = np.array([f"class {k:02d}" for k in range(len(sizes))])
    other = rng.normal(size=len(x)).round(2)
    return pd.DataFrame({"x": x.round(2), "z": other, "outcome": names[numbers]})


def with_gaps():
    frame = made().astype({"age": float})
    frame.loc[::4, "age"] = np.nan
    frame.loc[1::5, "kind"] = None
    return frame


def with_dates():
    frame = made()
    return frame.assign(day=pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["age"], "D"))


def with_text():
    words = np.array(["late delivery", "broken box", "all is well", "no answer so far"])
    notes = words[np.random.default_rng(2).integers(0, 4, (240, 3))]
    return made(note=[" ".join(row) + f" {k}" for k, row in enumerate(notes)])


LONG = "How satisfied were you *overall* with _all_ of $our$ services [last year], in per cent?"
TABLES = {
    "a part of the rows": lambda: made(31_000),
    "class of few rows": lambda: of_classes([60, 50, 40, 1]),
    "thirty classes": lambda: of_classes([12] * 20),
    "weights": lambda: made(weight=np.arange(240) % 4),
    "groups": lambda: made(patient=np.arange(240) // 6),
    "costs": made,
    "long names": lambda: made().rename(columns={"age": LONG, "kind": LONG.upper()}),
    "many rows": lambda: made(8_000, seed=3),
    "gaps": with_gaps,
    "dates": with_dates,
    "outcomes 0 and 1": lambda: made().assign(outcome=lambda f: (f["outcome"] == "sick") * 1),
    "one column": lambda: made()[["age", "outcome"]],
    "text": with_text,
    "nothing to learn": lambda: made().assign(outcome=np.where(np.arange(240) % 9, "no", "yes")),
    "no test rows": made,
}


@cache
def analysis(name):
    """Return the analysis of a made table, or one outside, its outcome chosen."""
    if name in OUTSIDE:
        return AppState(table=outside_table(name))
    frame = TABLES[name]()
    roles = {"outcome": "target"}
    roles |= {c: role for c, role in (("weight", "weight"), ("patient", "group")) if c in frame}
    table = Table.from_frame(frame, name=f"{name}.csv").with_roles(roles)
    first = frame["outcome"].tolist()[0]
    table = table.with_roles({}, positive_label=first)
    split = SplitSpec(test_share=0.0 if name == "no test rows" else 0.3)
    return AppState(
        table=table, outcomes={"class 03": None} if name == "class of few rows" else {}, split=split
    )


def with_rule(name, family):
    """Return an analysis with a small rule of a family, which is the only point of its curve."""
    state = replace(analysis(name), every_class=LEARNERS[family].many_classes)
    costs = (5.0, 1.0) if name == "costs" else ()
    spec = RunSpec(
        learners=(family,), thetas=(2.0,), limits=(3,), clauses=(2, 2), folds=5, costs=costs,
        baselines=False, nus=(0.1,), taus=(0.1,), against=False, robust=False, noisy=False,
    )  # fmt: skip
    if family == "search":
        spec = quick(spec)
    setting = settings_of_run(spec)[-1]
    model = fit_path([setting], spec, state)[model_key(setting)]
    X, y = state.training
    wrong = float((model.predict(X) != y.to_numpy()).mean())
    rule = model.rule_set_
    figures = {"test_error": wrong, "train_error": wrong, "n_conditions": float(rule.n_conditions)}
    figures |= {"n_clauses_used": rule.n_clauses, "folds": 5, "seconds": 1.0, "label": family}
    if costs:
        figures["test_cost"] = 100 * wrong
    points = pd.DataFrame([figures | {"limit": max(rule.n_conditions, 3)}])
    key = curve_key(spec, state)
    result = RunResult((setting,), (spec,), points, {model_key(setting): model}, None, key)
    rule_json, settings = to_json(model), spec.to_dict()
    return replace(
        state, setting=setting, model=model, run_settings=settings, result=result,
        rule_json=rule_json, rule_selected=True, error=wrong,
    )  # fmt: skip


@pytest.fixture
def at_once(monkeypatch):
    """Run the work of a card in this process, and none of the searches."""

    def start(self, owner, title, task, *, total=0, key="", urgent=False):
        job = self._jobs[owner] = jobs.Job(title, owner, key, total=total)
        if title == FIRST:
            job._end("cancelled")
            return job
        job._begin()
        try:
            job._end("done", answer=pickle.loads(pickle.dumps(task))(Quiet()))
        except (RulekitError, ValueError) as error:
            job._end("failed", error=str(error))
        return job

    monkeypatch.setattr(jobs.JobRegistry, "start", start)
    monkeypatch.setattr("ui.rules.trust.SECONDS", 0.2)
    monkeypatch.setattr("ui.rules.trust.N_RESAMPLES", 3)
    monkeypatch.setattr("ui.rules.trust.GAP_SECONDS", 1.0)
    monkeypatch.setattr("ui.learners.literal.PROOF_SECONDS", 0.3)
    monkeypatch.setattr("ui.learners.literal.SHORT_PROOF_SECONDS", 0.2)


class Walk:
    """Opens all tabs of all pages, presses their buttons, and collects what must not be there."""

    def __init__(self, state, presses=True):
        self.state, self.presses, self.faults, self.pressed = state, presses, [], set()
        self.app = opened("data", state=state)

    def everything(self, pages=PAGES):
        for page in pages:
            self.run(page)
            for k, (key, title) in enumerate(self.tabs(page)):
                if k or page in TABS:  # else it is open
                    self.app.session_state[key] = title
                    self.run(page, title)
                if self.presses:
                    self.press(page, title)
                for view in self.views(title):
                    self.app = on_tab(self.app, view)
                    self.look(page, view)
                    if self.presses:
                        self.press(page, view)
        return self.faults

    def views(self, title):
        """List the views of a tab of Rules, but for the first one, which is open."""
        buttons = [
            c for c in self.app.segmented_control if c.key.startswith(f"rules_view_{title}_")
        ]
        return [view for box in buttons for view in box.options[1:]]

    def tabs(self, page):
        if page in TABS:
            key = f"{page}_tab"
            if page == "data":
                key = f"data_tabs_{self.state.table.digest[:12]}"
            return [(key, title) for title in TABS[page]]
        if page in ("rules", "explain"):
            titles = [tab.label for tab in self.app.tabs]
            return [(f"{page}_tab_{len(titles)}", title) for title in titles]
        return []

    def run(self, page, *where):
        self.app.switch_page(f"pages/{page}.py").run()
        self.look(page, *where)

    def look(self, *where):
        words = text(self.app)
        self.faults += [(where, e.value) for e in self.app.error]
        self.faults += [(where, w) for w in FOR_CALLERS if w in words]

    def press(self, page, title):
        for key in [b.key for b in self.app.button if not b.disabled]:
            if key in self.pressed or key is None or key.startswith(LEFT_OUT):
                continue
            self.pressed.add(key)
            if not [b for b in self.app.button if b.key == key]:
                self.run(page, title)  # what was pressed before has taken it away
            results = [b for b in self.app.button if b.key == key]
            if results:
                results[0].click().run()
                self.look(page, title, key)
                self.app.session_state["app"] = self.state


@pytest.mark.slow
@pytest.mark.parametrize("k", range(len(TABLES)), ids=list(TABLES))
def test_every_tab_opens_for_every_table(at_once, k):
    """Buttons are pressed with the first of two families, which alone the pages of data are for."""
    n, of_rule = len(FAMILIES), [page for page in PAGES if page not in ("data", "binning")]
    for pages, family in ((PAGES, FAMILIES[k % n]), (of_rule, FAMILIES[(k + 5) % n])):
        walk = Walk(with_rule(list(TABLES)[k], family), pages is PAGES)
        assert not walk.everything(pages), family


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTSIDE)
def test_every_tab_opens_for_every_table_outside(at_once, name):
    k = list(OUTSIDE).index(name)
    able = [family for family in FAMILIES if family != "exact"]  # it refuses larger tables
    for family in (able[k % len(able)], able[(k + 6) % len(able)]):
        walk = Walk(with_rule(name, family), False)
        assert not walk.everything(), family


def test_every_tab_of_rules_opens_with_three_classes(at_once):
    walk = Walk(with_rule("class of few rows", "search"), False)
    assert not walk.everything(["rules"])

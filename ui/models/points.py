"""Results of runs as points, one row per setting, and a limit on the gap between groups."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.data import row_groups
from rulekit.evaluation import Comparison, pareto_front
from rulekit.learners import FixedRuleClassifier, choice
from rulekit.plots import Baseline
from rulekit.style.palette import Look
from rulekit.style.wording import format_measure, plural
from ui.cache import compute_once
from ui.learners.offered import curve_key, learner_of, look_of, rename_costs, settings_of_run
from ui.learners.spec import CHOSEN, LEARNER_KEY, LIMITS, QUICK, UNCOSTED, RunSpec, make_setting
from ui.models.work import SELECTED
from ui.picked import model_key, setting_words
from ui.rule_numbers import FEW_GROUPS, beats_majority, training_gap
from ui.state import KEEP, AppState
from ui.words import relabel

ERRORS = {
    "test_error": "cross-validated error",
    "test_balanced_error": "balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "error on the training folds (optimistic)",
    choice.COST: "cost a 100 cases, cross-validated",
}
# keys of a setting with its maximal number of conditions
LIMIT_KEYS = ("max_conditions", "max_variables")
SPREAD_FOLDS = 5  # fewest folds for a standard error
TREE = "tree"
SAME_RULES = ("learner", "n_conditions", "train_error")  # equal if two limits give the same rules

DECIDES = "Lowest estimate: {}, plus {} per condition."
FOLDS = "the error in folds, averaged over similar sizes"
FOREST = "a third from folds, averaged over similar sizes, two thirds from a random forest"
POINTS = f"{100 * choice.CONDITION_PRICE:g} points"
NO_GAIN = "With costs, rules save no more than the noise of the folds; costs were left out."
NO_RULE = "No rule with conditions costs less."
OF_LIBRARY = "The command rulekit learn selects the same rule."
AGAINST = ", against"  # suffix of the name of a search for rules of the other class


@dataclass(frozen=True, eq=False)
class Suggestion:
    """The suggested point: its number, its words, and the reason."""

    number: int
    words: str
    why: str
    # what decides, by conditions allowed, with its lowest value at the point; None if not known
    estimates: pd.Series | None = None
    about: str = ""  # the limit on the gap between groups
    beats: bool = True  # fewer errors on all training rows than one prediction for all of them


@dataclass(frozen=True, eq=False)
class RunResult:
    """The points of all runs on one curve, without settings with missing folds."""

    settings: tuple[dict[str, Any], ...] = ()
    specs: tuple[RunSpec, ...] = ()  # the run of each setting
    # `Comparison.points` by the number of the setting, and "limit" (the maximal number of
    # conditions, of the setting or of all folds' rules), "label", "one_minus_f1", "one_minus_auc"
    points: pd.DataFrame = field(default_factory=pd.DataFrame)
    models: Mapping[str, ClassifierMixin] = field(default_factory=dict)  # by `ui.picked.model_key`
    references: pd.DataFrame | None = None  # reference models on the same folds
    estimates: pd.Series | None = None  # of `RuleClassifier`, by conditions
    key: str = ""  # the `ui.learners.offered.curve_key`
    gaps: tuple[float, ...] = ()  # between groups of `gap_column` in training rows, NaN if unknown
    max_gap: float | None = None
    gap_column: str = ""
    beaten: frozenset[str] = frozenset()  # rules no better than a constant, by `model_key`

    @classmethod
    def from_comparison(cls, spec: RunSpec, found: Comparison, key: str = "") -> Self:
        """Return the points of one run."""
        points, listed = found.points(), settings_of_run(spec)
        families = {family.name: family for family in found.families}
        if SELECTED in families:
            selected = families[SELECTED]
            positive = selected.estimator.positive_label
            listed = (*listed, make_setting(selected.settings[0], positive))
        numbers = points.get("setting", pd.Series(dtype=int)).tolist()
        if settings := tuple(listed[number] for number in numbers):
            sizes = pd.DataFrame(list(found.finished)).groupby("setting")["n_conditions"].max()
            if choice.FOREST_SIZE in points:  # a selected rule has no limit but its own size
                own = points.set_index("setting")[choice.FOREST_SIZE].dropna()
                sizes.update(own[[CHOSEN in listed[number] for number in own.index]])
            limits = [
                max(int(sizes[number]), *(int(listed[number].get(key, 0)) for key in LIMIT_KEYS))
                for number in numbers
            ]
            points = _with_losses(points.drop(columns="setting").reset_index(drop=True))
            points = points.assign(label=[setting_words(s) for s in settings], limit=limits)
            if spec.folds < SPREAD_FOLDS:
                points = points.drop(columns=[c for c in points if c.endswith("_se")])
        models = {model_key(listed[k]): found.models[k] for k in numbers if k in found.models}
        lines, by_size = found.references, None
        if lines is not None and choice.ESTIMATE in set(lines["name"]):
            measure = choice.COST if choice.COST in lines else "test_error"
            by_size, lines = lines.set_index("n_conditions")[measure], None
        lines = None if lines is None else _with_losses(lines)
        return cls(settings, (spec,) * len(settings), points, models, lines, by_size, key)

    def rename(self, before: AppState, after: AppState) -> "RunResult":
        """Return the points for other names of outcomes, with rules in place of models."""
        if before.outcomes == after.outcomes:
            return self
        new = before.new_names(after)
        rules = {k: relabel(model.rule_set_, new) for k, model in self.models.items()}
        models = {k: FixedRuleClassifier(rule) for k, rule in rules.items()}
        costs = [rename_costs(spec.costs, before, after) for spec in self.specs]
        specs = tuple(replace(s, costs=c) for s, c in zip(self.specs, costs, strict=True))
        key = curve_key(specs[0], after) if specs else self.key
        return replace(self, specs=specs, key=key, models=models)

    def merge(self, older: "RunResult | None", selected: Mapping[str, Any] | None) -> "RunResult":
        """Join these points with older ones: a setting's new point replaces its old one."""
        if older is None:
            return self
        mine = {model_key(s) for s in self.settings}
        stay = [k for k, s in enumerate(older.settings) if model_key(s) not in mine]
        if any(CHOSEN in s for s in self.settings):  # one suggestion replaces another
            stay = [k for k in stay if CHOSEN not in (s := older.settings[k]) or s == selected]
        settings = self.settings + tuple(older.settings[k] for k in stay)
        specs = self.specs + tuple(older.specs[k] for k in stay)
        there = [one for one in (self.points, older.points.loc[stay]) if len(one)]
        points = pd.concat(there, ignore_index=True) if there else self.points
        fitted = {model_key(s) for s in settings}
        one_sided = any(s.thorough and not s.against for s in self.specs if s.view == "conditions")
        # a point of the quick search is dropped once its setting or side was searched in full
        wanted = [
            number
            for number, s in enumerate(settings)
            if QUICK not in s
            or s == selected
            or not (model_key(make_thorough(s)) in fitted or (one_sided and "describes" in s))
        ]
        models = {**older.models, **self.models}
        keys = [model_key(settings[number]) for number in wanted]
        return RunResult(
            tuple(settings[number] for number in wanted),
            tuple(specs[number] for number in wanted),
            points.loc[wanted].reset_index(drop=True),
            {key: models[key] for key in keys if key in models},
            older.references if self.references is None else self.references,
            older.estimates if self.estimates is None else self.estimates,
            self.key,
            beaten=self.beaten | older.beaten,
        )

    def line(self, setting: Mapping[str, Any]) -> dict[int, int]:
        """Map each limit to the best setting on the line of `setting`; at its own limit, itself."""
        if (number := self.number_of(setting)) is None:
            return {}
        kind = learner_of(setting), _is_by_price(setting)
        mine = [
            k
            for k, s in enumerate(self.settings)
            if (s == setting if self._is_leftover(s) else (learner_of(s), _is_by_price(s)) == kind)
        ]
        rows = self._short(self.points.loc[mine], number)
        rows = self._sort_points(rows, self.measure)
        best = rows.assign(number=rows.index).groupby("limit")["number"].first()
        return {**best.to_dict(), int(self.points.loc[number, "limit"]): number}

    @cached_property
    def series(self) -> list[str]:
        """The line of each setting: its learner, whichever class the rule describes."""
        return [
            learner_of(s).name
            + ", by price" * _is_by_price(s)
            + ", quick search" * self._is_leftover(s)
            for s in self.settings
        ]

    @cached_property
    def searches(self) -> list[str]:
        """The search of each setting: its line and the described class."""
        return [
            name + AGAINST * ("describes" in s and not _is_by_price(s))
            for name, s in zip(self.series, self.settings, strict=True)
        ]

    def looks(self, *, sides: bool = False) -> list[Look]:
        """Return the colour and symbol of each setting's line, or of its search."""
        variants = [
            "price" if _is_by_price(s) else "against" * (sides and "describes" in s)
            for s in self.settings
        ]
        pairs = zip(self.settings, variants, strict=True)
        return [look_of(s, "quick" if self._is_leftover(s) else name) for s, name in pairs]

    @property
    def is_searched(self) -> bool:
        """Whether a thorough search is done, which a comparison of learners is not."""
        pairs = zip(self.settings, self.specs, strict=True)
        ended = [(s, spec) for s, spec in pairs if QUICK not in s and spec.budget is None]
        if any(spec.chooses for _, spec in ended) and not any(CHOSEN in s for s, _ in ended):
            return False
        return any("max_conditions" in s for s, _ in ended)

    @property
    def cut(self) -> bool:
        """Whether a search of all training rows was ended by its time limit."""
        ends = [getattr(model, "history_", None) for model in self.models.values()]
        return any(end and "stopped" in end[-1] for end in ends)

    def number_of(self, setting: Mapping[str, Any] | None) -> int | None:
        """Return the number of a setting, or None if it has no point."""
        return self.settings.index(setting) if setting in self.settings else None

    def number_of_rule(self, state: AppState) -> int | None:
        """Return the number of the selected rule's point, None without one."""
        if (number := self.number_of(state.setting)) is None:
            return None
        # with other costs, folds or constraints, the figures belong to another rule
        return number if state.spec.shared == self.specs[number].shared else None

    def _is_leftover(self, setting: Mapping[str, Any]) -> bool:
        """Whether a point of the quick search is shown only because its rule is selected."""
        return QUICK in setting and make_thorough(setting) in self.settings

    def measures(self, name: str) -> bool:
        """Whether any point has a value of a measure."""
        return name in self.points and bool(self.points[name].notna().any())

    @property
    def measure(self) -> str:
        """The measure of the suggestion: the cost of errors, or the error without costs."""
        return choice.COST if self.measures(choice.COST) else "test_error"

    @property
    def unit(self) -> str:
        """The unit of costs."""
        return next((spec.cost_unit for spec in self.specs), "")

    def curve(
        self, y: str = "test_error", selected: int | None = None, *, sides: bool = False
    ) -> pd.DataFrame:
        """Return the best point for each limit, with `sides` for each outcome's rules."""
        # The suggestion is the best at its limit. Points with more conditions than allowed are left
        # out if there are others, never the `selected` one. ``on_front``: no point with as few
        # allowed conditions has an error as small.
        if not len(self.points):
            return self.points
        full = [k for k, s in enumerate(self.settings) if k == selected or not self._is_leftover(s)]
        lines = self.searches if sides else self.series
        points = self.points.assign(series=lines, look=self.looks(sides=sides), label=lines)
        points = points.loc[full].dropna(subset=[y])
        points = self._short(points, selected)
        best = self._sort_points(points, y).groupby(["series", "limit"]).head(1).index
        rows = points.loc[sorted({*best, *({selected} & set(points.index))})].copy()
        rows["on_front"] = pareto_front(rows["limit"], rows[y])
        return rows

    def _sort_points(self, points: pd.DataFrame, y: str) -> pd.DataFrame:
        """Sort points by a measure; the suggestion comes first, a rule without conditions last."""
        suggested = None if self.suggestion is None else self.suggestion.number
        best = points.assign(empty=~choice.has_conditions(points))
        best = best.sort_values(["empty", y, "n_conditions"]).drop(columns="empty")
        return pd.concat([best[best.index == suggested], best[best.index != suggested]])

    def get_price_points(self, x: str, y: str) -> pd.DataFrame:
        """Return the points of a price sweep, with ``on_front`` for these axes."""
        priced = [k for k, s in enumerate(self.settings) if "theta" in s]
        if not priced:
            return pd.DataFrame()
        rows = self.points.assign(series=self.series, look=self.looks()).loc[priced]
        rows = rows.dropna(subset=[x, y])
        return rows.assign(on_front=pareto_front(rows[x], rows[y]))

    @cached_property
    def suggestion(self) -> Suggestion | None:
        """The suggested point; None without points."""
        return self.suggest(range(len(self.settings)))

    def suggest(self, numbers: Iterable[int]) -> Suggestion | None:
        """Return the point that `rulekit.suggest` selects, with the reason; None without any."""
        measure = self.measure
        candidates = [k for k in numbers if not self._is_leftover(self.settings[k])]
        # the best of the many settings of a price sweep is mostly luck
        candidates = [k for k in candidates if not _is_by_price(self.settings[k])] or candidates
        within = [k for k in candidates if self.keeps_gap(k)]
        candidates = within or candidates
        if measure not in self.points or not candidates:
            return None
        selected = next((k for k in candidates if CHOSEN in self.settings[k]), None)
        if selected is None:
            beating = [k for k in candidates if model_key(self.settings[k]) not in self.beaten]
            found = self._suggest_lowest(beating or candidates, measure)
        else:  # of `RuleClassifier`
            size, estimates = int(self.points.loc[selected, "limit"]), self.estimates
            why = DECIDES.format(FOREST, "a charge" if measure == choice.COST else POINTS)
            if estimates is None:
                why = OF_LIBRARY if size else NO_RULE
            if UNCOSTED in self.settings[selected]:
                why, estimates = NO_GAIN, None
            found = Suggestion(selected, plural(size, "condition"), why, estimates)
        if found is not None and model_key(self.settings[found.number]) in self.beaten:
            found = replace(found, beats=False)
        if found is None or self.max_gap is None or len(within) == len(self.settings):
            return found
        limit = f"a gap of at most {100 * self.max_gap:g} points between groups"
        if within:
            about = f"Among the {len(within)} of {len(self.settings)} rules with {limit}."
        else:
            about = f"No rule here keeps {limit}: allow a larger one, or search on Rules, Groups."
        return replace(found, about=about)

    def _suggest_lowest(self, candidates: list[int], measure: str) -> Suggestion | None:
        """Return which of some points has the lowest estimate; None if none is measured."""
        rows = self._short(self.points.assign(learner=self.searches).loc[candidates])
        rows = rows.dropna(subset=[measure]).assign(setting=lambda table: table.index)
        if not len(rows):
            return None
        # some rules are not known
        if choice.FOREST_LOSS in rows and rows[choice.FOREST_LOSS].isna().any():
            rows = rows.drop(columns=[choice.FOREST_LOSS, choice.FOREST_SIZE])
        settings = {
            k: {name: v for name, v in self.settings[k].items() if name not in (LEARNER_KEY, QUICK)}
            for k in rows.index
        }
        default = choice.suggestion(rows, settings, measure)["default"]
        # the smallest limit of the search with this rule, or its figures in folds
        same = [name for name in (*SAME_RULES, measure) if name in rows]
        alike = (rows[same] == rows.loc[default, same]).all(axis="columns")
        rule = [name for name in (choice.FOREST_LOSS, choice.FOREST_SIZE) if name in rows]
        if rule:  # equal for equal rules
            alike |= (rows[rule] == rows.loc[default, rule]).all(axis="columns")
        search = _drop_limit(self.settings[default])
        numbers = [k for k in rows.index[alike] if _drop_limit(self.settings[k]) == search]
        number = int(rows.loc[numbers, "limit"].idxmin())
        price = choice.price_of_condition(rows, measure)
        values = pd.Series(choice.estimates(rows, settings, measure, price), rows.index)
        values[number] = min(values[[number, default]])  # the same rule
        row, values = rows.loc[number], values[choice.has_conditions(rows)].dropna()
        words = f"at most {plural(row['limit'], 'condition')}"
        if (size := row.get(choice.FOREST_SIZE, row["limit"])) < row["limit"]:
            words = f"{plural(size, 'condition')} ({words})"
        by_limit = values.groupby(rows["limit"]).min() if number in values else None
        charge = format_measure(price, choice.COST, self.unit) if measure == choice.COST else POINTS
        why = DECIDES.format(FOREST if choice.FOREST_LOSS in rows else FOLDS, charge)
        return Suggestion(number, words, why, by_limit)

    def keeps_gap(self, number: int) -> bool:
        """Whether a point's rule keeps the limit on the gap; True without a limit."""
        return self.max_gap is None or self.gaps[number] <= self.max_gap + choice.EXACT

    def _short(self, rows: pd.DataFrame, selected: int | None = None) -> pd.DataFrame:
        """Leave out points with more conditions than the search allows, if there are others."""
        short = (rows["limit"] <= max(LIMITS)) | (rows.index == selected)
        return rows[short] if short.any() else rows


def _drop_limit(setting: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in setting.items() if name not in LIMIT_KEYS}


def make_thorough(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the thorough setting that a setting of the quick search belongs to."""
    return {name: value for name, value in setting.items() if name != QUICK}


def _is_by_price(setting: Mapping[str, Any]) -> bool:
    return learner_of(setting).whole_front and "theta" in setting


def reference_lines(table: pd.DataFrame | None, x: str, y: str) -> list[Baseline]:
    """Return the reference models for two axes: lines, and the trees as a curve over their size."""
    if table is None:
        return []
    present = table.dropna(subset=[y])
    size = "n_conditions" if x == "limit" else x
    rows = present[present["name"] != TREE].sort_values(y)
    lines = [Baseline(name, float(v)) for name, v in zip(rows["name"], rows[y], strict=True)]
    trees = present[present["name"] == TREE].dropna(subset=[size]).sort_values(size)
    if len(trees):
        curve = tuple((float(a), float(b)) for a, b in zip(trees[size], trees[y], strict=True))
        name = f"classification trees ({'splits' if size == 'n_conditions' else 'leaves'})"
        lines.append(Baseline(name, float(trees[y].min()), curve))
    return lines


def _with_losses(points: pd.DataFrame) -> pd.DataFrame:
    """Convert measures that are better when larger to losses, with their standard errors."""
    added = {}
    for name in ("f1", "auc"):
        if f"test_{name}" in points:
            added[f"one_minus_{name}"] = 1 - points[f"test_{name}"]
            added[f"one_minus_{name}_se"] = points[f"test_{name}_se"]
    return points.assign(**added)


def gap_fields(state: AppState, usual: RunSpec, *, listed: bool) -> dict[str, object]:
    """Show the fields of the limit and return the matching fields of a run."""
    # Only the selected column is sent to the browser unless all are `listed`.
    target, key = state.target, "run_gap_column"
    others = [c for c in state.table.columns if c.name != target]
    others.sort(key=lambda c: not 2 <= c.n_distinct <= FEW_GROUPS)
    selected = st.session_state.get(key, usual.gap_column)
    columns = [c.name for c in others if listed or c.name == selected]
    index = columns.index(usual.gap_column) if usual.gap_column in columns else None
    words = "Any column of the table, whether rules read it or not."
    options = {"placeholder": "No limit", **KEEP}
    column = st.selectbox("Groups by", columns, index, state.label, key, words, **options)
    words = (
        "Between two groups, in the true or the false positive rate, on the training rows. Only "
        "rules within it are suggested. Groups of fewer than 30 rows are not compared. Rules with "
        "a smaller gap than any on the curve are searched on Rules, under Groups."
    )
    value = None if usual.max_gap is None else 100 * usual.max_gap
    label, options = "Largest gap, in points", {**options, "disabled": column is None}
    points = st.number_input(label, 0.0, 100.0, value, 1.0, "%g", "run_max_gap", words, **options)
    if column is None or points is None:
        return {"gap_column": "", "max_gap": None}
    return {"gap_column": column, "max_gap": points / 100}


def with_gaps(result: RunResult, spec: RunSpec, state: AppState) -> RunResult:
    """Measure the gap of each rule on the training rows; the same object if nothing changes."""
    if spec.max_gap is None:
        return result if result.max_gap is None else replace(result, gaps=(), max_gap=None)
    if (result.gap_column, result.max_gap) == (spec.gap_column, spec.max_gap):
        return result
    column = state.table.frame.loc[state.training[0].index, spec.gap_column]
    groups = row_groups(column, state.label(spec.gap_column))
    gaps = []  # NaN without a rule or with too small groups
    for k, setting in enumerate(result.settings):
        gap, model = float("nan"), result.models.get(model_key(setting))
        if model is not None:
            key = repr((state.fit_key, spec.gap_column, state.positive, model.rule_set_))
            gap = compute_once(f"gap {k}", key, partial(training_gap, model, groups, state))
        gaps.append(float(gap))
    return replace(result, gaps=tuple(gaps), max_gap=spec.max_gap, gap_column=spec.gap_column)


def drop_beaten(result: RunResult, state: AppState) -> RunResult:
    """Test suggested rules against a constant on all training rows until one is better."""
    while (found := result.suggestion) is not None and found.beats:
        setting, spec = result.settings[found.number], result.specs[found.number]
        model = result.models.get(model_key(setting))
        if model is None or beats_majority(model, state, spec):
            break
        result = replace(result, beaten=result.beaten | {model_key(setting)})
    return result


def gap_words(result: RunResult, number: int, state: AppState) -> str:
    """Return the gap of a point's rule beside its limit; empty without a limit."""
    if result.max_gap is None:
        return ""
    gap, name = result.gaps[number], state.label(result.gap_column)
    if gap != gap:
        return f"The gap by {name} cannot be measured: its groups are too small."
    limit = f"{100 * result.max_gap:g} points allowed"
    return f"Gap by {name}: {100 * gap:.1f} points on the training rows ({limit})."

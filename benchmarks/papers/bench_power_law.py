"""Trees of power laws beside the paper's figures, CART and an SVM, and the speed of their search.

    python -m benchmarks.papers.bench_power_law --data DIR [--only NAME ...] [--seeds 50] [--quick]

Accuracy, splits and length are means over seeded splits into 70 and 30 per cent, the same for all
methods; the paper's mean is the reference of ours, and p is Wilcoxon's signed-rank test of ours
against the other method on the same splits. Of design problems also a tree chosen inside each
training part, by `suggest` on three folds: as usual, purer, or a single split of three exponents at
most. Names: the tables of DIR that the paper has, DS1 to
DS4, m-ZDT-30, m-DTLZ-30, m-ZDT-500, m-DTLZ-500; with pymoo also ZDT1 to ZDT3, truss-6, truss-9,
beam-1 and beam-10; "genetic" (the paper's method on wdbc), "tau" (Figure S18, on wdbc) and "speed".
"default-small" and "default-large" are the tables of decision 29: numeric columns, one class
against the rest, 20 000 training rows at most; the reference is a CART of ten leaves.

With --json FILE the figures of each split are kept in FILE.splits as they come, and a run that is
begun again takes up there; remove that file after a change of the code.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._cli import Row, described, facts_of, report, run
from benchmarks.papers.pareto_data import DESIGNS, design_data
from benchmarks.papers.power_law_tables import curve_table, pareto_table
from benchmarks.papers.printed_power_laws import PAPER
from rulekit.evaluation import sweep
from rulekit.evaluation.sweeps.result import fit_setting
from rulekit.families import PowerLawTreeClassifier
from rulekit.families.power_law.growing import PowerLawFeatures
from rulekit.families.power_law.solver.genetic import GeneticLevel
from rulekit.families.power_law.solver.laws import PowerTable, canonical
from rulekit.families.power_law.solver.split_beam import beam_search
from rulekit.families.power_law.solver.split_search import REFINED, LowerLevel
from rulekit.families.power_law.solver.split_task import ClassMass, SplitTask, target_impurity
from rulekit.search.machine_code import warm_up

Table = tuple[pd.DataFrame, np.ndarray]
REAL = ("wdbc", "breast_cancer_wisconsin", "iris", "banknote")
MADE = ("DS1", "DS2", "DS3", "DS4", "m-ZDT-30", "m-DTLZ-30", "m-ZDT-500", "m-DTLZ-500")
EXTRA = ("genetic", "tau", "speed")
DEFAULT = {
    "default-small": (
        "banknote", "wdbc", "breast_cancer_wisconsin", "ionosphere", "sonar", "heart_cleveland",
        "pima", "german_credit", "iris",
    ),
    "default-large": (
        "student_dropout", "electricity", "adult", "bank_marketing", "gas_drift", "covertype",
    ),
}  # fmt: skip
MOST_ROWS = 20_000
TAUS = (0.01, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
# A tree as usual, a purer one, a single short split: to choose among inside the training rows.
WAYS = [
    {"tau_impurity": [0.05, 0.01], "max_depth": [PowerLawTreeClassifier().max_depth]},
    {"tau_impurity": [0.05], "max_depth": [0], "max_exponents": [3]},
]
INNER_FOLDS = 3
EVALUATIONS = 30_300  # lower-level runs of the paper's search for one split of 30 features


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure what is asked for, with machine code where Numba is installed."""
    warm_up()  # the compiler is measured nowhere
    names = list(REAL) if arguments.data else []
    names += [*MADE, *EXTRA, *DEFAULT]
    requested = arguments.only or [n for n in names if not n.endswith("500")]
    runs = Runs.of(arguments)
    rows: list[Row] = []
    for name in requested:
        if name in (*EXTRA, *DEFAULT) and not arguments.data:
            continue
        if name in DEFAULT:
            rows += _defaults(arguments, name, runs)
        elif name == "speed":
            rows += _speed(_real(arguments, "wdbc")(0))
        elif name == "tau":
            rows += _taus(_real(arguments, "wdbc"), runs)
        elif name == "genetic":
            settings = {"upper_level": "genetic", "lower_level": "genetic"}
            rows += _accuracy("wdbc", _real(arguments, "wdbc"), runs, settings, others=False)
        else:
            rows += _accuracy(name, _source(arguments, name), runs, {})
            if name in DESIGNS:
                rows += _chosen(name, _source(arguments, name), runs)
    return rows


def _source(arguments: argparse.Namespace, name: str) -> Callable[[int], Table]:
    """Return how the table of a seed is generated."""
    if name.startswith("DS"):
        return lambda seed: _pair(curve_table(name, random_state=seed))
    if name.startswith("m-"):
        problem, d = name.rsplit("-", 1)
        return lambda seed: _pair(pareto_table(problem, int(d), random_state=seed))
    if name in DESIGNS:
        return lambda seed: design_data(name)
    return _real(arguments, name)


def _pair(data: Any) -> Table:
    return data.frame, data.labels


def _real(arguments: argparse.Namespace, name: str) -> Callable[[int], Table]:
    """Read a table with all its classes; rows with a gap are left out, as in the paper."""
    if arguments.data is None:
        raise SystemExit(f"The table {name!r} needs --data DIR.")
    facts = facts_of(arguments.data)
    if name not in facts:
        raise SystemExit(f"There is no table {name!r} in {arguments.data}.")
    frame = pd.read_csv(arguments.data / facts[name]["file"]).dropna()
    y = frame[facts[name]["target"]].astype(str).to_numpy(dtype=object)
    left_out = [facts[name]["target"], *facts[name].get("suggested_exclude", [])]
    X = frame.drop(columns=left_out).astype(float)
    return lambda seed: (X, y)


@dataclass(frozen=True)
class Runs:
    """How many splits are measured, and where the figures of each are kept."""

    n: int
    kept: Path | None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "Runs":
        """Read them from the command line."""
        file = getattr(arguments, "json", None)
        store = None if file is None else file.with_name(f"{file.name}.splits")
        return cls(arguments.seeds or (2 if arguments.quick else 10), store)

    def figures(
        self,
        key: str,
        source: Callable[[int], Table],
        measured: Callable[..., list[Any]],
        first: int = 1000,
    ) -> Iterator[Any]:
        """Yield the figures of each split; stored ones are not measured again."""
        stored = self._known()
        for seed in range(self.n):
            name = f"{key} {seed}"
            if name not in stored:
                stored[name] = measured(*_split(source, seed, first + seed))
                if self.kept is not None:
                    with self.kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([name, stored[name]]) + "\n")
            yield stored[name]

    def _known(self) -> dict[str, Any]:
        if self.kept is None or not self.kept.exists():
            return {}
        return dict(json.loads(line) for line in self.kept.read_text("utf-8").splitlines())


def _split(source: Callable[[int], Table], seed: int, drawn: int) -> tuple[Table, Table]:
    """Split a table into 70 and 30 per cent."""
    X, y = source(seed)
    order = np.random.default_rng(drawn).permutation(len(X))
    cut = round(0.7 * len(X))
    train, test = order[:cut], order[cut:]
    return (X.iloc[train], y[train]), (X.iloc[test], y[test])


def _accuracy(
    name: str,
    source: Callable[[int], Table],
    runs: Runs,
    settings: dict[str, Any],
    others: bool = True,
) -> list[Row]:
    """Compare the tree, CART and the SVM on the same splits."""
    key = json.dumps([name, settings])
    ours = runs.figures(key, source, lambda *split: _tree_figures(*split, settings))
    figures = {"tree": list(ours)}
    if others:
        for method, measured in (("CART", _cart_figures), ("SVM", _svm_figures)):
            figures[method] = list(runs.figures(json.dumps([name, method]), source, measured))
    return _rows(name, {k: np.array(v) for k, v in figures.items()}, settings)


def _tree_figures(train: Table, test: Table, settings: dict[str, Any]) -> list[float]:
    """Measure test accuracy, splits, length and CPU seconds of a tree."""
    start = time.process_time()
    tree = PowerLawTreeClassifier(**settings).fit(*train)
    seconds = time.process_time() - start
    return [100 * tree.score(*test), tree.n_splits_, tree.n_conditions_, seconds]


def _defaults(arguments: argparse.Namespace, name: str, runs: Runs) -> list[Row]:
    """Measure the tree without a setting on tables of one kind, and the mean over them."""
    figures, read = {}, described(arguments.data)
    for table in (t for t in DEFAULT[name] if t in read):
        data = read[table]()
        pair = data.X.select_dtypes("number"), data.y
        key, source = json.dumps([name, table]), lambda seed, pair=pair: pair
        values = list(runs.figures(key, source, _default_figures, first=0))
        figures[table] = np.mean(values, axis=0)
    figures["mean"] = np.mean(list(figures.values()), axis=0)
    rows = []
    for table, (accuracy, balanced, length, seconds, cart) in figures.items():
        facts = {"balanced": balanced, "length": length, "CPU": seconds}
        setting = {"seeds": runs.n, **{k: round(float(v), 2) for k, v in facts.items()}}
        row = {"what": name, "table": table, "ours": float(accuracy), "reference": float(cart)}
        rows.append(report(row | {"unit": "%", "setting": setting}))
    return rows


def _default_figures(train: Table, test: Table) -> list[float]:
    """Measure accuracy, balanced accuracy, length and CPU seconds, and the accuracy of a CART."""
    (X, y), (others, truth) = train, test
    X, y = X.iloc[:MOST_ROWS], y[:MOST_ROWS]
    start = time.process_time()
    tree = PowerLawTreeClassifier().fit(X, y)
    seconds = time.process_time() - start
    answers = tree.predict(others)
    right = [100 * np.mean(answers == truth), 100 * balanced_accuracy_score(truth, answers)]
    cart = DecisionTreeClassifier(max_leaf_nodes=10, random_state=0)  # gaps go either way
    return [*right, tree.n_conditions_, seconds, 100 * cart.fit(X, y).score(others, truth)]


def _chosen(name: str, source: Callable[[int], Table], runs: Runs) -> list[Row]:
    """Measure the tree whose settings `suggest` takes on folds of the training part."""
    key = json.dumps([name, "chosen"])
    figures = {"tree": np.array(list(runs.figures(key, source, _chosen_figures)))}
    return _rows(name, figures, {"chosen": "inside"})


def _chosen_figures(train: Table, test: Table) -> list[float]:
    """Measure the same of a tree that is chosen inside, the seconds of the choice included."""
    start = time.process_time()
    tree = PowerLawTreeClassifier(inner_folds=None)
    result = sweep(tree, *train, grid=WAYS, cv=INNER_FOLDS, random_state=0)
    chosen = fit_setting(tree, result.setting(result.suggest()["default"]), *train)
    seconds = time.process_time() - start
    return [100 * chosen.score(*test), chosen.n_splits_, chosen.n_conditions_, seconds]


def _cart_figures(train: Table, test: Table) -> list[float]:
    """Measure the same of CART, whose splits have one column each."""
    cart = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(*train)
    inner = float(cart.tree_.node_count - cart.get_n_leaves())
    return [100 * cart.score(*test), inner, inner, 0.0]


def _svm_figures(train: Table, test: Table) -> list[float]:
    """Measure the same of an SVM, whose length is its support vectors, as the paper counts."""
    svm = make_pipeline(MinMaxScaler(), SVC()).fit(*train)
    return [100 * svm.score(*test), 1.0, float(svm[-1].n_support_.sum()), 0.0]


def _rows(name: str, figures: dict[str, np.ndarray], settings: dict[str, Any]) -> list[Row]:
    paper = PAPER.get(name)
    printed = {
        "tree": paper and (paper.accuracy, paper.splits, paper.length),
        "CART": paper and (paper.cart, None, None),
        "SVM": paper and (paper.svm, None, None),
    }
    rows = []
    for method, values in figures.items():
        setting = {"method": method, "seeds": len(values), **settings}
        if method != "tree":
            setting["p"] = _p(figures["tree"][:, 0], values[:, 0])
        columns = ("test accuracy", "splits", "length")
        for k, quantity in enumerate(columns):
            mean, spread = float(values[:, k].mean()), float(values[:, k].std())
            reference = printed[method] and printed[method][k]
            unit = "%" if k == 0 else ""
            row = {"what": quantity, "table": name, "ours": mean, "reference": reference}
            rows.append(report(row | {"unit": unit, "setting": setting | {"sd": round(spread, 2)}}))
    cpu = float(figures["tree"][:, 3].mean())
    rows.append(
        report(
            {
                "what": "CPU a tree",
                "table": name,
                "ours": cpu,
                "unit": "s",
                "setting": {"method": "tree", **settings},
            }
        )
    )
    return rows


def _p(ours: np.ndarray, others: np.ndarray) -> float:
    """Wilcoxon's signed-rank test, two-sided; 1 where nothing differs."""
    if np.allclose(ours, others):
        return 1.0
    return float(f"{wilcoxon(ours, others).pvalue:.2g}")


def _taus(source: Callable[[int], Table], runs: Runs) -> list[Row]:
    """Figure S18: what the impurity asked for does to accuracy and length."""
    rows = []
    for tau in TAUS:
        settings = {"tau_impurity": tau}
        key = json.dumps(["tau", settings])
        values = runs.figures(
            key, source, lambda *split, chosen=settings: _tree_figures(*split, chosen)
        )
        accuracy, _, length, _ = np.mean(list(values), axis=0)
        setting = {"tau": tau, "seeds": runs.n, "length": round(float(length), 2)}
        row = {"what": "effect of tau", "table": "wdbc", "ours": float(accuracy), "unit": "%"}
        rows.append(report(row | {"setting": setting}))
    return rows


def _speed(table: Table) -> list[Row]:
    """Time the lower levels on the same structures, and a whole split, in one run."""
    X, y = table
    order = np.random.default_rng(1000).permutation(len(X))[: round(0.7 * len(X))]
    columns = {name: X[name].to_numpy()[order] for name in X}
    features = PowerLawFeatures.from_columns(columns, dict.fromkeys(columns, "number"))
    codes = np.unique(y[order].astype(str), return_inverse=True)[1].astype(np.int64)
    mass = ClassMass(codes, None, 2)
    power = PowerTable(features.X)
    structures = _structures(100, features.X.shape[1])
    rows, per_run = [], 0.0
    for modulus in (False, True):
        genetic = _PaperLevel(power, mass, np.random.default_rng(0))
        few = structures[:40]
        start = time.process_time()
        plain = np.array([genetic.screen(few[[i]], modulus).impurity[0] for i in range(len(few))])
        paper = (time.process_time() - start) / len(few)
        per_run += 0.5 * paper
        lower = LowerLevel(power, mass)
        start = time.process_time()
        quick = lower.screen(structures, modulus)
        screening = (time.process_time() - start) / len(structures)
        better = lower.improve(quick, modulus, REFINED, np.random.default_rng(0))
        descent = (time.process_time() - start) / len(structures)
        setting = {"modulus": modulus, "FL_paper": round(float(plain.mean()), 4)}
        for quantity, seconds, splits in (
            ("screening speed", screening, quick),
            ("descent speed", descent, better),
        ):
            fl = round(float(splits.impurity[: len(few)].mean()), 4)
            row = {
                "what": quantity,
                "table": "wdbc",
                "ours": 1e3 * seconds,
                "reference": 1e3 * paper,
            }
            rows.append(
                report(
                    row | {"ratio": paper / seconds, "unit": "ms", "setting": setting | {"FL": fl}}
                )
            )
    task = SplitTask(features.X, mass, tau=target_impurity(mass, 0.05))
    start = time.process_time()
    beam = beam_search(task, np.random.default_rng(0))
    seconds = time.process_time() - start
    assert beam is not None
    whole = EVALUATIONS * per_run  # as the paper runs it: 300 individuals, 100 generations
    setting = {"FU": beam.n_exponents, "FL": round(beam.impurity, 4)}
    row = {"what": "root split", "table": "wdbc", "ours": seconds, "reference": whole}
    rows.append(report(row | {"ratio": whole / seconds, "unit": "s", "setting": setting}))
    return rows


class _PaperLevel(GeneticLevel):
    """The paper's lower level in NumPy alone: what the speed of ours is compared with."""

    def _worth(self, laws: np.ndarray, people: np.ndarray, modulus: bool) -> np.ndarray:
        size = laws.shape[1]
        value = people[:, :, :size] @ laws + people[:, :, [size]]
        left = np.abs(value) <= np.abs(people[:, :, [-1]]) if modulus else value <= 0
        return self.mass.compute_impurity(left.reshape(-1, left.shape[2])).reshape(left.shape[:2])


def _structures(n: int, d: int) -> np.ndarray:
    """Draw structures of one to three power laws with one or two exponents each."""
    rng = np.random.default_rng(5)
    drawn = np.zeros((n, 3, d), dtype=np.int8)
    for structure in drawn:
        for law in structure[: rng.integers(1, 4)]:
            for _ in range(rng.integers(1, 3)):
                law[rng.integers(d)] = rng.choice([-3, -2, -1, 1, 2, 3])
    return canonical(drawn)


if __name__ == "__main__":
    run(measure, "Trees of power laws beside the paper.")

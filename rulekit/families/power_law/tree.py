"""Nonlinear decision trees: each node tests one short inequality of power laws."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import cycle
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import Interval, Needs, StrOptions
from rulekit.binning import Binarizer
from rulekit.binning.binned_table import BinnedTable
from rulekit.data import make_folds
from rulekit.exceptions import DataError, MonotonicityWarning
from rulekit.families.family import Family, Setting, state_errors
from rulekit.families.power_law.growing import (
    NUMERIC,
    Grower,
    GrowthLimits,
    Node,
    PowerLawFeatures,
    as_tree,
    seed_of,
    sum_impurities,
)
from rulekit.families.power_law.solver.split_beam import SEARCHED_ROWS
from rulekit.learners.base import BaseRuleClassifier
from rulekit.learners.training import (
    Clock,
    TrainingTable,
    as_constraints,
    constraints_for,
    plain_label,
    positive_code,
)
from rulekit.rules import Constraints, RuleSet, Tree, monotonicity_checks, tree_of_rule
from rulekit.rules.analysis.tree import rule_of_tree
from rulekit.rules.condition import take_rows
from rulekit.search.machine_code import SPLITS
from rulekit.style.wording import plural

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
#: Sizes that are compared: deepest node that may be split, exponents in one split at most.
SIZES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (1, 3), (2, 1))
LONGER = ((0, 5), (0, 6))  # compared only with MANY_ROWS rows or more
MANY_ROWS = 3 * SEARCHED_ROWS  # from here, two of three rows do not select the power laws
MOST_ROWS = 20_000  # of more, the size is chosen on a part
FEWEST = 2  # folds, and rows of each class
PRICE = 0.2  # of an exponent when sizes are compared, in standard errors of the least error
OUTSIDE = 0.632  # weight of the error on rows left out, whose tree has seen fewer (Efron, 1983)
EXPONENTS = (-3, -2, -1, 0, 1, 2, 3)
NO_SPLIT = (
    "No split was found, so every row gets the same answer; allow more power laws, or add "
    "columns that differ between the classes."
)


@dataclass(frozen=True)
class Compared:
    """Errors and lengths of each size."""

    limits: list[GrowthLimits]
    inside: Floats  # (sizes,)
    outside: Floats  # (sizes, folds)
    length: Floats  # (sizes,)
    n_rows: int
    memory: dict[Any, Any] | None

    @property
    def error(self) -> Floats:
        """The error of each size: shape (sizes,)."""
        if not self.outside.shape[1]:
            return self.inside
        return np.asarray((1 - OUTSIDE) * self.inside + OUTSIDE * self.outside.mean(axis=1))

    def choose_limits(self) -> GrowthLimits:
        """Return the size of least error, an exponent priced at `PRICE` standard errors."""
        empty = self.length == 0
        least = self.error[empty == empty.min()].min()
        price = PRICE * np.sqrt(least * (1 - least) / self.n_rows)
        priced = np.round(self.error + price * self.length, 12)
        return self.limits[int(np.lexsort((self.length, priced, empty))[0])]

    def records(self) -> list[dict[str, float]]:
        """Return a record of each size: depth, exponents, error and length."""
        columns = self.limits, self.error.tolist(), self.length.tolist()
        return [
            {"max_depth": k.max_depth, "max_exponents": k.max_exponents, "error": e, "length": n}
            for k, e, n in zip(*columns, strict=True)
        ]


def sizes_of(limits: GrowthLimits, n_rows: int) -> list[GrowthLimits]:
    """List the sizes within some limits that are compared on `n_rows` rows, each once."""
    within = {
        (min(depth, limits.max_depth), min(exponents, limits.max_exponents))
        for depth, exponents in SIZES + LONGER * (n_rows >= MANY_ROWS)
    }
    return [replace(limits, max_depth=d, max_exponents=e) for d, e in sorted(within)]


def compare_sizes(grower: Grower, n_folds: int) -> Compared | None:
    """Grow a tree of each size on all rows and without each fold, and compute its errors."""
    codes, rows = grower.codes, np.arange(len(grower.codes))
    sizes, folds = sizes_of(grower.limits, len(rows)), []
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([grower.seed, 4])
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    if len(rows) < MANY_ROWS:
        n_folds = min(n_folds, int(np.unique(codes, return_counts=True)[1].min()))
        folds = make_folds(codes, n_folds, random_state=grower.seed) if n_folds >= FEWEST else []
    if len(sizes) == 1 or (len(rows) < MANY_ROWS and not folds):
        return None
    memory: dict[Any, Any] = {}
    inside, length = _try_sizes(grower, sizes, (rows, rows), memory)
    outside = [_try_sizes(grower, sizes, fold, {})[0] for fold in folds]
    errors = np.array(outside).reshape(len(folds), len(sizes)).T
    used_memory = memory if len(rows) == len(codes) else None
    return Compared(sizes, inside, errors, length, len(rows), used_memory)


def _try_sizes(
    grower: Grower, sizes: list[GrowthLimits], fold: tuple[Rows, Rows], memory: dict[Any, Any]
) -> tuple[Floats, Floats]:
    """Grow a tree of each size on some rows; return its errors on others, and its length."""
    train, test = fold
    left = take_rows(grower.columns, test)
    codes, weight = grower.codes[test], grower.weight[test]
    wrong, length = np.zeros(len(sizes)), np.zeros(len(sizes))
    for s, size in enumerate(sizes):
        root = grower.inside(train, size, memory).grow()
        missed = root.answers(left, len(test)) != codes
        wrong[s], length[s] = weight[missed].sum() / weight.sum(), root.length
    return wrong, length


@dataclass(eq=False, repr=False)
class PowerLawTreeClassifier(BaseRuleClassifier):
    """Learn a tree whose nodes test whether a sum of a few power laws exceeds a number.

    Parameters
    ----------
    max_power_laws : int, default=3
        Largest number of power laws in one split (the paper's p).
    exponents : sequence of int, default=(-3, -2, -1, 0, 1, 2, 3)
    modulus : bool, default=True
        Whether a split may test for a band instead of a side (the paper's modulus flag).
    max_depth : int, default=5
        Depth of the deepest node that may be split; the root has depth 0.
    tau_impurity : float, default=0.05
        Gini impurity that a split has to reach; the shortest split that reaches it is used. In a
        node of impurity g it is ``min(tau_impurity, g / 10)`` more than a perfect split leaves.
    upper_level : {"beam", "genetic"}, default="beam"
        How the power laws of a split are searched: deterministically, one exponent after the other,
        or by the paper's genetic algorithm.
    lower_level : {"exact", "genetic"}, default="exact"
        How weights and bias of given power laws are searched: by closed forms, sorting and exact
        steps, or by the paper's genetic algorithm. "genetic" for both is the paper's method, which
        is far slower.
    max_exponents : int, default=12
        Largest number of exponents in one split ("beam" only).
    inner_folds : int or None, default=3
        Number of folds by which a size within `max_depth` and `max_exponents` is selected, see
        Notes. None grows the tree up to these limits ("beam" only).
    positive_label : label, default=None
        With two classes, the one that the clauses describe; None for the last of `classes_`.
    class_weight, costs
        As in `TwoLevelRuleClassifier`.
    constraints : Constraints or dict, default=None
        Monotonic constraints only: `directions`, and the class they lead to, which `towards` or
        `positive_label` must name if there are more than two. See Notes.
    random_state : int, RandomState or None, default=None
        For the random starts; None is 0.
    time_limit : float, default=None
        Time limit in seconds. The best splits so far are then kept, with a `ConvergenceWarning`.

    Attributes
    ----------
    rule_set_ : RuleSet
        The paths to the leaves, except to those of `default_label_`. No two of them match a row.
    tree_ : Branch or Leaf
        The same as a tree.
    left_out_ : tuple of str
        Columns with monotonic constraints that the tree does not read, see Notes.
    classes_, n_features_in_, feature_names_in_, training_error_
        As in `TwoLevelRuleClassifier`.
    positive_label_, default_label_
        With two classes, the described one and the other; with more, `default_label_` is the
        class of largest weight.
    n_rules_, n_splits_, n_conditions_ : int
        Numbers of clauses, of splits (the paper's rules) and of exponents (its rule length).
    objective_ : float
        Impurity of the leaves, weighted by their share of the rows.
    lower_bound_, proved_optimal_ : None
        Nothing is proved.
    sizes_ : list of dict
        The sizes compared: "max_depth", "max_exponents", "error" (see Notes), "length" (exponents);
        empty if none were compared.
    history_ : list of dict
        One entry for each level of a search: "node", "depth", "modulus", "n_exponents",
        "n_structures" (tried), "impurity" (lowest).

    Notes
    -----
    Positive columns are used in their own units; others are shifted first, and the shift and a
    lower limit of the shifted values are part of the rule. A node may also test one condition of
    `Binarizer` on a column of text, categories or dates, which counts as one exponent. It is used
    if its impurity is lower, or higher by at most .002 for each exponent it saves. Rows with a
    missing value follow the side where such rows had fewer errors in training.

    Monotonic constraints are proved after the fit by `check_monotonicity`. If one is not proved,
    the tree is learned again without bands, then with one power law a split, and then, in the same
    three ways, without the columns whose constraints are not proved (`left_out_`). With a
    constraint all power laws except single columns have a lower limit.

    Sizes compared are one split of 1 to 4 exponents, two levels of splits of 1 to 3, and three
    levels of 1, within the limits. The size of lowest error e is selected, with a penalty of .2
    standard errors, ``sqrt(e * (1 - e) / n)`` for n rows, for each exponent. The error is .632 of
    the share of wrong rows in the folds plus .368 of that in training. From 3000 rows on it is the
    training error, and splits of 5 and 6 exponents are compared too; from 20 000 rows on, a random
    part of the rows is used. A tree without splits is selected only if no size has splits. The
    comparison may take half of the time limit; if it takes longer, the limits are used.

    Power laws, weights and bounds minimise the impurity. The bounds of a last split are then moved
    to where the fewest training rows are wrong, by weight.

    The cost of a node is linear in rows, columns, power laws and exponents. With more than 30
    columns the 15 that separate the classes best alone are used, those of the 15 best pairs, and as
    many again for bands ("beam" only). With more than 1000 rows in a node, the beam selects power
    laws on about 1000 of them, and finds weights and bounds on all.

    References
    ----------
    .. [1] Y. Dhebar and K. Deb, "Interpretable Rule Discovery Through Bilevel Optimization of
       Split-Rules of Nonlinear Decision Trees for Classification Problems", 2020.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(1, 2, (200, 3))
    >>> y = X[:, 0] * X[:, 1] > 2.2
    >>> tree = PowerLawTreeClassifier().fit(X, y)
    >>> tree.n_splits_, tree.n_conditions_, tree.score(X, y)
    (1, 2, 1.0)
    """

    _multi_class: ClassVar[bool] = True
    _kernels = (SPLITS,)
    _own_constraints: ClassVar[dict[str, Any]] = {
        "max_power_laws": [Interval(Integral, 1, None, closed="left")],
        "exponents": ["array-like"],
        "modulus": ["boolean"],
        "max_depth": [Interval(Integral, 0, None, closed="left")],
        "tau_impurity": [Interval(Real, 0, 1, closed="both")],
        "upper_level": [StrOptions({"beam", "genetic"})],
        "lower_level": [StrOptions({"exact", "genetic"})],
        "max_exponents": [Interval(Integral, 1, None, closed="left")],
        "inner_folds": [Interval(Integral, 2, None, closed="left"), None],
    }
    _needs = tuple(Needs(n, "upper_level", ("beam",)) for n in ("max_exponents", "inner_folds"))

    max_power_laws: int = 3
    exponents: Sequence[int] = EXPONENTS
    modulus: bool = True
    max_depth: int = 5
    tau_impurity: float = 0.05
    upper_level: str = "beam"
    lower_level: str = "exact"
    max_exponents: int = 12
    inner_folds: int | None = 3
    _: KW_ONLY
    random_state: Any = None
    time_limit: float | None = None

    def _fit_table(self, table: TrainingTable) -> None:
        self.classes_, self._schema = table.classes, table.schema
        self._choose_labels(table)
        constraints = self._monotonic_constraints(table)
        weight = self._weights(table)
        floors = bool(constraints.directions)
        features = PowerLawFeatures.from_columns(table.columns, table.kinds, floors=floors)
        if self.upper_level == "beam":
            features = features.likely(table.codes, weight, seed_of(self.random_state))
        clock = Clock.from_seconds(self.time_limit, table.should_stop)
        _, bins = self._bin_table(table)  # conditions on columns that are no numbers
        used = [k for k, one in enumerate(bins.literals) if table.kinds[one.feature] not in NUMERIC]
        used.sort(key=lambda k: bins.literals[k].op in ("!=", "not-in", "not-missing"))
        plain = cast(BinnedTable, bins.take_columns(np.array(used, dtype=np.intp)))
        if not features.names and not plain.shape[1]:
            raise DataError("A tree needs a column that varies; the table has none.")
        limits = GrowthLimits.from_parameters(self)
        levels = self.upper_level, self.lower_level
        data = features, dict(table.columns), table.codes, weight
        grower = Grower(*data, limits, levels, seed_of(self.random_state), clock, plain)
        self.left_out_: tuple[str, ...] = ()
        weights = repr(self._class_weight(table.classes))
        grower.memory = table.once(("splits", *levels, grower.seed, weights), dict)
        limits = self._choose_size(grower, table)
        cuts = replace(limits, modulus=False)
        shapes = dict.fromkeys((limits, cuts, replace(cuts, max_power_laws=1)))
        unproved: set[str] = set()
        for shape in cycle(shapes):
            if unproved and shape == limits:
                self.left_out_ = tuple(sorted({*self.left_out_, *unproved}))
            root = self._grow(grower, shape)
            unproved = self._list_unproved(root, table, constraints)
            if not unproved:
                break
        self._keep_tree(root, table, weight)
        self.empty_rule_hint_ = None
        if not self.n_splits_:
            self.empty_rule_hint_ = " ".join(filter(None, (NO_SPLIT, self._describe_left_out())))
        self._ran_out = clock.ran_out

    def _reading_binarizer(self) -> Binarizer:
        return Binarizer()

    def _grow(self, grower: Grower, limits: GrowthLimits) -> Node:
        """Grow and prune a tree that does not read the columns of `left_out_`."""
        used, plain = grower.features.drop(self.left_out_), grower.plain
        unread = [literal.feature not in self.left_out_ for literal in plain.literals]
        plain = plain.take_columns(np.flatnonzero(unread))
        memory = None if self.left_out_ else grower.memory
        parts: dict[str, Any] = {"features": used, "plain": plain, "memory": memory, "history": []}
        inside = replace(grower, limits=limits, **parts)
        self.history_ = inside.history
        return inside.grow()

    def _choose_size(self, grower: Grower, table: TrainingTable) -> GrowthLimits:
        """Choose the size by the training rows, within the limits given."""
        half = None if self.time_limit is None else 0.5 * self.time_limit
        clock, compared = Clock.from_seconds(half, table.should_stop), None
        if self.upper_level == "beam" and self.inner_folds is not None:
            compared = compare_sizes(replace(grower, clock=clock), self.inner_folds)
        compared = None if clock.ran_out else compared
        self.sizes_: list[dict[str, float]] = [] if compared is None else compared.records()
        if compared is None:
            return grower.limits
        if grower.memory is not None and compared.memory is not None:
            grower.memory.update(compared.memory)
        return compared.choose_limits()

    def _monotonic_constraints(self, table: TrainingTable) -> Constraints:
        """Read the monotonic constraints and the class they lead to."""
        constraints = as_constraints(self.constraints)
        constraints_for(constraints, table, self.positive_label_)
        if replace(constraints, directions=(), towards=None) != Constraints():
            raise ValueError(
                "Trees of power laws support only `directions` in `constraints`: their splits are "
                "sums, not literals. Remove the other constraints, or use another learner."
            )
        if not constraints.directions or constraints.towards is not None:
            return constraints
        if len(table.classes) > 2 and self.positive_label is None:
            raise ValueError(
                f"`constraints` has `directions`, but `y` has {len(table.classes)} classes. "
                "Set `towards` to the class that the directions lead to."
            )
        return replace(constraints, towards=self.positive_label_)

    def _list_unproved(
        self, root: Node, table: TrainingTable, constraints: Constraints
    ) -> set[str]:
        """List the columns whose monotonic constraint is not proved."""
        ways = dict(constraints.directions)
        splits = [node.split for node in root.splits if node.split is not None]
        unclear = {f for f in ways if any(split.trend(f) is None for split in splits)}
        clear = {f: sign for f, sign in ways.items() if f not in unclear}
        if not clear:
            return unclear
        limits = replace(constraints, directions=clear)
        checks = monotonicity_checks(self._rule(root, table), limits)
        return unclear | {check.feature for check in checks if not check.kept}

    def _fit_warnings(self) -> Iterator[Warning]:
        if self._ran_out:
            limit = f"The time limit of {self.time_limit:g} s was reached"
            yield ConvergenceWarning(f"{limit}; the best splits so far are kept.")
        if self.left_out_ and self.n_splits_:
            yield MonotonicityWarning(self._describe_left_out())
        yield from super()._fit_warnings()

    def _describe_left_out(self) -> str:
        """Return a sentence with the constrained columns that the tree was not allowed to read."""
        if not self.left_out_:
            return ""
        several = len(self.left_out_) > 1
        return (
            f"The tree does not read {', '.join(map(repr, self.left_out_))}: no tree that does was "
            f"proved to satisfy {'their constraints' if several else 'its constraint'}. Remove "
            f"{'them' if several else 'it'}, or use a learner of literals."
        )

    def _choose_labels(self, table: TrainingTable) -> None:
        """Choose the class the clauses describe, and the one that needs none."""
        positive = positive_code(self.positive_label, table.classes)
        self.positive_label_ = plain_label(table.classes[positive])
        mass = np.bincount(table.codes, self._weights(table), len(table.classes))
        if len(table.classes) == 2 or self.positive_label is not None:
            mass[positive] = -1.0
        self.default_label_ = plain_label(table.classes[int(mass.argmax())])

    def _rule(self, root: Node, table: TrainingTable) -> RuleSet:
        return rule_of_tree(as_tree(root, table.classes.tolist()), self.default_label_)

    def _keep_tree(self, root: Node, table: TrainingTable, weight: NDArray[np.float64]) -> None:
        rule = self._rule(root, table)
        self._keep_rule(rule, table, weight)
        self.n_splits_, self.n_conditions_ = len(root.splits), root.length
        self.tree_ = cast(Tree, tree_of_rule(rule))
        self.objective_ = sum_impurities(*(n.mass for n in root.leaves)) / float(root.mass.sum())
        self.lower_bound_ = self.proved_optimal_ = None


EXPONENT_LIMITS, DEPTHS = (1, 2, 3, 4), (0, 1, 2, 3)
IMPURITIES = (0.02, 0.05, 0.1)  # more act like 0.05 with two classes: a tenth of the node's
GRID = {"max_exponents": EXPONENT_LIMITS, "max_depth": DEPTHS, "tau_impurity": IMPURITIES}


def shape_words(setting: Setting) -> list[str]:
    """Return how many exponents and splits a setting allows, in words."""
    exponents, depth = setting.get("max_exponents"), setting["max_depth"]
    several = [f"up to {plural(exponents, 'exponent')} a split"] if exponents else []
    return [*several, "one split" if depth == 0 else f"depth {depth}"]


FAMILY = Family(
    key="power_law_tree",
    model=PowerLawTreeClassifier(inner_folds=None),  # searches over settings compare sizes
    alone=PowerLawTreeClassifier(),
    title="power-law tree",
    default_grid=lambda y: dict(GRID),
    command="formula",
    question="A formula (power-law tree)",
    name="A formula",
    sentence=(
        "A power-law tree: splits by one short formula, such as a * b <= 4 (power laws of a few "
        "columns, in their own units), and grows a tree of such splits; τ is the impurity a split "
        "has to reach. A split on a column of text is a plain condition."
    ),
    good_for=(
        "columns that act together, as products or ratios, where boxes need many conditions. "
        + state_errors(13.4, 4.7)
    ),
    ways=(
        f"The formula is tried with up to 1 to {max(EXPONENT_LIMITS)} exponents in a split, "
        f"with one split and with splits to depths 1 to {max(DEPTHS)}, and with τ at "
        f"{', '.join(f'{tau:g}' for tau in IMPURITIES)}. Shape, clauses, prices θ and the cut "
        "points of Binning do not apply to it. It supports monotonic constraints only; a "
        "column whose constraint cannot be proved is not read."
    ),
    symbol="τ",
    shape_words=shape_words,
    parameter_names={"theta": "tau_impurity"},
    keeps_constraints=False,
)

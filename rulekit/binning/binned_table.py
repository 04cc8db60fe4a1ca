"""The training matrix: bin codes, and conditions as sets of bins. NumPy only: solvers read it."""

# A *feature* (a column of the table as it is read) cuts its rows into bins, and a condition holds
# in some bins of one feature. All that thresholds, levels and gaps give are unions of at most two
# runs of bins, so that sums over all conditions are differences of running sums of a histogram a
# feature: O(n p + d), however many thresholds there are. What is of size (rows, conditions) is
# never made for them.

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rulekit.rules import Literal

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
DENSE = 2_000_000  # entries of a matrix that is kept as a whole
_nothing: Any = partial(np.zeros, 0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions as sets of bins, shared by all tables of the same columns.

    Attributes
    ----------
    n_codes : ndarray of int, shape (p,)
        Number of bins of each feature.
    feature : ndarray of int, shape (d,)
        The feature that each condition reads.
    runs : ndarray of int, shape (d, 2 * runs)
        Condition j holds in the bins from ``runs[j, 0]`` to ``runs[j, 1]``, the end left out, from
        ``runs[j, 2]`` to ``runs[j, 3]``, and so on.
    side : ndarray of int, shape (d,)
        -1 for ``<=`` (of dates ``<``, of levels in the order of their share a set of the first), +1
        for its opposite, 0 for all others (single levels, words, missingness).
    rank : ndarray of int, shape (d,)
        Index of the cut among the cuts of its feature, ascending.
    literals : sequence of Literal
        The conditions as they are written; empty where a solver has no use for them.
    chain, place : ndarray of int, shape (d,)
        A *chain* is a sequence of conditions each of which holds wherever the one before it does:
        to which chain a condition belongs (-1: to none) and its position, the narrowest first.
        Only screening reads them; empty elsewhere.
    """

    n_codes: Ints
    feature: Ints
    runs: Ints
    side: Ints
    rank: Ints
    literals: Sequence[Literal] = field(default=(), repr=False)
    chain: Ints = field(default_factory=_nothing)
    place: Ints = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        lengths = [len(part) for part in (self.feature, self.runs, self.side, self.rank)]
        if len(set(lengths)) > 1:
            raise ValueError(
                "`feature`, `runs`, `side` and `rank` must have one entry a condition; their "
                "lengths are {}, {}, {} and {}.".format(*lengths)
            )

    def __len__(self) -> int:
        return len(self.feature)

    def take(self, columns: Ints) -> "Conditions":
        """Keep some conditions, in this order."""
        names = ("feature", "runs", "side", "rank", "chain", "place")
        taken = {name: part[columns] for name in names if len(part := getattr(self, name))}
        if isinstance(self.literals, LazyLiterals):
            literals = replace(self.literals, keys=self.literals.keys[columns])
            return replace(self, literals=literals, **taken)
        listed = tuple(self.literals[j] for j in columns) if self.literals else ()
        return replace(self, literals=listed, **taken)

    def opposite(self) -> "Conditions":
        """Return the conditions that hold in the other bins, in this order."""
        runs = complement_runs(self.runs, self.n_codes[self.feature])
        place = self.place.max(initial=0) - self.place
        keys = np.arange(len(self.literals))[:, None]
        literals = LazyLiterals(partial(_negate, self.literals), keys) if len(keys) else ()
        return replace(self, runs=runs, side=-self.side, literals=literals, place=place)

    @cached_property
    def of_feature(self) -> dict[int, Ints]:
        """The conditions of each feature that has any."""
        order = np.argsort(self.feature, kind="stable")
        names, size = np.unique(self.feature, return_counts=True)
        ends = np.cumsum(size)
        return {k: order[b - a : b] for k, a, b in zip(names.tolist(), size, ends, strict=True)}

    @cached_property
    def starts(self) -> Ints:
        """Where the running sums of each feature start when they stand in one line: (p + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_codes + 1)]).astype(np.intp)

    @cached_property
    def ends(self) -> Ints:
        """The ends of each condition in that line: shape (2 * runs, d)."""
        return np.ascontiguousarray((self.runs + self.starts[self.feature][:, None]).T)

    def table(self, columns: Ints) -> Bools:
        """Return in which bins some conditions of one feature hold, shape (its bins, k)."""
        return _inside(np.arange(self.n_codes[self.feature[columns[0]]]), self.runs[columns])


@dataclass(frozen=True, eq=False)
class LazyLiterals(Sequence[Literal]):
    """Literals that are created on access: the j-th by ``make(*keys[j])``."""

    make: Callable[..., Literal]
    keys: Ints  # (d, numbers of a key)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, j: Any) -> Any:
        return self.make(*self.keys[j].tolist())


def _negate(literals: Sequence[Literal], j: int) -> Literal:
    return literals[j].negate()


def _pick(parts: Sequence[Sequence[Literal]], feature: int, position: int) -> Literal:
    return parts[feature][position]


def join_conditions(parts: Sequence[Conditions]) -> Conditions:
    """Join the conditions of single features, the k-th of which becomes feature k."""
    sizes = [len(part) for part in parts]
    feature = np.repeat(np.arange(len(parts)), sizes).astype(np.intp)
    position = np.arange(len(feature)) - np.repeat(np.cumsum(sizes) - sizes, sizes).astype(np.intp)
    literals = tuple(part.literals for part in parts)
    origin = np.stack([feature, position], axis=1)
    written: Sequence[Literal] = LazyLiterals(partial(_pick, literals), origin)
    if all(isinstance(part, tuple) for part in literals):
        written = tuple(literal for part in literals for literal in part)
    names = {"n_codes": (), "runs": (4,), "side": (), "rank": (), "place": ()}
    arrays = {
        name: np.concatenate([np.zeros((0, *width), np.intp), *(getattr(p, name) for p in parts)])
        for name, width in names.items()
    }
    chains = [np.where(p.chain < 0, -1, 4 * k + p.chain) for k, p in enumerate(parts)]
    chain = np.concatenate([_nothing(), *chains])
    return Conditions(feature=feature, literals=written, chain=chain, **arrays)


@dataclass(frozen=True, eq=False)
class BinnedTable:
    """A table as bin codes, and the conditions that each column offers as sets of bins.

    The one training matrix: what every solver over conditions reads. NumPy takes it for its
    Boolean `values`, so it can be handed to any scikit-learn estimator; ``table[rows]`` keeps some
    rows. All but the codes, labels and weights is computed on first access.

    Solvers learn a DNF for the rows `y`. What is stated for an AND of ORs reads `opposite`.

    Attributes
    ----------
    codes : ndarray of uint8, uint16 or uint32, shape (n, p)
        The bin of each value. The last bin of a column is for missing values; a numeric column's
        bins ascend, ``codes <= k`` where the value is at most ``cuts[k]``; other columns have a
        bin for each level (or group of rare levels) and, last but one, one for values that were
        not there in training.
    encodings : tuple, length p
        How each column is cut into bins, sorted by name. A column without any condition
        is there too, one that is read in several ways once for each. Solvers do not read it.
    given : Conditions, optional
        The conditions; by default all that the encodings offer, sorted by feature and text.
    y : ndarray of bool, shape (n,), optional
        The rows that a rule is to describe; empty where no rule is learned yet.
    weight : ndarray of float, shape (n,), optional
        What a row counts.
    """

    codes: NDArray[np.unsignedinteger]
    encodings: tuple[Any, ...] = ()
    given: Conditions | None = field(default=None, repr=False)
    y: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool), repr=False)
    weight: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of conditions."""
        return len(self.codes), len(self.feature)

    @property
    def dtype(self) -> np.dtype[np.bool_]:
        """Type of the values."""
        return np.dtype(np.bool_)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "BinnedTable":
        """Keep some rows: a slice, their numbers or a mask; the conditions are shared."""
        codes = np.asfortranarray(np.atleast_2d(self.codes[rows]))
        given = self.__dict__.get("conditions", self.given)
        labels = (self.y, self.weight)
        if len(self.y):
            labels = np.atleast_1d(self.y[rows]), np.atleast_1d(self.weight[rows])
        part = BinnedTable(codes, self.encodings, given, *labels)
        if "complement" in self.__dict__:  # does not depend on the rows
            part.__dict__["complement"] = self.complement
        return part

    def with_labels(self, y: Bools, weight: Floats) -> "BinnedTable":
        """Return the table with other labels and weights (n,), sharing what was computed before."""
        twin = copy(self)
        object.__setattr__(twin, "y", y)
        object.__setattr__(twin, "weight", weight)
        if "opposite" in self.__dict__:
            twin.__dict__["opposite"] = self.opposite.with_labels(~y, weight)
        return twin

    @cached_property
    def opposite(self) -> "BinnedTable":
        """The opposite conditions and rows, over which a DNF is an AND of ORs (De Morgan)."""
        return replace(self, given=self.conditions.opposite(), y=~self.y)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the values."""
        return np.array(self.values, dtype=dtype, copy=copy)

    @cached_property
    def conditions(self) -> Conditions:
        """The conditions as sets of bins."""
        if self.given is not None:
            return self.given
        return join_conditions([e.conditions(by_text=True) for e in self.encodings])

    @cached_property
    def values(self) -> Bools:
        """Whether each row meets each condition, shape (n, d)."""
        return self._form_values(np.arange(len(self.feature)), self.codes)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns, sorted by name: length p."""
        return tuple(e.name for e in self.encodings)

    @property
    def n_codes(self) -> Ints:
        """Number of bins of each column, shape (p,)."""
        return self.conditions.n_codes

    @property
    def feature(self) -> Ints:
        """Index into `features` and `encodings` of each condition, shape (d,)."""
        return self.conditions.feature

    @property
    def side(self) -> Ints:
        """Side of each condition, shape (d,): see `Conditions`."""
        return self.conditions.side

    @property
    def rank(self) -> Ints:
        """Index of the cut among the cuts of its column, ascending; 0 where `side` is 0: (d,)."""
        return self.conditions.rank

    @property
    def chain(self) -> Ints:
        """Chain of each condition, see `Conditions`: shape (d,), or (0,) where they are unknown."""
        return self.conditions.chain

    @property
    def place(self) -> Ints:
        """Position of each condition in its chain, the narrowest first: shape as `chain`."""
        return self.conditions.place

    @property
    def literals(self) -> Sequence[Literal]:
        """The conditions, length d; their order does not depend on the table's layout."""
        return self.conditions.literals

    @cached_property
    def complement(self) -> Ints:
        """The condition that is the negation of each on every training row, or -1: shape (d,)."""
        # Its literal is the negation where training rows lacked values in that column; elsewhere
        # the two differ for a missing value only, for which both are false.
        complements = np.full(len(self.feature), -1, np.intp)
        for feature, columns in self.conditions.of_feature.items():
            seen = self.conditions.table(columns)[self.encodings[feature].find_cells()].T
            packed = np.ascontiguousarray(np.packbits([seen, ~seen], axis=2))
            holding, other = packed.view(f"V{packed.shape[2]}")[:, :, 0].tolist()
            at = dict(zip(holding, columns.tolist(), strict=True))
            complements[columns] = [at.get(key, -1) for key in other]
        return complements

    @property
    def copies(self) -> int:
        """How often `sums` adds up one row: once a feature."""
        return max(1, int(self.codes.shape[1]))

    @cached_property
    def _numbers(self) -> Floats | None:
        """The matrix as numbers, shape (n, d), where it is small and sums over it are exact."""
        n, d = self.shape
        return self.values.astype(float) if n * d <= DENSE and not len(self.chain) else None

    def sums(self, values: Floats) -> Floats:
        """Sum numbers over the rows of each condition: (n, k) gives (d, k), exactly on a grid."""
        if self._numbers is not None:
            return np.asarray(self._numbers.T @ values)
        if values.ndim > 1:
            return np.array([self.sums(column) for column in values.T]).T
        used = np.flatnonzero(values)
        some = len(used) < len(values)
        codes, values = (self.codes[used], values[used]) if some else (self.codes, values)
        starts = self.conditions.starts
        line = np.zeros(starts[-1])
        for f in self.conditions.of_feature:
            cells = np.bincount(codes[:, f], values, self.n_codes[f])
            np.cumsum(cells, out=line[starts[f] + 1 : starts[f + 1]])
        ends = line[self.conditions.ends]
        return np.asarray((ends[1::2] - ends[::2]).sum(axis=0))

    def row_sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the conditions of each row: (d, k) to (n, k)."""
        if self._numbers is not None:
            return np.asarray(self._numbers @ values)
        sums = np.zeros((len(self.codes), *values.shape[1:]))
        for feature, columns in self.conditions.of_feature.items():
            sums += (self.conditions.table(columns) @ values[columns])[self.codes[:, feature]]
        return sums

    def values_of(self, columns: Sequence[int] | Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Return the values of some conditions, in some rows."""
        columns = np.asarray(columns, dtype=np.intp)
        n, d = self.shape
        if n * d <= DENSE:
            return self.values[rows][:, columns]
        return self._form_values(columns, self.codes[rows])

    def _form_values(self, columns: Ints, codes: NDArray[np.unsignedinteger]) -> Bools:
        """Form the values of some conditions from the bins of some rows."""
        features = self.feature[columns]
        formed = np.empty((len(codes), len(columns)), dtype=bool)
        for feature in np.unique(features).tolist():
            at = np.flatnonzero(features == feature)
            cells = codes[:, feature]
            if len(cells) < self.n_codes[feature]:
                formed[:, at] = _inside(cells, self.conditions.runs[columns[at]])
            else:
                formed[:, at] = self.conditions.table(columns[at])[cells]
        return formed

    def take_columns(self, columns: Ints) -> "BinnedTable":
        """Keep some conditions."""
        return replace(self, given=self.conditions.take(columns))

    def drop_empty_bins(self) -> "BinnedTable":
        """Make a table of few rows, in which each bin that some row lies in is seen."""
        cells = [np.flatnonzero(np.bincount(column)) for column in self.codes.T]
        most = max(map(len, cells), default=0)
        codes = [np.pad(part, (0, most - len(part)), "edge") for part in cells if most]
        seen = np.reshape(np.array(codes, self.codes.dtype).T, (most, self.codes.shape[1]))
        return BinnedTable(np.asfortranarray(seen), self.encodings, self.conditions)

    def evaluate_dnf(self, chosen: Bools) -> Bools:
        """Return where the DNF holds whose clauses are the rows of ``chosen``, shape (n,)."""
        held: Bools = np.zeros(len(self.codes), dtype=bool)
        for row in chosen:
            held |= self.values_of(np.flatnonzero(row)).all(axis=1)
        return held

    @cached_property
    def content(self) -> NDArray[np.unsignedinteger]:
        """Codes that are equal if all conditions give equal results: (n, blocks of conditions)."""
        # They sort as the rows of `values` do, found without them: of one feature, bins are ranked
        # by the conditions they are in, and features stand one after the other in `values` but for
        # those that read the same column of the table.
        last = {feature: int(at[-1]) for feature, at in self.conditions.of_feature.items()}
        blocks: list[tuple[list[int], list[int]]] = []  # features and conditions of each
        end = -1
        for j, feature in enumerate(self.feature.tolist()):
            if j > end:
                blocks.append(([], []))
            features, columns = blocks[-1]
            columns.append(j)
            if feature not in features:
                features.append(feature)
            end = max(end, last[feature])
        ranks = []
        for features, columns in blocks:
            cells: NDArray[Any] = np.arange(self.n_codes[features[0]])[:, None]
            row: NDArray[Any] = self.codes[:, features[0]]
            if len(features) > 1:
                cells, row = np.unique(self.codes[:, features], axis=0, return_inverse=True)
            full = np.zeros((len(cells), self.codes.shape[1]), cells.dtype)
            full[:, features] = cells
            bits = np.packbits(self._form_values(np.array(columns), full), axis=1)
            names = bits.view(f"V{bits.shape[1]}").ravel()  # which sort as their bytes do
            rank = np.unique(names, return_inverse=True)[1]
            ranks.append(rank[row.reshape(-1)])
        most = max((int(rank.max(initial=0)) for rank in ranks), default=0)
        kind = np.min_scalar_type(most).newbyteorder(">")  # bytes that sort like the numbers
        return np.array(ranks, kind).reshape(len(ranks), len(self.codes)).T.copy()

    def sort_rows(self) -> tuple["BinnedTable", Ints]:
        """Sort the rows by results of conditions, see `row_order`; return their numbers too."""
        table = self.opposite
        rows = row_order(table.content, table.y, table.weight)
        result = self[rows]
        result.opposite.__dict__["content"] = table.content[rows]
        return result, rows


def _inside(cells: NDArray[np.integer], runs: Ints) -> Bools:
    """Return which cells each condition holds in, shape (number of bins, k)."""
    inside = np.zeros((len(cells), len(runs)), dtype=bool)
    for start, end in runs.T.reshape(-1, 2, len(runs)):
        inside |= (cells[:, None] >= start) & (cells[:, None] < end)
    return inside


def runs_of(tables: Sequence[Bools]) -> Ints:
    """Write columns, each table of shape (cells, k), as runs of cells: shape (d, 2 * runs)."""
    edges = [np.diff(np.pad(table.T, ((0, 0), (1, 1))), axis=1) for table in tables]
    sizes = np.concatenate([_nothing(), *(part.sum(axis=1) for part in edges)])
    runs = np.zeros((len(sizes), max(4, sizes.max(initial=0))), dtype=np.intp)
    at = np.concatenate([_nothing(), *(np.nonzero(part)[1] for part in edges)])
    runs[np.arange(runs.shape[1]) < sizes[:, None]] = at
    return runs


def complement_runs(runs: Ints, n_codes: Ints) -> Ints:
    """Write for each union of runs the bins that it leaves out, shape (k, 2 * runs)."""
    empty = np.repeat(runs[:, ::2] >= runs[:, 1::2], 2, axis=1)
    last = n_codes[:, None]
    edges = np.hstack([0 * last, np.where(empty, last, runs), last])
    edges = edges.reshape(len(runs), runs.shape[1] // 2 + 1, 2)
    full = edges[:, :, 0] < edges[:, :, 1]
    order = np.argsort(~full, axis=1, kind="stable")
    kept = np.take_along_axis(np.where(full[:, :, None], edges, 0), order[:, :, None], axis=1)
    width = max(2, int(full.sum(axis=1).max(initial=0)))
    return kept[:, :width].reshape(len(runs), 2 * width)


def row_order(A: NDArray[Any], y: Bools, weight: Floats) -> Ints:
    """Sort rows by content, so that the order they came in has no influence: shape (n,)."""
    content = np.packbits(A, axis=1) if A.dtype == bool else np.ascontiguousarray(A).view(np.uint8)
    weights = np.ascontiguousarray(weight)[:, None].view(np.uint8)
    content = np.hstack([content, y[:, None].astype(np.uint8), weights])
    return np.argsort(content.view(f"V{content.shape[1]}").ravel(), kind="stable")

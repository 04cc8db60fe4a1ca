"""The training matrix: bin codes, and the conditions that each column offers."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rulekit.binning.encoding import ColumnEncoding, OrderedColumn, literals_of
from rulekit.rules import Literal
from rulekit.rules.condition import missing_in
from rulekit.rules.literal import COMPARED
from rulekit.rules.scales import ORDERED


@dataclass(frozen=True, eq=False)
class BinnedTable:
    """A table as bin codes, and the conditions that each column offers as sets of bins.

    The one training matrix: what every solver over conditions reads. NumPy takes it for its
    Boolean `values`, so it can be handed to any scikit-learn estimator; ``table[rows]`` keeps some
    rows. All but the codes is computed on first access: with a cut at every distinct value a column
    of m values has about 2 m conditions, and `holds` takes 2 m**2 truth values for it.

    Attributes
    ----------
    codes : ndarray of uint8, uint16 or uint32, shape (n, p)
        The bin of each value. The last bin of a column is for missing values; a numeric column's
        bins ascend, ``codes <= k`` where the value is at most ``cuts[k]``; other columns have a
        bin for each level (or group of rare levels) and, last but one, one for values that were
        not there in training.
    encodings : tuple, length p
        How each column is cut into bins, sorted by name; see `rulekit.binning.encoding`. A column
        without any condition is there too, one that is read in several ways once for each.
    """

    codes: NDArray[np.unsignedinteger]
    encodings: tuple[ColumnEncoding, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of conditions."""
        return len(self.codes), len(self.literals)

    @property
    def dtype(self) -> np.dtype[np.bool_]:
        """Type of the values."""
        return np.dtype(np.bool_)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "BinnedTable":
        """Keep some rows: a slice, their numbers or a mask; what the columns say is not redone."""
        part = copy(self)
        object.__setattr__(part, "codes", np.atleast_2d(self.codes[rows]))
        part.__dict__.pop("values", None)
        return part

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the values."""
        return np.array(self.values, dtype=dtype, copy=copy)

    @cached_property
    def values(self) -> NDArray[np.bool_]:
        """Whether each row meets each condition, shape (n, d)."""
        blocks = [table[self.codes[:, j]] for j, table in enumerate(self.holds)]
        if not blocks:
            return np.zeros((len(self.codes), 0), dtype=bool)
        return np.concatenate(blocks, axis=1)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns, sorted by name: length p."""
        return tuple(e.name for e in self.encodings)

    @property
    def feature(self) -> NDArray[np.intp]:
        """Index into `features` and `encodings` of each condition, shape (d,)."""
        feature: NDArray[np.intp] = self._places[0]
        return feature

    @property
    def side(self) -> NDArray[np.int8]:
        """Side of each condition, shape (d,).

        -1 for ``<=`` (of dates ``<``, of levels in the order of their share a set of the first), +1
        for its opposite, 0 for all others (single levels, words, missingness).
        """
        side: NDArray[np.int8] = self._places[1].astype(np.int8)
        return side

    @property
    def rank(self) -> NDArray[np.intp]:
        """Index of the cut among the cuts of its column, ascending; 0 where `side` is 0: (d,)."""
        rank: NDArray[np.intp] = self._places[2]
        return rank

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """The conditions, length d; their order does not depend on the table's layout."""
        return tuple(literal for own in self._literals for literal in own)

    @cached_property
    def _literals(self) -> tuple[tuple[Literal, ...], ...]:
        """Those of each column."""
        return tuple(literals_of(e) for e in self.encodings)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Column, side and rank of each condition: shape (3, d)."""
        found = [np.zeros((0, 3), np.intp)]
        for j, (e, own) in enumerate(zip(self.encodings, self._literals, strict=True)):
            found.append(np.column_stack([np.full(len(own), j), places_of(e, own)]))
        return np.concatenate(found).T

    @cached_property
    def complement(self) -> NDArray[np.intp]:
        """The condition that is the negation of each on every training row, or -1: shape (d,).

        Its literal is the negation where training rows lacked values in that column; elsewhere the
        two differ in what they say of a missing value, and both say no.
        """
        found: list[int] = []
        for encoding, table in zip(self.encodings, self.holds, strict=True):
            seen = table[encoding.seen()].T
            own, other = (_as_bytes(columns) for columns in (seen, ~seen))
            at = {column: len(found) + k for k, column in enumerate(own)}
            found += [at.get(column, -1) for column in other]
        return np.array(found, dtype=np.intp)

    @cached_property
    def holds(self) -> tuple[NDArray[np.bool_], ...]:
        """For each column, shape (its bins, its literals): in which bins which literal holds.

        The literals of the columns follow each other in the order of `literals`.
        """
        pairs = zip(self.encodings, self._literals, strict=True)
        return tuple(cell_table(e, own) for e, own in pairs)

    @property
    def n_codes(self) -> NDArray[np.intp]:
        """Number of bins of each column, shape (p,)."""
        return np.array([e.n_cells for e in self.encodings], dtype=int)


def code_type(n_cells: int) -> type[np.unsignedinteger]:
    """Return the smallest unsigned type that can count cells."""
    if n_cells <= 256:
        return np.uint8
    return np.uint16 if n_cells <= 65_536 else np.uint32


def _as_bytes(rows: NDArray[np.bool_]) -> list[bytes]:
    """Write each row as bytes."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    found: list[bytes] = packed.view(f"V{packed.shape[1]}").ravel().tolist()
    return found


def places_of(column: ColumnEncoding, literals: tuple[Literal, ...]) -> NDArray[np.intp]:
    """Return side and rank of each literal, see `OrderedColumn.place`, shape (k, 2)."""
    if not isinstance(column, OrderedColumn):
        return np.array([column.place(literal) for literal in literals], np.intp).reshape(-1, 2)
    found = np.zeros((len(literals), 2), np.intp)
    scale = (column.part, column.order, None)
    own = [j for j, x in enumerate(literals) if x.op in ORDERED and x.scale == scale]
    found[own, 0] = [-1 if literals[j].op in ("<=", "<") else 1 for j in own]
    found[own, 1] = np.searchsorted(column.cuts, [literals[j].edge for j in own])
    return found


def cell_table(column: ColumnEncoding, literals: tuple[Literal, ...]) -> NDArray[np.bool_]:
    """Return in which cells each literal holds, shape (n_cells, number of literals)."""
    cells = column.representatives()
    return masks_of(literals, cells)


def masks_of(literals: tuple[Literal, ...], compared: NDArray[Any]) -> NDArray[np.bool_]:
    """Evaluate tests that read a column alike: `Literal.mask_of` of each, shape (n, k)."""
    found = np.empty((len(compared), len(literals)), dtype=bool)
    ordered = [j for j, literal in enumerate(literals) if literal.op in ORDERED]
    if compared.dtype == object:
        ordered = []
    limits = np.array([float(literals[j].positions[0]) for j in ordered])
    absent = missing_in(compared)
    for op, holds in COMPARED.items():
        own = [k for k, j in enumerate(ordered) if literals[j].op == op]
        if own:
            missing = np.array([literals[ordered[k]].missing for k in own])
            with np.errstate(invalid="ignore"):
                held = holds(compared[:, None], limits[own])
            found[:, [ordered[k] for k in own]] = np.where(absent[:, None], missing, held)
    for j in set(range(len(literals))) - set(ordered):
        found[:, j] = literals[j].mask_of(compared)
    return found

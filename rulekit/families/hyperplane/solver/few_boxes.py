"""Few boxes of few faces, from all that cover one side of a plane."""

#   V        rows of both classes in the oriented coordinates of the boxes, shape (m, n)
#   worth    (m,) the weight of each row, above 0 where the boxes' class is right
#
# Boxes stay disjoint, by exact comparison, and on their side of the plane: every step is taken only
# where that holds and where the worth of all rows in boxes does not fall.

from dataclasses import replace

import numpy as np

from rulekit.families.hyperplane.solver.half_space import Bools, Floats
from rulekit.families.hyperplane.solver.hypercubes import PlaneBoxes


def few_boxes(boxes: PlaneBoxes, V: Floats, worth: Floats, most: int | None) -> PlaneBoxes:
    """Keep the boxes of most worth, merge those that may be, and drop faces that no row needs."""
    gain = _worth(boxes, V, worth)
    order = np.argsort(-gain, kind="stable")
    kept = boxes.only(order[gain[order] > 0][:most])
    work = _Faces(kept, V, worth)
    work.merge()
    work.drop()
    return work.boxes()


def _worth(boxes: PlaneBoxes, V: Floats, worth: Floats) -> Floats:
    """Sum the worth of the rows in each box, shape (k,)."""
    inside = boxes.members(V)
    return np.array([worth[inside[:, k]].sum() for k in range(len(boxes))])


class _Faces:
    """Boxes whose faces are moved."""

    def __init__(self, boxes: PlaneBoxes, V: Floats, worth: Floats) -> None:
        self.given, self.half, self.V, self.worth = boxes, boxes.half, V, worth
        self.faces = list(zip(boxes.lower, boxes.upper, boxes.depth, strict=True))

    def merge(self) -> None:
        """Replace two boxes by the box around both, as long as there are such two."""
        pairs = [(a, b) for a in range(len(self.faces)) for b in range(a)]
        for a, b in pairs:
            (low, high, depth), (other_low, other_high, other_depth) = self.faces[a], self.faces[b]
            around = np.minimum(low, other_low), np.maximum(high, other_high)
            apart = self._sum(low, high) + self._sum(other_low, other_high)
            if self._is_allowed(*around, (a, b)) and self._sum(*around) >= apart:
                self.faces[b] = (*around, min(depth, other_depth))
                del self.faces[a]
                self.merge()
                return

    def drop(self) -> None:
        """Move each face to the end of its column where nothing is lost by it."""
        for k in range(len(self.faces)):
            for feature in range(self.half.n_features):
                for below in (True, False):
                    self._drop_face(k, feature, below)

    def _drop_face(self, k: int, feature: int, below: bool) -> None:
        low, high, depth = self.faces[k]
        wider = low.copy(), high.copy()
        wider[not below][feature] = -np.inf if below else self.half.high[feature]
        if self._is_allowed(*wider, (k,)) and self._sum(*wider) >= self._sum(low, high):
            self.faces[k] = (*wider, depth)

    def _is_allowed(self, low: Floats, high: Floats, instead_of: tuple[int, ...]) -> bool:
        """Return whether a box is on its side and shares no point with the other boxes."""
        if self.half.value(high) > self.half.cap:
            return False
        others = (faces for k, faces in enumerate(self.faces) if k not in instead_of)
        return all((np.maximum(low, a) >= np.minimum(high, b)).any() for a, b, _ in others)

    def _inside(self, low: Floats, high: Floats) -> Bools:
        return np.asarray(((low < self.V) & (high >= self.V)).all(axis=1))

    def _sum(self, low: Floats, high: Floats) -> float:
        return float(self.worth[self._inside(low, high)].sum())

    def boxes(self) -> PlaneBoxes:
        """Return the boxes, those with most rows of their class first."""
        n, right = self.half.n_features, self.worth > 0
        lower = np.array([low for low, _, _ in self.faces], dtype=float).reshape(-1, n)
        upper = np.array([high for _, high, _ in self.faces], dtype=float).reshape(-1, n)
        counts = np.array([self._inside(*f[:2])[right].sum() for f in self.faces], dtype=int)
        depth = np.array([depth for _, _, depth in self.faces], dtype=int)
        order = np.argsort(-counts, kind="stable")
        moved = replace(self.given, lower=lower, upper=upper, n_points=counts, depth=depth)
        return moved.only(order)

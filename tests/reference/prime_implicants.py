"""Minimum two-level forms the plain way: merge pairs of cubes, then try every set of primes."""

from itertools import combinations


def covers(cube, point):
    return all(want in (-1, bit) for want, bit in zip(cube, point, strict=True))


def points(k):
    return [tuple((code >> (k - 1 - j)) & 1 for j in range(k)) for code in range(2**k)]


def primes(on, off):
    """Quine and McCluskey: start from single types that may be on, drop literals while allowed."""
    k = len(on).bit_length() - 1
    every = points(k)
    level = {p for p, wrong in zip(every, off, strict=True) if not wrong}
    result = set()
    while level:
        merged, used = set(), set()
        for cube in level:
            for j in range(k):
                if cube[j] == -1:
                    continue
                other = (*cube[:j], 1 - cube[j], *cube[j + 1 :])
                if other in level:
                    merged.add((*cube[:j], -1, *cube[j + 1 :]))
                    used.add(cube)
        result |= level - used
        level = merged
    wanted = [p for p, yes in zip(every, on, strict=True) if yes]
    return {cube for cube in result if any(covers(cube, p) for p in wanted)}


def cost(cubes):
    return sum(1 + sum(want >= 0 for want in cube) for cube in cubes)


def least_cost(on, off):
    """Try every set of primes; for at most four columns."""
    candidates = sorted(primes(on, off))
    k = len(on).bit_length() - 1
    wanted = [p for p, yes in zip(points(k), on, strict=True) if yes]
    best = None
    for size in range(len(wanted) + 1):
        for chosen in combinations(candidates, size):
            right = all(any(covers(cube, p) for cube in chosen) for p in wanted)
            if right and (best is None or cost(chosen) < best):
                best = cost(chosen)
    return best

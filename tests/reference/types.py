"""Row types the plain way: a dictionary of two counters, one row at a time."""


def counters(rows, described):
    """Count rows of each type (a tuple of answers): [others, described]."""
    results = {}
    for row, label in zip(rows, described, strict=True):
        results.setdefault(tuple(bool(v) for v in row), [0, 0])[bool(label)] += 1
    return results


def least_errors(found):
    """Sum over the types what no classifier of types can get right."""
    return sum(min(cell) for cell in found.values())


def says_yes(found, row):
    """Predict as the paper's Algorithm 1: more than half, so no on ties and unknown types."""
    others, described = found.get(tuple(bool(v) for v in row), (0, 0))
    return described > others

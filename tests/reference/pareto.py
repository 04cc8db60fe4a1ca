"""Non-dominated points, straight from the definition."""


def pareto_front(x, y):
    """Compare every pair of points; takes O(n^2) time."""
    points = list(zip(x, y, strict=True))

    def dominates(p, q):
        return p[0] <= q[0] and p[1] <= q[1] and p != q

    known = [p for p in points if p == p and p[0] == p[0] and p[1] == p[1]]
    return [
        q[0] == q[0] and q[1] == q[1] and not any(dominates(p, q) for p in known) for q in points
    ]

"""The branch and bound of `exact_clause`, row by row, with the same tests in the same order."""

from itertools import combinations

import numpy as np

from rulekit.search.clause_generation.exact_clause import BETTER, ExactClause


def search_plainly(task):
    """Find the best clause; see `ClauseSearch.find_best`."""
    search = _Search(task)
    every = np.ones(len(task.P), bool), np.ones(len(task.N), bool)
    search.visit(*every, range(len(task.slot)), [])
    upper = search.best if search.proved else max(search.best, search.upper)
    return ExactClause(search.chosen, search.best, search.proved, search.n_tests, upper)


class _Search:
    """The state that all nodes share; sums of weights are exact in any order."""

    def __init__(self, task):
        self.task, self.theta = task, task.theta
        self.best, self.upper = task.incumbent, task.weight_p.sum() - task.theta
        self.chosen, self.proved, self.n_tests = None, True, 0

    def weigh_p(self, rows):
        return self.task.weight_p[rows].sum()

    def weigh_n(self, rows):
        return self.task.weight_n[rows].sum()

    def visit(self, P, N, candidates, own, above=0.0):
        """Search clauses that extend `own`; `above` bounds what is outside this node."""
        p, n = self.weigh_p(P), self.weigh_n(N)
        value = p - n - self.theta * len(own)
        if value > self.best + BETTER:
            self.best, self.chosen = value, tuple(j for _, j in own)
        if n >= self.theta:
            self.n_tests += len(candidates)
            self.proved = self.n_tests <= self.task.limits.max_tests
        if n < self.theta or not self.proved:
            if not self.proved and own:
                self.upper = above
            return
        live = self.live(P, N, p, n, candidates, len(own))
        bounds = self.bounds(live, N, p, n, len(own))
        slot = self.task.slot
        for k in range(len(live) - 1, -1, -1):
            j = live[k][2]
            shares = None if bounds[k] <= self.best + BETTER else self.shares(N, own, j)
            if shares is None:
                continue
            smaller = [c for _, _, c in live[:k] if slot[c] != slot[j]]
            left = max(above, *bounds[: k + 1])
            self.visit(P & self.task.P[:, j], N & self.task.N[:, j], smaller, shares, left)
            if not self.proved:
                return

    def live(self, P, N, p, n, candidates, size):
        """Keep the columns that can pay here, with loss and gain, by rising loss."""
        floor = self.best + BETTER + self.theta * (size + 1)
        live = []
        for j in candidates:
            kept = self.weigh_p(P & self.task.P[:, j])
            gain = n - self.weigh_n(N & self.task.N[:, j])
            if kept > floor and gain >= self.theta:
                live.append((p - kept, gain, j))
        return sorted(live, key=lambda item: (item[0], item[2]))

    def bounds(self, live, N, p, n, size):
        """Bound, for each k, the value of clauses whose literal of largest loss is ``live[k]``."""
        tops, taken, bounds = {}, np.zeros(len(N), bool), []  # the largest gain of each slot
        for loss, gain, j in live:
            taken |= N & ~self.task.N[:, j]
            slot = self.task.slot[j]
            others = sorted((g for s, g in tops.items() if s != slot), reverse=True)
            most = self.most_net(gain, others, self.weigh_n(taken))
            bounds.append(p - loss - self.theta * size - n + most)
            tops[slot] = max(gain, tops.get(slot, 0.0))
        return bounds

    def most_net(self, gain, others, taken):
        """Bound the gains, less prices, of a literal and others: together no more than `taken`."""
        reach, size = gain, 1
        most = min(reach, taken) - self.theta
        for more in others:
            if reach >= taken:
                break
            reach, size = reach + more, size + 1
            net = min(reach, taken) - self.theta * size
            if net <= most:
                break
            most = net
        return most

    def shares(self, N, own, j):
        """Shrink what each literal alone takes; None when one no longer pays, or is too tight."""
        column = self.task.N[:, j]
        shares = [*((rows & column, k) for rows, k in own), (N & ~column, j)]
        for rows, k in shares:
            if not (rows & self.task.step[:, k]).any() or self.weigh_n(rows) < self.theta:
                return None
        return shares


TIE = 1e-9


def near_best_by_force(holds, y, theta, margin, max_conditions, weight):
    """List columns and values of the clauses of the margin in which every literal pays."""

    def worth(columns):
        inside = holds[:, list(columns)].all(axis=1)
        value = weight[inside & y].sum() - weight[inside & ~y].sum() - theta * len(columns)
        return value, bool((weight[inside] > 0).any())

    results = {}
    for size in range(max_conditions + 1):
        for columns in combinations(range(holds.shape[1]), size):
            value, somewhere = worth(columns)
            shorter = [worth(columns[:k] + columns[k + 1 :])[0] for k in range(size)]
            if somewhere and all(value > other + TIE for other in shorter):
                results[columns] = value
    best = max([0.0, *results.values()])
    return {c: value for c, value in results.items() if value >= best - margin - TIE}

"""What code in several languages shares: the tests of clauses, and power laws as arithmetic."""

# Power laws keep the order of `PowerLaw.value`, so they give the same doubles: numerators from left
# to right, the product of denominators likewise, the quotient, the weight.

from collections.abc import Callable, Iterator
from typing import Any

from rulekit.rules import Clause, Condition, Factor, PowerLaw, PowerLawSplit, RuleSet
from rulekit.rules.sums import WriteNumber


def write_decisions(
    rule: RuleSet, write: Callable[[Condition], str], words: Callable[[str], str], indent: int
) -> Iterator[tuple[str, Any]]:
    """Write a test and its label for each clause of a DNF, or for all clauses of a CNF."""
    # `words` writes "and", "or", "true" and "false"; `indent` is the width of one level.

    def join(clause: Clause, word: str, level: int) -> str:
        start = f"\n{' ' * indent * level}{words(word)} "
        return start.join(map(write, clause.conditions))

    if rule.form == "cnf":
        parts = [f"({join(clause, 'or', 3) or words('false')})" for clause in rule.clauses]
        both = f"\n{' ' * indent * 2}{words('and')} "
        yield both.join(parts) or words("true"), rule.labels[0]
        return
    for clause, label in zip(rule.clauses, rule.labels, strict=True):
        yield join(clause, "and", 2) or words("true"), label


def write_test(
    split: PowerLawSplit,
    base: Callable[[Factor], str],
    number: WriteNumber,
    words: Callable[[str], str] = str,
) -> str:
    """Write the test of a split, missing values apart, with writers of factors and of "and"."""
    total = write_sum(split, base, number)
    test = f"{total} <= {number(split.high)}"
    if split.low is not None:
        test = f"({test}) {words('and')} ({total} >= {number(split.low)})"
    return test if split.inside else f"{words('not')} ({test})"


def write_sum(split: PowerLawSplit, base: Callable[[Factor], str], number: WriteNumber) -> str:
    """Write the sum of a split with a writer of factors."""
    total = ""
    for index, term in enumerate(split.terms):
        law = law_text(term, base)
        if index:
            sign = "-" if term.weight < 0 else "+"
            total += f" {sign} {number(abs(term.weight))} * {law}"
        else:
            total = f"{number(term.weight)} * {law}"
    return total


def law_text(
    term: PowerLaw,
    base: Callable[[Factor], str],
    times: str = " * ",
    over: str = " / ",
    one: str = "1.0",
) -> str:
    """Write a product of powers without its weight, the denominators' product below."""
    up, down = (
        times.join(base(f) for f in factors for _ in range(abs(f.exponent)))
        for factors in (term.numerators, term.denominators)
    )
    if not down:
        return f"({up})"
    return f"(({up or one}){over}({down}))"


def subtract_shift(text: str, factor: Factor, number: WriteNumber) -> str:
    """Subtract the shift; x - (-3) is written x + 3, which is the same double."""
    if not factor.shift:
        return text if factor.floor is None else f"({text})"
    sign = "-" if factor.shift > 0 else "+"
    inner = text if factor.floor is None else f"({text})"
    return f"({inner} {sign} {number(abs(factor.shift))})"

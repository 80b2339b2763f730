"""Probabilities of ordered uniform numbers in whole rationals."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

FACTORIALS = [math.factorial(i) for i in range(200)]


def exact_log(value: Fraction) -> float:
    with localcontext() as context:
        context.prec = 400
        return float((Decimal(value.numerator) / Decimal(value.denominator)).ln())


def stuart(numerators, denominator: int) -> Fraction:
    """Stuart's Q of ranks over one denominator: P(N(t) ≥ required at every distinct rank)."""
    n, state, before = len(numerators), {0: Fraction(1)}, 0
    for level in sorted(set(numerators)):
        required = sum(value <= level for value in numerators)
        step = Fraction(level - before, denominator)
        before = level
        powers = [step**j / FACTORIALS[j] for j in range(n + 1)]
        state = {
            b: sum(value * powers[b - a] for a, value in state.items() if a <= b)
            for b in range(required, n + 1)
        }
    return state[n] * FACTORIALS[n]


def crossing(levels, n: int) -> tuple[Fraction, Fraction]:
    """P(N(q_k) ≥ k for some k) of n numbers, by the first such k, and P(none) summed by itself."""
    state, before, crossed = {0: Fraction(1)}, Fraction(0), Fraction(0)
    for k, level in enumerate(levels, start=1):
        powers = [(level - before) ** j / FACTORIALS[j] for j in range(n + 1)]
        before = level
        moved: dict[int, Fraction] = {}
        for a, value in state.items():
            for b in range(a, n + 1):
                moved[b] = moved.get(b, Fraction(0)) + value * powers[b - a]
        state = {}
        for b, value in moved.items():
            if b >= k:
                crossed += value * (1 - level) ** (n - b) / FACTORIALS[n - b] * FACTORIALS[n]
            else:
                state[b] = value
    rest = sum(v * (1 - before) ** (n - b) / FACTORIALS[n - b] for b, v in state.items())
    return crossed, rest * FACTORIALS[n]

"""Every value of stabm in stability_sets.json and stability_exact.json, again from its definition.

    python tests/golden/check_stability_stabm.py

stabm cannot be had from Debian, so the two files cannot be made again by `make test`'s R.  The
selections in them are input; everything else is recomputed here in fractions, without pyfsagg, from
the definitions in the documentation of stabm, and compared.  The parameters of stability_sets.json
are: similarity exp(-|i - j|) of the features i and j, threshold 0.3, and no correction for chance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
Set = frozenset[int]
Number = Fraction | float
Pair = Callable[[Set, Set], Number]


def mean(values: Iterable[Number]) -> Number:
    found = list(values)
    return sum(found, Fraction(0)) / len(found)


def root(n: int, k: int) -> Number:
    """√(nk), exact where it is whole."""
    whole = math.isqrt(n * k)
    return Fraction(whole) if whole * whole == n * k else math.sqrt(n * k)


def plain(name: str, p: int) -> Pair:
    """A pair measure without similarities; it divides by zero where it is undefined."""

    def value(a: Set, b: Set) -> Number:
        n, k, shared = len(a), len(b), Fraction(len(a & b))
        chance = Fraction(n * k, p)
        if name in {"lustgarten", "phi", "wald"} and not (0 < n < p and 0 < k < p):
            raise ZeroDivisionError
        if name == "phi":
            return (shared - chance) / math.sqrt(
                n * k * (1 - Fraction(n, p)) * (1 - Fraction(k, p))
            )
        values: dict[str, Callable[[], Number]] = {
            "jaccard": lambda: shared / len(a | b),
            "dice": lambda: 2 * shared / (n + k),
            "ochiai": lambda: shared / root(n, k),
            "hamming": lambda: 1 - Fraction(len(a ^ b), p),
            "kappa": lambda: (shared - chance) / (Fraction(n + k, 2) - chance),
            "lustgarten": lambda: (shared - chance) / (min(n, k) - max(0, n + k - p)),
            "unadjusted": lambda: (shared - chance) / (root(n, k) - chance),
            "wald": lambda: (shared - chance) / (min(n, k) - chance),
        }
        return values[name]()

    return value


def adjusted(name: str, similar: list[list[Fraction]], threshold: Fraction) -> Pair:
    """A pair measure with similarities, not corrected for chance."""

    def near(i: int, j: int) -> bool:
        return similar[i - 1][j - 1] >= threshold

    def support(own: Set, other: Set) -> Number:
        return sum(Fraction(any(near(i, j) for j in other)) for i in own)

    def means(own: Set, other: Set) -> Number:
        rows = ([similar[i - 1][j - 1] for j in other if near(i, j)] for i in own)
        return sum((mean(row) for row in rows if row), Fraction(0))

    def greedy(own: Set, other: Set) -> int:
        edges = sorted(
            (-similar[i - 1][j - 1], min(i, j), max(i, j)) for i in own for j in other if near(i, j)
        )
        taken: set[int] = set()
        for _, i, j in edges:
            if not taken & {i, j}:
                taken |= {i, j}
        return len(taken) // 2

    def matching(own: Set, other: Set) -> int:
        partner: dict[int, int] = {}

        def place(i: int, seen: set[int]) -> bool:
            for j in other:
                if near(i, j) and j not in seen:
                    seen.add(j)
                    if j not in partner or place(partner[j], seen):
                        partner[j] = i
                        return True
            return False

        return sum(place(i, set()) for i in own)

    def value(a: Set, b: Set) -> Number:
        left, right, shared = a - b, b - a, Fraction(len(a & b))
        if name == "yu":
            if not a and not b:
                raise ZeroDivisionError
            return shared + (support(left, right) + support(right, left)) / 2
        if name == "zucknick":
            there = sum(similar[i - 1][j - 1] for i in a for j in right if near(i, j))
            back = sum(similar[i - 1][j - 1] for i in b for j in left if near(i, j))
            extra = (there / len(b) if there else 0) + (back / len(a) if back else 0)
            return (shared + extra) / len(a | b)
        values: dict[str, Callable[[], Number]] = {
            "intersection_count": lambda: shared + min(support(left, right), support(right, left)),
            "intersection_mean": lambda: shared + min(means(left, right), means(right, left)),
            "intersection_greedy": lambda: shared + greedy(left, right),
            "intersection_mbm": lambda: shared + matching(left, right),
        }
        return values[name]()

    return value


def corrected(name: str, pair: Pair, p: int) -> Pair:
    """(value - level) / (maximum - level), the level over all pairs of subsets of these sizes."""
    levels: dict[tuple[int, int], Number] = {}

    def value(a: Set, b: Set) -> Number:
        n, k = len(a), len(b)
        if (n, k) not in levels:
            ones, others = (
                [frozenset(c) for c in combinations(range(1, p + 1), size)] for size in (n, k)
            )
            levels[n, k] = mean(pair(x, y) for x in ones for y in others)
        maximum: Number = Fraction(1)
        if name.startswith("intersection"):
            maximum = root(n, k)
        elif name == "yu":
            maximum = Fraction(n + k, 2)
        return (pair(a, b) - levels[n, k]) / (maximum - levels[n, k])

    return value


def whole(name: str, sets: list[Set], p: int, strong: list[list[Fraction]]) -> Number:
    """A measure of the whole collection; `strong` holds the similarities from the threshold on."""
    m, counts = len(sets), [sum(j in s for s in sets) for j in range(1, p + 1)]
    q = sum(counts)
    shares = [Fraction(h, m) for h in counts]
    k, square = Fraction(q, m), mean(Fraction(len(s) ** 2) for s in sets)
    if name == "davis":
        return Fraction(q, m * sum(h > 0 for h in counts))
    if name == "novovicova":
        return sum(h * math.log2(h) for h in counts if h) / (q * math.log2(m))
    if name == "somol":
        d, h = q % p, q % m
        low = p * (q - d + sum(c * (c - 1) for c in counts)) - q * q + d * d
        return Fraction(low, p * (h * h + m * (q - h) - d) - q * q + d * d)
    if name == "nogueira":
        spread = mean(Fraction(m, m - 1) * f * (1 - f) for f in shares)
        return 1 - spread / (k / p * (1 - k / p))
    covariance = [
        [
            Fraction(m, m - 1)
            * (Fraction(sum({i, j} <= s for s in sets), m) - shares[i - 1] * shares[j - 1])
            for j in range(1, p + 1)
        ]
        for i in range(1, p + 1)
    ]
    own, between = k / p * (1 - k / p), (square - k) / (p * p - p) - k * k / (p * p)
    cells = [(i, j) for i in range(p) for j in range(p)]
    seen = sum(strong[i][j] * covariance[j][i] for i, j in cells)
    return 1 - seen / sum(strong[i][j] * (own if i == j else between) for i, j in cells)


WHOLE = {"davis", "novovicova", "somol", "nogueira", "sechidis"}
ADJUSTED = {"yu", "zucknick"}


def recompute(
    name: str,
    sets: list[Set],
    p: int,
    similar: list[list[Fraction]],
    threshold: Fraction,
    *,
    exact: bool = False,
    imputed: Fraction | None = None,
) -> Number:
    if name in WHOLE:
        strong = [[s if s >= threshold else Fraction(0) for s in row] for row in similar]
        return whole(name, sets, p, strong)
    with_similarity = name in ADJUSTED or name.startswith("intersection")
    pair = adjusted(name, similar, threshold) if with_similarity else plain(name, p)
    if exact:
        pair = corrected(name, pair, p)

    def value(a: Set, b: Set) -> Number:
        try:
            return pair(a, b)
        except ZeroDivisionError:
            if imputed is None:
                raise
            return imputed

    return mean(value(a, b) for a, b in combinations(sets, 2))


def read(name: str) -> Any:
    return json.loads((DATA / name).read_text(), parse_float=Fraction)


def snake(name: str) -> str:
    return name.replace("Intersection", "Intersection_").lower()


def differences() -> dict[str, float]:
    """How far each value of the two files is from its definition."""
    found: dict[str, float] = {}
    for number, case in enumerate(read("stability_sets.json")):
        p, sets = case["p"], [frozenset(row) for row in case["features"]]
        similar = [[Fraction(math.exp(-abs(i - j))) for j in range(p)] for i in range(p)]
        for name, expected in case["values"].items():
            value = recompute(snake(name), sets, p, similar, Fraction(3, 10))
            found[f"case {number}, {name}"] = abs(float(value) - float(expected))
    case = read("stability_exact.json")
    p, threshold = case["p"], case["threshold"]
    similar = [[Fraction(s) for s in row] for row in case["similarity"]]
    for key, features in (("exact", "features"), ("imputed", "features_with_empty_and_full")):
        sets = [frozenset(row) for row in case[features]]
        imputed = case["undefined_pairs_as"] if key == "imputed" else None
        for name, expected in case[key].items():
            value = recompute(
                name, sets, p, similar, threshold, exact=key == "exact", imputed=imputed
            )
            found[f"{key}, {name}"] = abs(float(value) - float(expected))
    return found


if __name__ == "__main__":
    for label, difference in differences().items():
        print(f"{difference:8.1e}  {label}")

"""Set measures: definitions, undefined pairs, chance correction and the forms of input."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from refusals import refused
from stability_cases import value
from subsets import all_subsets

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.stability_measures.measure import measure_stability

Bools = NDArray[np.bool_]
NAN = float("nan")


def selections(m: int = 7, p: int = 9, seed: int = 3) -> Bools:
    rng = np.random.default_rng(seed)
    return rng.random((m, p)) < rng.uniform(0.2, 0.8, p)


def slow_pair(name: str, a: Bools, b: Bools) -> float:
    """The measure of one pair by the definition; NaN where stabm has NA or NaN."""
    p, n, k, i = len(a), int(a.sum()), int(b.sum()), int((a & b).sum())
    expected = n * k / p
    degenerate = n in (0, p) or k in (0, p)
    try:
        return {
            "jaccard": lambda: i / int((a | b).sum()),
            "tanimoto": lambda: 1 - (n + k - 2 * i) / (n + k - i),
            "dice": lambda: 2 * i / (n + k),
            "ochiai": lambda: i / math.sqrt(n * k),
            "hamming": lambda: float((a == b).mean()),
            "kappa": lambda: (i - expected) / ((n + k) / 2 - expected),
            "lustgarten": lambda: (
                NAN if degenerate else (i - expected) / (min(n, k) - max(0, n + k - p))
            ),
            "phi": lambda: NAN if degenerate else float(np.corrcoef(a, b)[0, 1]),
            "unadjusted": lambda: (i - expected) / (math.sqrt(n * k) - expected),
            "wald": lambda: NAN if degenerate else (i - expected) / (min(n, k) - expected),
        }[name]()
    except ZeroDivisionError:
        return NAN


PAIRWISE = [
    "jaccard", "tanimoto", "dice", "ochiai", "hamming", "kappa", "lustgarten", "phi", "unadjusted",
    "wald",
]  # fmt: skip


@pytest.mark.parametrize("name", PAIRWISE)
def test_average_over_defined_pairs_with_empty_and_full_subsets(name: str) -> None:
    support = selections()
    support[[1, 4]], support[[2, 5]] = False, True
    pairs = [slow_pair(name, a, b) for a, b in itertools.combinations(support, 2)]
    found = measure_stability(support, name)
    assert found.value == pytest.approx(np.nanmean(pairs), abs=1e-12)
    assert found.n_undefined == np.isnan(pairs).sum()
    assert found.n_pairs + found.n_undefined == len(pairs)
    filled = value(support, name, undefined=0.25)
    assert filled == pytest.approx(np.mean(np.nan_to_num(pairs, nan=0.25)), abs=1e-12)


@pytest.mark.parametrize("fill", [False, True])
@pytest.mark.parametrize("name", [s.name for s in STABILITY_MEASURES if s.kind == "sets"])
def test_all_empty_or_all_full_subsets_have_a_stated_answer(name: str, fill: bool) -> None:
    support = np.full((4, 5), fill)
    needs = STABILITY_MEASURES.get(name).needs
    options = {"similarity": np.eye(5)} if "similarity" in needs else {}
    one_if_full = {"jaccard", "tanimoto", "dice", "ochiai", "novovicova", "davis", "zucknick"}
    if name == "hamming" or (fill and name in one_if_full):
        assert value(support, name, **options) == pytest.approx(1.0)
    else:
        with pytest.raises(DataError, match="undefined on these data"):
            value(support, name, **options)


def test_frequency_measures_by_their_definitions() -> None:
    support = selections()
    m, p = support.shape
    h = support.sum(axis=0)
    q, sizes = h.sum(), support.sum(axis=1)
    used = h[h > 0]
    novovicova = (used * np.log2(used)).sum() / (q * np.log2(m))
    assert value(support, "novovicova") == pytest.approx(novovicova, abs=1e-12)
    for penalty in (0.0, 1.0, 50.0):
        davis = max(0, q / (m * len(used)) - penalty * np.median(sizes) / p)
        assert value(support, "davis", penalty=penalty) == pytest.approx(davis, abs=1e-12)
    low = (q**2 - p * (q - q % p) - (q % p) ** 2) / (p * q * (m - 1))
    high = ((q % m) ** 2 + q * (m - 1) - (q % m) * m) / (q * (m - 1))
    somol = ((h * (h - 1)).sum() / (q * (m - 1)) - low) / (high - low)
    assert value(support, "somol") == pytest.approx(somol, abs=1e-12)


@pytest.mark.parametrize("name", ["jaccard", "tanimoto", "dice", "ochiai", "hamming"])
def test_exact_correction_is_the_mean_over_all_subsets(name: str) -> None:
    p = 6
    support = np.array([[1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0], [1, 1, 1, 1, 0, 0]], dtype=bool)
    slow = []
    for a, b in itertools.combinations(support, 2):
        every = itertools.product(all_subsets(p, int(a.sum())), all_subsets(p, int(b.sum())))
        level = np.mean([slow_pair(name, x, y) for x, y in every])
        slow.append((slow_pair(name, a, b) - level) / (1 - level))
    found = value(support, name, chance_correction="exact")
    assert found == pytest.approx(np.mean(slow), abs=1e-12)


@pytest.mark.parametrize(("name", "options"), [("davis", {"penalty": 0.3}), ("novovicova", {})])
def test_exact_correction_of_whole_collections(name: str, options: dict[str, float]) -> None:
    p, sizes = 4, (1, 2, 3)
    every = [all_subsets(p, size) for size in sizes]
    drawn = itertools.product(*every)
    level = np.mean([value(np.array(rows), name, input="sets", **options) for rows in drawn])
    support = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]], dtype=bool)
    plain = value(support, name, **options)
    maximum = max(1 - 0.3 / p, 1 / 3) if name == "davis" else 1.0
    found = value(support, name, chance_correction="exact", **options)
    assert found == pytest.approx((plain - level) / (maximum - level), abs=1e-12)


def test_forms_of_input_agree() -> None:
    support = selections()
    names = [f"f{j}" for j in range(support.shape[1])]
    as_names = [{names[j] for j in np.flatnonzero(row)} for row in support]
    as_positions = [np.flatnonzero(row).tolist() for row in support]
    expected = value(support, "nogueira")
    p = len(names)
    for data, options in (
        (support.astype(int), {}),
        (support.tolist(), {}),
        (pd.DataFrame(support, columns=names), {}),
        (as_names, {"n_features": p}),
        (as_names, {"feature_names": names}),
        ([sorted(row) for row in as_names], {"n_features": p}),
        (as_positions, {"n_features": p}),
        (as_positions, {"feature_names": names}),
        ([np.array(row, dtype=int) for row in as_positions], {"n_features": p}),
    ):
        found = measure_stability(data, "nogueira", **options)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert (found.kind, found.n_features) == ("sets", p)
    of_names = measure_stability(as_names, "jaccard")
    assert (of_names.value, of_names.n_features) == (value(support, "jaccard"), 0)
    phi = value(support, "phi")
    assert value(as_names, "pearson", n_features=p) == pytest.approx(phi)


def test_features_that_nothing_selects_count_in_p() -> None:
    sets = [{"a", "b"}, {"b", "c"}, {"a", "b"}]
    wide = np.zeros((3, 20), dtype=bool)
    for row, chosen in zip(wide, sets, strict=True):
        row[["abc".index(name) for name in chosen]] = True
    for spec in STABILITY_MEASURES:
        if spec.kind == "sets" and "similarity" not in spec.needs:
            found = value(sets, spec.name, n_features=20)
            assert found == pytest.approx(value(wide, spec.name), abs=1e-12), spec.name


def test_unknown_p_is_refused_where_it_matters() -> None:
    sets, message = [{"a"}, {"a", "b"}], "pass n_features"
    names = [s.name for s in STABILITY_MEASURES if s.needs == ("n_features",)]
    refused(value, *(((sets, name), {}, ParameterError, message) for name in names))
    exact = {"chance_correction": "exact"}
    for name in ("jaccard", "novovicova"):
        refused(value, ((sets, name), exact, ParameterError, message))


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ([{"a"}], {"n_features": 3}, DataError, "at least 2"),
        ([["a", "a"], ["b"]], {"n_features": 3}, DataError, "twice"),
        ([{"a"}, {"b"}], {"n_features": 1}, ParameterError, "2 different features"),
        ([{0}, {3}], {"n_features": 3}, DataError, "position from 0 to 2"),
        ([{-1}, {1}], {"n_features": 3}, DataError, "position from 0 to 2"),
        ([{"a"}, {"z"}], {"feature_names": ["a", "b"]}, DataError, "'z'"),
        ([{"a"}, {"b"}], {"feature_names": ["a", "a"]}, DataError, "twice"),
        ([{"a"}, {"b"}], {"feature_names": ["a", "b"], "n_features": 3}, ParameterError, "has 2"),
        ([{"a"}, "b"], {"n_features": 3}, InputTypeError, "'list2' is the text 'b'"),
        ([{1.5}, {2.5}], {"n_features": 3}, InputTypeError, "name or by position"),
        (np.array([[True, False]]), {}, DataError, "at least 2"),
        (np.eye(3, dtype=bool), {"n_features": 4}, ParameterError, "3 columns"),
        (np.eye(3, dtype=bool), {"chance_correction": "estimate"}, ParameterError, "has no option"),
        ([{"a"}, {"b"}], {"n_features": 0}, ParameterError, "n_features"),
    ],
)
def test_bad_collections_are_refused(data, options, error, message):
    with pytest.raises(error, match=message):
        measure_stability(data, "nogueira", **options)  # type: ignore[arg-type]


def test_values_other_than_zero_and_one_are_no_selection() -> None:
    two, eye = np.array([[0, 2], [1, 1]]), np.eye(3, dtype=bool)
    exact = {"chance_correction": "exact"}
    refused(
        value,
        ((two, "jaccard"), {"input": "sets"}, DataError, "booleans or 0/1"),
        ((eye, "kappa"), exact, ParameterError, "chance_correction"),
    )


def test_many_rows_go_through_several_blocks() -> None:
    support = selections(m=1500, p=12)
    member = support.astype(float)
    shared = member @ member.T
    size = member.sum(axis=1)
    with np.errstate(invalid="ignore"):
        cells = shared / (size[:, None] + size - shared)
    expected = np.nanmean(cells[np.triu_indices(1500, 1)])
    assert value(support, "jaccard") == pytest.approx(expected, abs=1e-12)

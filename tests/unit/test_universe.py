"""Whether lists come from as many items as is said: the bound, its level and power, and where it is told."""

import re

import numpy as np
import pytest
from scipy.stats import hypergeom

from pyfsagg import Rankings
from pyfsagg.aggregation import Aggregation, aggregate, check_universe
from pyfsagg.aggregation.about_lists import tail_bound
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning


def lists_of(rng, n_lists, length, pool, common=0):
    """Lists of `pool` items whose upper halves hold the first `common` of them, in any order."""
    lists = []
    for _ in range(n_lists):
        rest = common + rng.permutation(pool - common)[: length - common]
        half = length // 2
        top = rng.permutation(np.r_[np.arange(common), rest[: half - common]])
        lists.append([f"g{j}" for j in (*top, *rest[half - common :])])
    return lists


def exact_tail(repeats, parts, n):
    """P(R >= repeats): the union of random sets grows by hypergeometric steps."""
    union = np.zeros(n + 1)
    union[0] = 1.0
    for size in parts:
        grown = np.zeros(n + 1)
        for held in np.flatnonzero(union):
            known = np.arange(max(0, size - (n - held)), min(size, held) + 1)
            grown[held + size - known] += union[held] * hypergeom.pmf(known, n, held, size)
        union = grown
    return union[: int(sum(parts)) - repeats + 1].sum()


@pytest.mark.parametrize(
    ("parts", "n"), [([5, 8, 3], 20), ([10, 10], 40), ([6] * 5, 60), ([9, 12, 1], 12)]
)
def test_the_bound_is_above_the_exact_tail_and_near_it(parts, n) -> None:
    known = np.array(parts, dtype=float)
    for repeats in range(sum(parts) - max(parts) + 1):
        exact, bound = exact_tail(repeats, parts, n), tail_bound(repeats, known, n)
        assert bound >= exact - 1e-12
        if 1e-6 < exact < 0.05:
            assert bound < max(4.0 * exact, exact + 0.03)


def test_places_that_count() -> None:
    lists = [["a", "b", "c", "d"], ["e", "f", "c", "d"], ["d", "c", "g", "h"]]
    check = check_universe(Rankings.from_lists(lists, universe=[1000, 800, 900]))
    assert (check.universe, check.n_lists, check.n_entries, check.n_repeats) == (800, 3, 6, 2)
    left = 798
    assert check.expected == pytest.approx(6 - left * (1 - (1 - 2 / left) ** 3), rel=1e-10)
    assert 4 < check.pool < check.pool_upper < 800
    more = Rankings.from_lists(lists, universe=1000, unranked=[["a", "b", "c", "d"]])
    with_unranked = check_universe(more)
    assert (with_unranked.n_lists, with_unranked.n_repeats) == (3, 2)
    whole = check_universe(Rankings.from_lists(lists, universe=1000), top_share=0.0)
    assert (whole.n_entries, whole.n_repeats) == (9, 3)  # the first place never counts
    none = check_universe(Rankings.from_lists(lists, universe=1000), confidence_level=0.999999)
    assert none.pool is none.pool_upper is None
    for settings in ({"top_share": 1.5}, {"confidence_level": 0.0}):
        with pytest.raises(ParameterError):
            check_universe(more, **settings)


def test_ties_are_below_if_their_best_place_is() -> None:
    rng = np.random.default_rng(2)
    lists = lists_of(rng, 4, 20, 60)
    tied = [[*names[:10], tuple(names[10:])] for names in lists]
    expected = check_universe(Rankings.from_lists(lists, 900))
    assert check_universe(Rankings.from_lists(tied, 900)) == expected
    across = [[*names[:8], tuple(names[8:12]), *names[12:]] for names in lists]
    assert check_universe(Rankings.from_lists(across, 900)).n_entries == 4 * 8
    scores = rng.random((6, 60))
    scores[np.argsort(rng.random((6, 60)), axis=1) % 2 == 0] = np.nan
    scores = scores[:, ~np.isnan(scores).all(axis=0)]
    table = Rankings.from_scores(scores, absent="worst", universe=500)
    assert check_universe(table).pool_upper < 500


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Rankings.from_lists([["a", "b"], ["b", "c"]], absent="unknown"), "its own universe"),
        (Rankings.from_lists([["a", "b"], ["b", "a"]]), "its own universe"),
        (Rankings.from_normalized_ranks([[0.1, np.nan], [0.3, 1.0]], absent="worst"), "its own"),
        (Rankings.from_lists([["a"], ["a", "c"]], universe=90), "two ranked lists"),
        (Rankings.from_lists([["a", "b"]], 90, unranked=[["b", "d"]]), "two ranked lists"),
    ],
)
def test_tables_without_a_universe_to_check(table, message) -> None:
    with pytest.raises(DataError, match=message):
        check_universe(table)
    assert aggregate(table, "rra").universe_check is None


def test_it_is_told_and_kept(tmp_path) -> None:
    lists = lists_of(np.random.default_rng(3), 5, 50, 300)
    with pytest.warns(PyfsaggWarning, match="these lists repeat far more items"):
        result = aggregate(Rankings.from_lists(lists, universe=2000), "rra")
    check = result.universe_check
    assert check._contradicted
    for told in (result._answer(), result.sentences):  # the second is what R prints
        assert told[0] == check.sentence
        assert re.fullmatch(r"If the universe is right, .* this number has no meaning\.", told[1])
        assert "items have an adjusted p-value of at most 0.05; otherwise" in told[1]
    first = " ".join(result.summary_text().split())
    assert first.startswith(check.sentence)
    assert first.index("have an adjusted p-value") > len(check.sentence)
    assert any("could contain any of 2,000 items" in each for each in result.sentences)
    told = " ".join(result.summary_text().split())
    assert f"from at most {check.pool_upper:,} with 95% confidence" in told
    assert "the repeats do not show which" in result.to_html()
    assert f"assume a universe of 2,000, its lists at most {check.pool_upper}" in repr(result)
    assert result.save(tmp_path / "run").is_dir()
    assert Aggregation.load(tmp_path / "run").universe_check == check
    assert check.to_frame().loc[0, "n_repeats"] == check.n_repeats
    right = aggregate(Rankings.from_lists(lists, universe=300), "rra")
    assert right.universe_check.pool_upper is None
    assert right.universe_check.sentence in right._pool
    assert "no sign of a smaller universe" in repr(right.universe_check)
    assert repr(right).endswith("p-values assume a universe of 300)")
    assert aggregate(Rankings.from_lists(lists, universe=2000), "mean_rank").universe_check is None


def test_several_methods_on_one_table_are_told_before_any_count() -> None:
    # The best 50 of 500 columns of noise by a statistic, and by others that hardly differ from it.
    noise = np.random.default_rng(0)
    score = noise.normal(size=500)
    orders = [np.argsort(-score + 0.2 * noise.normal(size=500))[:50] for _ in range(8)]
    table = Rankings.from_lists([[f"f{j}" for j in order] for order in orders], universe=500)
    with pytest.warns(PyfsaggWarning, match="repeat far more items"):
        result = aggregate(table, "rra", exact=True)
    assert (result.adjusted_p_values <= 0.05).sum() > 30  # of noise alone
    assert result.universe_check.p_value < 1e-6
    html = result._repr_html_()
    text = html if "adjusted p-value" in html else result.to_html()
    assert text.index("entries repeat an item") < text.index("have an adjusted p-value")

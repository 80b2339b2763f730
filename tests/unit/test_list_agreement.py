"""How deep lists agree."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg import Rankings, stability
from pyfsagg.aggregation import ListAgreement, list_agreement
from pyfsagg.aggregation.agreement import overlap_of_uneven_lists, truncation_point
from pyfsagg.exceptions import DataError, ParameterError

CONFIRMED = Path(__file__).parents[1] / "golden" / "data" / "breast_confirmed.csv"
"""Of three ranked lists of 917 genes (TopKLists 1.0.8, ``breast``) whether the item at each place of a
list is within 6 places in another: 0 and 1 for the first 200 places, none of the later matters."""


def test_pairs_of_the_breast_cancer_lists() -> None:
    """What ``j0.multi(breast, d = 6, v = 10)`` of TopKLists gives; the largest is 14."""
    expected = {
        ("TransBig", "MDCC"): 8, ("MDCC", "TransBig"): 10, ("TransBig", "Pusztai"): 8,
        ("Pusztai", "TransBig"): 10, ("MDCC", "Pusztai"): 12, ("Pusztai", "MDCC"): 14,
    }  # fmt: skip
    with CONFIRMED.open(encoding="utf-8") as lines:
        rows = {(row[0], row[1]): np.array(list(row[2]), dtype=int) for row in csv.reader(lines)}
    assert {pair: truncation_point(near, 10) for pair, near in rows.items()} == expected


def test_ends_and_curve_by_hand() -> None:
    assert truncation_point(np.ones(40), 10) == 40
    assert truncation_point(np.zeros(40), 10) is None
    # Down to place 1, up to 12, down to 3, up, down: with stretches of 10, from the third on of 9.
    assert truncation_point(np.r_[0, np.ones(9)], 10) == np.ceil(3 + 9 / 2)
    names = [f"g{j}" for j in range(60)]
    assert list_agreement([names, names]).k == 60
    nowhere = list_agreement([names, names[::-1]], distance=0)
    assert nowhere.k is None
    assert "finds no place" in nowhere.sentences[0]
    found = list_agreement([list("abcd"), list("bae"), list("fab")])
    # abcd and bae; abcd and fab; bae and fab
    shares = np.array([[0, 2 / 2, 2 / 3, 2 / 4], *[[0, 1 / 2, 2 / 3, 2 / 4]] * 2])
    expected = [shares.mean(axis=0), shares.min(axis=0), shares.max(axis=0)]
    np.testing.assert_allclose(found.curve[["mean", "lowest", "highest"]].T, expected)


def _overlap(left: list[int], right: list[int], q: float) -> float:
    """Rank-biased overlap of two long lists by its definition."""
    total, seen_left, seen_right = 0.0, set(), set()
    for d, (a, b) in enumerate(zip(left, right, strict=True), start=1):
        seen_left.add(a)
        seen_right.add(b)
        total += len(seen_left & seen_right) / d * q ** (d - 1)
    return (1 - q) * total


@pytest.mark.parametrize("seed", range(6))
def test_limits_of_rank_biased_overlap_are_reached(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = rng.permutation(9)[: 3 + seed], rng.permutation(9)[:5]
    q, depth = 0.8, 200
    value, low, high = overlap_of_uneven_lists(left, right, q)
    assert low - 1e-12 <= value <= high + 1e-12
    # Nothing in common beyond the ends ...
    apart = [
        list(given) + list(range(start, start + depth - len(given)))
        for given, start in ((left, 1000), (right, 5000))
    ]
    assert low == pytest.approx(_overlap(*apart, q), abs=1e-9)
    # ... or whatever the other has already, at once, and then the same.
    ends: list[list[int]] = [list(left), list(right)]
    while min(map(len, ends)) < depth:
        shorter, longer = sorted(ends, key=len)
        lacking = [item for item in longer if item not in shorter]
        if lacking:
            shorter.append(lacking[0])
        elif len(shorter) < len(longer) or any(item not in longer for item in shorter):
            longer.append(next(item for item in shorter if item not in longer))
        else:
            new = 1000 + len(shorter)
            shorter.append(new)
            longer.append(new)
    assert high == pytest.approx(_overlap(ends[0][:depth], ends[1][:depth], q), abs=1e-6)


def test_even_lists_extrapolate_and_names_are_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    ranks = np.stack([rng.permutation(30) + 1.0 for _ in range(2)])
    found = list_agreement(Rankings.from_ranks(ranks), persistence=0.9)
    params = {"persistence": 0.9}
    other = stability(pd.DataFrame(-ranks), "rank_biased_overlap", measure_params=params)
    assert found.pairs["rbo"].iloc[0] == pytest.approx(float(other))
    found = list_agreement({"01": list("abc"), "2": list("acb")})
    found.save(tmp_path / "kept")
    again = ListAgreement.load(tmp_path / "kept")
    pd.testing.assert_frame_equal(again.pairs, found.pairs)
    pd.testing.assert_frame_equal(again.curve, found.curve)


def test_the_page_and_the_picture_say_what_was_found() -> None:
    rng = np.random.default_rng(0)
    top = [f"g{j}" for j in range(30)]
    found = list_agreement([top + [f"t{j}" for j in rng.permutation(200)] for _ in range(3)])
    legend = found.plot().get_legend_handles_labels()[1]
    assert f"agreement ends: place {found.k}" in legend
    lists = {"first": list("abcdef"), "second": list("badcfe"), "third": list("xyz")}
    found = list_agreement(lists, distance=1)
    page = found.to_html(data_name="lists.txt")
    for said in (*found.sentences, "Agreement of the lists in lists.txt", "second", "Webber"):
        assert said in page
    assert repr(found) == "ListAgreement(3 lists, 9 items; agreement ends at place 6)"
    assert "third" in found.summary_text()
    mixed = Rankings.from_lists([list("abc"), list("bca")], unranked=[list("cab")])
    assert "1 list without an order" in list_agreement(mixed).sentences[-1]


def test_distance_pilot_and_persistence_out_of_range_are_refused() -> None:
    for lists, options, error, said in (
        (["ab", "ba"], {"distance": -1}, ParameterError, "distance"),
        (["ab", "ba"], {"pilot": 1}, ParameterError, "pilot"),
        (["ab", "ba"], {"persistence": 1.0}, ParameterError, "persistence"),
        (["ab"], {}, DataError, "at least two lists"),
    ):
        with pytest.raises(error, match=said):
            list_agreement([list(each) for each in lists], **options)

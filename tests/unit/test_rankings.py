"""One noun: every object that says m rankings over p items goes into every verb that is defined for it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg import Rankings
from pyfsagg.aggregation import compare_aggregations
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggError
from pyfsagg.stability_measures.chance import select
from pyfsagg.stability_measures.measure import measure_stability

ITEMS = list("abcdefgh")
M, P = 6, len(ITEMS)
RNG = np.random.default_rng(5)
SCORES = RNG.normal(np.arange(P) / 2.0, size=(M, P))
FRAME = pd.DataFrame(SCORES, columns=ITEMS)
LISTS = [
    [ITEMS[j] for j in np.argsort(-row)[:k]]
    for row, k in zip(SCORES, (4, 3, 5, 4, 4, 3), strict=True)
]
NAMED = {f"s{i}": one for i, one in enumerate(LISTS)}
SETS = [set(one) for one in LISTS]
SUPPORT = np.array([[item in one for item in ITEMS] for one in SETS])
X = pd.DataFrame(RNG.normal(size=(60, P)), columns=ITEMS)
Y = (X["a"] + X["b"] / 2 + RNG.normal(size=60) > 0).astype(int)
RUN = pyfsagg.wam(X, Y, filter="auc", n_resamples=M, random_state=0)
RANKED = Rankings.from_lists(NAMED, universe=P)
COMBINED = pd.DataFrame(RUN.combined, columns=ITEMS)
AS_SETS = Rankings.from_lists(SETS, universe=P)

OBJECTS = {
    "array": SCORES,
    "frame": FRAME,
    "lists": LISTS,
    "dict of lists": NAMED,
    "sets": SETS,
    "0/1 matrix": SUPPORT.astype(int),
    "rankings": RANKED,
    "run": RUN,
    "committee": pyfsagg.vote(SUPPORT),
    "aggregation": pyfsagg.aggregate(RANKED, "mean_rank"),
}

VERBS = {
    "aggregate": lambda x, **how: pyfsagg.aggregate(x, "mean_rank").to_frame(),
    "vote": lambda x, **how: pyfsagg.vote(x).to_frame().sort_index(),
    "list_agreement": lambda x, **how: (
        pyfsagg.aggregation.list_agreement(x, pilot=2, distance=1)
        .to_frame()
        .drop(columns=["list", "other"])
    ),
    "stability": lambda x, **how: pyfsagg.stability(x, random_state=0, **how).table,
    "feature_stability": lambda x, **how: pyfsagg.stability_measures.feature_stability(x, **how),
    "nogueira": lambda x, **how: pd.Series(
        [pyfsagg.stability_measures.nogueira(x, **how).estimate]
    ),
    "adequacy": lambda x, **how: pd.Series(
        pyfsagg.stability_measures.adequacy(x, random_state=0).summary()
    ),
    "stability_curve": lambda x, **how: pyfsagg.stability_measures.stability_curve(
        x, random_state=0
    ),
    "influence_of_lists": lambda x, **how: pyfsagg.aggregator_influence.influence_of_lists(
        x, ["mean_rank", "median_rank"], n_splits=3, random_state=0
    ).to_frame(),
}

AMOUNT = ("stability", "feature_stability", "nogueira")
"""Verbs that are told the number of features where lists and sets do not say it."""
OF_NAMES = ("lists", "dict of lists", "sets")

PLAIN = {
    "frame": {"aggregate": FRAME},
    "dict of lists": dict.fromkeys(VERBS, LISTS),
    "sets": {
        "aggregate": Rankings.from_lists({}, unranked=LISTS),
        "influence_of_lists": Rankings.from_lists({}, unranked=map(sorted, LISTS)),
        "vote": LISTS,
    },
    "rankings": {
        "vote": LISTS,
        **dict.fromkeys(AMOUNT, LISTS),
    },
    "run": dict.fromkeys(VERBS, COMBINED),
    "committee": {
        **dict.fromkeys(("vote", *AMOUNT), SUPPORT),
        **dict.fromkeys(("aggregate", "influence_of_lists"), None),
    },
    "aggregation": {
        "aggregate": RANKED,
        "list_agreement": LISTS,
        "influence_of_lists": RANKED,
        "vote": LISTS,
        **dict.fromkeys(AMOUNT, LISTS),
    },
}
"""What the value of a verb is compared with: that of a plain table or lists."""

CUT_OFF = "do not order all features"
REFUSED = {
    **{("list_agreement", one): "has an order" for one in ("sets", "committee")},
    **{
        (verb, one): CUT_OFF
        for verb in ("adequacy", "stability_curve")
        for one in (*OF_NAMES, "rankings", "committee", "aggregation")
    },
}
"""Pairs that are not defined, and the reason that the error states."""

PAIRS = [(verb, one) for one in OBJECTS for verb in VERBS]
WORKING = [pair for pair in PAIRS if pair not in REFUSED]


def value(verb, data) -> pd.DataFrame | pd.Series:
    of_names = isinstance(data, (list, dict)) and verb in AMOUNT
    return VERBS[verb](data, **({"n_features": P} if of_names else {}))


def test_the_table_has_ninety_pairs_of_which_most_are_defined() -> None:
    assert len(PAIRS) == 90
    assert len(WORKING) >= 75


@pytest.mark.parametrize(("verb", "one"), WORKING)
def test_a_verb_takes_every_object_for_which_it_is_defined(verb, one) -> None:
    found = value(verb, OBJECTS[one])
    plain = PLAIN.get(one, {}).get(verb)
    if plain is None:
        assert len(found) > 0
    else:
        expected = value(verb, plain)
        if one == "committee":  # the names of an array are x0, x1, …
            names = {f"x{j}": item for j, item in enumerate(ITEMS)}
            found, expected = (each.rename(index=names) for each in (found, expected))
        assert found.reset_index(drop=True).equals(expected.reset_index(drop=True))


@pytest.mark.parametrize(("verb", "one"), REFUSED)
def test_other_pairs_are_refused_with_the_reason(verb, one) -> None:
    with pytest.raises(PyfsaggError, match=REFUSED[verb, one]):
        value(verb, OBJECTS[one])


def test_a_committee_is_aggregated_as_its_sets() -> None:
    of_sets = pyfsagg.aggregate(AS_SETS, "mean_rank").to_frame()["statistic"]
    named = pyfsagg.vote(pd.DataFrame(SUPPORT, columns=ITEMS))
    found = pyfsagg.aggregate(named, "mean_rank").to_frame()["statistic"]
    pd.testing.assert_series_equal(found.sort_index(), of_sets.sort_index())
    with pytest.raises(DataError, match="'voter 2' is empty"):
        pyfsagg.aggregate(pyfsagg.vote([["a"], []]), "mean_rank")


def test_a_set_has_no_order_wherever_it_stands() -> None:
    tied = Rankings.from_lists({"s": [("x", "y", "z")], "t": ["y", "x"]})
    for lists in ({"s": {"z", "x", "y"}, "t": ["y", "x"]}, [{"z", "x", "y"}, ["y", "x"]]):
        found = Rankings.of(lists)
        assert found.items == ("x", "y", "z")
        np.testing.assert_array_equal(found.ranks, tied.ranks)


def test_rankings_of_everything(tmp_path: Path) -> None:
    assert Rankings.of(RANKED) is RANKED
    (tmp_path / "s.txt").write_text("a\nb\n")
    (tmp_path / "t.txt").write_text("b\n")
    files = Rankings.of([tmp_path / "s.txt", tmp_path / "t.txt"])
    assert (files.names, files.items) == (("s", "t"), ("a", "b"))
    assert Rankings.of(tmp_path / "s.txt").n_lists == 1
    methods = Rankings.of(compare_aggregations(RANKED, ["mean_rank", "borda"]))
    assert methods.names == ("mean_rank", "borda")
    for strange in (3, "abc", None, Rankings):
        with pytest.raises(pyfsagg.exceptions.InputTypeError, match="must be Rankings"):
            Rankings.of(strange)


def test_the_universe_is_the_number_of_features_to_choose_from() -> None:
    found = pyfsagg.stability_measures.nogueira(Rankings.from_lists(LISTS, universe=20))
    assert found.estimate == pyfsagg.stability_measures.nogueira(LISTS, n_features=20).estimate
    with pytest.raises(ParameterError, match="to choose from"):
        pyfsagg.stability_measures.nogueira(Rankings.from_lists(LISTS))
    with pytest.raises(ParameterError, match="universe of the rankings is 20"):
        pyfsagg.stability_measures.nogueira(Rankings.from_lists(LISTS, universe=20), n_features=30)


def test_complete_lists_are_ranks_and_unknown_items_unseen() -> None:
    orders = [[ITEMS[j] for j in np.argsort(-row)] for row in SCORES]
    found = pyfsagg.stability(Rankings.of(orders), "spearman", random_state=0)
    expected = measure_stability(SCORES, "spearman", random_state=0)
    assert found.table["value"].iloc[0] == pytest.approx(float(expected), rel=1e-12)
    judged = Rankings.from_lists([["a", "b", "c"], ["b", "a"]], absent="unknown")
    table = pyfsagg.stability_measures.feature_stability(judged, n_features_to_select=1)
    assert table["seen"].to_dict() == {"a": 2, "b": 2, "c": 1}
    with pytest.raises(DataError, match="finite"):
        pyfsagg.stability_measures.nogueira(judged)


def test_weights_count_where_there_are_some_and_are_not_lost_elsewhere() -> None:
    weighted = RANKED.weighted([1, 2, 1, 1, 1, 3])
    given = pyfsagg.vote(weighted).ranking
    assert given.equals(pyfsagg.vote(RANKED, voter_weights=[1, 2, 1, 1, 1, 3]).ranking)
    with pytest.raises(DataError, match="have weights"):
        pyfsagg.stability(weighted)


def test_scores_and_ranks_vote_with_their_best() -> None:
    best = pyfsagg.vote(RUN, n_features_to_select=3)
    assert (best.support.sum(axis=1) == 3).all()
    expected = pyfsagg.vote(Rankings.of(COMBINED).top(3) == 1.0, feature_names=ITEMS)
    assert best.ranking.equals(expected.ranking)


def test_results_of_several_methods_ask_which() -> None:
    one, two = (
        pyfsagg.influence(
            X, Y, filter="auc", aggregators=names, n_resamples=3, n_folds=4, random_state=0
        )
        for names in (["am"], ["am", "gm"])
    )
    assert Rankings.of(one).n_lists == 4
    with pytest.raises(DataError, match="2 pairs of filter and aggregator"):
        Rankings.of(two)


def test_top_is_the_expected_membership() -> None:
    tied = np.round(SCORES)
    for k in range(1, P + 1):
        chosen = select(measure_input(tied), k, "random").membership
        np.testing.assert_array_equal(Rankings.of(tied).top(k), chosen)
        ranks = Rankings.from_ranks(Rankings.of(tied).ranks)
        np.testing.assert_array_equal(ranks.top(k), chosen)
    assert RANKED.top(4).sum(axis=1).tolist() == [4, 3, 4, 4, 4, 3]
    assert RANKED.depth.tolist() == [4, 3, 5, 4, 4, 3]


def measure_input(scores):
    from pyfsagg.stability_measures._input import read_matrix

    return read_matrix(scores, kind="scores")


def test_resamples_of_one_table_give_no_p_values() -> None:
    X = np.random.default_rng(3).normal(size=(60, 8))
    run = pyfsagg.wam(X, np.arange(60) % 2, filter="welch_t", n_resamples=40, random_state=0)
    found = pyfsagg.aggregate(run)
    assert found.p_values is None
    assert any("one data set" in remark for remark in found.remarks)
    # The same numbers as lists of independent studies: there the formula holds, here it would not.
    assert pyfsagg.aggregate(run.combined).p_values.min() < 0.05
    np.testing.assert_array_equal(found.scores, pyfsagg.aggregate(run.combined).scores)

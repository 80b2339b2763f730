"""Standings of methods over data sets."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pyfsagg
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.score_tables import MetricStandings, Standings
from pyfsagg.score_tables._tests import (
    additive_means,
    friedman_exact,
    ranks_within,
    skillings_mack,
)
from pyfsagg.score_tables.question import _within, score_table
from pyfsagg.statistics import bayesian_t_tests, pairwise_tests, rank_confidence, wilcoxon

NAN = np.nan
ASSEMBLY = np.array(
    [
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ]
)
"""Minutes of assembling a product in four ways (Skillings and Mack 1981, Table 1)."""


COLUMNS = {"method": "m", "dataset": "data", "value": "v"}
HIGHER = {"gain": True, "loss": False}


def scores(n: int = 14, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = 0.4 * rng.normal(size=(n, 5)) + [2.0, 1.5, 0.5, 0.4, 0.0]
    values += rng.normal(size=(n, 1))
    names = pd.Index([f"d{i}" for i in range(n)], name="data")
    return pd.DataFrame(values, columns=list("abcde"), index=names)


def by_pair(table: pd.DataFrame, **options: object) -> pd.DataFrame:
    return pyfsagg.standings(table, **options).pairs().set_index(["method1", "method2"])


def test_skillings_mack_is_that_of_r() -> None:
    # Ski.Mack of the R package Skillings.Mack 1.10, on R 4.2.2.
    found = skillings_mack(ranks_within(ASSEMBLY, higher_is_better=False))
    assert found.statistic == pytest.approx(15.493049, abs=1e-6)
    assert (found.df, round(found.p_value, 6)) == (3.0, 0.001440)
    whole = ranks_within(ASSEMBLY[[0, 1, 2, 3, 4, 7]], higher_is_better=False)
    friedman = stats.friedmanchisquare(*whole.T)
    assert skillings_mack(whole).statistic == pytest.approx(friedman.statistic)


def test_a_wide_table() -> None:
    frame = scores()
    result = pyfsagg.standings(frame)
    assert isinstance(result, Standings)
    table = result.to_frame()
    np.testing.assert_allclose(table["mean"], frame.mean()[table.index])
    assert table["place"].tolist() == [1, 2, 3, 4, 5]
    sets = rank_confidence(frame)
    for name in ("lower", "upper", "lower_all", "upper_all"):
        np.testing.assert_array_equal(getattr(result.sets(), name), getattr(sets, name))
    ranks = frame.rank(axis=1, ascending=False)
    np.testing.assert_allclose(table["average_rank"], ranks.mean()[table.index])
    by_rank, sets = (
        pyfsagg.standings(frame, by="rank"),
        rank_confidence(ranks, higher_is_better=False),
    )
    np.testing.assert_array_equal(by_rank.sets().lower_all, sets.lower_all)
    assert by_rank.test == "wilcoxon"
    text = result.summary_text()
    assert text.index("places") < text.index("Average rank")
    assert "data sets like these" in text
    assert "Nothing is said about these data sets" in text


def test_sentences_of_certain_and_uncertain_places() -> None:
    def said(values: np.ndarray) -> list[str]:
        names = list("abcdefg")[: values.shape[1]]
        return list(map(str, pyfsagg.standings(pd.DataFrame(values, columns=names)).sentences))

    noise = 0.01 * np.random.default_rng(0).normal(size=(12, 7))
    clear, pairs, other, _ = said(noise + np.arange(7.0))
    assert clear.startswith("All 7 places are certain, and the first is g.")
    assert pairs.endswith("divide the methods into 7 classes: g | f | e | d | c | b | and 1 more.")
    assert other.startswith("Nothing is said about these data sets, with other instances")
    some, pairs, *_ = said(noise[:, :4] + [0.0, 0.0, 1.0, 2.0])
    assert some.startswith("2 of 4 places are certain (d and c), and the first is d.")
    assert pairs.endswith("divide the methods into 3 classes: d | c | a and b.")
    none, pairs, *_ = said(noise[:, :3])
    assert none.startswith("No place is certain, and any of the 3 methods may be the first.")
    assert pairs.startswith("No pair can be distinguished")
    noise[0, 0] = NAN
    *_, holes = said(noise + np.arange(7.0))
    assert holes.startswith("1 of 84 scores are missing.")
    assert holes.endswith("any result on these data sets, no mean would change its place.")


def test_pairs_are_those_of_the_tests() -> None:
    frame = scores()
    for test in ("t", "wilcoxon"):
        found = by_pair(frame, test=test)
        known = pairwise_tests(frame, test=test).to_frame().set_index(["group1", "group2"])
        known = known.loc[found.index]
        np.testing.assert_allclose(found["p_adjusted"], known["p_adjusted"], rtol=1e-9)
    first, gap = found.loc[("a", "b")], frame["a"] - frame["b"]
    games = [14, (gap > 0).sum(), 0, (gap < 0).sum()]
    assert first[["n", "wins", "ties", "losses"]].tolist() == games
    interval = stats.ttest_1samp(gap, 0).confidence_interval()
    assert (first["lower"], first["upper"]) == pytest.approx((interval.low, interval.high))
    wilson = stats.binomtest(int((gap > 0).sum()), 14).proportion_ci(method="wilson")
    assert (first["superiority_lower"], first["superiority_upper"]) == pytest.approx(wilson)
    # Equal differences are judged by their signs, and signed ranks are exact with ties.
    equal = by_pair(pd.DataFrame(np.arange(9.0)[:, None] + [1.0, 0.0, 0.0], columns=list("abc")))
    assert (equal.loc[("a", "b"), "p"], equal.loc[("b", "c"), "p"]) == (2.0**-8, 1.0)
    frame = scores(10).round(0)
    known = wilcoxon(frame["a"], frame["c"], exact=True)
    assert known.method == "exact given ties"
    assert by_pair(frame, test="wilcoxon").loc[("a", "c"), "p"] == known.p_value


def test_groups_and_classes_by_hand() -> None:
    result = pyfsagg.standings(scores())
    frame = result.pairs()
    pairs = frame.loc[frame["apart"], ["method1", "method2"]].to_numpy()
    apart = set(map(frozenset, pairs))
    names = result.to_frame().index.tolist()
    spans = [names[i:j] for i, j in itertools.combinations(range(len(names) + 1), 2)]

    def together(span: list[str]) -> bool:
        return not any(frozenset(pair) in apart for pair in itertools.combinations(span, 2))

    alike = [span for span in spans if together(span)]
    largest = [one for one in alike if not any(set(one) < set(other) for other in alike)]
    assert result.cliques() == largest
    edges = [
        k
        for k in range(1, len(names))
        if all(frozenset((a, b)) in apart for a in names[:k] for b in names[k:])
    ]
    cuts = [0, *edges, len(names)]
    assert result.tiers() == [names[i:j] for i, j in itertools.pairwise(cuts)]


def test_direction_shape_and_kind_of_table() -> None:
    frame = scores()
    wide = pyfsagg.standings(frame).to_frame()
    losses = pyfsagg.standings(-frame, higher_is_better=False).to_frame()
    pd.testing.assert_frame_equal(wide.drop(columns="mean"), losses.drop(columns="mean"))
    named = pyfsagg.standings(frame.reset_index())
    assert named.datasets == tuple(frame.index)
    long = frame.reset_index().melt("data", var_name="m", value_name="v")
    tall = pyfsagg.standings(long.sample(frac=1, random_state=0), **COLUMNS)
    pd.testing.assert_frame_equal(wide, tall.to_frame())
    assert pyfsagg.standings(frame.to_numpy()).methods[0] == "method 1"


def test_degrees_of_freedom_of_unequal_variances_are_those_of_welch() -> None:
    rows = [np.array([4.0, -3.0, -1.0]), np.array([1.0, -2.0, 0.5, 1.5, -1.0])]
    codes = np.repeat([0, 1], [3, 5])
    size = np.array([[3], [5]])
    covariance, df = _within(np.concatenate(rows)[:, np.newaxis], codes, size, 0.0, False)
    # The statistic of the difference of two means has this variance, and these degrees of freedom.
    welch = stats.ttest_ind(*rows, equal_var=False)
    assert df == pytest.approx(welch.df)
    assert covariance == pytest.approx(sum(row.var(ddof=1) / row.size for row in rows) / 4.0)


def test_a_data_set_with_holes_has_ranks_as_if_it_had_all_methods() -> None:
    frame = pd.DataFrame(ASSEMBLY, columns=list("abcd"))
    found = pyfsagg.standings(frame, higher_is_better=False).to_frame()["average_rank"]
    places = (frame.rank(axis=1) - 0.5).div(frame.notna().sum(axis=1), axis=0)
    np.testing.assert_allclose(found[list("abcd")], (4.0 * places + 0.5).mean())


def test_few_data_sets_are_refused_with_the_reason() -> None:
    result = pyfsagg.standings(scores(7))
    with pytest.raises(DataError, match=r"7 data sets are too few to generalise to others; 8 are"):
        result.sets()
    text = result.summary_text()
    assert text.startswith("No rank of these 5 methods can be established: 7 data sets are too")
    assert result.pairs()["p"].isna().all()
    assert not result.pairs()["apart"].any()
    assert len(result.may_be_first) == 5
    assert "–" in text
    result.to_html()


def test_replicates_answer_for_these_data_sets() -> None:
    rng = np.random.default_rng(3)
    tasks = np.repeat(list("xyz"), [40, 60, 50])
    rows = rng.normal(size=(150, 3)) + [1.0, 0.5, 0.0] + rng.normal(size=(150, 1)) * 3
    frame = pd.DataFrame(rows, columns=["p", "q", "r"]).assign(task=tasks)
    result = pyfsagg.standings(frame, dataset="task")
    parts = [group[["p", "q", "r"]] for _, group in frame.groupby("task")]
    means = np.mean([part.mean() for part in parts], axis=0)
    covariance = sum(part.cov().to_numpy() / len(part) for part in parts) / 9
    np.testing.assert_allclose(result.within, covariance)
    np.testing.assert_allclose(result.to_frame().loc[["p", "q", "r"], "mean"], means)
    assert result.sets("replicates").lower_all.tolist() == [1, 2, 3]
    with pytest.raises(DataError, match=r"no sets of places for data sets like these.*3 data sets"):
        result.sets("datasets")
    pair = by_pair(frame, dataset="task").loc[("p", "q")]
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert pair["t"] == pytest.approx((means[0] - means[1]) / error)
    # The same as a long table, whose replicates are paired by name, or are not.
    long = frame.assign(row=np.arange(150)).melt(["task", "row"], var_name="m", value_name="v")
    columns = {"method": "m", "dataset": "task", "value": "v"}
    paired = pyfsagg.standings(long, **columns, replicate="row")
    np.testing.assert_allclose(paired.within, covariance)
    loose = pyfsagg.standings(long, **columns)
    np.testing.assert_allclose(loose.within, np.diag(np.diag(covariance)))


def test_folds_count_their_dependence() -> None:
    folds = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 2)), columns=["a", "b"])
    folds["a"] += 0.8
    result = pyfsagg.standings(folds.assign(d="one"), dataset="d", test_train_ratio=1 / 9)
    known = pairwise_tests(folds, test="corrected_t", test_train_ratio=1 / 9).to_frame()
    assert result.pairs()["p"][0] == pytest.approx(known["p"][0])


def test_holes_make_no_place() -> None:
    frame = scores(12)
    hard = frame.copy()
    hard.iloc[:6] -= 10.0  # hard data sets
    hard.iloc[:6, 4] = NAN  # on which the worst method was never run
    result = pyfsagg.standings(hard)
    assert result.to_frame().index[-1] == "e"
    assert hard.mean().idxmax() == "e"
    frame = result.to_frame()
    assert (frame["lower_all"] <= frame["place"]).all()
    assert (frame["place"] <= frame["upper_all"]).all()
    assert frame.loc["e", "n_datasets"] == 6
    assert "6 of 60 scores are missing" in result.summary_text()
    assert result._global_test.name == "Skillings–Mack"
    cells = hard.to_numpy()
    known = ~np.isnan(cells)
    rows, columns = np.nonzero(known)
    design = np.hstack([np.eye(12)[rows], np.eye(5)[columns]])
    fit = np.linalg.lstsq(design, cells[known], rcond=None)[0]
    np.testing.assert_allclose(np.diff(additive_means(cells)), np.diff(fit[12:]), atol=1e-9)
    apart = pd.DataFrame([[1.0, 2.0, NAN, NAN]] * 4 + [[NAN, NAN, 1.0, 2.0]] * 4)
    with pytest.raises(DataError, match="2 of 4 methods share no data set with the others"):
        pyfsagg.standings(apart).to_frame()


def test_methods_that_nothing_tells_apart_may_all_be_first_despite_holes() -> None:
    table = pd.DataFrame(np.random.default_rng(3).normal(size=(12, 4)), columns=list("abcd"))
    table.iloc[0, 1] = np.nan
    found = pyfsagg.standings(table, random_state=0).sets()
    assert set(found.lower) == set(found.lower_all) == {1}
    assert set(found.upper) == set(found.upper_all) == {4}


def test_replicates_count_although_one_data_set_has_a_hole() -> None:
    rows = np.random.default_rng(4).normal(size=(5, 3))
    rows[4, 1] = np.nan
    codes, methods = np.array([0, 0, 1, 1, 2]), ("a", "b", "c")
    kept = score_table(rows, codes, ("x", "y", "z"), methods)
    complete = score_table(rows[:4], codes[:4], ("x", "y"), methods)
    assert kept.within is not None
    assert kept.df == complete.df
    np.testing.assert_array_equal(kept.within, complete.within)
    np.testing.assert_array_equal(kept.replicates, [[2, 2, 2], [2, 2, 2], [1, 0, 1]])


def test_what_holes_could_change_by_all_fillings() -> None:
    cells = np.array([[3.0, 2.0, NAN], [1.0, 2.0, 0.0], [5.0, NAN, 3.0], [0.5, 1.0, 0.0]])
    frame = pyfsagg.standings(cells).to_frame()
    options = [(2.0, 2.5, 3.0), (3.0, 4.0, 5.0)]
    places = []
    for first, second in itertools.product(*options):
        filled = cells.copy()
        filled[0, 2], filled[2, 1] = first, second
        places.append(stats.rankdata(-filled.mean(axis=0), method="min"))
    best, worst = np.min(places, axis=0), np.max(places, axis=0)
    names = ["method 1", "method 2", "method 3"]
    assert frame.loc[names, "best"].tolist() == best.tolist()
    assert frame.loc[names, "worst"].tolist() == worst.tolist()
    assert frame.loc["method 1", ["best", "worst"]].tolist() == [1, 2]


def test_without_each_data_set() -> None:
    frame = scores(9)
    frame.iloc[4] += [0, 0, 0, 0, 30.0]
    found = pyfsagg.standings(frame).without_each()
    assert found.index[0] == "d4"
    whole = frame.mean()
    for name, row in found.iterrows():
        left = frame.drop(index=name).mean()
        assert row["first"] == left.idxmax()
        swapped = sum(
            (whole[a] - whole[b]) * (left[a] - left[b]) < 0
            for a, b in itertools.combinations(frame.columns, 2)
        )
        assert row["swaps"] == swapped


@pytest.mark.parametrize(
    ("n_datasets", "told"), [(2, False), (3, True), (2_000, True), (2_001, False)]
)
def test_each_data_set_is_left_out_of_three_to_two_thousand(n_datasets: int, told: bool) -> None:
    cells = np.random.default_rng(n_datasets).normal(size=(n_datasets, 3))
    result = pyfsagg.standings(pd.DataFrame(cells, columns=list("abc")))
    assert ("datasets.csv" in json.loads(result.to_json())["tables"]) == told
    if told:
        assert len(result.without_each()) == n_datasets
    else:
        with pytest.raises(DataError, match="for 3 to 2,000 data sets, and there are"):
            result.without_each()


def test_it_is_kept_and_told(tmp_path) -> None:  # type: ignore[no-untyped-def]
    frame = scores()
    frame.iloc[0, 0] = NAN
    result = pyfsagg.standings(frame)
    result.save(tmp_path / "s")
    again = pyfsagg.load_result(tmp_path / "s")
    pd.testing.assert_frame_equal(again.to_frame(), result.to_frame())
    files = {file.name for file in (tmp_path / "s").iterdir()}
    assert {"standings.csv", "pairs.csv", "datasets.csv"} <= files
    document = json.loads(result.to_json())
    assert document["may_be_first"] == result.may_be_first
    assert "1 of 70 results were missing" in document["methods_text"]
    assert "pyfsagg.standings(" in result.repeat()
    page = result.to_html(data_name="boards.csv")
    assert "Standings: boards.csv" in page
    for kind in ("places", "ranks", "pairs"):
        assert result.plot(kind).figure is not None


def test_a_data_set_that_alone_connects_the_methods() -> None:
    values = np.random.default_rng(1).normal(size=(16, 3))
    values[:8, 2] = values[9:, :2] = NAN
    found = pyfsagg.standings(pd.DataFrame(values, columns=list("abc"))).without_each()
    assert found.index[found["swaps"].isna()].tolist() == ["9"]
    assert found.loc["9", "first"] == ""


@pytest.mark.parametrize("by", ["mean", "rank"])
def test_awkward_tables_are_told(by: str) -> None:
    steps = np.arange(8.0)[:, None] + [1.0, 0.0]
    result = pyfsagg.standings(steps, by=by)
    found = json.loads(result.to_json())["global_test"]
    assert (found["statistic"], found["p_value"]) == (8.0, 2.0**-7)  # all data sets in one order
    many = pyfsagg.standings(np.arange(20.0)[:, None] + [1.0, 0.0], by=by)
    assert json.loads(many.to_json())["global_test"]["statistic"] is None  # infinite
    assert result.may_be_first == ["method 1"]
    text = pyfsagg.standings([[1.0, 2.0]], by=by).summary_text()
    assert text.startswith("No rank of these 2 methods can be established: 1 data set is")
    for factor in (1e-200, 1e200):
        with pytest.raises(DataError, match="divide all scores by a constant"):
            pyfsagg.standings(factor * steps)


def test_refusals() -> None:
    frame = scores()
    long = pd.DataFrame({"m": list("aba"), "d": ["x"] * 3, "f": [1] * 3, "v": [1.0, 2.0, 3.0]})
    columns = {"method": "m", "dataset": "d", "value": "v"}
    twice = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 3)), columns=["a", "b", "b"])
    text = r"not a number; correct it.*all columns but that of the data"
    for table, options, error, message in (
        (frame, {"method": "a"}, ParameterError, "name both for a long table"),
        (frame, {"dataset": "nothing"}, UnknownNameError, "column"),
        (frame, {"dataset": np.ones((2, 2))}, UnknownNameError, "column"),
        (frame[["a"]], {}, DataError, "the table has 1 method"),
        (frame.assign(b=NAN), {}, DataError, "'b' has no score at all"),
        (frame.assign(x="one", y="two"), {}, DataError, text),
        (long, {**columns, "replicate": "f"}, DataError, "two values of 'a' for replicate '1'"),
        (long, {"method": "m", "value": "v"}, ParameterError, "dataset is missing"),
        (twice, {}, DataError, "more than one column 'b'"),
    ):
        with pytest.raises(error, match=message):
            pyfsagg.standings(table, **options)


def test_true_orders_with_holes_are_held() -> None:
    rng = np.random.default_rng(6)
    held, decided = [], 0
    truth = np.array([2.0, 1.0, 1.0, 0.0])
    low, high = np.array([1, 2, 2, 4]), np.array([1, 3, 3, 4])
    for _ in range(60):
        table = truth + rng.normal(size=(16, 4)) + rng.normal(size=(16, 1))
        table[rng.random(table.shape) < 0.15] = NAN
        sets = pyfsagg.standings(table).sets()
        held.append(bool(((sets.lower_all <= low) & (sets.upper_all >= high)).all()))
        decided += int((sets.upper_all - sets.lower_all < 3).sum())
    assert np.mean(held) >= 0.92
    assert decided > 100


def small_evaluation(**options) -> pyfsagg.evaluation.Evaluation:  # type: ignore[no-untyped-def]
    data = pyfsagg.load_dataset("wine")
    arguments = {"methods": ["chi_squared", "mrmr"], "classifiers": "naive_bayes", "n_resamples": 5}
    return pyfsagg.evaluate(data.X, data.y, **arguments, **options, random_state=0)


def test_an_evaluation_opens_as_standings(tmp_path) -> None:  # type: ignore[no-untyped-def]
    one = small_evaluation(protocol="nested", thresholds=[0.3, 0.6])
    result = pyfsagg.standings(one)
    folds = one._wacc_by_fold().pivot(index="fold", columns="method", values="wacc")
    folds = folds[list(result.methods)]
    known = pairwise_tests(folds, test="corrected_t", test_train_ratio=1 / 4).to_frame()
    pair = result.pairs().iloc[0]
    assert (pair["p"], pair["lower"]) == pytest.approx((known["p"][0], known["lower"][0]))
    beliefs = bayesian_t_tests(folds, rope=0.01, test_train_ratio=1 / 4).to_frame().iloc[0]
    for name in ("p_below", "p_equivalent", "p_above"):
        assert pair[name] == pytest.approx(beliefs[name])
    assert result.datasets == ("the table",)
    assert "other tables of this kind and size" in result.sentences[0]
    pd.testing.assert_frame_equal(one.compare().pairs(), result.pairs())
    result.save(tmp_path / "s")
    assert pyfsagg.load_result(tmp_path / "s").summary_text() == result.summary_text()
    assert "pyfsagg.standings(" in result.repeat()


def test_evaluations_of_several_data_sets_open_as_standings() -> None:
    data = pyfsagg.load_dataset("wine")
    many = {f"d{i}": (data.X.iloc[i::8], data.y.iloc[i::8]) for i in range(8)}
    small = {
        "protocol": pyfsagg.evaluation.Protocol(n_folds=2),
        "thresholds": [0.5],
        "n_resamples": 5,
    }
    arguments = {"methods": ["chi_squared", "mrmr"], "classifiers": "naive_bayes"}
    over = pyfsagg.evaluation.evaluate_many(many, **arguments, **small, random_state=0)
    table = over.table().groupby(level="dataset", sort=False).mean()
    for given in (over, over.evaluations):
        found = pyfsagg.standings(given)
        assert len(found.datasets) == 8
        np.testing.assert_allclose(found.cells, table.round(10))
    with pytest.raises(ParameterError, match="value names a column of a table"):
        pyfsagg.standings(over, value="x")


def test_an_evaluation_by_two_metrics_has_the_direction_of_each() -> None:
    one = small_evaluation(protocol="nested", thresholds=[0.5], metrics=["accuracy", "log_loss"])
    result = pyfsagg.standings(one)
    assert isinstance(result, MetricStandings)
    assert [part.higher_is_better for part in result.of] == [True, False]
    known = one.compare(metric="log_loss", confidence_level=0.975)
    pd.testing.assert_frame_equal(result.by("log_loss").pairs(), known.pairs())


def by_metric(n: int = 14) -> pd.DataFrame:
    """Scores by which e is the worst, and losses by which it is the best."""
    gains, losses = scores(n), -scores(n, seed=3)
    losses["e"] -= 5.0
    long = [
        frame.reset_index().melt("data", var_name="m", value_name="v") for frame in (gains, losses)
    ]
    return pd.concat([long[0].assign(metric="gain"), long[1].assign(metric="loss")])


def test_several_metrics_share_the_level(tmp_path) -> None:  # type: ignore[no-untyped-def]
    long = by_metric()
    result = pyfsagg.standings(long, **COLUMNS, metric="metric", higher_is_better=HIGHER)
    wide = {
        name: part.pivot(index="data", columns="m", values="v")
        for name, part in long.groupby("metric")
    }
    for name, table in wide.items():
        alone = pyfsagg.standings(table, higher_is_better=HIGHER[name], confidence_level=0.975)
        pd.testing.assert_frame_equal(result.by(name).to_frame(), alone.to_frame())
        pd.testing.assert_frame_equal(result.by(name).pairs(), alone.pairs())
    several = pyfsagg.standings(wide, higher_is_better=HIGHER)
    pd.testing.assert_frame_equal(several.to_frame(), result.to_frame())
    stacked = pd.concat([table.assign(metric=name) for name, table in wide.items()]).reset_index()
    how = {"dataset": "data", "metric": "metric", "higher_is_better": HIGHER}
    pd.testing.assert_frame_equal(pyfsagg.standings(stacked, **how).pairs(), result.pairs())
    first = [set(one.may_be_first) for one in result.of]
    assert set(result.may_be_first) == first[0] & first[1]
    result.save(tmp_path / "s")
    again = pyfsagg.load_result(tmp_path / "s")
    assert again.summary_text() == result.summary_text()
    assert "95 %" in result.methods_text()
    page = result.to_html(data_name="x.csv")
    assert "By gain" in page
    assert page.count("<svg") == 6
    assert result.plot("pairs", metric="loss").has_data()
    assert all(one.higher_is_better for one in pyfsagg.standings(wide).of)
    with pytest.raises(ParameterError, match="must say True or False for each"):
        pyfsagg.standings(wide, higher_is_better={"gain": True})


def test_agreement_of_metrics_by_hand_and_what_they_say_in_brief() -> None:
    result = pyfsagg.standings(by_metric(), **COLUMNS, metric="metric", higher_is_better=HIGHER)
    (row,) = result.agreement().to_dict("records")
    gain, loss = (one.to_frame()["place"] for one in result.of)
    assert row["tau"] == pytest.approx(stats.kendalltau(gain, loss[gain.index]).statistic)
    counts = {"same": 0, "opposite": 0, "one": 0, "neither": 0}
    told = [one.pairs().set_index(["method1", "method2"]) for one in result.of]
    for pair in itertools.combinations("abcde", 2):
        signs = []
        for frame, sign in zip(told, (1, -1), strict=True):
            found = frame.loc[pair]
            signs.append(sign * np.sign(found["difference"]) * found["apart"])
        kind = {2: "same", -2: "same", 0: "opposite" if all(signs) else "neither"}
        counts[kind.get(int(sum(signs)), "one")] += 1
    assert {name: row[name] for name in counts} == counts
    assert min(counts["same"], counts["opposite"]) > 0
    text = " ".join(result.summary_text().split())
    assert "significantly different in opposite directions by two metrics" in text
    for name in result.metrics:
        told = next(sentence for sentence in result.sentences if sentence.startswith(f"By {name}:"))
        verdict, population = result.by(name).sentences[0].split(" This is about ", 1)
        assert verdict in told
        assert population not in told


def test_one_influence_run_says_nothing_of_other_tables_and_several_do() -> None:
    rng = np.random.default_rng(0)
    parts = {}
    for i in range(9):
        base = np.linspace(0, 1, 12)
        noise = {("f", "a"): 0.2, ("f", "b"): 1.5}
        scores_of = {key: base + size * rng.random((6, 12)) for key, size in noise.items()}
        names = tuple("abcdefghijkl")
        parts[f"d{i}"] = pyfsagg.aggregator_influence.InfluenceResult(
            scores_of, names, parameters={"n_resamples": 1}
        )
    alone = pyfsagg.standings(parts["d0"])
    assert alone.metrics == ("spearman", "jaccard", "canberra")
    assert "compare over several data sets" in alone.by("spearman").summary_text()
    assert alone.pairs()[["p", "lower"]].isna().all(axis=None)
    together = pyfsagg.standings(parts)
    assert together.may_be_first == ["a"]
    assert not together.by("canberra").higher_is_better
    known = pyfsagg.aggregator_influence.compare_aggregators(parts, "spearman")
    np.testing.assert_allclose(together.by("spearman").cells, known.cells)


def test_friedman_by_going_through_all_orders() -> None:
    for cells in (
        np.array([[3.0, 2.0, 2.0], [1.0, 2.0, 0.0], [5.0, 4.0, 3.0], [0.5, 0.5, 0.0]]),
        np.random.default_rng(0).normal(size=(4, 3)),
    ):
        ranks = ranks_within(cells, higher_is_better=True)
        rows = [list(itertools.permutations(row)) for row in ranks]
        sums = np.array([np.sum(choice, axis=0) for choice in itertools.product(*rows)])
        spread = ((sums - 8.0) ** 2).sum(axis=1)
        seen = ((ranks.sum(axis=0) - 8.0) ** 2).sum()
        found = friedman_exact(ranks)
        assert found is not None
        assert found.p_value == pytest.approx((spread >= seen - 1e-9).mean())
        assert found.statistic == pytest.approx(stats.friedmanchisquare(*ranks.T).statistic)
    assert friedman_exact(np.tile([1.0, 2.0], (17, 1))) is None
    assert friedman_exact(np.tile(np.arange(1.0, 8.0), (4, 1))) is None


def test_pairs_by_all_signs() -> None:
    frame = scores(9)
    frame.iloc[2, 1] = NAN
    frame.iloc[:, 3] = frame.iloc[:, 2]  # a tie everywhere
    found = by_pair(frame, test="signs")
    for pair in (("a", "b"), ("b", "c"), ("c", "e")):
        gaps = (frame[pair[0]] - frame[pair[1]]).dropna()
        how = {"permutation_type": "samples", "n_resamples": np.inf}
        known = stats.permutation_test((gaps,), np.sum, **how)
        assert found.loc[pair, "p"] == pytest.approx(known.pvalue)
    assert found.loc[("c", "d"), "p"] == 1.0
    with pytest.raises(DataError, match="signs of 17 data sets are too many"):
        pyfsagg.standings(scores(17), test="signs").pairs()


def test_the_fingerprint_of_a_table_knows_small_numbers_and_no_sign_of_zero() -> None:
    def told(cell: float) -> str:
        cells = np.random.default_rng(0).normal(size=(6, 2))
        cells[0, 0] = cell
        return str(pyfsagg.standings(pd.DataFrame(cells, columns=["a", "b"])).data["sha256"])

    assert told(0.0) == told(-0.0)
    assert told(1e-20) != told(2e-20)


def test_the_order_of_rows_changes_nothing() -> None:
    same = pd.DataFrame(
        {
            "A": [0.1, 0.2, 0.3, 0.4, 0.7],
            "B": [0.7, 0.3, 0.2, 0.1, 0.4],
            "C": [0.0, 0.1, 0.0, 0.2, 0.1],
        }
    )
    for order in itertools.permutations(range(5)):
        found = pyfsagg.standings(same.iloc[list(order)].set_axis([*"vwxyz"]), test="t").to_frame()
        assert found.loc[["A", "B", "C"], "place"].tolist() == [1, 1, 3]
    for by, seed in itertools.product(("mean", "rank"), range(8)):  # signs of 14 rows are drawn
        table = scores(seed=seed).round(1)
        shuffled = table.sample(frac=1.0, random_state=seed)
        first, other = (pyfsagg.standings(one, by=by) for one in (table, shuffled))
        pd.testing.assert_frame_equal(first.to_frame(), other.to_frame(), check_exact=True)
        pairs = [one.pairs().sort_values(["method1", "method2"]) for one in (first, other)]
        left, right = (one.reset_index(drop=True) for one in pairs)
        pd.testing.assert_frame_equal(left, right, check_exact=True)


def test_seeds_of_a_long_table_may_come_in_any_order() -> None:
    wide = scores(9).round(2)
    long = pd.concat([wide + 0.1 * k * (-1) ** k for k in (1, 2, 3)]).melt(
        var_name="m", value_name="v", ignore_index=False
    )
    long = long.reset_index()
    long["v"] += np.random.default_rng(0).normal(size=len(long)).round(2)
    first, other = (
        pyfsagg.standings(one, **COLUMNS)
        for one in (long, long.sample(frac=1.0, random_state=1).sort_values("m", kind="stable"))
    )
    pd.testing.assert_frame_equal(first.to_frame(), other.to_frame(), check_exact=True)
    np.testing.assert_array_equal(first.within, other.within)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_differences_that_are_equal_but_for_rounding_are_ties_on_any_scale(size: float) -> None:
    x = [0.3, 0.5, 0.9, 0.4, 0.1, 0.8, 0.6, 0.7, 0.2]
    y = [0.1, 0.3, 0.7, 0.2, 0.2, 0.5, 0.8, 0.4, 0.2]
    table = size * pd.DataFrame({"x": x, "y": y})
    found = pyfsagg.standings(table, by="rank", test="wilcoxon").pairs()["p"][0]
    tenths = [2, 2, 2, 2, -1, 3, -2, 3, 0]
    assert found == wilcoxon(tenths, exact=True).p_value


FOLDS = pd.DataFrame(
    {"CV_split": range(10), "a": np.linspace(0.5, 0.9, 10), "b": np.linspace(0.91, 0.55, 10)}
)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("CV_split", range(10)),
        ("Unnamed: 0", range(10)),
        ("x", range(1, 11)),
        ("seed", [7, 3, *range(20, 28)]),
    ],
)
def test_a_column_that_numbers_the_rows_is_no_method(column: str, values: object) -> None:
    table = FOLDS.drop(columns="CV_split").assign(**{column: [*values]})  # type: ignore[misc]
    with pytest.warns(pyfsagg.exceptions.PyfsaggWarning, match="names of the data sets"):
        found = pyfsagg.standings(table)
    assert found.methods == ("a", "b")
    assert found.datasets == tuple(map(str, values))  # type: ignore[call-overload]
    assert pyfsagg.standings(table, dataset=column).methods == ("a", "b")


def test_folds_of_named_data_sets_are_replicates() -> None:
    table = FOLDS.assign(CV_split=[*range(5)] * 2, data=["u"] * 5 + ["v"] * 5)
    for given in (table, table.set_index("data")):
        with pytest.warns(
            pyfsagg.exceptions.PyfsaggWarning, match="only number the rows: 'CV_split'"
        ):
            found = pyfsagg.standings(given)
        assert (found.methods, found.datasets) == (("a", "b"), ("u", "v"))


@pytest.mark.parametrize(
    "unclear",
    [
        FOLDS.assign(CV_split=[*range(5)] * 2),  # the same fold twice
        FOLDS.rename(columns={"CV_split": "x"}).sample(frac=1.0, random_state=0, ignore_index=True),
        pd.DataFrame({"x": range(1, 7), "y": [3, 4, 9, 1, 1, 2], "z": [0, 4, 8, 1, 1, 3]}),
    ],
)
def test_a_column_that_may_number_the_rows_stops_the_run(unclear: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="seems to number the rows; name it with dataset"):
        pyfsagg.standings(unclear)
    with_words = unclear.rename(columns={"CV_split": "x"}).assign(
        words=[f"r{i}" for i in unclear.index]
    )
    assert "x" in pyfsagg.standings(with_words).methods


def test_small_whole_scores_are_scores() -> None:
    assert len(pyfsagg.standings([[1, 2, 3], [2, 3, 1], [3, 1, 2]]).methods) == 3
    runs = pd.DataFrame({"run 1": [4, 9, 2, 5], "run 2": [3, 8, 8, 1]})
    assert pyfsagg.standings(runs).methods == ("run 1", "run 2")

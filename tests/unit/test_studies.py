"""Several studies with signs: what is read, what is found, and on what it rests."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_ndtr, ndtr
from scipy.stats import chi2, norm

import pyfsagg
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggWarning, UnknownNameError
from pyfsagg.extending import data_folder
from pyfsagg.study_tables._result import OF_ITEMS, filtered, i_squared, partial_conjunction

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(4, 300))
Z[:3, :5] += 6.0  # up in three studies
Z[1:, 5:10] -= 6.0  # down in three
Z[0, 10:30] += 9.0  # an artefact of the first
Z[2, 0] = -6.0  # up in two, down in one


def table(z: Any, **columns: Any) -> pd.DataFrame:
    genes = [f"g{j}" for j in range(len(z))]
    return pd.DataFrame({"gene": genes, "logFC": z, "PValue": 2 * ndtr(-np.abs(z)), **columns})


TABLES = dict(zip("abcd", map(table, Z), strict=True))


@pytest.fixture(scope="module")
def found() -> pyfsagg.study_tables.Studies:
    return pyfsagg.studies(TABLES)


def test_what_one_study_alone_finds_is_not_found(found: Any) -> None:
    assert set(found.select(direction="up")) == {f"g{j}" for j in range(5)}
    assert set(found.select(direction="down")) == {f"g{j}" for j in range(5, 10)}
    assert set(found.select()) == {f"g{j}" for j in range(10)}
    one = pyfsagg.studies(TABLES, min_studies=1)
    assert {f"g{j}" for j in range(30)} <= set(one.select())
    # A limit at an adjusted p-value takes the item.
    place = found.names.index("g3")
    limit = float(found.adjusted_p_values[place])
    assert found.at_least(limit)[place] >= 2 > found.at_least(np.nextafter(limit, 0.0))[place]
    assert "g3" in found.select(limit)
    three = set(pyfsagg.studies(TABLES, min_studies=3).select())
    assert {"g1", "g8"} <= three <= {f"g{j}" for j in range(1, 10)}


def test_what_is_said_of_an_item(found: Any) -> None:
    frame = found.to_frame()
    assert frame.loc["g0", ["direction", "carried_by", "against"]].tolist() == ["up", "a, b", "c"]
    assert frame.loc["g7", "carried_by"].startswith("b, c, d")
    assert "median_effect" in found._columns
    assert frame.loc["g0", "at_least"] == 2
    assert frame.loc["g1", "at_least"] == 3
    assert set(frame.loc["g0", "rests_on"].split(", ")) <= {"a", "b"} != set()
    without = [pyfsagg.studies({k: v for k, v in TABLES.items() if k != name}) for name in TABLES]
    left = [one.to_frame().loc["g1", "adjusted_p_value"] for one in without]
    assert frame.loc["g1", "rests_on"] == list(TABLES)[int(np.argmax(left))]
    assert frame.loc["g1", "adjusted_p_without"] == pytest.approx(max(left), rel=1e-9)
    with pytest.warns(PyfsaggWarning, match="one and two agree"):
        same = pyfsagg.studies({"one": TABLES["a"], "two": TABLES["a"]})
    assert set(same.to_frame()["rests_on"]) == {""}  # without either one study is left, too few
    assert frame.loc["g0", "adjusted_p_without"] > 0.5
    assert frame.loc["g1", "adjusted_p_without"] < 0.01
    by_study = found.by_study()
    assert by_study["left"].tolist()[3] >= 5
    assert by_study.loc["c", "against"] == 1
    said = found.sentences
    assert said[0] == (
        "10 items of 300 in at least 2 of 4 studies with one sign, with a false discovery rate of at most "
        "0.05: 5 up, 5 down."
    )
    least = by_study["left"].idxmin()
    remain = f"{by_study['left'].min()} of 10 remain."
    assert said[1] == "All items are in all 4 studies."
    assert said[2] == f"They rest most on {least}: without it {remain}"
    against = int((frame.loc[found.select(), "against"] != "").sum())
    are = "is" if against == 1 else "are"
    assert said[3] == f"{against} of them {are} significant with the other sign in some study."
    assert repr(found).startswith("Studies(4 studies; 10 items of 300 in at least 2; best first: ")
    assert repr(found).endswith(f"{', '.join(found.to_frame().index[:3])})")


def test_p_values_are_those_of_the_worst_subset() -> None:
    r, log_p = 2, log_ndtr(-Z)
    sums = [log_p[list(rows)].sum(axis=0) for rows in combinations(range(4), 3)]
    expected = np.max(chi2.logsf(-2 * np.array(sums), 6), axis=0)
    assert_allclose(partial_conjunction(log_p)[r - 1], expected, rtol=1e-10, atol=1e-15)
    deep = partial_conjunction(np.full((3, 1), -1000.0))[:, 0]  # far below what a float can hold
    half = np.array([3000.0, 2000.0, 1000.0])
    expected = -half + np.log([1 + half[0] + half[0] ** 2 / 2, 1 + half[1], 1.0])
    assert_allclose(deep, expected, rtol=1e-12)


def test_unknown_items_and_the_adaptive_filter() -> None:
    tables = {name: one.copy() for name, one in TABLES.items()}
    tables["a"].loc[1, "PValue"] = np.nan  # as DESeq2 does for outliers
    tables["b"] = tables["b"].drop(index=[1, 2])
    tables["c"] = tables["c"].drop(index=1)
    frame = pyfsagg.studies(tables).to_frame()
    assert frame.loc["g1", "n_studies"] == 1
    assert np.isnan(frame.loc["g1", "p_value"])
    assert np.isnan(frame.loc["g1", "adjusted_p_value"])
    assert frame.loc["g2", "n_studies"] == 3
    assert frame.loc["g2", "adjusted_p_value"] < 0.01
    assert frame.index[-1] == "g1"
    log_p = np.log([[1e-4, 0.3, 0.4, 0.9, 0.5], [2e-4, 0.5, 0.6, np.nan, 0.5]])
    # S = p_(2), F = p_(1): of S = 2e-4 one item is a candidate, of 0.5 and 0.6 four, as F = S is one.
    assert_allclose(filtered(log_p, 2), [2e-4, 4 / 4 * 0.6, 0.6, np.nan, 0.6])


def test_ranks_need_no_p_values_and_ties_count_last() -> None:
    tables = {name: one[["gene"]].assign(t=one["logFC"]) for name, one in TABLES.items()}
    with pytest.raises(DataError, match=r"p-values that are not adjusted.*p_value"):
        pyfsagg.studies(tables)
    ranks = pyfsagg.studies(tables, evidence="ranks", min_studies=1)
    assert "median_effect" not in ranks._columns
    assert_allclose(np.exp(ranks.log_p[0, 0]).min(), 1 / 300)
    tied = {name: one.assign(t=np.sign(one["t"])) for name, one in tables.items()}
    assert (np.exp(pyfsagg.studies(tied, evidence="ranks").log_p) >= 0.3).all()
    # p-values that are 0 are told apart by the statistic
    zeros = {name: one.assign(p=0.0) for name, one in tables.items()}
    with pytest.warns(PyfsaggWarning, match="only significant items"):
        known = pyfsagg.studies(zeros, evidence="ranks")
    assert_allclose(known.log_p, ranks.log_p)


@pytest.mark.parametrize(
    "columns",
    [
        {"gene": "", "log2FoldChange": "logFC", "pvalue": "PValue"},  # DESeq2, row names
        {"ID": "gene", "logFC": "logFC", "P.Value": "PValue"},  # limma
        {"names": "gene", "logfoldchanges": "logFC", "pvals": "PValue"},  # scanpy
    ],
)
def test_known_columns_and_files(columns: dict[str, str], tmp_path: Path) -> None:
    paths = []
    for name, one in TABLES.items():
        renamed = pd.DataFrame({new: one[old or "gene"] for new, old in columns.items()})
        renamed["padj"] = renamed["adj.P.Val"] = 1.0
        first, *_ = columns.items()
        if first[1] == "":
            renamed = renamed.set_index("gene").rename_axis("")
        paths.append(tmp_path / f"{name}.csv")
        renamed.to_csv(paths[-1], index=first[1] == "")
    found = pyfsagg.studies(paths)
    assert found.studies == tuple("abcd")
    assert_allclose(found.log_p, pyfsagg.studies(TABLES).log_p, rtol=1e-9)


def test_one_long_table() -> None:
    long = pd.concat([one.assign(cohort=name) for name, one in TABLES.items()])
    assert_allclose(pyfsagg.studies(long, study="cohort").log_p, pyfsagg.studies(TABLES).log_p)
    for given, study, error, message in (
        (long, None, DataError, "one long table needs study"),
        (TABLES, "cohort", DataError, "several tables have none"),
        (long, "cohorts", UnknownNameError, "study column 'cohorts'"),
    ):
        with pytest.raises(error, match=message):
            pyfsagg.studies(given, study=study)


def test_tables_that_no_study_could_have_are_refused_or_pointed_out() -> None:
    a, b = TABLES["a"], TABLES["b"]
    names = "'b' has no column that is known to contain names of items"
    other = b.assign(gene=b["gene"].str.replace("g", "h"))
    for second, error, message in (
        (b.drop(columns="gene"), DataError, names),
        (b.drop(columns="logFC"), DataError, "effects with signs"),
        (b.assign(PValue=2.0), DataError, "between 0 and 1"),
        (b.assign(PValue="high"), DataError, "'high', not a number"),
        (pd.concat([b, b[:2]]), DataError, "2 rows of 'b' repeat a name, the first 'g0'"),
        (other, DataError, r"no item is in two studies.*'g0' in 'a' and 'h0' in 'b'"),
        (3, InputTypeError, "data frames or files"),
    ):
        with pytest.raises(error, match=message):
            pyfsagg.studies({"a": a, "b": second})
    with pytest.raises(DataError, match="got one"):
        pyfsagg.studies({"a": a})
    with pytest.raises(UnknownNameError, match=r"p_value column \(of 'a'\) 'p'.*PValue"):
        pyfsagg.studies(TABLES, p_value="p")
    twice = {"a": a, "b": pd.concat([b, b[:2] * 1])}
    assert pyfsagg.studies(twice, duplicates="first").log_p.shape == (2, 2, 300)
    with pytest.warns(PyfsaggWarning, match="only significant items"):
        pyfsagg.studies({"a": a, "b": b[b["PValue"] < 0.05]})


def test_copies_are_pointed_out_and_truth_is_not() -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(size=(4, 1000))
    z[:, :100] += 4.0
    tables = dict(zip("abcd", map(table, z), strict=True))
    assert not pyfsagg.studies(tables).pairs()["shared"].any()
    tables["d"] = table(0.9 * z[0] + 0.3 * rng.normal(size=1000))
    with pytest.warns(PyfsaggWarning, match="^a and d agree where most items are null"):
        found = pyfsagg.studies(tables)
    pairs = found.pairs().set_index(["study", "other"])
    assert pairs["shared"].to_dict() == {pair: pair == ("a", "d") for pair in pairs.index}
    assert pairs.loc[("a", "b"), "both_tails"] > 5 * pairs.loc[("a", "b"), "expected"] / 3
    assert found.sentences[0].startswith("a and d agree")
    # Ranks of statistics without p-values cannot tell common errors from many small effects.
    ranks = {name: tables[name][["gene"]].assign(t=tables[name]["logFC"]) for name in "ad"}
    with pytest.warns(PyfsaggWarning, match="many small effects would do the same"):
        assert np.isnan(pyfsagg.studies(ranks, evidence="ranks").pairs()["overlap"]).all()


def test_three_analyses_of_one_data_set_are_not_three_studies() -> None:
    rng = np.random.default_rng(5)
    data = rng.normal(size=1000)
    analyses = dict(zip("abc", map(table, data + 0.2 * rng.normal(size=(3, 1000))), strict=True))
    with pytest.warns(PyfsaggWarning, match=r"3 pairs of studies \(.* with .*\) agree") as caught:
        found = pyfsagg.studies(analyses)
    assert len(caught) == 1
    assert found.pairs()["shared"].all()
    assert found.sentences[0] == str(caught[0].message)
    for evidence in ("p_values", "ranks"):  # where p-values are known, ranks know the errors, too
        with pytest.warns(PyfsaggWarning, match="3 pairs"):
            assert pyfsagg.studies(analyses, evidence=evidence).pairs()["overlap"].min() > 0.9


@pytest.mark.parametrize("evidence", ["p_values", "ranks"])
def test_small_effects_of_all_items_are_no_common_samples(evidence: Any) -> None:
    rng = np.random.default_rng(6)
    z = 2.0 * rng.normal(size=1000) + rng.normal(size=(3, 1000))
    tables = dict(zip("abc", map(table, z), strict=True))
    for given in (tables, {name: tables[name] for name in "ab"}):
        pairs = pyfsagg.studies(given, evidence=evidence).pairs()
        assert (pairs["middle"] > 0.4).all()
        assert (pairs["overlap"] < 0.2).all()
        assert not pairs["shared"].any()


def test_common_errors_are_told_by_items_with_a_sign() -> None:
    rng = np.random.default_rng(7)
    one, two = (table(row) for row in rng.normal(size=(2, 1000)))
    for frame in (one, two):  # too few counts for a test, in half of the genes
        frame.loc[:499, ["logFC", "PValue"]] = [0.0, 1.0]
    pairs = pyfsagg.studies({"a": one, "b": two}).pairs()
    assert abs(pairs["overlap"].item()) < 0.25


def test_heterogeneity() -> None:
    effects = np.array([[1.0, 1.0, 1.0], [1.0, 3.0, np.nan], [1.0, 5.0, 2.0]])
    errors = np.array([[0.5, 0.5, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 1.0]])
    w = np.array([4.0, 1.0, 0.25])
    q = float((w * (effects[:, 1] - (w * effects[:, 1]).sum() / w.sum()) ** 2).sum())
    assert_allclose(i_squared(effects, errors), [0.0, 1 - 2 / q, np.nan])
    assert OF_ITEMS["i_squared"][1]([0.1234, np.nan])[0] == "0.12"
    errors = norm.isf(np.array([0.01, 0.2]) / 2)
    found = pyfsagg.studies({"a": table(Z[0]), "b": table(Z[1], lfcSE=2.0)})
    assert_allclose(found.standard_errors[1], 2.0)
    # An effect of z has a standard error of 1.
    assert_allclose(found.standard_errors[0], 1.0, rtol=1e-6)


def test_five_studies_that_come_with_the_package() -> None:
    file = data_folder() / "published" / "obesity_studies.csv.gz"
    found = pyfsagg.studies(file, study="study")
    assert len(found.studies) == 5
    assert len(found.names) == 1500
    assert not found.pairs()["shared"].any()
    assert found.by_study()["left"].idxmin() == "GSE24883"
    assert found.plot().get_title(loc="left") == "The best 20 items by study"


def test_rows_that_are_dropped_count_nowhere() -> None:
    given = {name: TABLES[name] for name in "ab"}
    repeats = {name: pd.concat([one, *[one.iloc[:3]] * 50]) for name, one in given.items()}
    for evidence in ("p_values", "ranks"):
        once = pyfsagg.studies(given, evidence=evidence)
        twice = pyfsagg.studies(repeats, evidence=evidence, duplicates="first")
        pd.testing.assert_frame_equal(once.to_frame(), twice.to_frame())
        assert once.data["sha256"] == twice.data["sha256"]
    # A row without a value is not the first row; a large p-value that is dropped makes no whole table.
    unknown = TABLES["a"].iloc[[1]].assign(PValue=np.nan)
    kept = pyfsagg.studies({**given, "a": pd.concat([unknown, given["a"]])}, duplicates="first")
    assert_allclose(kept.log_p, pyfsagg.studies(given).log_p)
    small = given["b"][given["b"]["PValue"] < 0.05]
    whole = pd.concat([small, small.iloc[:1].assign(PValue=1.0)])
    with pytest.warns(PyfsaggWarning, match="only significant items"):
        pyfsagg.studies({**given, "b": whole}, duplicates="first")


def test_adafilter_as_it_is_published_and_bounded_by_the_p_value() -> None:
    # S = 2 p_(2) is 4e-4 of the first item, and its F = 2 p_(1) alone is not above that: one test. The
    # p-value is Fisher's of the last two studies, 2 P(χ² with 4 degrees of freedom ≥ −2 log 9e-5).
    log_p = np.log([[1e-4, 0.4, 0.5], [2e-4, 0.45, 0.5], [0.45, 0.5, 0.45]])
    tables = {
        str(i): pd.DataFrame({"gene": list("abc"), "beta": 1.0, "p": 2 * np.exp(row)})
        for i, row in enumerate(log_p)
    }
    found, bounded = (
        pyfsagg.studies(tables, adjust=adjust) for adjust in ("adafilter", "adafilter_bounded")
    )
    assert pyfsagg.studies(tables).adjust == "adafilter"
    fisher = 2 * 9e-5 * (1 - np.log(9e-5))
    assert_allclose(found.to_frame().loc["a", "p_value"], fisher, rtol=1e-9)
    assert_allclose(found.to_frame().loc["a", "adjusted_p_value"], 4e-4, rtol=1e-9)
    assert_allclose(bounded.to_frame().loc["a", "adjusted_p_value"], fisher, rtol=1e-9)
    assert_allclose(bounded.adjusted_p_values, np.maximum(found.adjusted_p_values, found.p_values))


def test_direction_of_an_item_that_too_few_studies_know() -> None:
    a = pd.DataFrame(
        {"gene": ["x", "y", "z"], "logFC": [2.0, -2.0, 0.1], "PValue": [0.01, 0.01, 0.9]}
    )
    b = a[2:]
    frame = pyfsagg.studies({"a": a, "b": b}).to_frame()
    assert frame.loc[["x", "y"], "direction"].tolist() == ["up", "down"]
    assert frame.loc[["x", "y"], "carried_by"].tolist() == ["a", "a"]
    assert frame.loc[["x", "y"], "p_value"].isna().all()


def test_statistics_without_direction_are_refused() -> None:
    z = Z[0]
    other = table(Z[1])
    many = pd.DataFrame({"gene": other["gene"], "log2FoldChange": Z[2]})
    many["stat"] = z**2 + Z[3] ** 2
    many["pvalue"] = np.exp(-many["stat"] / 2)  # of two degrees of freedom
    message = (
        "the sign of 'log2FoldChange' in 'a' is not that of its test: the statistic 'stat' is never "
        r"negative. .* several coefficients have no direction.* pyfsagg.aggregate"
    )
    for evidence in ("p_values", "ranks"):
        with pytest.raises(DataError, match=message):
            pyfsagg.studies({"a": many, "b": other}, evidence=evidence)
    # A likelihood ratio of one degree of freedom is a square, and |z| a size: both have the sign.
    for statistic in (z**2, np.abs(z)):
        one = table(z, stat=statistic)
        assert_allclose(
            pyfsagg.studies({"a": one, "b": other}).log_p,
            pyfsagg.studies({"a": TABLES["a"], "b": other}).log_p,
        )
    with pytest.raises(DataError, match="has the other one in 300 of 300 rows"):
        pyfsagg.studies({"a": table(z, t=-z), "b": other})
    # limma's topTableF and edgeR's tests of several coefficients have no one fold change.
    for name in ("F", "LR"):
        table_of_f = other[["gene", "PValue"]].assign(**{"logFC.B": 1.0, name: 3.0})
        with pytest.raises(
            DataError, match=r"name the column with effect\. The p-values of a likeli"
        ):
            pyfsagg.studies({"a": table_of_f, "b": other})
    # edgeR's test of one coefficient has an F or LR, and its fold change the sign.
    pyfsagg.studies({"a": table(z, F=z**2, LR=z**2), "b": other})


def test_names_that_differ_in_spelling_only() -> None:
    z = Z[:2, :60]
    a, b = (
        table(row).assign(gene=[f"ENSG{j:011d}.{version}" for j in range(60)])
        for row, version in zip(z, (3, 4), strict=True)
    )
    b.loc[:9, "gene"] = a["gene"][:10]
    with pytest.warns(
        PyfsaggWarning,
        match=r"50 names differ between lists in the version only, such as 'ENSG00000000010.3' and "
        r"'ENSG00000000010.4'.* strip_version=True",
    ):
        found = pyfsagg.studies({"a": a, "b": b})
    assert "10 of 110 items are in both studies, 100 in one only." in found.sentences
    stripped = pyfsagg.studies({"a": a, "b": b}, strip_version=True)
    assert stripped.names[0] == "ENSG00000000000"
    assert "All items are in both studies." in stripped.sentences
    with pytest.raises(DataError, match=r"no item is in two studies.*strip_version=True"):
        pyfsagg.studies({"a": a[10:], "b": b[10:]})
    low = TABLES["b"].assign(gene=[f"G{j}" if j % 2 else f"g{j}" for j in range(300)])
    with pytest.warns(
        PyfsaggWarning, match="150 names differ between lists in case or blanks only"
    ):
        pyfsagg.studies({"a": TABLES["a"], "b": low})
    # Names that one table tells apart are different items.
    both = pd.concat(
        [low, low[low["gene"].str.startswith("G")].assign(gene=lambda t: t["gene"].str.lower())]
    )
    pyfsagg.studies({"a": TABLES["a"], "b": both})


def test_sentences_follow_the_numbers() -> None:
    a = table(np.r_[8.0, Z[0, 100:]], lfcSE=1.0)
    b = table(np.r_[8.2, Z[1, 100:]], lfcSE=1.0)
    c = table(np.r_[30.0, Z[3, 100:]], lfcSE=1.0)
    said = pyfsagg.studies({"a": a, "b": b}).sentences
    assert said[0].startswith("1 item of 201")
    assert said[-2] == (
        "Between studies its effects vary no more than their standard errors explain (I² 0%)."
    )
    said = pyfsagg.studies({"a": a, "b": b, "c": c}).sentences
    assert said[2] == "It rests most on a: without it 1 of 1 remains."
    assert said[-2] == (
        "Of the variation of its effects between studies, 99% is beyond the standard errors (I²)."
    )

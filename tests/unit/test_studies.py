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
    same = pyfsagg.studies({"one": TABLES["a"], "two": TABLES["a"]})
    assert set(same.to_frame()["rests_on"]) == {""}  # without either one study is left, too few
    assert frame.loc["g0", "adjusted_p_without"] > 0.5
    assert frame.loc["g1", "adjusted_p_without"] < 0.01
    by_study = found.by_study()
    assert by_study["left"].tolist()[3] >= 5
    assert by_study.loc["c", "against"] == 1
    said = found.sentences()
    assert said[0] == (
        "10 items of 300 in at least 2 of 4 studies with one sign, with a false discovery rate of at most "
        "0.05: 5 up, 5 down."
    )
    least = by_study["left"].idxmin()
    remain = f"{by_study['left'].min()} of 10 remain."
    assert said[1] == f"They rest most on {least}: without it {remain}"
    assert said[2].startswith(f"{(frame.loc[found.select(), 'against'] != '').sum()} of them are")
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


def test_what_is_refused_or_pointed_out() -> None:
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
    pairs = pyfsagg.studies(tables).pairs().set_index(["study", "other"])
    assert pairs["shared"].to_dict() == {pair: pair == ("a", "d") for pair in pairs.index}
    assert pairs.loc[("a", "b"), "both_tails"] > 5 * pairs.loc[("a", "b"), "expected"] / 3
    assert any(text.startswith("a and d agree") for text in pyfsagg.studies(tables).sentences())
    two = pyfsagg.studies({"a": tables["a"], "d": tables["d"]}).sentences()
    assert "many small effects" in two[-1]


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

"""Statements of the papers against computations by hand, and what the verdicts mean."""

import csv
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM

from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.extending import data_folder
from pyfsagg_papers import claim_variants, claims, load_published
from pyfsagg_papers.statements.claims import CHECKS
from pyfsagg_papers.statements.data import VERDICTS, Variant, agrees, judge, list_claims

MEASURES = ("spearman", "jaccard", "canberra")


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return claims().set_index("id")


@pytest.fixture(scope="module")
def forms() -> pd.DataFrame:
    return claim_variants().set_index(["id", "test"])


def printed(name: str) -> list[dict[str, str]]:
    with (data_folder() / "published" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def aggregators(table: str, measure: str) -> pd.DataFrame:
    names = {"4.5": "information_gain", "4.6": "mrmr"}
    stem = f"table_{table.replace('.', '_')}_stability_by_aggregator_{names[table]}"
    rows = [row for row in printed(stem) if row["measure"] == measure]
    cells = {(row["dataset"], row["aggregator"]): float(row["value"]) for row in rows}
    return pd.Series(cells).unstack()


# --- the data --------------------------------------------------------------------------------
def test_every_statement_is_complete() -> None:
    every = list_claims()
    assert len({claim.id for claim in every}) == len(every) > 60
    assert {claim.paper for claim in every} == {"thesis", "fpcps", "frcm", "orders"}
    for claim in every:
        assert claim.check in {*CHECKS, "none"}, claim.id
        assert claim.statement.endswith("."), claim.id
        if claim.check == "none":  # says why it cannot be decided
            assert claim.remark.endswith("."), claim.id


def test_frame(found: pd.DataFrame) -> None:
    assert len(found) == len(list_claims())
    assert set(found["verdict"]) == set(VERDICTS)
    assert found["sentence"].str.endswith(".").all()
    assert not found["sentence"].str.contains("nan", case=False).any()
    nothing = found["recomputed"].isna()
    assert (found.loc[nothing, "verdict"] == "not checkable").all()
    has_reading = found["reading"] != ""
    assert (found.loc[has_reading, "verdict"] == "holds under another reading").all()
    assert has_reading.sum() == (found["verdict"] == "holds under another reading").sum()


def test_selection() -> None:
    assert set(claims("fpcps")["paper"]) == {"fpcps"}
    assert "aggregator-anova" in set(claims(table="4.6")["id"])  # rests on 4.5 and 4.6
    with pytest.raises(UnknownNameError, match=r"unknown paper 'these'; did you mean 'thesis'"):
        claims("these")
    with pytest.raises(UnknownNameError, match="unknown table '4'"):
        claims(table="4")


def test_printed_numbers_are_rounded_or_cut_off() -> None:
    near = {0.0364: False, 0.0365: True, 0.03799: True, 0.038: False}
    assert {value: agrees("0.037", value) for value in near} == near
    assert agrees("3030", 3030.4)
    assert not agrees("3030", 3031.0)
    assert not agrees("<0.0001", 1e-4)


def test_the_stated_form_goes_first() -> None:
    stated = Variant("a", 0.0, 0.5, False, True)
    other = Variant("b", 0.0, 0.1, True, False)
    assert judge([other, stated])[0] == "holds under another reading"
    assert judge([stated])[:2] == ("does not hold", stated)
    assert judge([other, Variant("c", 0.0, 0.1, True, True)])[0] == "holds"


# --- thesis 4.3: run times and accuracy ------------------------------------------------------
def test_run_times(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    rows = printed("table_4_2_running_times")
    wam, bam = ([int(row[f"{name}_seconds"]) for row in rows] for name in ("wam", "bam"))
    assert found.loc["wam-mean-seconds", "recomputed"] == pytest.approx(sum(wam) / 12)
    assert found.loc["bam-mean-seconds", "recomputed"] == pytest.approx(sum(bam) / 12)
    assert set(found.loc[["wam-mean-seconds", "bam-mean-seconds"], "verdict"]) == {"does not hold"}
    steps = [b - a for a, b in zip(wam, bam, strict=True)]
    assert steps.count(0) == 3
    assert min(steps) == 0  # all others are positive: the signs are the most extreme
    ranks = stats.rankdata([step for step in steps if step])
    # variance of a sum of ranks with random signs, ties and all: a quarter of their squares
    spread = math.sqrt(np.square(ranks).sum() / 4.0)
    p = forms.loc["bam-slower-p", "value"]
    for form, expected in (
        ("one-sided, exact", 2.0**-9),
        ("two-sided, exact", 2.0**-8),
        ("one-sided, normal", stats.norm.sf(ranks.sum() / 2.0 / spread)),
        ("two-sided, normal, corrected", 2 * stats.norm.sf((ranks.sum() / 2.0 - 0.5) / spread)),
    ):
        assert p[f"signed rank, {form}, zeros dropped"] == pytest.approx(expected)
    assert p["signed rank, one-sided, normal, zeros dropped"] == pytest.approx(0.0038, abs=5e-5)
    shown = found.loc["bam-slower-p"]
    assert shown["recomputed"] == 2.0**-12
    assert shown["verdict"] == "holds under another reading"
    assert "same sign" in shown["reading"]
    assert found.loc["bam-slower", "verdict"] == "holds"
    assert "9 of 12 rows" in found.loc["bam-slower-everywhere", "sentence"]


@pytest.mark.parametrize("classifier", ["logistic_regression", "svm"])
def test_repeated_measures(forms: pd.DataFrame, classifier: str) -> None:
    table = load_published("4.3")
    part = table[table["classifier"] == classifier].drop(columns="classifier")
    long = part.melt("dataset")
    p = AnovaRM(long, "value", "dataset", within=["variable"]).fit().anova_table["Pr > F"].iloc[0]
    name = f"anova-{classifier.replace('_', '-')}"
    assert forms.loc[(name, "repeated measures, uncorrected"), "value"] == pytest.approx(p)
    assert p == pytest.approx({"logistic_regression": 0.595, "svm": 0.71}[classifier], abs=6e-4)


def test_accuracy_p_values_do_not_follow(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    names = [name for name in found.index if name.startswith(("anova-", "svm-", "logistic-"))]
    without_number = {"anova-random-forest", "anova-naive-bayes", "svm-best-on-three"}
    assert set(found.loc[sorted(without_number), "verdict"]) == {"holds"}
    with_number = sorted(set(names) - without_number)
    assert len(with_number) == 7
    assert set(found.loc[with_number, "verdict"]) == {"does not hold"}
    assert not forms.loc[with_number, "agrees"].any()


def test_pair_of_methods(forms: pd.DataFrame) -> None:
    table = printed("table_4_3_weighted_average_accuracy")
    rows = [row for row in table if row["classifier"] == "svm"]
    a, b = ([float(row[name]) for row in rows] for name in ("mrmr", "chi_squared"))
    p = stats.ttest_rel(a, b).pvalue
    of = forms.loc["svm-mrmr-chi-squared", "value"]
    expected = {
        "paired t, not adjusted": p,
        "paired t, Bonferroni": min(1.0, 10 * p),
        "Welch t, not adjusted": stats.ttest_ind(a, b, equal_var=False).pvalue,
        "rank sum, not adjusted": stats.mannwhitneyu(a, b, method="asymptotic").pvalue,  # ties
    }
    assert {name: of[name] for name in expected} == pytest.approx(expected)


# --- thesis 4.4: stability -------------------------------------------------------------------
def test_aggregator_anova(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    p_values, without = [], []
    for table, measure in itertools.product(("4.5", "4.6"), MEASURES):
        wide = aggregators(table, measure)
        assert wide.shape == (11, 5)
        p_values.append(stats.f_oneway(*wide.to_numpy().T).pvalue)
        without.append(stats.f_oneway(*wide.drop(columns="stuart").to_numpy().T).pvalue)
    of = forms.xs("one-way, equal variances", level="test")["value"]
    assert of["aggregator-anova"] == pytest.approx(max(p_values), rel=1e-6)
    assert found.loc["aggregator-anova", "recomputed"] == pytest.approx(6 * max(p_values), rel=1e-6)
    assert found.loc["aggregator-anova", "verdict"] == "holds"
    assert of["aggregator-anova-without-stuart"] == pytest.approx(max(without))
    assert found.loc["aggregator-anova-without-stuart", "verdict"] == "does not hold"


def test_aggregator_pairs(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    wide = aggregators("4.5", "jaccard")
    p = stats.ttest_rel(wide["arithmetic_mean"], wide["rra"]).pvalue
    of = forms.loc["jaccard-mean-rra"]
    assert of.loc["paired t, Bonferroni", "value"] == pytest.approx(10 * p)
    assert found.loc["jaccard-mean-rra", "verdict"] == "does not hold"
    # Ten pairs with the pooled variance of five groups, as R's pairwise.t.test.
    rest = wide - wide.mean()
    scale = math.sqrt(float(np.square(rest.to_numpy()).sum()) / 50)
    means = wide.mean()
    t = (means["arithmetic_mean"] - means["rra"]) / (scale * math.sqrt(2 / 11))
    assert of.loc["pooled t, not adjusted", "value"] == pytest.approx(2 * stats.t.sf(abs(t), 50))
    assert found.loc["stuart-against-all", "verdict"] == "holds"


def test_orderings_of_aggregators(found: pd.DataFrame) -> None:
    worst = score_best = each = rra = n = 0
    for table, measure in itertools.product(("4.5", "4.6"), MEASURES):
        for _, row in aggregators(table, measure).iterrows():
            signed = {name: -v if measure == "canberra" else v for name, v in row.items()}
            means = [signed[name] for name in ("arithmetic_mean", "geometric_mean", "l2_norm")]
            n += 1
            worst += min(signed, key=signed.get) == "stuart"
            score_best += max(means) == max(signed.values())
            each += min(means) > max(signed["stuart"], signed["rra"])
            rra += signed["rra"] > signed["stuart"]
    assert n == 66
    assert found.loc["stuart-least-stable", "recomputed"] == worst / n == 1.0
    assert found.loc["score-based-best", "recomputed"] == pytest.approx(score_best / n)
    assert f"{each} of 66" in found.loc["score-based-stabler", "sentence"]
    assert found.loc["rra-stabler-than-stuart", "recomputed"] == rra / n


def test_orderings_of_filters(found: pd.DataFrame) -> None:
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in printed("table_4_4_stability_by_filter"):
        if row["value"] and not row["note"].startswith("identical"):
            sign = -1.0 if row["measure"] in ("canberra", "average_standard_deviation") else 1.0
            key = row["dataset"], row["measure"]
            cells.setdefault(key, {})[row["method"]] = sign * float(row["value"])
    full = {key: values for key, values in cells.items() if len(values) == 5}
    behind = [key for key, values in full.items() if max(values, key=values.get) == "bam"]
    text = found.loc["single-filter-stabler-than-bam", "sentence"]
    assert text.startswith(f"{len(full) - len(behind)} of {len(full)} rows")
    for dataset, measure in behind:
        assert f"{dataset.replace('_', ' ')}, {measure}" in text
    middle = sum(min(v.values()) < v["bam"] < max(v.values()) for v in full.values())
    assert found.loc["bam-middle-stability", "recomputed"] == pytest.approx(middle / len(full))
    ionosphere = [v for (name, m), v in full.items() if name == "ionosphere" and "dev" not in m]
    assert all(max(v, key=v.get) == "mrmr" for v in ionosphere)
    assert found.loc["mrmr-stablest-ionosphere", "verdict"] == "holds"


def test_lost_rows(found: pd.DataFrame) -> None:
    cells = [row for row in printed("table_4_4_stability_by_filter") if row["dataset"] == "scene"]
    assert len({row["measure"] for row in cells if not row["value"]}) == 3
    scene = found.loc["chi-squared-stablest-scene"]  # 1 of 2 rows, and 3 that could decide it
    ada = found.loc["information-gain-stablest-ada"]  # what is left bears it out: 2 of 5 rows
    assert scene["verdict"] == ada["verdict"] == "not checkable"
    assert "1 of 2 rows" in scene["sentence"]
    assert "3 more rows have lost cells" in scene["sentence"]
    assert "3 more rows" in ada["sentence"]
    # Lost rows cannot bear out a statement on all rows that some row contradicts.
    assert found.loc["bam-middle-stability", "verdict"] == "does not hold"


# --- the other papers ------------------------------------------------------------------------
def test_fpcps(found: pd.DataFrame) -> None:
    rows = {row.pop("aggregator"): row for row in printed("fpcps_table_1_stability")}
    others = [rows[name] for name in ("borda", "mc1", "best_go_first")]
    ahead = sum(
        float(value) > max(float(row[name]) for row in others)
        for name, value in rows["fpcps"].items()
    )
    assert found.loc["fpcps-stabler-than-all-but-mc2", "recomputed"] == ahead / 5 == 0.4
    assert found.loc["fpcps-among-three-best", "verdict"] == "holds"
    for row in printed("fpcps_table_2_madelon_auc"):
        own = float(row["fpcps"])
        assert sum(float(v) > own for k, v in row.items() if k != "classifier") < 3


def test_frcm(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    rows = {(row["dataset"], row["method"]): row for row in printed("frcm_table_2_clustering")}
    a, b = rows["tomlins_2006", "frcm"], rows["tomlins_2006", "frmv"]
    spread = math.sqrt((float(a["ari_sd"]) ** 2 + float(b["ari_sd"]) ** 2) / 40)
    t = (float(a["ari"]) - float(b["ari"])) / spread
    form = "Welch t, Holm: tomlins_2006, ari, frmv"
    assert forms.loc[("frcm-significantly-better", form), "statistic"] == pytest.approx(t)
    assert found.loc["frcm-significantly-better", "verdict"] == "does not hold"
    assert "23 of 24" in found.loc["frcm-significantly-better", "sentence"]
    others = ("laplacian_score", "uff", "frmv")
    for name, other in itertools.product({key[0] for key in rows}, others):
        own, row = rows[name, "frcm"], rows[name, other]
        assert all(float(own[measure]) > float(row[measure]) for measure in ("nmi", "ari"))
    assert found.loc["frcm-best-filter", "verdict"] == "holds"


def naive_divergence(kept: str) -> float:
    """Mean over instances of the divergence of the class given all orders from that given some."""
    rows = [(row["class"], row["order"]) for row in printed("orders_figure_5")]

    def classes(order: str, names: str) -> dict[str, float]:
        seen = [(c, [f for f in other if f in names]) for c, other in rows]
        same = [c for c, part in seen if part == [f for f in order if f in names]]
        return {c: same.count(c) / len(same) for c in set(same)}

    total = 0.0
    for _, order in rows:
        full, part = classes(order, "abcdef"), classes(order, kept)
        total += sum(p * math.log(p / part[c]) for c, p in full.items())
    return total / len(rows)


def test_divergences(found: pd.DataFrame, forms: pd.DataFrame) -> None:
    for named in ("abc", "bcf", "bce", "abce"):
        kept = forms.loc[(f"divergence-{named}", "the features are kept, nats"), "value"]
        assert kept == pytest.approx(naive_divergence(named), abs=1e-12)
        rest = "".join(name for name in "abcdef" if name not in named)
        removed = forms.loc[(f"divergence-{named}", "the features are removed, bits"), "value"]
        assert removed == pytest.approx(naive_divergence(rest) / math.log(2), abs=1e-12)
    verdicts = found.loc[[f"divergence-{n}" for n in ("abc", "bcf", "bce", "abce")], "verdict"]
    assert list(verdicts) == ["holds"] + ["does not hold"] * 3
    highest = max(
        naive_divergence("".join(set("abcdef") - set(removed)))
        for size in range(1, 5)
        for removed in itertools.combinations("abcdef", size)
    )
    assert highest == pytest.approx(naive_divergence("df")) == pytest.approx(math.log(3))
    assert found.loc["divergence-highest", "reading"] == "the features are removed, nats"


def test_paths_of_zero_divergence(found: pd.DataFrame) -> None:
    def free(removed: tuple[str, ...]) -> bool:
        return naive_divergence("".join(f for f in "abcdef" if f not in removed)) < 1e-12

    for size, name in ((2, "divergence-paths-pairs"), (3, "divergence-paths-triples")):
        paths = sum(
            all(free(path[:step]) for step in range(1, size + 1))
            for path in itertools.permutations("abcdef", size)
        )
        assert found.loc[name, "recomputed"] == paths


# --- own runs --------------------------------------------------------------------------------
def as_runs(tables: tuple[str, ...] = ("4.5", "4.6")) -> pd.DataFrame:
    parts = [load_published(table).assign(table=table) for table in tables]
    return pd.concat(parts).rename(columns={"aggregator": "method"})


def test_own_runs_that_equal_the_print_get_its_verdicts() -> None:
    found = claims("thesis", runs=as_runs())
    own, same = (
        found[found["basis"] == b].set_index("id") for b in ("own runs", "published table")
    )
    same = same.loc[own.index]
    assert {"stuart-least-stable", "aggregator-anova", "canberra-mean-l2"} <= set(own.index)
    assert "bam-slower" not in own.index  # rests on another table
    pd.testing.assert_frame_equal(own.drop(columns="basis"), same.drop(columns="basis"))


def test_own_runs_with_right_numbers() -> None:
    runs = as_runs()
    stuart = runs["method"] == "stuart"
    rra = runs[runs["method"] == "rra"].set_index(["table", "dataset", "measure"])["value"]
    better = pd.MultiIndex.from_frame(runs.loc[stuart, ["table", "dataset", "measure"]])
    runs.loc[stuart, "value"] = rra.reindex(better).to_numpy()
    runs.loc[stuart, "value"] += np.where(runs.loc[stuart, "measure"] == "canberra", -1e-3, 1e-3)
    own = claims(table="4.5", runs=runs).query("basis == 'own runs'").set_index("id")
    assert own.loc["stuart-least-stable", "recomputed"] == 0.0
    assert own.loc["rra-stabler-than-stuart", "verdict"] == "does not hold"


def test_runs_that_decide_nothing_say_so() -> None:
    runs = as_runs()
    few = runs[runs["dataset"].isin(["image", "scene"])]
    own = claims(table="4.6", runs=few).query("basis == 'own runs'").set_index("id")
    assert own.loc["aggregator-anova", "verdict"] == "not checkable"
    assert "at least 3" in own.loc["aggregator-anova", "sentence"]
    assert own.loc["stuart-least-stable", "verdict"] == "holds"
    assert own.loc["mean-and-l2-peak-on-three", "verdict"] == "not checkable"
    lacking = runs[runs["method"] != "rra"]
    own = claims(table="4.5", runs=lacking).query("basis == 'own runs'").set_index("id")
    assert own.loc["rra-stabler-than-stuart", "verdict"] == "not checkable"


def test_bad_runs() -> None:
    runs = as_runs()
    twice = pd.concat([runs, runs.head(1)])
    for given, error, message in (
        ("runs.csv", InputTypeError, "data frame, got str"),
        (runs.drop(columns="method"), DataError, "no column 'method'"),
        (twice, DataError, r"two values for the cell 4\.5, jasmine, spearman"),
    ):
        with pytest.raises(error, match=message):
            claims(runs=given)

"""The table of all measures, and what each resample adds to the stability."""

import numpy as np
import pytest
from refusals import refused
from stability_cases import value

from pyfsagg import list_methods, stability, wam
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.stability_measures import UndefinedStabilityError, adequacy, feature_stability
from pyfsagg.stability_measures.measure import measure_stability, pseudo_values, stability_table

RNG = np.random.default_rng(4)
SCORES = RNG.integers(0, 9, (14, 9)) / 8 + np.linspace(0, 2, 9)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_every_row_is_what_stability_says(method: str) -> None:
    options = {"interval": method, "n_boot": 50, "n_features_to_select": 3}
    options |= {"confidence_level": 0.9, "random_state": 5}
    table = stability_table(SCORES, **options)
    assert table.attrs["seed"] == 5
    known = list_methods("stability")
    applicable = [name for name in known.index if "similarity" not in known.loc[name, "needs"]]
    assert table.index.tolist() == applicable
    for name, row in table.iterrows():
        alone = measure_stability(SCORES, str(name), **options)
        assert row["n_tied"] == alone.n_tied
        assert row["value"] == alone.value
        assert (row["lower"], row["upper"]) == alone.interval
        assert row["higher_is_better"] == alone.higher_is_better
        assert row["bounds"] == known.loc[name, "bounds"]
        assert ("too narrow" in row["note"]) == (name in ("davis", "novovicova"))


def test_selections_have_the_measures_that_apply_to_them() -> None:
    sets = [{"a", "b"}, {"a", "b"}, {"a", "c"}, {"b", "c"}]
    without, known = stability_table(sets), list_methods("stability")
    alone = known[(known["kind"] == "sets") & (known["needs"].map(len) == 0)]
    assert set(without.index) == set(alone.index)
    assert set(stability_table(sets, n_features=6).index) > set(without.index) | {"nogueira"}
    refused(
        stability_table,
        ((sets, ["nogueira"]), {}, ParameterError, "'nogueira' depends on the number of features"),
        ((sets, ["spearman"]), {"n_features": 6}, ParameterError, "'spearman' compares ranks"),
    )


def test_measures_that_are_corrected_for_chance() -> None:
    """Those whose mean is 0 for unrelated resamples, by the definition of each."""
    known = list_methods("stability")
    intersections = {f"intersection_{kind}" for kind in ("count", "greedy", "mbm", "mean")}
    of_sets = {"kappa", "lustgarten", "nogueira", "phi", "unadjusted", "wald", "yu"}
    of_ranks = {"kendall", "spearman", "top_down", "weighted_kendall"}
    corrected = {"pearson"} | of_ranks | of_sets | intersections
    assert set(known.index[known["corrected_for_chance"]]) == corrected


def test_similarity_adds_the_adjusted_measures() -> None:
    similarity = np.where(np.eye(9, dtype=bool), 1.0, 0.2)
    table = stability_table(SCORES, similarity=similarity, interval=None, random_state=1)
    assert "sechidis" in table.index
    alone = value(SCORES, "yu", similarity=similarity, random_state=1)
    assert table.loc["yu", "value"] == alone


def test_what_is_missing_is_explained() -> None:
    everything = np.ones((4, 5), dtype=bool)
    row = stability_table(everything, ["nogueira"]).loc["nogueira"]
    assert np.isnan(row["value"])
    assert "undefined" in row["note"]
    two = stability_table(SCORES[:2], ["spearman"]).loc["spearman"]
    assert np.isfinite(two["value"])
    assert np.isnan(two["lower"])
    assert "at least 3 resamples" in two["note"]


def test_slow_intervals_are_left_out_of_the_whole_table_only(monkeypatch) -> None:
    monkeypatch.setattr("pyfsagg.stability_measures.measure.MOST_CELLS", 100)
    table = stability_table(SCORES)
    assert table.index[table["lower"].isna()].tolist() == ["kendall", "weighted_kendall"]
    assert "name 'kendall' among measures" in table.loc["kendall", "note"]
    assert stability_table(SCORES, ["kendall"])["lower"].notna().all()


def test_refusals() -> None:
    levels = ({"confidence_level": level} for level in (0.0, 1.0, 1.5))
    refused(
        stability_table,
        ((SCORES, ["nogeira"]), {}, UnknownNameError, "did you mean 'nogueira'"),
        ((SCORES,), {"interval": "exact"}, ParameterError, "interval must be one of"),
        *(((SCORES,), level, ParameterError, "level") for level in levels),
        ((SCORES[:1],), {}, DataError, "1 resample"),
        ((np.where(SCORES > 2, np.nan, SCORES),), {}, DataError, "missing scores"),
        ((3,), {}, InputTypeError, "data must be Rankings"),
        ((SCORES,), {"similarity": np.eye(4)}, DataError, "size 4 x 4"),
        ((SCORES, ["yu"]), {}, ParameterError, "pass similarity"),
    )
    refused(pseudo_values, ((SCORES[:2], "spearman"), {}, DataError, "at least 3 resamples"))


@pytest.mark.parametrize(
    "measure", ["pearson", "spearman", "jaccard", "canberra", "nogueira", "asd"]
)
def test_pseudo_values_from_the_collection_without_each_resample(measure: str) -> None:
    how = {"n_features_to_select": 3}
    how |= {"ties": "first"} if measure == "jaccard" else {}  # its ties are drawn
    found = pseudo_values(SCORES, measure, **how)
    whole = value(SCORES, measure, **how)
    without = [value(np.delete(SCORES, i, 0), measure, **how) for i in range(14)]
    np.testing.assert_allclose(found, 14 * whole - 13 * np.array(without), rtol=0, atol=1e-10)
    if measure not in ("nogueira", "asd"):
        assert found.mean() == pytest.approx(whole, abs=1e-12)
    alone = measure_stability(SCORES, measure, **how, interval="jackknife")
    assert alone.standard_error == pytest.approx(found.std(ddof=1) / np.sqrt(14), rel=1e-9)


def test_the_result_of_a_run_is_read_as_its_combined_scores() -> None:
    rng = np.random.default_rng(0)
    result = wam(rng.normal(size=(60, 6)), rng.integers(0, 2, 60), n_resamples=12)
    for measure in ("pearson", "jaccard"):
        expected = value(result.combined, measure, input="scores", random_state=0)
        assert value(result, measure, random_state=0) == expected
    names = list(result.feature_names)
    assert list(feature_stability(result).index) == names
    found = adequacy(result, random_state=4)
    assert repr(found) == repr(adequacy(result.combined, feature_names=names, random_state=4))
    assert found.seed == 4


def test_one_measure_by_name_is_a_number_with_an_interval() -> None:
    how = {"n_features_to_select": 3, "random_state": 0}
    result = stability(SCORES, "nogueira", **how)
    alone = measure_stability(SCORES, "nogueira", **how, interval="jackknife")
    assert (float(result), result.interval) == (alone.value, alone.interval)
    assert result.table["standard_error"].iloc[0] == alone.standard_error
    assert (result.features, result.curve) == (None, None)
    assert repr(result).endswith(
        f"nogueira = {alone.value:.6g}, 95 % [{alone.interval[0]:.4g}, {alone.interval[1]:.4g}])"
    )
    params = {"chance_correction": "exact"}
    exact = stability(SCORES, "jaccard", measure_params=params, interval=None, random_state=0)
    assert exact.value == value(SCORES, "jaccard", **params, random_state=0)
    assert exact.interval is None


def test_one_measure_that_is_undefined_is_an_error_and_its_interval_a_note() -> None:
    ones = np.ones((2, 2))
    with pytest.raises(UndefinedStabilityError):
        stability(ones, "pearson", input="scores")
    assert stability(ones, "pearson", input="scores", undefined=0).value == 0
    two = stability(SCORES[:2], "spearman")
    assert two.interval is None
    assert "jackknife" in two.table["note"].iloc[0]


def test_several_measures_are_no_number() -> None:
    with pytest.raises(ParameterError, match="has 2 measures: read its table"):
        float(stability(SCORES, ["pearson", "spearman"]))
    with pytest.raises(ParameterError, match="undefined applies to a single measure"):
        stability(SCORES, undefined=0.0)

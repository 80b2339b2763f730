"""The result of an ensemble run: selection, frames, JSON, saving and loading."""

import json
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pyfsagg import bam, load_dataset, wam
from pyfsagg._base.output import new_folder
from pyfsagg._base.validation import n_selected
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.ranks import rank_scores

WINE = load_dataset("wine")


@pytest.fixture(scope="module")
def result() -> EnsembleResult:
    return bam(WINE.X, WINE.y, n_resamples=30, random_state=11)


def test_selection_by_number_and_fraction(result: EnsembleResult) -> None:
    assert len(result.select(1)) == 1
    assert len(result.select(1.0)) == 13
    assert len(result.select(0.25)) == 4
    assert result.get_support(n_features_to_select=5).sum() == 5
    names = np.array(result.feature_names)[result.get_support(n_features_to_select=5)]
    assert set(names) == set(result.select(5))

    # Fractions are rounded up, but not by rounding errors.
    for fraction, k in ((0.28, 7), (0.29, 8), (1e-9, 1), (1.0, 25), (0.04, 1)):
        assert n_selected(fraction, 25) == k
    for threshold in (0, -1, 14, 0.0, 1.5, -0.2, float("nan"), "3", True):
        with pytest.raises(ParameterError, match="n_features_to_select"):
            result.select(threshold)  # type: ignore[arg-type]
    # Ties are broken by column order.
    X = np.column_stack([np.tile([0.0, 1.0], 20)] * 3)
    tied = wam(X, np.tile(["a", "b"], 20), n_resamples=5, random_state=0)
    assert tied.ranking.tolist() == [2.0, 2.0, 2.0]
    assert tied.select(2) == ["x0", "x1"]


def test_frame(result: EnsembleResult) -> None:
    frame = result.to_frame(result.selection(4))
    assert frame.index.name == "feature"
    assert frame["rank"].is_monotonic_increasing
    assert frame.index.tolist() == result.select(13)
    j = result.feature_names.index("proline")
    row, ranks = frame.loc["proline"], rank_scores(result.combined)[:, j]
    assert row["score"] == result.scores[j]
    assert row["rank_median"] == np.median(ranks)
    assert row["rank_lower"] == pytest.approx(np.quantile(ranks, 0.025))
    assert row["mean_mrmr"] == pytest.approx(result.score_matrices["mrmr"][:, j].mean())
    top = np.argsort(-result.combined, axis=1, kind="stable")[:, :4]
    assert row["selection_frequency"] == pytest.approx((top == j).any(axis=1).mean())
    assert row["frequency_lower"] <= row["selection_frequency"] <= row["frequency_upper"]
    assert len(result.plot("ranking", n=5).get_yticks()) == 5


def test_stability_has_a_row_per_filter_and_json_is_complete(result: EnsembleResult) -> None:
    table = result.stability()
    assert list(table.index) == [*result.score_matrices, "bam"]
    assert list(table.columns) == ["pearson", "spearman", "canberra", "jaccard", "asd"]
    pairs = np.corrcoef(result.combined)[np.tril_indices(30, -1)]
    assert table.loc["bam", "pearson"] == pytest.approx(np.mean(pairs), abs=1e-12)
    document = json.loads(result.to_json(n_features_to_select=3))
    assert document["selected"] == result.select(3)
    assert document["parameters"]["seed"] == 11
    assert document["parameters"]["aggregator"] == "arithmetic_mean"
    assert document["data"]["class_counts"] == {"class_0": 59, "class_1": 71, "class_2": 48}
    assert {"pyfsagg", "numpy", "python"} <= set(document["versions"])
    assert len(document["ranking"]) == 13


def test_save_and_load(result: EnsembleResult, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "deep" / "run")
    names = ["matrices.npz", "ranking.csv", "run.json", "selected.txt"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    loaded = EnsembleResult.load(folder)
    assert repr(loaded) == repr(result)
    assert loaded.select(3) == result.select(3)
    (folder / "run.json").write_text("[" * 200_000)  # nested too deep
    with pytest.raises(OutputError, match="damaged"):
        EnsembleResult.load(folder)


@pytest.mark.parametrize(
    ("filter", "how"), [("cramers_v", zipfile.ZIP_DEFLATED), ("anova_f", zipfile.ZIP_STORED)]
)
def test_arrays_are_compressed_if_that_spares_something(filter, how, tmp_path) -> None:
    """Shares of few different numbers are, decimals are not."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 30)), np.arange(40) % 2
    X = (X > 0).astype(float) if filter == "cramers_v" else X
    made = wam(X, y, filter=filter, n_resamples=30, random_state=1, checks="none")
    folders = [made.save(tmp_path / name) for name in ("first", "second")]
    archives = [(folder / "matrices.npz").read_bytes() for folder in folders]
    assert archives[0] == archives[1]
    with zipfile.ZipFile(folders[0] / "matrices.npz") as archive:
        assert archive.getinfo("filter_0.npy").compress_type == how
    loaded = EnsembleResult.load(folders[0])
    np.testing.assert_array_equal(loaded.score_matrices[filter], made.score_matrices[filter])


def test_saving_refuses_to_overwrite(result: EnsembleResult, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file"):
        result.save(tmp_path / "file")
    with pytest.raises(OutputError, match="cannot write"):
        result.save(tmp_path / "file" / "run")
    (tmp_path / "empty").mkdir()
    result.save(tmp_path / "empty")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def write_and_stop() -> None:
        with new_folder(tmp_path / "run") as draft:
            (draft / "half").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["combined", "filter_0", "scores", "ranking"])
def test_arrays_that_do_not_belong_together_are_refused(result, tmp_path, name):
    folder = result.save(tmp_path / "run")
    with np.load(folder / "matrices.npz") as file:
        arrays = dict(file)
    for other in (arrays[name][:1], arrays[name][..., :1], arrays[name].astype(str)):
        np.savez(folder / "matrices.npz", **{**arrays, name: other})
        with pytest.raises(OutputError, match=f"damaged.*{name}|damaged.*columns of scores"):
            EnsembleResult.load(folder)
    np.savez(folder / "matrices.npz", **arrays)
    assert EnsembleResult.load(folder).select(2) == result.select(2)

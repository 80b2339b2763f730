"""Score matrices in scratch files: the same result, and nothing left behind."""

import gc
import os
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pyfsagg
from pyfsagg._base import arithmetic as _blocks
from pyfsagg._base.arithmetic import column_blocks, row_blocks
from pyfsagg.ensemble import core
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.extending import AGGREGATORS


def data(p: int = 23):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    X = np.where(rng.random((50, p)) < 0.2, rng.integers(1, 4, (50, p)), 0)
    X[:, :3] += y[:, np.newaxis]
    return sparse.csr_matrix(X), y


X, Y = data()


def test_the_frame_of_a_run_is_the_same_in_parts(monkeypatch) -> None:
    options = {"n_resamples": 30, "resampling": "subsample", "random_state": 0}
    result = pyfsagg.bam(X, Y, filters=["ig", "chi2"], **options)
    whole = result.to_frame()
    in_parts(monkeypatch)
    parts = result.to_frame()
    assert parts.index.equals(whole.index)
    assert parts.pop("status").equals(whole.pop("status"))
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def in_parts(monkeypatch):
    """Parts so small that a matrix of a test has many."""
    monkeypatch.setattr(_blocks, "PART", 8 * 60)


PAIR = {"filters": ["ig", "chi_squared"], "aggregator": "l2"}
SHIFTED = {"aggregator": "gm", "filter": "chi_squared"}
RUNS = [
    *(
        {"filter": "chi_squared", "aggregator": spec.name, "n_jobs": 2}
        for spec in AGGREGATORS
        if spec.name != "fpcps"
    ),
    *({"normalize": how, **PAIR} for how in ("per_resample", "per_feature")),
    *({"aggregator_params": {"shift": shift}, **SHIFTED} for shift in (0.5, "minimum")),
    {"resampling": pyfsagg.resampling.FeatureSubspace(0.4)},
]


@pytest.mark.parametrize("options", RUNS, ids=str)
def test_a_run_in_files_and_parts_equals_one_in_memory(options, tmp_path, monkeypatch):
    run = pyfsagg.bam if "filters" in options else pyfsagg.wam
    options = {"n_resamples": 12, "random_state": 1, "checks": "none", **options}
    plain = run(X, Y, **options)
    in_parts(monkeypatch)
    found = run(X, Y, execution=pyfsagg.Execution(scratch=str(tmp_path)), **options)
    np.testing.assert_array_equal(found.combined, plain.combined)
    np.testing.assert_array_equal(found.scores, plain.scores)
    if "filters" in options:
        np.testing.assert_array_equal(found.to_frame(), plain.to_frame())
        np.testing.assert_array_equal(found.stability(), plain.stability())


def test_a_result_in_files_can_be_saved_and_leaves_nothing(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    in_files = pyfsagg.Execution(scratch=scratch)
    result = pyfsagg.wam(X, Y, n_resamples=5, random_state=1, execution=in_files)
    if os.name == "posix":
        assert not any(scratch.iterdir())
    loaded = pyfsagg.ensemble.EnsembleResult.load(result.save(tmp_path / "run"))
    np.testing.assert_array_equal(loaded.combined, result.combined)
    del result
    gc.collect()
    assert not any(scratch.iterdir())


def test_folders_without_room_are_said_before_the_work(tmp_path, monkeypatch) -> None:
    """A mapped file that finds the disk full while it is written would end the process."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    X, y = data()
    with pytest.raises(OutputError, match="1 MB: No space left on device; name a folder"):
        pyfsagg.wam(X, y, execution=pyfsagg.Execution(scratch=tmp_path), n_resamples=6000)
    # Nor is one that is none.
    X, y = data()
    with pytest.raises(ParameterError, match=r"scratch must be an existing folder, got '.*none'"):
        pyfsagg.wam(X, y, execution=pyfsagg.Execution(scratch=tmp_path / "none"))
    with pytest.raises(ParameterError, match="give n_resamples as a number"):
        pyfsagg.wam(X, y, execution=pyfsagg.Execution(scratch=tmp_path), n_resamples="auto")


@pytest.mark.parametrize("portable", [False, True])
def test_a_matrix_keeps_what_is_written(portable, tmp_path, monkeypatch):
    if portable:  # systems that cannot reserve room or give back memory
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
        monkeypatch.delattr(core.mmap, "MADV_DONTNEED", raising=False)
    store = core.MatrixStore(tmp_path)
    expected = np.random.default_rng(0).normal(size=(7, 30_000))
    matrix = store.matrix(expected.shape)
    for r in range(7):
        matrix[r] = expected[r]
        store.release()
    np.testing.assert_array_equal(matrix, expected)
    np.testing.assert_array_equal(store.columns(matrix, slice(5, 9)), expected[:, 5:9])


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (5, 3), (10, 11), (60, 7), (7, 60)])
def test_parts_cover_a_matrix(shape, monkeypatch):
    in_parts(monkeypatch)
    for blocks, size in ((row_blocks(shape), shape[0]), (column_blocks(shape), shape[1])):
        covered = np.concatenate([np.arange(size)[part] for part in blocks])
        np.testing.assert_array_equal(covered, np.arange(size))
    assert min(part.stop - part.start for part in column_blocks(shape)) >= 2


def test_scratch_and_checkpoint_go_together(tmp_path):
    """What is kept does not depend on where the matrices are."""
    options = {"n_resamples": 20, "random_state": 1}
    steps = []
    kept = pyfsagg.Execution(checkpoint=tmp_path / "kept")
    both = replace(kept, scratch=tmp_path, progress=lambda done, _: steps.append(done))
    plain = pyfsagg.wam(X, Y, execution=kept, **options)
    found = pyfsagg.wam(X, Y, execution=both, **options)
    assert steps[-1] == 20 + 2 * 2 + 1000 + 2 * 2  # with pairs of halves and shuffled targets
    np.testing.assert_array_equal(found.combined, plain.combined)

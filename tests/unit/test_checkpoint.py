"""Checkpoints: what is kept, what is refused, and that no kill changes a bit."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg import Execution, evaluation, rank_order
from pyfsagg._run import checkpoint as _checkpoint
from pyfsagg._run.checkpoint import resume_tasks, spoken_state
from pyfsagg._table.identity import arithmetic
from pyfsagg.exceptions import MissingDependencyError, OutputError, ParameterError, PyfsaggWarning
from pyfsagg.extending import FILTERS, open_checkpoint
from pyfsagg.filters.model import function_filter
from pyfsagg.unsupervised import clustering_curve, frcm, frmv

SETTINGS = {"kind": "test", "seed": 3, "data": "abc"}
WINE = pyfsagg.load_dataset("wine")
X, Y = WINE.X, WINE.y
WAM = {"n_resamples": 8, "random_state": 0}


@pytest.fixture
def every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write each piece at once, so short runs leave many parts."""
    monkeypatch.setattr(_checkpoint, "EVERY", 0.0)


class StoppedError(Exception):
    pass


def _resumed(call: Callable[..., Any], folder: Path, stop: int, **again: Any) -> tuple[Any, Any]:
    """What a call gives without a stop, and when it is stopped at a step and made again."""

    def progress(done: int, total: int) -> None:
        if done >= stop:
            raise StoppedError

    whole = call()
    with pytest.raises(StoppedError):
        call(execution=Execution(progress=progress, checkpoint=folder))
    return whole, call(execution=Execution(checkpoint=folder), **again)


def _refused(error: type[Exception], text: str, folder: Path, settings: Any = SETTINGS) -> None:
    """A checkpoint that cannot be opened in a folder."""
    with pytest.raises(error, match=text), open_checkpoint(folder, settings):
        pass


def _written(folder: Path, value: Any, settings: Any = SETTINGS) -> Path:
    """The file of a checkpoint that contains one piece, "a"."""
    with open_checkpoint(folder, settings) as checkpoint:
        assert checkpoint is not None
        checkpoint.put("a", {"x": np.array(value)})
    (part,) = folder.glob("part-*.npz")
    return part


# --- the folder ------------------------------------------------------------------------------
def test_pieces_come_back_as_they_were(tmp_path: Path) -> None:
    pieces = {
        "a b": {"x|y": np.array([1.5, np.nan, -0.0]), "z": np.array("text, Umlaut ä")},
        "c": {"": np.arange(6, dtype=np.int32).reshape(2, 3)},
    }
    with open_checkpoint(tmp_path / "new", SETTINGS) as first:
        assert first is not None
        for key, piece in pieces.items():
            assert key not in first
            first.put(key, piece)
            assert key in first
    with open_checkpoint(tmp_path / "new", SETTINGS) as second:
        assert second is not None
        assert len(second) == 2
        for key, piece in pieces.items():
            found = second.get(key)
            assert found.keys() == piece.keys()
            for name, array in piece.items():
                assert found[name].dtype == array.dtype
                assert found[name].tobytes() == array.tobytes()
    with open_checkpoint(None, {}) as nothing:
        assert nothing is None


def test_the_checkpoint_of_another_run_is_refused(tmp_path) -> None:
    _written(tmp_path, 1)
    for other, said in (
        ({"seed": 4}, "seed is 3 there and 4 here"),
        ({"data": "abd"}, "the table or the target differs"),
        ({"kind": "else"}, 'kind is "test" there and "else" here'),
        ({"more": {"a": 1}}, r"more\.a is null there and 1 here"),
    ):
        text = f"(?s)belongs to another run: .*{said}"
        _refused(ParameterError, text, tmp_path, {**SETTINGS, **other})


def test_parts_of_others_are_refused_and_drafts_swept_out(tmp_path: Path) -> None:
    _written(tmp_path / "own", 3)
    part = _written(tmp_path / "other", 4, {**SETTINGS, "seed": 4})
    copied = Path(shutil.copy(part, tmp_path / "own" / part.name.replace("000001", "000002")))
    text = rf"{copied.name} is damaged \(it belongs to another run\)"
    _refused(OutputError, text, tmp_path / "own")
    copied.unlink()
    draft = tmp_path / "own" / ".part-000001-0123456789abcdef.npz-x1y2z3"
    draft.write_bytes(b"half")
    with open_checkpoint(tmp_path / "own", SETTINGS) as checkpoint:
        assert checkpoint is not None
        assert len(checkpoint) == 1
        assert int(checkpoint.get("a")["x"]) == 3
    assert not draft.exists()


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder"])
def test_a_lock_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    precious, folder = tmp_path / "precious", tmp_path / "c"
    precious.write_text("precious")
    folder.mkdir()
    lock = folder / "lock"
    if kind in ("link", "dangling"):
        lock.symlink_to(precious if kind == "link" else tmp_path / "new")
    else:
        (os.mkfifo if kind == "pipe" else os.mkdir)(lock)
    _refused(OutputError, r"lock|checkpoint", folder)
    assert precious.read_text() == "precious"
    assert not (tmp_path / "new").exists()


def test_machine_code_is_recorded_and_warned_of(tmp_path, monkeypatch) -> None:
    here = Execution(checkpoint=tmp_path / "here")
    first = pyfsagg.wam(X, Y, **WAM, execution=here)
    elsewhere = {**arithmetic(), "linear algebra": "openblas 9.9 Haswell"}
    monkeypatch.setattr(_checkpoint, "arithmetic", lambda: elsewhere)
    with pytest.warns(PyfsaggWarning, match=r"linear algebra is .*may differ in the last digits"):
        again = pyfsagg.wam(X, Y, **WAM, execution=here)
    assert again.combined.tobytes() == first.combined.tobytes()
    program = (
        "import sys; from pyfsagg._run.checkpoint import open_checkpoint\n"
        "with open_checkpoint(sys.argv[1], {}): pass"
    )
    found = []
    for name, more in (("a", {}), ("b", {}), ("c", {"NUMBA_CPU_NAME": "nehalem"})):
        command = [sys.executable, "-c", program, tmp_path / name]
        subprocess.run(command, env={**os.environ, **more}, check=True)
        found.append(json.loads((tmp_path / name / "checkpoint.json").read_bytes())["arithmetic"])
    assert found[0] == found[1] != found[2]
    assert all(found[0].values())


def _mine(X: Any, y: Any, sample_weight: Any, power: float = 1.0) -> Any:
    return X.T @ sample_weight**power


class _Tree(DecisionTreeClassifier):
    """An estimator of the user's own."""


class _Weighted:
    def __call__(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return X.T @ sample_weight


OWN: dict[str, tuple[Any, Any, str]] = {  # what is given, what needs a version, and its name
    "function": (_mine, _mine, "_mine"),
    "lambda": (nameless := lambda X, y, w: X.T @ w, nameless, "f"),
    "object": (weighted := _Weighted(), weighted, "f"),
    "method": (weighted.__call__, weighted, "f"),
    "partial": (partial(_mine, power=2.0), _mine, "_mine"),
    "estimator": (_Tree(), _Tree, "_Tree"),
    "in a pipeline": (make_pipeline(StandardScaler(), _Tree()), _Tree, "_Tree"),
    "registered": ("chi_squared", _mine, "_mine"),
}


@pytest.mark.parametrize("kind", OWN)
def test_functions_of_the_user_need_a_version(kind: str, tmp_path: Path, monkeypatch) -> None:
    given, versioned, name = OWN[kind]
    own = function_filter(_mine, name="chi_squared", summary="")
    monkeypatch.setitem(FILTERS._specs, "chi_squared", own)
    run = partial(pyfsagg.wam, np.asarray(X), Y, filter=given, **WAM)
    kept = Execution(checkpoint=tmp_path)
    said = (
        rf"(?s)checkpoint cannot tell .*: {name}\.checkpoint_version = '1'; or leave out checkpoint"
    )
    with pytest.raises(ParameterError, match=said):
        run(execution=kept)
    assert not (tmp_path / "checkpoint.json").exists()
    whole = run()  # nobody asks without a checkpoint
    monkeypatch.setattr(versioned, "checkpoint_version", "1", raising=False)
    for _ in range(2):
        assert run(execution=kept).combined.tobytes() == whole.combined.tobytes()
    monkeypatch.setattr(versioned, "checkpoint_version", 2)
    with pytest.raises(
        ParameterError, match="a function or an estimator that ranks features differs"
    ):
        run(execution=kept)


def test_what_is_installed_is_known_by_parameters_and_release(tmp_path, monkeypatch) -> None:
    priors = np.full(5000, 1 / 5000)
    changed = priors + 1e-9 * (np.arange(5000) == 2500)
    with open_checkpoint(
        tmp_path, {"functions": [GaussianNB(priors=priors), partial(np.sum, axis=0)]}
    ):
        pass
    fitted = GaussianNB(priors=priors)
    fitted.theta_ = np.zeros(3)  # a filter fits a clone
    with open_checkpoint(tmp_path, {"functions": [fitted, partial(np.sum, axis=0)]}):
        pass
    for other in (
        [GaussianNB(priors=changed), partial(np.sum, axis=0)],
        [GaussianNB(priors=priors), partial(np.sum, axis=1)],
        [GaussianNB(priors=priors), partial(np.max, axis=0)],
    ):
        _refused(ParameterError, "ranks features differs", tmp_path, {"functions": other})
    monkeypatch.setattr(_checkpoint, "version", lambda package: "99")
    known = {"functions": [fitted, partial(np.sum, axis=0)]}
    _refused(ParameterError, "ranks features differs", tmp_path, known)


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_part_is_said(tmp_path: Path, damage: str) -> None:
    part = _written(tmp_path, np.arange(100.0))
    content = bytearray(part.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    part.write_bytes({"cut": content[:-40], "flip": content, "empty": b""}[damage])
    _refused(OutputError, r"is damaged .*delete this file", tmp_path)
    part.unlink()
    with open_checkpoint(tmp_path, SETTINGS) as checkpoint:
        assert checkpoint is not None
        assert "a" not in checkpoint


def test_folders_that_cannot_be_used_are_said(tmp_path, monkeypatch) -> None:
    (tmp_path / "thesis.tex").touch()
    _refused(ParameterError, "contains other files", tmp_path)
    _refused(ParameterError, "is a file", tmp_path / "thesis.tex")
    with open_checkpoint(tmp_path / "mine", SETTINGS):
        _refused(OutputError, "in use by another process", tmp_path / "mine")
    record = tmp_path / "mine" / "checkpoint.json"
    for text in ("", "{", "[]", '{"schema": 3}', '{"schema": 3, "pyfsagg": "1"}'):
        record.write_text(text)
        _refused(OutputError, "is damaged", tmp_path / "mine", {})
    record.write_text('{"schema": 99, "pyfsagg": "9.9", "settings": {}}')
    _refused(OutputError, r"schema 99 of pyfsagg 9\.9", tmp_path / "mine", {})
    monkeypatch.setitem(sys.modules, "fcntl", None)
    _refused(MissingDependencyError, "file locks of Unix", tmp_path / "new")


@pytest.mark.usefixtures("every_piece")
def test_a_full_disk_is_said_and_costs_nothing_that_was_kept(tmp_path, monkeypatch) -> None:
    options: dict[str, Any] = {"n_resamples": 80, "random_state": 0}
    whole = pyfsagg.wam(X, Y, **options)
    written: list[int] = []
    fsync = os.fsync

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 8:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    message = r"No space left on device.*what was kept before is intact"
    with pytest.raises(OutputError, match=message):
        pyfsagg.wam(X, Y, **options, execution=Execution(checkpoint=tmp_path / "c"))
    monkeypatch.setattr(os, "fsync", fsync)
    assert 0 < len(list((tmp_path / "c").glob("part-*.npz"))) < 10
    again = pyfsagg.wam(X, Y, **options, execution=Execution(checkpoint=tmp_path / "c"))
    assert again.combined.tobytes() == whole.combined.tobytes()
    # Ten of resamples, three of halves, three of halves with shuffled targets.
    assert len(list((tmp_path / "c").glob("part-*.npz"))) == 16


# --- the functions ---------------------------------------------------------------------------


def test_only_what_is_missing_is_computed(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted(calls: list[int], item: int) -> dict[str, np.ndarray]:
        calls.append(item)
        return {"x": np.array(item * item)}

    keys = [f"item {i}" for i in range(6)]
    with open_checkpoint(tmp_path, SETTINGS) as checkpoint:
        assert checkpoint is not None
        for i in (1, 4):
            checkpoint.put(keys[i], {"x": np.array(i * i)})
        found = list(resume_tasks(checkpoint, keys, counted, calls, range(6)))
    assert [int(piece["x"]) for piece in found] == [0, 1, 4, 9, 16, 25]
    assert calls == [0, 2, 3, 5]


@pytest.mark.usefixtures("every_piece")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_ensemble_ends_in_the_same_bits(tmp_path: Path, workers: int) -> None:
    def call(**more: Any) -> Any:
        given = {"n_resamples": 64, "random_state": 5, "n_jobs": workers, **more}
        return pyfsagg.bam(X, Y, filters=["ig", "chi2"], **given)

    # The seed is taken from the checkpoint.
    whole, again = _resumed(call, tmp_path / "c", 24, random_state=None, n_jobs=3 - workers)
    assert "continuing from" in spoken_state(tmp_path / "c")
    assert again.to_json() == whole.to_json()
    for label, matrix in whole.score_matrices.items():
        assert again.score_matrices[label].tobytes() == matrix.tobytes()


@pytest.mark.usefixtures("every_piece")
def test_resamples_drawn_until_a_precision_is_reached_can_be_resumed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    goal = pyfsagg.ensemble.Precision(max_change=1e-6, top=10, maximum=300)
    data = rng.normal(size=(60, 30)), rng.integers(0, 2, 60)
    call = partial(pyfsagg.wam, *data, filter="chi_squared", n_resamples=goal, random_state=0)
    with pytest.warns(PyfsaggWarning, match="do not reach"):
        whole, again = _resumed(call, tmp_path, 80)
    assert again.to_json() == whole.to_json()


def test_other_settings_and_rows_are_refused(tmp_path: Path) -> None:
    here, there = (Execution(checkpoint=tmp_path / name) for name in ("here", "there"))
    pyfsagg.wam(X, Y, **WAM, execution=here)
    weighted = pyfsagg.resampling.Bootstrap(sample_weight=np.full(len(Y), 2))
    for other, said in (
        ({"n_resamples": 9}, "n_resamples is 8 there and 9 here"),
        ({"random_state": 1}, "seed is 0 there and 1 here"),
        ({"filter": "su"}, "filters is"),
        ({"filter_params": {"mdl": "fselectorrcpp"}}, "filter_params.information_gain.mdl is null"),
        ({"resampling": weighted}, "weighted is false there and true here"),
        ({"aggregator": "rra"}, "aggregator is"),
        ({"X": X.iloc[:, 1:]}, "the table or the target differs"),
    ):
        with pytest.raises(ParameterError, match=said):
            pyfsagg.wam(**{"X": X, "y": Y, **WAM, **other}, execution=here)
    with pytest.raises(ParameterError, match='kind is "wam" there and "influence" here'):
        pyfsagg.influence(X, Y, n_folds=2, **WAM, execution=here)
    rows = np.random.default_rng(0).integers(0, len(Y), (4, len(Y)))
    call = partial(pyfsagg.wam, X, Y, random_state=0, execution=there)
    call(resampling=pyfsagg.resampling.Rows(rows))
    with pytest.raises(ParameterError, match="the resamples differ"):
        call(resampling=pyfsagg.resampling.Rows(rows[::-1]))


@pytest.mark.usefixtures("every_piece")
def test_an_interrupted_influence_ends_in_the_same_bits(tmp_path: Path) -> None:
    options = {"aggregators": ["am", "rra"], "n_folds": 5, "n_resamples": 8, "random_state": 1}
    states: list[str] = []

    def call(**more: Any) -> Any:
        states.append(spoken_state(tmp_path))
        return pyfsagg.influence(X, Y, filter=["ig", "su"], **options, **more)

    whole, again = _resumed(call, tmp_path, 2)
    assert states[-1].endswith(": 2 pieces of work are done")
    for name in (None, "symmetric_uncertainty"):
        assert again.table(filter=name).equals(whole.table(filter=name))


@pytest.mark.usefixtures("every_piece")
def test_an_interrupted_evaluation_ends_in_the_same_cells(tmp_path: Path) -> None:
    def mine(X: Any, y: Any) -> Any:
        return np.arange(X.shape[1])

    mine.checkpoint_version = "1"  # type: ignore[attr-defined]
    options: dict[str, Any] = {
        "methods": {"ig": "ig", "mine": mine},
        "classifiers": ["naive_bayes", "nearest_neighbors"],
        "metrics": ["accuracy", "auc"],
        "protocol": pyfsagg.evaluation.Protocol("both", n_folds=2, n_random=1),
    }

    def call(thresholds: tuple[int, ...] = (1, 3), **more: Any) -> Any:
        how = {"n_features_to_select": list(thresholds), "n_resamples": 4, "random_state": 0}
        return pyfsagg.evaluate(X, Y, **options, **how, **more)

    whole, again = _resumed(call, tmp_path, 12)
    assert again.to_frame().equals(whole.to_frame())
    with pytest.raises(ParameterError, match="n_features_to_select is"):
        call((2,), execution=Execution(checkpoint=tmp_path))


def test_several_data_sets_trials_and_curves_are_taken_from_their_folders(tmp_path: Path) -> None:
    tables = {"all/of it": (X, Y), "part": (X.iloc[:, :5], Y)}
    options = {
        "methods": ["ig"],
        "classifiers": "naive_bayes",
        "n_features_to_select": [2],
        "baselines": [],
    }
    options |= {"n_resamples": 2, "execution": Execution(checkpoint=tmp_path)}
    first, again = (evaluation.evaluate_many(tables, **options) for _ in range(2))
    assert len(list(tmp_path.iterdir())) == 2
    assert again.to_frame().equals(first.to_frame())
    rankings = {"given": np.arange(X.shape[1])}
    curve = partial(clustering_curve, X, Y, rankings, [1, 4], n_trials=2, random_state=0)
    whole = curve()
    for _ in range(2):
        assert curve(execution=Execution(checkpoint=tmp_path / "c")).equals(whole)


@pytest.mark.usefixtures("every_piece")
@pytest.mark.parametrize("function", [frcm, frmv])
def test_an_interrupted_consensus_ends_in_the_same_bits(tmp_path: Path, function: Any) -> None:
    call = partial(function, X, n_clusterings=12, random_state=0)
    whole, again = _resumed(call, tmp_path, 5, random_state=None)
    assert again.scores.tobytes() == whole.scores.tobytes()
    assert (again.labels == whole.labels).all()
    with pytest.raises(ParameterError, match="n_clusterings is 12 there and 13 here"):
        call(n_clusterings=13, execution=Execution(checkpoint=tmp_path))


@pytest.mark.usefixtures("every_piece")
@pytest.mark.parametrize("method", ["cdv", "spoilers", "greedy_kl", "koller_sahami"])
@pytest.mark.parametrize("stop", [1, 28])
def test_an_interrupted_elimination_ends_in_the_same_order(tmp_path, method, stop) -> None:
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], 12)
    table = rng.normal(size=(36, 30)) + np.outer(y == "a", np.arange(30) % 4)
    call = partial(rank_order.eliminate, table, y, method, random_state=0)
    whole, again = _resumed(call, tmp_path, stop, random_state=None, n_jobs=2)
    assert again.to_json() == whole.to_json()


# --- kills -----------------------------------------------------------------------------------
RUN = """
import signal
import sys
import numpy as np
import pyfsagg
from pyfsagg._run import checkpoint as _checkpoint

_checkpoint.EVERY = 0.01
rng = np.random.default_rng(0)
X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)
kind, output, folder, seconds = *sys.argv[1:4], float(sys.argv[4])
usual = _checkpoint._write

def write(path, content):
    usual(path, content)
    if path.name.startswith("part-") and not signal.getitimer(signal.ITIMER_REAL)[0]:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # so long after, the system ends this process

_checkpoint._write = write
execution = pyfsagg.Execution(checkpoint=folder or None)
if kind == "bam":
    found = pyfsagg.bam(X, y, n_resamples=1600, random_state=0, n_jobs=2, execution=execution)
    matrix = np.vstack([*found.score_matrices.values(), found.scores])
else:
    found = pyfsagg.influence(
        X, y, aggregators=["am", "rra"], n_folds=24, n_resamples=60, random_state=0,
        execution=execution,
    )
    matrix = np.vstack(list(found.scores.values()))
signal.setitimer(signal.ITIMER_REAL, 0.0)
np.save(output, matrix)
"""


def _run(kind: str, output: Path, folder: Path | str, seconds: float = 0.0) -> int:
    words = [kind, str(output), str(folder), str(seconds)]
    return subprocess.run([sys.executable, "-c", RUN, *words], check=False).returncode


@pytest.mark.parametrize("kind", ["bam", "influence"])
@pytest.mark.thorough
def test_kills_at_random_moments_change_no_bit(tmp_path: Path, kind: str) -> None:
    """A timer of the run itself kills it, so no kill is late on a busy machine."""
    whole = tmp_path / "whole.npy"
    assert _run(kind, whole, "") == 0
    folder, output = tmp_path / "checkpoint", tmp_path / "resumed.npy"
    moments = random.Random(kind)
    kills, states = 0, []
    while not output.exists():
        code = _run(kind, output, folder, moments.uniform(0.001, 0.03) if kills < 4 else 0.0)
        assert code in (0, -signal.SIGALRM)
        kills += code != 0
        states.append(len(list(folder.glob("part-*.npz"))))
    assert kills >= 3
    assert states == sorted(states)  # what was done once is never done again
    assert output.read_bytes() == whole.read_bytes()

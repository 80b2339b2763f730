"""Tables larger than memory: the same bits as in memory, however the rows are divided."""

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyfsagg import Execution, Task, bam, wam
from pyfsagg._run import checkpoint as _checkpoint
from pyfsagg._table.columns import Kind
from pyfsagg.discretization import discretize
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.out_of_core import counting, memory_limit, rank_out_of_core, ranking

FILTERS = ["information_gain", "gain_ratio", "symmetric_uncertainty", "chi_squared", "cramers_v"]
FILTERS.append("value_difference_metric")  # of two classes
N = 601
RUN = {"filters": FILTERS, "n_resamples": 70, "random_state": 4}


def mixed_table(n: int = N, seed: int = 0) -> pd.DataFrame:
    """Columns of every kind, with missing values in each kind but the target."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    frame = pd.DataFrame({"real": rng.normal(size=n) + y})
    frame["single"] = rng.normal(size=n).astype(np.float32)
    frame["whole"] = rng.integers(-5, 40, n)
    frame["gaps"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) - y)
    frame["flag"] = rng.random(n) < 0.3 + 0.3 * y
    frame["word"] = rng.choice(["red", "green", "blue"], n)
    frame["dictionary"] = pd.Categorical(rng.choice(["u", "v"], n), categories=["v", "u", "w"])
    frame["constant"], frame["empty"] = 2.5, np.nan
    frame["word"] = frame["word"].where(rng.random(n) > 0.1)
    frame["maybe"] = pd.array(np.where(rng.random(n) < 0.2, None, y), dtype="boolean")
    frame["y"] = np.where(y == 1, "yes", "no")
    return frame


def write(frame: pd.DataFrame, folder: Path, cuts: list[int], row_group_size: int = 10**6) -> Path:
    """The table as files of the rows between the cuts."""
    folder.mkdir(parents=True, exist_ok=True)
    edges = [0, *cuts, len(frame)]
    schema = pa.Schema.from_pandas(frame, preserve_index=False)
    for number, (start, stop) in enumerate(pairwise(edges)):
        table = pa.Table.from_pandas(frame.iloc[start:stop], schema=schema, preserve_index=False)
        pq.write_table(table, folder / f"{number:03d}.parquet", row_group_size=row_group_size)
    return folder


def sorted_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Pandas has an order of its own for categories; files have sorted ones."""
    return frame.assign(dictionary=frame["dictionary"].astype(str))


def binned(X: pd.DataFrame, method: str = "equal_width") -> pd.DataFrame:
    return discretize(X, method=method).to_frame().replace(-1, np.nan)


def in_memory(codes: pd.DataFrame, y: pd.Series, **options: Any) -> EnsembleResult:
    """The same run over a binned table, all columns nominal."""
    task = Task(nominal=list(codes))
    options = {"normalize": "per_resample", **RUN, **options}
    return bam(codes, y, task=task, resampling="poisson_bootstrap", **options)


def assert_same(found: EnsembleResult, expected: EnsembleResult) -> None:
    assert list(found.score_matrices) == list(expected.score_matrices)
    for label, matrix in found.score_matrices.items():
        np.testing.assert_array_equal(matrix, expected.score_matrices[label], err_msg=label)
    np.testing.assert_array_equal(found.combined, expected.combined)
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.checked.own_scores, expected.checked.own_scores)


def assert_same_run(found: EnsembleResult, expected: EnsembleResult) -> None:
    assert_same(found, expected)
    assert found.data == expected.data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(mixed_table(), tmp_path / "parts", [300])


# --- the same bits ---------------------------------------------------------------------------
@pytest.mark.parametrize("classes", [2, 3])
def test_equals_the_run_in_memory(tmp_path: Path, classes: int) -> None:
    frame = mixed_table()
    filters = FILTERS
    if classes == 3:
        frame.loc[::5, "y"] = "perhaps"
        filters = FILTERS[:-1]
    folder = write(frame, tmp_path / "parts", [100, 350])
    found = rank_out_of_core(folder, "y", **{**RUN, "filters": filters})
    codes = binned(sorted_levels(frame).drop(columns=["y", "empty"])).assign(empty=np.nan)
    codes = codes[frame.columns.drop("y")]
    assert_same(found, in_memory(codes, frame["y"], filters=filters))
    assert found.method == "bam"
    assert found.data["n_samples"] == N
    assert found.data["class_counts"] == frame["y"].value_counts().sort_index().to_dict()


def test_one_filter_is_wam(tmp_path: Path) -> None:
    frame = mixed_table()[["real", "flag", "word", "y"]]
    folder = write(frame, tmp_path / "parts", [300])
    found = rank_out_of_core(folder, "y", filters="ig", n_resamples=9, random_state=0)
    codes = binned(frame.drop(columns="y"))
    options = {"normalize": "none", "n_resamples": 9, "random_state": 0}
    task = Task(nominal=list(codes))
    expected = wam(codes, frame["y"], task=task, resampling="poisson_bootstrap", **options)
    assert found.method == "wam"
    np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.parametrize("binning", ["equal_width", "equal_frequency"])
@pytest.mark.parametrize(
    ("cuts", "row_group_size", "n_jobs"),
    [([1, 2, 599], 10**6, 1), ([], 7, 3), (list(range(50, N, 50)), 13, 2), ([0, 300, 300], 301, 4)],
)
def test_partitioning_and_workers_change_nothing(tmp_path, binning, cuts, row_group_size, n_jobs):
    frame = mixed_table()
    whole = write(frame, tmp_path / "whole", [])
    parts = write(frame, tmp_path / "parts", cuts, row_group_size)
    expected = rank_out_of_core(whole, "y", binning=binning, **RUN)
    found = rank_out_of_core(parts, "y", binning=binning, n_jobs=n_jobs, **RUN)
    assert_same_run(found, expected)


def test_groups_of_columns_and_small_batches_change_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rank_out_of_core(folder, "y", binning="equal_frequency", **RUN)
    asked: list[int] = []

    def groups(self: ranking.Budget, names: list[str], *_: object) -> list[slice]:
        asked.append(len(names))
        return [slice(start, min(start + 3, len(names))) for start in range(0, len(names), 3)]

    monkeypatch.setattr(ranking.Budget, "_groups", groups)
    progress: list[tuple[int, int]] = []
    told = Execution(progress=lambda done, total: progress.append((done, total)))
    found = rank_out_of_core(folder, "y", binning="equal_frequency", execution=told, **RUN)
    assert asked[-3:] == [11, 6, 10]
    assert_same_run(found, expected)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert progress[0] == (0, 3 * N)
    assert progress[-1] == (3 * N, 3 * N)
    expected = rank_out_of_core(folder, "y", **RUN)
    monkeypatch.setattr(ranking, "MOST_ROWS_IN_A_PIECE", 10)
    monkeypatch.setattr(ranking, "FEWEST_ROWS", 10)
    assert_same_run(rank_out_of_core(folder, "y", **RUN), expected)


def test_a_lower_limit_makes_more_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = counting.open_source(write(mixed_table(), tmp_path / "parts", []))
    monkeypatch.setattr(ranking, "resident", lambda: 0)
    names = list(source.types)
    found = []
    for megabytes in (2, 1):
        limit = ranking.OVERHEAD + megabytes * 10**6
        with memory_limit(limit):
            groups = ranking.Budget.of(3, len(names)).reading_groups(names, source)
        assert [j for group in groups for j in range(len(names))[group]] == list(range(len(names)))
        found.append(len(groups))
    assert 1 < found[0] < found[1]


def test_equal_frequency_is_that_of_the_parts_of_the_range(tmp_path: Path) -> None:
    """On whole numbers from 0 to 2**16 - 1 every value is a part of its own, so the cuts are exact."""
    rng = np.random.default_rng(1)
    n = 3000
    skewed = (rng.random(n) ** 4 * (counting.FINE_PARTS - 1)).astype(int)
    skewed[:2] = 0, counting.FINE_PARTS - 1
    # Values 0.5 above a whole number lie inside a part, and none on an edge.
    frame = pd.DataFrame({"skewed": np.where(skewed == 0, 0.0, skewed + 0.5)})
    frame["few"] = rng.integers(3, size=n)
    frame["tied"] = np.where(rng.random(n) < 0.4, 0, rng.integers(counting.FINE_PARTS, size=n))
    frame.loc[0, "skewed"], frame.loc[1, "skewed"] = 0.0, float(counting.FINE_PARTS)
    frame["y"] = np.where(rng.random(n) < 0.5, "a", "b")
    folder = write(frame, tmp_path / "parts", [1000])
    found = rank_out_of_core(folder, "y", binning="equal_frequency", **RUN)
    assert_same(found, in_memory(binned(frame.drop(columns="y"), "equal_frequency"), frame["y"]))


def test_declared_and_excluded_columns(folder: Path) -> None:
    frame = mixed_table()
    found = rank_out_of_core(folder, "y", nominal=["whole"], exclude=["empty", "constant"], **RUN)
    codes = sorted_levels(frame)[list(found.feature_names)]
    assert "empty" not in found.feature_names
    assert_same(found, in_memory(binned(codes).assign(whole=codes["whole"]), frame["y"]))


def test_the_hash_is_that_of_the_content(tmp_path: Path) -> None:
    frame = mixed_table()

    def sha(name: str, changed: pd.DataFrame) -> str:
        folder = write(changed, tmp_path / name, [])
        return str(rank_out_of_core(folder, "y", n_resamples=2, random_state=0).data["sha256"])

    base = sha("base", frame)
    cell = frame.copy()
    cell.loc[5, "real"] += 1e-9
    label = frame.copy()
    label.loc[[0, int(np.flatnonzero(frame["y"] != frame["y"][0])[0])], "y"] = frame["y"][0]
    swapped = pd.concat([frame.iloc[[1, 0]], frame.iloc[2:]], ignore_index=True)
    renamed = frame.rename(columns={"real": "reel"})
    others = {"cell": cell, "label": label, "swapped": swapped, "renamed": renamed}
    assert len({base, *(sha(name, changed) for name, changed in others.items())}) == 5


def test_which_files_and_columns_are_read(folder: Path, tmp_path: Path) -> None:
    """In any order of columns, without an index of pandas, and no files of other names."""
    frame = mixed_table()
    expected = rank_out_of_core(folder, "y", **RUN)
    frame.iloc[:200].to_parquet(folder / "000.parquet")
    frame.iloc[200:][frame.columns[::-1]].to_parquet(folder / "001.parquet")
    assert_same(rank_out_of_core(folder, "y", **RUN), expected)
    frame.set_index(pd.Index(np.arange(N) + 7, name="id")).to_parquet(tmp_path / "one.parquet")
    assert "id" not in counting.open_source(tmp_path / "one.parquet").types
    for name in ("_metadata.parquet", ".part.parquet", "readme.txt"):
        (folder / name).write_bytes(b"?")
    write(frame, folder / "deeper", [])
    assert counting.open_source(folder).n_rows == 2 * N


def test_targets_keep_their_labels(tmp_path: Path) -> None:
    for name, values, labels in (
        ("whole", [3, 1] * 10, ["1", "3"]),
        ("flags", [True, False] * 10, ["False", "True"]),
        ("words", pd.Categorical(["b", "a"] * 10), ["a", "b"]),
    ):
        frame = pd.DataFrame({"a": range(20), "b": range(20, 0, -1), "y": values})
        folder = write(frame, tmp_path / name, [])
        found = rank_out_of_core(folder, "y", n_resamples=3, random_state=0)
        assert list(found.data["class_counts"]) == labels


def test_saved_and_shown_like_any_other(folder: Path, tmp_path: Path) -> None:
    found = rank_out_of_core(folder, "y", exclude=["empty"], **RUN)
    loaded = EnsembleResult.load(found.save(tmp_path / "saved"))
    assert_same(loaded, found)
    assert loaded.parameters == found.parameters
    page = loaded.to_html()
    told = ["rank_out_of_core(", "poisson bootstrap", "exclude=[&#39;empty&#39;]"]
    for words in (*told, "numbers were cut into 10 bins of equal width once"):
        assert words in page


# --- checkpoints -----------------------------------------------------------------------------
class Stopped(Exception):  # noqa: N818
    pass


def stop_at(rows: int) -> object:
    def progress(done: int, total: int) -> None:
        if done >= rows:
            raise Stopped

    return progress


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_interrupted_run_ends_in_the_same_bits(tmp_path, monkeypatch, n_jobs):
    monkeypatch.setattr(_checkpoint, "EVERY", 0.0)
    folder = write(mixed_table(), tmp_path / "parts", [100, 200, 300, 400, 500])
    kept_here = Execution(checkpoint=tmp_path / "kept")
    options = {**RUN, "random_state": None, "execution": kept_here, "n_jobs": n_jobs}
    stopped = replace(kept_here, progress=stop_at(N + 300))
    with pytest.raises(Stopped):
        rank_out_of_core(folder, "y", **{**options, "execution": stopped})
    kept = sorted((tmp_path / "kept").glob("part-*.npz"))
    assert len(kept) >= 3
    counted: list[int] = []
    whole = counting.count_piece

    def watched(shared: object, piece: object) -> object:
        counted.append(piece.first_row)  # type: ignore[attr-defined]
        return whole(shared, piece)  # type: ignore[arg-type]

    monkeypatch.setattr(counting, "count_piece", watched)
    # Other filters and another aggregator are computed from the same counts.
    found = rank_out_of_core(folder, "y", **{**options, "aggregator": "median"})
    assert sorted(counted) == [100 * k for k in range(len(kept), 6)]
    fresh = {**RUN, "random_state": found.parameters["seed"], "aggregator": "median"}
    expected = rank_out_of_core(folder, "y", **fresh)
    assert_same_run(found, expected)


def test_the_checkpoint_of_another_run_is_refused(folder, tmp_path) -> None:
    options = {**RUN, "execution": Execution(checkpoint=tmp_path / "kept")}
    rank_out_of_core(folder, "y", **options)
    for change, message in (
        ({"bins": 5}, "bins is 10 there and 5 here"),
        ({"binning": "equal_frequency"}, "binning is"),
        ({"n_resamples": 71}, "n_resamples is 70 there and 71 here"),
        ({"random_state": 5}, "seed is 4 there and 5 here"),
        ({"exclude": ["real"]}, "columns is"),
        ({"nominal": ["whole"]}, "columns is"),
    ):
        with pytest.raises(ParameterError, match=message):
            rank_out_of_core(folder, "y", **{**options, **change})


def test_the_checkpoint_of_other_data_is_refused(tmp_path: Path) -> None:
    frame, kept = mixed_table(), Execution(checkpoint=tmp_path / "kept")
    folder = write(frame, tmp_path / "parts", [])
    rank_out_of_core(folder, "y", execution=kept, **RUN)
    frame.loc[5, "real"] = frame.loc[6, "real"]  # neither the range nor the levels change
    write(frame, folder, [])
    unknown = "cannot tell whether the Dask frame has changed"
    for source, said in ((folder, "the table or the target differs"), (FakeDask([frame]), unknown)):
        with pytest.raises(ParameterError, match=said):
            rank_out_of_core(source, "y", execution=kept, **RUN)


# --- a Dask frame ----------------------------------------------------------------------------
@dataclass
class FakePart:
    frame: pd.DataFrame

    def compute(self, scheduler: str) -> pd.DataFrame:
        assert scheduler == "synchronous"
        return self.frame


class FakeDask:
    """What is used of a Dask frame, for where Dask is not installed."""

    def __init__(self, parts: list[pd.DataFrame]) -> None:
        self.parts = parts
        self.npartitions = len(parts)
        self.columns = parts[0].columns
        self._meta_nonempty = parts[0].iloc[:2]

    def map_partitions(self, function: object) -> "FakeDask":
        assert function is len
        return self

    def compute(self) -> list[int]:
        return [len(part) for part in self.parts]

    def to_delayed(self) -> list[FakePart]:
        return [FakePart(part) for part in self.parts]


def test_a_dask_frame_is_read_by_partitions(folder: Path) -> None:
    frame, expected = mixed_table(), rank_out_of_core(folder, "y", **RUN)
    fake = FakeDask([frame.iloc[:200], frame.iloc[200:200], frame.iloc[200:]])
    assert_same_run(rank_out_of_core(fake, "y", n_jobs=2, **RUN), expected)
    dask_frame = pytest.importorskip("dask.dataframe")
    found = rank_out_of_core(dask_frame.from_pandas(frame, npartitions=3), "y", **RUN)
    assert_same(found, expected)


def test_a_dask_frame_that_does_not_keep_its_word() -> None:
    frame = pd.DataFrame({"a": range(20), "b": range(20), "y": [0, 1] * 10})
    other = frame.assign(a="word")
    with pytest.raises(DataError, match="partition 1 of the Dask frame is not of the types"):
        rank_out_of_core(FakeDask([frame, other]), "y")
    shrinking = FakeDask([frame])
    shrinking.compute = lambda: [21]  # type: ignore[method-assign]
    with pytest.raises(DataError, match="has 20 rows, and had 21 before"):
        rank_out_of_core(shrinking, "y")


# --- what is refused -------------------------------------------------------------------------
def test_a_second_file_that_does_not_fit(folder: Path) -> None:
    for change, message in (
        (lambda f: f.drop(columns="real"), r"the column 'real' is in 000.parquet and not in .*001"),
        (lambda f: f.assign(new=1), r"the column 'new' is in .*001.parquet and not in 000.parquet"),
        (lambda f: f.assign(whole=0.5), r"'whole' is int64 in 000.parquet and double in .*001"),
        (lambda f: f.assign(empty=None), r"'empty' is double in 000.parquet and null in .*001"),
        (lambda f: f.assign(real=np.inf), "column 'real' has an infinite value"),
        (lambda f: f.assign(y=None), "the column 'y' is"),
        (lambda f: f.assign(y=f["y"].where(f.index != 400)), "'y' is missing in 1 of 601 rows"),
    ):
        change(mixed_table()).iloc[300:].to_parquet(folder / "001.parquet")  # type: ignore[operator]
        with pytest.raises(DataError, match=message):
            rank_out_of_core(folder, "y", n_jobs=2, **RUN)


def test_columns_that_cannot_be_used(tmp_path: Path) -> None:
    plain = pd.DataFrame({"a": range(40), "b": range(40, 0, -1), "y": ["u", "v"] * 20})
    for columns, message in (
        ({"y": ["a"] * 40}, "'y' has one class only"),
        ({"y": range(40)}, "'y' has 40 different values in 40 rows"),
        ({"when": pd.date_range("2020-01-01", periods=40)}, "'when' contains dates or times"),
        ({"nested": [[1, 2]] * 40}, "'nested' has the type list"),
        ({"word": ["1", "x"] * 20}, "'word' mixes numbers and words"),
        ({"a": 1, "b": 1.0}, "every feature is constant"),
        ({"y": [1.0, np.inf] * 20}, "column 'y' has an infinite value"),
    ):
        folder = write(plain.assign(**columns), tmp_path / "parts", [])
        with pytest.raises(DataError, match=message):
            rank_out_of_core(folder, "y")
    n = 10_002
    frame = pd.DataFrame({"id": [f"n{i}" for i in range(n)], "b": range(n), "y": ["u", "v"] * 5001})
    with pytest.raises(DataError, match="column 'id' has more than 10000 levels: an identifier"):
        rank_out_of_core(write(frame, tmp_path / "many", [5000]), "y")
    third = mixed_table()
    third.loc[::3, "y"] = "third"
    with pytest.raises(DataError, match="two classes, the target 'y' has 3"):
        rank_out_of_core(write(third, tmp_path / "three", []), "y", filters="vdm")


def test_targets_like_numbers_and_resamples_of_hardly_any_row_are_refused(tmp_path: Path) -> None:
    for n_classes, name in ((10, "few"), (11, "many")):
        y = [f"c{i}" for i in np.arange(40) % n_classes]
        frame = pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40.0), "y": y})
        write(frame, tmp_path / name, [])
    few = rank_out_of_core(tmp_path / "few", "y", filters="ig", n_resamples=3)
    assert few.feature_names == ("x", "z")
    said = "'y' has 11 different values in 40 rows, more than a quarter"
    with pytest.raises(DataError, match=said):
        rank_out_of_core(tmp_path / "many", "y", filters="ig", n_resamples=3)
    frame = pd.DataFrame({"x": np.arange(6.0), "z": np.arange(6.0) ** 2, "y": list("ababab")})
    folder = write(frame, tmp_path / "parts", [])
    with pytest.raises(DataError, match=r"resample 1 .* draws 1 row"):  # the last one
        rank_out_of_core(folder, "y", filters="ig", n_resamples=2, random_state=43)


def test_folders_that_hold_no_table(folder: Path, tmp_path: Path) -> None:
    for name in ("wrong", "none", "hive"):
        (tmp_path / name).mkdir()
    (tmp_path / "wrong" / "x.parquet").write_bytes(b"no Parquet at all")
    mixed_table().iloc[:0].to_parquet(tmp_path / "none.parquet")
    write(mixed_table(), tmp_path / "hive" / "year=2020", [])
    content = bytearray((folder / "001.parquet").read_bytes())
    content[4:2000] = bytes(1996)
    (folder / "001.parquet").write_bytes(content)
    for name, message in (
        ("nowhere", "there is no folder"),
        ("none", "contains no Parquet file"),
        ("wrong", r"x\.parquet is not a readable Parquet file"),
        ("none.parquet", r"has 0 row\(s\)"),
        ("hive", "the name of the folder 'year=2020' contains a column"),
        ("parts", r"001\.parquet cannot be read"),
    ):
        with pytest.raises(DataError, match=message):
            rank_out_of_core(tmp_path / name, "y", n_jobs=2, **RUN)
    with pytest.raises(InputTypeError, match="got DataFrame; give a table in memory to"):
        rank_out_of_core(mixed_table(), "y")


def test_parameters_that_are_refused(folder) -> None:
    for options, error, message in (
        ({"target": "z"}, UnknownNameError, "unknown column 'z'"),
        ({"exclude": ["z"]}, UnknownNameError, "unknown column 'z'"),
        ({"nominal": ["z"]}, UnknownNameError, "unknown column 'z'"),
        ({"exclude": ["y"]}, ParameterError, "both the target and omitted"),
        ({"filters": ["ig", "mrmr"]}, ParameterError, "'mrmr' needs the table in memory"),
        ({"filters": ["ig", "information_gain"]}, ParameterError, "given twice"),
        ({"filters": []}, ParameterError, "filters is empty"),
        ({"filters": "nothing"}, UnknownNameError, "unknown filter"),
        ({"bins": 1}, ParameterError, "bins must be a whole number from 2 to 1000, got 1"),
        ({"binning": "mdl"}, ParameterError, "binning must be one of"),
        ({"n_resamples": 0}, ParameterError, "n_resamples must be"),
        ({"normalize": "rows"}, ParameterError, "normalize must be one of"),
    ):
        with pytest.raises(error, match=message):
            rank_out_of_core(**{"source": folder, "target": "y", **options})


def test_too_little_memory_is_said_before_anything_is_read(folder, tmp_path, monkeypatch):
    def tell(done: int, total: int) -> None:
        raise AssertionError("the run has started")

    told = Execution(progress=tell, memory_limit="1MB")
    said = r"memory_limit is 1 MB, and .* an estimated [\d,]+ MB .*holds"
    with pytest.raises(ParameterError, match=said):
        rank_out_of_core(folder, "y", execution=told, **RUN)
    monkeypatch.setattr(ranking, "OVERHEAD", 0)
    monkeypatch.setattr(ranking, "resident", lambda: 0)
    frame = pd.DataFrame(
        {"flag": [True, False] * 20, "last": np.arange(40.0), "y": ["a", "b"] * 20}
    )
    many = {"n_resamples": 20_000, "bins": 500, "execution": Execution(progress=tell)}
    said = "or lower n_resamples, n_jobs or bins"
    for source, limit in ((folder, "20MB"), (write(frame, tmp_path / "two features", []), "100MB")):
        with memory_limit(limit), pytest.raises(ParameterError, match=said):
            rank_out_of_core(source, "y", **many)


def test_without_a_limit_what_the_process_holds_is_no_obstacle(folder, monkeypatch):
    expected = rank_out_of_core(folder, "y", **RUN)
    monkeypatch.setattr(ranking, "resident", lambda: 7 * 10**9)
    assert_same(rank_out_of_core(folder, "y", **RUN), expected)
    with pytest.raises(ParameterError, match="7,000 MB of which this process holds already"):
        rank_out_of_core(folder, "y", execution=Execution(memory_limit="6GB"), **RUN)


def test_arrow_types() -> None:
    for kind, expected in (
        (pa.float16(), Kind.NUMERIC),
        (pa.decimal128(9, 2), Kind.NUMERIC),
        (pa.decimal128(9, 0), Kind.INTEGER),
        (pa.uint8(), Kind.INTEGER),
        (pa.bool_(), Kind.BOOLEAN),
        (pa.large_string(), Kind.NOMINAL),
        (pa.dictionary(pa.int8(), pa.int32()), Kind.NOMINAL),
    ):
        column = counting.column_of("x", kind)
        assert column.kind == expected
        if kind == pa.float16():
            cells = pa.array(np.array([1.5, 2.0], np.float16))
        elif pa.types.is_dictionary(kind):
            cells = pa.array([3, None, 3], pa.int32()).dictionary_encode()
        elif kind == pa.large_string():
            assert column.read(pa.array(["a", None])).to_pylist() == ["a", None]
            continue
        else:
            cells = pa.array([1, 0, None], pa.int64())
            cells = cells if pa.types.is_decimal(kind) else cells.cast(kind)
        assert column.read(cells).dtype == np.float64

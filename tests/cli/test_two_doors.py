"""One front door: `pyfsagg.rank` and ``pyfsagg rank`` give the same answers, and refuse the same tables."""

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg._table import table
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggError

FEW = {"n_resamples": 4, "random_state": 0, "n_jobs": 1, "checks": "none"}
FLAGS = "--n-resamples 4 --jobs 1 --pairs 0 --shuffles 0 --quiet --output out"


def wide() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    classes = np.repeat(["a", "b"], 40)
    X = rng.normal(size=(80, 400)) + 0.3 * (classes == "b")[:, None] * rng.normal(size=400)
    return pd.DataFrame(X).add_prefix("g").assign(kind=classes)


def trial() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd")).round(3)
    frame["time"] = np.ceil(30 * rng.exponential(np.exp(-frame["a"])))
    return frame.assign(status=rng.integers(0, 3, 60))


def visits() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd")).round(3)
    kind = np.where(frame["a"] + rng.normal(size=60) > 0, "ill", "well").astype(object)
    kind[[3, 17]] = None
    return frame.assign(centre=np.resize(list("xyz"), 60), kind=kind, row=np.arange(60) // 2)


CASES = {
    "depth": (wide, "kind", {"filters": "mrmr", "n_features_to_select": 150},
        "--target kind --filter mrmr --n-features-to-select 150"),
    "event": (trial, ("time", "status"), {"filters": ["cox_score"], "event": 2},
        "--target time --event status=2 --filters cox_score"),
    "subjects": (visits, "kind", {"filters": ["ig", "su"], "groups": "row", "accept": ["missing_target"]},
        "--target kind --filters ig,su --groups row --accept missing_target"),
    "pairs": (visits, "kind",
        {"filters": "ig", "groups": "row", "accept": ["all"], "resampling": "complementary_pairs"},
        "--target kind --filter ig --groups row --accept all --resampling complementary_pairs"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_python_and_the_terminal_agree(case, pyfsagg, tmp_path) -> None:
    make, target, options, flags = CASES[case]
    make().to_csv(tmp_path / "table.csv", index=False)
    pyfsagg(f"rank table.csv {flags} {FLAGS}")
    there = load(tmp_path)
    here = rank(str(tmp_path / "table.csv"), target, **options)
    np.testing.assert_array_equal(here.scores, there.scores)
    for name in ("filters", "filter_params", "resampling", "task", "n_resamples"):
        assert here.parameters[name] == there.parameters[name]
    assert here.data == there.data
    assert str(here) == str(there)  # the number of features to select included
    if case == "depth":
        shallow = rank(make(), target, filters="mrmr")
        assert here.parameters["filter_params"] != shallow.parameters["filter_params"]


def load(folder):
    return pyfsagg.ensemble.EnsembleResult.load(folder / "out")


def rank(X, y, **options):
    return pyfsagg.rank(X, y, **FEW, **options)


def test_both_doors_point_out_a_table_that_lies_on_its_side(pyfsagg, tmp_path) -> None:
    frame = pd.DataFrame({f"s{i}": range(9) for i in range(6)})
    frame.insert(0, "gene", [f"g{i}" for i in range(9)])
    frame.to_csv(tmp_path / "genes.csv", index=False)
    told = pyfsagg("rank genes.csv --target group", code=2).stderr
    assert "The rows look like features, such as genes" in told
    assert "say --transpose, and --labels FILE" in told
    for table_ in (frame, str(tmp_path / "genes.csv")):
        with pytest.raises(
            DataError, match=r"rows look like features.*read_table with transpose=True"
        ):
            rank(table_, "group")


def test_the_value_of_an_event() -> None:
    frame = trial()
    flags = frame.assign(status=frame["status"] == 2)
    both = ("time", "status")
    expected = rank(flags, both, task="survival", filters="cox_score")
    for codes in (frame, frame.assign(status=frame["status"].map({0: "no", 1: "other", 2: "2"}))):
        found = rank(codes, both, event=2, filters="cox_score")
        np.testing.assert_array_equal(found.scores, expected.scores)
    apart = rank(frame.drop(columns=[*both]), frame[[*both]], event=2, filters="cox_score")
    np.testing.assert_array_equal(apart.scores, expected.scores)
    refused = {
        "event=7: the column 'status' has no such value; it has 0, 1 and 2": {"event": 7},
        "event belongs to survival": {"event": 2, "task": "regression"},
    }
    for message, options in refused.items():
        with pytest.raises(ParameterError, match=message):
            rank(frame, both, **options)
    with pytest.raises(ParameterError, match="give times and events as y"):
        rank(frame, "time", event=2)


def test_a_table_is_converted_once(monkeypatch) -> None:
    seen = []
    original = table.convert_frame

    def counted(frame, declared):
        seen.append(frame.shape)
        return original(frame, declared)

    for module in (table, pyfsagg.datasets._checked):
        monkeypatch.setattr(module, "convert_frame", counted)
    rank(wide(), "kind", filters="ig", task=pyfsagg.Task(nominal=["g0"]))
    assert seen == [(80, 400)]


def test_a_number_to_select_is_refused_before_the_work() -> None:
    with pytest.raises(PyfsaggError, match="n_features_to_select"):
        rank(wide(), "kind", n_features_to_select="most")

"""Every kind of result is kept, read again and refused in the same way."""

import json
import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from html_pages import compose_pictures

import pyfsagg
from pyfsagg._run.result import ARRAY_FILE, KINDS, RUN_FILE
from pyfsagg.aggregation import compare_aggregations
from pyfsagg.cli import main
from pyfsagg.exceptions import OutputError, ParameterError, PyfsaggWarning
from pyfsagg.extending import data_folder
from pyfsagg.results import CLASSES
from pyfsagg_papers import shipped
from pyfsagg_papers.comparisons.run import CrossCheck

WINE = pyfsagg.load_dataset("wine")
LISTS = [["a", "b", "c", "d"], ["b", "a", "d"], ["c", "a"]]


def _influence(seed: int = 0) -> Any:
    return pyfsagg.influence(
        WINE.X, WINE.y, aggregators=["am", "gm"], n_folds=4, n_resamples=5, random_state=seed
    )


MAKE: dict[str, Callable[[], Any]] = {
    "ensemble": lambda: pyfsagg.wam(WINE.X, WINE.y, filter="cs", n_resamples=5, random_state=0),
    "influence": _influence,
    "metric_standings": lambda: pyfsagg.standings(_influence()),
    "evaluation": lambda: pyfsagg.evaluate(
        WINE.X, WINE.y, methods=["cs"], classifiers="naive_bayes", n_features_to_select=[2, 4],
        n_resamples=5, random_state=0,
    ),
    "committee": lambda: pyfsagg.vote(
        [["a", "b"], [], ["b", "c"]], performance=[0.5, None, 0.75], learners=["1", "nan", "1"]
    ),
    "elimination": lambda: pyfsagg.rank_order.eliminate(
        WINE.X, WINE.y, "spoilers", random_state=0
    ),
    "unsupervised": lambda: pyfsagg.unsupervised.frcm(WINE.X[:40], n_clusterings=8, random_state=0),
    "aggregation": lambda: pyfsagg.aggregate(pyfsagg.Rankings.from_lists(LISTS, universe=9), "rra"),
    "method_comparison": lambda: compare_aggregations(LISTS, ["borda", "mean_rank"]),
    "list_agreement": lambda: pyfsagg.aggregation.list_agreement(LISTS),
    "studies": lambda: pyfsagg.studies({
        name: pd.DataFrame({"gene": list("abcd"), "logFC": sign, "PValue": [1e-5, 0.2, 0.6, None]})
        for name, sign in (("one", [1.5, -1.0, 0.5, 1.0]), ("two", [0.5, 1.0, -1.0, 0.0]))
    }),
    "list_influence": lambda: pyfsagg.aggregator_influence.influence_of_lists(
        np.random.default_rng(0).normal(size=(6, 8)), ["am", "minimum"], n_splits=2, random_state=0
    ),
    "screen": lambda: pyfsagg.screen([-2.0, -1.0, 0.5, 1.0, 0.0], list("aabbc")),
    "standings": lambda: pyfsagg.standings([[3.0, 2.0], [2.5, 1.0], [1.0, 1.5]] * 3),
    "stability": lambda: pyfsagg.stability([set(each) for each in LISTS], n_features=9),
}  # fmt: skip


PAPERS: dict[str, Callable[[], Any]] = {  # with shipped results
    "reproduction": lambda: shipped.shipped_run("full-4.4"),
    "stuart_finding": shipped.shipped_stuart,
    "calibration": shipped.shipped_calibration,
    "gene_lists": shipped.shipped_gene_lists,
    "aggregator_choice": shipped.shipped_aggregator_choice,
}
MAKE |= PAPERS | {
    "cross_check": lambda: CrossCheck.load(data_folder() / "validation" / "cross_check.json")
}


@cache
def made(kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyfsaggWarning)  # wine is not on one scale
        return MAKE[kind]()


def test_every_class_of_results_is_tried_and_others_are_none(tmp_path: Path) -> None:
    others = entry_points(group="pyfsagg.results")
    assert {*(each._kind for each in CLASSES), *others.names} == set(MAKE)
    assert all(KINDS[point.name] is point.load() for point in others)
    (tmp_path / "table.json").write_text('{"rows": []}')
    with pytest.raises(OutputError, match=r"table\.json contains no result; supported: "):
        pyfsagg.load_result(tmp_path / "table.json")


@pytest.mark.parametrize("kind", MAKE)
def test_what_is_saved_is_read_again(kind: str, tmp_path: Path) -> None:
    result = made(kind)
    assert result._kind == kind
    result.save(tmp_path / "run")
    again = pyfsagg.load_result(tmp_path / "run")
    assert type(again) is type(result)
    assert json.loads(again.to_json()) == json.loads(result.to_json())
    assert again.summary_text() == result.summary_text()
    read, kept = ({k: a.tobytes() for k, a in each._arrays().items()} for each in (again, result))
    assert read == kept
    with pytest.raises(OutputError, match="not empty"):
        result.save(tmp_path / "run")
    with pytest.raises(ParameterError, match="kind must be one of"):
        result.plot("portrait")


@pytest.mark.parametrize("kind", MAKE)
def test_what_cannot_be_read_is_said_in_one_way(kind: str, tmp_path: Path) -> None:
    result = made(kind)
    folder = tmp_path / "run"
    result.save(folder)
    record = (folder / RUN_FILE).read_text(encoding="utf-8")
    with pytest.raises(OutputError, match="contains no saved"):
        type(result).load(tmp_path / "nowhere")
    for text, load, message in (
        (record[: len(record) // 2], type(result).load, "damaged"),
        (json.dumps({**json.loads(record), "schema": 99}), type(result).load, "schema 99"),
        (json.dumps({**json.loads(record), "kind": "soup"}), pyfsagg.load_result, "'soup'"),
    ):
        (folder / RUN_FILE).write_text(text)
        with pytest.raises(OutputError, match=message) as told:
            load(folder)
        assert type(result).__name__ not in str(told.value)  # which no user of the terminal knows
    (folder / RUN_FILE).write_text(record)
    if (folder / ARRAY_FILE).exists():
        content = (folder / ARRAY_FILE).read_bytes()
        (folder / ARRAY_FILE).write_bytes(content[: len(content) // 2])
        with pytest.raises(OutputError, match="damaged"):
            type(result).load(folder)


@pytest.mark.parametrize("kind", MAKE)
def test_arrays_of_another_shape_than_the_record_says_are_refused(
    kind: str, tmp_path: Path
) -> None:
    """Also if the arrays fit together, as do those that all lack their last column."""
    folder = made(kind).save(tmp_path / "run")
    if not (folder / ARRAY_FILE).exists():
        return
    with np.load(folder / ARRAY_FILE) as file:
        arrays = dict(file)
    cut = {name: array[..., :-1] for name, array in arrays.items()}
    first, *others = arrays
    for damaged, message in (
        (cut, rf"matrices\.npz is damaged, .* run\.json says {arrays[first].shape[0]}"),
        ({name: arrays[name] for name in others}, rf"the array '{first}' is missing"),
        ({**arrays, "more": arrays[first]}, "the array 'more' is .* run.json says nothing"),
    ):
        np.savez(folder / ARRAY_FILE, **damaged)
        with pytest.raises(OutputError, match=message):
            pyfsagg.load_result(folder)
    np.savez(folder / ARRAY_FILE, **arrays)
    record = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    del record["arrays"]  # as earlier versions wrote it
    (folder / RUN_FILE).write_text(json.dumps(record), encoding="utf-8")
    assert isinstance(pyfsagg.load_result(folder), type(made(kind)))


@pytest.mark.parametrize("kind", PAPERS)
def test_results_of_comparisons_with_papers_are_shown_and_reported(
    kind, tmp_path, capsys, monkeypatch
):
    compose_pictures(monkeypatch)
    result = made(kind)
    result.save(tmp_path / "run", command="reproduce it")
    assert main(["show", str(tmp_path / "run")]) == 0
    told = " ".join(capsys.readouterr().out.split())  # lines of the terminal are filled
    assert told.startswith(" ".join(result.conclusions()[0].split()))
    assert main(["report", str(tmp_path / "run"), "--quiet"]) == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page == pyfsagg.load_result(tmp_path / "run").to_html()
    assert "pyfsagg reproduce it" in page


def test_a_result_that_is_shown_says_what_the_command_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, items in zip("abc", LISTS, strict=True):
        Path(f"{name}.txt").write_text("\n".join(items))
    line = "aggregate a.txt b.txt c.txt --universe 9 --method rra --output run"
    assert main(line.split()) == 0
    said = capsys.readouterr().out
    assert main(["show", "run"]) == 0
    assert said.startswith(capsys.readouterr().out.rstrip("\n"))
    before = Path("run/report.html").read_text(encoding="utf-8")
    Path("run/report.html").unlink()
    assert main(["report", "run", "--quiet"]) == 0
    assert Path("run/report.html").read_text(encoding="utf-8") == before
    assert main(["report", "run/run.json"]) == 2
    assert main(["show", "nowhere"]) == 2
    assert "contains no saved" in capsys.readouterr().err

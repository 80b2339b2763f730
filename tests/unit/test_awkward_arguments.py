"""What is refused in one sentence, and was Python's or NumPy's own error before."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest

import pyfsagg
from pyfsagg._command.flags import assignments
from pyfsagg._table.table import check_table
from pyfsagg.aggregation import compare_methods
from pyfsagg.exceptions import OutputError, ParameterError, PyfsaggError
from pyfsagg.rank_order import kendall_distance, make_concordant_orders, make_planted_orders
from pyfsagg.statistics import (
    adjust_p_values,
    friedman,
    noncentral_f_interval,
    noncentral_t_interval,
    one_way_anova,
    rank_biserial_paired,
    rank_biserial_unpaired,
    sphericity_test,
)
from pyfsagg.unsupervised import (
    enough_clusterings,
    laplacian_score,
    summarise_trials,
    svd_entropy,
)

WINE = pyfsagg.load_dataset("wine")
QUICK = {"filter": "chi_squared", "n_resamples": 4, "random_state": 0}
NOTHING = np.empty(0)

CALLS = {
    "no workers": lambda: pyfsagg.wam(WINE.X, WINE.y, n_jobs=0, **QUICK),
    "half a worker": lambda: pyfsagg.wam(WINE.X, WINE.y, n_jobs=0.5, **QUICK),
    "an array for a word": lambda: adjust_p_values([0.1, 0.2], np.zeros(3)),
    "a list for a word": lambda: adjust_p_values([0.1, 0.2], ["holm"]),
    "t without end": lambda: noncentral_t_interval(float("nan"), 4),
    "t of an array": lambda: noncentral_t_interval(np.zeros(3), 4),
    "no degrees of freedom": lambda: noncentral_t_interval(1.0, 0),
    "F below 0": lambda: noncentral_f_interval(-1.0, 2, 3),
    "F of text": lambda: noncentral_f_interval("1", 2, 3),
    "no differences": lambda: rank_biserial_paired(NOTHING),
    "infinite differences": lambda: rank_biserial_paired(np.array([1.0, np.inf])),
    "an empty sample": lambda: rank_biserial_unpaired(np.ones(3), NOTHING),
    "texts": lambda: rank_biserial_unpaired(["a"], ["b"]),
    "a negative seed of orders": lambda: make_planted_orders(3, 3, random_state=-1),
    "a seed that is a word": lambda: make_concordant_orders(2, 3, 4, random_state="one"),
    "rows of unequal length": lambda: one_way_anova([[1, 2], [3]]),
    "ragged blocks": lambda: friedman([[1, 2, 3], [3, "a"]]),
    "sphericity of one row": lambda: sphericity_test([1.0, 2.0, 3.0]),
    "sphericity of nothing": lambda: sphericity_test(np.ones((5, 3))),
    "orders that are sets": lambda: kendall_distance({1, 2}, {1, 2}),
    "an array for trials": lambda: summarise_trials(np.eye(3)),
    "an array for a ranking": lambda: enough_clusterings(np.eye(4), np.eye(4)),
    "squares without numbers": lambda: svd_entropy(WINE.X * 1e200, standardize="none"),
    "distances without numbers": lambda: laplacian_score(WINE.X * 1e200, standardize="none"),
    "an array for a file": lambda: pyfsagg.read_table(np.eye(3)),
    "a name that no file has": lambda: pyfsagg.read_table("a" * 5000),
    "a null character": lambda: pyfsagg.read_table("a\0b"),
    "a list for a table's name": lambda: pyfsagg.load_published([]),
    "half a character": lambda: pyfsagg.aggregate([["a", "\udcff"], ["a", "b"]], "rra"),
    "half a character in a header": lambda: check_table(
        np.eye(4), feature_names=["a", "b", "\udcff", "d"]
    ),
    "a list for options": lambda: pyfsagg.wam(WINE.X, WINE.y, aggregator_params=[1], **QUICK),
    "a number for methods": lambda: compare_methods([["a"], ["a"]], 3),
    "a number beyond floats": lambda: pyfsagg.aggregate(np.array([[10**400, 1], [2, 3]]), "borda"),
    "many brackets": lambda: assignments(["a=" + "[" * 100_000]),
    "a negative seed of a bootstrap": lambda: pyfsagg.adequacy(np.eye(4), random_state=-1),
}


@pytest.mark.parametrize("case", CALLS)
def test_refused_in_one_sentence(case: str) -> None:
    with pytest.raises(PyfsaggError) as refused:
        CALLS[case]()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("exponent", [-1000, 600])
def test_an_analysis_of_variance_knows_no_size(exponent: int) -> None:
    groups = {"a": [6.0, 8, 4, 5], "b": [8.0, 12, 9, 11], "c": [13.0, 9, 11, 8]}
    usual = one_way_anova(groups)
    found = one_way_anova({name: np.ldexp(each, exponent) for name, each in groups.items()})
    assert (found.f, found.p_value, found.omega_squared) == (
        usual.f,
        usual.p_value,
        usual.omega_squared,
    )


def test_a_full_terminal_is_said() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pyfsagg", "datasets"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_seeds_of_orders_draw_what_they_drew() -> None:
    one = make_planted_orders(3, 3, n_extraneous=2, random_state=np.random.default_rng(7))
    two = make_planted_orders(3, 3, n_extraneous=2, random_state=7)
    np.testing.assert_array_equal(one.X, two.X)


def test_a_configured_backend_that_has_no_generators() -> None:
    usual = pyfsagg.wam(WINE.X, WINE.y, n_jobs=1, **QUICK)
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        found = pyfsagg.wam(WINE.X, WINE.y, **QUICK)
    np.testing.assert_array_equal(found.combined, usual.combined)


def test_a_saved_run_that_lacks_a_name_is_damaged(tmp_path: Path) -> None:
    folder = pyfsagg.wam(WINE.X, WINE.y, **QUICK).save(tmp_path / "run")
    document = json.loads((folder / "run.json").read_text())
    for names in (document["features"][1:], [*document["features"][:-1], "alcohol"]):
        (folder / "run.json").write_text(json.dumps({**document, "features": names}))
        with pytest.raises(OutputError, match="names of features"):
            pyfsagg.EnsembleResult.load(folder)


def test_a_terminal_without_unicode_gets_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyfsagg.cli import main

    monkeypatch.chdir(tmp_path)
    table = WINE.X.iloc[:, :3].set_axis(["ärger", "b", "c"], axis=1).assign(kind=WINE.y)
    table.to_csv("table.csv", index=False)
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert (
        main(
            [
                "rank",
                "table.csv",
                "--target",
                "kind",
                "--filter",
                "cs",
                "--n-resamples",
                "4",
                "--seed",
                "0",
            ]
        )
        == 0
    )
    out.flush()
    assert rb"\xe4rger" in out.buffer.getvalue()


def test_the_sentence_of_workers_names_the_remedy() -> None:
    with pytest.raises(ParameterError, match="-1 for all cores, got 0"):
        pyfsagg.wam(WINE.X, WINE.y, n_jobs=0, **QUICK)

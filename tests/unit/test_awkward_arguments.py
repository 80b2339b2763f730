"""What is refused in one sentence, and was Python's or NumPy's own error before."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest

import pyfsagg
from pyfsagg.exceptions import OutputError, ParameterError, PyfsaggError
from pyfsagg.rank_order import make_concordant_orders, make_planted_orders
from pyfsagg.statistics import (
    adjust_p_values,
    noncentral_f_interval,
    noncentral_t_interval,
    rank_biserial_paired,
    rank_biserial_unpaired,
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
    "a negative seed of a bootstrap": lambda: pyfsagg.adequacy(np.eye(4), random_state=-1),
}


@pytest.mark.parametrize("case", CALLS)
def test_refused_in_one_sentence(case: str) -> None:
    with pytest.raises(PyfsaggError) as refused:
        CALLS[case]()
    assert "\n" not in str(refused.value)


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

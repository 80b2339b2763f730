"""Memory is estimated from shapes, and refused in one sentence before any of it is taken."""

import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import pyfsagg
from pyfsagg._base import memory
from pyfsagg._base.memory import read_memory
from pyfsagg.aggregation.about_lists import traits
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning
from pyfsagg.stability_measures import feature_stability
from pyfsagg.stability_measures.curves import chance_level
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg.unsupervised import frcm
from pyfsagg.unsupervised.clusterings import consensus_matrix


def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """A table of noise, and two classes."""
    return np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 2


X, Y = table(40, 3)


@pytest.fixture(autouse=True)
def _little_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine of these tests has 2 GB left."""
    monkeypatch.setattr(memory, "free_bytes", lambda: 2_000_000_000)


def test_the_sentence_has_estimate_room_and_remedy() -> None:
    message = r"^the thing would take about 3\.0 GB, and 2\.0 GB are free; do less$"
    with pytest.raises(DataError, match=message):
        memory.require_memory(3e9, "the thing", "do less")
    memory.require_memory(1.9e9, "the thing", "do less")


def test_a_limit_counts_what_the_process_holds_and_may_be_set_for_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 600_000_000)
    with pyfsagg.out_of_core.memory_limit("1GB"):
        memory.require_memory(3e8, "the thing", "do less")
        with pytest.raises(DataError, match=r"400 MB are left of the memory limit of 1\.0 GB"):
            memory.require_memory(5e8, "the thing", "do less")
    memory.require_memory(5e8, "the thing", "do less")
    monkeypatch.setenv("PYFSAGG_MEMORY_LIMIT", "1kB")
    with pytest.raises(DataError, match="memory limit"):
        memory.require_memory(10.0, "the thing", "do less")


def test_an_allocation_that_fails_all_the_same_is_refused_in_the_same_words() -> None:
    with (
        pytest.raises(DataError, match=r"^the thing would take about 1\.0 GB, which could not be"),
        memory.within_memory(1e9, "the thing", "do less"),
    ):
        raise MemoryError


PROGRAM = """
import resource
from pyfsagg._base import memory
from pyfsagg.exceptions import DataError

most = memory._stated("/proc/self/status", "VmSize:") + 500_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
assert memory.free_bytes() <= 500_000_000
try:
    memory.require_memory(6e8, "the thing", "do less")
except DataError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells what a process holds")
def test_a_limit_of_addresses_counts() -> None:
    said = subprocess.check_output([sys.executable, "-c", PROGRAM], text=True)
    assert re.fullmatch(r"the thing would take about 600 MB, and \d+ MB are free; do less\n", said)


@pytest.mark.parametrize("size", ["much", "2 parsecs", -1, 0, 1.5])
def test_what_is_no_size_is_refused(size) -> None:
    with (
        pytest.raises(ParameterError, match="memory_limit"),
        pyfsagg.out_of_core.memory_limit(size),
    ):
        pass


CASES = {
    "many resamples": lambda: pyfsagg.wam(X, Y, n_resamples=1_000_000_000, random_state=0),
    "heavy rows": lambda: pyfsagg.wam(
        *table(20_000, 3),
        n_resamples=2,
        resampling=pyfsagg.resampling.Bootstrap(counts=np.full(20_000, 65_535)),
    ),
    "rows of an unsupervised run": lambda: frcm(table(40_000, 3)[0], n_clusterings=2),
    "consensus": lambda: consensus_matrix(np.zeros((2, 40_000), dtype=int)),
    "mrmr": lambda: pyfsagg.filters.mrmr(*table(4000, 4), sample_weight=np.full(4000, 60_000)),
    "koller_sahami": lambda: pyfsagg.rank_order.eliminate(
        *table(4000, 4), "koller_sahami", sample_weight=np.full(4000, 60_000)
    ),
    "sparse": lambda: pyfsagg.wam(
        csr_matrix(([1.0, 1.0], ([0, 1], [0, 2**31 - 2])), shape=(4, 2**31 - 1)),
        [0, 1, 0, 1],
        filter="chi_squared",
        n_resamples=2,
    ),
    "table of features": lambda: feature_stability([{1, 2}, {3}], n_features=10**9),
    "law of a union": lambda: chance_level("davis", 3, 10**9, 5),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_before_it_is_spent(case: str) -> None:
    start = time.process_time()
    with pytest.raises(DataError, match=r"would take about .* are free; "):
        CASES[case]()
    assert time.process_time() - start < 20.0


def test_set_measures_need_no_array_of_all_features() -> None:
    sets = [{1, 2, 10**9 - 1}, {3, 2}, {2}]
    found = pyfsagg.stability_measures.nogueira(sets, n_features=10**9)
    named = pyfsagg.stability_measures.nogueira(
        [{str(item) for item in row} for row in sets], n_features=10**9
    )
    assert found.estimate == pytest.approx(named.estimate, rel=1e-12)
    for measure in ("jaccard", "lustgarten", "hamming"):
        pair = [{1, 2}, {2, 7}]
        small = measure_stability(pair, measure, n_features=100_000).value
        large = measure_stability(pair, measure, n_features=100_001).value
        assert large == pytest.approx(small, abs=1e-4)
    with pytest.raises(DataError, match="position from 0 to 999999999"):
        pyfsagg.stability_measures.nogueira([{1}, {10**9}], n_features=10**9)


def test_a_slow_chain_says_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyfsagg.aggregation import pairwise

    monkeypatch.setattr(pairwise, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(pairwise, "LONG", 0.0)
    lists = [["a", "b", "c", "d"], ["b", "a", "d", "c"], ["d", "a", "b", "c"]]
    with pytest.warns(PyfsaggWarning, match=r"more, for about .* steps at damping=0\.001"):
        pyfsagg.aggregate(lists, "mc3", damping=0.001)


LIMITED = {
    "wam": lambda X, y, execution: pyfsagg.wam(X, y, n_resamples=50_000, execution=execution),
    "bam": lambda X, y, execution: pyfsagg.bam(X, y, n_resamples=50_000, execution=execution),
    "frcm": lambda X, y, execution: frcm(X, execution=execution),
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_run_keeps_to_the_limit_of_its_execution(name: str) -> None:
    limit = pyfsagg.Execution(memory_limit="1MB")
    with pytest.raises(DataError, match="left of the memory limit of 1 MB"):
        LIMITED[name](*table(3000, 4), limit)
    pyfsagg.filters.chi_squared(*table(3000, 4))  # nothing is left of it afterwards


def test_an_execution_without_a_limit_leaves_that_of_the_caller() -> None:
    with pyfsagg.out_of_core.memory_limit("1MB"), pytest.raises(DataError, match="limit of 1 MB"):
        frcm(table(3000, 4)[0], execution=pyfsagg.Execution(progress=False))
    with pytest.raises(ParameterError, match="such as '2GB', got 'much'"):
        pyfsagg.Execution(memory_limit="much")


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("512 MiB", 2**29), ("1.5gib", 3 * 2**29), (7, 7), ("100", 100)],
)
def test_memory_in_words(text: str | int, size: int) -> None:
    assert read_memory(text) == size


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda: pyfsagg.aggregate([["a", "b"], ["b", "a"]]), "2 lists of 2 names"),
        (lambda: pyfsagg.aggregation.list_agreement(TABLE), "the agreement of 3 lists"),
        (lambda: pyfsagg.vote(np.eye(3, 4, dtype=bool)), "3 votes on 4 features"),
        (lambda: pyfsagg.standings(np.ones((3, 5))), "the pairs of 5 methods"),
        (lambda: pyfsagg.screen([1.0, 2.0, 3.0], ["a", "a", "b"]), "a screen of 3 guides"),
        (lambda: feature_stability(X, n_features_to_select=1), "the ranks of 3 features"),
    ],
)
def test_lists_votes_scores_and_screens_are_refused_before_it_is_spent(
    ask: Callable[[], object], what: str
) -> None:
    message = f"{what} would take about .*; take fewer"
    with pyfsagg.out_of_core.memory_limit(1), pytest.raises(DataError, match=message):
        ask()


def test_what_is_asked_for_methods_and_for_shuffled_targets() -> None:
    with memory.estimates() as asked:
        pyfsagg.standings(np.random.default_rng(0).normal(size=(3, 5)))
        pyfsagg.ensemble.permute_target(X, Y, filter="spearman", shuffles=19, random_state=0)
    needed = {what: size for what, size, _ in asked}
    assert needed["the pairs of 5 methods"] == 310 * 5 * 4  # bytes of each ordered pair
    # Six arrays of numbers of eight bytes.
    assert needed["the scores of 3 features with 19 shuffled targets"] == 48 * 19 * 3


TABLE = pyfsagg.Rankings.from_lists([["a", "b"], ["b", "a"], ["a", "b"]])


def test_the_traits_of_many_lists_need_no_pairs_of_them() -> None:
    names = [f"g{j}" for j in range(60)]
    table = pyfsagg.Rankings.from_lists([names[i % 50 : i % 50 + 2 + i % 9] for i in range(4000)])
    tracemalloc.start()
    seen = traits(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16_000_000  # the pairs alone would take 128 MB
    few = pyfsagg.Rankings.from_lists([names[:4], names[2:5], names[9:11]])
    # In common 2, 0 and 0 names, of 3, 2 and 2 of the shorter list; by list 2 of 5, 2 of 5 and 0 of 4.
    assert traits(few)["agreement"] == 2 / 7
    assert traits(few)["agreement_spread"] == np.std([2 / 5, 2 / 5, 0.0])
    assert seen["n_lists"] == 4000

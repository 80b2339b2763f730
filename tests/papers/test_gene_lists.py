"""The comparison of aggregators on gene lists with a known truth."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyfsagg import Rankings
from pyfsagg.cli import main
from pyfsagg_papers import GeneListComparison, load_published, shipped_gene_lists
from pyfsagg_papers.lists import simulation
from pyfsagg_papers.lists.simulation import N_ENTITIES, accuracy, gene_list_accuracy, generate_lists


@pytest.fixture(scope="module")
def shipped() -> GeneListComparison:
    return shipped_gene_lists()


def test_lists_are_as_described() -> None:
    lists = generate_lists("0", 1.0, 0.1, np.random.default_rng(0))
    assert (len(lists.ranked), len(lists.unranked)) == (11, 21)
    for one in (*lists.ranked, *lists.unranked):
        assert 2 <= one.size <= N_ENTITIES
        assert np.unique(one).size == one.size
    # Without noise to speak of, a list begins with the strongest.
    clear = generate_lists("1", 1e-6, 0.0001, np.random.default_rng(1))
    assert clear.ranked[0][:2].tolist() == [0, 1]
    rng = np.random.default_rng(2)
    drawn = [generate_lists("1", 1.0, 0.1, rng).ranked for _ in range(60)]
    lengths = np.array([[row.size for row in lists] for lists in drawn])
    inner = lengths[lengths < N_ENTITIES]
    share = float((lengths == N_ENTITIES).mean())
    assert 0.03 < share < 0.17  # P(log-normal(7.4141, 1.8634) > 19,998) = 0.090
    assert 2 < np.median(np.log(inner)) < 9


def test_columns_are_in_the_order_of_appearance() -> None:
    lists = generate_lists("1", 1.0, 0.1, np.random.default_rng(3))
    table, entities = lists.table(mixed=True)
    ranked, unranked = (
        [list(map(str, one)) for one in part] for part in (lists.ranked, lists.unranked)
    )
    plain = Rankings.from_lists(ranked, N_ENTITIES, unranked=unranked)
    assert table.items == plain.items == tuple(map(str, entities))
    np.testing.assert_array_equal(table.ranks, plain.ranks)
    assert table.unranked.sum() == sum(one.size > 1 for one in lists.unranked)


def test_accuracy_by_hand() -> None:
    scores = np.arange(300.0, 0.0, -1.0)
    entities = np.r_[np.arange(50), np.arange(5000, 5100), np.arange(50, 200)]
    assert accuracy(scores, entities) == (0.5, 0.2)


def test_values_do_not_depend_on_the_grid() -> None:
    alone = gene_list_accuracy([(1.0, 0.1)], settings=["1"], n_repetitions=2)
    both = gene_list_accuracy([(0.5, 0.1), (1.0, 0.1)], settings=["1"], n_repetitions=2)
    again = both[both["M"] == 1.0].reset_index(drop=True)
    np.testing.assert_array_equal(alone["mean"], again["mean"])


def test_the_kept_run_is_of_this_code(shipped: GeneListComparison) -> None:
    """A data set of its seed gives a value that its cell allows."""
    cells = gene_list_accuracy([(1.0, 0.1)], settings=["1"], n_repetitions=2)
    kept = shipped.cells.merge(cells, on=["kind", "M", "D", "method", "top"], suffixes=("", "_now"))
    assert len(kept) == len(cells)
    away = (kept["mean_now"] - kept["mean"]) / (kept["std"] / np.sqrt(2))
    assert away.abs().max() < 5


def test_every_published_cell_has_a_verdict(shipped: GeneListComparison) -> None:
    frame = shipped.to_frame()
    printed = load_published("gene_lists")
    assert len(frame) == len(printed)
    ours = frame[frame["verdict"].isin(["within 2 SE", "within 3 SE", "apart"])]
    per_method = ours.groupby(["published", "kind"])["verdict"].size()
    assert set(per_method) == {2 * len(simulation.GRID)}
    named = {
        name
        for method in simulation.METHODS.values()
        for name in (method.ranked, method.mixed)
        if name
    }
    assert set(ours["published"]) == named
    # The published order of ties, not chance, makes the median.
    medians = ours[ours["published"] == "rMED"]
    assert (medians["verdict"] != "apart").all()
    assert (ours["verdict"] == "within 2 SE").mean() > 0.9


def test_command(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr("pyfsagg_papers.lists.gene_lists.GRID", ((1.0, 0.1),))
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "gene-lists", "--repeats", "2", "--jobs", "1"]) == 0
    assert "published cells of methods that we have" in capsys.readouterr().out
    folder = tmp_path / "pyfsagg-gene-lists"
    names = {path.name for path in folder.iterdir()}
    assert names == {"cells.csv", "means.csv", "report.html", "run.json"}
    kept = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert kept["record"]["n_repetitions"] == 2
    assert set(simulation.SETTINGS) == {"0", "1"}

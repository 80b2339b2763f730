"""Pages on statements, the Stuart column and simulated gene lists."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyfsagg import load_dataset
from pyfsagg._report.page import Picture, render_page
from pyfsagg.exceptions import DataError
from pyfsagg.extending import PageTable, Text
from pyfsagg_papers import (
    Reproduction,
    StuartFinding,
    claim_variants,
    claims,
    shipped_aggregator_choice,
    shipped_gene_lists,
    shipped_run,
    stuart_finding,
)
from pyfsagg_papers.all_papers.page import reproduction_page
from pyfsagg_papers.all_papers.result import OF_FIGURES, states
from pyfsagg_papers.statements.data import list_claims
from pyfsagg_papers.statements.page import claims_page, plot_p_values
from pyfsagg_papers.stuart.page import stuart_page
from pyfsagg_papers.tables.page import plot_coverage


def blocks_of(page, kind):
    return [b for section in page.sections for b in section.blocks if isinstance(b, kind)]


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return claims("thesis", "4.2")


def test_claims_page_tells_own_runs(found: pd.DataFrame) -> None:
    page = claims_page(found, claim_variants("thesis", "4.2"), command="reproduce claims")
    html = render_page(page)
    assert "pyfsagg reproduce claims" in html
    counts, statements, forms = blocks_of(page, PageTable)
    assert counts.rows == [["thesis", "1", "1", "3", "0"]]
    assert [row[0] for row in statements.rows] == list(found["verdict"])
    assert statements.rows[3][3:5] == ["0.0002", "p = 2.4e−04"]
    assert statements.rows[4][4] == "75% of rows"
    assert len(forms.rows) == len(claim_variants("thesis", "4.2"))
    assert len(blocks_of(page, Picture)) == 1
    own = found.head(1).assign(basis="own runs", recomputed=np.nan, published="")
    page = claims_page(pd.concat([found, own]), claim_variants("thesis", "4.2"))
    row = blocks_of(page, PageTable)[1].rows[-1]
    assert (row[1], row[3:5]) == ("4.3; table 4.2; own runs", ["–", "–"])


def test_claims_page_without_p_values() -> None:
    page = claims_page(claims("orders"), claim_variants("orders"))
    assert not blocks_of(page, Picture)
    assert "repeat" not in [section.id for section in page.sections]
    with pytest.raises(DataError, match="printed p-value"):
        plot_p_values(claim_variants("orders"))


def test_picture_of_p_values() -> None:
    variants = claim_variants("thesis")
    axes = plot_p_values(variants)
    lines = {str(line.get_label()): line for line in axes.lines}
    tests = variants[variants["published"].ne("") & variants["statistic"].notna()]
    names = list(dict.fromkeys(tests["id"]))
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert len(labels) == len(names)
    assert labels[0] == "bam slower p"
    assert len(lines["recomputed, another form"].get_xdata()) == (~tests["stated"]).sum()
    assert lines["printed"].get_xdata()[0] == 0.0002
    assert set(lines["printed as a bound"].get_xdata()) == {0.0001}


@pytest.fixture
def finding(no_r: None) -> StuartFinding:
    return stuart_finding([load_dataset("ionosphere")], n_folds=3, list_counts=[4, 8])


def test_stuart_page_without_r(finding: StuartFinding) -> None:
    page = stuart_page(finding, command="reproduce stuart")
    html = render_page(page)
    assert "R is &lt;not&gt; here" in html
    assert "R is <not> here" not in html
    assert len(blocks_of(page, Picture)) == 2  # one per filter
    printed, aggregators = blocks_of(page, PageTable)
    assert len(printed.rows) == 6
    assert [row[-3:] for row in printed.rows] == [["–"] * 3] * 6
    assert len(aggregators.columns) == 3 + 6
    sentences = [str(block.text) for block in blocks_of(page, Text)]
    assert sentences[: len(finding.conclusions())] == finding.conclusions()


def test_stuart_page_with_the_recursion(finding: StuartFinding) -> None:
    exact = finding.stability[finding.stability["aggregator"] == "stuart"]
    recursion = [exact.assign(aggregator=f"stuart_in_r{end}") for end in ("", "_first_list")]
    keys = finding.stability[["dataset", "filter", "n_lists"]].drop_duplicates()
    values = keys.assign(nan=1, infinite=0, negative=0, above_one=0, right=9, wrong=0)
    stability = pd.concat([finding.stability, *recursion], ignore_index=True)
    r = {"available": True, "R": "4.2.2", "RobustRankAggreg": "1.2.1"}
    full = replace(finding, stability=stability, values=values, r=r)
    page = stuart_page(full)
    tables = blocks_of(page, PageTable)
    assert [len(table.rows) for table in tables] == [6, 2, 2, 6]
    assert tables[0].rows[0][5] == tables[0].rows[0][4]  # the same values as exact
    assert tables[2].rows[0] == ["4", "2", "0", "0", "0", "18", "0"]
    assert len(blocks_of(page, Picture)) == 3
    assert "RobustRankAggreg 1.2.1 (R 4.2.2) returned 20 values: 10.0% NaN" in render_page(page)


@pytest.fixture(scope="module")
def reproduction(found: pd.DataFrame) -> Reproduction:
    rows = [
        ("thesis", "4.3", "ionosphere", "bam", "wacc_svm", "inside", ""),
        ("thesis", "4.3", "ada", "bam", "wacc_svm", "outside", ""),
        ("thesis", "4.4", "ionosphere", "bam", "pearson", "near", ""),
        ("fpcps", "fpcps_1", "gisette", "mc1", "tanimoto", "not checkable", "other <data>"),
    ]
    columns = ["paper", "table", "dataset", "row", "measure", "verdict", "reason"]
    values = {"published": 0.5, "mean": 0.5, "sd": 0.1, "n": 3, "lower": 0.4, "upper": 0.6}
    cells = pd.DataFrame(rows, columns=columns).assign(**values)
    times = pd.DataFrame({"table": ["4.3"], "dataset": ["ada"], "seconds": [1.5]})
    record = {
        "date": "2026-01-02", "machine": "a machine", "versions": {"pyfsagg": "1"}, "quick": True,
        "seed": 7, "settings": {"4.3": {"n_trees": 30}, "frcm_2": {"n_clusterings": 9}},
    }  # fmt: skip
    return Reproduction(cells, found, times, record)


def test_page_of_all_papers(reproduction: Reproduction) -> None:
    page = reproduction_page(reproduction, command="reproduce all")
    html = render_page(page)
    assert "1 of 3 checkable cells are inside, 1 near and 1 outside; 1 of 4 cannot" in html
    assert "other &lt;data&gt;" in html
    assert "pyfsagg reproduce all" in html
    assert "n_trees = 30" in html
    assert "n_clusterings" not in html  # a table that was not repeated
    overview = blocks_of(page, PageTable)[0]
    assert overview.rows == [
        ["thesis", "Table 4.3", "1", "0", "1", "0", "50.0", "0.0", "1"],
        ["thesis", "Table 4.4", "0", "1", "0", "0", "0.0", "0.0", "0"],
        ["fpcps", "Table 1", "0", "0", "0", "1", "–", "–", "0"],
        ["all", "", "1", "1", "1", "1", "33.3", "0.0", "1"],
    ]
    assert len(blocks_of(page, Picture)) == 3


def on_own_runs(found: pd.DataFrame, name: str, verdict: str, sentence: str) -> pd.DataFrame:
    """A second row for a statement: what own runs said of it."""
    own = found[found["id"] == name]
    return pd.concat([found, own.assign(basis="own runs", verdict=verdict, sentence=sentence)])


def test_the_report_leads_with_what_stands_and_what_changes(reproduction: Reproduction) -> None:
    found = pd.concat([claims("fpcps"), claims("frcm")])
    found = on_own_runs(found, "frcm-best-filter", "does not hold", "0 of 12 rows (not a; b).")
    found = on_own_runs(found, "fpcps-among-three-best", "not checkable", "No data.")
    lines = replace(reproduction, statements=found).conclusions()
    counts, *by_paper, lost = lines
    assert counts.startswith("Of 7 conclusions of the papers, 2 stand, 4 change because ")
    quick = "Own runs had quick settings, which are weaker evidence."
    assert counts.endswith(f"and 1 cannot be checked. {quick}")
    fpcps_stands, fpcps_changes, frcm_stands, frcm_changes = by_paper
    madelon = "on Madelon FPCPS is among the three best by AUC."
    assert fpcps_stands == f"Ensembles of ranking filters (fpcps), stand: {madelon}"
    assert "MC2 (published table: 2 of 5 rows)" in fpcps_changes
    assert frcm_stands.endswith("stand: FRCM varies little between trials.")
    own = "(published table: it holds; own runs: 0 of 12 rows; the printed row of the"
    assert own in frcm_changes
    elsewhere = "on the other data sets except Gisette FPCPS is among the three best by AUC"
    assert lost == f"Cannot be checked here: {elsewhere}."
    assert not any(elsewhere in line for line in by_paper)


def test_a_changed_verdict_moves_its_conclusion(reproduction: Reproduction) -> None:
    name, words = "frcm-small-deviations", "FRCM varies little between trials"
    for verdict, line in (
        ("holds", "Consensus affinity (frcm), stand: "),
        ("does not hold", "Consensus affinity (frcm), change: "),
        ("holds under another reading", "Consensus affinity (frcm), change: "),
        ("not checkable", "Cannot be checked here: "),
    ):
        found = claims("frcm")
        found.loc[found["id"] == name, ["verdict", "reading"]] = verdict, "most rows"
        lines = replace(reproduction, statements=found).conclusions()
        (named,) = (each for each in lines if words in each)
        assert named.startswith(line), verdict
        assert ("only if most rows" in named) == (verdict == "holds under another reading")


def test_the_lead_of_a_whole_run_has_ten_lines_at_most(reproduction: Reproduction) -> None:
    run = shipped_run("quick")
    lines = run.conclusions()
    assert 5 <= len(lines) <= 10
    page = reproduction_page(run)
    first = page.sections[0]
    assert first.id == "conclusions"
    assert [str(block.text) for block in first.blocks] == lines
    concluding = [claim for claim in list_claims() if claim.conclusion]
    assert len(states(run.statements)) == len(OF_FIGURES) + len(concluding)
    assert "Own runs" not in shipped_run("full-4.4").conclusions()[0]
    found = claims("thesis", "4.2")  # without conclusions the coverage is first
    none = replace(reproduction, statements=found[found["id"] == "bam-slower-p"])
    assert none.conclusions() == []
    assert reproduction_page(none).sections[0].id == "coverage"


def test_picture_of_coverage(reproduction: Reproduction) -> None:
    counts = reproduction.coverage(["dataset"])
    axes = plot_coverage(counts)
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ionosphere", "ada", "gisette"]
    with pytest.raises(DataError, match="one bar for each group"):
        plot_coverage(reproduction.coverage())


def test_pages_on_gene_lists_have_what_was_counted() -> None:
    lists = shipped_gene_lists()
    cells, means = blocks_of(lists._page(), PageTable)
    counts = lists.summary()
    assert [row[0] for row in cells.rows] == list(counts.index)
    shown = np.array([[int(cell) for cell in row[1:]] for row in cells.rows])
    assert np.array_equal(shown, counts.to_numpy())
    first = lists.means().sort_values("0r", ascending=False).iloc[0]
    assert list(means.rows[0][:4]) == ["birra", f"{first['0r']:.3f}", f"{first['se_0r']:.4f}", "–"]
    choice = shipped_aggregator_choice()
    (worth,) = blocks_of(choice._page(), PageTable)
    shares = choice.simulated.check().sort_values(ascending=False)
    assert [row[1] for row in worth.rows] == [f"{value:.3f}" for value in shares]
    said = [str(block.text) for block in blocks_of(choice._page(), Text)]
    assert said[: len(choice.conclusions())] == choice.conclusions()

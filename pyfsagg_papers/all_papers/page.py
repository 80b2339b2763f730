"""The report on all papers: how many cells and statements hold, and what cannot be checked."""

from __future__ import annotations

import pandas as pd

from pyfsagg import __version__
from pyfsagg.extending import (
    Block,
    Page,
    PageTable,
    Records,
    Section,
    Text,
    picture,
    plural,
    readable,
    setting,
)
from pyfsagg_papers.all_papers.result import PAPER_WORDS, Reproduction
from pyfsagg_papers.pages import closing, numbers, words
from pyfsagg_papers.statements.page import statement_counts, statement_table
from pyfsagg_papers.tables.comparison import VERDICTS, coverage, evidence
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.page import (
    COUNTS,
    POWER,
    RULES,
    count_texts,
    coverage_table,
    plot_coverage,
    table_title,
)


def reproduction_page(result: Reproduction, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.reproduce_all`."""
    cells = result.cells
    sections = []
    if lines := result.conclusions():
        title = "Which conclusions stand, and which change"
        sections.append(Section("conclusions", title, [Text(line) for line in lines]))
    sections.append(Section("coverage", "Coverage", _overview(result)))
    for paper, own in cells.groupby("paper", sort=False):
        sections.append(
            Section(f"paper-{paper}", PAPER_WORDS[str(paper)], _paper(own, result.record["quick"]))
        )
    lost = result.not_checkable()
    if len(lost):
        sections.append(Section("lost", "What cannot be checked, and why", [_lost(lost)]))
    sections.append(Section("statements", "Statements", statement_counts(result.statements)))
    for paper, part in result.statements.groupby("paper", sort=False):
        sections.append(
            Section(f"statements-{paper}", f"Statements: {paper}", [statement_table(part)])
        )
    sections.append(Section("record", "How it was made", [_record(result)]))
    sections += closing(command, cells["paper"])
    subtitle = f"pyfsagg {__version__}, {result.record['date']}"
    return Page("Published results, recomputed", subtitle, sections)


def _overview(result: Reproduction) -> list[Block]:
    counts = result.coverage(["paper", "table"])
    total = counts.sum()
    checkable, inside = int(total["checkable"]), int(total["inside"])
    quick = " Quick settings were used." if result.record["quick"] else ""
    sentence = (
        f"{inside} of {plural(checkable, 'checkable cell')} are inside, {int(total['near'])} near and "
        f"{int(total['outside'])} outside; {int(total[VERDICTS[-1]])} of {len(result.cells)} cannot be "
        f"checked. {int(total['decisive'])} of those inside are decisive: their limits would hold "
        f"hardly any value that is printed for another data set.{quick}"
    )
    rows = [
        [paper, table_title(table), *count_texts(row)]
        for (paper, table), row in zip(counts.index, counts.to_dict("records"), strict=True)
    ]
    whole = {
        "inside_share": inside / max(1, checkable),
        "others_inside": evidence(result.cells)["others_inside"].mean(),
    }
    rows.append(["all", "", *count_texts({**total, **whole})])
    columns = [*words("Paper", "Table"), *COUNTS]
    return [
        Text(sentence),
        Text(RULES, quiet=True),
        Text(POWER, quiet=True),
        PageTable("Verdicts by paper and table", columns, rows, header=1),
    ]


def _paper(own: pd.DataFrame, quick: bool) -> list[Block]:
    blocks: list[Block] = []
    for table, part in own.groupby("table", sort=False):
        name = str(table)
        label = f"{table_title(name)}: cells by verdict and data set"
        remark = EXPERIMENTS[name].quick_remark if quick else ""
        counts = coverage(part, ["dataset"])
        blocks.append(picture(label, f"coverage-{name}", plot_coverage, counts, caption=remark))
    blocks.append(coverage_table(own))
    counts = coverage(own, ["table", "measure"]).reset_index()
    columns = [*words("Table", "Measure"), *COUNTS]
    rows = [
        [table_title(str(row["table"])), readable(str(row["measure"])), *count_texts(row)]
        for row in counts.to_dict("records")
    ]
    blocks.append(PageTable("Verdicts by table and measure", columns, rows, header=1))
    return blocks


def _lost(lost: pd.DataFrame) -> PageTable:
    columns = [*words("Paper", "Table", "Data set"), *numbers("Cells"), *words("Reason")]
    rows = [
        [
            row["paper"],
            table_title(row["table"]),
            readable(row["dataset"]),
            str(row["n_cells"]),
            row["reason"],
        ]
        for row in lost.to_dict("records")
    ]
    return PageTable("Cells that cannot be checked", columns, rows)


def _record(result: Reproduction) -> Records:
    record = result.record
    general = [
        ("Date", str(record["date"])),
        ("Machine", str(record["machine"])),
        ("Seed", str(record["seed"])),
        ("Settings", "quick" if record["quick"] else "full"),
        ("Seconds of all computations", f"{float(result.times['seconds'].sum()):.0f}"),
    ]
    software = [(str(name), str(value)) for name, value in record["versions"].items()]
    used = set(result.cells["table"])
    settings = [
        (table_title(name), ", ".join(f"{key} = {setting(each)}" for key, each in own.items()))
        for name, own in record["settings"].items()
        if name in used
    ]
    groups = [("Run", general), ("Software", software), ("Settings by table", settings)]
    return Records("Record of the run", groups)

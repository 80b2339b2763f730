"""The page of a calibration."""

from __future__ import annotations

from pyfsagg.extending import Block, Enumeration, Page, PageColumn, PageTable, Section, plural
from pyfsagg_papers.calibration.design import KINDS
from pyfsagg_papers.calibration.run import SHOWN, Calibration, designs, shown_rows
from pyfsagg_papers.pages import closing, run_settings

_WORDS = ("Design", "Number", "Measures", "Accepted", "Verdict")


def calibration_page(found: Calibration, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.calibrate`."""
    sections = [
        Section("summary", "Summary", found._facts({})),
        Section("kinds", "What is measured", [Enumeration(list(KINDS.items()))]),
    ]
    for topic in dict.fromkeys(found.rows["topic"]):
        title = str(topic).replace("_", " ").capitalize()
        name = str(topic).replace("_", "-")
        sections.append(Section(f"topic-{name}", title, _tables(found, str(topic))))
    sections += [run_settings(found.record), *closing(command, [])]
    return Page(
        "Calibration of p-values, intervals and bounds", plural(len(found.rows), "claim"), sections
    )


def _tables(found: Calibration, topic: str) -> list[Block]:
    columns = [PageColumn(head, numeric=head not in _WORDS) for head in SHOWN.values()]
    texts = {design.function.__name__: design.function.__doc__ or "" for design in designs()}
    blocks: list[Block] = []
    of_topic = found.rows[found.rows["topic"] == topic]
    for simulation, rows in of_topic.groupby("simulation", sort=False):
        of = rows.groupby("inference", sort=False)["of"].first()
        note = " ".join(f"{name} is about {text}." for name, text in of.items() if text)
        cells = [list(row.values()) for row in shown_rows(rows)]
        blocks.append(PageTable(" ".join(texts[str(simulation)].split()), columns, cells, note))
    return blocks

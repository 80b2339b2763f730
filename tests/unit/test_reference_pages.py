"""The reference pages say what the specs say, and the specs say everything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    from reference import FOLDER, PAGES, R_HELP, markdown, r_help
finally:
    sys.path.pop(0)


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_up_to_date(name: str) -> None:
    written = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert written == markdown(PAGES[name]), "run: python tools/reference.py"


def test_help_of_settings_for_r_is_up_to_date() -> None:
    assert R_HELP.read_text(encoding="utf-8") == r_help(), "run: python tools/reference.py"


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "comparisons"])
def test_every_spec_is_complete(name: str) -> None:
    for spec in PAGES[name].registry.own():
        for field in ("summary", "formula", "latex", "bounds", "ties", "source"):
            assert getattr(spec, field), f"{spec.name} has no {field}"


def test_every_statistical_test_has_an_entry() -> None:
    from pyfsagg import statistics
    from pyfsagg.statistics._registry import STATISTICAL_TESTS

    others = {  # effect sizes, intervals of them, and what several tests share
        "EffectSize",
        "adjust_p_values",
        "noncentral_f_interval",
        "noncentral_t_interval",
        "rank_biserial_paired",
        "rank_biserial_unpaired",
    }
    functions = {name for name in statistics.__all__ if name[0].islower()}
    assert {spec.function for spec in STATISTICAL_TESTS} == functions - others

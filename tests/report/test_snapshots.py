"""What a result tells, word by word, as it is recorded in ``tests/snapshots``: of every kind, and in settings
in which it tells something else.  Of those only what differs from the first one is recorded."""

from functools import cache

import pytest
import snapshots
from html_pages import compose_pictures
from markupsafe import Markup
from results_in_settings import SETTINGS
from results_of_all_kinds import RESULTS

from pyfsagg._report import drawing

DRAWN = (
    "some above noise",
    "one of many",
    "noise",
    "checked",
    "one resample",
    "groups",
    "several filters",
)
"""Settings of ensembles whose pictures are drawn, which takes long."""

OTHERS = [(kind, setting) for kind in SETTINGS for setting in SETTINGS[kind]]


@pytest.fixture(autouse=True)
def words_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    compose_pictures(monkeypatch, snapshots.svg_of_words)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_tells(kind: str) -> None:
    snapshots.compare(f"results/{kind}", "whole", snapshots.of_made(RESULTS[kind], whole=True))


@cache
def told(kind: str, setting: str) -> str:
    make, view = SETTINGS[kind][setting]
    with pytest.MonkeyPatch.context() as patch:
        if kind.startswith("ensemble") and setting not in DRAWN:
            patch.setattr(drawing, "inline_svg", lambda draw, prefix, label: Markup("<svg></svg>"))
        return snapshots.of_made(make, whole=False, **view)


@pytest.mark.parametrize(("kind", "setting"), OTHERS)
def test_a_result_in_another_setting_tells(kind: str, setting: str) -> None:
    first, text = next(iter(SETTINGS[kind])), told(kind, setting)
    recorded = text if setting == first else snapshots.changes(told(kind, first), text)
    snapshots.compare(f"settings/{kind}", setting, recorded)

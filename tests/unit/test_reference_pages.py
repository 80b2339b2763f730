"""The reference pages say what the specs say, and the specs say everything."""

import importlib
import inspect
import pkgutil
import re
from typing import Any

import pytest
from loading import tool

import pyfsagg

REFERENCE = tool("reference")
FOLDER, PAGES = REFERENCE.FOLDER, REFERENCE.PAGES


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_up_to_date(name: str) -> None:
    written = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert written == REFERENCE.markdown(PAGES[name]), "run: python tools/reference.py"


def test_help_of_settings_for_r_is_up_to_date() -> None:
    assert REFERENCE.R_HELP.read_text(encoding="utf-8") == REFERENCE.r_help(), (
        "run: python tools/reference.py"
    )


def test_no_page_is_left_over() -> None:
    by_hand = "vocabulary"
    assert {path.stem for path in FOLDER.glob("*.md")} == {*PAGES, by_hand}


@pytest.mark.parametrize("name", [name for name in PAGES if name != "comparisons"])
def test_every_spec_is_complete(name: str) -> None:
    for spec in PAGES[name].registry.own():
        for field in ("summary", "formula", "latex", "bounds", "ties", "source"):
            assert getattr(spec, field), f"{spec.name} has no {field}"


def test_every_statistical_test_has_an_entry() -> None:
    from pyfsagg import statistics

    # Effect sizes, intervals of them, and what several tests share.
    others = "adjust_p_values noncentral_f_interval noncentral_t_interval rank_biserial_paired "
    others += "rank_biserial_unpaired"
    functions = {name for name in statistics.__all__ if name[0].islower()}
    specs = PAGES["statistical_tests"].specs
    assert {spec.function for spec in specs} == functions - set(others.split())


# --- links of docstrings ---------------------------------------------------------------------
ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc):`~?\.?([^`]+)`")


def _public() -> dict[str, Any]:
    """What the package and its rooms offer, and the methods of classes, by dotted names."""
    rooms = [found.name for found in pkgutil.iter_modules(pyfsagg.__path__, "pyfsagg.")]
    found = {}
    rooms.remove("pyfsagg.extending")  # its names are parts of the inside, and link to others
    for name in ["pyfsagg", "pyfsagg_papers", *(room for room in rooms if "._" not in room)]:
        room = importlib.import_module(name)
        for each in getattr(room, "__all__", ()):
            found[f"{name}.{each}"] = value = getattr(room, each)
            if inspect.isclass(value):
                parts = inspect.getmembers_static(value)
                found |= {f"{name}.{each}.{part}": at for part, at in parts if part[0] != "_"}
    return found


PUBLIC = _public()


def _exists(path: str) -> bool:
    """Whether a dotted name without private parts can be had."""
    parts = path.split(".")
    if any(part.startswith("_") for part in parts):
        return False
    for size in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:size]))
        except ImportError:
            continue
        for part in parts[size:]:
            value = getattr(value, part, None)
        return value is not None
    return False


def _leads_somewhere(link: str, name: str) -> bool:
    """A link is a public path, or a part of the class, or the public name of what the module means."""
    if link.split(".")[0] in ("pyfsagg", "pyfsagg_papers", "sklearn", "scipy"):
        return _exists(link)
    owner = name.rpartition(".")[0]  # the class of a method
    if any(f"{home}.{link}" in PUBLIC for home in (name, owner) if home in PUBLIC):
        return True
    meant = getattr(inspect.getmodule(PUBLIC[name]), link.split(".")[0], None)
    named = [at for path, at in PUBLIC.items() if path.endswith(f".{link.split('.')[0]}")]
    return bool(named) and (meant is None or any(at is meant for at in named))


def test_links_of_public_docstrings_lead_to_public_names() -> None:
    lost = {
        (link, name)
        for name, value in PUBLIC.items()
        if str(getattr(value, "__module__", "pyfsagg")).startswith("pyfsagg")
        for link in ROLE.findall(getattr(value, "__doc__", None) or "")
        if not _leads_somewhere(link, name)
    }
    assert not lost


def test_a_link_to_something_private_is_seen() -> None:
    assert not _leads_somewhere("pyfsagg._table.table.as_table", "pyfsagg.filters.mrmr")
    assert not _leads_somewhere(
        "as_table", "pyfsagg.discretization.discretize"
    )  # a private one, of that module
    assert not _leads_somewhere("last_places", "pyfsagg.Rankings.weighted")
    assert _leads_somewhere("pyfsagg.datasets.check_table", "pyfsagg.discretization.discretize")
    assert _leads_somewhere("selection", "pyfsagg.ensemble.EnsembleResult.select")

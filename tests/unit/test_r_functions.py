"""Functions of R that are written from the list of calls and the signatures of Python."""

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import pytest
from loading import tool
from numpy.typing import ArrayLike

import pyfsagg
from pyfsagg._base.arithmetic import Floats
from pyfsagg.ensemble.run import flat_names
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.for_r._given import IN_R
from pyfsagg.for_r.calls import CALLS, arguments_of, as_typed
from pyfsagg.for_r.tasks import GROUPS

TOOL = tool("r_functions")
FILE, arguments, in_r = TOOL.FILE, TOOL.arguments, TOOL.in_r
PACKAGE = FILE.parents[1]


def test_lines_of_r_fit_on_a_page() -> None:
    for file in sorted((PACKAGE / "R").glob("*.R")):
        assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= 120


def test_functions_are_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == TOOL.source(), "run: python tools/r_functions.py"


def test_every_argument_is_on_the_help_page() -> None:
    for name in CALLS:
        page = (PACKAGE / "man" / f"{CALLS[name].page}.Rd").read_text(encoding="utf-8")
        assert rf"\alias{{{name}}}" in page, "run roxygen2, as docs/maintaining.md says"
        items = re.findall(r"^\\item\{([^}]*)\}\{", page, re.MULTILINE)
        documented = {
            one.strip() for item in items for one in item.replace(r"\dots", "...").split(",")
        }
        assert set(arguments(CALLS[name])) <= documented, (
            f"describe it in r_bridge/pyfsaggr/R and run roxygen2: {name}"
        )


PAGES = sorted({called.page for called in CALLS.values()})


def test_no_argument_is_left_over_on_a_help_page() -> None:
    for name in PAGES:
        page = (PACKAGE / "man" / f"{name}.Rd").read_text(encoding="utf-8")
        usage = page[page.index("\\usage{") : page.index("\\arguments{")]
        used = set(re.findall(r"[\w.]+", re.sub(r'"[^"]*"', "", usage)))
        items = re.findall(r"^\\item\{([^}]*)\}\{", page, re.MULTILINE)
        documented = {one.strip() for item in items for one in item.split(",")} - {r"\dots"}
        assert documented <= used, f"drop it in r_bridge/pyfsaggr/R and run roxygen2: {name}"


def formals(name: str) -> dict[str, str | None]:
    """The arguments of a function of R that is written by hand, with their defaults."""
    files = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "R").glob("*.R"))
    written = re.search(
        rf"^{re.escape(name)} <- function\((.*?)\) \{{$", files, re.MULTILINE | re.DOTALL
    )
    # Commas inside parentheses divide no arguments.
    parts = re.split(r",\s*(?![^()]*\))", written[1])
    pairs = [part.split(" = ", 1) for part in parts]
    return {pair[0]: " ".join(pair[1].split()) if len(pair) == 2 else None for pair in pairs}


@pytest.mark.parametrize("name", [name for name, called in CALLS.items() if called.by_hand])
def test_functions_written_by_hand_have_the_arguments_of_python(name: str) -> None:
    assert set(formals(name)) == set(arguments(CALLS[name]))


OTHER_DEFAULTS = ("protocol", "resampling")
"""evaluate() of R takes the nested protocol; the others have theirs as objects in Python."""


@pytest.mark.parametrize(
    ("function", "python", "otherwise"),
    [
        ("wam.default", pyfsagg.wam, ()),
        ("bam.default", pyfsagg.bam, ()),
        ("aggregator_influence.default", pyfsagg.influence, ("method",)),
        ("evaluate.default", pyfsagg.evaluate, ()),
        ("committee.default", pyfsagg.committee, ("weights",)),  # voter_weights
    ],
)
def test_every_argument_of_a_run_is_one_in_r_or_a_documented_setting(function, python, otherwise):
    ours = formals(function)
    settings = (PACKAGE / "man" / "settings.Rd").read_text(encoding="utf-8")
    documented = set(re.findall(r"[a-z][a-z_]+", settings))
    names = {
        IN_R.get(name, name): name for name in flat_names(python, **GROUPS.get(python.__name__, {}))
    }
    assert set(names) <= {*ours, *documented, *otherwise}
    parameters = signature(python).parameters
    for name in set(names) & set(ours) - set(OTHER_DEFAULTS):
        default = parameters[names[name]].default if names[name] in parameters else None
        if isinstance(default, (bool, int, float, str)):
            assert ours[name] == in_r(default), name


def test_every_kind_is_known_to_r() -> None:
    code = (PACKAGE / "R" / "call.R").read_text(encoding="utf-8")
    known = re.findall(r"^  (\w+) = function\(value", code, re.MULTILINE)
    kinds = {called.kind(name) for called in CALLS.values() for name in called.parameters}
    assert kinds <= {*known, "collection", ""}
    for name, called in CALLS.items():
        assert set(called.kinds) <= set(called.parameters), name


@pytest.mark.parametrize(
    ("value", "hint", "read"),
    [
        (3.0, int, 3),
        (3.0, int | None, 3),
        (3, float, 3.0),
        (0.25, float | int, 0.25),
        (2.0, float | int, 2),
        (2.0, float | str, 2.0),
        (2.0, Sequence[float], [2.0]),
        (2.0, Sequence[float | int] | None, [2]),
        (np.array([1.0, 2.0]), Iterable[int], [1, 2]),
        (np.array([1.0, 2.0]), Sequence[float], [1.0, 2.0]),
        (np.array([2.0, 5.0]), tuple[int, int] | None, (2, 5)),
        ("a", Sequence[str], ["a"]),
        ("a", str | Sequence[str], "a"),
        (0.5, ArrayLike, [0.5]),
        (0.5, ArrayLike | None, [0.5]),
        (0.5, Floats, [0.5]),
        (0.5, ArrayLike | Any, 0.5),
        ({"a": {"bins": 5.0}}, Mapping[str, Mapping[str, Any]] | None, {"a": {"bins": 5}}),
        (True, bool | int, True),
        (2.0, Any, 2.0),
    ],
)
def test_a_value_of_r_is_what_the_type_means(value: object, hint: object, read: object) -> None:
    found = as_typed(value, hint)
    assert found == read
    assert type(found) is type(read)
    if isinstance(read, (list, tuple)):
        assert [type(one) for one in found] == [type(one) for one in read]


def test_an_array_stays_one_where_an_array_is_meant() -> None:
    values = np.array([1.0, 2.0])
    assert as_typed(values, ArrayLike) is values
    assert as_typed(values, Floats | None) is values


def test_a_function_of_r_is_that_of_the_signature() -> None:
    written = TOOL.function("pfer_bound", CALLS["pfer_bound"]).splitlines()
    assert written[:2] == ["#' @rdname error_control_parts", "#' @export"]
    assert written[2].startswith("pfer_bound <- function(q, p, threshold, n_pairs = 50, ")
    assert list(arguments(CALLS["frcm"]))[-4:] == ["progress", "save", "report", "..."]


def test_arguments_of_settings_and_of_no_function() -> None:
    called = CALLS["eliminate_features"]
    read = arguments_of(called, {"x": 1, "seed": 3.0, "cores": 2.0, "checkpoint": "a"})
    assert read.pop("execution").changed() == {"checkpoint": "a"}
    assert read == {"X": 1, "random_state": 3.0, "n_jobs": 2}
    with pytest.raises(UnknownNameError, match="did you mean 'threshold'"):
        arguments_of(CALLS["pfer_bound"], {"treshold": 1})

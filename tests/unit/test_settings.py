"""Settings as objects: what they refuse, what is recorded of them, and their flags."""

from __future__ import annotations

import argparse
import dataclasses
from dataclasses import dataclass
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pyfsagg
from pyfsagg import Checks, Execution, Task
from pyfsagg._base.settings import Settings, is_default, option
from pyfsagg._command import flags
from pyfsagg._message import home
from pyfsagg.cli import build_parser
from pyfsagg.ensemble import Precision
from pyfsagg.ensemble.run import gather_settings
from pyfsagg.evaluation import Protocol
from pyfsagg.exceptions import InputTypeError, ParameterError, UnknownNameError
from pyfsagg.extending import check_integer
from pyfsagg.resampling import GroupedBootstrap, Rows, Subsample


@dataclass(frozen=True, eq=False)
class Oven(Settings):
    """A group with a field of every sort."""

    kind: ClassVar[str] = "oven"

    degrees: int = option(180, metavar="C", help="how hot")
    mode: str = option("fan", choices=("fan", "grill"), help="from where")
    minutes: float | None = option(None, read=float, help="how long")
    preheat: bool = option(False, help="beforehand")
    dish: Any = option(None, flag=False, help="what is in it")

    def _check(self) -> None:
        check_integer("degrees", self.degrees, low=1)


@dataclass(frozen=True, eq=False)
class LargerOven(Oven):
    trays: int = option(1, metavar="N", help="how many")


# --- the base --------------------------------------------------------------------------------
def test_names_and_defaults() -> None:
    assert Oven.names() == ("degrees", "mode", "minutes", "preheat", "dish")
    assert Oven.of(None).changed() == Oven.of({}).changed() == Oven().changed() == {}
    assert Oven.read("oven", None).degrees == 180
    hot = Oven(200)
    assert Oven.read("oven", hot) is hot
    with pytest.raises(dataclasses.FrozenInstanceError):
        hot.degrees = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"degree": 3}, ParameterError, "oven has no parameter 'degree'; it takes: degrees, mode"),
        ({"mode": "steam"}, ParameterError, "mode must be one of 'fan', 'grill', got 'steam'"),
        ({"degrees": 0}, ParameterError, "degrees must be a whole number of at least 1, got 0"),
        (["degrees"], InputTypeError, "parameters of oven must be a mapping"),
    ],
)
def test_what_a_group_refuses(given: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        Oven.of(given)


def test_what_may_stand_for_a_group() -> None:
    with pytest.raises(InputTypeError, match=r"oven must be a pyfsagg\.Oven, got \{'degrees': 3\}"):
        Oven.read("oven", {"degrees": 3})
    assert Task.of_argument("regression").changed() == {"task": "regression"}
    assert Protocol.of_argument(["nested", "leaky"]).names_given == ("nested", "leaky")
    task = Task()
    assert Task.of_argument(task) is task
    for group, given in ((Task, 3), (Task, ["regression"]), (Protocol, None), (Oven, 180)):
        message = rf"^{group.kind} must be a name or a pyfsagg\.{home(group.__name__)}, got "
        with pytest.raises(InputTypeError, match=message):
            group.of_argument(given)


def test_changed_compares_type_and_value() -> None:
    assert Oven(180, mode="grill").changed() == {"mode": "grill"}
    assert Oven(181).changed() == {"degrees": 181}
    array = np.zeros(3)
    assert Oven(dish=array).changed() == {"dish": array}
    for value, default, expected in [
        (True, 1, False),
        (1.0, 1, False),
        ("a", "a", True),
        ((1, 2), (1, 2), True),
        (None, None, True),
        (np.zeros(2), None, False),
        (Task(), "classification", False),
    ]:
        assert is_default(value, default) is expected


def test_the_record_is_plain() -> None:
    record = {"degrees": 190, "mode": "fan", "minutes": 2.5, "preheat": False, "dish": None}
    assert Oven(np.int64(190), minutes=2.5).record() == record
    assert type(Oven(np.int64(190)).record()["degrees"]) is int
    assert Oven(dish=np.zeros(3)).record()["dish"] == "given (ndarray)"
    assert Oven(dish={"a": (1, np.float64(2.0))}).record()["dish"] == {"a": [1, 2.0]}
    assert Oven(dish=Oven(5)).record()["dish"]["settings"] == "Oven"
    assert Oven(dish=list(range(101))).record()["dish"] == "given (list)"
    expected = {"task": "regression", "target_bins": 5, "nominal": ["2"], "group_score": "auto"}
    expected |= {"drop_near_zero_variance": False}
    expected |= dict.fromkeys(("adjust", "always", "feature_groups"))
    assert Task("regression", nominal=[2]).record() == expected
    assert Task(feature_groups=Path("g.csv")).record()["feature_groups"] == "g.csv"
    assert Task(feature_groups="prefix:_").record()["feature_groups"] == "prefix:_"
    assert Task(feature_groups={"g": ["a"]}).record()["feature_groups"] == "given (mapping)"


# --- the command line ------------------------------------------------------------------------
def _parser(group: type[Settings], *leave_out: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    group.add_flags(parser, *leave_out)
    return parser


def test_flags_are_the_fields() -> None:
    parser = _parser(Oven)
    options = parser.parse_args(["--degrees", "220", "--minutes", "7.5", "--preheat"])
    assert Oven.from_flags(options).changed() == {"degrees": 220, "minutes": 7.5, "preheat": True}
    assert Oven.from_flags(parser.parse_args([])).changed() == {}
    assert Oven.from_flags(parser.parse_args([]), dish="pie").changed() == {"dish": "pie"}
    assert "--dish" not in parser.format_help()
    assert "(default: 180)" in parser.format_help()
    assert "{fan,grill}" in parser.format_help()
    assert not hasattr(_parser(Oven, "mode").parse_args([]), "mode")
    # A type that is no text makes the same flags.
    fields = [("rounds", int, option(3, help="how often")), ("fast", bool, option(False, help=""))]
    made = dataclasses.make_dataclass("Made", fields, bases=(Settings,), frozen=True, eq=False)
    found = vars(_parser(made).parse_args(["--fast", "--rounds", "5"]))
    assert found == {"rounds": 5, "fast": True}


def test_a_field_more_is_a_flag_more(monkeypatch: pytest.MonkeyPatch) -> None:
    options = _parser(LargerOven).parse_args(["--trays", "3"])
    assert LargerOven.from_flags(options).changed() == {"trays": 3}

    @dataclass(frozen=True, eq=False)
    class LargerTask(Task):
        longest_name: int = option(9, help="of a column")

    monkeypatch.setattr(flags, "Task", LargerTask)
    parser = argparse.ArgumentParser()
    flags.Flags(parser).table()
    words = ["t.csv", "--target", "y", "--longest-name", "4", "--task", "regression"]
    found = LargerTask.from_flags(parser.parse_args(words))
    assert found.changed() == {"task": "regression", "longest_name": 4}


@pytest.mark.parametrize(
    ("command", "group", "hidden"),
    [
        ("rank", Task, ()),
        ("rank", Checks, ()),
        ("demo", Checks, ()),
        ("rank", Execution, ()),
        ("influence", Task, ()),
        ("influence", Execution, ("scratch",)),
        ("evaluate", Protocol, ()),
        ("evaluate", Execution, ("scratch",)),
        ("unsupervised", Execution, ("scratch",)),
        ("order", Execution, ("scratch",)),
    ],
)
def test_commands_have_a_flag_for_every_setting(command, group, hidden):
    (commands,) = (each for each in build_parser()._actions if each.dest == "command")
    known = {action.dest for action in commands.choices[command]._actions}
    wanted = {field.name for field in dataclasses.fields(group) if field.metadata["flag"]}
    assert wanted - set(hidden) <= known
    assert not set(hidden) & known


# --- what is computed beside the resamples ---------------------------------------------------
@pytest.mark.parametrize(
    ("given", "pairs"),
    [
        ("auto", [0, 1, 30]),
        ("none", [0, 0, 0]),
        (Checks(pairs=2), [2, 2, 2]),
        (Checks(np.int64(4), np.int64(3)), [4, 4, 4]),
    ],
)
def test_numbers_of_pairs(given: Any, pairs: list[int]) -> None:
    checks = Checks.of_argument(given)
    assert [checks.n_pairs(m) for m in (7, 15, 1000)] == pairs


@pytest.mark.parametrize("name", ["pairs", "shuffles"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("some", "must be a number or 'auto', got 'some'"),
        (-1, "must be a whole number of at least 0, got -1"),
        (2.5, "must be a whole number of at least 0, got 2.5"),
    ],
)
def test_other_numbers_of_them_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} {message}$"):
        Checks(**{name: value})


@pytest.mark.parametrize("run", [pyfsagg.wam, pyfsagg.bam])
@pytest.mark.parametrize(
    ("given", "error"), [("some", ParameterError), (3, InputTypeError), (None, InputTypeError)]
)
def test_checks_are_a_word_or_an_object(run: Any, given: Any, error: type) -> None:
    X, y = np.arange(12.0).reshape(6, 2), [0, 1] * 3
    expected = f"checks must be 'auto', 'none' or a pyfsagg.Checks, got {given!r}"
    with pytest.raises(error, match=f"^{expected}$"):
        run(X, y, checks=given)


RUNS = ["wam", "bam", "evaluate", "influence", "committee", "out_of_core.rank_out_of_core"]


@pytest.mark.parametrize(
    ("run", "most"), [*((run, 14) for run in RUNS), ("rank_order.eliminate", 15)]
)
def test_a_run_has_few_arguments(run: str, most: int) -> None:
    assert len(signature(attrgetter(run)(pyfsagg)).parameters) <= most


# --- settings without groups, as R and flags have them ---------------------------------------
def test_flat_settings_are_gathered() -> None:
    flat = {
        "task": "regression",
        "target_bins": 7,
        "nominal": ["a"],
        "pairs": 3,
        "shuffles": "auto",
    }
    flat |= {"checkpoint": "kept", "scratch": None, "n_resamples": "auto", "precision": {"top": 4}}
    flat |= {"resampling": "subsample", "resampling_params": {"fraction": 0.8}}
    found = gather_settings({**flat, "sample_weight": [1, 2], "filter": "pearson"})
    assert set(found) == {"task", "checks", "execution", "n_resamples", "resampling", "filter"}
    assert found["task"].changed() == {"task": "regression", "target_bins": 7, "nominal": ["a"]}
    assert found["checks"].changed() == {"pairs": 3}
    assert found["execution"].changed() == {"checkpoint": "kept"}
    assert isinstance(found["n_resamples"], Precision)
    assert found["n_resamples"].changed() == {"top": 4}
    assert isinstance(found["resampling"], Subsample)
    assert found["resampling"].changed() == {"sample_weight": [1, 2], "fraction": 0.8}
    grouped = gather_settings({"resampling": "grouped", "groups": [1, 1, 2]})["resampling"]
    assert isinstance(grouped, GroupedBootstrap)
    assert grouped.groups == [1, 1, 2]
    rows = gather_settings({"row_indices": [[0, 1]], "resampling": "bootstrap"})["resampling"]
    assert isinstance(rows, Rows)
    assert rows.indices == [[0, 1]]


def test_what_is_not_said_keeps_its_default() -> None:
    flat = {"task": None, "checkpoint": None, "resampling": "bootstrap", "resampling_params": {}}
    usual = {"task": "classification", "target_bins": 5, "pairs": "auto", "shuffles": "auto"}
    for given in (flat, {**flat, **usual}):
        assert gather_settings(given) == {"resampling": "bootstrap"}
    assert gather_settings({}) == {}


BELONGS = "precision belongs to n_resamples='auto'"


@pytest.mark.parametrize(
    ("flat", "error", "message"),
    [
        ({"precision": {"top": 3}}, ParameterError, BELONGS),
        ({"precision": {"top": 3}, "n_resamples": 10}, ParameterError, BELONGS),
        ({"precision": {"tpo": 3}, "n_resamples": "auto"}, ParameterError, "no parameter 'tpo'"),
        ({"row_indices": [[0]], "groups": [1]}, ParameterError, "row_indices say which rows"),
        ({"row_indices": [[0]], "sample_weight": [1]}, ParameterError, "row_indices say"),
        ({"row_indices": [[0]], "resampling_params": {"a": 1}}, ParameterError, "row_indices say"),
        ({"groups": [1, 2]}, ParameterError, "do not belong together; use resampling='grouped"),
        ({"resampling_params": {"fraction": 0.5}}, ParameterError, "no parameter 'fraction'"),
        ({"resampling": "sub", "resampling_params": {"x": 1}}, UnknownNameError, "'sub'"),
        ({"target_bins": 1}, ParameterError, "target_bins"),
        ({"task": "ranking"}, ParameterError, "task must be one of"),
    ],
)
def test_flat_settings_that_do_not_belong_together(flat: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        gather_settings(flat)


@pytest.mark.parametrize("name", ["eliminate", "rank_out_of_core", "frcm"])
def test_what_has_no_score_matrices_refuses_scratch(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} writes none: drop it from execution"):
        Execution._without_scratch(name, Execution(scratch="."))
    assert Execution._without_scratch(name, None).changed() == {}

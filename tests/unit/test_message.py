"""Messages keep their parts, and each door spells them in its own way."""

import copy
import inspect
import pickle
import re
import warnings
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import pyfsagg
from pyfsagg import exceptions
from pyfsagg._base import validation
from pyfsagg._base.remarks import collect_warnings
from pyfsagg._command import parser as terminal
from pyfsagg._message import (
    FILTER,
    MAPPING,
    NAN,
    ROOMS,
    Message,
    Name,
    Phrase,
    Public,
    Remedy,
    Use,
    Value,
    home,
)
from pyfsagg.exceptions import DataError, OutputError, ParameterError, PyfsaggError, PyfsaggWarning
from pyfsagg.extending import Got, Param, warn
from pyfsagg.for_r import _given as r

ERRORS = [
    error
    for error in vars(exceptions).values()
    if isinstance(error, type)
    and issubclass(error, PyfsaggError)
    and error is not exceptions.UnknownNameError
]


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_keeps_its_parts(kind: type[PyfsaggError]) -> None:
    error = kind(
        Param("n_jobs"), " must be a number", Got([1, None]), Remedy("use ", Use(n_jobs=2))
    )
    for same in (error, pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert str(same) == "n_jobs must be a number, got [1, None]; use n_jobs=2"
        assert (same.parameter, same.got, same.remedy) == ("n_jobs", [1, None], "use n_jobs=2")
        assert same.render(r.InR()) == "cores must be a number, got c(1, NULL); use cores = 2"


@pytest.mark.parametrize("kind", ERRORS)
def test_a_plain_sentence_is_one(kind: type[PyfsaggError]) -> None:
    error = kind("the table is empty")
    assert str(error) == error.render(r.InR()) == "the table is empty"
    assert (error.parameter, error.got, error.remedy) == (None, None, None)
    assert error.args == ("the table is empty",)
    assert str(kind()) == ""
    error = OutputError(Param("scratch"), " is full")  # of the system, but without its number
    assert (error.errno, error.strerror) == (None, None)


def test_errors_and_messages_are_parts_of_others() -> None:
    inner = DataError("too few; lower ", Param("n_jobs"))
    outer = DataError("data set 'a': ", inner, Message(" or ", Use(random_state=1)))
    assert str(outer) == "data set 'a': too few; lower n_jobs or random_state=1"
    assert outer.render(r.InR()) == "data set 'a': too few; lower cores or seed = 1"
    assert str(DataError("it failed: ", ValueError("1"))) == "it failed: 1"


def test_a_warning_keeps_its_parts() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("raise ", Param("n_jobs"))
    assert isinstance(caught[0].message, PyfsaggWarning)
    assert caught[0].message.render(r.InR()) == "raise cores"
    with collect_warnings() as remarks:
        warn("raise ", Param("n_jobs"))
    assert remarks == ["raise n_jobs"]


def test_of_a_large_or_strange_value_its_text_is_kept() -> None:
    for value in (lambda: 0, np.arange(10_000), list(range(1000)), {1: object()}):
        error = pickle.loads(pickle.dumps(ParameterError("no", Got(value))))
        assert isinstance(error.got, str)
        assert str(error) == f"no, got {error.got}"
    assert ParameterError("no", Got(np.float64(0.5))).got == 0.5


def test_checks_carry_parameter_and_value() -> None:
    for check, value in (
        (partial(validation.check_integer, low=1), 0),
        (partial(validation.check_choice, choices=["a"]), "b"),
        (validation.check_flag, None),
        (validation.check_list, 3),
        (validation.check_mapping, 3),
    ):
        with pytest.raises(PyfsaggError) as refused:
            check("n_jobs", value)
        assert refused.value.parameter == "n_jobs"
        assert refused.value.got == value
        assert refused.value.render(r.InR()).startswith("cores must be ")


@pytest.mark.parametrize(
    ("parts", "in_python", "in_r"),
    [
        ([Use("Checks", pairs=30)], "checks=pyfsagg.Checks(pairs=30)", "pairs = 30"),
        (
            ["with ", Use("Task", feature_groups=Name("groups"))],
            "with task=pyfsagg.Task(feature_groups=groups)",
            "with feature_groups = groups",
        ),
        (
            [Use(filter_params={"mrmr": {"n_features": 100}}), ": 9 seconds"],
            "filter_params={'mrmr': {'n_features': 100}}: 9 seconds",
            "filter_params = list(mrmr = list(n_features = 100)): 9 seconds",
        ),
        ([Use(decimal=",")], "decimal=','", 'decimal = ","'),
        (["missing (", NAN, ")"], "missing (NaN)", "missing (NA)"),
        (["not ", Value(True), Got(None)], "not True, got None", "not TRUE, got NULL"),
        (["two filters", Got(["mrmr"])], "two filters, got ['mrmr']", "two filters, got 'mrmr'"),
        (["one", Got(["a", "b"])], "one, got ['a', 'b']", "one, got c('a', 'b')"),
        ([MAPPING, Got("a")], "a mapping of names to values, got 'a'", "a named list, got 'a'"),
        ([Param("X"), " or ", Public("wam")], "X or pyfsagg.wam", "x or wam"),
        ([FILTER], FILTER.text, "a function (x, y, weight)"),
    ],
)  # fmt: skip
def test_r_has_its_own_words(parts: list[object], in_python: str, in_r: str) -> None:
    message = Message(*parts)
    assert message == in_python
    assert message.render(r.InR()) == in_r


def test_a_function_of_r_has_its_own_names() -> None:
    message = Message(Param("top_cutoff"), " and ", Param("universe"))
    assert message.render(r.InR()) == "top_cutoff and N"
    assert message.render(r.InR({"top_cutoff": "topCutoff"})) == "topCutoff and N"


def test_the_doors_have_words_for_phrases_that_exist() -> None:
    core = Path(pyfsagg.__file__).parent
    text = "".join(path.read_text(encoding="utf-8") for path in core.rglob("*.py"))
    used = set(re.findall(r'Phrase\(\s*"(\w+)"', text))
    assert set(r.PHRASES) | set(terminal.PHRASES) == used
    assert set(terminal.SPARSE) == set(terminal.PHRASES)


def test_no_door_but_python_says_what_only_python_knows() -> None:
    """Remedies of findings in a table have words of the terminal and of R."""
    for key in ("drop", "groups", "missing", "rows", "number", "time"):
        assert key in r.PHRASES
        assert key in terminal.PHRASES
    assert str(Phrase("drop", "drop it from X", columns=("a",))) == "drop it from X"


# --- what is advised exists -------------------------------------------------------------------
HOLE = np.array([[1.0, 2, 3], [2, 3, np.nan], [3, 5, 1], [1, 4, 2], [5, 7, 6]])
WITH_MISSING = [
    name
    for name in pyfsagg.statistics.__all__
    if "missing" in inspect.signature(getattr(pyfsagg.statistics, name)).parameters
]


@pytest.mark.parametrize("name", WITH_MISSING)
def test_the_advice_about_missing_values_can_be_followed(name: str) -> None:
    test = getattr(pyfsagg.statistics, name)
    data = (HOLE[:, 1], HOLE[:, 2]) if name == "wilcoxon" else (HOLE,)
    settings = {"rope": 0.1, "test_train_ratio": 0.1} if name == "bayesian_t_tests" else {}
    call = partial(test, *data, **settings)
    with pytest.raises(exceptions.DataError) as refused:
        call()
    parameter, value = re.search(r"or pass (\w+)='(\w+)' to drop", str(refused.value)).groups()
    call(**{parameter: value})


def test_messages_name_parameters_of_the_function_that_was_called() -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 4)), np.arange(20) % 2
    removal = pyfsagg.rank_order.eliminate(X, y, random_state=0)
    scores = pyfsagg.Rankings.from_scores(X)
    method, plan = "borda", pyfsagg.resampling.Rows([[0, 99]])
    compare = partial(pyfsagg.aggregation.compare_aggregations, scores, [method, "median_rank"])
    for call, message in (
        (partial(removal.select, 0), "n_features_to_select (a number of features) must be"),
        (partial(compare, method_params={"stuart": {}}), "method_params are given for 'stuart'"),
        (partial(compare, method_params={method: 1}), f"method_params of {method} must be"),
        (partial(pyfsagg.wam, X, y, resampling=plan), "indices must lie between 0 and 19"),
        (partial(pyfsagg.evaluate, X, y, classifiers={"a": 3}), "list_methods('classifiers')"),
    ):
        with pytest.raises(exceptions.PyfsaggError) as refused:
            call()
        assert message in str(refused.value)
    assert removal.select(0.5) == removal.select(2)


def test_names_that_live_in_a_room_are_there() -> None:
    for name in ROOMS:
        assert attrgetter(home(name))(pyfsagg).__name__ == name
    assert Message(Public("check_table")) == "pyfsagg.datasets.check_table"

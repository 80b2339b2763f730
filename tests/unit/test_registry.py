"""Registries: names, aliases, and what is said of a name that nobody has."""

import pickle
from dataclasses import dataclass

import pytest

from pyfsagg._base.registry import Registry
from pyfsagg.exceptions import InputTypeError, UnknownNameError
from pyfsagg.extending import FILTERS


@dataclass(frozen=True)
class Thing:
    name: str
    aliases: tuple[str, ...]
    summary: str


@pytest.fixture
def things() -> Registry[Thing]:
    registry: Registry[Thing] = Registry("thing")
    registry.add(Thing("robust_thing", ("rt",), "is robust"))
    registry.add(Thing("plain", (), "is plain"))
    return registry


def test_names_and_aliases_in_any_spelling(things: Registry[Thing]) -> None:
    for name in ("robust_thing", "Robust-Thing", " robust thing", "RT"):
        assert things.get(name).name == "robust_thing"
    assert things.names() == ["robust_thing", "plain"]
    assert "rt" in things
    assert "other" not in things
    assert things.to_frame().loc["robust_thing", "aliases"] == "rt"


def test_unknown_names_get_the_nearest_one_and_none_is_taken_twice(things: Registry[Thing]) -> None:
    for name, error, message in (
        ("plan", UnknownNameError, r"unknown thing 'plan'; did you mean 'plain'\?"),
        ("rtt", UnknownNameError, "did you mean 'rt'"),
        ("zzz", UnknownNameError, r"unknown thing 'zzz'\. Known: robust_thing, plain"),
        (3, InputTypeError, "must be a string, got 3"),
    ):
        with pytest.raises(error, match=message):
            things.get(name)
    with pytest.raises(RuntimeError, match="registered twice"):
        things.add(Thing("other", ("plain",), ""))


def test_the_error_survives_a_process_boundary() -> None:
    with pytest.raises(UnknownNameError) as caught:
        FILTERS.get("infogian")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)

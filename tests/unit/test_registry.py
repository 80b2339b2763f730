"""Registries: names, aliases, and what is said of a name that nobody has."""

import pickle
from dataclasses import dataclass

import pytest

from pyfsagg._base.registry import Registry
from pyfsagg.exceptions import InputTypeError, UnknownNameError
from pyfsagg.filters._base import FILTERS


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


def test_unknown_names_get_the_nearest_name_or_alias(things: Registry[Thing]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown thing 'plan'; did you mean 'plain'\?"):
        things.get("plan")
    with pytest.raises(UnknownNameError, match="did you mean 'rt'"):
        things.get("rtt")
    with pytest.raises(UnknownNameError, match=r"unknown thing 'zzz'\. Known: robust_thing, plain"):
        things.get("zzz")
    with pytest.raises(InputTypeError, match="must be a string, got 3"):
        things.get(3)  # type: ignore[arg-type]


def test_a_name_cannot_be_taken_twice(things: Registry[Thing]) -> None:
    with pytest.raises(RuntimeError, match="registered twice"):
        things.add(Thing("other", ("plain",), ""))


def test_the_error_survives_a_process_boundary() -> None:
    with pytest.raises(UnknownNameError) as caught:
        FILTERS.get("infogian")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)

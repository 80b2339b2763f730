"""Methods of other packages: found by their entry points, and harmless when they are broken."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from loading import ROOT, python

from pyfsagg._base.registry import Registry, Spec
from pyfsagg.exceptions import PyfsaggWarning, UnknownNameError


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package installed."""
    folder = tmp_path_factory.mktemp("site")
    pip = "pip install --quiet --no-deps --no-build-isolation --disable-pip-version-check --target"
    python("-m", *pip.split(), folder, ROOT / "examples/plugin")
    return folder


@pytest.mark.thorough
def test_the_example_is_used_by_name(site: Path, tmp_path: Path) -> None:
    code = """
import json, sys
import pandas as pd, pyfsagg
from pyfsagg.cli import main
from pyfsagg.stability_measures.curves import chance_level

data = pyfsagg.load_dataset("ionosphere")
X, y = data.X.iloc[:, :6], data.y
pyfsagg.wam(X, y, filter="chi_squared", n_resamples=2, random_state=1)
early = "pyfsagg_example_plugin" in sys.modules
options = {"n_resamples": 3, "random_state": 1}
once = pyfsagg.wam(X, y, filter="class_range", **options)
squared = pyfsagg.wam(X, y, filter="Range of means", filter_params={"power": 2}, **options)
try:
    pyfsagg.wam(X, y, filter="class_range", filter_params={"powr": 2}, **options)
except pyfsagg.exceptions.ParameterError as error:
    refused = str(error)
X.assign(kind=y).to_csv("table.csv", index=False)
flags = "--target kind --method wam --filter class_range --n-resamples 3 --seed 1 --quiet"
status = main(["rank", "table.csv", *flags.split(), "--output", "out"])
sets = [{0, 1}, {0, 1, 2}, {3}]
print(json.dumps({
    "early": early,
    "listed": pyfsagg.list_methods("filters").loc["class_range", "aliases"],
    "label": list(squared.score_matrices),
    "scores": [once.score_matrices["class_range"].tolist(), squared.score_matrices["class_range"].tolist()],
    "refused": refused,
    "status": status,
    "simpson": float(pyfsagg.stability(sets, "overlap-coefficient", n_features=4)),
    "in table": "simpson" in pyfsagg.stability(sets, n_features=4).table.index,
    "chance": chance_level("simpson", 2, 4, 5),
}))
"""
    path = os.pathsep.join([str(ROOT), str(site)])
    of_warnings = ("-W", "error::pyfsagg.exceptions.PyfsaggWarning")
    done = python(*of_warnings, "-c", code, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["early"] is False
    assert found["listed"] == "range_of_means"
    assert found["label"] == ["class_range"]
    once, squared = found["scores"]
    assert squared == [pytest.approx([value**2 for value in row]) for row in once]
    assert found["refused"] == "the filter 'class_range' has no parameter 'powr'; it takes: power"
    assert found["status"] == 0
    assert (tmp_path / "out" / "report.html").is_file()
    assert found["simpson"] == pytest.approx(1 / 3)
    assert found["in table"]
    assert found["chance"] == pytest.approx(0.5)


# --- the registry ----------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Thing(Spec):
    pass


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[Thing]:
    """A registry of the test's own, and a package on the path with entry points for it."""
    (tmp_path / "strange_things.py").write_text(
        "from pyfsagg._base.registry import Spec\n"
        "FINE = THINGS = None\n"
        "class Other(Spec): pass\n"
        "OTHER = Other(name='other', summary='')\n"
        "def __getattr__(name):\n"
        "    from test_things import Thing\n"
        "    return {'GOOD': Thing(name='good', aliases=('fine',), summary=''),\n"
        "            'TAKEN': Thing(name='new', aliases=('plain',), summary=''),\n"
        "            'SPELT': Thing(name='Two Words', summary='')}[name]\n"
    )
    monkeypatch.setitem(sys.modules, "test_things", sys.modules[__name__])
    info = tmp_path / "strange_things-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange-things\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[pyfsagg.test_things]\n"
        "absent = no_such_module:SPEC\n"
        "good = strange_things:GOOD\n"
        "kind = strange_things:OTHER\n"
        "spelt = strange_things:SPELT\n"
        "taken = strange_things:TAKEN\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry("thing", Thing, group="pyfsagg.test_things")
    registry.add(Thing(name="plain", summary="is plain"))
    return registry


def test_a_broken_plugin_is_named_and_breaks_nothing(things: Registry[Thing]) -> None:
    assert things.get("plain").name == "plain"  # no warning: nothing foreign is loaded for this
    with pytest.warns(PyfsaggWarning) as caught:
        assert things.get("Fine").name == "good"
    said = [str(warning.message) for warning in caught]
    assert len(said) == 4
    assert "the plug-in 'absent' of strange-things (no_such_module:SPEC) adds no thing" in said[0]
    assert "No module named 'no_such_module'" in said[0]
    assert "it must be a Thing, got Other(" in said[1]
    assert "must be lower case with _ between words: 'two_words'" in said[2]
    assert "'plain' is registered twice: it belongs to 'plain', choose another for 'new'" in said[3]
    assert things.names() == ["plain", "good"]  # said once, and half of a spec is not added
    assert [spec.name for spec in things.own()] == ["plain"]
    with pytest.raises(UnknownNameError, match="did you mean 'good'"):
        things.get("goood")


def test_what_a_registry_feeds_gets_the_plugins_too(things: Registry[Thing]) -> None:
    above: Registry[Thing] = Registry("widget", Thing)
    things.feed(above, lambda spec: Thing(name=f"{spec.name}_widget", summary=spec.summary))
    assert above.get("plain_widget").summary == "is plain"
    with pytest.warns(PyfsaggWarning, match="adds no thing"):
        assert "good_widget" in above
    assert above.names() == ["plain_widget", "good_widget"]

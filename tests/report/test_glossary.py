"""Words on pages lead to the documentation, wherever the installed package says that it is."""

import email.message
import re
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import pyfsagg
from pyfsagg._report import closing
from pyfsagg.ensemble._page import NUMBER_OF_FEATURES
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.stability_measures._report import STABILITY_PAGE

DOCS = Path(__file__).parents[2] / "docs"
ADDRESS = "https://example.org/pyfsagg"


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch):
    """Let the installed package name these addresses; None: it is not installed."""

    def stand_in(*urls: str, installed: bool = True) -> None:
        message = email.message.Message()
        for url in urls:
            message["Project-URL"] = url

        def found(name: str) -> email.message.Message:
            if not installed:
                raise metadata.PackageNotFoundError(name)
            return message

        monkeypatch.setattr(closing.metadata, "metadata", found)

    return stand_in


@pytest.fixture(scope="module")
def run() -> pyfsagg.ensemble.EnsembleResult:
    wine = pyfsagg.load_dataset("wine")
    return pyfsagg.bam(wine.X, wine.y, n_resamples=20, random_state=0)


@pytest.fixture(scope="module")
def knee() -> pyfsagg.ensemble.EnsembleResult:
    y = np.arange(90) % 2
    shift = np.repeat([4.0, 1.2, 0.0], [3, 6, 6])
    X = np.random.default_rng(0).normal(size=(90, 15)) + shift * y[:, np.newaxis]
    return pyfsagg.wam(X, y, filter="spearman", n_resamples=20, random_state=0)


@pytest.fixture(scope="module")
def noise() -> pyfsagg.ensemble.EnsembleResult:
    X = np.random.default_rng(0).normal(size=(40, 12))
    return pyfsagg.wam(X, np.arange(40) % 2, filter="spearman", n_resamples=20, random_state=0)


@pytest.fixture(scope="module")
def report() -> object:
    return pyfsagg.stability(np.random.default_rng(0).random((6, 9)), n_boot=10)


pytestmark = pytest.mark.usefixtures("composed")


def words_of(page: str) -> list[str]:
    return re.findall("<dt>(.*?)</dt>", page)


def test_where_the_documentation_is(says) -> None:
    for urls, address in (
        ((), None),
        (("Homepage, https://example.org",), None),
        (("Documentation, ",), None),
        (("Homepage, https://example.org", f"Documentation, {ADDRESS}/"), ADDRESS),
        ((f"documentation,{ADDRESS}",), ADDRESS),
    ):
        says(*urls)
        assert closing.documentation_address() == address
    says(installed=False)
    assert closing.documentation_address() is None


def test_the_words_of_the_proposal_that_occur(run, knee, noise, says) -> None:
    says()
    words = words_of(run.to_html())
    assert {"firm", "proposal", "shuffled target"} <= set(words)
    assert ("knee" in words) == ("knee" in run.selection().reason)
    assert "knee" in knee.selection("knee").reason
    assert "knee" in words_of(knee.to_html(n_features_to_select="knee"))
    statuses = set(run.selection().frame["status"])
    named = {"firm", "borderline", "indistinct", "out"}
    assert set(words) & named == statuses
    found = words_of(noise.to_html())
    assert "indistinct" in found
    assert not {"firm", "knee"} & set(found)
    assert "proposal" not in words_of(run.to_html(n_features_to_select=3))
    assert "proposal" in words_of(run.to_html(n_features_to_select="auto"))


def test_words_and_measures_lead_to_the_documentation(run, report, says) -> None:
    says(f"Documentation, {ADDRESS}")
    number = f'<a href="{ADDRESS}/how-to/number-of-features.html">Choose the number of features</a>'
    page = run.to_html()
    assert len(words_of(page)) > 1
    assert page.count(number) == 1  # for all words at once
    for name, title in (("jaccard", "Jaccard"), ("asd", "ASD")):
        link = f'<a href="{ADDRESS}/reference/stability_measures.html#{name}">{title}</a>'
        assert link in page
    page = report.to_html()
    for name in report.table.index:
        entry = f"{ADDRESS}/reference/stability_measures.html#{name.replace('_', '-')}"
        assert page.count(f'"{entry}"') == 1


def test_the_measures_of_an_influence_lead_there_too(says) -> None:
    says(f"Documentation, {ADDRESS}")
    wine = pyfsagg.load_dataset("wine")
    found = pyfsagg.influence(
        wine.X, wine.y, aggregators=["am"], n_folds=3, n_resamples=3, random_state=0
    )
    page = found.to_html()
    assert "Jaccard" in words_of(page)
    assert f'href="{ADDRESS}/reference/stability_measures.html#jaccard"' in page


def test_without_an_address_there_is_no_link_but_a_page_and_a_command(run, report, says) -> None:
    says()
    without = run.to_html(), report.to_html()
    says(installed=False)
    assert (run.to_html(), report.to_html()) == without
    for page in without:
        assert not re.findall(r'<a href="(?!#)', page)
        assert "“Stability measures” in the documentation, and pyfsagg list stability." in page
    assert (
        "“Choose the number of features” in the documentation, and pyfsagg help rank." in without[0]
    )


def test_the_pages_and_entries_are_in_the_documentation(report) -> None:
    for topic in (NUMBER_OF_FEATURES, STABILITY_PAGE):
        assert (DOCS / f"{topic.page}.md").read_text().startswith(f"# {topic.title}\n")
    text = (DOCS / f"{STABILITY_PAGE.page}.md").read_text()
    for spec in STABILITY_MEASURES.own():
        anchor = STABILITY_PAGE.entry(spec.name).page.partition("#")[2]
        assert text.count(f'<span id="{anchor}"></span>') == 1


def test_the_commands_that_are_named_exist(capsys: pytest.CaptureFixture[str]) -> None:
    from pyfsagg.cli import main

    for topic in (NUMBER_OF_FEATURES, STABILITY_PAGE):
        try:
            assert main(topic.command.split()) in (0, None)
        except SystemExit as stop:
            assert stop.code in (0, None)  # noqa: PT017
        assert capsys.readouterr().out

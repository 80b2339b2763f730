"""Every number of a sentence is the one that the result holds.

The sentences of a result and its paragraph for a paper are read, whatever their words: the numbers that
stand in them, in their order, are those that are computed here from tables and arrays.  A number that is
printed with two decimals may differ by half a unit of the second.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from html_pages import Page
from results_of_all_kinds import RESULTS

import pyfsagg
from pyfsagg.ensemble import facts, selection
from pyfsagg.ensemble.trust import noise_between
from pyfsagg.stability_measures import adequacy

NUMBER = re.compile(r"(?<![\w./-])−?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−-]?\d+)?(?!\w|\.\d)")
VERB = re.compile(r"(?<![\d.,])(\d+)(?: of [\d,]+ [a-z]+)?(?: [a-z]+)? (is|are)\b")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")  # papers are cited by theirs


def numbers_of(texts: Iterable[object]) -> list[tuple[float, float]]:
    """The numbers in texts, each with half a unit of its last decimal."""
    found = []
    for digits in NUMBER.findall(YEAR.sub("", " ".join(map(str, texts)))):
        plain, _, power = (
            digits.replace(",", "").replace("−", "-").replace("e-", "e−").partition("e")
        )
        exponent = int(power.replace("−", "-") or 0)
        decimals = len(plain.partition(".")[2])
        half = 0.5 * 10.0 ** (exponent - decimals) if decimals or power else 0.0
        found.append((float(plain) * 10.0**exponent, half))
    return found


def check(texts: Iterable[object], *expected: float) -> None:
    texts = list(texts)
    for number, verb in VERB.findall(" ".join(map(str, texts))):
        assert verb == ("is" if number == "1" else "are"), texts
    told = numbers_of(texts)
    said = (texts, [value for value, _ in told], expected)
    assert len(told) == len(expected), said
    for (value, half), number in zip(told, expected, strict=True):
        assert value == pytest.approx(float(number), abs=1.001 * half + 1e-9), said


def sentences(result: Any, **view: Any) -> list[str]:
    found: list[str] = json.loads(result.to_json(**view))["sentences"]
    return found


def percent(share: float) -> float:
    return float(f"{100 * share:.0f}")


# --- ensembles --------------------------------------------------------------------------------
Y = np.arange(80) % 2
SHIFTS = np.r_[np.linspace(2.0, 0.3, 9), np.zeros(31)]
X = np.random.default_rng(0).normal(size=(80, 40)) + SHIFTS * Y[:, np.newaxis]
FEW: dict[str, Any] = {"filter": "spearman", "n_resamples": 20, "random_state": 0, "checks": "none"}
PROCEDURE = (40, 80, 2, 0, 40, 1, 40, 20)  # features, rows, classes and their rows, resamples


@pytest.fixture(scope="module")
def ensemble() -> pyfsagg.ensemble.EnsembleResult:
    checks = pyfsagg.Checks(pairs=20, shuffles=499)
    return pyfsagg.wam(X, Y, filter="spearman", n_resamples=20, random_state=0, checks=checks)


def best_first(result: Any) -> Any:
    return np.argsort(result.ranking, kind="stable")


def among_best(result: Any, k: int) -> Any:
    """The share of the resamples with each feature among their best `k`, ties shared; best feature first."""
    limit = np.sort(result.combined, axis=1)[:, [-k]]
    above, tied = result.combined > limit, result.combined == limit
    left = (k - above.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    shares = (above + tied * left).mean(axis=0)
    return shares[best_first(result)]


def between(result: Any, k: int) -> list[float]:
    """Nogueira's measure of two samples, and its interval."""
    row = result.between_sample_stability(result.selection(k)).estimates.loc["nogueira"]
    return [row["estimate"], row["lower"], row["upper"]]


def of_noise(result: Any, k: int) -> float:
    noise = noise_between(result, k)
    assert noise is not None
    return float(noise.estimates.loc["nogueira", "estimate"])


@pytest.mark.parametrize("rule", [1, 12, 0.3, 33, 40, "auto"])
def test_sentences_of_an_ensemble(ensemble: Any, rule: Any) -> None:
    k = {0.3: 12, "auto": int(ensemble.permutation.above.sum())}.get(rule, rule)
    answer = [k, 40, *([30] if rule == 0.3 else [])]
    if k < 40:
        answer += map(percent, among_best(ensemble, k)[: min(k, 10)])
    answer += [k - 10] if k > 10 else []
    named = [k] if k > 1 else []  # "the best feature"
    answer += named if k < 40 else []
    chance: list[float] = [*named, percent(k / 40)] if k < 40 else [40]
    indistinct = int((~ensemble.permutation.above[best_first(ensemble)][:k]).sum())
    if rule == "auto":
        answer += [k, 40, 499, 0.05, 9, 10]
        chance = [5, *chance]
    elif indistinct:
        answer += [indistinct, k, 0.05, *([indistinct - 12] if indistinct > 12 else [])]
    if k < 40:
        estimate, *limits = between(ensemble, k)
        answer += [40, *named, estimate, 95, *limits, 1, of_noise(ensemble, k)]
    answer += [33, 40, 7] if k == 33 else []
    check(sentences(ensemble, n_features_to_select=rule), *answer, *chance, *PROCEDURE)


def test_front_of_a_page_of_an_ensemble(ensemble: Any) -> None:
    rule = selection.Fixed(12)
    estimate, *limits = between(ensemble, 12)
    front = facts.front_text(ensemble, rule).text
    check([front], 12, 40, 40, 12, estimate, 95, *limits, of_noise(ensemble, 12), 1)
    steps = facts.front_table(ensemble, rule).steps
    assert steps is not None
    above = np.cumsum(ensemble.permutation.above[best_first(ensemble)])
    assert len(steps.told) == 30
    for k, sentence in enumerate(steps.told, 1):
        known = above[k - 1]
        check([sentence], *([k] if k > 1 else []), *between(ensemble, k), known, k - known, 95)
    (shares,) = steps.cells.values()
    assert shares == [
        [f"{share:.0%}" for share in among_best(ensemble, k)[:30]] for k in range(1, 31)
    ]


@pytest.mark.usefixtures("composed")
def test_whether_there_were_enough_resamples(ensemble: Any) -> None:
    enough = pyfsagg.wam(X + 6 * Y[:, np.newaxis] * (np.arange(40) < 3), Y, **FEW)
    verdicts = []
    for result, k in ((ensemble, 12), (enough, 3)):
        sizes = {"sizes": [20], "n_boot": 200, "random_state": result.seed}
        curve = adequacy(result.combined, n_features_to_select=k, **sizes).curve
        last = curve.iloc[-1]
        replaced = 1 - last["expected_top_overlap"]
        words = Page(result.to_html(n_features_to_select=k)).words.partition("Another 20 resamples")
        told = words[2].partition(".)")[0]
        moved, tau = last["expected_rank_move"], last["expected_kendall"]
        numbers = 100 * replaced, k, last["probability_top_changes"], moved, tau
        check([told], *numbers, 5, 20, 200)
        verdicts.append((replaced > 0.05, "not enough" in told))
    assert verdicts == [(True, True), (False, False)]


def test_paragraph_of_an_ensemble(ensemble: Any) -> None:
    k = int(ensemble.permutation.above.sum())
    seed = [float(ensemble.seed)]
    text = ensemble.methods_text().partition("The analysis used")
    check([text[0]], *PROCEDURE, k, 40, 499, 0.05, 9, 10)
    check([text[2].partition(")")[2]], *seed)
    text = ensemble.methods_text(ensemble.selection(12)).partition("The analysis used")
    check([text[0]], *PROCEDURE, 12, 40)


def test_status_of_every_feature(ensemble: Any) -> None:
    """Firm from 80 % of the resamples on; borderline if selected in fewer, or if not, in more than 20 %."""
    without = pyfsagg.wam(X, Y, **FEW)
    frame = without.selection(11).frame
    share, chosen = frame["selection_frequency"], frame["selected"]
    firm = chosen & (share >= 0.8)
    borderline = ~firm & (chosen | (share > 0.2))
    expected = np.where(firm, "firm", np.where(borderline, "borderline", "out"))
    assert frame["status"].tolist() == expected.tolist()
    assert 0.8 in set(share[chosen])
    assert {0.2, 0.25} <= set(share[~chosen])  # on a limit, and just beyond it


# --- standings --------------------------------------------------------------------------------
NAMES = list("abcde")


def scores(means: Iterable[float], holes: Iterable[tuple[int, int]] = ()) -> pd.DataFrame:
    values = np.random.default_rng(4).normal(size=(12, 5)) * 0.05 + np.array(list(means))
    for hole in holes:
        values[hole] = np.nan
    return pd.DataFrame(values, columns=NAMES, index=[f"d{i}" for i in range(12)])


MEANS = {
    "no place": (0.5, 0.5, 0.5, 0.5, 0.5),
    "some": (0.9, 0.7, 0.68, 0.4, 0.1),
    "two leaders": (0.9, 0.9, 0.5, 0.5, 0.1),
    "two classes": (0.9, 0.9, 0.9, 0.2, 0.2),
    "all": (0.9, 0.7, 0.5, 0.3, 0.1),
}


@pytest.mark.parametrize("holes", [(), ((3, 1), (5, 4))])
@pytest.mark.parametrize("means", MEANS.values(), ids=MEANS)
def test_sentences_of_standings(means: tuple[float, ...], holes: Any) -> None:
    result = pyfsagg.standings(scores(means, holes), confidence_level=0.9)
    frame, pairs, tiers = result.to_frame(), result.pairs(), result.tiers()
    certain = int((frame["lower_all"] == frame["upper_all"]).sum())
    first = int((frame["lower_all"] == 1).sum())
    expected: list[float] = [] if certain == 0 else [5] if certain == 5 else [certain, 5]
    expected += [first] if first > 1 else []
    apart = int((pairs["p_adjusted"] <= 0.1).sum())
    expected += [90, *([apart, 10] if apart else []), *([len(tiers)] if len(tiers) > 1 else [])]
    expected += [max(json.loads(result.to_json())["global_test"]["p_value"], 0.0001)]
    moved = int((frame["place_by_mean"] != frame["place_by_rank"]).sum())
    expected += [moved] if moved else []
    if holes:
        open_, leaders = (
            int((frame["best"] < frame["worst"]).sum()),
            int((frame["best"] == 1).sum()),
        )
        expected += [2, 60, *([open_] if open_ else []), *([leaders] if leaders > 1 else [])]
    check(result.sentences, *expected)
    paragraph = result.methods_text().partition("Computed with")[0]
    check([paragraph], 5, 12, *([2, 60] if holes else []), 90, 10)


@pytest.mark.parametrize("n", [4, 10])
def test_sentences_of_standings_of_replicates(n: int) -> None:
    """Of few data sets they tell the places on these; of more, those on others first."""
    rng = np.random.default_rng(3)
    rows = [
        (f"d{i}", name, k, mean + 0.1 * rng.normal())
        for i in range(n)
        for name, mean in (("a", 0.9), ("b", 0.5), ("c", 0.48))
        for k in range(6)
    ]
    columns = {"dataset": "dataset", "method": "method", "value": "score", "replicate": "replicate"}
    table = pd.DataFrame(rows, columns=["dataset", "method", "replicate", "score"])
    result = pyfsagg.standings(table, **columns)
    frame, tiers = result.to_frame(), len(result.tiers())
    sets = result.sets("replicates")
    on_these = [int((sets.lower_all == sets.upper_all).sum()), 3]
    certain = int((frame["lower_all"] == frame["upper_all"]).sum())
    apart = int((result.pairs()["p_adjusted"] <= 0.05).sum())
    moved = int((frame["place_by_mean"] != frame["place_by_rank"]).sum())
    assert (certain, apart, tiers) == (1, 2, 2)
    about = [n, 8]
    if n == 10:
        about = [*on_these, max(json.loads(result.to_json())["global_test"]["p_value"], 0.0001)]
    check(result.sentences, 1, 3, 95, 2, 3, 2, *about, *([moved] if moved else []))
    check([result.methods_text().partition("Computed with")[0]], 3, n, 95, 5)


# --- votes, lists and studies -----------------------------------------------------------------
SELECTIONS = [["a", "b"], ["b"], ["c", "b"], [], ["a", "b", "c"]]
PERFORMANCE = [0.8, 0.6, 0.9, 0.5, np.nan]


@pytest.mark.parametrize(
    ("performance", "selections", "expected"),
    [
        ([np.nan] * 5, SELECTIONS, [5, 0, 3, 6, 1]),
        (PERFORMANCE, SELECTIONS, [5, 0, 3, 6, 1]),
        # The front has its ends (1, 0.5) and (4, 0.9), and (2, 0.8) above their line.
        ([0.5, 0.8, 0.9], [["a"], ["a", "b"], list("abcd")], [3, 1, 4, 6, 2, 0.8, 0, 1]),
        ([0.9, 0.8], [["a", "c"], ["a", "b"]], [2, 2, 6, 0.9, 2]),
    ],
)
def test_sentences_of_a_vote(performance: Any, selections: Any, expected: list[float]) -> None:
    names = list("abcdef")
    result = pyfsagg.vote(selections, performance=performance, feature_names=names)
    check(sentences(result), *expected)
    known = ~np.isnan(performance).all() and result.knee() is not None
    told = " ".join(sentences(result))
    assert known == any("the best of" in each or "chosen" in each for each in told.split("."))


def of_aggregation(result: Any) -> list[float]:
    significant = int((result.adjusted_p_values <= 0.05).sum())
    return [significant, 4, 0.05, 4, 3, 2, 3, 4, 4, 2, 4]


def of_agreement(result: Any) -> list[float]:
    pairs = result.to_frame()
    overlaps = [
        pairs["rbo"].min(),
        pairs["rbo"].max(),
        pairs["rbo_low"].min(),
        pairs["rbo_high"].max(),
    ]
    ends = pairs["k"].dropna()
    return [ends.max(), 6, 10, len(pairs) - len(ends), len(pairs), 0.98, *overlaps]


def of_stability(result: Any) -> list[float]:
    rows = [result.table.loc[name] for name in ("nogueira", "spearman", "jaccard")]
    first, *others = ([row["value"], 95, row["lower"], row["upper"]] for row in rows)
    pair = json.loads(result.to_json())["comparison"]
    gap = [pair["test"][name] for name in ("difference", "standard_error", "p_value")]
    estimates = [each["estimate"] for each in pair["collections"]]
    return [*first, 1, 0, *others[0], *others[1], 20, 10, 3, *estimates, *gap]


def of_evaluation(result: Any) -> list[float]:
    n_cells = 5 * (2 + 1 + 5)  # folds of two methods, of all features, and of five random subsets
    assert len(result.cells) == n_cells
    return [2, 95, 4, 13, n_cells, n_cells - 5, 5]  # both methods select the same features


def of_influence(result: Any) -> list[float]:
    spearman = result.to_frame().query("measure == 'spearman'")["value"]
    return [spearman.max(), spearman.min(), 4, 6]


def of_studies(result: Any) -> list[float]:
    frame = result.to_frame()
    found = frame[frame["adjusted_p_value"] <= 0.05]
    up, down = ((found["direction"] == way).sum() for way in ("up", "down"))
    return [len(found), 40, 2, 3, 0.05, up, down, 3, 2, len(found)]


def of_list_influence(result: Any) -> list[float]:
    values = result.to_frame()["value"]
    return [values["robust_rank_aggregation"], values.max(), 7, 3]


def of_screen(result: Any) -> list[float]:
    low, high = ((result.to_frame()[f"{side}_fdr"] <= 0.05).sum() for side in ("low", "high"))
    return [0.05, low, 0.05, 0.05, high, 0.05, 80, 20, 4]


def of_elimination(result: Any) -> list[float]:
    at_two = result.to_frame().set_index("size").loc[2, "divergence"]
    return [2, 3, 5, at_two, 3]


def of_unsupervised(result: Any) -> list[float]:
    return [int(np.sum(result.get_support())), 13, 178]


EXPECTED: dict[str, Callable[[Any], list[float]]] = {
    "aggregation": of_aggregation,
    "agreement": of_agreement,
    "stability": of_stability,
    "evaluation": of_evaluation,
    "influence": of_influence,
    "studies": of_studies,
    "influence of lists": of_list_influence,
    "screen": of_screen,
    "elimination": of_elimination,
    "unsupervised": of_unsupervised,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sentences_of_a_result(name: str) -> None:
    result = RESULTS[name]()
    check(sentences(result), *EXPECTED[name](result))

"""Each trap by a table that has it, and by one that nearly has it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import pyfsagg
from pyfsagg._table.findings import CODES, Finding
from pyfsagg.exceptions import DataError, ParameterError

N = 60


@pytest.fixture
def good() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=["a", "b", "c"])
    frame["count"] = rng.integers(0, 40, size=N)
    frame["flag"] = rng.random(N) < 0.4
    frame["colour"] = rng.choice(["red", "green", "blue"], size=N)
    frame["kind"] = np.repeat(["x", "y", "z"], N // 3)
    return frame


def codes(frame: pd.DataFrame, **options: object) -> dict[str, tuple[str, ...]]:
    found = pyfsagg.datasets.check_table(frame, target="kind", **options)
    return {each.code: each.columns for each in found.findings}


def test_good_and_wide_tables(good: pd.DataFrame) -> None:
    found = pyfsagg.datasets.check_table(good, target="kind")
    assert found.findings == ()
    assert found.kinds == {"numeric": 3, "integer": 1, "boolean": 1, "nominal": 1}
    assert found.class_counts == {"x": 20, "y": 20, "z": 20}
    assert "no problems found" in repr(found)
    found.require()
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 5000)))
    frame[4999] = frame[17]
    (finding,) = pyfsagg.datasets.check_table(frame, np.arange(20) % 2).findings
    assert (finding.code, finding.columns) == ("duplicate_columns", ("4999",))


def swapped(values: np.ndarray, *rows: int) -> np.ndarray:
    new = values.copy()
    new[list(rows)] = values[[N - 1 - row for row in rows]]
    return new


NOTES = [f"note number {i} on sample {i * 7}" for i in range(N)]
SHUFFLED = np.random.default_rng(0).permutation(N)
FAULTS = {
    "identifier": (NOTES, [*NOTES[: N // 4] * 4]),
    "row_number": (np.arange(1, N + 1), np.r_[np.arange(1, N), N + 5]),
    "shuffled_numbers": (SHUFFLED, SHUFFLED * 2),
    "dates": (
        [f"{1 + i % 28}.{1 + i % 12}.2020" for i in range(N)],
        [f"{1 + i % 2}.{1 + i % 2}.20.x" for i in range(N)],
    ),
    "infinite": ([np.inf, *range(N - 1)], [1e308, *range(N - 1)]),
    "unreadable": (["1.5", "many"] * (N // 2), ["few", "many"] * (N // 2)),
    "constant": ([7.5] * N, [7.5] * (N - 1) + [7.6]),
    "mostly_missing": ([np.nan] * 31 + list(range(29)), [np.nan] * 30 + [*range(20), *range(10)]),
    "code": ([-999.0] * 2 + [1.5, 2.5] * 29, [-999.0, -998.0] * 30),
    "missing_word": (["-", "low", "high"] * 20, ["-", "+"] * 30),
    "similar_levels": (["low", "Low ", "high"] * 20, ["low", "lower", "high"] * 20),
    "numbers_as_words": (["1 mg", "2 kg", "3 g"] * 20, ["one", "two", "3rd"] * 20),
    "many_levels": ([f"town {i}" for i in range(30)] * 2, [f"town {i}" for i in range(20)] * 3),
}


def test_a_lone_code_is_seen_beyond_a_scale_alone(good: pd.DataFrame) -> None:
    scale = np.arange(len(good)) % 5 + 1.0
    for first, seen in ((99.0, True), (9.0, False), (6.0, False)):
        found = codes(good.assign(new=[first, *scale[1:]]))
        assert ("code" in found) == seen
    once = pyfsagg.datasets.check_table(pd.DataFrame({"new": [99.0, *scale[1:]]})).findings
    assert ["99 in 'new' (once)" in str(each) for each in once if each.code == "code"] == [True]
    assert "code" not in codes(good.assign(new=[99.0, *np.linspace(1.0, 5.0, len(good) - 1)]))


@pytest.mark.parametrize("code", FAULTS)
def test_columns(good: pd.DataFrame, code: str) -> None:
    fault, near = FAULTS[code]
    assert codes(good.assign(new=fault)).get(code) == ("new",)
    assert code not in codes(good.assign(new=near))


def test_columns_that_are_not_read_hide_nothing(good: pd.DataFrame) -> None:
    odd = {"low": [-np.inf] * N, "up": [np.inf, -np.inf] * 30, "half": [np.inf, 1.5] * 30}
    frame = good.assign(one=7.5, **odd, words=np.array([np.inf] * N, dtype=object))
    assert codes(frame) == {"infinite": ("low", "up", "half", "words"), "constant": ("one",)}
    assert codes(frame[["low", "up", "kind"]]) == {
        "infinite": ("low", "up"), "duplicate_rows": (), "contradictions": ()
    }  # fmt: skip
    found = pyfsagg.datasets.check_table(frame, target="kind")
    with pytest.raises(DataError, match=r"'half'.*replace infinity by a number or mark it missing"):
        found.require(["all"])
    assert codes(frame, nominal=list(odd)) == {"infinite": ("words",), "constant": ("one",)}
    number = np.random.default_rng(3).normal(size=N)
    assert "infinite" in codes(frame.assign(kind=number), task="regression")
    number[0] = np.inf
    assert codes(good.assign(kind=number), task="regression") == {"infinite": ("kind",)}
    # Without them rows may look alike that differ.
    coarse = good[["flag", "kind"]].assign(flag=np.arange(N) % 2 == 0)
    assert {"duplicate_rows", "contradictions"} <= set(codes(coarse))
    values = np.random.default_rng(0).normal(size=N).round(2)
    crp = [f"{each}" for each in values[:-3]] + ["<5", "< 0.5", ">=9"]
    dates = pd.date_range("2020-01-01", periods=N)
    assert codes(coarse.assign(**{"CRP (mg/l)": crp})) == {"detection_limit": ("CRP (mg/l)",)}
    assert codes(coarse.assign(day=dates)) == {"dates": ("day",)}
    found = pyfsagg.datasets.check_table(
        coarse.assign(**{"CRP (mg/l)": crp, "BMI": ["n.d.", *crp[1:]]})
    )
    finding, limits = found.findings
    assert (finding.columns, limits.columns) == (("BMI",), ("CRP (mg/l)",))
    assert finding.remedy.endswith("or drop it from X")
    assert "limits of detection" in limits.sentence
    assert "by their half" in limits.remedy
    assert "mixes numbers and words" in finding.sentence


def test_copies_of_the_target(good: pd.DataFrame) -> None:
    kind = good["kind"].to_numpy()
    numbers = pd.factorize(kind)[0]
    for copy in (kind, numbers, numbers * -2.5, [f"class {each}" for each in kind]):
        found = codes(good.assign(new=copy))
        assert found == {"target_copy": ("new",)}
    near = swapped(numbers, 0)
    assert codes(good.assign(new=near)) == {"near_copy": ("new",)}
    assert codes(good.assign(new=swapped(numbers, 0, 3, 7))) == {}
    # The mean of a class tells it, but it is no copy.
    tells = good.assign(new=numbers + np.linspace(0, 0.5, N).round(2))
    assert codes(tells) == {"separates": ("new",)}
    # A rare value in the smaller of two classes is no copy of it.
    rare = good.assign(kind=["x"] * 56 + ["y"] * 4, new=[0] * 57 + [1] + [0] * 2)
    assert "near_copy" not in codes(rare)


def test_copies_of_a_numeric_target(good) -> None:
    for scale, noise, expected in (
        *((scale, 0.0, {"target_copy": ("new",)}) for scale in (1.0, -3.0, 1e200)),
        (1.0, 1e-3, {"near_copy": ("new",)}),
        (1.0, 0.1, {}),
    ):
        y, error = np.random.default_rng(1).normal(size=(2, N))
        frame = good.assign(kind=y, new=5.0 + scale * y + noise * error)
        assert codes(frame, task="regression") == expected


def test_columns_that_go_with_the_target_without_an_exception(good: pd.DataFrame) -> None:
    """As bwt with low in R's birthwt, which is 1 where bwt is below 2,500; one exception ends it."""
    rng = np.random.default_rng(4)
    weight = rng.permutation(np.arange(N)) * 50.0 + 1000.0
    low = np.where(weight < 2500, "low", "normal")
    ward = np.where(low == "low", "north", rng.choice(["south", "west"], N))
    found = {"separates": ("new",)}
    gone, exception = weight.copy(), weight.copy()
    gone[::7], exception[weight.argmin()] = np.nan, 2600.0
    for new, kind, expected in (
        (weight, low, found),
        (-weight, low, found),
        (gone, low, found),
        (exception, low, {}),
        (ward, low, found),
        (np.where(weight == 1000, "south", ward), low, {}),
    ):
        assert codes(good.assign(new=new, kind=kind)) == expected
    three = np.digitize(weight, [2000, 3000])
    for new, kind, expected in (
        (weight < 2500, weight, found),
        (low, weight, found),
        (np.log(weight - 990.0), weight, found),
        (-((weight / 500) ** 3).round(), weight, found),
        (weight.round(-3) % 3, weight, {}),
    ):
        assert codes(good.assign(new=new, kind=kind), task="regression") == expected
    assert codes(good.assign(new=weight, kind=[f"c{each}" for each in three])) == found
    # Levels that nearly all rows have to themselves, and a few rows among many columns, do so by chance.
    names = [f"n{each}" for each in rng.choice(500, N)]
    assert "separates" not in codes(good.assign(new=names, kind=low))
    wide = pd.DataFrame(rng.normal(size=(10, 3000)))
    assert pyfsagg.datasets.check_table(wide, np.arange(10) % 2).findings == ()
    X = pd.DataFrame({f"x{j}": weight + 3.0 * j**2 + j * rng.random(N) for j in range(20)})
    [finding] = pyfsagg.datasets.check_table(X.assign(kind=weight < 2500), target="kind").findings
    assert finding.sentence.endswith("'x0', 'x1', 'x2' and 17 more")
    assert len(finding.columns) == 20


def test_a_target_that_a_run_refuses_is_a_finding(good: pd.DataFrame) -> None:
    """In the words of the run, which is not begun; what a finding says already is not said twice."""
    for y, task, message in (
        (["x"] * N, "classification", "has one class only"),
        ([3.5] * N, "regression", "is constant"),
        (good["colour"], "regression", "contains text"),
        ([None] * N, "classification", "missing in every row"),
        (good["kind"], "survival", "has times and events"),
    ):
        found = pyfsagg.datasets.check_table(good.drop(columns="kind"), y, task=task)
        [finding] = [each for each in found.findings if each.severity == "stop"]
        assert finding.code == "unusable_target"
        assert message in finding.sentence
        with pytest.raises(DataError, match=message):
            found.require(["all"])
    many = pyfsagg.datasets.check_table(good.drop(columns="kind"), [f"c{i}" for i in range(N)])
    assert [each.code for each in many.findings] == ["many_classes"]


def test_targets(good: pd.DataFrame) -> None:
    kind = good["kind"].to_numpy()
    for word, found in (("X ", True), ("xx", False)):
        classes = np.where(good["flag"], word, kind)
        assert ("similar_classes" in codes(good.assign(kind=classes))) is found
    small = {"small_class": ("kind",)}
    for size, expected in enumerate(({"single_member": ("kind",)}, small, small, {}), start=1):
        assert codes(good.assign(kind=["rare"] * size + list(kind[size:]))) == expected
    gone = good.assign(kind=[None, *kind[1:]])
    assert codes(gone) == {"missing_target": ("kind",)}
    assert "1 of 60 rows" in str(pyfsagg.datasets.check_table(gone, target="kind").findings[0])


def test_identifiers_by_name(good: pd.DataFrame) -> None:
    numbers = np.random.default_rng(2).choice(100_000, size=N, replace=False)
    # Most of them occur once, as in the Breast Cancer data of R's mlbench.
    most = np.r_[numbers[:50], numbers[:10]]
    words = [f"P{each}" for each in most]
    for column, names in (
        (numbers, ("id", "Patient ID", "sample_id", "nr")),
        (most, ("Id", "patient_id", "caseid", "subject")),
        (words, ("Id", "patient_id", "caseid", "subject")),
    ):
        for name in names:
            assert codes(good.assign(**{name: column})) == {"identifier": (name,)}
    halves = np.random.default_rng(1).permutation(np.arange(N) // 2 + 1000)
    for name, column in (
        *(("platelets", column) for column in (numbers, most)),
        *(("id", column) for column in (numbers // 5000, halves)),
    ):
        assert codes(good.assign(**{name: column})) == {}


def visits(good: pd.DataFrame, arms: list[str], n: int = 4) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of subjects with `n` visits each, in an order of chance, and the number of the subject."""
    subject = np.random.default_rng(4).permutation(np.repeat(np.arange(len(arms)), n))
    frame = good.iloc[np.arange(len(subject)) % N, :6].reset_index(drop=True)
    frame["value"] = np.random.default_rng(5).normal(size=len(subject))
    return frame.assign(kind=np.array(arms)[subject]), subject


def test_subjects_with_several_rows(good: pd.DataFrame) -> None:
    rng = np.random.default_rng(6)
    frame, subject = visits(good, ["drug"] * 20 + ["placebo"] * 20)
    code = rng.permutation(1000)[subject]
    for column in (pd.Series(subject).map("P{:02d}".format), code):
        assert codes(frame.assign(new=column)) == {"repeated_subject": ("new",)}
        found = pyfsagg.datasets.check_table(
            frame.assign(patient=column, new=column), target="kind"
        )
        [finding] = [each for each in found.findings if each.code == "repeated_subject"]
        assert finding.remedy.startswith("if so, give that column as groups to")
        assert finding.severity == "stop"
    # The numbers follow the arms: a name is needed, for a good feature does the same.
    assert codes(frame.assign(new=subject)) == {"separates": ("new",)}
    assert codes(frame.assign(patient=subject)) == {"repeated_subject": ("patient",)}
    # One visit in another arm is a slip; four say that the arm belongs to the visit.
    for rows, expected in ((1, {"repeated_subject": ("new",)}), (4, {})):
        moved = frame.copy()
        first = np.unique(subject, return_index=True)[1][:rows]
        moved.loc[first, "kind"] = np.where(moved.loc[first, "kind"] == "drug", "placebo", "drug")
        assert codes(moved.assign(new=code)) == expected
    # Eight of them are few: by chance, or as levels of a good feature, they would do the same.
    few, subject = visits(good, ["drug", "placebo"] * 4)
    assert codes(few.assign(new=subject * 7 % 11)) == {}
    assert codes(few.assign(subject=subject)) == {"repeated_subject": ("subject",)}
    frame, subject = visits(good, ["drug", "placebo"] * 20)
    outcome = np.random.default_rng(7).normal(size=40)[subject]
    numbers = frame.assign(kind=outcome, new=subject, word=[f"P{each}" for each in subject])
    assert codes(numbers, task="regression") == {"repeated_subject": ("word",)}
    died = frame.drop(columns="kind").assign(id=subject, time=1 + subject, event=subject % 2)
    found = pyfsagg.datasets.check_table(died, target=["time", "event"], task="survival")
    assert ("repeated_subject", ("id",)) in {(each.code, each.columns) for each in found.findings}


def test_features_that_are_no_subjects(good: pd.DataFrame) -> None:
    """Levels that tell the class, as honest features have them; and a class that is rare."""
    n = 240
    frame = good.iloc[np.arange(n) % N, :6].reset_index(drop=True)
    kind = np.repeat(["x", "y"], n // 2)
    rng = np.random.default_rng(8)
    frame["value"] = rng.normal(size=n)
    separated = np.r_[rng.integers(0, 50, n // 2), rng.integers(50, 100, n // 2)]
    town = [f"town {each}" for each in rng.integers(0, 60, n)]
    for new, classes in (
        (np.where(kind == "x", "a", "b"), kind),
        (separated, kind),
        ([f"{'low' if each < 50 else 'high'} {each % 5}" for each in separated], kind),
        (town, kind),
        (town, ["x"] * 4 + ["y"] * (n - 4)),
    ):
        assert "repeated_subject" not in codes(frame.assign(kind=classes, new=new))


def test_duplicates_and_declared_columns(good: pd.DataFrame) -> None:
    copies = good.assign(new=good["b"], last=good["b"])
    assert codes(copies) == {"duplicate_columns": ("new", "last")}
    assert codes(good.assign(new=good["b"].mask(good.index == 5))) == {}
    twice = pd.concat([good, good.iloc[[4]]], ignore_index=True)
    assert codes(twice) == {"duplicate_rows": ()}
    twice.loc[N, "kind"] = "z"
    assert codes(twice) == {"duplicate_rows": (), "contradictions": ()}
    twice.loc[N, "a"] += 1e-3
    assert codes(twice) == {}
    frame = good.assign(town=NOTES, code=["1.5", "many"] * (N // 2), row=range(N))
    assert set(codes(frame)) == {"identifier", "unreadable", "row_number"}
    assert codes(frame, nominal=["town", "code", "row"]) == {}


def test_what_stops_and_what_lets_it_pass(good: pd.DataFrame) -> None:
    found = pyfsagg.datasets.check_table(
        good.assign(row=range(N), note=NOTES, flat=1.0), target="kind"
    )
    mixed = pyfsagg.datasets.check_table(good.assign(new=["1", "many"] * 30), target="kind")
    for checked, accept, error, message in (
        (found, [], DataError, r"'note'.*'row'.*accept=\['identifier', 'row_number'\]$"),
        (found, ["identifier"], DataError, r"to accept it: accept=\['row_number'\]$"),
        (found, ["id"], ParameterError, "unknown finding 'id' to accept"),
        (mixed, ["all"], DataError, "mixes numbers and words"),
    ):
        with pytest.raises(error, match=message):
            checked.require(accept)
    found.require(["identifier", "row_number"])
    found.require(["all"])


def test_records_inputs_and_pages(good: pd.DataFrame, tmp_path: Path) -> None:
    found = pyfsagg.datasets.check_table(good.assign(row=range(N), flat=1.0), target="kind")
    frame = found.to_frame()
    expected = [["row_number", "stop"], ["constant", "warning"]]
    assert frame[["code", "severity"]].to_numpy().tolist() == expected
    assert [each["columns"] for each in found.record()["findings"]] == [["row"], ["flat"]]
    good.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    from_file = pyfsagg.datasets.check_table(tmp_path / "t.csv", target="kind")
    assert from_file.record() == pyfsagg.datasets.check_table(good, target="kind").record()
    numbers = good[["a", "b", "c"]].to_numpy()
    assert pyfsagg.datasets.check_table(numbers, good["kind"]).findings == ()
    for X, options, message in (
        (good, {"y": good["kind"], "target": "kind"}, "y or target"),
        (numbers, {"y": good["kind"][1:]}, "59 labels for 60 rows"),
        (good, {"sep": ";"}, "sep sets how a file is read"),
    ):
        with pytest.raises(ParameterError, match=message):
            pyfsagg.datasets.check_table(X, **options)
    page = (Path(__file__).parents[2] / "docs" / "reading-tables.md").read_text(encoding="utf-8")
    for code in CODES:
        assert f"| `{code}` | {Finding(code, (), '', '').severity} | " in page


@pytest.mark.parametrize("name", ["load_wine", "load_breast_cancer", "load_iris"])
def test_good_tables_do_not_stop(name: str) -> None:
    X, y = getattr(sklearn.datasets, name)(return_X_y=True, as_frame=True)
    found = pyfsagg.datasets.check_table(X, y)
    found.require()
    assert {each.code for each in found.findings} <= {"duplicate_rows"}

"""Groups of columns as features: one-hot columns are the nominal column, groups of one change nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import OneHotEncoder

import pyfsagg
from pyfsagg import Task
from pyfsagg._table.groups import joint_levels
from pyfsagg.ensemble.groups import _at_least_one, about_groups
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.extending import FILTERS
from pyfsagg.filters.information import PREPARE
from pyfsagg_papers import shipped_calibration

COUNTING = [spec.name for spec in FILTERS if spec.counts_levels]
OTHERS = ["spearman", "fit_criterion", "pearson"]
BY_PREFIX = Task(feature_groups="prefix:=")


def _tables(seed: int = 0, missing: float = 0.1) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    """A table with nominal columns, the same with a column per level, and two classes."""
    rng = np.random.default_rng(seed)
    n = 120
    colour = pd.Series(rng.choice(["red", "green", "blue", "grey"], n))
    level = pd.Series(rng.choice([2, 9, 10, 11, 30], n))
    y = (rng.random(n) < np.where(colour == "red", 0.8, 0.3)).astype(int)
    colour[rng.random(n) < missing] = None
    size = pd.Series(rng.normal(size=n))
    plain = pd.DataFrame({"colour": colour, "level": level.astype("category"), "size": size})
    levels = pd.get_dummies(plain[["colour", "level"]], prefix_sep="=")
    return plain, pd.concat([levels, plain[["size"]]], axis=1), y


def _by_prefix(score: str = "auto", kind: str = "classification", **more: Any) -> Task:
    return Task(kind, feature_groups="prefix:=", group_score=score, **more)


def _run(X: Any, y: Any = None, name: str = "information_gain", m: int = 5, **options: Any) -> Any:
    return pyfsagg.wam(X, y, filter=name, n_resamples=m, **{"random_state": 0, **options})


def _scores(X: Any, y: Any, name: str, task: Task | str = "classification") -> Any:
    """Scores in twelve resamples of the same rows, whatever the table."""
    rng = np.random.default_rng(7)
    rows = pyfsagg.resampling.Rows([rng.integers(0, len(y), len(y)) for _ in range(12)])
    return _run(X, y, name, 12, task=task, resampling=rows, checks="none")


PLAIN, ENCODED, Y = _tables()


# -- identities -----------------------------------------------------------------------------------
def test_the_filters_that_count_levels() -> None:
    assert set(COUNTING) == {
        "information_gain", "gain_ratio", "symmetric_uncertainty", "chi_squared", "cramers_v", "mrmr",
        "value_difference_metric", "jmi", "disr", "jmim", "njmim", "cmim", "mim",
    }  # fmt: skip
    assert pyfsagg.list_methods("filters")["counts_levels"].sum() == len(COUNTING)


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_one_hot_columns_score_as_the_nominal_column(name: str, missing: float) -> None:
    plain, encoded, y = _tables(missing=missing)
    expected = _scores(plain, y, name)
    found = _scores(encoded, y, name, BY_PREFIX)
    assert found.feature_names == expected.feature_names == ("colour", "level", "size")
    assert np.array_equal(found.combined, expected.combined)
    assert found.parameters["group_scores"] == {name: {"joint": ["colour", "level"]}}
    if missing:  # a missing cell may be missing in all columns
        own = [column for column in encoded if column.startswith("colour=")]
        encoded = encoded.astype(dict.fromkeys(own, float))
        encoded.loc[plain["colour"].isna().to_numpy(), own] = np.nan
        assert np.array_equal(_scores(encoded, y, name, BY_PREFIX).combined, expected.combined)
    else:  # and the first level may be omitted; sums differ in the last digits by the order of levels
        found = _scores(encoded.drop(columns=["level=2"]), y, name, BY_PREFIX)
        assert np.allclose(found.combined, expected.combined, rtol=0, atol=1e-12)
        assert not np.array_equal(found.combined[:, 1], expected.combined[:, 0])


@pytest.mark.parametrize("name", [*COUNTING, *OTHERS])
@pytest.mark.parametrize("score", ["auto", "max", "mean"])
def test_the_order_of_columns_and_rows_has_no_influence(name: str, score: str) -> None:
    task = _by_prefix(score, "regression" if name == "pearson" else "classification")
    order = np.random.default_rng(3).permutation(ENCODED.shape[1])
    expected = _scores(ENCODED, Y, name, task)
    found = _scores(ENCODED.iloc[:, order], Y, name, task)
    place = [found.feature_names.index(each) for each in expected.feature_names]
    # Of equally good features a selection takes the first column.
    tolerance = 1e-12 if name in PREPARE else 0
    assert np.allclose(found.combined[:, place], expected.combined, rtol=0, atol=tolerance)


@pytest.mark.parametrize("given", [{"colour=red": "colour=red"}, {"a": ["size"]}, None])
@pytest.mark.parametrize("name", ["information_gain", "mrmr", "fit_criterion"])
@pytest.mark.parametrize("score", ["auto", "max", "mean"])
def test_groups_of_one_are_the_columns(given: Any, name: str, score: str) -> None:
    alone = {column: [column] for column in ENCODED} if given is None else given
    expected = _run(ENCODED, Y, name, 20)
    found = _run(ENCODED, Y, name, 20, task=Task(feature_groups=alone, group_score=score))
    renamed = {"size": "a"} if given == {"a": ["size"]} else {}
    names = tuple(renamed.get(each, each) for each in expected.feature_names)
    assert found.feature_names == names
    for one, other in (
        (found.combined, expected.combined),
        (found.checked.halves, expected.checked.halves),
    ):
        assert np.array_equal(one, other, equal_nan=True)
    assert np.array_equal(found.scores, expected.scores)
    assert found.groups == ({"a": ("size",)} if renamed else {})


@pytest.mark.parametrize(("score", "way"), [("max", "max"), ("auto", "max"), ("mean", "mean")])
def test_the_largest_and_the_mean_of_the_columns(score: str, way: str) -> None:
    alone = _scores(ENCODED, Y, "fit_criterion")
    found = _scores(ENCODED, Y, "fit_criterion", _by_prefix(score))
    assert found.feature_names == ("colour", "level", "size")
    for column, name in enumerate(found.feature_names):
        own = [j for j, each in enumerate(alone.feature_names) if each.partition("=")[0] == name]
        expected = getattr(np, way)(alone.combined[:, own], axis=1)
        assert np.allclose(found.combined[:, column], expected, rtol=1e-15, atol=0)
    assert found.parameters["group_scores"] == {"fit_criterion": {way: ["colour", "level"]}}


def test_joint_levels_and_shares_of_orders_by_hand() -> None:
    nan = np.nan
    cells = [np.array([1.0, 0, 0, 1, nan, nan]), np.array([5.0, 5, 7, 7, 5, nan])]
    # first column descending, then the second; a missing cell last; the last row is missing
    assert joint_levels(cells).tolist()[:5] == [1.0, 3.0, 2.0, 0.0, 4.0]
    assert np.isnan(joint_levels(cells)[5])
    # Of four tied features at the edge two are selected: both columns are left out in one order of six.
    share = np.array([[1.0, 0.5], [0.5, 0.5], [0.5, 0.0], [0.0, 0.0]])
    found = _at_least_one(share, np.full(4, 4.0), np.full(4, 2.0))
    np.testing.assert_allclose(found, [1.0, 5 / 6, 1 / 2, 0.0])


def test_a_joint_score_of_any_columns_with_few_values() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 3, 90), "b": rng.choice(["u", "v"], 90), "c": range(90)})
    y = (X["a"] == 1) ^ (X["b"] == "u")  # neither alone
    together = pd.DataFrame({"t": X["a"].astype(str) + X["b"], "c": X["c"]})
    expected = pyfsagg.filters.information_gain(together, y)[0]
    groups = {"both": ["a", "b"]}
    plan = pyfsagg.resampling.Rows([list(range(90))])
    joint = Task(feature_groups=groups, group_score="joint")
    found = _run(X, y, m=1, task=joint, resampling=plan, checks="none")
    assert found.combined[0, 0] == expected > 0.6
    # Not one-hot: automatically the largest.
    largest = _run(X, y, task=Task(feature_groups=groups))
    for run, way in ((found, "joint"), (largest, "max")):
        assert run.parameters["group_scores"] == {"information_gain": {way: ["both"]}}


def test_a_sparse_table_scores_as_the_dense_one() -> None:
    plain, _, y = _tables(missing=0.0)
    encoder = OneHotEncoder().fit(plain[["colour", "level"]])
    sparse = csr_matrix(encoder.transform(plain[["colour", "level"]]))
    groups = {"colour": [0, 1, 2, 3], "level": [4, 5, 6, 7, 8]}
    nominal = plain[["colour", "level"]]
    for name in ("ig", "su", "chi_squared", "vdm"):
        for score in ("auto", "max", "mean"):
            task = Task(feature_groups=groups, group_score=score)
            one, other = (_scores(X, y, name, task) for X in (sparse, sparse.toarray()))
            assert np.array_equal(one.combined, other.combined)
        auto = _scores(sparse, y, name, Task(feature_groups=groups))
        assert np.allclose(auto.combined, _scores(nominal, y, name).combined, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("more", "dropped"),
    [({"rare=a": 0, "rare=b": 1, "rare=c": False}, ["rare"]), ({"colour=pink": 0}, [])],
)
def test_near_constant_columns_leave_with_their_whole_group_only(more: dict, dropped: list) -> None:
    found = _run(ENCODED.assign(**more), Y, task=_by_prefix(drop_near_zero_variance=True))
    assert found.feature_names == ("colour", "level", "size")
    assert found.data["dropped_features"] == dropped
    assert ("colour=pink" in found.groups["colour"]) == ("colour=pink" in more)


# -- how groups are written down ------------------------------------------------------------------
def _groups(given: Any, columns: str = "a b c d") -> dict[str, tuple[str, ...]]:
    names = columns.split()
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, len(names))), columns=names)
    y = np.arange(30) % 2
    found = _run(X, y, "fit_criterion", task=Task(feature_groups=given))
    members = {name: found.groups.get(name, (name,)) for name in found.feature_names}
    assert sorted(column for each in members.values() for column in each) == sorted(names)
    return members


def test_ways_to_write_groups(tmp_path: Path) -> None:
    expected = {"g": ("a", "c"), "b": ("b",), "d": ("d",)}
    file = tmp_path / "groups.csv"
    file.write_text("group;column;note\ng;c;x\ng;a;y\n")
    of_group = [{"g": members} for members in (["a", "c"], ("c", "a"), [0, 2], np.array([2, 0]))]
    for given in (*of_group, {"a": "g", "c": "g"}, {0: "g", 2: "g"}, file, str(file)):
        assert _groups(given) == expected
    assert _groups({"a": 1, "c": 1}) == {"1": ("a", "c"), "b": ("b",), "d": ("d",)}
    assert _groups({"g": "a"}) == {"g": ("a",), "b": ("b",), "c": ("c",), "d": ("d",)}
    # A group may have the name of a member.
    assert _groups({"a": ["b", "a"]}) == {"a": ("a", "b"), "c": ("c",), "d": ("d",)}
    names = "x_1 x_2 y x y_a_b y_a_c alone_1 _odd"
    expected = {"x": ("x_1", "x_2", "x"), "y": ("y", "y_a_b", "y_a_c")}
    expected |= {name: (name,) for name in ("alone_1", "_odd")}
    assert _groups("prefix:_", names) == expected
    assert _groups("prefix:::", "p::1 p::2 q:1 q:2")["p"] == ("p::1", "p::2")


def test_groups_that_the_table_does_not_have_are_refused() -> None:
    twice = "names the column 'a' twice; a column belongs to one group"
    taken = "a group 'b', and the table has a column of this name that is not in it"
    no_file = "is read as the path of a file, and there is no such file: nowhere"
    for error, cases in {
        ParameterError: (
            ("prefix:", "'prefix:' names no separator; give the text that ends"),
            ("prefix:/", "finds no two columns with the same prefix: the names are a, b"),
            ("", "feature_groups is empty; drop it"),
            ({}, "feature_groups is empty; drop it"),
            ({"g": []}, "the group 'g' of feature_groups has no column"),
            ({"g": ["a", "a"]}, twice),
            ({"g": ["a"], "h": ["b", "a"]}, "names the column 'a' in 'g' and in 'h'"),
            ({"b": ["a", "c"]}, taken),
            ({" ": ["a"]}, "has a group without a name"),
            ({"g": ["a", 9]}, "the column at position 9; positions are 0 to 4"),
        ),
        UnknownNameError: (
            ({"g": ["a", "alpa"]}, "unknown column in feature_groups 'alpa'; did you mean 'alpha'"),
            ({"a": "g", "alpa": "g"}, "did you mean 'alpha'"),
        ),
        InputTypeError: (
            (["a"], r"must be a mapping of group to columns .*, got \['a'\]"),
            ({"g": ["a", 1.5]}, "by their name or position, got 1.5"),
            ({"g": {"a": 1, "b": None}, ("h",): ["c"]}, "needs a name, got"),
            ({"g": 1.5}, "the group 'g' of feature_groups must be a list, got 1.5"),
        ),
        DataError: (
            ({"g": ["a", "b", "c", "d", "alpha"]}, "puts all 5 columns into one group, 'g'"),
            ("nowhere.csv", no_file),
        ),
    }.items():
        for given, message in cases:
            with pytest.raises(error, match=message):
                _groups(given, "a b c d alpha")
    mixed = Task(feature_groups={"g": ["size", "colour=red"]}, group_score="joint")
    uncounted = {"name": "fit_criterion", "task": _by_prefix("joint")}
    for options, message in (
        ({"task": Task(group_score="max")}, "no groups; give feature_groups"),
        (uncounted, "whose levels the filter 'fit_criterion' does not count"),
        ({"task": mixed}, "'size' of the group 'g' has 120 values, more than 10"),
        *(
            (
                {"task": BY_PREFIX, "resampling": plan},
                f"'{plan}' changes columns, and is not supported",
            )
            for plan in ("value_noise", "feature_subspace")
        ),
    ):
        with pytest.raises(ParameterError, match=message):
            _run(ENCODED, Y, **options)
    with pytest.raises(ParameterError, match="'auto', 'joint', 'max', 'mean', got 'sum'"):
        _by_prefix("sum")


def test_files_that_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "groups.csv"
    for content, message in (
        ("feature,cluster\na,1\n", "has no column 'column'; a file of feature_groups has a header"),
        ("column,group\na,g\na,h\n", "names the column 'a' twice"),
        ("column,group\na,\n", "has a group without a name"),
        ("column,group\n", "has a header but no rows"),
    ):
        file.write_text(content)
        with pytest.raises((DataError, ParameterError), match=message):
            _groups(file)


# -- groups are the features of everything that follows -------------------------------------------
def _bam(groups: Any = "prefix:=") -> pyfsagg.ensemble.EnsembleResult:
    how = {"task": Task(feature_groups=groups, group_score="max"), "random_state": 0}
    return pyfsagg.bam(ENCODED, Y, filters=["ig", "fit_criterion"], n_resamples=60, **how)


@pytest.fixture(scope="module")
def run() -> pyfsagg.ensemble.EnsembleResult:
    return _bam()


def test_groups_are_known_and_kept(run: pyfsagg.ensemble.EnsembleResult, tmp_path: Path) -> None:
    assert run.n_features == run.data["n_features"] == len(run.combined[0]) == 3
    assert run.data["n_columns"] == 10
    assert set(run.groups) == {"colour", "level"}
    assert run.select(1) == ["colour"]
    colours = [f"colour={colour}" for colour in ("blue", "green", "grey", "red")]
    assert run.select(1, columns=True) == colours
    assert sorted(run.select(3, columns=True)) == sorted([*colours, *run.groups["level"], "size"])
    assert run.to_frame(run.selection(1))["n_columns"].to_dict() == {
        "colour": 4,
        "level": 5,
        "size": 1,
    }
    assert "n_columns" not in _scores(*_tables()[0::2], "ig").to_frame()
    assert run.between_sample_stability(run.selection(1)).n_features == 3
    assert list(run.rank_confidence().names) == list(run.feature_names)
    run.save(tmp_path / "run", n_features_to_select=0.25)
    loaded = pyfsagg.load_result(tmp_path / "run")
    assert loaded.groups == run.groups
    assert about_groups(loaded) == about_groups(run) != ""
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    assert document["data"]["groups"]["colour"] == list(run.groups["colour"])
    assert document["parameters"]["group_score"] == "max"
    columns = (tmp_path / "run" / "selected_columns.txt").read_text().split()
    assert columns == run.select(0.25, columns=True)
    table = pd.read_csv(tmp_path / "run" / "ranking.csv")
    assert table["n_columns"].tolist() == run.to_frame()["n_columns"].tolist()
    for groups in (tmp_path / "run" / "groups.csv", run.groups):  # both can be given again
        assert np.array_equal(_bam(groups).combined, run.combined)


def test_what_is_done_with_other_columns() -> None:
    twin = ENCODED.assign(twin=ENCODED["size"] + 1e-6 * np.arange(len(Y)))
    found = _run(twin, Y, task=BY_PREFIX)
    assert found.checked.copies is not None
    assert found.checked.copies.clusters == (("size", "twin"),)
    assert found.clusters().loc["colour", "size"] == 1
    with pytest.raises(DataError, match=r"groups of columns.*similarity as a matrix"):
        found.clusters(twin)
    assert len(found.clusters(similarity=np.eye(4))) == 4
    groups = {"all colours": [name for name in ENCODED if name.startswith("colour")]}
    long = {column: "one" if j < 60 else "other" for j, column in enumerate(range(80))}
    X = np.random.default_rng(0).normal(size=(30, 80))
    for table, labels, given, score in ((ENCODED, Y, groups, "mean"), (X, Y[:30], long, "auto")):
        task = Task(feature_groups=given, group_score=score)
        found = _run(table, labels, "fit_criterion", task=task, random_state=None)
        assert ("feature_groups=feature_groups" in found.repeat()) == (given is long)
        scope: dict[str, Any] = {"X": table, "y": labels, "feature_groups": given}
        exec(found.repeat(), scope)
        assert np.array_equal(scope["result"].combined, found.combined)


def test_a_checkpoint_of_other_groups_is_refused(tmp_path: Path) -> None:
    names = [name for name in ENCODED if name.startswith("level")]

    def run_with(members: list[str]) -> None:
        kept = pyfsagg.Execution(checkpoint=tmp_path / "kept")
        _run(ENCODED, Y, task=Task(feature_groups={"g": members}), execution=kept)

    run_with(names[:3])
    run_with(names[:3])
    with pytest.raises(ParameterError, match="group"):
        run_with(names[:2])


def test_the_page_and_the_text_speak_of_groups(
    run: pyfsagg.ensemble.EnsembleResult, tmp_path: Path
) -> None:
    page = run.report(tmp_path / "page.html").read_text()
    assert "Groups of columns, most important first." in page
    assert "colour=blue, colour=green, colour=grey and colour=red" in page
    assert "(groups of 10 columns)" in page
    assert "the score of a group is the largest of its columns" in page
    plain = _scores(*_tables()[0::2], "ig").report(tmp_path / "plain.html").read_text()
    assert "Groups of columns, most" not in plain

    def said(groups: Any, score: str = "auto", table: Any = ENCODED) -> str:
        task = Task(feature_groups=groups, group_score=score)
        return about_groups(_scores(table, Y, "ig", task))

    assert "Features have 1 to 5 columns" in about_groups(run)
    assert about_groups(run) in " ".join(run.summary_text().split())
    assert "single columns are selected more often" in said("prefix:=", "mean")
    numbers = ENCODED.drop(columns="size")
    assert "many combinations" in said({"a": [0, 1]}, "joint", numbers)
    pairs = {f"g{j}": [2 * j, 2 * j + 1] for j in range(5)}  # of equal sizes
    assert said("prefix:=") == said(None) == said(pairs, "max") == ""


def _selector(k: int, **task: Any) -> pyfsagg.ensemble.WithinAggregationSelector:
    how = {"n_features_to_select": k, "n_resamples": 20, "random_state": 0, "task": Task(**task)}
    return pyfsagg.ensemble.WithinAggregationSelector("chi_squared", **how)


def test_selectors_return_the_columns_of_groups() -> None:
    groups: Any = {"colour": [0, 1, 2, 3], "level": [4, 5, 6, 7, 8]}
    for table in (ENCODED, ENCODED.to_numpy(dtype=float)):
        selector = _selector(1, feature_groups=groups)
        kept = selector.fit_transform(table, Y)
        expected = groups.get(selector.result_.select(1)[0], [9])
        assert selector.get_support(indices=True).tolist() == expected
        assert kept.shape == (len(Y), len(expected))
        assert len(selector.scores_) == 3
    X = ENCODED.to_numpy(dtype=float)
    X[:, [0, 5]] = 3.0
    selector = _selector(2, drop_near_zero_variance=True).fit(X, Y)
    names = selector.result_.select(2)
    assert selector.get_support(indices=True).tolist() == sorted(int(name[1:]) for name in names)
    assert selector.transform(X).shape == (len(Y), 2)


def test_other_functions_take_groups() -> None:
    how: dict[str, Any] = {"filter": "chi_squared", "task": BY_PREFIX, "random_state": 0}
    names = ("colour", "level", "size")
    found = pyfsagg.ensemble.permute_target(ENCODED, Y, shuffles=19, **how)
    assert found.feature_names == names
    assert found.select() == ["colour"]
    plan = "complementary_pairs"
    pairs = _run(ENCODED, Y, "chi_squared", 50, task=BY_PREFIX, resampling=plan)
    assert set(pairs.select(max_false=1.0)) <= set(names)
    folds = {"aggregators": ["am"], "n_folds": 4, "n_resamples": 5}
    influence = pyfsagg.influence(ENCODED, Y, **folds, **how)
    assert influence.feature_names == names
    assert influence.data["n_columns"] == 10
    numbers = _run(ENCODED.astype(float), name="laplacian_score", task=BY_PREFIX)
    assert numbers.parameters["group_scores"] == {"laplacian_score": {"max": ["colour", "level"]}}


# -- evaluation and influence ---------------------------------------------------------------------
def test_evaluations_of_groups(run: pyfsagg.ensemble.EnsembleResult) -> None:
    seen: list[int] = []

    class Counts(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            seen.append(X.shape[1])
            return super().fit(X, y)

    _, encoded, y = _tables()
    found = pyfsagg.evaluate(
        encoded, y, methods=["su"], classifiers={"counts": Counts()}, thresholds=[1, 3],
        baselines=["all_features"], n_resamples=20, task=BY_PREFIX, random_state=0, n_jobs=1,
    )  # fmt: skip
    assert found.cells["status"].unique().tolist() == ["ok"]
    assert set(seen) == {4, 10}  # colour, and everything
    assert set(found.cells["n_features"]) == {1, 3}
    assert found.data["n_columns"] == 10
    assert list(found.data["groups"]) == ["colour", "level"]
    nested = pyfsagg.evaluate(
        encoded, y, {"run": run}, classifiers=["naive_bayes"], thresholds=[1], protocol="nested",
        baselines=["single_filters"], task=Task(feature_groups=run.groups, group_score="max"),
        n_resamples=5, random_state=0, methods=["ig"],
    )  # fmt: skip
    assert set(nested.cells["status"]) == {"ok"}
    with pytest.raises(DataError, match=r"groups of columns; give the same groups here, by task="):
        pyfsagg.evaluate(encoded, y, {"run": run}, protocol="nested", random_state=0)


# -- what is said of sizes is what the calibration measured ---------------------------------------
def test_what_is_said_of_sizes_was_measured() -> None:
    rows = shipped_calibration().rows
    rows = rows[rows["topic"] == "column_groups"].set_index("design")
    high = rows["measured"] - 2 * rows["error"] > 0.5
    low = rows["measured"] + 2 * rows["error"] < 0.5
    layers = rows["simulation"] == "unequal_layers"
    by_max, by_mean = (rows.index.str.contains(f"group_score={way}") for way in ("max", "mean"))
    ten = rows.index.str.contains("columns=10")
    assert high[layers & by_max].all()
    assert (rows["measured"][layers & by_max & ten] > 0.9).all()
    assert low[layers & by_mean & ten].all()
    assert high[rows["simulation"] == "unequal_blocks"].all()
    assert (rows["verdict"][rows["simulation"] == "equal_layers"] == "kept").all()

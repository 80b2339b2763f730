"""By what a checkpoint knows the functions of its user: each change is seen, and nothing else is one."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pyfsagg
from pyfsagg._run.content import content_of
from pyfsagg.exceptions import ParameterError

# Each makes `found`; between « and » stand what is there and what it is changed to.
INIT = " def __init__(self, k): self.k = k\n"
CALL = " def __call__(self, X): return X * self.k\n"
CHANGES = {
    "body": "def found(X, y, w): return «X.sum(0)|X.mean(0)»",
    "constant": "def found(X, y, w): return X.sum(0) * «2|3»",
    "type of a constant": "def found(X, y, w): return X.sum(0) * «1|1.0»",
    "sign of a zero": "def found(X, y, w): return X.sum(0) + «0.0|-0.0»",
    "comprehension": "def found(X, y, w): return [sum(c) * «2|3» for c in X.T]",
    "generator": "def found(X, y, w): return list(c.sum() ** «2|3» for c in X.T)",
    "inner lambda": "def found(X, y, w): return list(map(lambda c: c.sum() + «2|3», X.T))",
    "nested function": (
        "def found(X, y, w):\n def inner(c):\n  return c.sum() - «2|3»\n return [inner(c) for c in X.T]"
    ),
    "handler": "def found(X):\n try:\n  return X\n except «ValueError|KeyError»:\n  return 0",
    "closure": "def make(k):\n def inner(X, y, w): return X.sum(0) * k\n return inner\nfound = make(«2|3»)",
    "default": "def found(X, y, w, k=«2|3»): return X * k",
    "keyword-only default": "def found(X, y, w, *, k=«2|3»): return X * k",
    "global": "K = «2|3»\ndef found(X, y, w): return X * K",
    "global in an inner lambda": "K = «2|3»\ndef found(X, y, w): return list(map(lambda c: c * K, X))",
    "helper": "def h(X): return X * «2|3»\ndef found(X, y, w): return h(X)",
    "helper of a helper": (
        "def g(X): return X * «2|3»\ndef h(X): return g(X)\ndef found(X, y, w): return h(X)"
    ),
    "two that call each other": (
        "def a(X, n): return X if n < 1 else b(X, n - 1)\ndef b(X, n): return a(X, n - «1|2»)\nfound = a"
    ),
    "attribute of a callable object": "class F:\n" + INIT + CALL + "found = F(«2|3»)",
    "slot of a callable object": "class F:\n __slots__ = ('k',)\n" + INIT + CALL + "found = F(«2|3»)",
    "body of a callable object": "class F:\n def __call__(self, X): return X * «2|3»\nfound = F()",
    "class attribute": "class F:\n k = «2|3»\n" + CALL + "found = F()",
    "base of a class": (
        "class A:\n def k(self): return «2|3»\nclass F(A):\n def __call__(self, X): return self.k()\n"
        "found = F()"
    ),
    "property": "class F:\n @property\n def k(self): return «2|3»\n" + CALL + "found = F()",
    "static method": "class F:\n @staticmethod\n def k(): return «2|3»\n" + CALL + "found = F()",
    "object behind a bound method": "class F:\n" + INIT + CALL + "found = F(«2|3»).__call__",
    "value of a partial": (
        "from functools import partial\ndef f(X, y, w, k): return X * k\nfound = partial(f, k=«2|3»)"
    ),
    "function of a partial": (
        "from functools import partial\ndef f(X, y, w, k): return X * «2|3»\nfound = partial(f, k=1)"
    ),
    "large array in a partial": (
        "import numpy as np\nfrom functools import partial\na = np.zeros(5000)\na[2500] = «2|3»\n"
        "def f(X, y, w, k): return X * k\nfound = partial(f, k=a)"
    ),
    "array in a dict in a list": (
        "import numpy as np\nD = [{'a': np.arange(2000) * «2|3»}]\ndef found(X): return X * D[0]['a']"
    ),
    "frame": (
        "import pandas as pd\nD = pd.DataFrame({'a': range(2000), 'b': 'x'})\nD.loc[1000, 'b'] = '«2|3»'\n"
        "def found(X): return X * len(D)"
    ),
    "set of names": "S = {'a', 'b', 'c', '«d|e»'}\ndef found(X): return len(S & set(X))",
    "decorated": (
        "import functools\ndef twice(f):\n @functools.wraps(f)\n def inner(X): return «2|3» * f(X)\n"
        " return inner\n@twice\ndef found(X): return X"
    ),
    "cached": (
        "import functools\n@functools.lru_cache\ndef h(k): return k * «2|3»\ndef found(X): return X * h(1)"
    ),
    "compiled by numba": "import numba\n@numba.njit\ndef found(X): return X * «2|3»",
    "function attribute": "def found(X): return X * found.k\nfound.k = «2|3»",
    "regular expression": "import re\nP = re.compile('«a|b»')\ndef found(X): return P.match(X)",
    "generator of random numbers": (
        "import numpy as np\nR = np.random.default_rng(«2|3»)\ndef found(X): return R.permutation(X)"
    ),
    "parameter of an estimator": (
        "from sklearn.tree import DecisionTreeClassifier as T\nfound = T(max_depth=«2|3»)"
    ),
    "large array in an estimator": (
        "import numpy as np\nfrom sklearn.naive_bayes import GaussianNB\na = np.full(5000, 1 / 5000)\n"
        "a[2500] += «1e-9|2e-9»\nfound = GaussianNB(priors=a)"
    ),
    "function in a pipeline": (
        "from sklearn.preprocessing import FunctionTransformer\n"
        "from sklearn.pipeline import make_pipeline\nfrom sklearn.svm import SVC\n"
        "def f(X): return X * «2|3»\nfound = make_pipeline(FunctionTransformer(f), SVC())"
    ),
    "body of an estimator's class": (
        "from sklearn.base import BaseEstimator\nclass E(BaseEstimator):\n def __init__(self, k=1):\n"
        "  self.k = k\n def fit(self, X, y):\n  self.coef_ = X.sum(0) * «2|3»\n  return self\nfound = E()"
    ),
    "estimator in a closure, fitted elsewhere": (
        "import numpy as np\nfrom sklearn.linear_model import LinearRegression\n"
        "M = LinearRegression().fit([[0.0], [1.0]], [0.0, «2.0|3.0»])\n"
        "def found(X, y, w): return M.predict(X)"
    ),
    "given version": (
        "import threading\nL = threading.Lock()\ndef found(X):\n with L: return X\n"
        "found.checkpoint_version = '«a|b»'"
    ),
}  # fmt: skip


def _sources(kind: str) -> tuple[str, str]:
    """The source before and after its change."""
    before, after = (re.sub(r"«(.*?)\|(.*?)»", rf"\{k}", CHANGES[kind]) for k in (1, 2))
    return before, after


def _made(source: str) -> Any:
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<a script>", "exec", dont_inherit=True), scope)
    return scope["found"]


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_seen_and_the_same_again_is_none(kind: str) -> None:
    source, changed = _sources(kind)
    first = content_of(_made(source))
    assert content_of(_made(source)) == first
    assert content_of(_made("# where it stands says nothing\n\n" + source)) == first
    assert content_of(_made(changed)) != first


PRINTED = """
import json, sys
from pyfsagg._run.content import content_of
found = {}
for kind, source in json.load(open(sys.argv[1])).items():
    scope = {"__name__": "__main__"}
    exec(compile(source, "<a script>", "exec"), scope)
    found[kind] = content_of(scope["found"])
print(json.dumps(found))
"""


def test_another_process_sees_the_same(tmp_path: Path) -> None:
    sources = {kind: _sources(kind)[0] for kind in CHANGES}
    (tmp_path / "kinds.json").write_text(json.dumps(sources))
    (tmp_path / "script.py").write_text(PRINTED)
    here = {kind: content_of(_made(source)) for kind, source in sources.items()}
    for seed in ("1", "2"):
        done = _run_script(tmp_path, "kinds.json", PYTHONHASHSEED=seed)
        assert json.loads(done.stdout) == here


def _run_script(folder: Path, word: str, **environment: str) -> subprocess.CompletedProcess[str]:
    how = {"cwd": folder, "env": {**os.environ, **environment}, "check": False}
    command = [sys.executable, "script.py", word]
    return subprocess.run(command, capture_output=True, text=True, **how)


class Weighted:
    """A filter with attributes."""

    def __init__(self, power: float, table: Any) -> None:
        self.power, self.table = power, table

    def __call__(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return np.abs(X.T @ sample_weight) ** self.power


@pytest.mark.parametrize(
    "value",
    [
        Weighted(2.0, pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]})),
        Weighted(2.0, {"names": {"a", "b", "c"}, "array": np.arange(3)}),
        make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)),
        pyfsagg.resampling.GroupedBootstrap([1, 1, 2, 2]),
        Weighted(2.0, pd.Series(["a", "b", "a"], dtype="category")).__call__,
    ],
    ids=["frame", "set", "pipeline", "plan", "method"],
)
def test_a_copy_that_was_pickled_is_the_same(value: Any) -> None:
    assert content_of(pickle.loads(pickle.dumps(value))) == content_of(value)
    assert content_of(copy.deepcopy(value)) == content_of(value)


def test_parameters_attributes_and_versions_are_content(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    for model in (LogisticRegression(C=2.0), make_pipeline(StandardScaler(), LogisticRegression())):
        fresh = content_of(model)
        assert content_of(model.fit(X, y)) == fresh  # a filter fits a clone
    assert content_of(LogisticRegression(C=3.0)) != content_of(LogisticRegression(C=2.0))

    class Versioned:
        checkpoint_version = "1"

        def __init__(self, k: int) -> None:
            self.k = k

    assert content_of(Versioned(1)) != content_of(Versioned(2))
    from pyfsagg._run import content

    for value in (np.mean, np.add, np.linalg.norm, LogisticRegression, json.dumps, sum, "a".join):
        assert content_of(value) == content_of(value)
    source = "import numpy as np\ndef found(X, y, w): return np.abs(X).sum(0)"
    before, estimator = content_of(_made(source)), content_of(LogisticRegression())
    monkeypatch.setattr(content, "_version_of", lambda name: "99")
    assert content_of(_made(source)) != before
    assert content_of(LogisticRegression()) != estimator


MODULES = {
    "import helpers\ndef found(X, y, w): return helpers.score(X)": True,
    "from helpers import score\ndef found(X, y, w): return score(X)": True,
    "def found(X, y, w):\n import helpers\n return helpers.score(X)": True,
    "def found(X, y, w):\n from helpers import score\n return score(X)": True,
    "import helpers\ndef found(X, y, w): return helpers.other(X)": False,
    "import helpers\ndef found(X, y, w): return getattr(helpers, 'sc' + 'ore')(X)": True,
}


@pytest.mark.parametrize("source", MODULES)
def test_a_module_of_the_user_is_read(source, tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for factor in (2, 2, 3):
        text = f"K = {factor}\ndef score(X): return X * K\ndef other(X): return X\n"
        (tmp_path / "helpers.py").write_text(text)
        monkeypatch.delitem(sys.modules, "helpers", raising=False)
        found.append(content_of(_made(source)))
    assert found[0] == found[1]
    assert (found[0] != found[2]) == MODULES[source]


def test_what_cannot_be_read_is_said_and_can_be_named(tmp_path: Path) -> None:
    lock = threading.Lock()

    def guarded(X: Any, y: Any, sample_weight: Any) -> Any:
        with lock:
            return X.sum(0)

    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    options: dict[str, Any] = {"filter": guarded, "n_resamples": 4, "random_state": 0}
    here = pyfsagg.Execution(checkpoint=tmp_path)
    said = r"whether the function .*guarded, which uses 'lock' has changed: it is a .*lock.*version"
    with pytest.raises(ParameterError, match=said):
        pyfsagg.wam(X, y, **options, execution=here)
    assert not (tmp_path / "checkpoint.json").exists()
    pyfsagg.wam(X, y, **options)  # nobody asks without a checkpoint
    guarded.checkpoint_version = "1"  # type: ignore[attr-defined]
    pyfsagg.wam(X, y, **options, execution=here)
    guarded.checkpoint_version = "2"  # type: ignore[attr-defined]
    said = "a function or an estimator that ranks features differs"
    with pytest.raises(ParameterError, match=said):
        pyfsagg.wam(X, y, **options, execution=here)


def test_a_changed_function_never_mixes_with_the_old_one(tmp_path: Path) -> None:
    """As it happens: a run is stopped, a helper is changed, the run is repeated."""
    text = (
        "import sys\nimport numpy as np\nimport pyfsagg\n"
        "def helper(x):\n    return x * FACTOR\n"
        "def mine(X, y, sample_weight):\n    return np.array([helper(c @ sample_weight) for c in X.T])\n"
        "def stop(done, total):\n    if sys.argv[1] == 'stop' and done:\n        raise SystemExit(3)\n"
        "X = np.random.default_rng(0).normal(size=(40, 600))\ny = np.arange(40) % 2\n"
        "execution = pyfsagg.Execution(checkpoint='kept', progress=stop)\n"
        "r = pyfsagg.wam(X, y, filter=mine, n_resamples=60, random_state=0, execution=execution)\n"
    )
    errors = []
    for factor, how, code in ((2, "stop", 3), (3, "go on", 1), (2, "go on", 0)):
        (tmp_path / "script.py").write_text(text.replace("FACTOR", str(factor)))
        done = _run_script(tmp_path, how)
        assert done.returncode == code
        assert list((tmp_path / "kept").glob("part-*.npz"))
        errors.append(done.stderr)
    assert "a function or an estimator that ranks features differs" in errors[1]

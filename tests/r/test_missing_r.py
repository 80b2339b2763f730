"""`NA` of R is NaN of Python: the same numbers bit by bit, or a refusal on both sides."""

import json
import os

import missing_numbers
import pytest

from pyfsagg.for_r.calls import CALLS
from pyfsaggr import ROOT, libraries, need_pyfsaggr, run

pytestmark = pytest.mark.r
need_pyfsaggr()


@pytest.fixture(scope="module")
def answers(library, tmp_path_factory) -> tuple[dict, dict]:
    """Those of R and of its Python, by the cases of `support/missing_numbers.py`."""
    folder = tmp_path_factory.mktemp("missing")
    missing_numbers.write_inputs(folder)
    codes = ", ".join(
        f"{json.dumps(name)} = {json.dumps(r)}" for name, (r, _) in missing_numbers.CASES.items()
    )
    code = f"{missing_numbers.R_INPUTS}{missing_numbers.R_NUMBERS}cat(jsonlite::toJSON("
    code += f"lapply(list({codes}), show), auto_unbox = TRUE))"
    (folder / "missing.R").write_text(f"suppressMessages(library(pyfsaggr))\n{code}\n")
    of_r = run("Rscript", "--vanilla", "missing.R", folder=folder, R_LIBS=libraries(library))
    script = str(ROOT / "tests" / "support" / "missing_numbers.py")
    program = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); "
    program += f"runpy.run_path({script!r}, run_name='__main__')"
    blas = run("Rscript", "-e", 'cat(extSoftVersion()[["BLAS"]])', folder=folder)
    python = os.environ["PYFSAGG_PYTHON"]
    of_python = run(python, "-c", program, str(folder), folder=folder, LD_PRELOAD=blas)
    return json.loads(of_r), json.loads(of_python)


@pytest.mark.parametrize("name", missing_numbers.CASES)
def test_missing_numbers_are_the_same_on_both_sides(name: str, answers) -> None:
    of_r, of_python = (side[name] for side in answers)
    if isinstance(of_python, str) or isinstance(of_r, str):
        assert str(of_python).startswith("refused: "), of_r
        assert str(of_r).startswith("refused: pyfsagg_"), of_r
        return
    exact = ([float("nan") if each == "NA" else float.fromhex(each) for each in side]
             for side in (of_r, of_python))  # fmt: skip
    bits = [[each.hex() for each in side] for side in exact]
    assert bits[0] == bits[1]


def test_every_function_of_r_that_takes_numbers_has_a_case() -> None:
    tried = {name.split()[0] for name in missing_numbers.CASES}
    assert set(CALLS) <= tried | missing_numbers.WITHOUT
    assert not tried & missing_numbers.WITHOUT

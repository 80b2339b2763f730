"""R gives the bits of Python, for every method of the table in `support/doors.py`.

Both run on the Python of R, as other versions of NumPy may round otherwise, and on the BLAS of R: in the
process of R the loader binds SciPy to that, with which k-means (`frcm`, `frmv`) has other last digits.
"""

import json
import os

import doors
import pytest

from pyfsaggr import ROOT, libraries, need_pyfsaggr, run

pytestmark = pytest.mark.r
need_pyfsaggr()


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(doors.one_of_each_kind(), id="one of each kind"),
        pytest.param(doors.cases(), id="every method", marks=pytest.mark.thorough),
    ],
)
def test_r_gives_the_bits_of_python(cases: list[doors.Case], library, tmp_path) -> None:
    doors.write_inputs(tmp_path)
    lines = [case.r.replace("OUT", json.dumps(f"R/{case.name}")) for case in cases]
    lines.insert(0, "suppressMessages(library(pyfsaggr))")
    (tmp_path / "doors.R").write_text("\n".join(lines) + "\n")
    run("Rscript", "--vanilla", "doors.R", folder=tmp_path, R_LIBS=libraries(library))
    script = str(ROOT / "tests" / "support" / "doors.py")
    # `-c` and not the file: what stands beside it is on no path of R's Python.
    program = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); "
    program += f"runpy.run_path({script!r}, run_name='__main__')"
    blas = run("Rscript", "-e", 'cat(extSoftVersion()[["BLAS"]])', folder=tmp_path)
    python = os.environ["PYFSAGG_PYTHON"]
    run(python, "-c", program, str(tmp_path), folder=tmp_path, LD_PRELOAD=blas)
    digests = json.loads((tmp_path / "digests.json").read_text())
    assert set(digests["R"]) == {case.name for case in cases}
    assert digests["R"] == digests["python"]

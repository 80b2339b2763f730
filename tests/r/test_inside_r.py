"""Called from inside an R process, the bridge refuses instead of crashing it."""

import os
import sys
from pathlib import Path

import pytest
from loading import ROOT, program
from r_packages import need

from pyfsagg_rpy2.session import environment, inside_r

pytestmark = pytest.mark.r
need("reticulate")

SCRIPT = """
library(reticulate)
arguments <- commandArgs(TRUE)
use_python(arguments[1], required = TRUE)
py_run_string(sprintf("import sys; sys.path.insert(0, '%s')", arguments[2]))
refusal <- tryCatch(
  py_run_string("from pyfsagg_rpy2 import rank_matrix; rank_matrix([['a', 'b']])"),
  error = function(e) conditionMessage(e)
)
cat(refusal, "\\n")
py_run_string("
import subprocess
from pyfsagg_rpy2.session import inside_r
own = 'from pyfsagg_rpy2.session import inside_r; print(inside_r())'
child = subprocess.run([sys.executable, '-c', own], cwd=sys.path[0], capture_output=True, text=True)
print('here', inside_r(), 'in a child', child.stdout.strip())
")
"""


def test_reticulate_gets_a_refusal_and_a_child_process_does_not(tmp_path: Path) -> None:
    script = tmp_path / "inside.R"
    script.write_text(SCRIPT)
    # reticulate 1.28, that of Debian 12, needs numpy < 2 for most things, though not for these.
    python = os.environ.get("PYFSAGG_PYTHON") or sys.executable
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = ("Rscript", "--vanilla", script, python, ROOT)
    done = program(*command, cwd=tmp_path, timeout=300, env=environment)
    refusal = "InsideRError: pyfsagg_rpy2 starts an R of its own, which is not possible inside"
    assert refusal in done.stdout
    assert "here True in a child False" in done.stdout


def test_an_r_that_rpy2_started_is_no_reason_to_refuse() -> None:
    assert not inside_r()
    environment()
    assert not inside_r()
    assert environment() is environment()


def test_the_number_of_another_process_in_the_environment_is_ignored(monkeypatch):
    monkeypatch.setenv("R_SESSION_INITIALIZED", f'PID={os.getpid() + 1}:NAME="reticulate"')
    assert not inside_r()
    monkeypatch.setenv("R_SESSION_INITIALIZED", f'PID={os.getpid()}:NAME="reticulate"')
    assert inside_r()

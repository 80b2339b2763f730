"""Create or update a virtual environment that holds this checkout: the set-up behind the Makefile.

Usage: python3 tools/environment.py FOLDER [--extras a,b] [--constraints FILE] [--processor x86-64-v3]

Does nothing when the environment already has what is asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Runs whenever a Python of the environment starts, also inside R.  Versions of numba overwrite each
# other's files, so an environment never uses the folder of compiled kernels of another one.
OWN_KERNELS = """import os
import sys

given = os.environ.get("NUMBA_CACHE_DIR")
if not given or os.path.isfile(os.path.join(os.path.dirname(given), "pyvenv.cfg")):
    os.environ["NUMBA_CACHE_DIR"] = os.path.join(sys.prefix, "numba")
"""
# And compiles for this processor, if it is of the same family, whoever starts it.
FOR_PROCESSOR = """if os.uname().machine == "x86_64":
    os.environ.setdefault("NUMBA_CPU_NAME", "{}")
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--extras", default="")
    parser.add_argument("--constraints", type=Path)
    parser.add_argument("--processor", help="what kernels are compiled for on x86-64")
    options = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 - said here, before pip says it less clearly
        print(
            f"pyfsagg needs Python 3.11 or later, this is {sys.version.split()[0]}", file=sys.stderr
        )
        return 1
    wanted = _fingerprint(options)
    stamp = options.folder / "installed"
    if stamp.is_file() and wanted in stamp.read_text().split():
        return 0
    print(f"Setting up {options.folder} (a minute or two the first time) ...", flush=True)
    python = options.folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(options.folder)], check=True)
    extras = f"[{options.extras}]" if options.extras else ""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-compile"]  # files are compiled when they are first read, which few are
    if options.constraints:
        command += ["--constraint", str(options.constraints)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([*command, "--editable", f"{ROOT}{extras}"], check=True, env=environment)
    keep_kernels_apart(python, options.processor)
    if "test" in options.extras.split(","):
        # Python compiles what the tests import: once here, and not in all processes of a suite at once.
        command = [str(python), "-m", "pytest", "--collect-only"]
        subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    with stamp.open("a") as file:
        file.write(wanted + "\n")
    return 0


def keep_kernels_apart(python: Path, processor: str | None = None) -> None:
    """Give the environment of `python` a folder of compiled kernels of its own, and their processor."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True)
    packages = Path(done.stdout.strip())
    (packages / "own_kernels.py").write_text(_own_kernels(processor))
    (packages / "own_kernels.pth").write_text("import own_kernels\n")


def _own_kernels(processor: str | None) -> str:
    return OWN_KERNELS + (FOR_PROCESSOR.format(processor) if processor else "")


def _fingerprint(options: argparse.Namespace) -> str:
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(options.extras.encode() + _own_kernels(options.processor).encode())
    if options.constraints:
        digest.update(options.constraints.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"set-up failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        sys.exit(1)

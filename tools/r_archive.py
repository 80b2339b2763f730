"""The archive of the R package, with the wheel of pyfsagg in it: what ``make dist`` builds last.

``install_pyfsagg()`` of a package that was installed from this archive needs no index for pyfsagg itself.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "r_bridge" / "pyfsaggr"


def build(wheel: Path, output: Path, *options: str) -> Path:
    """Build the archive into a folder; `options` are those of ``R CMD build``."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, package)
        bundled = package / "inst" / "python"
        bundled.mkdir()
        shutil.copy(wheel, bundled)
        subprocess.run(["R", "CMD", "build", *options, str(package)], cwd=folder, check=True)
        (archive,) = Path(folder).glob("pyfsaggr_*.tar.gz")
        return Path(shutil.copy(archive, output))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder")
    options = parser.parse_args()
    if shutil.which("R") is None:
        print("R is not installed: the archive of the R package is not built")
        return 0
    archive = build(options.wheel.resolve(), options.output.resolve())
    print(f"{archive.name}, {archive.stat().st_size / 1e6:.1f} MB, with {options.wheel.name}")
    if "example.org" in (PACKAGE / "DESCRIPTION").read_text(encoding="utf-8"):
        print("DESCRIPTION has no maintainer yet: fill in the addresses at example.org")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

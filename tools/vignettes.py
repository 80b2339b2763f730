"""Execute the vignettes and write each as one HTML page that needs no network.

    python tools/vignettes.py --output build/vignettes [--only NAME ...]

R vignettes (.Rmd) are rendered by R's rmarkdown, Python ones (.md) executed by jupytext and nbclient
and set by pandoc; all share vignettes/style.css.  The input of cells tagged "prose" is hidden: they print
sentences with computed numbers.  pyfsaggr is installed into a temporary library and
talks to the Python that PYFSAGG_PYTHON names (for reticulate 1.28 one with numpy < 2).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "vignettes", ROOT / "r_bridge" / "pyfsaggr" / "vignettes")
STYLE = ROOT / "vignettes" / "style.css"
RENDER = """
arguments <- commandArgs(TRUE)
format <- rmarkdown::html_document(
  theme = NULL, highlight = "pygments", css = arguments[3], mathjax = NULL,
  pandoc_args = "--mathml", self_contained = TRUE
)
rmarkdown::render(
  arguments[1], format, output_dir = arguments[2], intermediates_dir = tempfile(),
  knit_root_dir = tempdir(), quiet = TRUE
)
"""


def find() -> dict[str, Path]:
    """The vignettes by name."""
    found = [path for folder in FOLDERS for path in sorted(folder.glob("*.*md"))]
    return {path.stem: path for path in found if path.suffix in (".md", ".Rmd")}


def render_r(source: Path, output: Path) -> None:
    """Render an R Markdown document with pyfsaggr from this checkout."""
    if shutil.which("Rscript") is None:
        raise SystemExit("R is not on the PATH; tools/setup_system.sh installs it on Debian")
    with tempfile.TemporaryDirectory() as library:
        package = ROOT / "r_bridge" / "pyfsaggr"
        quick = ["--no-docs", "--no-byte-compile", "--no-test-load"]
        install = ["R", "CMD", "INSTALL", *quick, f"--library={library}", str(package)]
        run(install, f"installing {package.name}")
        libraries = os.pathsep.join(filter(None, [library, os.environ.get("R_LIBS")]))
        environment = {
            **os.environ,
            "R_LIBS": libraries,
            "PYFSAGG_CROSS_CHECK_PYTHON": sys.executable,
        }
        command = ["Rscript", "-e", RENDER, str(source), str(output), str(STYLE)]
        run(command, source.name, env=environment)


def render_python(source: Path, output: Path) -> None:
    """Execute a Markdown document with Python cells, and set it."""
    import jupytext
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from nbconvert import MarkdownExporter
    from nbconvert.preprocessors import TagRemovePreprocessor
    from traitlets.config import Config

    notebook = jupytext.read(source)
    header = notebook.metadata["vignette"]
    os.environ["PYFSAGG_CHECKOUT"] = str(ROOT)  # for the kernel, which inherits it
    os.environ["NO_COLOR"] = "1"  # so that an error can be read in a log
    with tempfile.TemporaryDirectory() as folder:
        try:
            NotebookClient(
                notebook, kernel_name="python3", resources={"metadata": {"path": folder}}
            ).execute()
        except CellExecutionError as error:
            raise SystemExit(f"{source.name} failed:\n{error}") from None
        settings = Config(
            MarkdownExporter={"preprocessors": [TagRemovePreprocessor]},
            TagRemovePreprocessor={"enabled": True, "remove_input_tags": {"prose"}},
        )
        text, resources = MarkdownExporter(config=settings).from_notebook_node(notebook)
        for name, content in resources["outputs"].items():
            Path(folder, name).write_bytes(content)
        page = Path(folder, "page.md")
        page.write_text(text, encoding="utf-8")
        command = ["pandoc", str(page), "--from=markdown-implicit_figures", "--to=html5"]
        command += ["--standalone", "--self-contained", "--mathml", f"--css={STYLE}"]
        command += [f"--resource-path={folder}", f"--output={output / f'{source.stem}.html'}"]
        command += [f"--metadata={key}:{value}" for key, value in header.items()]
        run(command, source.name)


def run(command: list[str], what: str, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        raise SystemExit(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "vignettes")
    parser.add_argument("--only", nargs="*", metavar="NAME")
    options = parser.parse_args()
    vignettes = find()
    for name in options.only or vignettes:
        if name not in vignettes:
            parser.error(f"no vignette is called {name!r}; there are {', '.join(vignettes)}")
        options.output.mkdir(parents=True, exist_ok=True)
        source = vignettes[name]
        render = render_r if source.suffix == ".Rmd" else render_python
        render(source, options.output.resolve())
        print(options.output / f"{name}.html", flush=True)


if __name__ == "__main__":
    main()

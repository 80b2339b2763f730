"""The help pages of the R package pyfsaggr as Markdown, for the documentation site."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "r_bridge" / "pyfsaggr"

CONVERT = """
folders <- commandArgs(TRUE)
files <- list.files(folders[1], "[.]Rd$", full.names = TRUE)
pages <- lapply(files, tools::parse_Rd)
names <- sub("[.]Rd$", "", basename(files))
aliases <- lapply(pages, function(page) {
  unlist(lapply(Filter(function(part) identical(attr(part, "Rd_tag"), "\\\\alias"), page), as.character))
})
links <- structure(paste0(rep(names, lengths(aliases)), ".md"), names = unlist(aliases))
for (i in seq_along(pages)) {
  tools::Rd2HTML(pages[[i]], file.path(folders[2], paste0(names[i], ".html")), Links = links,
                 Links2 = c(none = ""))
}
"""


def help_pages() -> dict[str, str]:
    """Markdown of each help page by its name, sorted; empty where R or pandoc is not installed."""
    if shutil.which("Rscript") is None or shutil.which("pandoc") is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        command = ["Rscript", "--vanilla", "-e", CONVERT, str(PACKAGE / "man"), folder]
        subprocess.run(command, check=True, capture_output=True)
        written = sorted(Path(folder).glob("*.html"))
        return {page.stem: markdown(page.read_text(encoding="utf-8")) for page in written}


def markdown(page: str) -> str:
    """The body of a page of ``tools::Rd2HTML``; tables of arguments become lists."""
    body = page[page.index("<h2") : page.rindex("</body>")]
    # Links to pages of other packages lead nowhere here.
    body = re.sub(
        r'<a href="(?!\w[\w.-]*\.md"|https?:)[^"]*">(.*?)</a>', r"\1", body, flags=re.DOTALL
    )
    for pattern, text in (
        (r'<code>(<a href="[^"]*">)([^<]*)</a>([()]*)</code>', r"\1<code>\2\3</code></a>"),
        (r"<(?:table|dl)[^>]*>", "<ul>"),
        (r"</(?:table|dl)>", "</ul>"),
        (r"<tr[^>]*><td>|<dt>", "<li><p>"),
        (r"</td>\s*<td>\s*<p>|</dt><dd><p>|</dt><dd>", ": "),
        (r"</td></tr>|</dd>", "</li>"),
        (r"<code id=[^>]*>", "<code>"),
    ):
        body = re.sub(pattern, text, body)
    done = subprocess.run(
        [
            "pandoc",
            "--from=html",
            "--to=gfm-raw_html",
            "--shift-heading-level-by=-1",
            "--wrap=none",
        ],
        input=body,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.replace("``` R", "```r")

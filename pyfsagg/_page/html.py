"""Templates into one self-contained, harmless page, and the page into a file."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pyfsagg._base.output import new_file
from pyfsagg._base.words import count, plural, readable

if TYPE_CHECKING:
    import jinja2

__all__ = ["render_html", "write_html"]

# Control characters, marks that turn the direction of the text after them, and halves of surrogate
# pairs (from file names that are not UTF-8), which no file can hold.
UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def render_html(template: str, **context: Any) -> str:
    """A page from a template that extends ``base.html.j2``; every value is escaped.

    The base needs ``heading``, ``version`` and ``navigation``, pairs of the identifier and the name
    of a section.  The policy of the page admits one script, known by its hash, and no network.
    """
    environment = _environment()
    script = environment.get_template("table.js").render()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = environment.get_template(template).render(
        script=Markup(script), script_digest=digest, **context
    )
    return UNSAFE.sub("\ufffd", page) + "\n"


@cache
def _environment() -> jinja2.Environment:
    """Templates of this package."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pyfsagg._page", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "plural": plural, "readable": readable}
    return environment


def write_html(page: str, path: str | os.PathLike[str]) -> Path:
    """Write a page to a file, which appears complete or not at all.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    with new_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)

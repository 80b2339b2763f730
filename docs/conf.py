"""Sphinx settings of the site; ``tools/documentation.py`` prepares the pages and calls Sphinx."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert

from pyfsagg._version import __version__

project = "pyfsagg"
author = "The pyfsagg developers"
copyright = f"2026, {author}"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"  # the docstrings say types and shapes
autodoc_member_order = "bysource"
add_module_names = False

html_theme = "furo"
html_title = f"pyfsagg {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"


def _inline(self: Any, node: Any) -> None:
    self.body.append(convert(node.astext()))


def _block(self: Any, node: Any) -> None:
    self.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')


def _nothing(self: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app: Any) -> None:
    """Formulas become MathML when the site is built: no script, nothing from the network."""

    def skipping(write: Any) -> Any:
        def visit(self: Any, node: Any) -> None:
            write(self, node)
            _nothing(self, node)

        return visit

    app.add_html_math_renderer("mathml", (skipping(_inline), None), (skipping(_block), None))

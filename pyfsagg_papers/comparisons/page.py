"""A cross-check as one page: the verdicts, every comparison, the documented differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyfsagg.extending import (
    Block,
    Page,
    PageColumn,
    PageTable,
    Section,
    Text,
    closing,
    named_settings,
    picture,
    software,
)
from pyfsagg_papers.comparisons.base import Outcome
from pyfsagg_papers.comparisons.run import CrossCheck
from pyfsagg_rpy2.packages import PACKAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SMALLEST = 1e-17
"""Where a difference of zero is drawn: below every rounding of numbers of order one."""


def cross_check_page(result: CrossCheck, view: Mapping[str, Any]) -> Page:
    """Put the page together."""
    sections = [Section("summary", "Summary", result._facts({}))]
    documented = [each for each in result.outcomes if each.verdict == "differs as documented"]
    if documented:
        sections.append(Section("documented", "Documented differences", _documented(documented)))
    if any(each.largest is not None for each in result.outcomes):
        sections.append(Section("picture", "Differences and tolerances", [_picture(result)]))
    sections += [
        Section(package.lower(), package, _package_table(result, package))
        for package in result.packages
    ]
    sections.append(Section("tolerances", "Why these tolerances", [_tolerances(result)]))
    sections += closing(
        _settings(result),
        [software(result.versions["pyfsagg"])],
        command=view["command"],
        code=result._code(view),
    )
    on = f", on {view['data_name']}" if view["data_name"] else ""
    return Page("Does pyfsagg agree with R?", headline(result) + on, sections)


def headline(result: CrossCheck) -> str:
    """The verdicts in one line."""
    return f"{len(result.outcomes)} comparisons with R {result.versions['R']}; {result.in_words()}"


def scientific(value: float | None) -> str:
    """A difference or tolerance with two digits.

    Examples
    --------
    >>> scientific(1.234e-13), scientific(0.0), scientific(0.25), scientific(None)
    ('1.2e−13', '0', '0.25', '–')
    """
    if value is None:
        return "–"
    return f"{value:.2g}".replace("-", "−")


def plot_differences(result: CrossCheck, *, ax: Axes | None = None) -> Axes:
    """Largest difference and tolerance of each comparison on a logarithmic axis."""
    from pyfsagg.extending import (
        BLUE,
        GREY,
        INK,
        ORANGE,
        clear_frame,
        feature_axis,
        legend_above,
        new_axes,
        readable,
        set_title,
    )

    shown = [each for each in result.outcomes if each.largest is not None]
    rows = range(len(shown))
    ax = new_axes(ax, 1.5 + 0.2 * len(shown))
    limits = [max(each.tolerance, SMALLEST) for each in shown]
    ax.plot(limits, rows, "|", color=INK, markersize=9, label="tolerance")
    known = {"agrees": BLUE, "differs as documented": GREY, "disagrees": ORANGE}
    for verdict, color in known.items():
        at = [i for i in rows if shown[i].verdict == verdict]
        values = [max(shown[i].largest or 0.0, SMALLEST) for i in at]
        if at:
            ax.plot(values, at, "o", color=color, markersize=5, label=verdict)
    ax.set_xscale("log")
    feature_axis(ax, [readable(each.name.removeprefix("stabm_")) for each in shown])
    for i in rows:
        if i == 0 or shown[i].package != shown[i - 1].package:
            ax.axhline(i - 0.5, color=GREY, linewidth=0.8)
            place = (0.995, i - 0.42)
            ax.text(*place, shown[i].package, transform=ax.get_yaxis_transform(), ha="right",
                    va="top", fontsize="small", color=GREY)  # fmt: skip
    ax.set_xlabel("Largest difference (0 at the left edge)")
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, "How far pyfsagg and R are apart", above_legend=True)
    legend_above(ax)
    return ax


# ---------------------------------------------------------------------------------------------
# sections
# ---------------------------------------------------------------------------------------------
def _picture(result: CrossCheck) -> Block:
    caption = (
        "The largest difference of each comparison, absolute or relative as its tolerance (bar). "
        "Where R has values that are undefined or zero, only the others are drawn."
    )
    title = "Differences and tolerances"
    return picture(title, "differences", plot_differences, result, caption=caption)


def _package_table(result: CrossCheck, package: str) -> list[Block]:
    outcomes = [each for each in result.outcomes if each.package == package]
    rows = [
        (
            each.quantity,
            f"{each.n_cases:,}",
            f"{each.n_values:,}",
            scientific(each.largest),
            f"{scientific(each.tolerance)} {each.scale}",
            each.verdict,
        )
        for each in outcomes
    ]
    columns = [
        PageColumn("Quantity", False),
        PageColumn("Cases"),
        PageColumn("Values"),
        PageColumn("Largest difference"),
        PageColumn("Tolerance", False),
        PageColumn("Verdict", False),
    ]
    used = f"Version {result.versions[package]}, for {PACKAGES[package].purpose}."
    blocks: list[Block] = [Text(used), PageTable(f"Comparisons with {package}", columns, rows)]
    calls = [(each.quantity, each.ours, each.theirs) for each in outcomes]
    heads = [
        PageColumn("Quantity", False),
        PageColumn("pyfsagg", False),
        PageColumn(package, False),
    ]
    blocks.append(PageTable(f"The calls that are compared, {package}", heads, calls))
    blocks += [
        Text(f"{each.quantity}: {each.note}", quiet=True)
        for each in outcomes
        if each.note and each.verdict != "differs as documented"
    ]
    return blocks


def _documented(outcomes: list[Outcome]) -> list[Block]:
    rows = [
        (
            f"{each.package}: {each.quantity}",
            f"{each.n_beyond:,} of {each.n_values:,}",
            scientific(each.largest),
            each.note,
        )
        for each in outcomes
    ]
    columns = [
        PageColumn("Quantity", False),
        PageColumn("Values that differ", False),
        PageColumn("Largest difference"),
        PageColumn("Reason", False),
    ]
    return [
        Text(
            "The sides are known to differ under the conditions of these comparisons. They are run "
            "all the same, so that the difference is seen and not asserted."
        ),
        PageTable("Documented differences", columns, rows),
    ]


def _tolerances(result: CrossCheck) -> Block:
    rows: dict[tuple[str, str, str], list[str]] = {}
    for each in result.outcomes:
        key = (scientific(each.tolerance), each.scale, each.reason)
        rows.setdefault(key, []).append(each.name)
    columns = [
        PageColumn("Tolerance"),
        PageColumn("Scale", False),
        PageColumn("Reason", False),
        PageColumn("Comparisons", False),
    ]
    return PageTable(
        "Tolerances",
        columns,
        [(*key, ", ".join(names)) for key, names in rows.items()],
        header=2,
    )


def _settings(result: CrossCheck) -> list[tuple[str, list[tuple[str, str]]]]:
    data = [(f"Data: {name}", named_settings(record)) for name, record in result.data.items()]
    return [
        ("Settings", named_settings(result.parameters)),
        *data,
        ("Versions", [(name, str(version)) for name, version in result.versions.items()]),
    ]

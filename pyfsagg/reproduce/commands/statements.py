"""``pyfsagg reproduce claims`` and ``pyfsagg reproduce stuart``."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Any

from pyfsagg._base.output import new_folder
from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags, add_work_flags, free_folder

__all__ = ["add_claims", "add_stuart"]

REPORT_FILE = "report.html"
PAPERS = ("thesis", "fpcps", "frcm", "orders")


def add_claims(commands: Any) -> None:
    """Add ``claims`` to the commands of ``reproduce``."""
    parser = commands.add_parser(
        "claims",
        help="recompute the statistical statements of the papers",
        description="Recompute every statistical statement of the papers from their printed tables, "
        "in every form of the test that may have been meant, and say which hold.",
    )
    add = parser.add_argument
    add("--paper", choices=PAPERS, help="statements of one paper (default: all)")
    add("--table", metavar="T", help="statements that rest on one table, for instance 4.5")
    add(
        "--runs",
        metavar="CSV",
        help="own values with the columns table, dataset, measure, method and value: decide on "
        "them too what they can decide",
    )
    add_output_flags(parser, "pyfsagg-claims")
    parser.set_defaults(run=_claims)


def _claims(options: argparse.Namespace) -> None:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce import claim_variants, claims
    from pyfsagg.reproduce.pages.claims import claims_page

    runs = None
    if options.runs is not None:
        from pyfsagg.datasets import read_table

        runs = read_table(options.runs)
    folder = free_folder(options.output, "pyfsagg-claims")
    found = claims(options.paper, options.table, runs=runs)
    variants = claim_variants(options.paper, options.table)
    cells = found.astype(object).where(found.notna(), None)
    text = json.dumps(
        {"schema": 1, "kind": "claims", "claims": cells.to_dict(orient="records")},
        indent=1,
        ensure_ascii=False,
        allow_nan=False,
    )
    with new_folder(folder) as draft:
        found.to_csv(draft / "claims.csv", index=False)
        variants.to_csv(draft / "forms.csv", index=False)
        (draft / "claims.json").write_text(text + "\n", encoding="utf-8")
        page = claims_page(found, variants, command=shlex.join(sys.argv[1:]))
        write_page(page, draft / REPORT_FILE)
    if options.json:
        print(text)
    elif not options.quiet:
        for verdict, part in found.groupby("verdict", sort=False):
            print(f"{verdict}: {len(part)}")
            print("\n".join(f"  {paper} {name}" for paper, name in _labels(part)))
        print(
            f"\nResults are in {folder}/: claims.csv, forms.csv (every form that was tried), "
            f"claims.json and {REPORT_FILE}"
        )


def _labels(part: Any) -> list[tuple[str, str]]:
    marks = part["basis"].map({"own runs": " (own runs)"}).fillna("")
    return list(zip(part["paper"], part["id"] + marks, strict=True))


def add_stuart(commands: Any) -> None:
    """Add ``stuart`` to the commands of ``reproduce``."""
    parser = commands.add_parser(
        "stuart",
        help="what the printed Stuart column of tables 4.5 and 4.6 measured",
        description="Repeat the influence experiment with Stuart's statistic computed exactly and by "
        "the recursion of the R package RobustRankAggreg, for several numbers of lists. Without R "
        "the recursion is left out, and the report says so.",
    )
    add = parser.add_argument
    add(
        "--datasets",
        type=names_of,
        metavar="A,B",
        help="data sets (default: ionosphere,semeion,optdigits,splice; with --quick ionosphere)",
    )
    add(
        "--filters",
        type=names_of,
        default=["information_gain", "mrmr"],
        metavar="A,B",
        help="information_gain (table 4.5), mrmr (table 4.6) or both, the default",
    )
    add("--folds", type=int, metavar="F", help="folds (default: 100; with --quick 10)")
    add(
        "--lists",
        type=_counts,
        metavar="N,M",
        help="numbers of lists; the largest is the number of bootstraps (default: 10 to 1000)",
    )
    add("--quick", action="store_true", help="fewer folds, numbers of lists and data sets")
    add("--seed", type=int, default=0, help="seed of folds and bootstraps (default: 0)")
    add_work_flags(parser, "processes", checkpoint=False)
    add_output_flags(parser, "pyfsagg-stuart")
    parser.set_defaults(run=_stuart)


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in names_of(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected whole numbers, got {text!r}") from None


def _stuart(options: argparse.Namespace) -> None:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce import stuart_finding
    from pyfsagg.reproduce.pages.stuart import stuart_page
    from pyfsagg.reproduce.pictures.stuart import plot_stuart_lists

    folder = free_folder(options.output, "pyfsagg-stuart")
    with new_folder(folder) as draft:
        finding = stuart_finding(
            options.datasets,
            filters=options.filters,
            n_folds=options.folds,
            list_counts=options.lists,
            quick=options.quick,
            random_state=options.seed,
            n_jobs=options.jobs,
            say=None if options.quiet else lambda text: print(text, file=sys.stderr, flush=True),
        )
        finding.save(draft / "stuart.json")
        finding.to_frame().to_csv(draft / "stability.csv", index=False)
        finding.table().to_csv(draft / "printed.csv")
        finding.runs().to_csv(draft / "runs.csv", index=False)
        figure = plot_stuart_lists(finding).figure
        figure.savefig(draft / "lists.png", dpi=150)  # type: ignore[union-attr]
        page = stuart_page(finding, command=shlex.join(sys.argv[1:]))
        write_page(page, draft / REPORT_FILE)
    if options.json:
        print(finding.to_json())
    elif not options.quiet:
        print("\n".join(finding.conclusions()))
        print(
            f"\nResults are in {folder}/: stuart.json (everything), stability.csv, printed.csv, "
            f"lists.png, {REPORT_FILE}, and runs.csv for pyfsagg reproduce claims --runs"
        )

"""``pyfsagg stability``: how far resamples agree."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags, free_folder, threshold
from pyfsagg.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsagg.cli._collections import Collection
    from pyfsagg.stability_measures._page import Pair

__all__ = ["add_commands"]

DESCRIPTION = """\
Measure how stable scores, rankings or selections are over resamples.

SOURCE is one of
  a folder         a run saved by pyfsagg rank
  a table          one row per resample, one column per feature: scores (larger = more important),
                   ranks (1 = most important) or 0/1 selections; a first column of labels is skipped
  a table of names every column is the selection of one resample
  files of names   one file per resample, one name a line
"""
EPILOG = """\
examples:
  pyfsagg stability pyfsagg-rank
  pyfsagg stability scores.csv --top 10 --measures nogueira,spearman --interval bootstrap
  pyfsagg stability fold*.txt --n-features 2000 --output agreement
  pyfsagg stability run-a --compare run-b
"""
TABLE_FILE, FEATURE_FILE, CURVE_FILE = "stability.csv", "features.csv", "curve.csv"
RUN_FILE, REPORT_FILE = "run.json", "report.html"
SCHEMA = 1
FORMS = ("auto", "run", "matrix", "lists", "columns", "lines")


def add_commands(commands: Any) -> None:
    """Add ``stability``."""
    parser = commands.add_parser(
        "stability",
        help="measure how far selections, rankings or scores agree",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="folder, table, or lists; - is standard input")
    add("--format", choices=FORMS, default="auto", help="what SOURCE is (default: see above)")
    add(
        "--input",
        choices=("auto", "scores", "ranks", "sets"),
        default="auto",
        help="what the cells of a table are (default: ranks if every row is a ranking from 1, "
        "selections if all cells are 0 or 1, scores otherwise)",
    )
    add("--filter", metavar="NAME", help="one filter of a saved run (default: all combined)")
    add("--measures", type=names_of, metavar="A,B", help="(default: all that apply)")
    add(
        "--top",
        type=threshold,
        metavar="K",
        help="features to select: a number (10) or a fraction (0.25 or 25%%; default: 0.25, and "
        "whole lists)",
    )
    add("--n-features", type=int, metavar="P", help="features to choose from, for lists")
    add("--similarity", metavar="FILE", help="table of feature similarities from 0 to 1")
    add(
        "--interval",
        choices=("jackknife", "bootstrap", "none"),
        default="jackknife",
        help="intervals over resamples (default: %(default)s)",
    )
    add("--level", type=float, default=0.95, help="confidence level (default: %(default)s)")
    add("--n-boot", type=int, default=1000, metavar="B", help="bootstraps (default: %(default)s)")
    add("--seed", type=int, default=0, help="seed of the bootstrap (default: %(default)s)")
    add(
        "--sizes",
        type=_sizes,
        metavar="K,K",
        help="subset sizes of the curve (default: 10%%, 20%%, … of the features)",
    )
    add(
        "--compare",
        nargs="+",
        metavar="OTHER",
        help="a second SOURCE: test that both selections are equally stable",
    )
    add_output_flags(parser, "pyfsagg-stability")
    parser.set_defaults(run=_stability)


def _sizes(text: str) -> list[float | int]:
    return [threshold(part) for part in names_of(text)]


def _stability(options: argparse.Namespace) -> None:
    from pyfsagg._base.output import new_folder
    from pyfsagg._page.page import write_page
    from pyfsagg.cli._collections import read_similarity
    from pyfsagg.stability_measures import feature_stability, stability_table

    folder = free_folder(options.output, "pyfsagg-stability")
    collection = _read(options, options.sources)
    other = _read(options, options.compare) if options.compare else None
    interval = None if options.interval == "none" else options.interval
    with new_folder(folder) as draft:
        table = stability_table(
            collection.data,
            options.measures,
            **collection.arguments,
            similarity=read_similarity(options.similarity) if options.similarity else None,
            interval=interval,
            level=options.level,
            n_boot=options.n_boot,
            random_state=options.seed,
        )
        features = feature_stability(collection.data, **collection.arguments, level=options.level)
        curve = _curve(options, collection)
        pair = None if other is None else _compare(collection, other, options.level)
        table.to_csv(draft / TABLE_FILE)
        features.to_csv(draft / FEATURE_FILE)
        if curve is not None:
            curve.to_csv(draft / CURVE_FILE, index=False)
        record = _record(options, collection, table, pair)
        text = json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False)
        (draft / RUN_FILE).write_text(text + "\n", encoding="utf-8")
        write_page(
            _page(options, collection, table, features, curve, pair, record), draft / REPORT_FILE
        )
    if options.json:
        print(text)
    elif not options.quiet:
        print(_summary(collection, table, pair, folder, curve is not None))


def _read(options: argparse.Namespace, sources: list[str]) -> Collection:
    from pyfsagg._base.checks import check_integer
    from pyfsagg.cli._collections import read_source

    if options.n_features is not None:
        check_integer("--n-features", options.n_features, low=1)
    return read_source(
        sources,
        form=options.format,
        input=options.input,
        filter=options.filter,
        top=options.top,
        n_features=options.n_features,
    )


def _curve(options: argparse.Namespace, collection: Collection) -> pd.DataFrame | None:
    """Stability against subset size; selections have one size only."""
    from pyfsagg.stability_measures import stability_curve

    if collection.input == "sets":
        if options.sizes:
            raise ParameterError("--sizes belongs to scores or ranks; selections have their sizes")
        return None
    return stability_curve(collection.data, sizes=options.sizes, input=collection.input)


def _compare(first: Collection, second: Collection, level: float) -> Pair:
    from pyfsagg.stability_measures import nogueira
    from pyfsagg.stability_measures._page import Pair

    found = [nogueira(each.data, **each.arguments, level=level) for each in (first, second)]
    if found[0].n_features != found[1].n_features:
        raise DataError(
            f"{first.name} has {found[0].n_features} features and {second.name} has "
            f"{found[1].n_features}; stability is compared for the same features to choose from"
        )
    strange = sorted(set(second.feature_names or ()) - set(first.feature_names or ()))
    if strange and first.feature_names:
        raise DataError(f"{second.name} has the feature {strange[0]!r}, {first.name} does not")
    named = (first.name, second.name)
    if first.name == second.name:
        named = (f"{first.name} (first)", f"{second.name} (second)")
    return Pair(named, (found[0], found[1]), found[0].compare(found[1]))


def _record(
    options: argparse.Namespace, collection: Collection, table: pd.DataFrame, pair: Pair | None
) -> dict[str, Any]:
    """What ``run.json`` holds."""
    from dataclasses import asdict

    from pyfsagg._table.identity import versions

    rows = table.reset_index().astype(object)
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "stability",
        "parameters": {
            "measures": list(table.index),
            "top": collection.top,
            "input": collection.input,
            "interval": options.interval,
            "level": options.level,
            "n_boot": options.n_boot if options.interval == "bootstrap" else None,
            "similarity": options.similarity,
            "seed": options.seed,
        },
        "data": {
            "sources": [_shown(source) for source in options.sources],
            "form": collection.form,
            "filter": options.filter,
            "n_resamples": collection.n_resamples,
            "n_features": collection.n_features,
            "sha256": collection.sha256(),
        },
        "versions": versions(),
        "stability": rows.where(rows.notna(), None).to_dict("records"),
    }
    if pair is not None:
        test = asdict(pair.test)
        # An infinite statistic is no JSON number; the p-value says the same.
        test["statistic"] = test["statistic"] if test["standard_error"] > 0 else None
        record["comparison"] = {
            "collections": [
                {"name": name, **asdict(found)}
                for name, found in zip(pair.names, pair.results, strict=True)
            ],
            "test": test,
        }
    return record


def _shown(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _what(collection: Collection) -> str:
    from pyfsagg._base.selection import n_selected
    from pyfsagg._base.words import count

    if collection.form == "lists":
        sizes = sorted({len(names) for names in collection.data})
        span = count(sizes[0]) if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        of = f" of {collection.n_features:,}" if collection.n_features else ""
        return f"selections of {span}{of} features"
    p = collection.n_features or 0
    if collection.input == "sets":
        return f"0/1 selections of {p:,} features"
    k = n_selected(collection.top, p, "--top")
    return f"{collection.input} of {p:,} features; selections are the best {k:,}"


def _page(
    options: argparse.Namespace,
    collection: Collection,
    table: pd.DataFrame,
    features: pd.DataFrame,
    curve: pd.DataFrame | None,
    pair: Pair | None,
    record: dict[str, Any],
) -> Any:
    from pyfsagg._base.words import setting
    from pyfsagg.stability_measures._page import stability_page

    groups = [
        (title, [(key.replace("_", " "), setting(value)) for key, value in record[part].items()])
        for title, part in (("Method", "parameters"), ("Data", "data"), ("Software", "versions"))
    ]
    return stability_page(
        table,
        n_resamples=collection.n_resamples,
        n_features=collection.n_features,
        what=_what(collection),
        interval=None if options.interval == "none" else options.interval,
        level=options.level,
        features=features,
        curve=curve,
        pair=pair,
        data_name=collection.name,
        settings=groups,
        command=shlex.join(sys.argv[1:]),
        snippet=_snippet(options, collection),
    )


def _snippet(options: argparse.Namespace, collection: Collection) -> str:
    """Python code that gives the table again."""
    source = options.sources[0]
    lines = ["import pandas as pd", "import pyfsagg", ""]
    if collection.form == "run":
        lines = [*lines[1:], f"run = pyfsagg.EnsembleResult.load({source!r})"]
        data = f"run.score_matrices[{options.filter!r}]" if options.filter else "run"
    elif collection.form == "matrix":
        lines.append(f"data = pd.read_csv({source!r})  # without a column of labels")
        data = "data"
    else:
        lines = [*lines[1:], f"lists = {[list(each) for each in collection.data[:3]]!r}"]
        if collection.n_resamples > 3:
            lines[-1] = lines[-1][:-1] + ", …]"
        data = "lists"
    arguments = {
        "n_features": collection.n_features if collection.form == "lists" else None,
        "top": collection.top if collection.form != "lists" else None,
        "input": collection.input if collection.form == "matrix" else None,
        "interval": None if options.interval == "none" else options.interval,
        "level": options.level,
    }
    given = "".join(f", {name}={value!r}" for name, value in arguments.items() if value is not None)
    measures = f", {options.measures!r}" if options.measures else ""
    return "\n".join([*lines, f"pyfsagg.stability_table({data}{measures}{given})"])


def _summary(
    collection: Collection,
    table: pd.DataFrame,
    pair: Pair | None,
    folder: Path,
    has_curve: bool,
) -> str:
    """What a person reads at the end of a run."""
    shown = table[["value", "lower", "upper"]].copy()
    shown["range"] = table["bounds"]
    shown["stabler if"] = ["larger" if each else "smaller" for each in table["larger_is_stabler"]]
    shown["chance"] = ["corrected" if each else "" for each in table["corrected_for_chance"]]
    text = shown.to_string(float_format="{:.4f}".format, na_rep="–", index_names=False)
    notes = [f"{name}: {note}" for name, note in table["note"].items() if note]
    parts = [f"{collection.n_resamples:,} resamples: {_what(collection)}", text, *notes]
    if pair is not None:
        (a, b), test = pair.results, pair.test
        parts.append(
            f"Nogueira's stability of {pair.names[0]}: {a.estimate:.4f}, of {pair.names[1]}: "
            f"{b.estimate:.4f}; difference {test.difference:.4f} (standard error "
            f"{test.standard_error:.4f}), two-sided p = {test.p_value:.3g}"
        )
    files = [TABLE_FILE, FEATURE_FILE, *([CURVE_FILE] if has_curve else []), RUN_FILE]
    slash = "/" if str(folder) != "." else ""
    parts.append(f"Results are in {folder}{slash}: {', '.join(files)} and the report {REPORT_FILE}")
    return "\n\n".join(parts)

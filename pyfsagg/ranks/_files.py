"""Ranked lists from files: names, one list per file, column or line; or a matrix of numbers."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd

from pyfsagg._base import remarks, validation
from pyfsagg._message import Param, Remedy, Use, named
from pyfsagg._table.delimited import decode_text, read_bytes, read_delimited
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

PathLike = str | os.PathLike[str]
Format = Literal["auto", "lists", "columns", "lines", "matrix"]
FORMATS: tuple[Format, ...] = get_args(Format)
DUPLICATES = ("error", "first")
HEADERS = re.compile(
    r"(names?|ids?|items?|features?|genes?|symbols?|probes?|variables?|titles?|candidates?)"
    r"([ _.-]?(ids?|names?|symbols?))?",
    re.IGNORECASE,
)
"""Words in the first line of a list that are a heading and not a name."""

RANKED_BY = {
    **dict.fromkeys(("neg|rank", "pos|rank", "neg|score", "pos|score"), False),
    **dict.fromkeys(("rank_synth", "rank_supp", "pval_synth", "pval_supp"), False),
    "BF": True,
}
"""Columns of MAGeCK, drugZ and BAGEL that rank genes, ranks first, and whether large is good."""
FEWEST_NAMES = 10
"""Names from which on an alphabetical order, or the same one twice, is no chance."""

_NAME_AND_NUMBER = re.compile(r"[^,;]+[,;]\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")


def read_rank_files(
    paths: PathLike | Iterable[PathLike],
    unranked: PathLike | Iterable[PathLike] = (),
    *,
    format: str = "auto",
    ids: str | None = None,
    header: bool = False,
    duplicates: str = "error",
    by: str | None = None,
    higher_is_better: bool = True,
    best_first: bool = False,
) -> tuple[dict[str, list[Any]] | pd.DataFrame, dict[str, list[str]]]:
    """Lists of names by list name, or a frame of numbers with a row per list, and unranked lists;
    formats and errors of :meth:`pyfsagg.Rankings.from_files`."""
    validation.check_choice("format", format, FORMATS)
    validation.check_choice("duplicates", duplicates, DUPLICATES)
    files, loose = (
        [str(given)] if isinstance(given, (str, os.PathLike)) else [str(path) for path in given]
        for given in (paths, unranked)
    )
    if not files and not loose:
        raise DataError("no file was given; name one file per list, or one matrix file")
    both = files + loose
    twice = [file for file in dict.fromkeys(both) if both.count(file) > 1]
    if twice:
        raise DataError(f"the file {twice[0]} is named twice; each list counts once")
    if by is not None and (ids is None or format not in ("auto", "lists")):
        raise ParameterError(
            Param("by"),
            " ranks the rows of tables, one per list; name the column of the names with ",
            Param("ids"),
        )
    ranked: dict[str, list[Any]] | pd.DataFrame
    tables = ids is not None and format in ("auto", "lists")
    if tables and format == "auto" and by is None and len(files) == 1 and _is_matrix(files):
        tables = False
    if not files:
        ranked = {}
    elif tables and ids is not None:
        ranked = _tables_of_lists(files, ids, duplicates, by, higher_is_better, best_first)
    else:
        ranked = _ranked(files, format, ids, header, duplicates)
        if isinstance(ranked, dict) and not best_first:
            _refuse_other_orders(ranked, of_tables=False)
    if isinstance(ranked, pd.DataFrame) and loose:
        raise DataError(
            f"{_shown(files[0])} is a matrix and {_shown(loose[0])} an unranked list; write the list as a "
            "column of the matrix whose cells are equal, or give lists of names"
        )
    return ranked, _named_lists(loose, ids, header, duplicates)


def _ranked(
    files: list[str], format: str, ids: str | None, header: bool, duplicates: str
) -> dict[str, list[str]] | pd.DataFrame:
    tables = [file for file in files if _suffix(file) in (".csv", ".tsv")]
    if format == "auto" and len(files) > 1 and tables and ids is None:
        raise DataError(
            f"{Path(tables[0]).name} is a table ({_suffix(tables[0])}) and must be the only file, "
            "with one column per list; or name with ",
            Param("ids"),
            " the column with the names of each file, and with ",
            Param("by"),
            " that of their scores; lists of names are text files with one name per line",
        )
    if format == "auto" and _is_matrix(files):
        format = "matrix"
    if format == "matrix":
        return _read_matrix(_only(files, "a matrix"), ids)
    if format == "columns":
        file = _only(files, "a table of lists in columns")
        frame = read_delimited(read_bytes(file), _shown(file), missing=("",), text_columns=None)
        lists = {str(name): _as_names(frame[name]) for name in frame.columns}
    elif format == "lines":
        file = _only(files, "a file of lists in lines")
        lists = {f"list{i + 1}": row for i, row in enumerate(_rows(file)[1])}
        if not lists:
            raise DataError(f"{_shown(file)} is empty; each line is a list of names")
    else:
        return _named_lists(files, ids, header, duplicates)
    return {label: _clean(names, label, duplicates) for label, names in lists.items()}


def _is_matrix(files: list[str]) -> bool:
    return len(files) == 1 and (_suffix(files[0]) in (".csv", ".tsv") or files == ["-"])


def _tables_of_lists(
    files: list[str], ids: str, duplicates: str, by: str | None, higher: bool, best_first: bool
) -> dict[str, list[Any]]:
    """One list per table: its rows by a column, named or known, or as they are."""
    lists: dict[str, list[Any]] = {}
    as_given: dict[str, list[Any]] = {}
    for file, label in zip(files, _labels(files), strict=True):
        frame = _table_with(read_bytes(file), _shown(file), ids)
        if by is not None and by not in frame.columns:
            raise UnknownNameError(f"column to rank {_shown(file)} by", by, frame.columns)
        column = _known_column(frame, label) if by is None and not best_first else by
        if column is None:
            lists[label] = as_given[label] = _clean(_as_names(frame[ids]), label, duplicates)
            continue
        scores = _numbers(frame[column], str(column), _shown(file))
        if not (RANKED_BY.get(column, True) and higher):
            scores = -scores
        known = scores.dropna().sort_values(ascending=False, kind="stable")
        cells = _as_names(frame[ids].loc[known.index])
        names = _clean(cells, label, duplicates)
        worst_first = zip(map(str.strip, reversed(cells)), known[::-1], strict=True)
        of_name = dict(worst_first)  # the best row of a name counts
        tied = (tuple(group) for _, group in groupby(names, key=of_name.__getitem__))
        lists[label] = [group if len(group) > 1 else group[0] for group in tied]
    if not best_first:
        _refuse_other_orders(as_given, of_tables=True)
    return lists


def _known_column(frame: pd.DataFrame, label: str) -> str | None:
    """The column of a known tool by which the genes are ranked; which of two sides is not for us to say."""
    known = [name for name in RANKED_BY if name in frame.columns]
    sides = {re.split("[|_]", name)[0 if "|" in name else -1] for name in known}
    if len(sides) > 1:
        raise DataError(
            f"{label} has {', '.join(known)}: name one of them with ",
            Param("by"),
            ", since each side has an order of its own",
        )
    if known:
        good = "largest" if RANKED_BY[known[0]] else "smallest"
        remarks.warn(f"{label} is ranked by its column {known[0]}, {good} first", stacklevel=6)
    return known[0] if known else None


def _refuse_other_orders(lists: dict[str, list[Any]], of_tables: bool) -> None:
    """Stop at lists in alphabetical order, and at tables whose rows have the same order: no rankings."""
    score: tuple[object, ...] = (" with the column of their scores (", Param("by"), ")")
    insist = ("; if the files are best first, say ", Use(best_first=True))
    for label, names in lists.items():
        if len(names) >= FEWEST_NAMES and _is_alphabetical(names):
            name = (
                ("name the score of its rows with ", Param("by"))
                if of_tables
                else ("sort it by a score",)
            )
            raise DataError(
                f"the {len(names)} names of {label!r} are in alphabetical order: ", *name, *insist
            )
    for (first, one), (second, other) in combinations(lists.items(), 2) if of_tables else ():
        both = set(one) & set(other)
        orders = ([name for name in names if name in both] for names in (one, other))
        if len(both) >= FEWEST_NAMES and next(orders) == next(orders):
            raise DataError(
                f"{first!r} and {second!r} have the same order: are they sorted by a score? Rank them",
                *score,
                *insist,
            )


def _is_alphabetical(names: list[Any]) -> bool:
    """In the order of letters, with or without case, or of the numbers in the names."""

    def natural(name: str) -> list[Any]:
        return [
            int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name.casefold())
        ]

    return any(names == sorted(names, key=key) for key in (None, str.casefold, natural))


def _named_lists(
    files: list[str], ids: str | None, header: bool, duplicates: str
) -> dict[str, list[str]]:
    """One list of names per file."""
    lists = {
        label: _read_one_list(file, ids, header)
        for file, label in zip(files, _labels(files), strict=True)
    }
    suspects = [
        label for label, names in lists.items() if names and HEADERS.fullmatch(names[0].strip())
    ]
    if suspects and ids is None and not header:
        first = lists[suspects[0]][0].strip()
        remarks.warn(
            f"the first line of {len(suspects)} of {len(lists)} lists looks like a header "
            f"({first!r} in {suspects[0]!r}) and counts as the best item; if it is not an item, "
            f"skip it with header",
            stacklevel=5,
        )
    return {label: _clean(names, label, duplicates) for label, names in lists.items()}


def read_weight_file(path: PathLike) -> dict[str, float]:
    """Weights by list, from lines with a name and a number, perhaps below a header."""
    label = _shown(str(path))
    delimiter, rows = _rows(str(path))
    weights: dict[str, float] = {}
    for i, row in enumerate(rows):
        try:
            name, number = row[0].strip(), float(row[1] if len(row) == 2 else "")
        except ValueError:
            if i == 0 and len(row) == 2:
                continue  # the header
            raise DataError(
                f"line {i + 1} of {label} is not the name of a list and its weight, but "
                f"{delimiter.join(row)!r}"
            ) from None
        if name in weights:
            raise DataError(f"{label} names the list {name!r} twice")
        weights[name] = number
    if not weights:
        raise DataError(
            f"{label} contains no weight; each line is the name of a list and its weight"
        )
    return weights


def _only(files: list[str], what: str) -> str:
    if len(files) > 1:
        raise DataError(named(what), f" is one file, got {len(files)}")
    return files[0]


def _suffix(file: str) -> str:
    """The ending of a file name, in lower case, without ``.gz``."""
    return Path(file.lower().removesuffix(".gz")).suffix


def _labels(files: list[str]) -> list[str]:
    """File names without endings; with the path where that would name two files alike."""
    stems = ["standard input" if f == "-" else Path(f.removesuffix(".gz")).stem for f in files]
    return [
        stem if stems.count(stem) == 1 else file for stem, file in zip(stems, files, strict=True)
    ]


def _shown(file: str) -> str:
    return "standard input" if file == "-" else file


def _read_one_list(file: str, ids: str | None, header: bool) -> list[str]:
    content, label = read_bytes(file), _shown(file)
    if ids is not None:
        return _as_names(_table_with(content, label, ids)[ids])
    lines = decode_text(content, label)[0].splitlines()
    with_tab = next((i for i, line in enumerate(lines) if "\t" in line.strip()), None)
    if with_tab is not None:
        raise DataError(
            f"line {with_tab + 1} of {label} has a tab, so it is a table and not a list of ",
            "names",
            Remedy(
                "name the column of the names with ",
                Param("ids"),
                ", or say ",
                Use(format="matrix"),
                ", 'columns' or 'lines'",
            ),
        )
    rows = [line for line in lines[header:] if line.strip()]
    if rows and all(map(_NAME_AND_NUMBER.fullmatch, rows)):
        raise DataError(
            f"every line of {label} is a name and a number ({rows[0].strip()!r}), so it is a table and "
            "not a list of names; keep the names only, best first, or name the column that contains "
            "them with ",
            Param("ids"),
        )
    return lines[1:] if header else lines


def _rows(file: str) -> tuple[str, list[list[str]]]:
    """What parts the cells of a file, tabs or else commas, and its rows without empty ones."""
    text = decode_text(read_bytes(file), _shown(file))[0]
    lines = [line for line in text.splitlines() if line.strip()]
    delimiter = "\t" if any("\t" in line for line in lines) else ","
    rows = csv.reader(lines, delimiter=delimiter)
    return delimiter, [row for row in rows if any(map(str.strip, row))]


def _as_names(column: pd.Series[Any]) -> list[str]:
    return [str(value) for value in column.astype(object).where(column.notna(), "")]


def _clean(cells: Sequence[str], label: str, duplicates: str) -> list[str]:
    """Names without surrounding blanks and blank lines; those between names are reported."""
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    filled = [name for name in names if name]
    if not filled:
        raise DataError(f"the list {label!r} is empty; a list needs at least one name")
    if len(filled) < len(names):
        remarks.warn(
            f"{len(names) - len(filled)} blank line(s) or cell(s) between the names of {label!r} "
            f"were skipped, the first after {names.index('')} names; names below moved up",
            stacklevel=6,
        )
    distinct = list(dict.fromkeys(filled))
    if duplicates == "first" and len(distinct) < len(filled):
        remarks.warn(
            f"{len(filled) - len(distinct)} name(s) of {label!r} that had occurred before were omitted"
            "; names below moved up",
            stacklevel=6,
        )
        return distinct
    return filled


def _read_matrix(file: str, ids: str | None) -> pd.DataFrame:
    """Numbers with one row per list and one column per item."""
    label = _shown(file)
    content = read_bytes(file)
    frame = _table_with(content, label, ids)
    key = str(frame.columns[0]) if ids is None else ids
    if ids is None and pd.api.types.is_numeric_dtype(frame[key]):
        raise DataError(
            f"the first column of {label}, {key!r}, contains numbers and not the names of the items; "
            "name the column that does with ",
            Param("ids"),
        )
    unnamed = frame[key].isna().to_numpy()
    if unnamed.any():
        raise DataError(f"row {int(unnamed.argmax()) + 2} of {label} has no item name")
    values = frame.drop(columns=key)
    if values.shape[1] == 0:
        raise DataError(
            f"{label} has no list: one column of names and one column per list are needed; for ",
            "a single list of names say ",
            Use(format="columns"),
        )
    for column in values.columns:
        _numbers(
            values[column],
            str(column),
            label,
            "; for columns of names, best first, say ",
            Use(format="columns"),
        )
    names = frame[key].astype(str).str.strip()
    return values.astype("float64").set_axis(pd.Index(names), axis="index").T


def _numbers(column: pd.Series[Any], name: str, label: str, *remedy: object) -> pd.Series[Any]:
    """A column of ranks or scores, some of which may be missing."""
    known = column.dropna()
    if len(known) and not pd.api.types.is_numeric_dtype(known):
        wrong = known[pd.to_numeric(known, errors="coerce").isna()]
        raise DataError(
            f"the column {name!r} of {label} is not numeric ({wrong.iloc[0]!r} in row ",
            f"{int(wrong.index[0]) + 2}); it must contain ranks or scores",
            *remedy,
        )
    return column.astype("float64")


def _table_with(content: bytes, label: str, ids: str | None) -> pd.DataFrame:
    """A delimited table with the column `ids`, if that is given, which stays text."""
    if not content.strip():
        raise DataError(f"{label} is empty, not a table of items by lists")
    frame = read_delimited(content, label, text_columns=() if ids is None else (ids,))
    frame = frame.set_axis([str(name).strip() for name in frame.columns], axis="columns")
    if ids is not None and not validation.is_column(ids, frame.columns):
        raise UnknownNameError(f"ids column (of {label})", ids, frame.columns)
    return frame

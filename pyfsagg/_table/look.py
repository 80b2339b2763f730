"""Looking through a table as a careful colleague would: identifiers, leaks, codes, odd labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.remarks import collect_warnings, warn
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._message import Public, Remedy
from pyfsagg._table.columns import NUMBER_GAPS, Kind, holds_dates
from pyfsagg._table.findings import CODES, SUBJECT_NAME, TableCheck, finding_of
from pyfsagg._table.frames import PandasFrame, as_slice
from pyfsagg._table.identity import mix_bits, row_digests
from pyfsagg._table.sparse import SparseTable, read_sparse
from pyfsagg._table.table import AnyTable, ConvertedTable, Table, column_parts, convert_frame
from pyfsagg._table.target import check_target, coded_as_in_r
from pyfsagg.exceptions import DataError

Labels = Union["pd.Series[Any]", pd.DataFrame, None]
MOST_EVENTS = 5  # values of a column that may be kinds of events; of more it is something else
MISSING_CODES = (-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0)
_ID_NAME = re.compile(r"(?i)(.*[ _.-])?(id|idx|index|nr|no|number|row|rowid|uuid|guid|barcode)")
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(:\d{2})?"
)
_ANSWER_CODES = (7.0, 8.0, 9.0, 77.0, 88.0, 97.0, 98.0, 99.0)
"""Codes of answers that were refused, not known or not applicable, beyond the end of a scale."""
_LONGEST_SCALE = 11
FEW = 10  # rows below which every value may well be another one by chance
_BY_CHANCE = (
    1e-3  # a column that goes with the target is found among as many of noise with this probability
)


def find_in_table(
    X: pd.DataFrame | ConvertedTable,
    y: Labels = None,
    *,
    nominal: Collection[str] = (),
    task: str = "classification",
    grouped: bool = False,
) -> TableCheck:
    """Findings of a table, in time and memory linear in its cells."""
    if isinstance(X, ConvertedTable):
        converted = X
    else:
        declared = {j for j, name in enumerate(X.columns) if str(name) in set(map(str, nominal))}
        converted = convert_frame(PandasFrame(X), declared)
    look = _FrameLook(converted.table, y, task, grouped)
    look.at_frame(converted)
    return look.summary()


def warn_of_names(table: AnyTable, classes: NDArray[Any], grouped: bool) -> None:
    """Warn of columns that name rows or subjects, if nobody checked; `classes` are codes, or all 0."""
    if not isinstance(table, Table) or table.n_samples < FEW:
        return
    for j, name in enumerate(table.feature_names):
        kind = table.kinds[j]
        named = SUBJECT_NAME.fullmatch(name) or _ID_NAME.fullmatch(name)
        if kind != Kind.NOMINAL and not (kind == Kind.INTEGER and named):
            continue
        column = table.column(j)
        known = column[~np.isnan(column)]
        if kind == Kind.NOMINAL:
            single = len(known) >= FEW and len(table.levels[j]) >= 0.9 * len(known)
        else:
            single = len(known) == len(column) and _is_identifier(name, column)
        if single:
            what = "has a different value in nearly every row, like an identifier"
        elif named and not grouped and _names_subjects(column, classes, True, False):
            what = "seems to name subjects with several rows each"
        else:
            continue
        warn(
            f"column {name!r} {what}, and is ranked as a feature",
            Remedy("drop it (", Public("check_table"), " tells more)"),
            stacklevel=2,
        )


class Look:
    """What has been seen so far of a table."""

    def __init__(self, table: AnyTable, y: Labels, task: str, grouped: bool = False) -> None:
        self.table, self.y, self.task, self.grouped = table, y, task, grouped
        self.width, self.n_missing = table.n_features, 0
        self.notes: dict[str, list[tuple[str, str]]] = {}
        self.kinds = {kind.name.lower(): 0 for kind in Kind}
        self.class_counts: dict[str, int] = {}
        self.n_events: int | None = None
        self.classes: NDArray[np.intp] | None = None
        self.labels: NDArray[np.intp] | None = None
        self.number: Floats | None = None
        self.scales: dict[str, tuple[float, ...]] = {}  # columns with codes beyond their scale
        self.alike: dict[str, Floats] = {}  # columns with levels of one spelling each
        self.rng = np.random.default_rng(0)
        self.row_salt = self.salt(table.n_samples)
        self._at_target()
        self._at_refusal()

    def salt(self, size: int) -> NDArray[np.uint64]:
        return self.rng.integers(0, 2**63, size=size, dtype=np.uint64)

    def note(self, code: str, column: str, detail: str = "") -> None:
        self.notes.setdefault(code, []).append((column, detail))

    def _at_target(self) -> None:
        if self.y is None:
            return
        if isinstance(self.y, pd.DataFrame):
            self._at_survival(self.y)
            return
        name, known = str(self.y.name), self.y.dropna()
        absent = len(self.y) - len(known)
        if not len(known):  # refused where the target is read
            return
        if absent:
            self.note("missing_target", name, f"{absent:,} of {len(self.y):,} rows")
        if self.task == "regression":
            self._at_number(self.y)
            return
        if pd.api.types.is_numeric_dtype(known):
            self._at_scale(name, known.to_numpy(dtype=np.float64, na_value=np.nan))
        codes, labels = pd.factorize(self.y)
        if len(labels) > max(2, len(known) / 4):
            self.note("many_classes", name, f"{len(labels):,} in {len(known):,} rows")
            return
        self.classes = codes
        self.labels = _one_spelling(labels)[codes].astype(np.intp)
        sizes = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
        pairs = sorted(zip(labels, sizes, strict=True), key=str)
        self.class_counts = {str(label): size for label, size in pairs}
        for label, size in self.class_counts.items() if len(known) >= FEW else ():
            if size == 1:
                self.note("single_member", name, repr(label))
            elif 2 <= size <= 3:
                self.note("small_class", name, f"{label!r} ({size})")
        for group in _similar(map(str, labels)):
            self.note("similar_classes", name, " and ".join(map(repr, group)))

    def _at_refusal(self) -> None:
        """What a run would refuse of the target, in its own words, where nothing else has been found."""
        if self.y is None or self.notes.keys() & {"many_classes", "infinite", "event_codes"}:
            return
        columns = self.y.to_frame() if isinstance(self.y, pd.Series) else self.y
        known: Booleans = np.asarray(columns.notna().all(axis="columns"))
        y = self.y.loc[known] if known.any() else self.y
        survival = self.task == "survival" or isinstance(self.y, pd.DataFrame)
        try:
            with collect_warnings():
                check_target(y, len(y), task="survival" if survival else self.task)
        except DataError as error:
            self.note("unusable_target", ", ".join(map(str, columns)), error.message)

    def _at_infinite(self, name: str, values: Floats) -> None:
        row = int(np.isinf(values).argmax())
        self.note("infinite", name, f"{name!r} (first in row {row + 1})")

    def _at_number(self, column: pd.Series[Any]) -> None:
        """A target of numbers, if it is one."""
        if pd.api.types.is_numeric_dtype(column):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isinf(numbers).any():
                self._at_infinite(str(column.name), numbers)
            else:
                self.number = numbers

    def _at_survival(self, y: pd.DataFrame) -> None:
        """Times and events; the reader reports what is invalid."""
        absent = int(y.isna().any(axis=1).sum())
        if 0 < absent < len(y):
            self.note("missing_target", ", ".join(y.columns), f"{absent:,} of {len(y):,} rows")
        time, event = y.iloc[:, 0], y.iloc[:, -1]
        event = event - 1 if coded_as_in_r(event) else event
        self._at_number(time)
        levels = event.dropna().unique().tolist()
        if 1 < len(levels) <= MOST_EVENTS and not set(levels) <= {0, 1}:
            shown = enumerate_names(sorted(map(str, levels))[:5])
            self.note("event_codes", str(event.name), shown)
        elif pd.api.types.is_numeric_dtype(event) and bool(event.dropna().isin([0, 1]).all()):
            self.n_events = int(event.sum())
            if 0 < self.n_events < int(event.notna().sum()):
                self.classes = self.labels = pd.factorize(event)[0]

    def at_columns(self, names: list[str], kinds: list[Kind], values: Floats) -> None:
        """Row numbers, identifiers, codes and copies of the target among several columns."""
        n = len(values)
        missing = np.isnan(values)
        n_missing = missing.sum(axis=0)
        low, high = _range(values, missing)
        constant = low >= high
        numbers = np.array([kind in (Kind.NUMERIC, Kind.INTEGER) for kind in kinds]) & ~constant
        if n >= FEW:
            complete = numbers & (n_missing == 0)
            counting = complete & (high - low == n - 1)
            for j in np.flatnonzero(counting):
                steps = np.diff(values[:, j])
                if bool((steps == 1).all() or (steps == -1).all()):
                    self.note("row_number", names[j])
                elif bool((np.diff(np.sort(values[:, j])) == 1).all()):
                    code = "identifier" if _ID_NAME.fullmatch(names[j]) else "shuffled_numbers"
                    self.note(code, names[j])
            for j in np.flatnonzero(complete & ~counting):
                if kinds[j] == Kind.INTEGER and _is_identifier(names[j], values[:, j]):
                    self.note("identifier", names[j])
        for j in np.flatnonzero(numbers & np.isin(high, _ANSWER_CODES)):
            self._at_scale(names[j], values[~missing[:, j], j])
        coded = np.isin(low, MISSING_CODES) | np.isin(high, MISSING_CODES)
        for j in np.flatnonzero(numbers & coded):
            self._at_codes(names[j], values[~missing[:, j], j])
        self._at_copies(names, values, missing, ~constant)

    def _at_subjects(self, names: list[str], kinds: list[Kind], values: Floats) -> None:
        """Columns whose levels recur and determine the class, which a feature rarely does."""
        classes = self.labels if self.number is None else pd.factorize(self.number)[0]
        if self.grouped or classes is None:
            return
        for j, name in enumerate(names):
            named = SUBJECT_NAME.fullmatch(name) is not None
            if not named and kinds[j] not in (Kind.NOMINAL, Kind.INTEGER):
                continue
            if (name, "") in self.notes.get("identifier", ()):
                continue
            if kinds[j] != Kind.NOMINAL and not named and self.number is not None:
                continue  # a number may be computed from another one
            if _names_subjects(values[:, j], classes, named, kinds[j] != Kind.NOMINAL):
                self.note("repeated_subject", name)

    def at_separation(self, names: list[str], kinds: list[Kind], values: Floats) -> None:
        """Columns that go with the target without an exception, beyond chance among all columns."""
        target: NDArray[Any] | None = self.labels if self.number is None else self.number
        if target is None or len(values) < FEW:
            return
        known = target >= 0 if self.number is None else ~np.isnan(target)
        candidates = _perhaps_in_step(values, target, known, self.number is None)
        for j in np.flatnonzero(candidates | (np.array(kinds) == Kind.NOMINAL)).tolist():
            if any((names[j], "") in self.notes.get(code, ()) for code in _EXPLAINED):
                continue
            rows = known & ~np.isnan(values[:, j])
            if int(rows.sum()) < FEW:
                continue
            column, of_rows = values[rows, j], target[rows]
            if self.number is None and kinds[j] == Kind.NOMINAL:
                by_chance = _determines(column, of_rows)
            elif self.number is None:
                by_chance = _to_parts(column, of_rows)
            elif kinds[j] == Kind.NOMINAL:
                by_chance = _to_parts(of_rows, column)
            else:
                by_chance = _in_order(column, of_rows)
            if by_chance + math.log(self.width) <= math.log(_BY_CHANCE):
                self.note("separates", names[j])

    def _at_scale(self, name: str, known: Floats) -> None:
        """A scale of whole numbers without a gap, below codes such as 9 that leave one."""
        levels = np.unique(known)
        codes = levels[np.isin(levels, _ANSWER_CODES)]
        while len(codes) and bool((levels == codes[0] - 1).any()) and codes[0] - 1 not in codes:
            codes = codes[1:]  # the end of the scale itself
        scale = levels[levels < codes[0]] if len(codes) else codes
        if _is_scale(scale) and scale[0] in (0, 1) and codes[-1] == levels[-1]:
            self.scales[name] = tuple(codes.tolist())

    def _at_codes(self, name: str, known: Floats) -> None:
        """A code is at the end of the range, farther away than the span of all others, and occurs at
        least twice, or lies beyond a scale of whole numbers."""
        for code in (known.min(), known.max()):
            others = known[known != code]
            if code not in MISSING_CODES or not len(others):
                continue
            if len(known) - len(others) < 2 and not _is_scale(others):
                continue
            span = others.max() - others.min()
            gap = abs(code - (others.min() if code < others.min() else others.max()))
            if gap > max(span, 2.0) and len(np.unique(others)) > 1:
                times = len(known) - len(others)
                often = "once" if times == 1 else f"{times:,} times"
                self.note("code", name, f"{code:g} in {name!r} ({often})")

    def _at_copies(
        self, names: list[str], values: Floats, missing: Booleans, wanted: Booleans
    ) -> None:
        """Columns that are the target, or are it in nearly every row; "YES" and "yes" are one level."""
        if len(values) < FEW or not wanted.any():
            return
        spelt = [j for j, name in enumerate(names) if name in self.alike]
        if spelt:
            values = values.copy()
            values[:, spelt] = np.column_stack([self.alike.pop(names[j]) for j in spelt])
        if self.labels is not None and self.labels.max() > 0:
            known = self.labels >= 0
            codes, cells = self.labels[known], values[known]
            order = np.argsort(codes, kind="stable")
            starts = np.searchsorted(codes[order], np.arange(codes.max() + 2))
            share = np.zeros(values.shape[1])
            for place in (0.0, 0.5, 1.0):  # a row of each class may be the odd one
                rows = order[(starts[:-1] + place * (np.diff(starts) - 1)).astype(np.intp)]
                typical = cells[rows]
                distinct = (np.diff(np.sort(typical, axis=0), axis=0) > 0).all(axis=0)
                for j in np.flatnonzero(wanted & distinct):
                    agrees = cells[:, j] == typical[codes, j]
                    if agrees.mean() >= 0.98:
                        of_classes = np.bincount(codes, agrees) / np.diff(starts)
                        share[j] = max(share[j], float(of_classes.min()))
            for j in np.flatnonzero(share >= 0.8):
                exact = share[j] == 1.0 and len(codes) == len(values)
                self.note("target_copy" if exact else "near_copy", names[j])
        if self.number is not None:
            target = _standardized(self.number[:, np.newaxis])[:, 0]
            known = ~np.isnan(target)
            usable = wanted & ~missing[known].any(axis=0)
            columns = _standardized(values[known][:, usable])
            agreement = np.abs(columns.T @ target[known]) / known.sum()
            for j, r in zip(np.flatnonzero(usable), agreement, strict=True):
                if r > 0.9999:
                    self.note("target_copy" if r > 1 - 1e-9 else "near_copy", names[j])

    def at_rows(self, digests: NDArray[np.uint64]) -> None:
        """Equal rows, and equal rows with different targets."""
        _, group, sizes = np.unique(digests, return_inverse=True, return_counts=True)
        copies = len(digests) - len(sizes)
        if not copies:
            return
        self.note("duplicate_rows", "", f"{copies:,}")
        target = self.classes if self.classes is not None else self.number
        if target is None or self.n_events is not None:  # equal rows may differ in survival time
            return
        pairs = pd.DataFrame({"group": group, "target": target}).drop_duplicates()
        differing = pairs["group"].value_counts()
        rows = int(sizes[differing.index[differing > 1]].sum())
        if rows:
            self.note("contradictions", "", f"{rows:,}")

    def at_equal_columns(
        self, digests: NDArray[np.uint64], equal: Callable[..., bool], varying: NDArray[np.intp]
    ) -> None:
        """Columns of one digest are compared cell by cell."""
        first: dict[int, list[int]] = {}
        names = self.table.feature_names
        for j, digest in zip(varying.tolist(), digests[varying].tolist(), strict=True):
            same = first.setdefault(digest, [])
            other = next((k for k in same if equal(j, k)), None)
            if other is None:
                same.append(j)
            else:
                self.note("duplicate_columns", names[j], f"{names[j]!r} equals {names[other]!r}")

    def summary(self) -> TableCheck:
        """All findings, with the codes that several columns share, or the target with a column."""
        columns: dict[float, list[str]] = {}
        for name, codes in self.scales.items():
            for code in codes:
                columns.setdefault(code, []).append(name)
        target = [] if self.y is None or self.y.ndim > 1 else [str(self.y.name)]
        answers: list[str] = []
        for code, names in columns.items():
            if len(names) >= 3 or (len(names) > 1 and target and target[0] in names):
                where = plural(len(names), "column")
                shown = names if len(names) <= 3 else [*names[:2], f"… {names[-1]}"]
                self.note("answer_code", names[0], f"{code:g} in {where} ({', '.join(shown)})")
                for name in names[1:]:
                    self.note("answer_code", name)
            patterns = _patterns(names, [*self.table.feature_names, *target])
            answers += [f"{pattern}={code:g}" for pattern in patterns]
        findings = (
            finding_of(code, *zip(*self.notes[code], strict=True), answers=answers)
            for code in CODES
            if code in self.notes
        )
        sizes = (self.table.n_samples, self.width, self.kinds, self.n_missing, self.class_counts)
        return TableCheck(*sizes, tuple(findings), self.n_events)


class _FrameLook(Look):
    """What has been seen so far of a table that was converted from a frame."""

    def at_frame(self, converted: ConvertedTable) -> None:
        """Look at the columns, many at a time, and at the rows."""
        table, types = converted.table, converted.frame.types()
        readable = [j for j in range(self.width) if not self._at_unreadable(converted, types, j)]
        declared = {j for j in converted.declared & set(table.levels) if types[j] is not None}
        digests = np.zeros(self.width, dtype=np.uint64)
        varying = np.zeros(self.width, dtype=np.bool_)
        for part in column_parts(table.n_samples, readable):
            names = [table.feature_names[j] for j in part]
            values = table.values[:, as_slice(part)]
            if declared & set(part):
                values = np.column_stack([self._numbers(j, declared) for j in part])
            for j in part:
                if j in table.levels and j not in converted.declared:
                    words = [level for level in table.levels[j] if isinstance(level, str)]
                    self._at_words(table.feature_names[j], words, table.column(j))
            bits = (values + 0.0).view(np.uint64)  # -0.0 and 0.0 are one value
            digests[part] = mix_bits(bits ^ self.row_salt[:, np.newaxis]).sum(axis=0)
            varying[part] = self._at_numbers(names, [Kind(table.kinds[j]) for j in part], values)

        def equal(j: int, other: int) -> bool:
            one, two = self._numbers(j, declared), self._numbers(other, declared)
            return np.array_equal(one, two, equal_nan=True)

        self.at_equal_columns(digests, equal, np.flatnonzero(varying))
        if self.width and len(readable) == self.width:  # one that was not read may tell rows apart
            self.at_rows(row_digests(table))

    def _numbers(self, j: int, declared: set[int]) -> Floats:
        """A column; numbers declared nominal are not converted, as they may be codes or infinite."""
        column = self.table.column(j)
        if j not in declared:
            return column
        levels = np.array([*self.table.levels[j], np.nan], dtype=np.float64)
        return levels[np.nan_to_num(column, nan=-1).astype(np.intp)]

    def _at_unreadable(self, converted: ConvertedTable, types: Sequence[Any], j: int) -> bool:
        """Whether a column has no usable numbers: it contains dates, or cannot be read."""
        name, problem = self.table.feature_names[j], converted.problems.get(j)
        if problem is None and (types[j] is not None or j not in converted.declared):
            return False
        try:
            dates = holds_dates(converted.frame.column(j))
        except DataError:  # the problem of this column
            dates = False
        if dates:
            self.note("dates", name)
            self.kinds["nominal"] += 1
        elif problem is not None:
            what = str(problem).partition(";")[0]
            limit = "limits of detection" in what
            self.note("detection_limit" if limit else "unreadable", name, what)
        return dates or problem is not None

    def _at_words(self, name: str, levels: list[str], values: Floats) -> None:
        known = int((~np.isnan(values)).sum())
        n_levels = len(levels)
        dates = sum(_DATE.fullmatch(level.strip()) is not None for level in levels)
        if n_levels and dates == n_levels:
            self.note("dates", name)
        elif known >= FEW and (n_levels >= 0.9 * known or _names_single_rows(name, values)):
            self.note("identifier", name)
        elif known >= FEW and n_levels > known / 3:
            self.note("many_levels", name, f"{n_levels:,} in {known:,} rows of {name!r}")
        elif n_levels > 2 and sum(level.strip()[:1].isdigit() for level in levels) > n_levels / 2:
            self.note("numbers_as_words", name, f"{levels[0]!r} in {name!r}")
        similar = _similar(levels)
        if similar and np.nanmax(values) < n_levels:  # all levels are words
            spelt = _one_spelling(levels)
            known_rows = ~np.isnan(values)
            self.alike[name] = np.full(len(values), np.nan)
            self.alike[name][known_rows] = spelt[values[known_rows].astype(np.intp)]
        for group in similar:
            self.note("similar_levels", name, f"{' and '.join(map(repr, group))} in {name!r}")
        gaps = [level for level in levels if level.strip() in NUMBER_GAPS]
        if gaps and n_levels > 2:
            self.note("missing_word", name, f"{gaps[0]!r} in {name!r}")

    def _at_numbers(self, names: list[str], kinds: list[Kind], values: Floats) -> Booleans:
        """Findings in the numbers of several columns at once; whether each column varies."""
        missing = np.isnan(values)
        n_missing = missing.sum(axis=0)
        self.n_missing += int(n_missing.sum())
        for kind in kinds:
            self.kinds[kind.name.lower()] += 1
        low, high = _range(values, missing)
        constant = low >= high
        infinite = np.isinf(values).any(axis=0)
        for j in np.flatnonzero(constant & ~infinite):
            self.note("constant", names[j])
        for j in np.flatnonzero((2 * n_missing > len(values)) & ~constant):
            self.note("mostly_missing", names[j])
        for j in np.flatnonzero(infinite):
            if kinds[j] != Kind.NOMINAL:  # of classes, infinity is one
                self._at_infinite(names[j], values[:, j])
        if infinite.any():
            finite = np.flatnonzero(~infinite)
            names, kinds = [names[j] for j in finite], [kinds[j] for j in finite]
            values = values[:, finite]
        if names:
            self.at_columns(names, kinds, values)
            self._at_subjects(names, kinds, values)
            self.at_separation(names, kinds, values)
        return ~constant


_EXPLAINED = ("target_copy", "near_copy", "identifier", "row_number", "repeated_subject")
"""Findings that say already why a column goes with the target."""
_SPREAD = 16  # rows in which columns are looked at first


def _perhaps_in_step(
    values: Floats, target: NDArray[Any], known: Booleans, classes: bool
) -> Booleans:
    """Columns that go with the target in a few rows, of which missing cells fit anything."""
    order = np.flatnonzero(known)[np.argsort(target[known], kind="stable")]
    levels, start = np.unique(target[order], return_index=True)
    if len(levels) < 2:
        return np.zeros(values.shape[1], dtype=np.bool_)
    if not classes:  # one row each of some levels of the number
        start = start[np.unique(np.linspace(0, len(start) - 1, _SPREAD).astype(np.intp))]
        steps = np.diff(values[order[start]], axis=0)
        return np.asarray(~(steps < 0).any(axis=0) | ~(steps > 0).any(axis=0))
    few = [rows[:: -(-len(rows) // _SPREAD)] for rows in np.split(order, start[1:])]
    low, high = (
        np.column_stack(ends) for ends in zip(*(_ends(values[rows]) for rows in few), strict=True)
    )
    upwards = np.argsort(low, axis=1)
    low, high = (np.take_along_axis(ends, upwards, axis=1) for ends in (low, high))
    return np.asarray((high[:, :-1] < low[:, 1:]).all(axis=1))


def _ends(values: Floats) -> tuple[Floats, Floats]:
    """Smallest and largest value of each column; infinite without one."""
    return _range(values, np.isnan(values))


def _log_orders(sizes: NDArray[np.intp], orders: float) -> float:
    """log of the probability of `orders` arrangements (their log) of groups of these sizes by chance."""
    return orders + math.fsum(map(math.lgamma, sizes + 1)) - math.lgamma(int(sizes.sum()) + 1)


def _to_parts(values: Floats, groups: NDArray[Any]) -> float:
    """log of the probability that each group has an interval of the values to itself, 0.0 if it has not."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    ordered = group[np.argsort(values, kind="stable")]
    levels = np.sort(values)
    ends = np.flatnonzero(np.diff(ordered))
    if len(sizes) < 2 or len(ends) != len(sizes) - 1 or (levels[ends] == levels[ends + 1]).any():
        return 0.0
    return _log_orders(sizes, math.lgamma(len(sizes) + 1))


def _determines(levels: Floats, classes: NDArray[Any]) -> float:
    """log of the probability that each level occurs in one class only, 0.0 if one does not."""
    _, level = np.unique(levels, return_inverse=True)
    _, code, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    n_levels = int(level.max(initial=-1)) + 1
    pairs = np.unique(level.astype(np.int64) * len(sizes) + code)
    if len(sizes) < 2 or len(pairs) > n_levels:
        return 0.0
    return _log_orders(sizes, n_levels * math.log(len(sizes)))


def _in_order(column: Floats, numbers: Floats) -> float:
    """log of the probability that a column and a number have one order or opposite ones, where equal values
    of the one may be different ones of the other; 0.0 if they have not."""
    for one, other in ((column, numbers), (numbers, column)):
        order = np.lexsort((other, one))
        _, start, sizes = np.unique(one[order], return_index=True, return_counts=True)
        ends = np.r_[start[1:], len(order)] - 1
        low, high = other[order][start], other[order][ends]
        rises, falls = high[:-1] < low[1:], low[:-1] > high[1:]
        if len(sizes) > 1 and (rises.all() or falls.all()):
            return _log_orders(sizes, math.log(2.0))
    return 0.0


def _is_scale(values: Floats) -> bool:
    """Whether the values are those of a short scale of whole numbers without a gap."""
    levels = np.unique(values)
    whole = bool((levels == np.round(levels)).all())
    return whole and 2 <= len(levels) <= _LONGEST_SCALE and bool((np.diff(levels) == 1).all())


def _patterns(names: Sequence[str], every: Sequence[str]) -> list[str]:
    """Patterns that mean columns of these names only: ``q*`` where all that begin with q are among them."""
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(name.rstrip("0123456789"), []).append(name)
    patterns: list[str] = []
    for stem, members in stems.items():
        alone = sum(name.startswith(stem) for name in every) == len(members) > 1
        patterns += [f"{stem}*"] if alone and stem else members
    return patterns


def _is_identifier(name: str, column: Floats) -> bool:
    """Whether a column is named like an identifier, and all or most of its values are unique."""
    all_differ = _ID_NAME.fullmatch(name) and len(np.unique(column)) == len(column)
    return bool(all_differ) or _names_single_rows(name, column)


def _names_single_rows(name: str, column: Floats) -> bool:
    """Whether a column is named like a subject, and most of its values are unique."""
    if not SUBJECT_NAME.fullmatch(name):
        return False
    known = column[~np.isnan(column)]
    _, sizes = np.unique(known, return_counts=True)
    return 2 * int((sizes == 1).sum()) > len(known)


def _names_subjects(column: Floats, classes: NDArray[np.intp], named: bool, ordered: bool) -> bool:
    """Whether most rows have recurring values, each in one class, far beyond chance: none of five
    values (or one in twenty) with rows of several classes by expectation, none of fifteen without a
    subject's name. A number that separates the classes changes class seldom in order, unlike subjects."""
    known = ~np.isnan(column) & (classes >= 0)
    if not known.any():
        return False
    _, value = np.unique(column[known], return_inverse=True)
    n_classes = int(classes.max()) + 1
    sizes = np.bincount(value)
    recurs = sizes > 1
    if 2 * int(sizes[recurs].sum()) <= len(value):
        return False
    pairs = np.unique(value.astype(np.int64) * n_classes + classes[known])
    mixed = np.bincount(pairs // n_classes) > 1
    share = np.bincount(classes[known], minlength=n_classes) / len(value)
    size, times = np.unique(sizes[recurs], return_counts=True)
    expected = float(times @ [1.0 - (share**rows).sum() for rows in size])
    if expected < (5.0 if named else 15.0) or int((mixed & recurs).sum()) > expected / 20:
        return False
    if named or not ordered:
        return True
    of_value = np.zeros(len(sizes), dtype=np.int64)
    of_value[pairs // n_classes] = pairs % n_classes
    changes = np.diff(of_value[recurs & ~mixed]) != 0
    return bool(changes.mean() > (1.0 - (share**2).sum()) / 2)


def _similar(labels: Iterable[str]) -> list[list[str]]:
    """Groups of labels that are one but for case and blanks."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(" ".join(label.split()).casefold(), []).append(label)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _one_spelling(labels: Iterable[Any]) -> Floats:
    """A number for each label, one for all spellings; -1, for a missing label, comes last."""
    numbers: dict[str, int] = {}
    spellings = (" ".join(str(label).split()).casefold() for label in labels)
    return np.array([*(numbers.setdefault(word, len(numbers)) for word in spellings), -1.0])


def _range(values: Floats, missing: Booleans) -> tuple[Floats, Floats]:
    """Smallest and largest known value of each column; infinite without one."""
    low = np.where(missing, np.inf, values).min(axis=0, initial=np.inf)
    return low, np.where(missing, -np.inf, values).max(axis=0, initial=-np.inf)


def _standardized(values: Floats) -> Floats:
    """Columns of mean 0 and standard deviation 1; huge numbers are scaled first."""
    scale = np.nanmax(np.abs(values), axis=0, initial=0.0)
    scaled = values / np.where(scale > 0, scale, 1.0)
    centred = scaled - np.nanmean(scaled, axis=0)
    spread = np.sqrt(np.nanmean(centred**2, axis=0))
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def find_in_sparse(X: Any, y: Labels = None, *, task: str = "classification") -> TableCheck:
    """Findings of a sparse table, in time and memory linear in its nonzero cells."""
    if not isinstance(X, SparseTable):
        X = read_sparse(X, tuple(f"x{j}" for j in range(X.shape[1])), ())
    look = _SparseLook(X, y, task)
    look.at_cells()
    return look.summary()


class _SparseLook(Look):
    """What has been seen so far of a sparse table."""

    table: SparseTable

    def at_cells(self) -> None:
        """Look at the cells that are not 0, then at a few columns as dense ones, and at the rows."""
        table, n = self.table, self.table.n_samples
        kind = Kind(table.kinds[0]) if self.width else Kind.NUMERIC
        self.kinds[kind.name.lower()] = self.width
        sizes = np.diff(table.start)
        column = np.repeat(np.arange(self.width), sizes)
        missing = np.isnan(table.cells)
        n_missing = np.bincount(column[missing], minlength=self.width)
        self.n_missing = int(n_missing.sum())
        # A column with a 0 has it among its values.
        low = np.where(sizes < n, 0.0, np.inf)
        high = np.where(sizes < n, 0.0, -np.inf)
        np.minimum.at(low, column[~missing], table.cells[~missing])
        np.maximum.at(high, column[~missing], table.cells[~missing])
        constant = low >= high
        for j in np.flatnonzero(constant):
            self.note("constant", table.feature_names[j])
        for j in np.flatnonzero((2 * n_missing > n) & ~constant):
            self.note("mostly_missing", table.feature_names[j])
        dense = np.zeros(self.width, dtype=np.bool_)
        if kind in (Kind.NUMERIC, Kind.INTEGER):
            dense |= np.isin(low, MISSING_CODES) | np.isin(high, MISSING_CODES)
            if n >= FEW:
                dense |= sizes >= n - 1  # values that count the rows contain 0 once at most
        if n >= FEW:
            dense |= self._like_target(column, sizes)
        bits = (table.cells + 0.0).view(np.uint64)
        digests = np.zeros(self.width, dtype=np.uint64)
        np.add.at(digests, column, mix_bits(bits ^ self.row_salt[table.rows]))

        def equal(j: int, other: int) -> bool:
            a, b = (slice(table.start[k], table.start[k + 1]) for k in (j, other))
            alike = np.array_equal(table.cells[a], table.cells[b], equal_nan=True)
            return alike and np.array_equal(table.rows[a], table.rows[b])

        self.at_equal_columns(digests, equal, np.flatnonzero(~constant))
        for part in column_parts(n, np.flatnonzero(dense & ~constant).tolist()):
            names = [table.feature_names[j] for j in part]
            values = np.column_stack([table.column(j) for j in part])
            self.at_columns(names, [kind] * len(part), values)
            self.at_separation(names, [kind] * len(part), values)
        if self.width:
            digests = np.zeros(n, dtype=np.uint64)
            np.add.at(digests, table.rows, mix_bits(bits ^ self.salt(self.width)[column]))
            self.at_rows(digests)

    def _like_target(self, column: NDArray[np.intp], sizes: NDArray[np.int64]) -> Booleans:
        """Columns that may be a copy of the target; the rule is looser than that of dense columns."""
        like = np.zeros(self.width, dtype=np.bool_)
        if self.labels is not None and self.labels.max() > 0:
            # At most one class has 0 as its value, and four fifths of each other one do not.
            counts = np.bincount(self.labels[self.labels >= 0])
            like |= sizes >= 0.8 * (counts.sum() - counts.max())
        if self.number is not None:
            target = np.nan_to_num(self.number - np.nanmean(self.number))
            cells = np.nan_to_num(self.table.cells)
            product = np.bincount(column, cells * target[self.table.rows], minlength=self.width)
            total = np.bincount(column, cells, minlength=self.width)
            square = np.bincount(column, cells**2, minlength=self.width)
            n = self.table.n_samples
            spread = np.sqrt(np.maximum(square - total**2 / n, 0.0) * float(target @ target))
            like |= np.abs(product) > 0.999 * spread
            # In order with the target, the cells that are not 0 are before or after all others.
            known = ~np.isnan(self.number)
            first, last = (np.full(n, -1, dtype=np.int64) for _ in range(2))
            ordered = np.sort(self.number[known])
            first[known] = np.searchsorted(ordered, self.number[known])
            last[known] = np.searchsorted(ordered, self.number[known], side="right") - 1
            rows = self.table.rows
            filled = np.bincount(column, known[rows], minlength=self.width)
            inside = (first[rows] >= filled[column]) & (last[rows] < len(ordered) - filled[column])
            inside &= known[rows] & ~np.isnan(self.table.cells)
            like |= np.bincount(column, inside, minlength=self.width) == 0
        return like

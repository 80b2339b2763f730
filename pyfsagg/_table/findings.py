"""Findings of a table before a run, each with its sentence and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

import pandas as pd

from pyfsagg._base.words import enumerate_names, it_or_them, plural
from pyfsagg._message import NAN, Door, Message, Phrase, Use, rendered
from pyfsagg.exceptions import DataError, ParameterError

STOP, WARNING = "stop", "warning"
PARTS = ("code", "severity", "columns", "sentence", "remedy")  # of a finding, as it is written
STOPS = (
    *("identifier", "row_number", "repeated_subject", "dates", "target_copy", "unreadable"),
    *("detection_limit", "infinite", "missing_target", "event_codes", "many_classes"),
    *("unusable_target", "similar_classes", "single_member"),
)
"""Findings that stop a run of the terminal; the others warn."""

NOT_ACCEPTED = (
    *("unreadable", "detection_limit", "infinite", "many_classes", "event_codes"),
    "unusable_target",
)
_WHO = "patient|subject|participant|person|proband|individual|animal|donor|case|sample|student|user"
SUBJECT_NAME = re.compile(
    rf"(?i)(.*[ _.-])?(id|uuid|guid|barcode)|({_WHO})([ _.-]?(id|nr|no|number|code))?"
)


@dataclass(frozen=True)
class Finding:
    """A possible problem of a table, in some `columns` (none for rows), and its remedy; no remedy where the
    sentence has it."""

    code: str
    columns: tuple[str, ...]
    sentence: str
    remedy: str

    @property
    def severity(self) -> str:
        """``"stop"`` or ``"warning"``."""
        return STOP if self.code in STOPS else WARNING

    @property
    def message(self) -> Message:
        """All of it, with its parts."""
        return Message(
            f"[{self.code}] ", self.sentence, *(("; ", self.remedy) if self.remedy else ())
        )

    def __str__(self) -> str:
        return self.message

    def record(self) -> dict[str, Any]:
        """All of it, as it is written into a file."""
        return {**{name: getattr(self, name) for name in PARTS}, "columns": list(self.columns)}


@dataclass(frozen=True, eq=False)
class TableCheck:
    """What a table holds, and what to look at before a run.

    Attributes
    ----------
    n_samples, n_features : int
    kinds : dict of str to int
        Columns by what they are: numeric, integer, boolean, nominal.
    n_missing : int
        Missing cells.
    class_counts : dict of str to int
        Samples per class; empty without classes.
    findings : tuple of Finding
        Those that stop a run first.
    n_events : int, optional
        Of survival: rows whose event was seen.
    """

    n_samples: int
    n_features: int
    kinds: dict[str, int]
    n_missing: int
    class_counts: dict[str, int]
    findings: tuple[Finding, ...]
    n_events: int | None = None

    def __repr__(self) -> str:
        return self.text()

    @property
    def facts(self) -> list[str]:
        """Size, types, missing cells and classes, a line each."""
        kinds = ", ".join(f"{count:,} {name}" for name, count in self.kinds.items() if count)
        size = f"{plural(self.n_samples, 'sample')}, {plural(self.n_features, 'feature')}"
        share = self.n_missing / max(1, self.n_samples * self.n_features)
        missing = f"missing cells: {self.n_missing:,}" + (f" ({share:.2%})" if share else "")
        lines = [f"{size}: {kinds or 'none'}", missing]
        if self.class_counts:
            counts = [f"{name}: {count:,}" for name, count in self.class_counts.items()]
            lines.append(f"classes: {enumerate_names(counts)}")
        if self.n_events is not None:
            lines.append(f"events: {self.n_events:,}; the other times are censored")
        return lines

    def text(self) -> str:
        """Everything as lines of text."""
        lines = [f"{finding.severity}: {finding}" for finding in self.findings]
        return "\n".join([*self.facts, *(lines or ["no problems found"])])

    def to_frame(self) -> pd.DataFrame:
        """The findings, one row each: code, severity, columns, sentence, remedy."""
        rows = [finding.record() for finding in self.findings]
        frame = pd.DataFrame(rows, columns=list(PARTS))
        return frame.assign(columns=[", ".join(row["columns"]) for row in rows])

    def record(self) -> dict[str, Any]:
        """The same as written into a file."""
        return {
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "kinds": {name: count for name, count in self.kinds.items() if count},
            "n_missing": self.n_missing,
            "class_counts": self.class_counts,
            **({} if self.n_events is None else {"n_events": self.n_events}),
            "findings": [finding.record() for finding in self.findings],
        }

    def require(self, accept: Sequence[str] = ()) -> None:
        """Raise an error if a finding stops a run."""
        for code in accept:
            if code not in CODES and code != "all":
                raise ParameterError(
                    f"unknown finding {code!r} to accept; known are: {', '.join(CODES)}, or all"
                )
        allowed = set(CODES if "all" in accept else accept) - set(NOT_ACCEPTED)
        stops = [
            each for each in self.findings if each.severity == STOP and each.code not in allowed
        ]
        codes = [each.code for each in stops if each.code not in NOT_ACCEPTED]
        if stops:
            parts: list[object] = []
            for finding in stops:
                parts += ["; ", finding]
            droppable = [each.columns for each in stops if "{drop}" in CODES[each.code][1]]
            if len(droppable) > 1:  # one line for all of them
                columns = tuple(dict.fromkeys(name for names in droppable for name in names))
                parts += ["; or all at once, ", _drop(columns)]
            raise DataError(*parts[1:], *(("; to accept it: ", Use(accept=codes)) if codes else ()))

    def spelled(self, door: Door) -> TableCheck:
        """The same as the terminal or R spells it."""
        spelled = (
            replace(
                each, sentence=rendered(each.sentence, door), remedy=rendered(each.remedy, door)
            )
            for each in self.findings
        )
        return replace(self, findings=tuple(spelled))


CODES = {
    "identifier": ("an identifier, with different values in nearly all rows: {columns}", "{drop}"),
    "row_number": ("a row number: {columns}", "{drop}"),
    "repeated_subject": (
        "probably subjects, with several rows each, all in one class: {columns}",
        "if so, {groups}; or {drop}",
    ),
    "dates": ("dates or times: {columns}", "convert them to days since a start, or {drop}"),
    "target_copy": ("a copy of the target: {columns}", "{drop}"),
    "unreadable": ("{details}", "if there is a code for missing values, {missing}; or {drop}"),
    "detection_limit": ("{details}", "replace lower limits by their half: {limits}; or {drop}"),
    "infinite": (
        "infinite values (inf): {details}",
        "replace infinity by a number or mark it missing ({nan}), or {drop}",
    ),
    "missing_target": ("the target {columns} is missing ({nan}) in {details}", "{rows}"),
    "event_codes": (
        "several values of the event {columns}: {details}",
        "name the value that is the event: {event}",
    ),
    "many_classes": (
        "many different values of the target {columns}: {details}",
        "if it is a number to be predicted, {number}; if it is a time, {time}; otherwise bin it into classes",
    ),
    "similar_classes": (
        "classes that differ only by case or blanks: {details}",
        "spell them alike",
    ),
    "single_member": (
        "a class of one sample: {details}",
        "drop it or merge it with another class",
    ),
    "small_class": ("a class of two or three samples: {details}", "too few to judge its features"),
    "unusable_target": ("{details}", ""),
    "near_copy": ("nearly a copy of the target: {columns}", "is it known before the target?"),
    "separates": (
        "goes with the target without a single exception: {few}",
        "is one made from the other, or was it known only after the target? If so, {drop}",
    ),
    "constant": ("constant or empty: {columns}", "it carries no information; {drop}"),
    "mostly_missing": ("missing in more than half of the rows: {columns}", "inspect it"),
    "code": (
        "a number far from all others, perhaps a code for missing values: {details}",
        "if so, {missing}",
    ),
    "answer_code": (
        "a number beyond the end of a scale, perhaps a code for no answer: {details}",
        "if so, {answers}",
    ),
    "missing_word": ("a level that may mean missing: {details}", "if so, {missing}"),
    "similar_levels": ("levels that differ only by case or blanks: {details}", "spell them alike"),
    "numbers_as_words": (
        "words that look like numbers: {details}",
        "write plain numbers, or use a single unit",
    ),
    "many_levels": (
        "many levels, which raise the scores of a column: {details}",
        "merge levels, or {drop}",
    ),
    "shuffled_numbers": (
        "whole numbers without gaps, each in one row: {columns}",
        "if they are identifiers, {drop}",
    ),
    "duplicate_columns": (
        "columns that equal another one: {details}",
        "they have the same rank; {drop}",
    ),
    "duplicate_rows": ("rows that equal another one: {details}", "are they the same samples?"),
    "contradictions": ("equal rows with different targets: {details}", "inspect them"),
}
"""The sentence and the remedy of each kind of finding; docs/reading-tables.md describes them."""


def finding_of(
    code: str, columns: Iterable[str], details: Iterable[str], *, answers: Sequence[str] = ()
) -> Finding:
    """A finding in some columns, with details that its sentence names."""
    columns = tuple(dict.fromkeys(filter(None, columns)))
    details = list(dict.fromkeys(filter(None, details)))
    names = list(map(repr, columns))
    words = {
        "columns": enumerate_names(names) if names else "",
        "few": enumerate_names(names, 3) if names else "",
        # a message keeps its parts
        "details": details[0] if len(details) == 1 else enumerate_names(details or [""]),
    }
    first = "".join(columns[:1])
    ways = {
        "drop": _drop(columns),
        "groups": Phrase(
            "groups",
            "give that column as groups to the resampling plan and to Protocol",
            subject=next(filter(SUBJECT_NAME.fullmatch, columns), first),
        ),
        "missing": Phrase("missing", "replace it by NaN (read_table does, with missing=[CODE])"),
        "answers": Phrase(
            "answers",
            f"replace it by NaN (read_table does, with missing={list(answers)!r})",
            codes=answers,
        ),
        "limits": Phrase("limits", "read_table(…, limits='half')"),
        "event": Phrase(
            "event",
            "y[EVENT] == VALUE, with all others censored",
            column=first,
            value="VALUE",
        ),
        "rows": Phrase("rows", "drop these rows"),
        "number": Phrase("number", "use task='regression'"),
        "time": Phrase("time", "give times and events, with task='survival'"),
    }
    sentence, remedy = CODES[code]
    return Finding(code, columns, _filled(sentence, words), _filled(remedy, ways))


def _drop(columns: tuple[str, ...]) -> Phrase:
    """To drop some columns."""
    return Phrase("drop", f"drop {it_or_them(columns)} from X", columns=columns)


def _filled(template: str, parts: Mapping[str, object]) -> Message:
    """The message of a template with parts by name; ``{nan}`` is what the door calls missing."""
    parts = {**parts, "nan": NAN}
    named = ((text, parts[name] if name else "") for text, name, *_ in Formatter().parse(template))
    return Message(*(part for pair in named for part in pair))

"""The closing sections of every page: settings, how to repeat the result, references, glossary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import Any

from markupsafe import Markup

from pyfsagg._base.words import enumerate_names, plural, readable, setting
from pyfsagg._report.page import Block, Code, Enumeration, Glossary, Page, Records, Section, Text

LABEL = "documentation"


@dataclass(frozen=True)
class Topic:
    """A page of the documentation (path without ending, perhaps ``#`` and an entry), its title, and the
    command on the subject."""

    page: str
    title: str
    command: str

    def entry(self, name: str) -> Topic:
        """The entry of the page that a name leads to."""
        return Topic(f"{self.page}#{name.replace('_', '-')}", self.title, self.command)


def documentation_address() -> str | None:
    """The address of the documentation from the metadata of the installed package, or None."""
    try:
        urls = metadata.metadata("pyfsagg").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    for url in urls:
        label, _, address = str(url).partition(",")
        if label.strip().lower() == LABEL and address.strip():
            return address.strip().rstrip("/")
    return None


def linked(text: str, topic: Topic) -> str:
    """The text as a link to the documentation; the text alone where its address is not known."""
    address = documentation_address()
    if address is None:
        return text
    page, mark, entry = topic.page.partition("#")
    return Markup('<a href="{}/{}.html{}{}">{}</a>').format(address, page, mark, entry, text)


def leads_to(topic: Topic) -> str:
    """Where to read more, to end a sentence: a link, or the names of the page and of the command."""
    if documentation_address() is not None:
        return linked(topic.title, topic)
    return f"“{topic.title}” in the documentation, and pyfsagg {topic.command}"


def glossary(words: Iterable[tuple[str, str, Topic]]) -> list[Section]:
    """A section with the words of a page, as (word, meaning, topic); none without words."""
    if not (known := list(words)):
        return []
    entries = Glossary([(word, f"{meaning.rstrip('.')}.") for word, meaning, _ in known])
    topics = dict.fromkeys(topic for _, _, topic in known)
    more = [Text(Markup("More: {}.").format(leads_to(topic)), quiet=True) for topic in topics]
    return [Section("words", "Words on this page", [entries, *more], short="Words")]


Rows = list[tuple[str, str]]
Groups = list[tuple[str, Rows]]

THESIS = (
    "R. E. Salman (2022). Bootstrap-based Aggregations and their Stability in Feature Selection. "
    "Master’s thesis, American University of Sharjah"
)
SOFTWARE_ENTRY = """\
@software{pyfsagg,
  author = {{The pyfsagg developers}},
  title = {pyfsagg: ensemble feature selection, rank aggregation and selection stability},
  version = {%s}
}"""
THESIS_ENTRY = """\
@mastersthesis{salman2022bootstrap,
  author = {Salman, R. E.},
  title = {Bootstrap-based Aggregations and their Stability in Feature Selection},
  school = {American University of Sharjah},
  year = {2022}
}"""
SAME_NUMBERS = (
    "The same data, settings and versions give the same numbers, with any number of workers. The "
    "data are the same if their SHA-256 is the one among the settings."
)
SAME_FILE = (
    "A file is the same if sha256sum prints the SHA-256 that is in the table under “What was read”."
)
MOST_FILES = 100  # that a page names
NAMES = {
    "method": "Method",
    "methods": "Methods",
    "filters": "Filters",
    "filter_params": "Parameters of the filters",
    "normalize": "Normalisation of the scores",
    "binning": "Binning of numbers",
    "bins": "Bins of a number",
    "aggregator": "Aggregator",
    "aggregator_params": "Parameters of the aggregator",
    "aggregators": "Aggregators",
    "options": "Options of the methods",
    "n_folds": "Folds",
    "n_resamples": "Resamples",
    "resampling": "Resampling plan",
    "resampling_params": "Parameters of the plan",
    "out_of_core": "Read in pieces",
    "excluded": "Columns omitted",
    "weighted": "Sample weights",
    "drop_near_zero_variance": "Near-zero-variance features dropped",
    "universe": "Universe",
    "absent": "Items that a list lacks",
    "scores": "Scores given",
    "lower_is_better": "Smaller scores are better",
    "reverse": "Lists that run the other way",
    "ties": "Ties",
    "duplicates": "A name twice in a list",
    "header": "First line of lists skipped",
    "format": "Format",
    "ids": "Column of names",
    "adjust": "Adjustment",
    "p_adjust": "Adjustment",
    "always": "Always in",
    "permutations": "Permutations",
    "sources": "Sources",
    "side": "Sides",
    "alpha": "α",
    "alpha_from": "α comes from",
    "null": "Null",
    "min_guides": "Fewest guides of a tested gene",
    "seed": "Seed",
    "random_state": "Seed",
    "top": "Best that are compared or shown",
    "n_features_to_select": "Features to select",
    "files": "Files",
    "target": "Target",
    "target_kind": "Kind of target",
    "task": "Task",
    "target_bins": "Bins of a numeric target or of residuals",
    "n_samples": "Samples",
    "n_features": "Features",
    "n_columns": "Columns",
    "feature_groups": "Groups of columns",
    "group_score": "Score of a group",
    "n_lists": "Lists",
    "n_items": "Items",
    "n_guides": "Guides",
    "n_genes": "Genes",
    "n_controls": "Control guides",
    "guides_without_score": "Guides without a score, omitted",
    "class_counts": "Samples per class",
    "n_events": "Events",
    "dropped_features": "Dropped features",
    "sha256": "SHA-256 of the data",
}
FILE_WORDS = {
    "file": "Name",
    "sha256": "SHA-256, as sha256sum prints it",
    "sep": "Divides the cells",
    "decimal": "Decimal mark",
    "found": "Found out",
    "labels": "Second file",
}
"""Names of what is known about a file."""
UNNAMED = ("call", "compared", "groups", "group_scores")
"""Entries of a record that are not among the settings, because the code or a table shows them."""


def named_settings(record: Mapping[str, Any], words: Mapping[str, str] | None = None) -> Rows:
    """The settings in `NAMES`, in that order, and then all others; `words` replace some values."""
    values = {**record, **(words or {})}
    known = [name for name in NAMES if name in record]
    others = [name for name in record if name not in NAMES and name not in UNNAMED]
    return [
        (NAMES.get(name, readable(str(name))), setting(values[name])) for name in [*known, *others]
    ]


def settings_groups(
    result: Any,
    *,
    first: Sequence[tuple[str, str]] = (),
    last: Sequence[tuple[str, str]] = (),
    words: Mapping[str, str] | None = None,
) -> Groups:
    """The record of a result in groups of (name, value), with more rows around its parameters; `words`
    as in `named_settings`."""
    groups = [
        ("Method", [*first, *named_settings(result.parameters, words), *last]),
        ("Data", named_settings(result.data, words)),
        ("Software", [(name, str(version)) for name, version in result.versions.items()]),
    ]
    return [(title, rows) for title, rows in groups if rows]


def software(version: str) -> tuple[str, str]:
    """How to cite the package."""
    return "Software", f"The pyfsagg developers. pyfsagg, version {version}"


def closing(
    settings: Sequence[tuple[str, Sequence[tuple[str, str]]]],
    references: Sequence[tuple[str, str]],
    *,
    command: str | None = None,
    code: str | None = None,
    note: str = SAME_NUMBERS,
) -> list[Section]:
    """The last sections of a page: `settings`, how to repeat it by `command` and `code` (with a
    `note`), and `references` as (purpose, source)."""
    sections = []
    if settings:
        records = Records("Everything that determines the numbers above.", settings)
        sections.append(Section("settings", "Settings", [records]))
    blocks: list[Block] = []
    if command:
        blocks += [Text("On the command line:"), Code(f"pyfsagg {command}")]
    if code:
        blocks += [Text("In Python:"), Code(code)]
    if blocks:
        quiet = [Text(note, quiet=True)] if note else []
        sections.append(Section("repeat", "How to repeat it", [*blocks, *quiet], short="Repeat"))
    items = [(what, source.rstrip(".")) for what, source in references]
    versions = [source.rpartition("version ")[2] for what, source in items if what == "Software"]
    entries = [SOFTWARE_ENTRY % version for version in versions]
    if any(source.startswith(THESIS) for _, source in items):
        entries.append(THESIS_ENTRY)
    cited: list[Block] = [Enumeration(items)]
    if entries:
        cited += [Text("In BibTeX:"), Code("\n\n".join(entries))]
    sections.append(Section("cite", "How to cite", cited, short="Cite"))
    return sections


@dataclass(frozen=True)
class Report:
    """The part of a page that only this result has; `titles` without and with a name of the data,
    `settled` options of the view that were resolved before, such as a share to a number."""

    titles: tuple[str, str]
    subtitle: str
    sections: Sequence[Section]
    settings: Groups
    references: Sequence[tuple[str, str]]
    front: Sequence[Block] = ()
    settled: Mapping[str, Any] = field(default_factory=dict)

    def page(self, result: Any, view: Mapping[str, Any]) -> Page:
        """The whole page of the result that is seen with the options `view`."""
        view = {**view, **self.settled}
        name = view["data_name"]
        title = self.titles[1].format(name) if name else self.titles[0]
        summary = Section("summary", "Summary", result._facts(view))
        command, code = view["command"], result._code(view)
        last = closing(self.settings, self.references, command=command, code=code)
        return Page(title, self.subtitle, [summary, *self.sections, *last], self.front)


def with_source(page: Page, read: Mapping[str, Any]) -> Page:
    """The page with a section on the files that the data were read from, before the settings."""
    if "files" in read:
        rows = list(read["files"].items())
        if (hidden := len(rows) - MOST_FILES) > 0:
            rows[MOST_FILES:] = [("More files", f"{hidden:,}; run.json has them all")]
        caption = "What the files are: the SHA-256 of each, as sha256sum prints it."
        about = Records(caption, [("Files", rows)])
    else:  # one file with everything that is known about it
        rows = [(FILE_WORDS.get(name, readable(name)), setting(read[name])) for name in read]
        about = Records("What the file is, and how it was read.", [("File", rows)])
    section = Section("source", "What was read", [about], short="Data")
    sections = list(page.sections)
    ids = [other.id for other in sections]
    if "repeat" in ids:
        repeat = sections[ids.index("repeat")]
        blocks = [*repeat.blocks, Text(SAME_FILE, quiet=True)]
        sections[ids.index("repeat")] = replace(repeat, blocks=blocks)
    sections.insert(ids.index("settings") if "settings" in ids else len(ids), section)
    return replace(page, sections=sections)


def always_words(data: Mapping[str, Any]) -> list[str]:
    """A sentence on the columns that are always in; none without any."""
    names = data.get("always")
    return [f"Always in, and not ranked: {enumerate_names(names)}."] if names else []


def target_words(data: Mapping[str, Any]) -> str:
    """The target of a run, to follow "12 samples"."""
    kind = data.get("target_kind", "classes")
    if kind == "none":
        return "without a target"
    if kind == "numeric":
        return f"with the numeric target {data['target']}"
    if kind == "survival":
        return f"with survival ({data['target']}; {plural(data['n_events'], 'event')})"
    counts = [f"{label}: {size:,}" for label, size in data["class_counts"].items()]
    return f"in {plural(len(counts), 'class')} ({enumerate_names(counts)})"


def lines_about(data: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Comments in code that describe the data of a call, so they can be found again."""
    about: dict[str, str] = {}
    if "n_samples" in data and "n_features" in data:
        p = data.get("n_columns", data["n_features"] + len(data.get("dropped_features", ())))
        size = f"{plural(data['n_samples'], 'sample')} and {plural(p, 'feature')}"
        about |= dict.fromkeys(("X", "data"), f"table of {size}")
        about |= dict.fromkeys(("folder", "source"), f"Parquet files of {size}")
    if data.get("target") is not None:
        kinds = {"numeric": "numbers", "survival": "two columns, time and event"}
        values = kinds.get(str(data.get("target_kind")), "labels")
        about["y"] = f"{values}, called {data['target']!r}"
    if "n_lists" in data:
        about["table"] = f"{plural(data['n_lists'], 'list')} of {plural(data['n_items'], 'item')}"
    return [f"# {name}: {about.get(name, 'as you gave it')}" for name in names]

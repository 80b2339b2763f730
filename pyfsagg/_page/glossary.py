"""Words that a page uses, each with the page of the documentation that says more of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata

from markupsafe import Markup

from pyfsagg._page.page import Glossary, Section

__all__ = ["Topic", "glossary", "leads_to", "linked"]

LABEL = "documentation"


@dataclass(frozen=True)
class Topic:
    """A page of the documentation, its title, and the command that says something of the same.

    Attributes
    ----------
    page : str
        Its path in the documentation, without an ending; ``#`` and the name of an entry may follow.
    title : str
    command : str
        Without ``pyfsagg``.
    """

    page: str
    title: str
    command: str

    def entry(self, name: str) -> Topic:
        """The entry of the page that a name leads to."""
        return Topic(f"{self.page}#{name.replace('_', '-')}", self.title, self.command)


def documentation_address() -> str | None:
    """Where the documentation is, as the package that is installed says; None if it does not."""
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
    """Where more is said, to end a sentence: a link, or the names of the page and of the command."""
    if documentation_address() is not None:
        return linked(topic.title, topic)
    return f"“{topic.title}” in the documentation, and pyfsagg {topic.command}"


def glossary(words: Iterable[tuple[str, str, Topic]]) -> list[Section]:
    """A section with the words of a page, as (word, meaning, topic); none without words."""
    entries = [
        (word, Markup("{}. More: {}.").format(meaning.rstrip("."), leads_to(topic)))
        for word, meaning, topic in words
    ]
    if not entries:
        return []
    return [Section("words", "Words on this page", [Glossary(entries)], short="Words")]

"""What a cross-check found, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import pandas as pd

from pyfsagg._run.result import Result, Saved
from r_bridge.comparisons.outcome import VERDICTS, Outcome

__all__ = ["CrossCheck"]


@dataclass(frozen=True, eq=False)
class CrossCheck(Result):
    """The outcome of :func:`r_bridge.cross_check`.

    Attributes
    ----------
    outcomes : tuple of Outcome
    missing : dict of str to str
        Packages that are not installed, with a line on how to install them.
    parameters, data : dict
        Seed, resamples and packages asked for; size and hash of each table.
    versions : dict
        Of R, its packages, rpy2, pyfsagg and what pyfsagg computes with.

    Examples
    --------
    >>> outcome = Outcome("rra", "RobustRankAggreg", "p", "a", "b", 1, 9, 0, 1e-13, "7 lists",
    ...                   1e-9, "relative", "tails", "agrees", "")
    >>> found = CrossCheck((outcome,), {}, {}, {}, {"R": "4.2.2"})
    >>> found
    CrossCheck(1 comparison with R 4.2.2; agrees: 1)
    >>> found.agrees
    True
    """

    kind: ClassVar[str] = "cross_check"
    noun: ClassVar[str] = "cross-check"
    one_file: ClassVar[bool] = True

    outcomes: tuple[Outcome, ...]
    missing: Mapping[str, str]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees and no R function failed."""
        return not any(each.verdict in ("disagrees", "R failed") for each in self.outcomes)

    @property
    def packages(self) -> list[str]:
        """The R packages that were compared with, in the order of the comparisons."""
        return list(dict.fromkeys(each.package for each in self.outcomes))

    def counts(self) -> dict[str, int]:
        """How often each verdict was given; verdicts that were not are left out."""
        found = dict.fromkeys(VERDICTS, 0)
        for each in self.outcomes:
            found[each.verdict] += 1
        return {verdict: count for verdict, count in found.items() if count}

    def in_words(self) -> str:
        """The verdicts and how often each was given."""
        return ", ".join(f"{verdict}: {number}" for verdict, number in self.counts().items())

    def to_frame(self) -> pd.DataFrame:
        """One row per comparison (index ``name``), columns as the attributes of `Outcome`."""
        columns = list(Outcome.__dataclass_fields__)
        frame = pd.DataFrame([asdict(each) for each in self.outcomes], columns=columns)
        return frame.astype({"largest": "float64"}).set_index("name")

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "agrees": self.agrees,
            "counts": self.counts(),
            "verdicts": VERDICTS,
            "outcomes": [asdict(each) for each in self.outcomes],
            "missing": self.missing,
        }

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"cross_check.csv": self.to_frame()}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document = saved.document
        return cls(
            tuple(Outcome(**each) for each in document["outcomes"]),
            document["missing"],
            document["parameters"],
            document["data"],
            document["versions"],
        )

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        rows = [("package", "quantity", "cases", "difference", "tolerance", "verdict")]
        rows += [
            (
                each.package,
                each.quantity,
                str(each.n_cases),
                "–" if each.largest is None else f"{each.largest:.1e}",
                f"{each.tolerance:.0e} {each.scale}",
                each.verdict,
            )
            for each in self.outcomes
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        lines = [
            "  ".join(
                f"{cell:{side}{width}}"
                for cell, side, width in zip(row, "<<>>><", widths, strict=True)
            )
            for row in rows
        ]
        notes = [
            f"{each.package}, {each.quantity}: {each.verdict}; {each.n_beyond} of {each.n_values} "
            f"values{f'. {each.note}' if each.note else ''}"
            for each in self.outcomes
            if each.verdict != "agrees"
        ]
        missing = [f"{name} is not installed; {hint}" for name, hint in self.missing.items()]
        versions = ", ".join(
            f"{name} {self.versions[name]}" for name in ("R", *self.packages, "rpy2", "pyfsagg")
        )
        summary = f"{len(self.outcomes)} comparisons; {self.in_words()}"
        return ["\n".join(lines), *notes, *missing, versions, summary]

    def __repr__(self) -> str:
        number = len(self.outcomes)
        comparisons = f"{number} comparison{'' if number == 1 else 's'}"
        r = self.versions.get("R", "unknown")
        return f"CrossCheck({comparisons} with R {r}; {self.in_words()})"

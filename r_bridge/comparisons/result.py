"""What a cross-check found, and how it is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.output import new_folder
from pyfsagg.exceptions import OutputError
from r_bridge.comparisons.outcome import VERDICTS, Outcome

__all__ = ["CrossCheck"]

SCHEMA = 1
RUN_FILE, TABLE_FILE, REPORT_FILE = "run.json", "cross_check.csv", "report.html"


@dataclass(frozen=True, eq=False)
class CrossCheck:
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
    CrossCheck(1 comparison with R 4.2.2: 1 agrees)
    >>> found.agrees
    True
    """

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

    def to_frame(self) -> pd.DataFrame:
        """One row per comparison (index ``name``), columns as the attributes of `Outcome`."""
        columns = list(Outcome.__dataclass_fields__)
        frame = pd.DataFrame([asdict(each) for each in self.outcomes], columns=columns)
        return frame.astype({"largest": "float64"}).set_index("name")

    def to_json(self) -> str:
        """Everything as JSON text."""
        document = {
            "schema": SCHEMA,
            "kind": "cross_check",
            "agrees": self.agrees,
            "counts": self.counts(),
            "parameters": self.parameters,
            "data": self.data,
            "versions": self.versions,
            "verdicts": VERDICTS,
            "outcomes": [asdict(each) for each in self.outcomes],
            "missing": self.missing,
        }
        return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)

    def report(self, path: str | os.PathLike[str], *, command: str = "") -> Path:
        """Write the HTML page to a file; an existing one is replaced.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from r_bridge.comparisons.report import write_cross_check

        return write_cross_check(self, path, command=command)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``run.json``, ``cross_check.csv`` and ``report.html`` into a new or empty folder.

        Raises
        ------
        OutputError
            If the folder is not empty or cannot be written.
        """
        with new_folder(folder) as draft:
            self.write_into(draft)
        return Path(folder)

    def write_into(self, folder: Path, *, command: str = "") -> None:
        """Write the files of :meth:`save` into an existing folder."""
        (folder / RUN_FILE).write_text(self.to_json() + "\n", encoding="utf-8")
        self.to_frame().to_csv(folder / TABLE_FILE)
        self.report(folder / REPORT_FILE, command=command)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> CrossCheck:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If the folder holds no saved cross-check, a damaged one, or one of another schema.
        """
        path = Path(folder) / RUN_FILE
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            kind, schema = document.get("kind"), document.get("schema")
            if schema != SCHEMA or kind != "cross_check":
                raise OutputError(
                    f"{folder} holds a {kind!r} of schema {schema!r}; this version reads a "
                    f"'cross_check' of schema {SCHEMA}"
                )
            outcomes: Sequence[Outcome] = [Outcome(**each) for each in document["outcomes"]]
            return cls(
                tuple(outcomes),
                document["missing"],
                document["parameters"],
                document["data"],
                document["versions"],
            )
        except FileNotFoundError:
            raise OutputError(f"{folder} holds no saved result: {RUN_FILE} is missing") from None
        except OutputError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            raise OutputError(f"the result saved in {folder} is damaged: {error}") from None

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        number = len(self.outcomes)
        comparisons = f"{number} comparison{'' if number == 1 else 's'}"
        return f"CrossCheck({comparisons} with R {self.versions.get('R', 'unknown')}: {counts})"

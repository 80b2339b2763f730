"""Results that are kept in files, read again, drawn, reported and repeated: one base for all.

A subclass says what is its own: its kind, the parts of its record, its arrays and tables, and how it
is made of them.  Its picture and its page are tied to it in the face of its room, by
:func:`shown_by`, so that no file of a result knows Matplotlib or the page that shows it.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pyfsagg._base.calls import Call
from pyfsagg._base.output import new_file, new_folder
from pyfsagg._base.words import enumerate_names
from pyfsagg.exceptions import DataError, OutputError, ParameterError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pyfsagg._page.page import Page

__all__ = [
    "REPORT_FILE",
    "RUN_FILE",
    "Face",
    "Result",
    "Saved",
    "as_record",
    "read_result",
    "records",
    "shown_by",
]

RUN_FILE, ARRAY_FILE, REPORT_FILE = "run.json", "matrices.npz", "report.html"

Arrays = Mapping[str, "NDArray[Any]"]

ORIGIN: Mapping[str, Any] = MappingProxyType(
    {"command": None, "data_name": None, "reading": (), "read": None}
)
"""Where a result comes from, for its page: the arguments of the command that made it, what the data
are called, the lines of code that read them, and what was found in the file."""

KINDS: dict[str, type[Result]] = {}
"""Every class of results by its kind."""


def _write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """NumPy's ``.npz`` at zlib's fastest level: scores are nearly as small so, in half the time."""
    import numpy as np

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)


@dataclass(frozen=True)
class Face:
    """How results of a kind are shown.

    Attributes
    ----------
    pictures : mapping of str to callable
        The functions that draw a result, by name; the first one is the default.
    page : callable, optional
        ``page(result, **options)`` returns the page of a result; it takes the options of the class
        and those of `ORIGIN`.
    """

    pictures: Mapping[str, Callable[..., Any]]
    page: Callable[..., Page] | None = None


FACES: dict[str, Callable[[], Face]] = {}
"""Functions that import the face of a kind of results when they are called."""


def shown_by(kind: str) -> Callable[[Callable[[], Face]], Callable[[], Face]]:
    """Tie results of a kind to the face that a function of their room imports."""

    def tie(face: Callable[[], Face]) -> Callable[[], Face]:
        FACES[kind] = face
        return face

    return tie


@dataclass(frozen=True)
class Saved:
    """The files of a saved result."""

    path: Path
    document: dict[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Saved:
        """The record of a folder, or of a single file."""
        given = Path(path)
        if given.name == RUN_FILE and given.is_file():  # its other files lie beside it
            given = given.parent
        is_file = given.is_file() or (given.suffix == ".json" and not given.is_dir())
        file = given if is_file else given / RUN_FILE
        document = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise ValueError("its record is no JSON object")
        return cls(given, document)

    @cached_property
    def arrays(self) -> Arrays:
        import numpy as np

        with (self.path / ARRAY_FILE).open("rb") as file, np.load(file) as arrays:
            return dict(arrays)

    def texts(self, name: str) -> pd.DataFrame:
        """A table as it is written, every cell a text."""
        import pandas as pd

        from pyfsagg._table.writing import unescaped_frame

        return unescaped_frame(pd.read_csv(self.path / name, dtype="str", keep_default_na=False))

    def frame(self, name: str, *, index: str | None = None) -> pd.DataFrame:
        """A table; numbers keep every digit, and the labels of the column `index` are texts."""
        import pandas as pd

        from pyfsagg._table.writing import unescaped_frame

        # To the last digit: from pandas 3 on that is the default, and asking for it warns.
        old = int(pd.__version__.split(".")[0]) < 3
        exact: dict[str, Any] = {"float_precision": "round_trip"} if old else {}

        found: pd.DataFrame = pd.read_csv(
            self.path / name,
            index_col=index,
            dtype=None if index is None else {index: "str"},
            keep_default_na=False,
            na_values=[""],
            **exact,
        )
        return unescaped_frame(found)


class Result:
    """The base of all results.

    Attributes
    ----------
    parameters, data, versions : dict
        Settings of the run (with the seed that repeats it), data and software versions.
    """

    kind: ClassVar[str]
    """What is written into the record, and finds the class again."""
    schema: ClassVar[int] = 1
    noun: ClassVar[str] = "result"
    """What it is called in messages."""
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """How it can be shown, with defaults: keywords of `to_json`, `save`, `report` and so on."""
    one_file: ClassVar[bool] = False
    """Whether the record says all, so that it can be saved in one JSON file."""

    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    view: Mapping[str, Any] = MappingProxyType({})
    """How a result that was read from a file is shown unless something else is asked for."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "kind" in cls.__dict__:
            KINDS[cls.kind] = cls

    # -----------------------------------------------------------------------------------------
    # what a subclass says
    # -----------------------------------------------------------------------------------------
    def origin(self) -> dict[str, Any]:
        """What the record holds first: how the result was made."""
        return {"parameters": self.parameters, "data": self.data, "versions": self.versions}

    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """What the record holds beside its :meth:`origin`."""
        return {}

    def arrays(self) -> Arrays:
        """What is kept in ``matrices.npz``."""
        return {}

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        """CSV files by name; an index is written if it has a name."""
        return {}

    def texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        """Plain texts to be written beside the record, by file name."""
        return {}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        """The result of its files."""
        raise NotImplementedError

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        """Paragraphs for the terminal."""
        return [repr(self)]

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        """Code that uses the result, for whoever repeats it."""
        return []

    # -----------------------------------------------------------------------------------------
    # what all have
    # -----------------------------------------------------------------------------------------
    def full_view(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options in force: those given, else those it was saved with, else the defaults.

        Raises
        ------
        ParameterError
            For a name that is not an option of the class.
        """
        known = {**self.options, **ORIGIN}
        strange = [name for name in given if name not in known]
        if strange:
            raise ParameterError(
                f"{type(self).__name__} has no option {strange[0]!r} for how it is shown; it has: "
                f"{', '.join(known)}"
            )
        return {**known, **self.view, **given}

    def to_json(self, **options: Any) -> str:
        """The record as JSON text: parameters, data, versions and the sentences of the result.

        Parameters
        ----------
        **options
            How it is shown; see ``options`` of the class.
        """
        return _json_of(self._document(self.full_view(options)))

    def _document(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "schema": self.schema,
            "kind": self.kind,
            **self.origin(),
            **self.own_record(view),
            "view": {name: value for name, value in view.items() if value not in (None, ())},
        }

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the result into a new or empty folder, which appears complete or not at all.

        The folder holds ``run.json``, and the arrays and tables of the class.  A result that is
        one record can also be saved in a file whose name ends in ``.json``.

        Parameters
        ----------
        path : path
        **options
            How it is shown; see ``options`` of the class.

        Raises
        ------
        OutputError
            If the folder is not empty, the file exists, or they cannot be written.
        """
        target = Path(path)
        if self.one_file and target.suffix == ".json":
            if target.exists():
                raise OutputError(f"{path} exists; name a new file")
            with new_file(target) as draft:
                draft.write_text(self.to_json(**options) + "\n", encoding="utf-8")
            return target
        with new_folder(path) as draft:
            self.write_into(draft, **options)
        return target

    def write_into(self, folder: Path, **options: Any) -> None:
        """Write the files of :meth:`save` into an existing folder.

        The record comes last and names all files that are there then, so that a later run that takes the
        place of this one knows which to remove.
        """
        from pyfsagg._table.writing import write_csv

        view = self.full_view(options)
        for name, frame in self.tables(view).items():
            write_csv(frame, folder / name, index=frame.index.name is not None)
        for name, text in self.texts(view).items():
            (folder / name).write_text(text, encoding="utf-8")
        arrays: dict[str, Any] = dict(self.arrays())
        if arrays:
            _write_arrays(folder / ARRAY_FILE, arrays)
        files = sorted([*(path.name for path in folder.iterdir()), RUN_FILE])
        record = _json_of({**self._document(view), "files": files})
        (folder / RUN_FILE).write_text(record + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a result that :meth:`save` wrote.

        Raises
        ------
        OutputError
            If there is no such result, or if it is damaged or of another kind or schema.
        """
        return cls._read(path, lambda: Saved.read(path))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a record that :meth:`to_json` wrote, for results that are one record.

        Raises
        ------
        OutputError
            As :meth:`load`.
        """
        return cls._read("the text", lambda: Saved(Path(), dict(json.loads(text))))

    @classmethod
    def _read(cls, path: str | os.PathLike[str], read: Callable[[], Saved]) -> Self:
        """A result from its files, if they are of this class."""
        with _saying_what_is_wrong(path, cls.noun):
            saved = read()
            kind, schema = saved.document.get("kind"), saved.document.get("schema")
            if (kind, schema) != (cls.kind, cls.schema):
                raise OutputError(
                    f"{path} holds a {kind!r} of schema {schema!r}; {cls.__name__} of this version "
                    f"reads {cls.kind!r} of schema {cls.schema}"
                )
            made = cls.made_of(saved)
            # Results are frozen; how one was shown is no part of what it is.
            object.__setattr__(made, "view", dict(saved.document.get("view", {})))
            return made

    def _face(self) -> Face:
        return FACES[self.kind]() if self.kind in FACES else Face({})

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : str, optional
            Name of the picture; the notes of the class list them, and the first one is the default.
        **options
            Passed on to the function of ``pyfsagg.plotting`` that draws it.

        Raises
        ------
        ParameterError
            For a kind that the class does not have.
        """
        pictures = self._face().pictures
        chosen = next(iter(pictures), "none") if kind is None else kind
        if chosen not in pictures:
            known = ", ".join(map(repr, pictures)) or "nothing"
            raise ParameterError(f"kind must be one of {known}, got {chosen!r}")
        return pictures[chosen](self, **options)

    def page(self, **options: Any) -> Page:
        """The page of the result, as blocks."""
        from pyfsagg._page.closing import with_source

        make = self._face().page
        if make is None:
            raise ParameterError(f"there is no page for {type(self).__name__}")
        view = self.full_view(options)
        read = view.pop("read")
        page = make(self, **view)
        return page if read is None else with_source(page, read)

    def to_html(self, **options: Any) -> str:
        """The report: one HTML page that needs no other file and no network."""
        from pyfsagg._page.page import render_page

        return render_page(self.page(**options))

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the page of :meth:`to_html` to a file; an existing one is replaced.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from pyfsagg._page.page import write_page

        return write_page(self.page(**options), path)

    def repeat(self, **options: Any) -> str:
        """Python code that makes the result again.

        Raises
        ------
        DataError
            If the call that made it was not recorded.
        """
        code = self.code(self.full_view(options))
        if code is None:
            raise DataError(f"the call that made this {self.noun} was not recorded")
        return code

    def code(self, view: Mapping[str, Any]) -> str | None:
        """The same, or None if the call was not recorded."""
        from pyfsagg._page.closing import lines_about

        if "call" not in self.parameters:
            return None
        call = Call.from_record(self.parameters["call"])
        before = list(view["reading"]) or lines_about(self.data, call.data)
        return call.code(before=before, after=self.lines_after(view))

    def summary_text(self, **options: Any) -> str:
        """The text of the result for a terminal."""
        return "\n\n".join(self.paragraphs(self.full_view(options)))


def read_result(path: str | os.PathLike[str]) -> Result:
    """Any saved result whose class has been imported, by its kind.

    Raises
    ------
    OutputError
        As :meth:`Result.load`.
    """
    with _saying_what_is_wrong(path, "result"):
        kind = Saved.read(path).document.get("kind")
        if kind not in KINDS:
            held = "no result" if kind is None else f"a {kind!r}"
            known = enumerate_names(sorted(KINDS), most=len(KINDS))
            raise OutputError(f"{path} holds {held}; what is read here: {known}")
    return KINDS[kind].load(path)


_DAMAGES = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OSError,
    EOFError,
    RecursionError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def _saying_what_is_wrong(path: str | os.PathLike[str], noun: str) -> Iterator[None]:
    """Whatever can be wrong with a saved result, in one line."""
    try:
        yield
    except FileNotFoundError as error:
        raise OutputError(f"{path} holds no saved {noun}: {error.filename} is missing") from None
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise OutputError(f"cannot read {path}: {error.strerror}") from None
    except OutputError:
        raise
    except _DAMAGES as error:
        raise OutputError(f"the {noun} saved in {path} is damaged: {error!r}") from None


def _json_of(document: Mapping[str, Any]) -> str:
    parts = (f"  {_text_of(name)}: {_text_of(value)}" for name, value in document.items())
    return "{\n" + ",\n".join(parts) + "\n}"


def _text_of(value: Any) -> str:
    """A value of the record as JSON text; of a list every element has its line.

    Elements are not indented further: only without that does Python encode them in compiled code, and a
    ranking of 100,000 features is a long list.
    """
    how: dict[str, Any] = {"allow_nan": False, "ensure_ascii": False, "default": as_record}
    if isinstance(value, list) and value:
        return "[\n    " + ",\n    ".join(json.dumps(each, **how) for each in value) + "\n  ]"
    return json.dumps(value, indent=2, **how).replace("\n", "\n  ")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain values; what is missing is None, for NaN is no JSON number."""
    plain = frame.astype(object)
    rows = plain.where(plain.notna(), None).to_dict("records")
    return [{str(name): cell for name, cell in row.items()} for row in rows]


def as_record(value: Any) -> Any:
    """What JSON does not know as plain values; NaN of arrays as None."""
    import numpy as np

    if isinstance(value, np.ndarray):
        plain = value.astype(object)
        if value.dtype.kind == "f":
            plain[np.isnan(value)] = None
        return plain.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)

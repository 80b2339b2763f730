"""Results that are kept in files, read again, drawn, reported and repeated: one base for all.

A subclass is a frozen dataclass whose fields say how they are kept (`fields.py`), and adds other entries
of the record.  Its picture and its page are tied to it in the renderer of its room, by
:func:`register_renderer`, so no file of a result knows Matplotlib or the page that shows it.
"""

from __future__ import annotations

import html
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pyfsagg._base.fields import Part, Parts, as_record, from_parts, to_parts
from pyfsagg._base.memory import within_memory
from pyfsagg._base.output import new_folder, result_file
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_flag
from pyfsagg._base.words import enumerate_names
from pyfsagg._message import Got, Param
from pyfsagg.exceptions import DataError, OutputError, ParameterError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pyfsagg._report.closing import Report
    from pyfsagg._report.page import Block, Page


RUN_FILE, ARRAY_FILE, REPORT_FILE = "run.json", "matrices.npz", "report.html"

COMPRESSED_CELLS, WORTH_COMPRESSION = 1 << 15, 0.8
"""First cells of an array by which it is settled whether it is compressed, and what may be left of these."""

Arrays = Mapping[str, "NDArray[Any]"]

ORIGIN: Mapping[str, Any] = MappingProxyType(
    {"command": None, "data_name": None, "reading": (), "read": None}
)
"""Where a result comes from, for its page: the arguments of the command that made it, what the data
are called, the lines of code that read them, and what was found in the file."""

_MADE = ("parameters", "data", "versions")  # fields that say how a result was made
KINDS: dict[str, type[Result]] = {}  # every class of results by its kind


@dataclass(frozen=True)
class Renderer:
    """How results of a kind are shown: drawing functions, the default first, and ``page(result, view)``."""

    pictures: Mapping[str, Callable[..., Any]]
    page: Callable[[Any, Mapping[str, Any]], Page | Report] | None = None


RENDERERS: dict[str, Callable[[], Renderer]] = {}
"""Functions that import the renderer of a kind of results when they are called."""


def register_renderer(kind: str) -> Callable[[Callable[[], Renderer]], Callable[[], Renderer]]:
    """Tie results of a kind to the renderer that a function of their room imports."""

    def tie(make: Callable[[], Renderer]) -> Callable[[], Renderer]:
        RENDERERS[kind] = make
        return make

    return tie


@dataclass(frozen=True)
class Saved:
    """The files of a saved result."""

    path: Path
    document: dict[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Saved:
        """The record of a folder, or of a single file."""
        place = Path(path)
        if place.name == RUN_FILE and place.is_file():  # its other files lie beside it
            place = place.parent
        is_file = place.is_file() or (place.suffix == ".json" and not place.is_dir())
        file = place if is_file else place / RUN_FILE
        if file.exists() and not file.is_file():  # a device has no end
            raise ValueError("its record is not a file")
        document = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise ValueError("its record is not a JSON object")
        return cls(place, document)

    @cached_property
    def arrays(self) -> Arrays:
        import numpy as np

        with (self.path / ARRAY_FILE).open("rb") as file, np.load(file) as archive:
            size = sum(part.file_size for part in archive.zip.infolist())
            with within_memory(size, str(file.name), "open it where there is more memory"):
                arrays = dict(archive)
        # Records of earlier versions do not tell the shapes.
        found = {name: _shape(array) for name, array in arrays.items()}
        wanted = self.document.get("arrays", found)
        for name in (*wanted, *found):
            if (met := found.get(name, "missing")) != (told := wanted.get(name, "nothing")):
                raise OutputError(
                    f"{self.path / ARRAY_FILE} is damaged, or of another run: the array {name!r} is {met}, "
                    f"and {RUN_FILE} says {told}"
                )
        return arrays

    def frame(
        self,
        name: str,
        *,
        index: str | None = None,
        words: Sequence[str] = (),
        types: Mapping[str, Any] = MappingProxyType({}),
    ) -> pd.DataFrame:
        """A table with every digit; labels of `index` not in `types` and the columns `words` are texts."""
        import pandas as pd

        from pyfsagg._table.delimited import unescaped_frame

        # To the last digit: from pandas 3 on that is the default, and asking for it warns.
        old = int(pd.__version__.split(".")[0]) < 3
        exact: dict[str, Any] = {"float_precision": "round_trip"} if old else {}
        texts = [*words, *([index] if index is not None and index not in types else [])]
        frame: pd.DataFrame = pd.read_csv(
            self.path / name,
            index_col=index,
            dtype=dict.fromkeys(texts, "str"),
            keep_default_na=False,
            na_values=[""],
            **exact,
        )
        empty = {column: frame[column].fillna("") for column in words if column in frame}
        frame = unescaped_frame(frame.assign(**empty))
        return frame.astype({column: types[column] for column in types if column in frame})


class Result(Part):
    """The base of all results.

    Attributes
    ----------
    parameters, data, versions : dict
        Settings of the run (with the seed that repeats it), data and software versions.
    """

    _kind: ClassVar[str]  # what is written into the record, and finds the class again
    _schema: ClassVar[int] = 1
    _noun: ClassVar[str] = "result"  # what it is called in messages
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """How it can be shown, with defaults: keywords of `to_json`, `save`, `report` and so on."""
    _inner: ClassVar[frozenset[str]] = frozenset({"load"})
    """Public names that the completion of a name does not offer."""
    _one_file: ClassVar[bool] = False
    """Whether the record is complete, so it can be saved in one JSON file."""

    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    _view: Mapping[str, Any] = MappingProxyType({})
    """The options that the result is shown with by default."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "_kind" in cls.__dict__:
            KINDS[cls._kind] = cls

    # What a subclass says.

    def _origin(self) -> dict[str, Any]:
        """What the record holds first: how the result was made."""
        return {name: getattr(self, name) for name in self._made()}

    @classmethod
    def _made(cls) -> list[str]:
        """The fields of the class on how a result was made."""
        names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        return [name for name in _MADE if name in names]

    def _to_parts(self) -> Parts:
        """The fields in their saved form."""
        return to_parts(self, arrays=not self._one_file, without=_MADE)

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """The record without its :meth:`_origin`; a subclass adds what it derives from fields."""
        return self._to_parts().record

    def _arrays(self) -> Arrays:
        """What is kept in ``matrices.npz``."""
        return self._to_parts().arrays

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        """CSV files by name; an index is written if it has a name."""
        return self._to_parts().tables

    def _texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        """Text files to be written with the record, by name."""
        return {}

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        """The result of its files."""
        document = saved.document
        known = {
            name: document[name] if name == "parameters" else document.get(name, {})
            for name in cls._made()
        }
        made: Self = from_parts(cls, document, None if cls._one_file else saved, known=known)
        return made

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        """What the result says, the answer first: its text on a terminal and the summary of its page."""
        from pyfsagg._report.page import Text

        return [Text(repr(self))]

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        """Code that uses the result, for readers who repeat it."""
        return []

    # What all results have.

    def _options_in_force(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """These options, else those that the result was saved with, else the defaults."""
        known = {**self._options, **ORIGIN}
        for name in options:
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no option {name!r} for how it is shown; it has: "
                    f"{', '.join(known)}"
                )
        return {**known, **self._view, **options}

    def _shown_with(self, view: Mapping[str, Any]) -> Self:
        """This result, shown with other options by default."""
        # Results are frozen; how one is shown is no part of what it is.
        object.__setattr__(self, "_view", dict(view))
        return self

    def to_json(self, **options: Any) -> str:
        """The record as JSON text: parameters, data, versions and the sentences of the result.

        Parameters
        ----------
        **options
            How it is shown; the notes of the class list them.
        """
        return _json_of(self._document(self._options_in_force(options)))

    def _document(self, view: Mapping[str, Any]) -> dict[str, Any]:
        from pyfsagg._report.page import sentences_of

        return {
            "schema": self._schema,
            "kind": self._kind,
            **self._origin(),
            **self._record(view),
            "sentences": sentences_of(self._facts(view)),
            "view": {name: value for name, value in view.items() if value not in (None, ())},
        }

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the result into a new or empty folder, which is written completely or not at all.

        The folder holds ``run.json``, and the arrays and tables of the class.  A result that is
        one record can also be saved in a file whose name ends in ``.json``.

        Parameters
        ----------
        path : path
        **options
            How it is shown; the notes of the class list them.

        See Also
        --------
        pyfsagg.load_result : Reads it again.
        """
        target = Path(path)
        if self._one_file and target.suffix == ".json":
            if target.exists():
                raise OutputError(f"{path} exists; name a new file")
            with result_file(target) as draft:
                draft.write_text(self.to_json(**options) + "\n", encoding="utf-8")
            return target
        with new_folder(path) as draft:
            self._write_into(draft, **options)
        return target

    def _write_into(self, folder: Path, **options: Any) -> None:
        """Write the files of :meth:`save` into a folder; the record, which names them all, comes last."""
        from pyfsagg._table.delimited import write_csv

        view = self._options_in_force(options)
        for name, frame in self._tables(view).items():
            write_csv(frame, folder / name, index=frame.index.name is not None)
        for name, text in self._texts(view).items():
            (folder / name).write_text(text, encoding="utf-8")
        shapes: dict[str, str] = {}
        if arrays := self._arrays():
            import numpy as np

            # As NumPy does, but at zlib's fastest level, and only what compresses; decimals hardly do.
            with zipfile.ZipFile(folder / ARRAY_FILE, "w", compresslevel=1) as archive:
                for name, values in arrays.items():
                    values = np.asanyarray(values)
                    shapes[name] = _shape(values)
                    sample = values.flat[:COMPRESSED_CELLS].tobytes()
                    spares = len(zlib.compress(sample, 1)) <= WORTH_COMPRESSION * len(sample)
                    archive.compression = zipfile.ZIP_DEFLATED if spares else zipfile.ZIP_STORED
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, values, allow_pickle=False)
        files = sorted([*(file.name for file in folder.iterdir()), RUN_FILE])
        more = {"arrays": shapes} if shapes else {}
        record = _json_of({**self._document(view), **more, "files": files})
        (folder / RUN_FILE).write_text(record + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a result of this class that :meth:`save` wrote."""
        with _as_output_error(path, cls._noun):
            saved = Saved.read(path)
            kind, schema = saved.document.get("kind"), saved.document.get("schema")
            if (kind, schema) != (cls._kind, cls._schema):
                raise OutputError(
                    f"{path} contains no saved {cls._noun}: its record is {kind!r} of schema {schema!r}, not "
                    f"{cls._kind!r} of schema {cls._schema}"
                )
            return cls._from_files(saved)._shown_with(saved.document.get("view", {}))

    def _renderer(self) -> Renderer:
        return RENDERERS[self._kind]() if self._kind in RENDERERS else Renderer({})

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : str, optional
            Name of the picture; the notes of the class list them, and the first one is the default.
        **options
            Passed on to the function of ``pyfsagg.plotting`` that draws it.
        """
        pictures = self._renderer().pictures
        kind = next(iter(pictures), "none") if kind is None else kind
        if kind not in pictures:
            known = ", ".join(map(repr, pictures)) or "nothing"
            raise ParameterError(Param("kind"), f" must be one of {known}", Got(kind))
        return pictures[kind](self, **options)

    def _page(self, **options: Any) -> Page:
        """The page of the result, as blocks."""
        from pyfsagg._report.closing import Report, with_source

        make = self._renderer().page
        if make is None:
            raise ParameterError(f"there is no page for {type(self).__name__}")
        view = self._options_in_force(options)
        made = make(self, view)
        page = made.page(self, view) if isinstance(made, Report) else made
        return page if view["read"] is None else with_source(page, view["read"])

    def to_html(self, **options: Any) -> str:
        """The report: one HTML page that needs no other file and no network."""
        from pyfsagg._report.page import render_page

        return render_page(self._page(**options))

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the page of :meth:`to_html` to a file; an existing one is replaced.

        See Also
        --------
        to_html : The page as text.
        """
        from pyfsagg._report.page import write_page

        return write_page(self._page(**options), path)

    def repeat(self, **options: Any) -> str:
        """Python code that makes the result again; a DataError if the call was not recorded."""
        code = self._code(self._options_in_force(options))
        if code is None:
            raise DataError(f"the call that made this {self._noun} was not recorded")
        return code

    def _code(self, view: Mapping[str, Any]) -> str | None:
        """The code of :meth:`repeat`, or None if the call was not recorded."""
        from pyfsagg._report.closing import lines_about

        if "call" not in getattr(self, "parameters", {}):
            return None  # the page names the command that repeats it
        call = Call.from_record(self.parameters["call"])
        before = list(view["reading"]) or lines_about(self.data, call.data)
        return call.code(before=before, after=self._lines_after(view))

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - self._inner)

    def to_frame(self) -> pd.DataFrame:
        """The main table of the result."""
        raise NotImplementedError

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the result says, the answer first: the text of :meth:`summary_text` without its tables."""
        from pyfsagg._report.page import sentences_of

        return tuple(sentences_of(self._facts(self._options_in_force({}))))

    def _repr_html_(self) -> str:
        """The answer and the first rows of the table, for a notebook."""
        answer = next(iter(self.sentences), repr(self))
        table = self.to_frame().iloc[:10, :6].to_html(float_format="{:.3g}".format)
        return f"<p><b>{html.escape(answer)}</b></p>{table}"

    def summary_text(self, **options: Any) -> str:
        """The text of the result for a terminal."""
        from pyfsagg._report.page import render_text

        return render_text(self._facts(self._options_in_force(options)))


class Selecting(Result):
    """A result that selects: names by `select`, and the same as a mask or as positions."""

    _selectable: ClassVar[str] = "feature_names"  # the field with what can be selected

    if TYPE_CHECKING:
        select: Callable[..., list[str]]

    def get_support(self, indices: bool = False, **limits: Any) -> NDArray[Any]:
        """What :meth:`select` selects, in the order of the table.

        Parameters
        ----------
        indices : bool
            Return positions instead of a boolean mask.
        **limits
            Arguments of :meth:`select`.

        See Also
        --------
        select : The names, best first.
        """
        import numpy as np

        names, chosen = getattr(self, self._selectable), set(self.select(**limits))
        mask = np.fromiter((name in chosen for name in names), np.bool_, len(names))
        return np.flatnonzero(mask) if check_flag("indices", indices) else mask


def _versions() -> Mapping[str, str]:
    from pyfsagg._table.identity import versions  # which loads NumPy

    return versions()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recorded(Result):
    """A result with its settings, data and software versions."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=_versions)


def read_result(path: str | os.PathLike[str]) -> Result:
    """Any saved result by its kind: of a class that has been imported, or that another package brings."""
    with _as_output_error(path, "result"):
        kind = Saved.read(path).document.get("kind")
        if kind not in KINDS:
            others = {point.name: point for point in entry_points(group="pyfsagg.results")}
            if kind not in others:
                held = "no result" if kind is None else f"a {kind!r}"
                known = sorted({*KINDS, *others})
                names = enumerate_names(known, most=len(known))
                raise OutputError(f"{path} contains {held}; supported: {names}")
            point = others[kind]
            try:
                point.load()  # the class enters itself into `KINDS`
            except Exception as error:  # third-party code may raise anything
                raise OutputError(
                    f"results of the kind {kind!r} are read by {point.value}, which cannot be "
                    f"imported: {type(error).__name__}: {error}"
                ) from error
    return KINDS[kind].load(path)


_DAMAGES = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, EOFError, RecursionError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@contextmanager
def _as_output_error(path: str | os.PathLike[str], noun: str) -> Iterator[None]:
    """Whatever can be wrong with a saved result, in one line."""
    try:
        yield
    except FileNotFoundError as error:
        raise OutputError(f"{path} contains no saved {noun}: {error.filename} is missing") from None
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise OutputError(f"cannot read {path}: {error.strerror}") from None
    except OutputError:
        raise
    except _DAMAGES as error:
        what = "it is not JSON" if isinstance(error, json.JSONDecodeError) else repr(error)
        raise OutputError(f"{path} is not a saved {noun}, or damaged: {what}") from None


def _shape(array: NDArray[Any]) -> str:
    """The shape of an array, as the record has it."""
    return " x ".join(map(str, array.shape))


def _json_of(document: Mapping[str, Any]) -> str:
    parts = (f"  {_text_of(name)}: {_text_of(value)}" for name, value in document.items())
    return "{\n" + ",\n".join(parts) + "\n}"


def _text_of(value: Any) -> str:
    """A value of the record as JSON text; of a list every element has its line, for quick encoding."""
    how: dict[str, Any] = {"allow_nan": False, "ensure_ascii": False, "default": as_record}
    if isinstance(value, list) and value:
        return "[\n    " + ",\n    ".join(json.dumps(one, **how) for one in value) + "\n  ]"
    return json.dumps(value, indent=2, **how).replace("\n", "\n  ")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain values; what is missing is None, for NaN is no JSON number."""
    cells = frame.astype(object)
    rows = cells.where(cells.notna(), None).to_dict("records")
    return [{str(name): cell for name, cell in row.items()} for row in rows]

"""What a value is, by its content: equal in every process, and different once anything in it changes.

A checkpoint has to know whether a function is still the one whose scores it holds.  The address of a
function says nothing, its name too little: a helper, a default, a global or an attribute may have
changed.  So its code is read with all that the code uses.  What was installed with a version (Python,
NumPy, pyfsagg) is known by its name and that version; all else is read to the bottom.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.util
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

import numpy as np

from pyfsagg._version import __version__
from pyfsagg.exceptions import ParameterError

VERSION_ATTRIBUTE = "checkpoint_version"
"""An attribute by which a caller says what cannot be read; it stands for all of its object."""

_ATOMS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CODE = (
    "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_exceptiontable",
)  # fmt: skip
# Notes of the interpreter on a class, some of which change when it is used.
_NOT_OF_CLASS = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate__",
    "__annotate_func__", "__annotations_cache__", "__static_attributes__", "__firstlineno__",
    "__slotnames__", "__abstractmethods__", "_abc_impl", "__dataclass_fields__",
}  # fmt: skip
_NOT_OF_MODULE = "__main__"


class _UnreadableError(Exception):
    """Something whose content cannot be seen."""


def content_of(value: Any) -> str:
    """Name and digest of a function, an estimator or any other object.

    Functions are read with their code, defaults, closures, attributes and the globals that they use;
    objects with their class and their state; scikit-learn estimators with their class and parameters.
    An attribute ``checkpoint_version`` of an object (text or a whole number) stands for all of it.
    """
    reader = _Reader()
    try:
        digest = reader.read(value)
    except (_UnreadableError, RecursionError) as error:
        where = ", which uses ".join(dict.fromkeys(reader.trail))
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ParameterError(
            f"a checkpoint cannot tell whether {where} has changed: {reason}. Give the function or object "
            f"an attribute {VERSION_ATTRIBUTE}, such as '1', and another one whenever it changes; or leave "
            "the checkpoint out"
        ) from None
    return f"{_name(value)} {digest.hex()[:16]}"


class _Reader:
    """Digests of a value and of all that it holds.

    Attributes
    ----------
    trail : list of str
        What is being read, from outside to inside.
    """

    def __init__(self) -> None:
        self.trail: list[str] = []
        self._open: dict[int, int] = {}  # what is being read, and how deep it stands
        self._done: dict[
            tuple[int, bool], tuple[Any, bytes]
        ] = {}  # with the object, so that it stays
        self._functions = 0  # how many functions are being read

    def read(self, value: Any) -> bytes:
        if type(value) in _ATOMS:
            return _mix(type(value).__name__, repr(value))
        if id(value) in self._open:
            return _mix("again", str(len(self._open) - self._open[id(value)]))
        key = id(value), self._functions > 0
        if key not in self._done:
            self._open[id(value)] = len(self._open)
            digest = self._read(value)
            del self._open[id(value)]
            self._done[key] = value, digest
        return self._done[key][1]

    def _read(self, value: Any) -> bytes:
        if isinstance(value, types.MethodType):
            return self._all("method", [value.__func__, value.__self__])
        given = _given_version(value)
        if given is not None:
            return _mix("given", _name(value), given)
        if self._functions == 0 and _is_estimator(value):
            return self._all("estimator", [type(value), value.get_params(deep=False)])
        for kinds, read in _READERS:
            if isinstance(value, kinds):
                return read(self, value)
        return self._object(value)

    def _all(self, what: str, values: Iterable[Any]) -> bytes:
        return _mix(what, *(self.read(value) for value in values))

    @contextmanager
    def _inside(self, what: str) -> Iterator[None]:
        """Where an error has to point; left behind by one."""
        self.trail.append(what)
        yield
        self.trail.pop()

    # --- containers -------------------------------------------------------------------------
    def _sequence(self, value: Any) -> bytes:
        return self._all(type(value).__name__, value) if _plain_type(value) else self._object(value)

    def _set(self, value: Any) -> bytes:
        if not _plain_type(value):
            return self._object(value)
        return _mix(type(value).__name__, *sorted(self.read(each) for each in value))

    def _mapping(self, value: Any) -> bytes:
        if not _plain_type(value) and not isinstance(value, types.MappingProxyType):
            return self._object(value)
        return self._all("dict", (part for pair in value.items() for part in pair))

    def _array(self, value: Any) -> bytes:
        described = f"{value.dtype!r}{value.shape}"
        if value.dtype.hasobject:
            return _mix("array", described, self.read(value.tolist()))
        return _mix("array", described, np.ascontiguousarray(value).tobytes())

    def _named(self, names: Iterable[str], values: dict[str, Any]) -> bytes:
        """Some of the values by name, in the order of the names."""
        digests: list[str | bytes] = []
        for name in sorted(names):
            with self._inside(repr(name)):
                digests += [name, self.read(values[name])]
        return _mix("named", *digests)

    # --- code -------------------------------------------------------------------------------
    def _function(self, value: Any) -> bytes:
        version = _version_of(value.__module__)
        if version is not None and _found_by_name(value):
            return _mix("installed", value.__module__, value.__qualname__, version)
        with self._inside(f"the function {value.__qualname__}"):
            self._functions += 1
            digest = _mix(
                "function",
                value.__qualname__,
                self.read(value.__code__),
                self.read(value.__defaults__),
                self.read(value.__kwdefaults__),
                self._cells(value),
                self._named(value.__dict__, value.__dict__),
                # Of an installed function, globals are what its version says.
                _mix("") if version is not None else self._globals(value),
            )
            self._functions -= 1
        return digest

    def _code(self, value: Any) -> bytes:
        parts = [getattr(value, name) for name in _CODE]
        return self._all("code", [*parts, value.co_consts])

    def _cells(self, function: Any) -> bytes:
        digests: list[str | bytes] = []
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            with self._inside(repr(name)):
                try:
                    digests.append(self.read(cell.cell_contents))
                except ValueError:  # not yet set
                    digests.append("empty")
        return _mix("cells", *digests)

    def _globals(self, function: Any) -> bytes:
        used, imported, names = _names_in(function.__code__)
        known = function.__globals__
        digests: list[str | bytes] = []
        for name in sorted(used):
            with self._inside(repr(name)):
                found: Any = known.get(name)
                if isinstance(found, types.ModuleType):
                    digests += [name, self._module(found, names)]
                elif name in known:
                    digests += [name, self.read(known[name])]
                else:
                    digests += [name, "builtin" if hasattr(builtins, name) else "unknown"]
        for name, level in sorted(imported):
            with self._inside(f"the module {name!r}"):
                digests += [name, self._import(name, level, known.get("__package__"), names)]
        return _mix("globals", *digests)

    def _module(self, module: Any, names: set[str]) -> bytes:
        """An installed module by its version, another one by what the code that uses it names."""
        version = _version_of(module.__name__)
        if version is not None:
            return _mix("installed", module.__name__, version)
        if id(module) in self._open:
            return _mix("again", str(len(self._open) - self._open[id(module)]))
        self._open[id(module)] = len(self._open)
        digests: list[str | bytes] = []
        for name in sorted(names & vars(module).keys()):
            with self._inside(repr(name)):
                found = vars(module)[name]
                inner = isinstance(found, types.ModuleType)
                digests += [name, self._module(found, names) if inner else self.read(found)]
        del self._open[id(module)]
        return _mix("module", *(digests or [_file_digest(module)]))

    def _import(self, name: str, level: int, package: str | None, names: set[str]) -> bytes:
        """A module that a function imports when it is called."""
        full = importlib.util.resolve_name("." * level + name, package or "") if level else name
        top = full.partition(".")[0]
        if _version_of(top) is not None:
            return _mix("installed", full, str(_version_of(top)))
        try:
            return self._module(importlib.import_module(full), names)
        except ImportError:
            return _mix("absent")

    def _whole_module(self, module: Any) -> bytes:
        version = _version_of(module.__name__)
        return _mix("module", version or _file_digest(module))

    def _class(self, value: Any) -> bytes:
        version = _version_of(value.__module__)
        if version is not None and _found_by_name(value):
            return _mix("installed", value.__module__, value.__qualname__, version)
        own = {name: each for name, each in vars(value).items() if name not in _NOT_OF_CLASS}
        with self._inside(f"the class {value.__qualname__}"):
            return _mix(
                "class",
                value.__qualname__,
                self._all("bases", [type(value), *value.__bases__]),
                self._named(own, own),
            )

    def _builtin(self, value: Any) -> bytes:
        owner = getattr(value, "__objclass__", None) or getattr(value, "__self__", None)
        if owner is None or isinstance(owner, types.ModuleType) or _found_by_name(value):
            return _compiled(value, value.__module__, value.__qualname__)
        return _mix("builtin", value.__name__, self.read(owner))

    def _ufunc(self, value: Any) -> bytes:
        name = str(value.__name__)
        for module in ("numpy", "scipy.special"):
            if getattr(sys.modules.get(module), name, None) is value:
                return _mix("ufunc", module, name, str(_version_of(module)))
        raise self._unreadable(value, "NumPy does not show the function that is behind it")

    def _wrapper(self, value: Any) -> bytes:
        return self._all(type(value).__name__, [value.__func__])

    def _property(self, value: Any) -> bytes:
        return self._all("property", [value.fget, value.fset, value.fdel])

    def _cached(self, value: Any) -> bytes:
        return self._all("cached", [value.__wrapped__])

    def _slot(self, value: Any) -> bytes:
        return _mix("slot", value.__name__)

    # --- objects ----------------------------------------------------------------------------
    def _object(self, value: Any) -> bytes:
        """Any other object as pickle would write it, without writing it."""
        if hasattr(value, "py_func"):  # compiled by numba
            return self._all("compiled", [value.py_func, getattr(value, "targetoptions", None)])
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            made = reduce(value) if reduce else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception as error:  # what objects raise that cannot be written is up to them
            raise self._unreadable(value, str(error)) from None
        with self._inside(f"an object of the class {type(value).__qualname__}"):
            if isinstance(made, str):
                return _compiled(value, getattr(value, "__module__", None), made)
            parts: list[Any] = [*made, None, None, None][:5]
            state, *contents = parts[2:]
            return _mix(
                "object",
                self._all("made", [type(value), *parts[:2]]),
                self._state(state),
                *(self.read(None if each is None else list(each)) for each in contents),
            )

    def _state(self, state: Any) -> bytes:
        """Attributes, in no order; or whatever a class says instead."""
        if isinstance(state, dict) and all(isinstance(name, str) for name in state):
            return self._named(state, state)
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
            return _mix("slots", self._state(state[0]), self._state(state[1]))
        return self.read(state)

    def _unreadable(self, value: Any, reason: str) -> _UnreadableError:
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        if not self.trail:
            self.trail.append(_name(value))
        return _UnreadableError(f"it is a {kind}, and {reason}")


_READERS: tuple[tuple[Any, Callable[[_Reader, Any], bytes]], ...] = (
    (types.ModuleType, _Reader._whole_module),
    (type, _Reader._class),
    (types.FunctionType, _Reader._function),
    (types.CodeType, _Reader._code),
    ((types.MemberDescriptorType, types.GetSetDescriptorType), _Reader._slot),
    (
        (
            types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
            types.MethodWrapperType, types.ClassMethodDescriptorType,
        ),
        _Reader._builtin,
    ),
    (np.ufunc, _Reader._ufunc),
    (np.ndarray, _Reader._array),
    ((list, tuple), _Reader._sequence),
    ((set, frozenset), _Reader._set),
    ((dict, types.MappingProxyType), _Reader._mapping),
    ((staticmethod, classmethod), _Reader._wrapper),
    (property, _Reader._property),
    (functools._lru_cache_wrapper, _Reader._cached),
)  # fmt: skip


# ---------------------------------------------------------------------------------------------
# what is installed
# ---------------------------------------------------------------------------------------------
@cache
def _version_of(module: str | None) -> str | None:
    """The version that tells all about a module; None for a module of the user."""
    if module is None or module == _NOT_OF_MODULE:
        return None
    top = module.partition(".")[0]
    if top == "pyfsagg":
        return __version__
    file = _file_of(top) or _file_of(module)
    if top in sys.stdlib_module_names:
        own = file is None or file.is_relative_to(Path(sysconfig.get_path("stdlib")).resolve())
        return "python" if own or _installed(file) else None
    if file is None or not _installed(file):
        return None
    stated = getattr(sys.modules.get(top), "__version__", None)
    if isinstance(stated, str):
        return stated
    packages = packages_distributions().get(top, [])
    return " ".join(version(package) for package in sorted(packages)) or None


def _file_of(module: str) -> Path | None:
    found = sys.modules.get(module)
    try:
        file = getattr(found, "__file__", None) if found else _origin(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(file).resolve() if file else None


def _origin(module: str) -> str | None:
    spec = importlib.util.find_spec(module)
    return spec.origin if spec is not None and spec.has_location else None


def _installed(file: Path | None) -> bool:
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def _found_by_name(value: Any) -> bool:
    """Whether a function or a class is what its module holds under its name."""
    found: Any = sys.modules.get(getattr(value, "__module__", None) or "")
    for part in getattr(value, "__qualname__", "<>").split("."):
        found = getattr(found, part, None)
    return found is value


def _compiled(value: Any, module: str | None, name: str) -> bytes:
    """What has no code to be read: by its name, and its module's version or file."""
    version = _version_of(module)
    if version is None:
        loaded = sys.modules.get(module or "")
        if loaded is None or getattr(loaded, "__file__", None) is None:
            raise _UnreadableError(
                f"{name} is compiled, and the file that it comes from is unknown"
            )
        version = _file_digest(loaded)
    return _mix("compiled", module or "", name, version)


def _file_digest(module: Any) -> str:
    file = getattr(module, "__file__", None)
    if not file or not Path(file).is_file():
        raise _UnreadableError(f"the module {module.__name__} has neither a version nor a file")
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


# ---------------------------------------------------------------------------------------------
# small things
# ---------------------------------------------------------------------------------------------
def _names_in(code: types.CodeType) -> tuple[set[str], set[tuple[str, int]], set[str]]:
    """Globals that code loads, modules that it imports (with their level), and all of its names."""
    used: set[str] = set()
    imported: set[tuple[str, int]] = set()
    names = set(code.co_names)
    previous: list[Any] = [0, 0]
    for step in dis.get_instructions(code):
        if step.opname in _LOADS:
            used.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imported.add((step.argval, previous[0] if isinstance(previous[0], int) else 0))
        previous = [previous[1], step.argval]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            more = _names_in(constant)
            used, imported, names = used | more[0], imported | more[1], names | more[2]
    return used, imported, names


def _given_version(value: Any) -> str | None:
    """The version that the caller gave to an object itself, not to its class."""
    try:
        given = vars(value).get(VERSION_ATTRIBUTE)
    except TypeError:
        return None
    return f"{given}" if isinstance(given, (str, int)) else None


def _is_estimator(value: Any) -> bool:
    """Whether it is cloned before it is fitted, so that what it learned elsewhere is no part of it."""
    own_clone = getattr(type(value), "__sklearn_clone__", None)
    usual = own_clone is None or own_clone.__qualname__ == "BaseEstimator.__sklearn_clone__"
    return (
        usual
        and not isinstance(value, type)
        and hasattr(value, "get_params")
        and hasattr(value, "fit")
    )


def _plain_type(value: Any) -> bool:
    return type(value) in (list, tuple, set, frozenset, dict)


def _name(value: Any) -> str:
    kind = type(value).__qualname__
    own = getattr(value, "__qualname__", None)
    return f"{kind} {own}" if isinstance(own, str) else kind


def _mix(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "backslashreplace")
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()

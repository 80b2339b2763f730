"""What a value is, by its content: equal in every process, and different once anything in it changes.

A checkpoint has to know whether a function is still the one whose scores it holds, so its code is read with
all that the code uses.  What was installed with a version (Python, NumPy, pyfsagg) is known by its name and
that version; all else is read to the bottom.
"""

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import packages_distributions, version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pyfsagg._version import __version__
from pyfsagg.exceptions import ParameterError

VERSION_ATTRIBUTE = "checkpoint_version"
"""The attribute by which a caller gives the version of an object that cannot be read."""

_ATOMS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CODE = (
    "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_exceptiontable", "co_consts",
)  # fmt: skip
# Notes of the interpreter on a class, some of which change when it is used.
_NOT_OF_CLASS = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate__",
    "__annotate_func__", "__annotations_cache__", "__static_attributes__", "__firstlineno__",
    "__slotnames__", "__abstractmethods__", "_abc_impl", "__dataclass_fields__",
}  # fmt: skip


class _UnreadableError(Exception):
    """An object whose content cannot be read."""


def content_of(value: Any) -> str:
    """Name and digest of an object with all that it uses; its ``checkpoint_version`` replaces all."""
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
    """Digests of a value and of all that it holds; `trail` is what is being read, outermost first."""

    def __init__(self) -> None:
        self.trail: list[str] = []
        self._open: dict[int, int] = {}  # what is being read, and how deep it stands
        # Each digest is kept with its object, so no other object gets its address.
        self._done: dict[tuple[int, bool], tuple[Any, bytes]] = {}
        self._functions = 0  # how many functions are being read

    def read(self, value: Any) -> bytes:
        if type(value) in _ATOMS:
            return _mix(type(value).__name__, repr(value))
        key = id(value), self._functions > 0
        if key not in self._done or id(value) in self._open:
            digest = self._once(value, lambda: self._read(value))
            if id(value) in self._open:
                return digest
            self._done[key] = value, digest
        return self._done[key][1]

    def _once(self, value: Any, read: Callable[[], bytes]) -> bytes:
        """The digest of an object; within itself, its level above."""
        if id(value) in self._open:
            return _mix("again", str(len(self._open) - self._open[id(value)]))
        self._open[id(value)] = len(self._open)
        digest = read()
        del self._open[id(value)]
        return digest

    def _read(self, value: Any) -> bytes:
        kind = type(value)
        if kind is types.MethodType:
            return self._all("method", [value.__func__, value.__self__])
        version = _given_version(value)
        if version is not None:
            return _mix("given", _name(value), version)
        if self._functions == 0 and _is_estimator(value):
            return self._all("estimator", [kind, value.get_params(deep=False)])
        if kind in (list, tuple):
            return self._all(kind.__name__, value)
        if kind in (set, frozenset):
            return _mix(kind.__name__, *sorted(map(self.read, value)))
        if kind in (dict, types.MappingProxyType):
            return self._all("dict", chain.from_iterable(value.items()))
        for kinds, read in _READERS:
            if isinstance(value, kinds):
                return read(self, value)
        return self._object(value)

    def _all(self, what: str, values: Iterable[Any]) -> bytes:
        return _mix(what, *map(self.read, values))

    @contextmanager
    def _inside(self, what: str) -> Iterator[None]:
        """Where an error has to point; an error leaves the trail as it is."""
        self.trail.append(what)
        yield
        self.trail.pop()

    def _by_name(self, what: str, names: Iterable[str], read: Callable[[str], bytes]) -> bytes:
        """What is read of several names."""
        digests: list[str | bytes] = []
        for name in names:
            with self._inside(repr(name)):
                digests += [name, read(name)]
        return _mix(what, *digests)

    def _attributes(self, values: Mapping[str, Any]) -> bytes:
        """Values by name, in the order of the names."""
        return self._by_name("named", sorted(values), lambda name: self.read(values[name]))

    def _array(self, value: Any) -> bytes:
        objects = value.dtype.hasobject
        cells = self.read(value.tolist()) if objects else np.ascontiguousarray(value).tobytes()
        return _mix("array", f"{value.dtype!r}{value.shape}", cells)

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
                self._attributes(value.__dict__),
                # The version of an installed function says what its globals are.
                _mix("") if version is not None else self._globals(value),
            )
            self._functions -= 1
        return digest

    def _code(self, value: Any) -> bytes:
        return self._all("code", [getattr(value, name) for name in _CODE])

    def _cells(self, function: Any) -> bytes:
        names = function.__code__.co_freevars
        cells = dict(zip(names, function.__closure__ or (), strict=True))

        def read(name: str) -> bytes:
            try:
                content = cells[name].cell_contents
            except ValueError:  # not yet set
                return b"empty"
            return self.read(content)

        return self._by_name("cells", names, read)

    def _globals(self, function: Any) -> bytes:
        used, imported, names = _names_in(function.__code__)
        known = function.__globals__

        def read(name: str) -> bytes:
            if isinstance(module := known.get(name), types.ModuleType):
                return self._module(module, names)
            if name in known:
                return self.read(known[name])
            return b"builtin" if hasattr(builtins, name) else b"unknown"

        digests: list[str | bytes] = [self._by_name("globals", sorted(used), read)]
        for name, level in sorted(imported):
            with self._inside(f"the module {name!r}"):
                digests += [name, self._import(name, level, known.get("__package__"), names)]
        return _mix("globals", *digests)

    def _module(self, module: Any, names: set[str]) -> bytes:
        """An installed module by its version, another one by what the code that uses it names."""
        version = _version_of(module.__name__)
        if version is not None:
            return _mix("installed", module.__name__, version)
        held = vars(module)
        used = sorted(names & held.keys())

        def read(name: str) -> bytes:
            if isinstance(held[name], types.ModuleType):
                return self._module(held[name], names)
            return self.read(held[name])

        if not used:
            return _mix("module", _file_digest(module))
        return self._once(module, lambda: self._by_name("module", used, read))

    def _import(self, name: str, level: int, package: str | None, names: set[str]) -> bytes:
        """A module that a function imports when it is called."""
        full = importlib.util.resolve_name("." * level + name, package or "") if level else name
        version = _version_of(full.partition(".")[0])
        if version is not None:
            return _mix("installed", full, version)
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
        members = {name: one for name, one in vars(value).items() if name not in _NOT_OF_CLASS}
        with self._inside(f"the class {value.__qualname__}"):
            bases = self._all("bases", [type(value), *value.__bases__])
            return _mix("class", value.__qualname__, bases, self._attributes(members))

    def _builtin(self, value: Any) -> bytes:
        owner = getattr(value, "__objclass__", None) or getattr(value, "__self__", None)
        if owner is None or isinstance(owner, types.ModuleType) or _found_by_name(value):
            return _compiled(value.__module__, value.__qualname__)
        return _mix("builtin", value.__name__, self.read(owner))

    def _ufunc(self, value: Any) -> bytes:
        name = str(value.__name__)
        for module in ("numpy", "scipy.special"):
            if getattr(sys.modules.get(module), name, None) is value:
                return _mix("ufunc", module, name, str(_version_of(module)))
        raise self._unreadable(value, "NumPy does not show the function that is behind it")

    def _wrapper(self, value: Any) -> bytes:
        """Properties, cached functions and the like, by the functions that they hold."""
        parts = ("__func__", "__wrapped__", "fget", "fset", "fdel")
        return self._all(type(value).__name__, [getattr(value, name, None) for name in parts])

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
                return _compiled(getattr(value, "__module__", None), made)
            parts: list[Any] = [*made, None, None, None][:5]
            state, *contents = parts[2:]
            return _mix(
                "object",
                self._all("made", [type(value), *parts[:2]]),
                self._state(state),
                *(self.read(None if part is None else list(part)) for part in contents),
            )

    def _state(self, state: Any) -> bytes:
        """Attributes, unordered, or the state that a class returns instead."""
        if isinstance(state, dict) and all(isinstance(name, str) for name in state):
            return self._attributes(state)
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
    (
        (types.MemberDescriptorType, types.GetSetDescriptorType),
        lambda _, value: _mix("slot", value.__name__),
    ),
    (
        (
            types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
            types.MethodWrapperType, types.ClassMethodDescriptorType,
        ),
        _Reader._builtin,
    ),
    (np.ufunc, _Reader._ufunc),
    (np.ndarray, _Reader._array),
    ((staticmethod, classmethod, property, functools._lru_cache_wrapper), _Reader._wrapper),
)  # fmt: skip


@cache
def _version_of(module: str | None) -> str | None:
    """The version that identifies a module; None for a module of the user."""
    if module is None or module == "__main__":
        return None
    top = module.partition(".")[0]
    if top == "pyfsagg":
        return __version__
    file = _file_of(top) or _file_of(module)
    if top in sys.stdlib_module_names:
        standard = file is None or file.is_relative_to(Path(sysconfig.get_path("stdlib")).resolve())
        return "python" if standard or _installed(file) else None
    if file is None or not _installed(file):
        return None
    stated = getattr(sys.modules.get(top), "__version__", None)
    if isinstance(stated, str):
        return stated
    packages = packages_distributions().get(top, [])
    return " ".join(version(package) for package in sorted(packages)) or None


def _file_of(module: str) -> Path | None:
    if module in sys.modules:
        file = getattr(sys.modules[module], "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError, AttributeError):
            return None
        file = spec.origin if spec is not None and spec.has_location else None
    return Path(file).resolve() if file else None


def _installed(file: Path | None) -> bool:
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def _found_by_name(value: Any) -> bool:
    """Whether a function or a class is what its module holds under its name."""
    held: Any = sys.modules.get(getattr(value, "__module__", None) or "")
    for part in getattr(value, "__qualname__", "<>").split("."):
        held = getattr(held, part, None)
    return held is value


def _compiled(module: str | None, name: str) -> bytes:
    """What has no readable code: by its name, and its module's version or file."""
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
        version = vars(value).get(VERSION_ATTRIBUTE)
    except TypeError:
        return None
    return str(version) if isinstance(version, (str, int)) else None


def _is_estimator(value: Any) -> bool:
    """Whether it is cloned before it is fitted, so what it learned elsewhere is no part of it."""
    own_clone = getattr(type(value), "__sklearn_clone__", None)
    if own_clone is not None and own_clone.__qualname__ != "BaseEstimator.__sklearn_clone__":
        return False
    return not isinstance(value, type) and hasattr(value, "get_params") and hasattr(value, "fit")


def _name(value: Any) -> str:
    kind, name = type(value).__qualname__, getattr(value, "__qualname__", None)
    return f"{kind} {name}" if isinstance(name, str) else kind


def _mix(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "backslashreplace")
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()

"""Writes the stubs that editors and type checkers read: ``python -m tesela._stubs FOLDER``."""

import os
import sys

from . import _registry, _tesela
from ._call import Call
from ._functions import signature_of
from ._parameters import class_name, takes_array

_HEAD = '''\
# Made from the descriptions of the operations when Tesela is built.
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NoReturn, TypeVar, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, os.PathLike[str]]
_Array = Union[ArrayLike, "Image", "DeviceArray", _Path]
_Length = Union[float, str]
# Outputs are of the kind of the first array that goes in.
_Kind = TypeVar("_Kind")
_Known = TypeVar("_Known", NDArray[Any], "Image", "DeviceArray")

__version__: str
__all__: list[str]
operations: dict[str, str]

'''
_CLASSES = '''\
class Error(Exception): ...
class InvalidArgument(Error, ValueError): ...
class UnreadableInput(Error, OSError): ...
class UnsupportedFormat(Error, OSError): ...
class UnwritableOutput(Error, OSError): ...
class TooNarrow(Error, ValueError): ...
class DeviceUnavailable(Error, RuntimeError): ...
class Cancelled(Error): ...

class OutOfMemory(Error, MemoryError):
    bytes_needed: int
    bytes_free: int

class Image:
    array: NDArray[Any]
    axes: str
    spacing: tuple[float, ...] | None
    unit: str | None
    origin: Sequence[float] | None
    direction: Sequence[float] | None
    time_step: float | None
    alpha: bool
    names: dict[int, str]
    colors: dict[int, tuple[int, int, int]]
    format: str
    channel_names: list[str]
    def __init__(self, array: ArrayLike, *, axes: str | None = None, channel_axis: int | None = None,
                 spacing: float | Sequence[float] | None = None, unit: Literal["mm", "um"] | None = None,
                 origin: Sequence[float] | None = None, direction: Sequence[Any] | None = None,
                 time_step: float | None = None, alpha: bool = False,
                 names: Mapping[int, str] | None = None, colors: Mapping[int, Sequence[int]] | None = None) -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    def with_array(self, array: NDArray[Any], axes: str | None = None,
                   names: Mapping[int, str] | None = None, colors: Mapping[int, Sequence[int]] | None = None) -> Image: ...
    def geometry(self) -> dict[str, Any] | None: ...
    def _repr_html_(self) -> str: ...

class DeviceArray:
    shape: tuple[int, ...]
    device: str
    def __init__(self, held: Any, axes: str) -> None: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def numpy(self) -> NDArray[Any]: ...
    def get(self) -> NDArray[Any]: ...
    def __array__(self, *_: Any, **__: Any) -> NoReturn: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(self, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class Value:
    def __init__(self, value: Any) -> None: ...
    @property
    def kind(self) -> str: ...
    def save(self, path: _Path) -> None: ...

class Table(dict[str, Any]):
    def __init__(self, value: Any) -> None: ...
    def to_pandas(self) -> Any: ...
    def save(self, path: _Path) -> None: ...

class Result:
    figures: dict[str, Any]
    details: dict[str, Any]
    data: str
    used: dict[str, Any]
    def __init__(self, made: Any, outputs: Any) -> None: ...
    @property
    def summary(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def work(self) -> dict[str, int]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def _repr_html_(self) -> str: ...

def read(path: _Path, *, labels: bool = False, channel: int | str | None = None, slice: int | None = None,
         time: int | None = None, raw: str | None = None, series: int | str | None = None) -> Image: ...
def write(path: _Path, image: ArrayLike | Image | Value | Table, *, labels: bool = False,
          names: Mapping[int, str] | None = None, axes: str | None = None, channel_axis: int | None = None,
          spacing: float | Sequence[float] | None = None, unit: Literal["mm", "um"] | None = None,
          dicom_source: _Path | None = None) -> None: ...
class Picture:
    png: bytes
    def __init__(self, png: bytes) -> None: ...

def show(image: ArrayLike | Image, labels: ArrayLike | Image | None = None, *, fill: float = 0.3,
         channel_axis: int | None = None, spacing: float | Sequence[float] | None = None,
         unit: Literal["mm", "um"] | None = None) -> Picture: ...
def asarray(array: Any, device: str = "auto") -> DeviceArray: ...
def from_sitk(image: Any) -> Image: ...
def to_sitk(image: Image) -> Any: ...
def devices() -> list[dict[str, Any]]: ...
def cancel() -> None: ...
def trim() -> None: ...

'''
_COMMON = {
    "outputs": "str | Sequence[str] | None", "device": "str", "threads": "int | None",
    "progress": "bool | Callable[[float, str], object] | None", "names": "Mapping[int, str] | _Path | None",
    "channel_axis": "int | None",
    "spacing": "float | Sequence[float] | None", "unit": 'Literal["mm", "um"] | None',
}
_OPTIONS = {"flag": "bool", "integer": "int", "number": "float", "length": "_Length", "text": "str | float | Sequence[Any]"}


def _type(one):
    if one.role == "common":
        return _COMMON[one.name]
    if one.role == "file":
        return "_Path" if one.required else "_Path | None"
    described = one.described
    if one.role == "option":
        kind = _OPTIONS.get(described["kind"]) or "Literal[" + ", ".join(
            f'"{choice}"' for choice in described["choices"]) + "]"
        return kind if described["default"] is not None else kind + " | None"
    kind = "_Array | Value" if takes_array(described) else "_Path | Value"
    kind = f"{kind} | Sequence[{kind}]" if described["several"] else kind
    return kind if one.required or one.default else kind + " | None"


def _output_type(output):
    if output["kind"] in ("classes", "warpable"):
        return {"classes": "Image", "warpable": "Any"}[output["kind"]]
    return {"array": "_Kind", "table": "Table", "value": "Value"}[output["form"]]


def _is_generic(call):
    return any(_output_type(output) == "_Kind" for output in call.outputs)


def _result(call):
    bases = "Result, Generic[_Kind]" if _is_generic(call) else "Result"
    lines = [f"class {class_name(call.name)}({bases}):"]
    lines += [f"    {keyword}: {_output_type(output)}" for keyword, output in zip(call.output_names, call.outputs)]
    return "\n".join(lines if len(lines) > 1 else [lines[0] + " ..."]) + "\n"


def _function(call, name, self="", decorator=""):
    """Lines of a function, twice where the first array decides what outputs are."""
    parameters = list(call.parameters.values())
    first = parameters[0] if parameters else None

    def line(kind, type_of=_type):
        result = class_name(call.name) + (f"[{kind}]" if kind else "")
        return f"def {name}({self}{signature_of(parameters, types=type_of)}) -> {result}: ..."

    def known(one):
        kind = "_Known | Sequence[_Known]" if one.described and one.described.get("several") else "_Known"
        return kind if one is first else _type(one)

    lines = [decorator, line("Any" if _is_generic(call) else "")]
    if _is_generic(call) and first.role == "input" and first.required and takes_array(first.described):
        lines = ["@overload", decorator, line("_Known", known), "@overload", *lines]
    return [one for one in lines if one]


def _family(dotted, functions):
    """A class with the members, which can be called where there is a default."""
    lines, classes = [], []
    default = _registry.families[dotted]["default"]
    if default:
        lines += _function(functions[default], "__call__", "self, ")
    for member in _registry.members_of(dotted):
        inner = f"{dotted}.{member}"
        if inner in _registry.families:
            classes.append(_family(inner, functions))
            lines.append(f"{member}: _{_camel(inner)}")
        else:
            lines += _function(functions[_registry.names[inner]], member, decorator="@staticmethod")
            if alias := _registry.aliases.get(inner):
                lines.append(f"{alias} = {member}")
    return "\n".join([*classes, f"class _{_camel(dotted)}:", *("    " + line for line in lines)]) + "\n"


def _camel(dotted):
    return "".join(word.capitalize() for word in dotted.replace("_", ".").split("."))


def text():
    """The stub of the package."""
    functions = {name: Call(_tesela.describe(name)) for name in _registry.names.values()}
    parts = [_HEAD, _CLASSES]
    parts += [_result(call) for call in functions.values()]
    for dotted, name in _registry.names.items():
        if "." not in dotted:
            parts.append("\n".join(_function(functions[name], dotted)) + "\n")
    for dotted in _registry.families:
        if "." not in dotted:
            parts.append(_family(dotted, functions))
            parts.append(f"{dotted}: _{_camel(dotted)}\n")
    return "\n".join(parts)


def main(folder):
    with open(os.path.join(folder, "__init__.pyi"), "w", encoding="utf-8") as out:
        out.write(text())


if __name__ == "__main__":
    main(sys.argv[1])

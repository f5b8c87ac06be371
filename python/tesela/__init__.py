"""Tesela: segmentation, motion, registration and rendering of 2-D to 4-D images on CPU and GPU.

Every operation of the command line is a function of its name: ``tesela.mean_shift(image, spatial=8)``,
``tesela.threshold.otsu(image)``. Arrays go in and arrays come out; ``device="cuda"`` computes on a GPU.
`tesela.operations` lists them all, ``help`` tells of each.
"""

from . import _tesela
from ._devices import DeviceArray, asarray
from ._errors import (
    Cancelled, DeviceUnavailable, Error, InvalidArgument, OutOfMemory, TooNarrow, UnreadableInput,
    UnsupportedFormat, UnwritableOutput, name_of,
)
from ._images import Image, read, write
from ._results import Result, Table, Value
from ._show import Picture, show
from ._sitk import from_sitk, to_sitk

__version__ = _tesela.version

_listed = _tesela.operations()
#: What there is, with a line on each.
operations = {
    ".".join(name_of(word) for word in one["name"].split()): one["purpose"] for one in _listed["operations"]}
_names = {dotted: one["name"] for dotted, one in zip(operations, _listed["operations"])}
_families = {".".join(name_of(word) for word in one["name"].split()): one for one in _listed["families"]}

__all__ = [
    "Cancelled", "DeviceArray", "DeviceUnavailable", "Error", "Image", "InvalidArgument", "OutOfMemory", "Picture", "Result", "Table",
    "TooNarrow", "UnreadableInput", "UnsupportedFormat", "UnwritableOutput", "Value", "asarray", "cancel", "devices",
    "from_sitk", "operations", "read", "show", "to_sitk", "trim", "write", *sorted({dotted.split(".")[0] for dotted in operations}),
]


class Family:
    """Operations of one purpose. Those with a default can be called themselves."""

    def __init__(self, name, sentence):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = sentence

    def __repr__(self):
        members = [name for name in vars(self) if not name.startswith("_")]
        return f"<tesela.{self.__name__}: {', '.join(members)}>"

    def __call__(self, *arguments, **keywords):
        members = [name for name in vars(self) if not name.startswith("_")]
        raise TypeError(f"tesela.{self.__name__} is a family of operations: call one of {', '.join(members)}")


def _make(dotted):
    from ._functions import make_function

    if dotted in _names:
        return make_function(_names[dotted])
    family = _families[dotted]
    default = family["default"]
    made = make_function(default) if default else Family(dotted, family["sentence"])
    before = dotted + "."
    for name in {**_names, **_families}:
        if name.startswith(before) and "." not in name[len(before):]:
            setattr(made, name[len(before):], _make(name))
    return made


def __getattr__(name):
    if name in _names or name in _families:
        globals()[name] = made = _make(name)
        return made
    if name.endswith("Result"):
        from ._functions import class_name

        for dotted, operation in _names.items():
            if class_name(operation) == name:
                return _make(dotted).result
    raise AttributeError(f"module 'tesela' has no attribute {name!r}{_suggestion(name)}")


def _suggestion(name):
    import difflib

    close = difflib.get_close_matches(name, __all__, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def __dir__():
    return sorted({*globals(), *__all__})


def devices():
    """The devices of this machine, and what is missing with the reason.

    Returns
    -------
    list of dict
        ``id``, such as "cpu" or "cuda:0", is what `device` takes; ``problem`` is None, or why it cannot
        be used.
    """
    return _tesela.devices()


def cancel():
    """Stop all calls that run now in other threads: they raise `Cancelled`."""
    _tesela.cancel()


def trim():
    """Give memory back that the devices of this thread keep for later calls."""
    _tesela.trim()


import atexit as _atexit  # noqa: E402  (calls in daemon threads, and queues, end before Python does)

_atexit.register(_tesela.end)

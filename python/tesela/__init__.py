"""Tesela: segmentation, motion, registration and rendering of 2-D to 4-D images on CPU and GPU.

Every operation of the command line is a function of its name: ``tesela.mean_shift(image, spatial=8)``,
``tesela.threshold.otsu(image)``. Arrays go in and arrays come out; ``device="cuda"`` computes on a GPU.
`tesela.operations` lists them all, ``help`` tells of each.
"""

import sys

from . import _tesela

__version__ = _tesela.version

# Nothing is imported before it is asked for: where what is no function of an operation lies.
_HOMES = {name: module for module, names in {
    "_devices": ("DeviceArray", "asarray"),
    "_errors": ("Cancelled", "DeviceUnavailable", "Error", "InvalidArgument", "OutOfMemory", "TooNarrow",
                "UnreadableInput", "UnsupportedFormat", "UnwritableOutput"),
    "_images": ("Image", "read", "write"),
    "_registry": ("operations",),
    "_results": ("Result", "Table", "Value"),
    "_show": ("Picture", "show"),
    "_sitk": ("from_sitk", "to_sitk"),
}.items() for name in names}


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
    """Give memory back that is kept for later calls: by the devices of this thread, and of large arrays."""
    _tesela.trim()


def __getattr__(name):
    if name.startswith("_") and name != "__all__":  # such as what Python itself looks for
        raise AttributeError(f"module 'tesela' has no attribute {name!r}")
    globals()[name] = found = _found(name)
    return found


def _found(name):
    if name in _HOMES:
        return getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=[name]), name)
    from . import _registry

    if name in _registry.names or name in _registry.families:
        return _registry.made(name)
    names = sorted([*_HOMES, "cancel", "devices", "trim", *{dotted.split(".")[0] for dotted in _registry.names}])
    if name == "__all__":
        return names
    operation = _registry.operation_of(name)
    if operation:
        found = sys.modules[__name__]
        for word in operation.split("."):
            found = getattr(found, word)
        return found.result
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    raise AttributeError(f"module 'tesela' has no attribute {name!r}"
                         + (f"; did you mean {close[0]!r}?" if close else ""))


def __dir__():
    return sorted({*globals(), *_found("__all__")})

"""Exceptions, each with the names of C++ and of Python's own kinds of errors."""

import keyword
import re


class Error(Exception):
    """Anything that Tesela cannot do. The sentence says what was wrong, where, and what to do."""


class InvalidArgument(Error, ValueError):
    """An option, size or type that the caller can correct."""


class UnreadableInput(Error, OSError):
    """A missing, empty, truncated or damaged file."""


class UnsupportedFormat(Error, OSError):
    """A readable file, or an image, of a kind or type that is not taken."""


class UnwritableOutput(Error, OSError):
    """No permission, no space, or no such folder."""


class TooNarrow(Error, ValueError):
    """The format of a file cannot hold the values without loss."""


class DeviceUnavailable(Error, RuntimeError):
    """No such device, or it failed."""


class OutOfMemory(Error, MemoryError):
    """Memory of the host or of the device ran out.

    Attributes
    ----------
    bytes_needed, bytes_free : int
        -1 where unknown.
    """

    bytes_needed = -1
    bytes_free = -1


class Cancelled(Error):
    """Stopped on request, by `tesela.cancel`."""


classes = {
    one.__name__: one
    for one in (
        Error, InvalidArgument, UnreadableInput, UnsupportedFormat, UnwritableOutput, TooNarrow,
        DeviceUnavailable, OutOfMemory, Cancelled,
    )
}


def name_of(name):
    """A name of the command line as a name of Python: "min-region" is min_region, "from" from_."""
    name = name.replace("-", "_").replace(" ", "_")
    return name + "_" if keyword.iskeyword(name) else name


_flag = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_first = re.compile(r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?= is |: )")


def as_keywords(sentence):
    """The sentence with keywords of Python in place of the command line's flags."""
    sentence = sentence.replace("'tesela devices'", "tesela.devices()")
    sentence = _first.sub(lambda match: name_of(match[0]), sentence)
    return _flag.sub(lambda match: name_of(match[1]), sentence)


def make(name, sentence, needed=-1, free=-1):
    """What the extension raises."""
    error = classes.get(name, Error)(as_keywords(sentence))
    if isinstance(error, OutOfMemory):
        error.bytes_needed, error.bytes_free = needed, free
    return error

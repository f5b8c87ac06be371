"""Images with geometry, and arrays as images."""

import functools
import os
import sys

from . import _devices, _families, _tesela
from ._errors import InvalidArgument, as_keywords

_ORDER = "tzyxc"
_SPATIAL = "xyz"
_ATTRIBUTES = ("array", "axes", "spacing", "unit", "origin", "direction", "time_step", "alpha")


def _numpy():
    import numpy

    return numpy


def warn(sentences, level=3):
    import warnings

    for sentence in sentences:
        warnings.warn(as_keywords(sentence), stacklevel=level + 1)


class Image:
    """An array with what is known of it: axes, spacing, place, names of labels.

    Parameters
    ----------
    array : array
        Anything with the buffer protocol, or what `numpy.asarray` takes.
    axes : str, optional
        A letter for each axis: t, z, y, x and c (channels). By default ``yx``, ``zyx`` or ``tzyx``
        by the number of axes, and c where `channel_axis` says.
    channel_axis : int, optional
        The axis of the channels.
    spacing : float or sequence of float, optional
        Distance of pixels along the spatial axes, in the order of the array.
    unit : {"mm", "um"}, optional
        Of `spacing`, which needs it.
    origin : sequence of float, optional
        Center of the first pixel, as x, y, z.
    direction : sequence of float, optional
        Directions of the axes x, y, z in a patient (LPS), a 3 x 3 matrix by rows.
    time_step : float, optional
        Seconds between two time points.
    alpha : bool
        The last channel is opacity.
    names : dict, optional
        What labels stand for: a text for each number.
    colors : dict, optional
        Colors of labels: red, green and blue from 0 to 255 for each number.
    """

    # Unit and lengths of pixels along axes that the array lacks, as of a volume of one slice.
    _thickness: tuple = (None, {})
    # What results are, of an array that is none of NumPy's.
    _family = None

    def __init__(self, array, *, axes=None, channel_axis=None, spacing=None, unit=None, origin=None,
                 direction=None, time_step=None, alpha=False, names=None, colors=None):
        self.array = array if hasattr(array, "shape") else _numpy().asarray(array)
        self.axes = axes or axes_of(self.array.ndim, channel_axis)
        self.spacing = _spacing(spacing, unit, self.axes)
        self.unit = unit
        self.origin = origin
        self.direction = direction
        self.time_step = time_step
        self.alpha = alpha
        self.names = dict(names or {})
        self.colors = dict(colors or {})

    def __array__(self, dtype=None, copy=None):
        numpy = _numpy()
        array = numpy.asarray(self.array, dtype)
        return array.copy() if copy else array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def ndim(self):
        return self.array.ndim

    def __repr__(self):
        spacing = f", spacing={self.spacing}, unit={self.unit!r}" if self.spacing else ""
        return f"<tesela.Image {self.array.dtype} {self.axes}={tuple(self.array.shape)}{spacing}>"

    def _repr_html_(self):
        import html

        from ._show import thumbnail

        return f"<p>{html.escape(repr(self))}</p>{thumbnail(self, bool(self.names))}"

    def with_array(self, array, axes=None, names=None, colors=None):
        """Another array in the same place."""
        image = Image.__new__(Image)
        image.__dict__.update(self.__dict__)
        image.array, image.axes = array, axes or self.axes
        image.names, image.colors = dict(names or {}), dict(colors or {})
        image.alpha = self.alpha and image.axes == self.axes and array.shape == self.array.shape
        return image

    def _changed(self, axes=None, spacing=None, unit=None, names=None):
        """The same array with what is given here in place of its own."""
        image = self.with_array(self.array, axes or self.axes, names or self.names, self.colors)
        if spacing is not None:
            image.spacing = _spacing(spacing, unit, image.axes)
            image.unit = unit
        return image

    def geometry(self):
        """As the extension takes it: by x, y and z."""
        if self.unit is None and self.time_step is None:
            return None
        geometry = {
            "origin": self.origin, "time_step": self.time_step,
            "direction": None if self.direction is None else [float(d) for d in _flat(self.direction)],
        }
        if self.unit is None:
            return geometry
        geometry["unit"] = self.unit
        if self.spacing is not None:
            by_axis = dict(zip([a for a in self.axes if a in _SPATIAL], self.spacing))
            unit, thickness = self._thickness
            others = thickness if unit == self.unit else {}
            geometry["spacing"] = [by_axis.get(axis, others.get(axis, 1.0)) for axis in _SPATIAL]
        return geometry

    @property
    def _value(self):
        """The extension's value that the array shows; no attribute once anything of the image was changed."""
        value, shown, labels = self.__dict__.get("_shown", (None, {}, {}))
        if (value is None or (self.names, self.colors) != labels
                or any(getattr(self, name) is not it for name, it in shown.items())):
            raise AttributeError("_value")
        return value

    def _keep(self, value):
        """Keep a value that holds more than the image, such as colors of classes."""
        shown = {name: getattr(self, name) for name in _ATTRIBUTES}
        self._shown = value, shown, (dict(self.names), dict(self.colors))


def _flat(matrix):
    for row in matrix:
        if hasattr(row, "__len__"):
            yield from row
        else:
            yield row


def _spacing(spacing, unit, axes):
    if spacing is None:
        return None
    if unit is None:
        raise InvalidArgument("spacing: its unit is missing: give unit=\"mm\" or unit=\"um\"")
    axes = "".join(axis for axis in axes if axis in _SPATIAL)
    numbers = [spacing] * len(axes) if not hasattr(spacing, "__len__") else list(spacing)
    if len(numbers) != len(axes):
        raise InvalidArgument(
            f"spacing: {len(numbers)} numbers for the {len(axes)} axes {axes}")
    return tuple(float(number) for number in numbers)


def micrometers(channel_axis=None, spacing=None, unit=None):
    """Micrometers of a pixel, or 0 where the file tells."""
    if spacing is None:
        return 0.0
    return _spacing(spacing, unit, "x")[0] * (1000 if unit == "mm" else 1)


def axes_of(ndim, channel_axis=None):
    """The letters of the axes of an array."""
    if channel_axis is not None and not -ndim <= channel_axis < ndim:
        raise InvalidArgument(f"channel_axis: an array of {ndim} axes has no axis {channel_axis}")
    spatial = ndim - (channel_axis is not None)
    if not 2 <= spatial <= 4:
        what = "axes" if channel_axis is None else "axes beside the channels"
        raise InvalidArgument(f"an image has 2 to 4 {what} (t, z, y, x), and this array has {spatial}")
    axes = "tzyx"[-spatial:]
    if channel_axis is None:
        return axes
    at = channel_axis % ndim
    return axes[:at] + "c" + axes[at:]


def is_numpy(value):
    """Whether it is an array of NumPy and of no class made of that."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.ndarray


def is_array(value):
    return (hasattr(value, "shape") or hasattr(value, "__array__") or hasattr(value, "__dlpack_device__")
            or hasattr(value, "__cuda_array_interface__") or isinstance(value, (memoryview, Image)))


def image_of(value, **geometry):
    """What an argument says of itself, with the keywords of the call where it says nothing."""
    if is_numpy(value):
        return Image(value, **geometry)
    if isinstance(value, Image):
        return value
    taken = _families.taken(value, geometry)
    if taken:
        image = Image(taken[0], **taken[1])
        image._family = taken[2]
        return image
    if not hasattr(value, "shape") or not hasattr(value, "__array_interface__"):
        if _devices.is_on_device(value):
            return Image(_devices.taken(value), **geometry)
        try:
            view = memoryview(value)
        except TypeError:
            by_dlpack = hasattr(value, "__dlpack_device__") and not hasattr(value, "__array__")
            value = _families.host_array_of(value) if by_dlpack else _numpy().asarray(value)
        else:
            value = value if hasattr(value, "shape") else view
    return Image(value, **geometry)


def value_of(image, role, axes=4):
    """The extension's value of an image. `role` is what it is taken as."""
    array = image.array
    count = len(image.axes) - ("c" in image.axes)
    if count > axes:
        hint = "; where the last axis is channels, give channel_axis=-1" if "c" not in image.axes else ""
        raise InvalidArgument(
            f"the array has {count} axes {image.axes.replace('c', '')}, and at most {axes} are taken{hint}")
    try:
        return _tesela.image(array, role, image.axes, image.geometry(), image.alpha,
                             image.names or None, image.colors or None)
    except (BufferError, ValueError) as error:
        if isinstance(error, InvalidArgument) or "dtype" not in str(error):
            raise
        raise TypeError(f"pixels of {array.dtype} are not taken: {error}") from None


@functools.lru_cache(maxsize=256)  # of small calls this is a tenth
def _kept_axes(shape, given, keeps_channel, own_grid):
    """The axes that a result of t, z, y, x and channels has: those of the input, but for one on another grid, and all
    that are longer than 1."""
    kept = "".join([a for a, length in zip("tzyx", shape)
                    if length > 1 or (a in given and not own_grid) or a in "yx"])
    has_channel = shape[4] > 1 or (keeps_channel and "c" in given)
    if not has_channel:
        return kept
    stays = "c" in given and (own_grid or len(given) == len(kept) + 1)
    at = sum(axis in kept for axis in given[:given.index("c")]) if stays else len(kept)
    return kept[:at] + "c" + kept[at:]


def host_array(value, axes):
    """A NumPy array on the pixels of a value on the host."""
    return _with_axes(_numpy().asarray(value), axes)


@functools.lru_cache(maxsize=256)
def _places(axes):
    """Which of t, z, y, x and channels `axes` are, in that order, and in which order they stand if in another."""
    own = [place for place, axis in enumerate(_ORDER) if axis in axes]
    order = [own.index(_ORDER.index(axis)) for axis in axes]
    return own, None if order == sorted(order) else order


def _with_axes(array, axes):
    """An array of t, z, y, x and channels as one that has `axes` alone, in their order."""
    own, order = _places(axes)
    shape = array.shape
    array = array.reshape([shape[place] for place in own])
    return array if order is None else array.transpose(order)


def array_of(value, like, keeps_channel=False, own_grid=False):
    """An array on the pixels of a value, of NumPy or of the device's library, and its axes."""
    given = like.axes if like is not None else "yx"
    if value.device:
        axes = _kept_axes(value.shape, given, keeps_channel, own_grid)
        return _devices.array_like(like.array if like is not None else None, value, axes), axes
    array = _numpy().asarray(value)
    axes = _kept_axes(array.shape, given, keeps_channel, own_grid)
    return _with_axes(array, axes), axes


def as_image(value, like=None, keeps_channel=False, own_grid=False):
    """An Image on the pixels of a value."""
    array, axes = array_of(value, like, keeps_channel, own_grid)
    facts = _tesela.facts(value)
    known = facts["unit"] or None
    by_axis = dict(zip(_SPATIAL, facts["spacing"]))
    image = Image(
        array, axes=axes, unit=known,
        spacing=[by_axis[a] for a in axes if a in _SPATIAL] if known else None,
        origin=facts["origin"] if known else None, direction=facts["direction"] if known else None,
        time_step=facts["time_step"], alpha=facts["has_alpha"],
        names={int(label): name for label, name in facts["names"].items()},
        colors={int(label): tuple(color) for label, color in facts["colors"].items()})
    image._thickness = known, by_axis
    return image


def read(path, *, labels=False, channel=None, slice=None, time=None, raw=None, series=None):
    """Read an image file.

    Parameters
    ----------
    path : str or path
        A picture, a volume, or a folder of DICOM files.
    labels : bool
        Read whole numbers as labels, uint32.
    channel : int or str, optional
        One channel, by number from 0 or by name.
    slice, time : int, optional
        One slice or time point, from 0.
    raw : str, optional
        Layout of a file without a header: ``WxHxD:TYPE[:OFFSET]``, as in ``512x512x348:u16le``.
    series : int or str, optional
        The DICOM series of a folder of several, by its number or UID.

    Returns
    -------
    Image
        With `format` (such as "NIfTI") and `channel_names` beside, and with `names` and `colors` of
        labels where the file or its side file has some.

    Raises
    ------
    UnreadableInput
        The file is missing or damaged.
    UnsupportedFormat
        Its format or pixel type is not taken.
    """
    value, facts = _tesela.read(
        os.fspath(path), "labels" if labels else "image", "" if channel is None else str(channel),
        slice, time, raw or "", "" if series is None else str(series))
    warn(facts["warnings"], 2)
    image = as_image(value)
    image.format, image.channel_names = facts["format"], facts["channel_names"]
    if image.names or image.colors:
        image._keep(value)  # with what else the file says of its labels
    return image


def write(path, image, *, labels=False, names=None, axes=None, channel_axis=None, spacing=None, unit=None,
          dicom_source=None):
    """Write an image, a label map, a table or another result into a file.

    Parameters
    ----------
    path : str or path
        The suffix decides the format; a name with a slash at its end is a folder for a DICOM series.
    image : array, Image or result
        What is written.
    labels : bool
        It is a label map: written in the smallest type that holds it, with a side file of colors,
        sizes and names.
    names : dict, optional
        What labels stand for; means `labels`.
    axes, channel_axis, spacing, unit
        Of an array, as of `Image`.
    dicom_source : str or path, optional
        The DICOM series, a folder or a file, that a DICOM series or segmentation (``.dcm``) is derived from: of its
        patient, study and place. Needed for these.
    """
    source = os.fspath(dicom_source or "")
    if isinstance(image, Image):
        own_axes = None if channel_axis is None else axes_of(image.ndim, channel_axis)
        image = image._changed(axes or own_axes, spacing, unit, names)
    if hasattr(image, "_value"):
        return warn(_tesela.write(image._value, os.fspath(path), "", source), 2)
    if isinstance(image, _tesela.Value):
        return warn(_tesela.write(image, os.fspath(path), "", source), 2)
    image = image_of(image, axes=axes, channel_axis=channel_axis, spacing=spacing, unit=unit, names=names)
    is_labels = labels or bool(image.names or image.colors)
    kind = "labels" if is_labels else "field" if os.fspath(path).endswith(".flo") else "image"
    value = value_of(image, "labels" if is_labels else "image")
    warn(_tesela.write(value, os.fspath(path), kind, source), 2)

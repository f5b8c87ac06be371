"""Pictures of images in a notebook."""

import base64
import os
import tempfile

from ._devices import on_host
from ._errors import Error
from ._images import Image, image_of, write

# Longest side of a thumbnail, in pixels.
_THUMBNAIL_SIDE = 256


class Picture:
    """A PNG that a notebook shows.

    Attributes
    ----------
    png : bytes
    """

    def __init__(self, png):
        self.png = png

    def _repr_png_(self):
        return self.png


def show(image, labels=None, *, fill=0.3, channel_axis=None, spacing=None, unit=None):
    """Show an image in a notebook, a volume by its three middle slices, with labels in their colors.

    Parameters
    ----------
    image : array or Image
        Picture or volume.
    labels : array or Image, optional
        Label map or mask on the same grid.
    fill : float
        Opacity of the labels, 0 to 1.
    channel_axis, spacing, unit
        Of an array, as of `Image`.

    Returns
    -------
    Picture
    """
    return _drawn(image_of(image, channel_axis=channel_axis, spacing=spacing, unit=unit), labels, fill=fill)


def _drawn(image, labels=None, **options):
    import numpy

    import tesela

    if labels is None:
        sides = [side for side, axis in zip(image.shape, image.axes) if axis != "c"]
        labels = numpy.zeros(sides, numpy.uint8)
    picture = tesela.overlay(image, labels=labels, **options, outputs="picture").picture
    pixels = numpy.asarray(on_host(getattr(picture, "array", picture)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        write(path, pixels.reshape(-1, *pixels.shape[-2:]), channel_axis=-1)
        with open(path, "rb") as file:
            return Picture(file.read())


def thumbnail(image, as_labels):
    """HTML of a small picture of an Image, of its first time point; nothing where there is no picture of it."""
    import numpy

    sides = [side for side, axis in zip(image.shape, image.axes) if axis in "yx"]
    step = max(1, -(-max(sides) // _THUMBNAIL_SIDE))
    steps = {"t": slice(1), "c": slice(None)}
    try:
        array = numpy.asarray(image)[tuple(steps.get(axis, slice(None, None, step)) for axis in image.axes)]
        small = Image(array, axes=image.axes, spacing=image.spacing, unit=image.unit, alpha=image.alpha)
        black = small.with_array(numpy.zeros(array.shape, "uint8"))
        picture = _drawn(black, small, fill=1, outline="none", window="0,1") if as_labels else _drawn(small)
    except (Error, TypeError):
        return ""
    return f'<img src="data:image/png;base64,{base64.b64encode(picture.png).decode()}">'

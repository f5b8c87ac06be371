"""Pictures of images in a notebook."""

import os
import tempfile

from ._images import image_of, write


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
    import numpy

    import tesela

    image = image_of(image, channel_axis=channel_axis, spacing=spacing, unit=unit)
    if labels is None:
        sides = [side for side, axis in zip(image.shape, image.axes) if axis != "c"]
        labels = numpy.zeros(sides, numpy.uint8)
    picture = tesela.overlay(image, labels=labels, fill=fill, outputs="picture").picture
    pixels = numpy.asarray(picture)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        write(path, pixels.reshape(-1, *pixels.shape[-2:]), channel_axis=-1)
        with open(path, "rb") as file:
            return Picture(file.read())

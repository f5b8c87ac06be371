"""Images of SimpleITK, with their geometry."""

from ._errors import InvalidArgument
from ._images import Image


def from_sitk(image):
    """An Image on a copy of a SimpleITK image of 2 or 3 axes: lengths are mm, channels stand last.

    Parameters
    ----------
    image : SimpleITK.Image

    Returns
    -------
    Image
        With spacing, origin and direction.
    """
    import SimpleITK

    count = image.GetDimension()
    if count not in (2, 3):
        raise InvalidArgument(f"image: SimpleITK's image has {count} axes; 2 or 3 are taken")
    has_channels = image.GetNumberOfComponentsPerPixel() > 1
    direction, origin = image.GetDirection(), image.GetOrigin()
    if count == 2:
        direction = (*direction[:2], 0.0, *direction[2:], 0.0, 0.0, 0.0, 1.0)
        origin = (*origin, 0.0)
    return Image(SimpleITK.GetArrayFromImage(image), channel_axis=-1 if has_channels else None,
                 spacing=image.GetSpacing()[::-1], unit="mm", origin=origin, direction=direction)


def to_sitk(image):
    """A SimpleITK image on a copy of an Image of 2 or 3 spatial axes; lengths become mm.

    Parameters
    ----------
    image : Image

    Returns
    -------
    SimpleITK.Image
    """
    import numpy
    import SimpleITK

    axes = image.axes.replace("c", "")
    if axes not in ("yx", "zyx"):
        raise InvalidArgument(f"image: axes are {image.axes}; yx or zyx are taken, with or without channels")
    pixels = numpy.asarray(image.array)
    if "c" in image.axes:
        pixels = numpy.moveaxis(pixels, image.axes.index("c"), -1)
    made = SimpleITK.GetImageFromArray(numpy.ascontiguousarray(pixels), isVector="c" in image.axes)
    count = len(axes)
    if image.spacing is not None:
        millimeters = 0.001 if image.unit == "um" else 1.0
        made.SetSpacing([one * millimeters for one in image.spacing[::-1]])
        if image.origin is not None:
            made.SetOrigin([float(one) * millimeters for one in image.origin][:count])
    if image.direction is not None:
        matrix = numpy.reshape(image.direction, (3, 3)).astype(float)
        made.SetDirection(matrix[:count, :count].ravel().tolist())
    return made

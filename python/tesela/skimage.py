"""Functions under scikit-image's names, where results are equal: integers exactly, floats to 1e-5.

Signatures and defaults are those of scikit-image 0.26. An argument that would lead to another result is
refused by a `TypeError`, never approximated: the operation of `tesela` itself takes more.
"""

import math

import numpy as np

import tesela

__all__ = [
    "binary_dilation", "clear_border", "graycomatrix", "label", "regionprops_table", "remove_small_objects",
    "threshold_otsu",
]

_HIGHEST = 2**32 - 1
_CONNECTIVITY = {
    2: {1: "4", 2: "8"}, 3: {1: "6", 2: "18", 3: "26"}, 4: {1: "8", 2: "32", 3: "64", 4: "80"}}
#: What `regionprops_table` takes. Tesela measures more, by other names and definitions.
_PROPERTIES = {
    "area", "area_convex", "axis_major_length", "axis_minor_length", "bbox", "centroid", "eccentricity",
    "equivalent_diameter_area", "euler_number", "extent", "feret_diameter_max", "inertia_tensor",
    "inertia_tensor_eigvals", "intensity_max", "intensity_mean", "intensity_median", "intensity_min",
    "intensity_std", "label", "orientation", "perimeter", "perimeter_crofton", "solidity",
}
_WHOLE_COLUMNS = ("label", "bbox", "euler_number")


def _refuse(function, sentence):
    raise TypeError(f"tesela.skimage.{function}: {sentence}")


def _plane(array):
    """A line as an image of one row."""
    return array[np.newaxis] if array.ndim == 1 else array


def _labels(array, function):
    """Labels in 32 bits, which Tesela has."""
    _check_whole(array, function)
    if array.size and array.min() < 0:
        raise ValueError("labels below 0 are not taken")
    if array.size and array.max() > _HIGHEST:
        _refuse(function, f"the highest label is {array.max()}; {_HIGHEST} is the highest that is taken")
    return array.astype(np.uint32)


def _check_whole(array, function):
    if array.dtype.kind not in "iu":
        _refuse(function, f"an array of whole numbers is expected, not of {array.dtype}")


def _from_zero(image, background, function):
    """Values as numbers from 0 on, and which of them is the background."""
    _check_whole(image, function)
    lowest, highest = min(int(image.min()), background, 0), max(int(image.max()), background)
    if highest - lowest > _HIGHEST:
        _refuse(function, f"values are {lowest} to {highest}; they must fit into 32 bits")
    shifted = image if lowest == 0 else image.astype(np.int64) - lowest
    return shifted.astype(np.uint32), background - lowest


def _connectivity(ndim, connectivity, function):
    if not 1 <= ndim <= 4:
        _refuse(function, f"an array of 1 to 4 axes is expected, not of {ndim}")
    connectivity = ndim if connectivity is None else connectivity
    if not 1 <= connectivity <= ndim:
        raise ValueError(f"connectivity is {connectivity}; for {ndim} axes it is 1 to {ndim}")
    return _CONNECTIVITY[max(ndim, 2)][2 if ndim == 1 else connectivity]


def _components(image, connectivity, background, function):
    """Labels, and how many there are."""
    neighbors = _connectivity(image.ndim, connectivity, function)
    if image.size == 0:
        return np.zeros(image.shape, np.uint32), 0
    if image.ndim > 2 and len(image) == 1:  # Tesela takes a volume of one slice for a picture.
        steps = min(connectivity or image.ndim, image.ndim - 1)
        labels, count = _components(image[0], steps, background, function)
        return labels[np.newaxis], count
    if image.dtype == bool:
        given = {"values": "binary"}
        image = ~image if background == 1 else image
    else:
        image, background = _from_zero(image, background or 0, function)
        given = {"values": "equal", "background": background}
    found = tesela.components(_plane(image), connectivity=neighbors, outputs="labels", **given)
    return found.labels.reshape(image.shape), found.figures["component_count"]


def label(label_image, background=None, return_num=False, connectivity=None):
    """Label connected pixels of equal value, in the order of their first pixels.

    Parameters
    ----------
    label_image : array of bool or int
        1 to 4 axes.
    background : int, optional
        The value of the background, by default 0.
    return_num : bool
        Give the number of labels too.
    connectivity : int, optional
        Steps along axes that lead to a neighbor: 1 to the number of axes, which is the default.

    Returns
    -------
    labels : array of int32 for bool, of int64 for int
    num : int
        With `return_num`.
    """
    labels, count = _components(label_image, connectivity, background, "label")
    labels = labels.astype(np.int32 if label_image.dtype == bool else np.int64)
    return (labels, count) if return_num else labels


def regionprops_table(label_image, intensity_image=None, properties=("label", "bbox"), *, cache=True,
                      separator="-", extra_properties=None, spacing=None):
    """Measure the regions of a label map, a row for each label.

    Parameters
    ----------
    label_image : array of int
        2 or 3 axes; 0 is background.
    intensity_image : array, optional
        Its values are measured; channels in an axis of their own behind the others.
    properties : sequence of str
        Names of scikit-image, of those with equal results.
    cache : bool
        Without effect.
    separator : str
        Between the name of a property and the number of a column.
    extra_properties, spacing
        Not taken.

    Returns
    -------
    dict of str to array
    """
    name = "regionprops_table"
    if extra_properties is not None or spacing is not None:
        _refuse(name, "extra_properties and spacing are not taken; tesela.measure takes spacing with its unit")
    if label_image.ndim not in (2, 3):
        _refuse(name, f"2 or 3 axes are expected, not {label_image.ndim}")
    unknown = [one for one in properties if one not in _PROPERTIES]
    if unknown:
        _refuse(name, f"{', '.join(unknown)} cannot be given equal; {', '.join(sorted(_PROPERTIES))} can")
    if intensity_image is None and any(one.startswith("intensity_") for one in properties):
        _refuse(name, "values are measured with intensity_image, which is missing")
    labels = _labels(label_image, name)
    on = {}
    if intensity_image is not None:
        on = {"on": tesela.Image(intensity_image, channel_axis=-1 if intensity_image.ndim > labels.ndim else None)}
    table = tesela.measure(labels, properties=",".join(properties), outputs="table", **on).table
    found = {}
    for one in properties:
        columns = [key for key in table if key == one or (key.startswith(one + "-") and key[len(one) + 1].isdigit())]
        if not columns:
            _refuse(name, f"{one} is not measured of {labels.ndim} axes")
        for key in columns:
            kind = np.int64 if key.split("-")[0] in _WHOLE_COLUMNS else np.float64
            found[key.replace("-", separator)] = np.array(table[key], kind)
    return found


def threshold_otsu(image=None, nbins=256, *, hist=None):
    """Otsu's threshold: values above it are foreground.

    Parameters
    ----------
    image : array of 8 or 16 bits
    nbins : int
        Without effect on whole numbers, as in scikit-image.
    hist
        Not taken.

    Returns
    -------
    int
        The highest value of the darker class.
    """
    if hist is not None or image is None:
        _refuse("threshold_otsu", "hist is not taken; give an image")
    if image.dtype.kind in "iu" and image.itemsize > 2:
        kind = next((one for one in (np.uint16, np.int16)
                     if np.iinfo(one).min <= image.min() and image.max() <= np.iinfo(one).max), image.dtype)
        return threshold_otsu(image.astype(kind)) if kind != image.dtype else _refuse(
            "threshold_otsu", f"values are {image.min()} to {image.max()}; they must fit into 16 bits")
    if image.dtype.kind not in "iu":
        _refuse("threshold_otsu", f"whole numbers of 8 or 16 bits are expected, not {image.dtype}; "
                "tesela.threshold.otsu takes other types, with thresholds between bins of its own")
    if image.min() == image.max():
        return image.flat[0]
    pixels = image.reshape(-1, image.shape[-1])
    return int(pixels[tesela.threshold.otsu(pixels, outputs="mask").mask == 0].max())


def graycomatrix(image, distances, angles, levels=None, symmetric=False, normed=False):
    """Count how often gray levels lie at distances and angles from each other.

    Parameters
    ----------
    image : array of int
        2 axes, values below `levels`.
    distances : sequence of int
        In pixels.
    angles : sequence of float
        In radians, clockwise from right.
    levels : int, optional
        1 to 256; needed where the image has more than 8 bits.
    symmetric : bool
        Count each pair in both directions.
    normed : bool
        Give shares, not counts.

    Returns
    -------
    array
        levels x levels x distances x angles, of uint32, or of float64 with `normed`.
    """
    name = "graycomatrix"
    if image.ndim != 2:
        raise ValueError(f"image has {image.ndim} axes; it must have 2")
    if image.dtype.kind not in "iu":
        raise ValueError(f"pixels are {image.dtype}; whole numbers are expected")
    if levels is None and image.itemsize > 1:
        raise ValueError(f"levels: pixels are {image.dtype}, so that the number of gray levels must be given")
    levels = 256 if levels is None else levels
    if not 1 <= levels <= 256:
        _refuse(name, f"levels is {levels}; 1 to 256 are taken")
    if image.min() < 0 or image.max() >= levels:
        raise ValueError(f"values are {image.min()} to {image.max()}; they must be 0 to {levels - 1}")
    if any(distance != int(distance) or distance < 1 for distance in distances):
        _refuse(name, "distances must be whole numbers from 1 on")
    bits = max(1, (levels - 1).bit_length())
    table = tesela.texture.glcm(
        image.astype(np.uint8) << (8 - bits), levels=1 << bits, symmetric=symmetric, outputs="matrices",
        distances=[int(one) for one in distances], angles=[math.degrees(one) for one in angles]).matrices
    counts = np.array([[table[f"{i}-{j}"] for j in range(levels)] for i in range(levels)])
    counts = counts.reshape(levels, levels, len(distances), len(angles)).astype(np.uint32)
    if not normed:
        return counts
    sums = counts.sum(axis=(0, 1), keepdims=True)
    return counts / np.where(sums == 0, 1, sums)


def _element(footprint, ndim):
    """Shape and radius of a footprint that Tesela has, or None."""
    radius = footprint.shape[0] // 2
    if footprint.ndim != ndim or footprint.shape != (2 * radius + 1,) * ndim or radius == 0:
        return None
    offsets = np.abs(np.indices(footprint.shape) - radius)
    shapes = {"box": np.ones(footprint.shape, bool), "ball": (offsets**2).sum(axis=0) <= radius**2,
              "cross": (offsets > 0).sum(axis=0) <= 1}
    return next(((shape, radius) for shape, inside in shapes.items() if np.array_equal(footprint != 0, inside)), None)


def binary_dilation(image, footprint=None, out=None, *, mode="ignore"):
    """Let the objects of a mask grow.

    Parameters
    ----------
    image : array
        1 to 3 axes; what is not 0 is object.
    footprint : array, or sequence of (array, int), optional
        A box, disk or ball, or cross of odd sides; by default the neighbors along axes.
    out : array of bool, optional
        Takes the result.
    mode : {"ignore", "min", "max"}
        Beyond the border is nothing, or, with "max", object.

    Returns
    -------
    array of bool
    """
    name = "binary_dilation"
    if mode not in ("ignore", "min", "max"):
        raise ValueError(f"mode is {mode!r}; it must be ignore, min or max")
    if not 1 <= image.ndim <= 3:
        _refuse(name, f"an array of 1 to 3 axes is expected, not of {image.ndim}")
    if footprint is None:
        steps = [(("cross", 1), 1)]
    else:
        several = isinstance(footprint, (list, tuple)) and all(isinstance(one, tuple) for one in footprint)
        steps = [(_element(np.asarray(one), image.ndim), count)
                 for one, count in (footprint if several else [(footprint, 1)])]
    if any(element is None for element, _ in steps):
        _refuse(name, "footprint must be a box, a disk or ball, or a cross, of equal odd sides from 3 on")
    grown = np.asarray(image) != 0
    for (shape, radius), count in steps:
        for _ in range(count):
            around = radius if mode == "max" else 0
            padded = _plane(np.pad(grown, around, constant_values=True))
            wide = tesela.morphology.dilate(padded, radius=radius, shape=shape).image.astype(bool)
            wide = wide[0] if grown.ndim == 1 else wide
            grown = wide[(slice(around, -around or None),) * grown.ndim]
    if out is None:
        return grown
    out[...] = grown
    return out


def remove_small_objects(ar, min_size=None, connectivity=1, *, max_size=64, out=None):
    """Remove small objects of a mask, or labels of few pixels.

    Parameters
    ----------
    ar : array of bool or int
        Labels must not be negative.
    min_size
        Not taken: scikit-image has given it up.
    connectivity : int
        Of a mask, as of `label`.
    max_size : int
        Removes what has at most so many pixels.
    out : array, optional
        Takes the result.

    Returns
    -------
    array
        Of the type of `ar`.
    """
    name = "remove_small_objects"
    if min_size is not None:
        _refuse(name, "min_size is not taken; give max_size, the size of the largest objects that are removed")
    if ar.dtype == bool:
        kept, given = ar, {"connectivity": _connectivity(ar.ndim, connectivity, name)}
    else:
        kept, given = _labels(ar, name), {"labels": True}
    if max_size >= 1 and ar.size:
        kept = tesela.mask.remove_small(_plane(kept), min_size=math.floor(max_size) + 1, **given).image
        kept = kept.reshape(ar.shape)
    if out is None:
        return kept.astype(ar.dtype)
    out[...] = kept
    return out


def clear_border(labels, buffer_size=0, bgval=0, mask=None, *, out=None):
    """Remove connected objects of a mask or label map that touch the border.

    Parameters
    ----------
    labels : array of bool or int
        1 to 4 axes.
    buffer_size : int
        Pixels beside the outermost ones that are border too.
    bgval : int
        What removed objects become, and the background with them where it touches the border.
    mask : array of bool, optional
        Its False pixels are border, in place of the image's.
    out : array, optional
        Takes the result.

    Returns
    -------
    array
        Of the type of `labels`.
    """
    if mask is None:
        if any(buffer_size >= side for side in labels.shape):
            raise ValueError(f"buffer_size is {buffer_size}, and the image {labels.shape}: nothing would be inside")
        border = np.ones(labels.shape, bool)
        border[tuple(slice(buffer_size + 1, side - buffer_size - 1) for side in labels.shape)] = False
    else:
        if mask.dtype != bool:
            raise TypeError(f"mask: an array of bool is expected, not of {mask.dtype}")
        if mask.shape != labels.shape:
            raise ValueError(f"mask is {mask.shape}, and labels are {labels.shape}: shapes must be equal")
        border = ~mask
    objects, count = _components(labels, None, 0, "clear_border")
    touching = np.zeros(count + 1, bool)
    touching[objects[border]] = True
    if out is None:
        out = labels.copy()
    else:
        out[...] = labels
    out[touching[objects]] = bgval
    return out

"""Layers of napari as images, and results as layers."""

from ._errors import InvalidArgument
from ._families import unit_of
from ._images import Image, axes_of, image_of
from ._parameters import LABEL_KINDS
from ._results import Table

_LABELS = LABEL_KINDS | {"mask", "classes"}
_UNITS = {"mm": "millimeter", "um": "micrometer"}


def image_of_layer(name, layer):
    """The pixels of a layer with its scale, where that is a length."""
    from napari.layers import Image as ImageLayer
    from napari.layers import Labels

    import numpy

    if not isinstance(layer, (ImageLayer, Labels)):
        raise TypeError(f"{name}: a layer of an image or of labels is expected, not of {type(layer).__name__.lower()}")
    array = numpy.asarray(layer.data[0] if layer.multiscale else layer.data)
    if isinstance(layer, Labels) and array.dtype.itemsize == 8:  # as other plugins make them
        array = _narrowed(name, array)
    is_rgb = getattr(layer, "rgb", False)
    named = "".join(layer.axis_labels)
    axes = named + "c" * is_rgb if set(layer.axis_labels) <= set("tzyx") else axes_of(array.ndim, -1 if is_rgb else None)
    spatial = [at for at, axis in enumerate(axes.replace("c", "")) if axis in "zyx"]
    units = {unit_of(str(layer.units[at])) for at in spatial}
    if len(units) != 1 or None in units:
        return Image(array, axes=axes)
    return Image(array, axes=axes, spacing=[float(layer.scale[at]) for at in spatial], unit=units.pop())


def _narrowed(name, labels):
    import numpy

    if labels.size and (labels.min() < 0 or labels.max() >= 2**32):
        raise InvalidArgument(f"{name}: labels are from 0 to 4294967295")
    return labels.astype(numpy.uint32)


def layers_of(result, call, source):
    """The arrays of a result as napari's tuples of data, attributes and kind of layer; `source` was the input."""
    made = []
    for keyword, output in zip(call.output_names, call.outputs):
        value = result.__dict__.get(keyword)
        if value is not None and output["form"] == "array" or isinstance(value, Image):
            made += _layers_of_image(image_of(value), output["kind"], keyword, source)
    features = next((_features(value) for value in result if isinstance(value, Table) and "label" in value), None)
    labels = next((attributes for _, attributes, kind in made if kind == "labels"), None)
    if features and labels is not None:
        labels["features"] = features
    elif features and _is_labels(source):
        source.features = features
    return made


def _is_labels(layer):
    from napari.layers import Labels

    return isinstance(layer, Labels)


def _features(table):
    """Columns as napari takes them: `index` is the label."""
    return {"index": table["label"], **table}


def _layers_of_image(image, kind, name, source):
    import numpy

    # Masks and labels that are changed stay what they are.
    stays = _is_labels(source) and image.array.dtype.kind in "ui"
    name = f"{source.name} {name}" if source is not None else name
    attributes = _place(image, source)
    if "c" not in image.axes:
        return [(image.array, {**attributes, "name": name}, "labels" if kind in _LABELS or stays else "image")]
    array = numpy.moveaxis(image.array, image.axes.index("c"), -1)
    if array.shape[-1] in (3, 4) and array.dtype == numpy.uint8:
        return [(array, {**attributes, "name": name, "rgb": True}, "image")]
    return [(array[..., channel], {**attributes, "name": f"{name} {channel}"}, "image")
            for channel in range(array.shape[-1])]


def _place(image, source):
    """Where the layer lies: as its source, if it has as many pixels, else by the spacing alone."""
    axes = [axis for axis in image.axes if axis != "c"]
    shape = tuple(length for length, axis in zip(image.array.shape, image.axes) if axis != "c")
    if source is not None and source.data.shape[:source.ndim] == shape:
        return {"scale": source.scale, "translate": source.translate, "rotate": source.rotate, "shear": source.shear,
                "affine": source.affine, "units": source.units}
    if image.spacing is None:
        return {}
    by_axis = dict(zip([axis for axis in axes if axis in "zyx"], image.spacing))
    return {"scale": [by_axis.get(axis, 1) for axis in axes],
            "units": [_UNITS[image.unit] if axis in by_axis else "pixel" for axis in axes]}

"""Arrays of PyTorch, xarray and whatever else offers DLPack: their pixels, and results of their kind."""

import sys

from ._devices import is_of, is_on_device
from ._errors import InvalidArgument

_LETTERS = {"t": "t", "time": "t", "z": "z", "y": "y", "x": "x", "c": "c", "channel": "c"}
_UNITS = {"mm": "mm", "millimeter": "mm", "millimeters": "mm", "um": "um", "micrometer": "um",
          "micrometers": "um", "micron": "um", "microns": "um", "\u00b5m": "um", "\u03bcm": "um"}


def unit_of(text):
    """"mm" or "um" by any of its names, or None."""
    return _UNITS.get(text.strip().lower())


class Torch:
    """Tensors of PyTorch: of the host's memory as NumPy's arrays, of CUDA as they are."""

    @staticmethod
    def array_of(tensor):
        if tensor.device.type == "cuda":
            return tensor.detach()
        if tensor.device.type != "cpu":
            raise TypeError(f"a tensor on {tensor.device} is not taken: bring it to the host by .cpu()")
        try:
            return tensor.detach().numpy()
        except (TypeError, RuntimeError) as error:
            raise TypeError(f"a tensor of {tensor.dtype} is not taken: {error}".split("\n", 1)[0]) from None

    def result_of(self, array, axes, own_grid=False):
        del axes, own_grid
        torch = sys.modules["torch"]
        if isinstance(array, torch.Tensor):
            return array
        if not hasattr(torch, str(array.dtype)):
            raise TypeError(f"this PyTorch has no {array.dtype}: give a NumPy array, such as tensor.numpy(), "
                            "or take PyTorch 2.3 or later")
        return torch.from_numpy(array if array.flags.writeable else array.copy())


class XArray:
    """A DataArray: results have its dimensions, coordinates, attributes and name."""

    def __init__(self, array, channel_axis):
        self.array = array
        letters = [_LETTERS.get(str(name).lower(), "") for name in array.dims]
        distinct = set(letters)
        named = "" not in distinct and len(distinct) == len(letters) and distinct >= {"y", "x"}
        self.axes = "".join(letters) if named and channel_axis is None else None

    def spacing(self):
        """Keywords of `Image` that the coordinates stand for; none where an axis has no unit or no step."""
        names = {axis: name for axis, name in zip(self.axes, self.array.dims) if axis in "zyx"}
        steps = {axis: self._step(name) for axis, name in names.items()}
        units = {self._unit(name) for name in names.values()}
        if None in steps.values() or None in units:
            return {}
        if len(units) > 1:
            raise InvalidArgument(f"the coordinates are in different units ({', '.join(sorted(units))}): use one")
        origin, direction = [0.0] * 3, [[float(i == j) for j in range(3)] for i in range(3)]
        for at, axis in enumerate("xyz"):
            if axis in names:
                origin[at] = float(self.array.coords[names[axis]].values[0])
                direction[at][at] = 1.0 if steps[axis] > 0 else -1.0
        return {"spacing": [abs(step) for step in steps.values()], "unit": units.pop(), "origin": origin,
                "direction": direction}

    def _unit(self, name):
        if name not in self.array.coords:
            return None
        return unit_of(str(self.array.coords[name].attrs.get("units")))

    def _step(self, name):
        """The distance of neighbors, or None where there are no coordinates to tell."""
        if name not in self.array.coords or self.array.sizes[name] < 2:
            return None
        values = self.array.coords[name].values
        if values.ndim != 1 or values.dtype.kind not in "iuf":
            return None
        import numpy

        rounding = 4 * numpy.finfo(values.dtype).eps * abs(values).max() if values.dtype.kind == "f" else 0
        values = values.astype("float64")
        step = (values[-1] - values[0]) / (len(values) - 1)
        steps = values[1:] - values[:-1]
        if not step or not (abs(steps - step) <= 1e-4 * abs(step) + rounding).all():
            raise InvalidArgument(f"the coordinates of '{name}' are not even: an image has one distance along "
                                  "an axis; interpolate it, or drop them by .drop_vars")
        return step

    def result_of(self, array, axes, own_grid=False):
        if own_grid:  # whose axes are others, and have no coordinates
            return type(self.array)(array, dims=list(axes), attrs=self.array.attrs, name=self.array.name)
        own = dict(zip(self.axes, self.array.dims))
        dims = [own.get(axis, axis) for axis in axes]
        lengths = dict(zip(dims, array.shape))
        coords = {name: coord for name, coord in self.array.coords.items()
                  if all(lengths.get(dim) == length for dim, length in coord.sizes.items())}
        return type(self.array)(array, dims=dims, coords=coords, attrs=self.array.attrs, name=self.array.name)


def host_array_of(value):
    """A NumPy array on the memory of what offers DLPack on the host."""
    import numpy

    try:
        return numpy.from_dlpack(value)
    except (ValueError, BufferError) as error:
        raise InvalidArgument(
            f"the array does not lend its memory by DLPack, which a capsule does once: {error}") from None


def taken(value, geometry):
    """An array, its keywords of `Image`, and the family that results belong to; None for no such array."""
    if is_of(value, "torch", "Tensor"):
        return Torch.array_of(value), geometry, Torch()
    if not is_of(value, "xarray", "DataArray"):
        return None
    from ._images import axes_of

    channel_axis = geometry.get("channel_axis")
    family = XArray(value, channel_axis)
    family.axes = geometry.get("axes") or family.axes or axes_of(value.ndim, channel_axis)
    keywords = {**geometry, "channel_axis": None, "axes": family.axes}
    if keywords.get("spacing") is None:
        keywords.update(family.spacing())
    return (value.data if is_on_device(value.data) else value.values), keywords, family

"""Arrays on devices: those of CuPy, PyTorch and whatever else lends its memory there, and our own."""

import sys

from . import _tesela
from ._errors import InvalidArgument

# Of DLPack's numbers, those that name a device.
_DEVICES = {1: "cpu", 2: "cuda", 3: "cuda host", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm",
            11: "rocm host", 13: "cuda managed", 14: "oneapi"}
_HOST = (1, 3)
_CUDA = (2, 13)
_NUMBERS = {"cpu": 1, "cuda": 2, "opencl": 4}
_DEFAULT_STREAM = 1  # of CUDA, for which libraries have 0


class DeviceArray:
    """An array in the memory of a device, as of results whose input was on one.

    Functions of Tesela take it where it lies. CuPy, PyTorch and others do so too, by `__dlpack__` and
    ``__cuda_array_interface__``, and their streams wait for what is computed; it is not written to by us.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    device : str
        As `device` of functions takes it, such as "cuda:0".
    """

    def __init__(self, held, axes):
        lengths = dict(zip("tzyxc", held.shape))
        self._held, self._axes, self._dtype = held, axes, held.dtype
        self.shape = tuple(lengths[axis] for axis in axes)
        self.device = held.device

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def dtype(self):
        import numpy

        return numpy.dtype(self._dtype)

    def numpy(self):
        """A copy on the host."""
        from ._images import host_array

        return host_array(_tesela.place(self._held, ""), self._axes)

    get = numpy

    def __array__(self, *_, **__):
        raise TypeError(f"an array on {self.device} is brought to the host by .numpy()")

    def __dlpack_device__(self):
        name, _, number = self.device.partition(":")
        return _NUMBERS[name], int(number or 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(f"the array lies on {self.device} and is lent as it is: copy what .numpy() gives")
        if stream == 0:
            raise InvalidArgument("stream: 0 stands for several: 1 is the default one, 2 that of a thread")
        if not self.device.startswith("cuda") or stream == -1:
            stream = None
        elif stream is None:
            stream = _DEFAULT_STREAM
        return _tesela.dlpack(self._held, self._axes, stream, bool(max_version and max_version[0] >= 1))

    @property
    def __cuda_array_interface__(self):
        if not self.device.startswith("cuda"):
            raise AttributeError(f"an array on {self.device} has no __cuda_array_interface__")
        return _tesela.interface(self._held, self._axes)

    def __repr__(self):
        return f"<tesela.DeviceArray {self._dtype} {self.shape} on {self.device}>"


def asarray(array, device="auto"):
    """An array on a device, for several functions that follow one another there.

    Parameters
    ----------
    array : array
        Of 2 to 5 axes.
    device : str
        As of functions: "auto", "cuda", "cuda:1", "opencl:0".

    Returns
    -------
    DeviceArray
    """
    from ._images import image_of, value_of

    ndim = getattr(array, "ndim", 0)
    image = image_of(array, **({"axes": "tzyxc"} if ndim == 5 else {}))
    return DeviceArray(_tesela.place(value_of(image, "image"), device), image.axes)


class Bare:
    """An array that has an interface and nothing else."""

    def __init__(self, array):
        self.shape = shape_of(array)
        self.ndim = len(self.shape)
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def shape_of(array):
    if hasattr(array, "shape"):
        return tuple(array.shape)
    if hasattr(array, "__cuda_array_interface__"):
        return tuple(array.__cuda_array_interface__["shape"])
    name, number = array.__dlpack_device__()
    raise TypeError(f"an array on {_DEVICES[int(name)]}:{number} that does not tell its shape is not taken")


def is_on_device(value):
    """Whether an array lies on a device that takes it there. TypeError for other devices."""
    if isinstance(value, DeviceArray) or is_of(value, "cupy", "ndarray"):
        return True
    if not hasattr(value, "__dlpack_device__"):
        return hasattr(value, "__cuda_array_interface__")
    kind, number = (int(one) for one in value.__dlpack_device__())
    if kind in _HOST or kind in _CUDA:
        return kind in _CUDA
    name = _DEVICES.get(kind, f"device {kind} of DLPack")
    raise TypeError(f"an array on {name}:{number} is not taken: bring it to the host")


def on_host(array):
    """What NumPy takes."""
    for name in ("get", "cpu"):
        if hasattr(array, name):
            return getattr(array, name)()
    return array


def taken(value):
    """The same with a shape."""
    return value if hasattr(value, "ndim") else Bare(value)


def is_of(value, package, name):
    """Without an import of the package: who has one of its arrays has imported it."""
    module = sys.modules.get(package)
    return module is not None and isinstance(value, getattr(module, name, ()))


def stream_of(array):
    """The stream that the library of an array gives its work to now, by CUDA's numbers; None where it is not known."""
    if is_of(array, "cupy", "ndarray"):
        return _cupy_stream(array.data.device_id)
    if is_of(array, "torch", "Tensor"):
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream or _DEFAULT_STREAM
    return None


def _cupy_stream(device):
    return sys.modules["cupy"].cuda.get_current_stream(device).ptr or _DEFAULT_STREAM


def _cupy_array(value, axes):
    """By its address, which takes a fraction of the time of DLPack's calls."""
    cupy = sys.modules["cupy"]
    number = int(value.device.partition(":")[2])
    address, size, shape, strides, is_own = _tesela.lend(value, axes, _cupy_stream(number))
    memory = cupy.cuda.UnownedMemory(address, size, value, number)  # which keeps the value
    array = cupy.ndarray(shape, value.dtype, cupy.cuda.MemoryPointer(memory, 0), strides)
    return array if is_own else array.copy()  # CuPy's arrays can be written to, and this is an input's memory


def array_like(sample, value, axes):
    """An image on a device as an array of the library of another array, on the same memory."""
    if is_of(sample, "cupy", "ndarray"):
        return _cupy_array(value, axes)
    array = DeviceArray(value, axes)
    if not is_of(sample, "torch", "Tensor"):
        return array
    try:
        return sys.modules["torch"].from_dlpack(array)
    except (RuntimeError, BufferError, TypeError) as error:
        raise TypeError(f"torch takes no {array.dtype} of a device: {error}".split("\n", 1)[0]) from None

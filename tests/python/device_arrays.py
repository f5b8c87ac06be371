"""The kinds of arrays on a device that tests use, and what is common to the tests of them."""

import importlib.util
import os
import unittest
import warnings

import numpy as np
import recipes

import tesela

DEVICES = [d["id"] for d in tesela.devices() if not d["problem"]]
TESTED = os.environ.get("TESELA_TEST_DEVICES", "cpu,cuda").split(",")
# One of each kind.
OWN = [next(d for d in DEVICES if d.startswith(kind)) for kind in TESTED if any(d.startswith(kind) for d in DEVICES)]
HAS_CUDA = "cuda:0" in DEVICES


class Own:
    """tesela.DeviceArray."""

    array_type = tesela.DeviceArray

    def __init__(self, device):
        self.name = self.device = device

    def put(self, array):
        return tesela.asarray(array, self.device)

    def host(self, array):
        return array.numpy()


class Cupy:
    name, device = "cupy", "cuda:0"

    def __init__(self):
        import cupy

        self.package, self.array_type = cupy, cupy.ndarray

    def put(self, array):
        return self.package.asarray(array)

    def host(self, array):
        return array.get()

    def address(self, array):
        return array.data.ptr

    def free_memory(self):
        self.package.get_default_memory_pool().free_all_blocks()
        return self.package.cuda.runtime.memGetInfo()[0]

    def late(self, value, size):
        """An array to which a stream that is not waited for writes `value` last, and the stream."""
        array = self.package.zeros(size, self.package.uint8)
        self.package.cuda.Device().synchronize()
        stream = self.package.cuda.Stream(non_blocking=True)
        with stream:
            for i in range(300):
                array.fill(i % 7)
            array[...] = self.package.asarray(value)
        return array, stream


class Torch:
    name, device = "torch", "cuda:0"

    def __init__(self):
        import torch

        self.package, self.array_type = torch, torch.Tensor

    def put(self, array):
        return self.package.from_numpy(np.ascontiguousarray(array)).cuda()

    def host(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def free_memory(self):
        self.package.cuda.empty_cache()
        return self.package.cuda.mem_get_info()[0]

    def late(self, value, size):
        array = self.package.zeros(size, dtype=self.package.uint8, device="cuda")
        last = self.put(value)
        self.package.cuda.synchronize()
        stream = self.package.cuda.Stream()
        with self.package.cuda.stream(stream):
            for i in range(300):
                array.fill_(i % 7)
            array.copy_(last)
        return array, stream


def libraries():
    found = []
    for package, family in (("cupy", Cupy), ("torch", Torch)):
        if HAS_CUDA and importlib.util.find_spec(package):
            family = family()
            if package == "cupy" or family.package.cuda.is_available():
                found.append(family)
    return found


LIBRARIES = libraries()
FAMILIES = [Own(device) for device in OWN] + LIBRARIES


class DevicesTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.image = recipes.picture()

    def each(self, families=None):
        for family in FAMILIES if families is None else families:
            with self.subTest(family=family.name):
                yield family

    def assert_like(self, family, made, expected):
        self.assertIsInstance(made, family.array_type)
        np.testing.assert_array_equal(family.host(made), expected)

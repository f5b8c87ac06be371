"""Memory of devices that libraries lend to one another, and the order of their streams."""

import ctypes
import gc
import mmap
import resource
import sys
import types
import unittest
import unittest.mock

import numpy as np
from device_arrays import HAS_CUDA, LIBRARIES, OWN, DevicesTest

import tesela
from tesela import _devices, _images, _tesela

otsu = tesela.threshold.otsu


class LentTest(DevicesTest):
    """Results as other libraries take them."""

    def made_on(self, device):
        return tesela.image.flip(tesela.asarray(self.image, device)).image

    def test_numpy_takes_those_of_the_cpu(self):
        made = self.made_on("cpu")
        lent = np.from_dlpack(made)
        del made
        gc.collect()
        _tesela.close()
        np.testing.assert_array_equal(lent, self.image[:, ::-1])

    def test_opencl_lends_to_nobody(self):
        for device in [one for one in OWN if one.startswith("opencl")]:
            made = self.made_on(device)
            self.assertEqual(made.__dlpack_device__()[0], 4)
            with self.assertRaisesRegex(BufferError, "bring it to the host by .numpy"):
                made.__dlpack__()

    def test_capsules_of_both_versions(self):
        made = self.made_on("cpu")
        for version, name in ((None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), "dltensor_versioned"),
                              ((2, 3), "dltensor_versioned")):
            self.assertIn(f'"{name}"', repr(made.__dlpack__(max_version=version)))

    def test_arrays_that_are_read_only_need_version_1(self):
        made = self.made_on("cpu")
        same = tesela.asarray(made, "cpu")  # on the memory of the other
        for version in (None, (0, 8)):
            with self.assertRaisesRegex(BufferError, r"read only.*max_version=\(1, 0\)"):
                same.__dlpack__(max_version=version)
        for array, is_read_only in ((made, 0), (same, 1)):
            self.assertEqual(flags_of(array.__dlpack__(max_version=(1, 0))) & 1, is_read_only)

    def test_arrays_that_are_only_placed_leave_no_memory_behind(self):
        image = np.zeros((1024, 1024), np.uint8)
        for device in OWN:
            def place(count, device=device):
                for _ in range(count):
                    tesela.asarray(image, device)

            place(20)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            place(200)
            self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 64 << 10)

    def test_axes_in_any_order_come_back(self):
        for device in OWN:
            for axes in ("xy", "xyz", "zcyx", "xcy"):
                array = np.arange(np.prod(range(3, 3 + len(axes)))).astype(np.int32).reshape(range(3, 3 + len(axes)))
                placed = tesela.asarray(tesela.Image(array, axes=axes), device)
                np.testing.assert_array_equal(placed.numpy(), array)

    def test_the_host_is_brought_by_name(self):
        made = self.made_on("cpu")
        for call in (made.__array__, lambda: np.asarray(made)):
            with self.assertRaisesRegex(TypeError, "brought to the host by .numpy"):
                call()
        for wrong in ({"copy": True}, {"dl_device": (2, 0)}):
            with self.assertRaisesRegex(BufferError, "lies on cpu"):
                made.__dlpack__(**wrong)
        with self.assertRaisesRegex(ValueError, "0 stands for several"):
            made.__dlpack__(stream=0)
        self.assertFalse(hasattr(made, "__cuda_array_interface__"))
        self.assertIn("uint8 (61, 97) on cpu", repr(made))
        self.assertEqual((made.dtype, made.ndim, made.shape), (np.uint8, 2, (61, 97)))

    @unittest.skipUnless(HAS_CUDA, "there is no device of CUDA")
    def test_libraries_share_the_memory(self):
        for family in self.each(LIBRARIES):
            made = self.made_on("cuda:0")
            face = made.__cuda_array_interface__
            lent = family.package.from_dlpack(made)
            self.assertEqual(family.address(lent), face["data"][0])
            by_face = family.package.as_tensor(made, device="cuda") if family.name == "torch" else family.package.asarray(made)
            self.assertEqual(family.address(by_face), face["data"][0])
            self.assertEqual((face["shape"], face["strides"], face["typestr"]), ((61, 97), (97, 1), "|u1"))
            del made
            gc.collect()
            self.assert_like(family, lent, self.image[:, ::-1])
            self.assert_like(family, by_face, self.image[:, ::-1])


def flags_of(capsule):
    """Those of DLPack's version 1, behind two numbers of the version and two pointers."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.c_uint64.from_address(pointer_of(capsule, b"dltensor_versioned") + 24).value


class Lender:
    """Offers DLPack and nothing else, of one version."""

    def __init__(self, array, version=None, device=None):
        self.array, self.version, self.device, self.asked = array, version, device, []
        self.shape, self.ndim = array.shape, array.ndim

    def __dlpack_device__(self):
        return self.device or self.array.__dlpack_device__()

    def __dlpack__(self, stream=None, **keywords):
        self.asked.append((stream, keywords))
        if keywords and self.version is None:
            raise TypeError("this library knows no max_version")
        return self.array.__dlpack__(**({"max_version": self.version} if self.version else {}))


class BorrowedTest(DevicesTest):
    """The path of arrays on a device with memory of the host: of NumPy in version 0, our own in both."""

    def value(self, array, role="image", axes="yx"):
        return _tesela.image(array, role, axes, None, False, None, None)

    def pixels(self, value, axes="yx"):
        return _images.host_array(_tesela.place(value, ""), axes)

    def lenders(self):
        flipped = np.ascontiguousarray(self.image[:, ::-1])
        yield Lender(flipped)
        for version in (None, (1, 0)):
            yield Lender(tesela.image.flip(tesela.asarray(self.image, "cpu")).image, version)

    def test_memory_is_used_where_it_lies(self):
        for lender in self.lenders():
            value = self.value(lender)
            self.assertEqual(lender.asked[0], (None, {"max_version": (1, 0)}))
            self.assertEqual(_tesela.facts(value)["device"], "cpu")
            np.testing.assert_array_equal(self.pixels(value), self.image[:, ::-1])
            lender.array = None
            gc.collect()
            np.testing.assert_array_equal(self.pixels(value), self.image[:, ::-1])

    def test_strides_and_offsets(self):
        volume = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
        for dtype in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"):
            whole = volume.astype(dtype)
            for part, axes in ((whole[0], "zyx"), (whole[:, 1], "zyx"), (whole[..., 2], "zyx"), (whole[:, ::2, 1:], "tzyx"),
                               (whole[:, :, ::-1, ::-2], "tzyx"), (whole.T, "tzyx"), (whole[1], "yxc"),
                               (whole[0], "cyx"), (whole[:, :, :, ::2], "zyxc"), (whole, "czyx")):
                value = self.value(Lender(part), axes=axes)
                np.testing.assert_array_equal(self.pixels(value, axes), part)
        with self.assertRaisesRegex(ValueError, "channels of an image in time are apart"):
            self.value(Lender(np.zeros((2, 3, 4, 5, 6), np.uint8)[..., ::2]), axes="tzyxc")

    def test_roles(self):
        mask = self.pixels(self.value(Lender((self.image // 128 * 7)[:, ::2]), "mask"))
        np.testing.assert_array_equal(mask, np.where(self.image[:, ::2] > 127, 255, 0))
        mask = self.pixels(self.value(Lender(self.image[3:].astype(np.float32) - 120), "mask"))
        np.testing.assert_array_equal(mask, np.where(self.image[3:] != 120, 255, 0))
        labels = self.pixels(self.value(Lender(self.image.astype(np.int64)[::-1]), "labels"))
        np.testing.assert_array_equal(labels, self.image[::-1])
        self.assertEqual(labels.dtype, np.uint32)
        with self.assertRaisesRegex(ValueError, "from 0 to 4294967295"):
            self.value(Lender(self.image.astype(np.int16) - 99), "labels")

    def test_refusals(self):
        for dtype, sentence in (("float16", "float16 are not taken"), ("int64", "int64 are not taken"),
                                ("complex64", "complex numbers")):
            with self.assertRaisesRegex(TypeError, sentence):
                self.value(Lender(self.image.astype(dtype)))
        with self.assertRaisesRegex(ValueError, "every axis needs"):
            self.value(Lender(self.image[:0]))
        with self.assertRaisesRegex(ValueError, "has 2 axes, not the 3"):
            self.value(Lender(self.image), axes="zyx")
        for device in ((4, 0), (7, 1), (99, 0)):
            with self.assertRaisesRegex(TypeError, f"device {device[0]}:{device[1]} of DLPack is not taken"):
                self.value(Lender(self.image, device=device))
            with self.assertRaisesRegex(TypeError, "is not taken: bring it to the host"):
                otsu(Lender(self.image, device=device))

    def test_a_capsule_is_used_once(self):
        class UsedUp(Lender):
            capsule = self.image.__dlpack__()

            def __dlpack__(self, **keywords):
                return self.capsule

        lender = UsedUp(self.image)
        self.value(lender)
        with self.assertRaisesRegex(tesela.InvalidArgument, "which a capsule does once"):
            self.value(lender)

    def test_an_error_of_the_lender_is_told(self):
        class Failing(Lender):
            def __dlpack__(self, **keywords):
                raise BufferError("it is read-only")

        with self.assertRaisesRegex(BufferError, "read-only"):
            self.value(Failing(self.image))

    def test_many_calls_keep_no_memory(self):
        lender = Lender(np.zeros((256, 256), np.uint8))

        def call(count):
            for _ in range(count):
                lender.asked.clear()
                self.value(lender)

        call(500)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        references = sys.getrefcount(lender.array)
        call(10000)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4096)
        tesela.trim()
        self.assertLessEqual(sys.getrefcount(lender.array), references + 1)


class Interface:
    """Has __cuda_array_interface__ and nothing else."""

    def __init__(self, array=None, **changed):
        face = getattr(array, "__cuda_array_interface__", None) or {
            "shape": (61, 97), "typestr": "|u1", "data": (4096, False), "version": 3}
        self.array, self.__cuda_array_interface__ = array, {**face, **changed}


class Refusing(mmap.mmap):
    """Has the buffer protocol and lends nothing by it, as arrays of CuPy."""

    __cuda_array_interface__ = Interface().__cuda_array_interface__
    shape, ndim = (61, 97), 2

    def __new__(cls):
        made = super().__new__(cls, -1, 1)
        made.close()
        return made


class InterfaceTest(DevicesTest):
    def test_a_machine_without_cuda_says_so(self):
        if HAS_CUDA:
            self.skipTest("there is a device of CUDA")
        for array in (Interface(), Lender(self.image, device=(2, 0)), Refusing(), Refusing()):
            with self.assertRaisesRegex(tesela.DeviceUnavailable, "cannot be used where it lies: .*cuda.*to the host"):
                otsu(array)

    def test_refusals(self):
        error = "is no image|no dict|no 1 to 6|another number of strides|mask of its own|float16 are not"
        for changed in ({"typestr": "<c8"}, {"typestr": "x"}, {"mask": 1}, {"strides": (97,)}, {"strides": ()},
                        {"typestr": "<f2"} if HAS_CUDA else {"typestr": "|O8"}):
            with self.assertRaisesRegex((TypeError, ValueError), error):
                otsu(Interface(**changed))

    @unittest.skipUnless(LIBRARIES, "neither CuPy nor PyTorch with CUDA is there")
    def test_memory_is_used_where_it_lies(self):
        for family in self.each(LIBRARIES):
            array = family.put(self.image)
            for lent in (Interface(array), Interface(array, stream=None), Interface(array, version=2)):
                found = tesela.image.flip(lent)
                self.assertIsInstance(found.image, tesela.DeviceArray)
                self.assertEqual(found.work["bytes_copied"], 0)
                np.testing.assert_array_equal(found.image.numpy(), self.image[:, ::-1])
            with self.assertRaisesRegex(ValueError, "stream 0, which stands for several"):
                otsu(Interface(array, stream=0))


class LibrariesTest(unittest.TestCase):
    """What libraries are asked, of doubles of them."""

    def package(self, name, **parts):
        module = types.ModuleType(name)
        vars(module).update(parts)
        return unittest.mock.patch.dict(sys.modules, {name: module})

    def test_the_stream_of_a_library_is_that_of_the_array_on_its_device(self):
        for handle, expected in ((0, 1), (2, 2), (0x7F00, 0x7F00)):
            asked = []
            array = type("ndarray", (), {"data": types.SimpleNamespace(device_id=1)})
            cuda = types.SimpleNamespace(get_current_stream=lambda device, handle=handle: asked.append(device) or
                                         types.SimpleNamespace(ptr=handle))
            with self.package("cupy", ndarray=array, cuda=cuda):
                self.assertEqual(_devices.stream_of(array()), expected)
                self.assertTrue(_devices.is_on_device(array()))  # without a question to it
            self.assertEqual(asked, [1])
            asked = []
            tensor = type("Tensor", (), {"device": "cuda:1"})
            cuda = types.SimpleNamespace(current_stream=lambda device, handle=handle: asked.append(device) or
                                         types.SimpleNamespace(cuda_stream=handle))
            with self.package("torch", Tensor=tensor, cuda=cuda):
                self.assertEqual(_devices.stream_of(tensor()), expected)
            self.assertEqual(asked, ["cuda:1"])

    def test_results_are_arrays_of_cupy_by_their_address(self):
        kept = []
        cuda = types.SimpleNamespace(
            get_current_stream=lambda device: types.SimpleNamespace(ptr=0x7F00),
            UnownedMemory=lambda *described: kept.append(described) or described,
            MemoryPointer=lambda memory, offset: (memory, offset))
        array = type("ndarray", (), {"__init__": lambda self, *described: setattr(self, "described", described)})
        value = types.SimpleNamespace(device="cuda:1", dtype="uint16")
        lend = unittest.mock.Mock(return_value=(4096, 12, (2, 3), (6, 2), 1))
        with self.package("cupy", ndarray=array, cuda=cuda), unittest.mock.patch.object(_tesela, "lend", lend):
            made = _devices.array_like(array(), value, "yx")
        self.assertEqual(made.described, ((2, 3), "uint16", ((4096, 12, value, 1), 0), (6, 2)))
        self.assertIs(kept[0][2], value)
        lend.assert_called_once_with(value, "yx", 0x7F00)  # which waits for the work
        array.copy = lambda self: "a copy"
        lend = unittest.mock.Mock(return_value=(4096, 12, (2, 3), (6, 2), 0))  # an input's memory
        with self.package("cupy", ndarray=array, cuda=cuda), unittest.mock.patch.object(_tesela, "lend", lend):
            self.assertEqual(_devices.array_like(array(), value, "yx"), "a copy")

    def test_only_cuda_lends_by_address(self):
        made = tesela.image.flip(tesela.asarray(np.zeros((3, 4), np.uint8), "cpu")).image
        with self.assertRaisesRegex(ValueError, "not on a device with CUDA"):
            _tesela.lend(made._held, "yx", 1)

    def test_the_stream_of_others_is_not_known(self):
        self.assertIsNone(_devices.stream_of(Interface()))


@unittest.skipUnless(LIBRARIES, "neither CuPy nor PyTorch with CUDA is there")
class StreamsTest(DevicesTest):
    def test_what_a_stream_still_writes_is_waited_for(self):
        value = np.tile(self.image, (40, 40))
        for family in self.each(LIBRARIES):
            for _ in range(3):
                array, stream = family.late(value, value.shape)
                with stream if family.name == "cupy" else family.package.cuda.stream(stream):
                    made = tesela.image.flip(array).image
                    host = family.host(made)
                np.testing.assert_array_equal(host, value[:, ::-1])

    def test_inputs_may_be_written_to_behind_a_call(self):
        value = np.tile(self.image, (40, 40))
        for family in self.each(LIBRARIES):
            for part in (np.s_[:], np.s_[:, ::2]):
                expected = tesela.image.smooth.median(value[part], radius=2, device="cpu").image
                for lent in (lambda array: array, Interface):  # a library's, and nobody's that is known
                    for work in (lambda image: tesela.image.smooth.median(image, radius=2).image,
                                 lambda image: tesela.image.smooth.median(tesela.asarray(image, "cuda:0"), radius=2).image):
                        array = family.put(value)
                        made = work(lent(array[part]))
                        array[...] = 0
                        np.testing.assert_array_equal(made.get() if hasattr(made, "get") else family.host(made), expected)

    def test_an_interface_is_complete(self):
        value = np.tile(self.image, (40, 40))
        expected = tesela.image.smooth.median(value, radius=2, device="cpu").image
        for family in self.each(LIBRARIES):
            made = tesela.image.smooth.median(tesela.asarray(value, "cuda:0"), radius=2).image
            face = Interface(made)
            self.assertIsNone(face.__cuda_array_interface__["stream"])
            stream = family.package.cuda.Stream(**({"non_blocking": True} if family.name == "cupy" else {}))
            with stream if family.name == "cupy" else family.package.cuda.stream(stream):
                taken = family.package.as_tensor(face, device="cuda") if family.name == "torch" else family.package.asarray(face)
                np.testing.assert_array_equal(family.host(taken), expected)

    def test_a_stream_that_records_a_graph_is_left_alone(self):
        for family in self.each(LIBRARIES):
            array = family.put(self.image)
            expected = family.host(array) + 1
            otsu(array)  # memory that is returned waits for an event
            if family.name == "cupy":
                stream = family.package.cuda.Stream(non_blocking=True)
                with stream:
                    stream.begin_capture()
                    array += 1
                    with self.assertRaisesRegex(tesela.InvalidArgument, "records a graph"):
                        otsu(array)
                    stream.end_capture().launch(stream)
                    stream.synchronize()
            else:
                graph = family.package.cuda.CUDAGraph()
                with family.package.cuda.graph(graph):
                    array += 1
                    with self.assertRaisesRegex(tesela.InvalidArgument, "records a graph"):
                        otsu(array)
                graph.replay()
            np.testing.assert_array_equal(family.host(array), expected)

    def test_memory_that_others_still_read_is_not_used(self):
        value = np.tile(self.image, (40, 40))
        for family in self.each(LIBRARIES):
            array, other = family.put(value), family.put(255 - value)
            sums = []
            for _ in range(20):
                made = tesela.image.flip(array).image
                for _ in range(10):
                    total = made.astype("float32").sum() if family.name == "cupy" else made.float().sum()
                sums.append(total)
                del made
                tesela.image.flip(other)
            expected = float(sums[0])
            self.assertEqual([float(one) for one in sums], [expected] * 20)


if __name__ == "__main__":
    unittest.main()

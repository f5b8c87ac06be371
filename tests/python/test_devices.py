"""Arrays that lie on a device: taken there, given back there, right in every order of streams and ends."""

import gc
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np
import recipes

import tesela
from tesela import _tesela

DEVICES = [d["id"] for d in tesela.devices() if not d["problem"]]
TESTED = os.environ.get("TESELA_TEST_DEVICES", "cpu,cuda").split(",")
# One of each kind.
OWN = [next(d for d in DEVICES if d.startswith(kind)) for kind in TESTED if any(d.startswith(kind) for d in DEVICES)]
HAS_CUDA = "cuda:0" in DEVICES
IMAGES = ("image", "labels", "mask", "warpable")


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

        self.library, self.array_type = cupy, cupy.ndarray

    def put(self, array):
        return self.library.asarray(array)

    def host(self, array):
        return array.get()

    def address(self, array):
        return array.data.ptr

    def free_memory(self):
        self.library.get_default_memory_pool().free_all_blocks()
        return self.library.cuda.runtime.memGetInfo()[0]

    def late(self, value, size):
        """An array to which a stream that is not waited for writes `value` last, and the stream."""
        array = self.library.zeros(size, self.library.uint8)
        self.library.cuda.Device().synchronize()
        stream = self.library.cuda.Stream(non_blocking=True)
        with stream:
            for i in range(300):
                array.fill(i % 7)
            array[...] = self.library.asarray(value)
        return array, stream


class Torch:
    name, device = "torch", "cuda:0"

    def __init__(self):
        import torch

        self.library, self.array_type = torch, torch.Tensor

    def put(self, array):
        return self.library.from_numpy(np.ascontiguousarray(array)).cuda()

    def host(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def free_memory(self):
        self.library.cuda.empty_cache()
        return self.library.cuda.mem_get_info()[0]

    def late(self, value, size):
        array = self.library.zeros(size, dtype=self.library.uint8, device="cuda")
        last = self.put(value)
        self.library.cuda.synchronize()
        stream = self.library.cuda.Stream()
        with self.library.cuda.stream(stream):
            for i in range(300):
                array.fill_(i % 7)
            array.copy_(last)
        return array, stream


def libraries():
    found = []
    for package, family in (("cupy", Cupy), ("torch", Torch)):
        if HAS_CUDA and importlib.util.find_spec(package):
            family = family()
            if package == "cupy" or family.library.cuda.is_available():
                found.append(family)
    return found


LIBRARIES = libraries()
FAMILIES = [Own(device) for device in OWN] + LIBRARIES
otsu = tesela.threshold.otsu


def function_of(name):
    found = tesela
    for word in name.split():
        found = getattr(found, tesela.name_of(word))
    return found


def as_numpy(family, value):
    value = value.array if isinstance(value, tesela.Image) else value
    return value if isinstance(value, np.ndarray) else family.host(value)


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


class OperationsTest(DevicesTest):
    """Every operation on arrays of a device: the same bits as on NumPy's, on the device."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        warnings.simplefilter("ignore")
        cls.files = recipes.Files(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def arguments(self, name, put):
        """Keywords of a call, with arrays as `put` makes them, and whether there is one."""
        inputs, options = recipes.RECIPES[name]
        keywords, any_array = {tesela.name_of(key): value for key, value in options.items()}, False
        for given in _tesela.describe(name)["inputs"]:
            value = inputs.get(given["name"])
            if value is None:
                continue
            single = value[0] if isinstance(value, list) else value
            path = os.path.join(self.files.folder, single)
            is_file = os.path.exists(path)
            if is_file and given["kind"] in IMAGES:
                array = tesela.read(path, labels=given["kind"] == "labels").array
                single, any_array = put(array), True
                if array.ndim == 3 and array.shape[-1] == 3:
                    keywords["channel_axis"] = -1
            elif is_file:
                single = path
            keywords[tesela.name_of(given["name"])] = [single] if isinstance(value, list) else single
        return keywords, any_array

    def arrays_of(self, name, result):
        for output in _tesela.describe(name)["outputs"]:
            value = getattr(result, tesela.name_of(output["name"]), None) if output["form"] != "file" else None
            if output["kind"] != "classes" and (hasattr(value, "shape") or isinstance(value, tesela.Image)):
                yield output["name"], value

    def test_every_operation(self):
        for family in FAMILIES:
            for name in recipes.ON_OPENCL if family.device.startswith("opencl") else recipes.RECIPES:
                keywords, any_array = self.arguments(name, lambda array: array)
                if not any_array or any(o["form"] == "file" for o in _tesela.describe(name)["outputs"]):
                    continue
                if not _tesela.describe(name)["on_host"]:
                    keywords["device"] = family.device
                with self.subTest(family=family.name, operation=name):
                    try:
                        expected = dict(self.arrays_of(name, function_of(name)(**keywords)))
                    except tesela.Error as error:
                        self.assertIn("takes the CPU", str(error))
                        continue
                    keywords, _ = self.arguments(name, family.put)
                    for output, made in self.arrays_of(name, function_of(name)(**keywords)):
                        self.assert_like(family, made, expected.pop(output))
                    self.assertEqual(expected, {})


class PlacesTest(DevicesTest):
    def test_nothing_is_moved_where_the_device_computes(self):
        for family in self.each():
            array = family.put(np.tile(self.image, (8, 8)))
            for _ in range(6):
                found = tesela.image.flip(array)
                family.host(found.image)
            self.assertEqual(
                {key: value for key, value in found.work.items() if key != "launches"},
                dict.fromkeys(("uploads", "downloads", "bytes_uploaded", "bytes_downloaded", "allocations",
                               "bytes_copied"), 0))
            self.assert_like(family, found.image, np.tile(self.image, (8, 8))[:, ::-1])

    def test_what_the_host_computes_comes_back(self):
        for family in self.each():
            found = tesela.image.math(family.put(self.image), formula="a > 100")
            self.assert_like(family, found.image, np.where(self.image > 100, 255, 0))
            self.assertGreater(found.work["bytes_downloaded"] + found.work["bytes_uploaded"], 0)

    def test_results_are_inputs(self):
        for family in self.each():
            mask = otsu(family.put(self.image)).mask
            inside = tesela.distance(mask).distance
            self.assert_like(family, inside, tesela.distance(otsu(self.image).mask).distance)

    def test_masks_and_labels_of_other_types(self):
        labels = (self.image // 52).astype(np.int64)
        expected = tesela.overlay(self.image, labels=labels).picture
        filled = tesela.mask.minus(np.full_like(self.image, 7), self.image > 120).image
        for family in self.each(LIBRARIES):
            made = tesela.overlay(family.put(self.image), labels=family.put(labels)).picture
            self.assert_like(family, made, expected)
            for mask in (self.image > 120, np.where(self.image > 120, 3, 0).astype(np.uint8),
                         np.where(self.image > 120, 0.5, 0).astype(np.float32)):
                image = family.put(np.full_like(self.image, 7))
                self.assert_like(family, tesela.mask.minus(image, family.put(mask)).image, filled)

    def test_channels_stand_where_they_are_said_to(self):
        color = recipes.picture(channels=3)
        expected = tesela.mean_shift(color, channel_axis=-1, spatial=3).filtered
        for family in self.each():
            made = tesela.mean_shift(family.put(color), channel_axis=-1, spatial=3)
            self.assert_like(family, made.filtered, expected)
            again = tesela.mean_shift(made.filtered, channel_axis=-1, spatial=3, outputs="filtered")
            self.assertEqual(again.work["bytes_copied"], 0)
            planes = tesela.mean_shift(family.put(np.ascontiguousarray(np.moveaxis(color, -1, 0))), channel_axis=0,
                                       spatial=3, outputs="filtered") if not family.device.startswith("opencl") else None
            if planes:
                self.assert_like(family, planes.filtered, np.moveaxis(expected, -1, 0))
                self.assertEqual(planes.work["bytes_copied"], color.nbytes)

    def test_strided_arrays_are_copied_once_on_the_device(self):
        for family in self.each(LIBRARIES):
            for dtype in ("uint8", "int8", "uint16", "int16", "int32", "float32", "float64"):
                pixels = self.image.astype(dtype)
                for part in (np.s_[3:, 5:], np.s_[::2, 1::3], np.s_[1:, :], np.s_[:, 7:8]):
                    found = tesela.image.flip(family.put(pixels)[part])
                    self.assert_like(family, found.image, pixels[part][:, ::-1])
                    self.assertEqual(found.work["bytes_copied"], pixels[part].nbytes)
                self.assert_like(family, tesela.image.flip(family.put(pixels).T).image, pixels.T[:, ::-1])

    def test_images_keep_their_geometry(self):
        for family in self.each():
            volume = tesela.Image(family.put(recipes.volume()), spacing=(2, 1, 1), unit="mm")
            expected = tesela.level_set.stop_function(recipes.volume(), sigma="2mm", spacing=(2, 1, 1), unit="mm")
            made = tesela.level_set.stop_function(volume, sigma="2mm").stop
            self.assertEqual((made.spacing, made.unit), ((2, 1, 1), "mm"))
            self.assert_like(family, made.array, expected.stop)

    def test_the_first_array_decides(self):
        for family in self.each():
            mask = (self.image > 120).astype(np.uint8) * 255
            expected = tesela.mask.apply(self.image, mask).image
            self.assert_like(family, tesela.mask.apply(family.put(self.image), mask).image, expected)
            made = tesela.mask.apply(self.image, family.put(mask)).image
            self.assertIsInstance(made, np.ndarray)
            np.testing.assert_array_equal(made, expected)

    def test_files_and_pictures(self):
        for family in self.each():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "written.png")
                tesela.write(path, family.put(self.image))
                np.testing.assert_array_equal(tesela.read(path).array, self.image)
            self.assertEqual(tesela.show(family.put(self.image)).png, tesela.show(self.image).png)

    def test_another_device_is_a_type_error_that_names_both(self):
        for family in self.each():
            for other in OWN:
                if other != family.device:
                    with self.assertRaisesRegex(TypeError, f"input is on {family.device}, and device=\"{other}\""):
                        otsu(family.put(self.image), device=other)
            otsu(family.put(self.image), device=family.device)
        if len(OWN) > 1:
            with self.assertRaisesRegex(TypeError, f"mask is on {OWN[1]}, and input on {OWN[0]}: bring them to one"):
                tesela.mask.apply(*(tesela.asarray(self.image, device) for device in OWN[:2]))

    def test_other_numbers_are_refused(self):
        for family in self.each(LIBRARIES):
            with self.assertRaisesRegex(TypeError, "float16 are not taken"):
                otsu(family.put(self.image.astype(np.float16)))
            with self.assertRaisesRegex(TypeError, "is no image"):
                otsu(family.put(self.image.astype(np.complex64)))
            with self.assertRaisesRegex(TypeError, "int64 are not taken"):
                otsu(family.put(self.image.astype(np.int64)))
            with self.assertRaisesRegex(ValueError, "every axis needs"):
                otsu(family.put(self.image)[:0])


class LifeTest(DevicesTest):
    def run_in_thread(self, work):
        failures = []

        def guarded():
            try:
                work()
            except BaseException as error:  # noqa: B036
                failures.append(error)

        thread = threading.Thread(target=guarded)
        thread.start()
        thread.join()
        self.assertEqual(failures, [])

    def test_results_outlive_everything_else(self):
        expected = tesela.image.flip(self.image).image
        for family in self.each():
            source = family.put(self.image)
            result = tesela.image.flip(source)
            made = result.image
            del source, result
            gc.collect()
            tesela.trim()
            _tesela.close()
            gc.collect()
            for _ in range(5):
                otsu(family.put(255 - self.image))
            self.assert_like(family, made, expected)

    def test_arrays_of_another_thread(self):
        expected = tesela.image.flip(self.image).image
        for family in self.each():
            made = []
            self.run_in_thread(lambda family=family, made=made: made.append(tesela.image.flip(family.put(self.image)).image))
            self.assert_like(family, made[0], expected)
            self.assert_like(family, tesela.image.flip(made[0]).image, self.image)
            here = tesela.image.flip(family.put(self.image)).image
            self.run_in_thread(lambda family=family, here=here: self.assert_like(
                family, tesela.image.flip(here).image, self.image))
            held = [tesela.image.flip(family.put(self.image)).image]
            del here
            self.run_in_thread(held.clear)
            self.assert_like(family, tesela.image.flip(family.put(self.image)).image, expected)

    def test_two_threads_at_once(self):
        images = [self.image, 255 - self.image]
        expected = [tesela.mean_shift(image, spatial=3).filtered for image in images]
        for family in self.each():
            failures = []

            def work(i, family=family, failures=failures):
                try:
                    for _ in range(5):
                        made = tesela.mean_shift(family.put(images[i]), spatial=3).filtered
                        np.testing.assert_array_equal(family.host(made), expected[i])
                except BaseException as error:  # noqa: B036
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])

    def test_many_calls_keep_no_memory(self):
        for family in self.each():
            count = 200 if family.device.startswith("opencl") else 5000
            array = family.put(self.image)

            def call(times, array=array):
                for _ in range(times):
                    made = tesela.image.flip(array).image
                    made = made[:, ::2] if hasattr(made, "__getitem__") else made

            call(count // 5)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            free = family.free_memory() if hasattr(family, "free_memory") else 0
            call(count)
            self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 8192)
            if free:
                self.assertGreater(family.free_memory(), free - (16 << 20))

    def test_inputs_are_let_go_of(self):
        for family in self.each(LIBRARIES):
            array = family.put(np.zeros((1024, 1024), np.uint8))
            before = sys.getrefcount(array)
            for _ in range(20):
                tesela.image.flip(array)
            family.host(tesela.image.flip(family.put(self.image)).image)
            tesela.trim()
            self.assertLessEqual(sys.getrefcount(array), before + 1)

    def test_the_end_of_python(self):
        script = (
            "import sys, threading, numpy as np\n"
            "sys.path.insert(0, {folder!r})\n"
            "import tesela, test_devices\n"
            "family = next(f for f in test_devices.FAMILIES if f.name == {name!r})\n"
            "kept = tesela.image.flip(family.put(np.zeros((64, 64), np.uint8))).image\n"
            "made = []\n"
            "thread = threading.Thread(target=lambda: made.append(tesela.image.flip(kept).image))\n"
            "thread.start(); thread.join()\n"
            "sys.kept = made, [made]\n"
            "sys.kept[1].append(sys.kept)\n"
            "print(family.host(made[0]).sum())\n")
        for family in self.each():
            run = subprocess.run(
                [sys.executable, "-c", script.format(folder=os.path.dirname(os.path.abspath(__file__)), name=family.name)],
                capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "0\n", ""))


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
            lent = family.library.from_dlpack(made)
            self.assertEqual(family.address(lent), face["data"][0])
            by_face = family.library.as_tensor(made, device="cuda") if family.name == "torch" else family.library.asarray(made)
            self.assertEqual(family.address(by_face), face["data"][0])
            self.assertEqual((face["shape"], face["strides"], face["typestr"]), ((61, 97), (97, 1), "|u1"))
            del made
            gc.collect()
            self.assert_like(family, lent, self.image[:, ::-1])
            self.assert_like(family, by_face, self.image[:, ::-1])


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
        return _tesela.image(array, role, axes, None, False, None)

    def pixels(self, value, axes="yx"):
        return tesela._images.host_array(_tesela.place(value, ""), axes)

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


class InterfaceTest(DevicesTest):
    def test_a_machine_without_cuda_says_so(self):
        if HAS_CUDA:
            self.skipTest("there is a device of CUDA")
        for array in (Interface(), Lender(self.image, device=(2, 0))):
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


@unittest.skipUnless(LIBRARIES, "neither CuPy nor PyTorch with CUDA is there")
class StreamsTest(DevicesTest):
    def test_what_a_stream_still_writes_is_waited_for(self):
        value = np.tile(self.image, (40, 40))
        for family in self.each(LIBRARIES):
            for _ in range(3):
                array, stream = family.late(value, value.shape)
                with stream if family.name == "cupy" else family.library.cuda.stream(stream):
                    made = tesela.image.flip(array).image
                    host = family.host(made)
                np.testing.assert_array_equal(host, value[:, ::-1])

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

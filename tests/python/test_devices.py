"""Arrays that lie on a device: taken there, given back there, right in every order of ends."""

import gc
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
from device_arrays import FAMILIES, LIBRARIES, OWN, DevicesTest
from recipes import function_of

import tesela
from tesela import _tesela
from tesela._errors import name_of

IMAGES = ("image", "labels", "mask", "warpable")
otsu = tesela.threshold.otsu


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
        keywords, any_array = {name_of(key): value for key, value in options.items()}, False
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
            keywords[name_of(given["name"])] = [single] if isinstance(value, list) else single
        return keywords, any_array

    def arrays_of(self, name, result):
        for output in _tesela.describe(name)["outputs"]:
            value = getattr(result, name_of(output["name"]), None) if output["form"] != "file" else None
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

    def test_copies_on_the_host_are_the_callers(self):
        image = np.tile(self.image, (50, 33))  # more than 8 MiB, whose memory is kept for later ones
        for device in OWN:
            there = tesela.asarray(image, device)
            first, second = there.numpy(), there.numpy()
            self.assertFalse(np.shares_memory(first, second))
            first[...] = 1
            np.testing.assert_array_equal(second, image)
            address = first.ctypes.data
            part = first[5:, ::7]  # which keeps the memory
            del first
            self.assertNotEqual(there.numpy().ctypes.data, address)
            self.assertTrue((part == 1).all())
            tesela.trim()
            del part
            third = there.numpy()
            self.assertEqual(third.ctypes.data, address)
            np.testing.assert_array_equal(third, image)

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
            "import tesela, device_arrays\n"
            "family = next(f for f in device_arrays.FAMILIES if f.name == {name!r})\n"
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


if __name__ == "__main__":
    unittest.main()

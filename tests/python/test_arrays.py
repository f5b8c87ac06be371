"""What arrays go in, what comes out, and what is refused in which sentence."""

import array
import gc
import json
import os
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import recipes

import tesela
from tesela import _images, _tesela


def otsu(image, **keywords):
    return tesela.threshold.otsu(image, device="cpu", **keywords)


class InPlaceTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.image = recipes.picture()
        self.expected = otsu(self.image).mask

    def assert_same(self, image, copied, **keywords):
        result = otsu(image, **keywords)
        np.testing.assert_array_equal(result.mask, self.expected)
        self.assertEqual(result.work["bytes_copied"], copied)

    def test_contiguous_arrays_are_used_as_they_lie(self):
        self.assert_same(self.image, 0)

    def test_read_only_arrays_are_taken_and_never_written(self):
        image = self.image.copy()
        image.flags.writeable = False
        self.assert_same(image, 0)
        np.testing.assert_array_equal(image, self.image)

    def test_no_input_is_written(self):
        for name in ("mean_shift", "watershed", "components", "distance"):
            before = np.where(self.image > 120, 255, 0).astype(np.uint8)
            image = before.copy()
            getattr(tesela, name)(image, device="cpu")
            np.testing.assert_array_equal(image, before)

    def test_other_strides_are_copied_once(self):
        wide = np.zeros((61, 194), np.uint8)
        wide[:, ::2] = self.image
        self.assert_same(wide[:, ::2], self.image.nbytes)
        self.assert_same(np.asfortranarray(self.image), self.image.nbytes)
        self.assert_same(self.image[::-1, ::-1].copy()[::-1, ::-1], self.image.nbytes)

    def test_broadcast_arrays_are_copied(self):
        flat = np.broadcast_to(self.image[0], (5, 97))
        np.testing.assert_array_equal(otsu(flat).mask, otsu(flat.copy()).mask)

    def test_foreign_byte_order_is_swapped(self):
        image = self.image.astype(">i2")
        np.testing.assert_array_equal(otsu(image).mask, self.expected)
        self.assertEqual(otsu(image).work["bytes_copied"], image.nbytes)

    def test_unaligned_arrays_are_copied(self):
        raw = np.zeros(self.image.size * 2 + 1, np.uint8)
        image = raw[1:].view(np.uint16).reshape(self.image.shape)
        image[:] = self.image
        np.testing.assert_array_equal(otsu(image).mask, self.expected)

    def test_any_buffer_is_an_array(self):
        flat = memoryview(array.array("B", self.image.tobytes())).cast("B", self.image.shape)
        np.testing.assert_array_equal(otsu(flat).mask, self.expected)

    def test_booleans_are_0_and_1(self):
        mask = self.image > 120
        labels = tesela.components(mask, device="cpu", outputs="labels").labels
        self.assertEqual(labels.dtype, np.uint32)
        np.testing.assert_array_equal(
            labels, tesela.components(mask.astype(np.uint8), device="cpu", outputs="labels").labels)


class AxesTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_channels_may_be_first(self):
        last = recipes.picture(channels=3)
        first = np.ascontiguousarray(np.moveaxis(last, -1, 0))
        expected = tesela.mean_shift(last, channel_axis=-1, spatial=3, device="cpu")
        made = tesela.mean_shift(first, channel_axis=0, spatial=3, device="cpu")
        self.assertEqual(made.filtered.shape, first.shape)
        np.testing.assert_array_equal(np.moveaxis(made.filtered, 0, -1), expected.filtered)
        np.testing.assert_array_equal(made.labels, expected.labels)

    def test_axes_of_one_slice_stay(self):
        self.assertEqual(otsu(recipes.picture()[None]).mask.shape, (1, 61, 97))

    def test_four_axes_are_volumes_in_time(self):
        series = np.stack([recipes.volume(), recipes.volume()])
        self.assertEqual(otsu(series).mask.shape, series.shape)

    def test_projections_lose_an_axis(self):
        volume = recipes.volume()
        for axis, name in enumerate("zyx"):
            for by, of_numpy in (("maximum", np.max), ("minimum", np.min), ("mean", np.mean), ("sum", np.sum),
                                 ("deviation", np.std)):
                made = tesela.image.project(volume, by=by, axis=name, device="cpu").image
                expected = of_numpy(volume.astype(np.float64), axis=axis)
                self.assertEqual(made.shape, expected.shape)
                np.testing.assert_allclose(made, expected, rtol=1e-6)
        first = np.stack([volume, volume // 2])
        made = tesela.image.project(first, channel_axis=0, device="cpu").image
        np.testing.assert_array_equal(made, first.max(axis=1))
        series = np.stack([volume, volume[::-1]])
        made = tesela.image.project(series, axis="t", device="cpu").image
        np.testing.assert_array_equal(made, series.max(axis=0))
        image = tesela.Image(volume, spacing=(3, 2, 1), unit="mm", origin=(5, 6, 7))
        made = tesela.image.project(image, axis="y", device="cpu").image
        self.assertEqual((made.spacing, made.unit, list(made.origin)), ((3, 1), "mm", [5, 6 + 10 * 2, 7]))

    def test_images_are_merged(self):
        picture = recipes.picture()
        merged = tesela.image.merge(picture, [picture[::-1], picture]).image
        np.testing.assert_array_equal(merged, np.stack([picture, picture[::-1], picture], axis=-1))
        stacked = tesela.image.merge(picture, picture[::-1], along="z").image
        np.testing.assert_array_equal(stacked, np.stack([picture, picture[::-1]]))
        with self.assertRaisesRegex(tesela.InvalidArgument, "image 2 has pixels of float32"):
            tesela.image.merge(picture, picture.astype(np.float32))
        with self.assertRaisesRegex(tesela.InvalidArgument, "others"):
            tesela.image.merge(picture, picture[1:])

    def test_volumes_are_measured_without_outlines(self):
        labels = np.zeros((3, 8, 9), np.uint32)
        labels[1:, 2:5, 3:7] = 4
        found = tesela.measure(labels, properties="label,area")
        self.assertEqual(list(found.table["area"]), [24])
        with self.assertRaisesRegex(AttributeError, "ask for it by outputs"):
            found.outlines
        with self.assertRaisesRegex(ValueError, "outlines are of one picture"):
            tesela.measure(labels, outputs="outlines")

    def test_several_images_are_measured(self):
        labels = (recipes.picture() // 52).astype(np.uint16)
        values = recipes.picture().astype(np.float32)
        table = tesela.measure(labels, on=[values, 2 * values], properties="label,intensity_mean").table
        np.testing.assert_allclose(table["intensity_mean-1"], 2 * np.array(table["intensity_mean-0"]), rtol=1e-6)
        single = tesela.measure(labels, on=values, properties="label,intensity_mean").table
        np.testing.assert_array_equal(single["intensity_mean"], table["intensity_mean-0"])

    def test_lengths_need_a_unit(self):
        volume = recipes.volume()
        stop = tesela.level_set.stop_function
        known = stop(volume, sigma="2mm", spacing=(2, 1, 1), unit="mm", device="cpu").stop
        image = tesela.Image(volume, spacing=(2, 1, 1), unit="mm")
        np.testing.assert_array_equal(stop(image, sigma="2mm", device="cpu").stop.array, known)
        with self.assertRaisesRegex(tesela.InvalidArgument, "sigma"):
            stop(volume, sigma="2mm", device="cpu")

    def test_spacing_is_in_the_order_of_the_array(self):
        image = tesela.Image(recipes.volume(), spacing=(3, 2, 1), unit="mm", origin=(5, 6, 7))
        mask = otsu(image).mask
        self.assertEqual((mask.spacing, mask.unit, list(mask.origin)), ((3, 2, 1), "mm", [5, 6, 7]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mask.nii.gz")
            tesela.write(path, mask)
            self.assertEqual(tesela.read(path).spacing, (3, 2, 1))


    def test_directions_may_be_a_matrix_of_numpy(self):
        image = tesela.Image(recipes.volume(), spacing=1, unit="mm", direction=np.diag([1, -1, -1]))
        self.assertEqual(list(otsu(image).mask.direction), [1, 0, 0, 0, -1, 0, 0, 0, -1])

    def test_a_volume_of_one_slice_keeps_its_thickness(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "slice.nii.gz")
            tesela.write(path, recipes.volume()[:1], spacing=(7, 2, 1), unit="mm")
            read = tesela.read(path)
            self.assertEqual((read.axes, read.spacing), ("yx", (2, 1)))
            self.assertEqual(read.geometry()["spacing"], [1, 2, 7])
            self.assertEqual(otsu(read).mask.geometry()["spacing"], [1, 2, 7])


class FilesTest(unittest.TestCase):
    """What is read by its name, as the command line reads it."""

    def setUp(self):
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_transform(self):
        with open(self.path("by.tfm"), "w", encoding="ascii") as out:
            out.write("#Insight Transform File V1.0\n#Transform 0\nTransform: TranslationTransform_double_2_2\n"
                      "Parameters: 0.5 0.5\nFixedParameters:\n")

    def warped(self, name, **options):
        return tesela.warp(self.path(name), transform=self.path("by.tfm"), like=self.path("plain.png"),
                           device="cpu", **options).output

    def test_warp_carries_labels_to_the_nearest_pixel(self):
        self.write_transform()
        labels = (recipes.picture() // 52 * 50).astype(np.uint8)
        tesela.write(self.path("labels.png"), labels, labels=True)
        tesela.write(self.path("plain.png"), labels)
        expected = set(np.unique(labels)) | {0}
        for name, options in (("labels.png", {}), ("labels.png", {"labels": True}), ("plain.png", {"labels": True})):
            self.assertLessEqual(set(np.unique(self.warped(name, **options))), expected)
        self.assertFalse(set(np.unique(self.warped("plain.png"))) <= expected)

    def test_seeds_and_masks_may_be_files(self):
        seeds = np.zeros((61, 97), np.uint8)
        seeds[20, 20], seeds[40, 70] = 1, 2
        mask = np.zeros((61, 97), np.uint16)
        mask[:, :50] = 300
        tesela.write(self.path("seeds.png"), seeds)
        tesela.write(self.path("mask.png"), mask)
        image = recipes.picture()
        by_file = tesela.grow.tolerance(image, seeds=self.path("seeds.png"), tolerance=25, device="cpu")
        by_array = tesela.grow.tolerance(image, seeds=seeds, tolerance=25, device="cpu")
        np.testing.assert_array_equal(by_file.labels, by_array.labels)
        by_file = tesela.texture.glcm(image, mask=self.path("mask.png"))
        self.assertEqual(by_file.details, tesela.texture.glcm(image, mask=mask).details)
        self.assertEqual(by_file.figures, tesela.texture.glcm(image, mask=mask).figures)

    def test_names_of_labels_that_do_not_occur_take_no_memory(self):
        labels = np.ones((4, 4), np.uint32)
        tesela.write(self.path("few.tif"), labels, names={1: "one", 2**32 - 1: "none"})
        self.assertEqual(tesela.read(self.path("few.tif"), labels=True).names, {1: "one"})
        labels[0, 0] = 2**32 - 1
        names = {1: "one", 2**32 - 1: "last"}
        tesela.write(self.path("huge.tif"), labels, names=names)
        self.assertEqual(tesela.read(self.path("huge.tif"), labels=True).names, names)

    def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(self):
        tesela.write(self.path("slide.png"), recipes.picture(channels=3), channel_axis=-1)
        with self.assertRaisesRegex(tesela.UnwritableOutput, "cannot write '/proc/folder'"):
            tesela.slide.tiles(self.path("slide.png"), output="/proc/folder")

    def test_tables_of_volumes_in_files_are_made_part_by_part(self):
        mask = np.zeros((90, 80, 70), np.uint8)
        mask[5:70, 10, 10:60] = mask[60:80, 9:30, 5] = mask[1, 70, 3] = 255
        labels = tesela.components(mask, device="cpu").labels
        values = np.arange(mask.size, dtype=np.float32).reshape(mask.shape) % 97
        for name, array in (("mask", mask), ("labels", np.asarray(labels).astype(np.uint8)), ("values", values)):
            tesela.compress(array, output=self.path(name + ".tvol"))
        path = {name: self.path(name + ".tvol") for name in ("mask", "labels", "values")}
        wholes = (tesela.components(mask, outputs="table"),
                  tesela.measure(labels, on=values, parents=mask, outputs="table"))
        with unittest.mock.patch.object(_tesela, "load", side_effect=AssertionError("read as a whole")):
            parts = (tesela.components(path["mask"], outputs="table"),
                     tesela.measure(path["labels"], on=[path["values"]], parents=path["mask"], outputs="table"))
        for number, (whole, part) in enumerate(zip(wholes, parts)):
            texts = []
            for found in (whole, part):
                found.table.save(self.path("found.csv"))
                with open(self.path("found.csv"), encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(*texts, number)
        self.assertEqual(tesela.components(path["mask"]).labels.shape, mask.shape)  # arrays are read as a whole

    def test_a_table_replaces_the_file_at_its_end(self):
        table = tesela.components(recipes.picture() // 128, device="cpu").table
        table.save(self.path("table.csv"))
        table.save(self.path("table.json"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["table.csv", "table.json"])
        with open(self.path("table.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)), len(table["label"]))


class ShownTest(unittest.TestCase):
    """Images that show a value of the extension."""

    def setUp(self):
        warnings.simplefilter("ignore")
        self.value = tesela._tesela.image(recipes.picture(), "image", "yx", None, False, None, None)
        self.image = _images.as_image(self.value)
        self.image._keep(self.value)

    def assert_computes_on(self, image, array):
        np.testing.assert_array_equal(otsu(image).mask, otsu(array).mask)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "written.tif")
            tesela.write(path, image)
            np.testing.assert_array_equal(tesela.read(path).array, array)

    def test_the_value_is_used_while_it_is_shown(self):
        self.assertIs(self.image._value, self.value)
        self.assertIs(self.image.with_array(self.image.array)._value, self.value)
        self.assert_computes_on(self.image, recipes.picture())

    def test_another_array_takes_its_place(self):
        other = 255 - recipes.picture()
        self.assert_computes_on(self.image.with_array(other), other)
        self.image.array = other
        self.assert_computes_on(self.image, other)

    def test_names_and_lengths_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.nii.gz")
            tesela.write(path, self.image, names={120: "bright"}, spacing=(3, 2), unit="mm")
            read = tesela.read(path, labels=True)
        self.assertEqual((read.names[120], read.spacing), ("bright", (3, 2)))


class LifeTest(unittest.TestCase):
    def test_results_outlive_everything_else(self):
        warnings.simplefilter("ignore")
        image = recipes.picture()
        expected = tesela.mean_shift(image, spatial=3, device="cpu").labels.copy()
        result = tesela.mean_shift(image, spatial=3, device="cpu")
        labels = result.labels
        del result, image
        gc.collect()
        tesela.trim()
        tesela._tesela.close()
        gc.collect()
        np.testing.assert_array_equal(labels, expected)
        labels += 1  # it is the caller's
        self.assertEqual(labels.max(), expected.max() + 1)

    def test_results_are_inputs(self):
        warnings.simplefilter("ignore")
        mask = otsu(recipes.picture()).mask
        labels = tesela.components(mask, device="cpu", outputs="labels").labels
        found = tesela.evaluate.labels(labels, labels)
        self.assertTrue(found.details or found.text)
        made = tesela.wavelet.forward(recipes.picture(), device="cpu").coefficients
        back = tesela.wavelet.inverse(made, device="cpu").image
        np.testing.assert_array_equal(np.asarray(back), recipes.picture())

    def test_tables_are_dicts_of_columns(self):
        warnings.simplefilter("ignore")
        table = tesela.components(otsu(recipes.picture()).mask, device="cpu").table
        self.assertEqual(table["label"].dtype, np.int64)
        self.assertEqual(len(table["label"]), len(table["area_px"]))
        self.assertGreater(len(table["label"]), 2)

    def test_names_of_labels_go_to_the_file_and_back(self):
        labels = (recipes.picture() // 128).astype(np.int64)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.png")
            tesela.write(path, labels, names={1: "bright"})
            read = tesela.read(path, labels=True)
            self.assertEqual(read.names, {1: "bright"})
            np.testing.assert_array_equal(read.array, labels)


class RefusalTest(unittest.TestCase):
    """Bad input: one sentence and the documented exception."""

    CASES = [
        (TypeError, "float16 are not taken", lambda i: otsu(i.astype(np.float16))),
        (TypeError, "int64 are not taken", lambda i: otsu(i.astype(np.int64))),
        (TypeError, "complex numbers", lambda i: otsu(i.astype(complex))),
        (TypeError, "objects", lambda i: otsu(i.astype(object))),
        (TypeError, "not int", lambda i: otsu(5)),
        (TypeError, "not None|missing", lambda i: otsu()),
        (TypeError, "spatail", lambda i: tesela.mean_shift(i, spatail=4)),
        (ValueError, "this array has 1", lambda i: otsu(i[0])),
        (ValueError, "this array has 0", lambda i: otsu(np.uint8(4))),
        (ValueError, "this array has 5", lambda i: otsu(i[None, None, None])),
        (ValueError, "every axis needs", lambda i: otsu(i[:0])),
        (ValueError, "at most 2 are taken; .* channel_axis=-1",
         lambda i: tesela.flow.tv_l1(np.stack([i] * 3, -1), i)),
        (ValueError, "channel_axis: an array of 2 axes", lambda i: otsu(i, channel_axis=4)),
        (ValueError, "2 to 4 axes beside", lambda i: otsu(i, channel_axis=1)),
        (ValueError, "spacing: 3 numbers for the 2 axes", lambda i: otsu(i, spacing=(1, 2, 3), unit="mm")),
        (ValueError, "spacing: its unit is missing", lambda i: otsu(i, spacing=1)),
        (ValueError, "no distance of pixels", lambda i: otsu(i, spacing=0, unit="mm")),
        (ValueError, "spacing: nan is no finite number", lambda i: otsu(i, spacing=float("nan"), unit="mm")),
        (ValueError, "origin: 3 numbers are expected, not 2",
         lambda i: otsu(tesela.Image(i, spacing=1, unit="mm", origin=(1, 2)))),
        (ValueError, "direction: inf is no finite",
         lambda i: otsu(tesela.Image(i, spacing=1, unit="mm", direction=np.full((3, 3), np.inf)))),
        (ValueError, "names: labels are whole numbers from 0 to 4294967295",
         lambda i: tesela.write("/tmp/names.png", i, names={2**32 + 1: "huge"})),
        (ValueError, "names: labels are whole", lambda i: tesela.write("/tmp/names.png", i, names={-1: "less"})),
        (OSError, "there is no folder '/nowhere'",
         lambda i: tesela.components(i, device="cpu").table.save("/nowhere/at.csv")),
        (ValueError, "not one of mm, um", lambda i: otsu(i, spacing=1, unit="km")),
        (ValueError, "spatial", lambda i: tesela.mean_shift(i, spatial="2mm")),
        (ValueError, "spatial", lambda i: tesela.mean_shift(i, spatial="2 parsec")),
        (ValueError, "spatial is -1px", lambda i: tesela.mean_shift(i, spatial=-1)),
        (ValueError, "min_region: a whole number", lambda i: tesela.mean_shift(i, min_region=2.5)),
        (ValueError, "max_iterations is 0", lambda i: tesela.mean_shift(i, max_iterations=0)),
        (ValueError, "epsilon: a number", lambda i: tesela.mean_shift(i, epsilon="much")),
        (ValueError, "kernel: 'round' is not one of", lambda i: tesela.mean_shift(i, kernel="round")),
        (ValueError, "outputs: 'lables' is not one of filtered, labels",
         lambda i: tesela.mean_shift(i, outputs="lables")),
        (ValueError, "from 0 to 4294967295", lambda i: tesela.evaluate.labels(i.astype(int) - 99, i)),
        (TypeError, "labels are whole numbers", lambda i: tesela.evaluate.labels(i / 2, i)),
        (ValueError, "truth", lambda i: tesela.evaluate.labels(i, i[1:])),
        (ValueError, "field|float32", lambda i: tesela.evaluate.flow(i, i)),
        (ValueError, "'tpu' is not a device", lambda i: tesela.mean_shift(i, device="tpu")),
        (RuntimeError, "'cuda:77'", lambda i: tesela.mean_shift(i, device="cuda:77")),
        (OSError, "nowhere.png", lambda i: otsu("nowhere.png")),
        (OSError, "nowhere.png", lambda i: tesela.read("nowhere.png")),
        (OSError, "cannot write", lambda i: tesela.write("/nowhere/at/all.png", i)),
        (OSError, "all.xyz", lambda i: tesela.write("/tmp/all.xyz", i)),
        (TypeError, "a path|bytes-like|os.PathLike", lambda i: tesela.read(5)),
        (TypeError, "progress", lambda i: otsu(i, progress=3)),
        (AttributeError, "did you mean 'mean_shift'", lambda i: tesela.mean_shif),
        (AttributeError, "it has filtered, labels", lambda i: tesela.mean_shift(i, device="cpu").lables),
        (AttributeError, "outputs=", lambda i: tesela.mean_shift(i, outputs="filtered", device="cpu").labels),
    ]

    def test_sentences(self):
        image = recipes.picture()
        for expected, sentence, call in self.CASES:
            with self.subTest(sentence=sentence):
                with self.assertRaisesRegex(expected, sentence) as caught:
                    call(image)
                self.assertNotIn("--", str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))

    def test_errors_have_the_names_of_c(self):
        for name, also in (("InvalidArgument", ValueError), ("UnreadableInput", OSError),
                           ("OutOfMemory", MemoryError), ("TooNarrow", ValueError)):
            self.assertTrue(issubclass(getattr(tesela, name), (tesela.Error, also)))


if __name__ == "__main__":
    unittest.main()

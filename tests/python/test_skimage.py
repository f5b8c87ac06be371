"""tesela.skimage gives what scikit-image gives."""

import importlib.util
import inspect
import unittest
import warnings

import numpy as np
import recipes

from tesela import skimage as ours

RNG = np.random.default_rng(4)


def masks():
    """Masks of one to three axes."""
    return [np.random.default_rng(i).random(shape) < share
            for i, (shape, share) in enumerate((((40,), 0.5), ((37, 50), 0.4), ((1, 1), 2.0), ((9, 15, 20), 0.2)))]


def levels():
    """Whole numbers of several types, with equal ones side by side."""
    return [np.random.default_rng(i).integers(0, 3, shape).astype(kind)
            for i, (shape, kind) in enumerate((((30, 41), np.uint8), ((30, 41), np.int64), ((8, 9, 10), np.int16)))]


class RefusalTest(unittest.TestCase):
    def test_what_would_differ_is_refused(self):
        image = recipes.picture()
        for call, words in (
            (lambda: ours.label(image.astype(float)), "whole numbers"),
            (lambda: ours.label(np.array([[0, 1 << 40]])), "32 bits"),
            (lambda: ours.regionprops_table(image, spacing=2), "spacing"),
            (lambda: ours.regionprops_table(image, properties=("moments",)), "moments cannot be given"),
            (lambda: ours.regionprops_table(image, properties=("intensity_mean",)), "intensity_image, which is missing"),
            (lambda: ours.threshold_otsu(image / 255), "float64"),
            (lambda: ours.threshold_otsu(hist=[1, 2]), "hist"),
            (lambda: ours.graycomatrix(image, [1.5], [0]), "distances"),
            (lambda: ours.remove_small_objects(image, min_size=4), "max_size"),
            (lambda: ours.binary_dilation(image > 90, np.ones((2, 2))), "footprint"),
            (lambda: ours.label(image, neighbors=4), "neighbors"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                call()

    def test_errors_are_those_of_values(self):
        mask = masks()[1]
        for call in (lambda: ours.label(mask, connectivity=3), lambda: ours.clear_border(mask, 40),
                     lambda: ours.graycomatrix(recipes.picture(), [1], [0], levels=4),
                     lambda: ours.remove_small_objects(np.array([[-1, 2]]))):
            self.assertRaises(ValueError, call)


@unittest.skipUnless(importlib.util.find_spec("skimage"), "scikit-image is not installed")
class EqualityTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        import skimage
        from skimage import feature, filters, measure, morphology, segmentation

        self.modules = (measure, filters, feature, morphology, segmentation)
        self.is_026 = skimage.__version__.startswith("0.26")

    def theirs(self, name):
        return next(getattr(module, name) for module in self.modules if hasattr(module, name))

    def assert_equal(self, name, *arguments, **keywords):
        expected = self.theirs(name)(*arguments, **keywords)
        found = getattr(ours, name)(*arguments, **keywords)
        if isinstance(expected, tuple):
            self.assertEqual(found[1:], expected[1:])
            expected, found = expected[0], found[0]
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
        self.assertTrue(np.array_equal(found, expected), f"{name}: {keywords}")

    def test_signatures(self):
        if not self.is_026:
            self.skipTest("scikit-image is not 0.26")
        for name in ours.__all__:
            theirs, mine = (inspect.signature(f).parameters for f in (self.theirs(name), getattr(ours, name)))
            self.assertEqual(list(mine), list(theirs), name)
            for key, one in mine.items():
                self.assertEqual(one.kind, theirs[key].kind)
                if key != "min_size":  # deprecated there, by a value of its own
                    self.assertEqual(one.default, theirs[key].default)

    def test_label(self):
        for image in [*masks(), *levels()]:
            for connectivity in (None, *range(1, image.ndim + 1)):
                for background in (None, 1, -1):
                    self.assert_equal("label", image, background, True, connectivity)
        self.assert_equal("label", masks()[1][::-1, ::2])
        self.assert_equal("label", masks()[1][np.newaxis], connectivity=1)
        self.assert_equal("label", levels()[1][np.newaxis])

    def test_regionprops_table(self):
        for mask in (masks()[1], masks()[3]):
            labels = ours.label(mask)
            values = RNG.integers(0, 4000, labels.shape).astype(np.uint16)
            flat = ("area_convex", "eccentricity", "orientation", "perimeter", "perimeter_crofton", "solidity",
                    "feret_diameter_max")
            names = sorted(ours._PROPERTIES - set(flat if labels.ndim == 3 else ()))
            for image in (values, np.stack([values, values // 3], axis=-1)):
                expected = self.theirs("regionprops_table")(labels, image, names, separator="_")
                found = ours.regionprops_table(labels, image, names, separator="_")
                self.assertEqual(sorted(found), sorted(expected))
                for name, column in expected.items():
                    np.testing.assert_allclose(found[name], column, 1e-5, 1e-5, err_msg=name)
        empty = ours.regionprops_table(np.zeros((5, 6), int))
        self.assertEqual([len(column) for column in empty.values()], [0] * 5)

    def test_threshold_otsu(self):
        for image in (recipes.picture(), recipes.picture()[::-2, ::3], recipes.volume(),
                      recipes.picture().astype(np.int64) - 99,
                      RNG.integers(0, 1000, (50, 60)).astype(np.uint16) ** 2 // 16, np.full((4, 5), 7, np.uint8)):
            self.assertEqual(ours.threshold_otsu(image), self.theirs("threshold_otsu")(image))

    def test_graycomatrix(self):
        angles = [0, np.pi / 4, np.pi / 2, 2.0, 5.5]
        for levels_count in (1, 2, 5, 8, 100):
            image = RNG.integers(0, levels_count, (30, 40)).astype(np.uint16)
            for keywords in ({}, {"symmetric": True}, {"normed": True}):
                self.assert_equal("graycomatrix", image, [1, 3], angles, levels_count, **keywords)
        self.assert_equal("graycomatrix", recipes.picture(), [2], [0])

    def test_binary_dilation(self):
        from skimage.morphology import ball, disk

        for mask in masks():
            self.assert_equal("binary_dilation", mask & (RNG.random(mask.shape) < 0.2))
            self.assert_equal("binary_dilation", mask, mode="max")
        sparse = masks()[1] & (RNG.random(masks()[1].shape) < 0.1)
        for footprint in (np.ones((5, 5)), disk(1), disk(3), disk(6), [(np.ones((3, 3)), 2), (disk(2), 1)]):
            for mode in ("ignore", "min", "max"):
                self.assert_equal("binary_dilation", sparse, footprint, mode=mode)
        self.assert_equal("binary_dilation", masks()[3], ball(2))
        out = np.empty(sparse.shape, bool)
        self.assertIs(ours.binary_dilation(sparse, out=out), out)

    def test_remove_small_objects(self):
        for image in [*masks(), *levels()]:
            for keywords in ({}, {"max_size": 0}, {"max_size": 9}, {"max_size": 3, "connectivity": 1}):
                self.assert_equal("remove_small_objects", image, **keywords)
        labels = ours.label(masks()[1])
        self.assert_equal("remove_small_objects", labels, max_size=5)
        out = labels.copy()
        self.assertIs(ours.remove_small_objects(out, max_size=5, out=out), out)

    def test_clear_border(self):
        for image in [*masks(), *levels()]:
            self.assert_equal("clear_border", image)
            if image.size > 1:
                self.assert_equal("clear_border", image, 2)
                self.assert_equal("clear_border", image, mask=RNG.random(image.shape) < 0.98)
        self.assert_equal("clear_border", levels()[1], bgval=-1)


if __name__ == "__main__":
    unittest.main()

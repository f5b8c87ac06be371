"""Arrays of PyTorch, xarray and DLPack: what goes in comes out."""

import gc
import importlib.util
import resource
import unittest
import warnings

import numpy as np
import recipes

import tesela
from tesela import _images


def otsu(image, **keywords):
    return tesela.threshold.otsu(image, device="cpu", **keywords)


class Producer:
    """Offers DLPack and nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)


class UsedUp(Producer):
    """Gives the same capsule each time."""

    def __init__(self, array):
        super().__init__(array)
        self.capsule = array.__dlpack__()

    def __dlpack__(self, **keywords):
        return self.capsule


class DlpackTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.image = recipes.picture()

    def test_memory_of_the_host_is_used_in_place(self):
        found = otsu(Producer(self.image))
        np.testing.assert_array_equal(found.mask, otsu(self.image).mask)
        self.assertEqual(found.work["bytes_copied"], 0)

    def test_the_source_may_go(self):
        producer = Producer(self.image.copy())
        image = _images.image_of(producer)
        del producer
        gc.collect()
        np.testing.assert_array_equal(image.array, self.image)

    def test_other_devices_are_named(self):
        for device, sentence in (((2, 1), "cuda:1"), ((10, 0), "rocm:0"), ((99, 3), "device 99 of DLPack:3")):
            with self.assertRaisesRegex(TypeError, sentence):
                otsu(Producer(self.image, device))

    def test_a_capsule_is_used_once(self):
        producer = UsedUp(self.image)
        otsu(producer)
        with self.assertRaisesRegex(tesela.InvalidArgument, "which a capsule does once"):
            otsu(producer)

    def test_float16_is_refused(self):
        with self.assertRaisesRegex(TypeError, "float16 are not taken"):
            otsu(Producer(self.image.astype(np.float16)))

    def test_many_calls_keep_no_memory(self):
        image = Producer(np.zeros((256, 256), np.uint8))
        for _ in range(500):
            _images.value_of(_images.image_of(image), "image")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(10000):
            _images.value_of(_images.image_of(image), "image")
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4096)


@unittest.skipUnless(importlib.util.find_spec("xarray"), "xarray is not installed")
class XArrayTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        import xarray

        self.xarray = xarray

    def volume(self, unit="mm", z=None):
        pixels = recipes.volume()
        steps = {"z": 2.0, "y": 1.0, "x": 0.5}
        coords = {}
        for at, (name, step) in enumerate(steps.items()):
            values = 10 + step * np.arange(pixels.shape[at])
            values = z if name == "z" and z is not None else values
            coords[name] = (name, values, {
    "units" : unit} if unit else {})
        return self.xarray.DataArray(pixels, dims=("z", "y", "x"), coords=coords, attrs={"patient": 4}, name="ct")

    def test_dimensions_coordinates_and_attributes_stay(self):
        volume = self.volume()
        mask = otsu(volume).mask
        self.assertIsInstance(mask, self.xarray.DataArray)
        self.assertEqual((mask.dims, mask.attrs, mask.name), (volume.dims, {"patient": 4}, "ct"))
        for name in volume.dims:
            self.assertTrue(mask.coords[name].identical(volume.coords[name]))
        np.testing.assert_array_equal(mask.values, otsu(volume.values).mask)

    def test_projections_have_axes_of_their_own(self):
        cube = self.volume()[:, :17, :17]
        made = tesela.image.project(cube, axis="y", device="cpu").image
        self.assertEqual((made.dims, list(made.coords), made.attrs), (("y", "x"), [], cube.attrs))
        np.testing.assert_array_equal(made, cube.max("y"))

    def test_coordinates_are_spacing(self):
        stop = tesela.level_set.stop_function
        expected = stop(recipes.volume(), sigma="2mm", spacing=(2, 1, 0.5), unit="mm", device="cpu").stop
        np.testing.assert_array_equal(stop(self.volume(), sigma="2mm", device="cpu").stop.values, expected)
        image = _images.image_of(self.volume("\u00b5m"))
        self.assertEqual((image.spacing, image.unit, image.origin), ((2, 1, 0.5), "um", [10, 10, 10]))

    def test_falling_coordinates_turn_the_axis(self):
        image = _images.image_of(self.volume(z=50 - 2.0 * np.arange(17)))
        self.assertEqual((image.spacing[0], image.origin[2], image.direction[2]), (2, 50, [0, 0, -1]))

    def test_lengths_need_a_unit(self):
        with self.assertRaisesRegex(ValueError, "sigma"):
            tesela.level_set.stop_function(self.volume(None), sigma="2mm", device="cpu")

    def test_uneven_coordinates_are_refused(self):
        for z in (np.arange(17.0) ** 2, np.zeros(17), np.where(np.arange(17) == 3, np.nan, np.arange(17.0))):
            with self.assertRaisesRegex(tesela.InvalidArgument, "coordinates of 'z' are not even"):
                otsu(self.volume(z=z))

    def test_coordinates_may_be_rounded(self):
        image = _images.image_of(self.volume(z=(1000 + 0.1 * np.arange(17)).astype(np.float32)))
        self.assertAlmostEqual(image.spacing[0], 0.1, places=4)

    def test_dimensions_of_any_order_and_name(self):
        color = recipes.picture(channels=3)
        expected = tesela.mean_shift(color, channel_axis=-1, spatial=3, device="cpu")
        named = self.xarray.DataArray(np.moveaxis(color, -1, 0), dims=("channel", "y", "x"))
        made = tesela.mean_shift(named, spatial=3, device="cpu")
        self.assertEqual((made.filtered.dims, made.labels.dims), (("channel", "y", "x"), ("y", "x")))
        np.testing.assert_array_equal(made.filtered.values, np.moveaxis(expected.filtered, -1, 0))
        other = self.xarray.DataArray(color, dims=("row", "column", "band"))
        made = tesela.mean_shift(other, channel_axis=-1, spatial=3, device="cpu")
        self.assertEqual((made.filtered.dims, made.labels.dims), (other.dims, ("row", "column")))

    def test_no_input_is_written(self):
        volume = self.volume()
        otsu(volume)
        np.testing.assert_array_equal(volume.values, recipes.volume())


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class TorchTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        import torch

        self.torch = torch
        self.image = torch.from_numpy(recipes.picture())

    def test_tensors_come_out_without_a_copy(self):
        found = otsu(self.image)
        self.assertIsInstance(found.mask, self.torch.Tensor)
        self.assertEqual(found.work["bytes_copied"], 0)
        np.testing.assert_array_equal(found.mask.numpy(), otsu(recipes.picture()).mask)

    def test_gradients_are_left_out(self):
        floating = self.image.float().requires_grad_()
        self.assertFalse(otsu(floating).mask.requires_grad)

    def test_half_precision_is_refused(self):
        for name in ("float16", "bfloat16", "complex64"):
            with self.assertRaisesRegex(TypeError, "not taken|complex"):
                otsu(self.image.to(getattr(self.torch, name)))

    def test_other_devices_are_named(self):
        with self.assertRaisesRegex(TypeError, "on meta is not taken"):
            otsu(self.image.to("meta"))


if __name__ == "__main__":
    unittest.main()

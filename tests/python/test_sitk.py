"""SimpleITK's images keep their place."""

import importlib.util
import os
import tempfile
import unittest

import numpy as np
import recipes

import tesela


@unittest.skipUnless(importlib.util.find_spec("SimpleITK"), "SimpleITK is not installed")
class SitkTest(unittest.TestCase):
    def assert_same_place(self, found, expected):
        for name in ("GetSize", "GetSpacing", "GetOrigin", "GetDirection", "GetPixelIDValue"):
            np.testing.assert_allclose(getattr(found, name)(), getattr(expected, name)(), atol=1e-6, err_msg=name)

    def test_there_and_back(self):
        import SimpleITK

        for array, vector in ((recipes.volume(), False), (recipes.picture(), False), (recipes.picture(channels=3), True)):
            image = SimpleITK.GetImageFromArray(array, isVector=vector)
            count = image.GetDimension()
            image.SetSpacing((0.5, 2.0, 3.0)[:count])
            image.SetOrigin((-4.0, 7.5, 20.0)[:count])
            image.SetDirection((0, -1, 0, 1, 0, 0, 0, 0, 1) if count == 3 else (0, -1, 1, 0))
            taken = tesela.from_sitk(image)
            self.assertEqual(taken.spacing, (3.0, 2.0, 0.5)[-count:])
            back = tesela.to_sitk(taken)
            self.assert_same_place(back, image)
            self.assertTrue(np.array_equal(SimpleITK.GetArrayFromImage(back), array))

    def test_files_agree(self):
        import SimpleITK

        image = SimpleITK.GetImageFromArray(recipes.volume())
        image.SetSpacing((0.5, 2.0, 3.0))
        image.SetOrigin((-4.0, 7.5, 20.0))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "volume.nii.gz")
            tesela.write(path, tesela.from_sitk(image))
            self.assert_same_place(SimpleITK.ReadImage(path), image)
            self.assert_same_place(tesela.to_sitk(tesela.read(path)), image)

    def test_resampled_as_by_simpleitk(self):
        import SimpleITK

        rng = np.random.default_rng(3)
        image = SimpleITK.GetImageFromArray(rng.integers(0, 2000, (20, 31, 26)).astype(np.float32))
        image.SetSpacing((0.5, 2.0, 3.0))
        image.SetOrigin((-4.0, 7.5, 20.0))
        like = SimpleITK.Image((33, 21, 17), SimpleITK.sitkUInt8)
        like.SetSpacing((0.7, 2.3, 2.9))
        like.SetOrigin((-5.0, 10.0, 25.1))
        angle = 0.2
        like.SetDirection((np.cos(angle), -np.sin(angle), 0, np.sin(angle), np.cos(angle), 0, 0, 0, 1))
        for interpolation, theirs in (("linear", SimpleITK.sitkLinear), ("nearest", SimpleITK.sitkNearestNeighbor)):
            expected = SimpleITK.Resample(image, like, SimpleITK.Transform(), theirs, -1.0)
            made = tesela.image.resample(tesela.from_sitk(image), like=tesela.from_sitk(like), outside=-1.0,
                                         interpolation=interpolation, anti_aliasing="none").image
            self.assert_same_place(tesela.to_sitk(made), expected)
            apart = np.abs(np.asarray(made) - SimpleITK.GetArrayFromImage(expected))
            # The two may decide otherwise on half a pixel.
            self.assertLess(np.mean(apart > 0.1), 1e-3)

    def test_other_axes_are_refused(self):
        with self.assertRaisesRegex(ValueError, "tzyx"):
            tesela.to_sitk(tesela.Image(np.zeros((2, 3, 4, 5), np.uint8)))


if __name__ == "__main__":
    unittest.main()

"""Pictures for notebooks."""

import os
import tempfile
import unittest

import numpy as np
import recipes

import tesela


def pixels_of(picture):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        with open(path, "wb") as file:
            file.write(picture._repr_png_())
        return tesela.read(path).array


class ShowTest(unittest.TestCase):
    def test_pictures_and_volumes(self):
        color = recipes.picture(channels=3)
        self.assertTrue(np.array_equal(pixels_of(tesela.show(color, channel_axis=-1)), color))
        self.assertEqual(pixels_of(tesela.show(recipes.picture())).shape[:2], (61, 97))
        wide = pixels_of(tesela.show(recipes.volume(), spacing=1, unit="mm"))
        self.assertGreater(wide.shape[1], 3 * 17)

    def test_labels_are_drawn(self):
        image = recipes.picture()
        plain, drawn = pixels_of(tesela.show(image)), pixels_of(tesela.show(image, labels=image > 120))
        self.assertFalse(np.array_equal(plain, drawn))


if __name__ == "__main__":
    unittest.main()

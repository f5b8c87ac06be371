"""Pictures for notebooks."""

import base64
import os
import re
import tempfile
import unittest

import numpy as np
import recipes

import tesela


def pixels_of(picture):
    return pixels_of_png(picture._repr_png_())


def thumbnail_of(shown):
    """Pixels of the picture in the HTML of an image or a result."""
    (data,) = re.findall(r'<img src="data:image/png;base64,([^"]+)">', shown._repr_html_())
    return pixels_of_png(base64.b64decode(data))


def pixels_of_png(png):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        with open(path, "wb") as file:
            file.write(png)
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

    def test_thumbnails_of_images(self):
        image = recipes.picture(channels=3)
        self.assertTrue(np.array_equal(thumbnail_of(tesela.Image(image, channel_axis=-1)), image))
        self.assertEqual(thumbnail_of(tesela.Image(np.tile(recipes.picture(), (9, 9)))).shape[:2], (138, 219))
        self.assertGreater(thumbnail_of(tesela.Image(recipes.volume(), spacing=1, unit="mm")).shape[1], 3 * 17)
        names = tesela.Image(np.eye(9, dtype=np.uint8), names={1: "<line>"})
        self.assertEqual(set(thumbnail_of(names)[0, 1]), {0})
        for nothing in (np.zeros((0, 3), np.uint8), np.zeros((3, 3), complex)):
            self.assertNotIn("<img", tesela.Image(nothing)._repr_html_())

    def test_thumbnails_of_results(self):
        mask = recipes.picture() > 120
        found = tesela.components(mask)
        drawn = thumbnail_of(found)
        self.assertEqual(drawn.shape[:2], mask.shape)
        self.assertTrue(np.array_equal(drawn.any(axis=-1), found.labels > 0))
        smooth = tesela.mean_shift(recipes.picture(channels=3), channel_axis=-1, outputs="filtered")
        self.assertTrue(np.array_equal(thumbnail_of(smooth), smooth.filtered))
        self.assertNotIn("<img", tesela.evaluate.labels(mask, mask)._repr_html_())


if __name__ == "__main__":
    unittest.main()

"""Widgets of napari, with a viewer that has no window: magicgui makes each, and some run on its layers.

`scripts/dev/check_napari` runs them beside napari and Qt.
"""

import importlib.util
import os
import re
import tempfile
import unittest
import unittest.mock

import numpy as np
import recipes

import tesela
from tesela._errors import name_of

HAS_NAPARI = all(map(importlib.util.find_spec, ("magicgui", "napari", "qtpy")))


def command_of(operation):
    return "_".join(name_of(word) for word in operation.split())


def commands():
    """Of the manifest, with the names of their functions."""
    with open(os.path.join(os.path.dirname(tesela.__file__), "napari.yaml"), encoding="utf-8") as file:
        return dict(re.findall(r"- id: tesela\.(\w+)\n.*\n +python_name: tesela\._napari:(\w+)\n", file.read()))


class ManifestTest(unittest.TestCase):
    def test_operations_on_images_are_listed(self):
        listed = commands()
        self.assertEqual(list(listed), list(listed.values()))
        for name, (inputs, _) in recipes.RECIPES.items():
            if "gray.png" in inputs.values():
                self.assertIn(command_of(name), listed)


@unittest.skipUnless(HAS_NAPARI, "napari, magicgui and Qt are not installed")
class WidgetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from napari.components import ViewerModel
        from napari.layers import Image, Labels
        from napari.utils import _magicgui

        cls.viewer = ViewerModel()
        # Where a widget asks for the viewer of its window.
        cls.enterClassContext(unittest.mock.patch.object(_magicgui, "find_viewer_ancestor", lambda _: cls.viewer))
        cls.gray = Image(recipes.picture(), name="gray", scale=(0.5, 0.25), units="um")
        cls.color = Image(recipes.picture(channels=3), name="color", rgb=True)
        cls.volume = Image(recipes.volume(), name="volume", scale=(2, 1, 1), units="mm")
        cls.labels = Labels(recipes.picture().astype(np.int64) // 52, name="labels")

    def widget(self, operation, *layers):
        import magicgui
        from tesela import _napari

        self.viewer.layers.clear()
        for layer in layers:
            self.viewer.add_layer(layer)
        return magicgui.magic_factory(getattr(_napari, command_of(operation)))()

    def made(self, gui):
        """The layers that a run adds to the viewer, by name."""
        before = list(self.viewer.layers)
        gui()
        return {layer.name: layer for layer in self.viewer.layers if layer not in before}

    def test_each_is_built(self):
        from tesela import _napari

        for name, operation in _napari.operations().items():
            with self.subTest(operation=operation):
                gui = self.widget(operation, self.gray, self.labels)
                self.assertEqual([field.name for field in gui][-1], "call_button")
                self.assertIn(name, commands())
                self.assertTrue(all(field.tooltip for field in gui if not field.name.startswith(("save_", "call_"))))

    def test_pixels_place_and_units_are_kept(self):
        mask = self.made(self.widget("threshold otsu", self.gray))["gray mask"]
        np.testing.assert_array_equal(mask.data, tesela.threshold.otsu(recipes.picture()).mask)
        self.assertEqual(type(mask).__name__, "Labels")
        self.assertEqual((list(mask.scale), {str(unit) for unit in mask.units}), ([0.5, 0.25], {"micrometer"}))

    def test_lengths_are_those_of_the_scale(self):
        gui = self.widget("level-set stop-function", self.volume)
        gui["sigma"].value = "2mm"
        expected = tesela.level_set.stop_function(recipes.volume(), sigma="2mm", spacing=(2, 1, 1), unit="mm").stop
        np.testing.assert_array_equal(self.made(gui)["volume stop"].data, expected)

    def test_colors_stay_colors_and_numbers_exact(self):
        gui = self.widget("image smooth gaussian", self.color)
        gui["sigma"].value = "1.25"
        (smooth,) = self.made(gui).values()
        self.assertTrue(smooth.rgb)
        np.testing.assert_array_equal(
            smooth.data, tesela.image.smooth.gaussian(recipes.picture(channels=3), channel_axis=-1, sigma=1.25).image)

    def test_a_table_of_labels_becomes_their_features(self):
        with tempfile.TemporaryDirectory() as folder:
            gui = self.widget("components", self.labels)
            gui["save_table"].value = os.path.join(folder, "objects.csv")
            labels = self.made(gui)["labels labels"]
            self.assertGreater(os.path.getsize(os.path.join(folder, "objects.csv")), 100)
        expected = tesela.components(recipes.picture() // 52)
        np.testing.assert_array_equal(labels.data, expected.labels)
        np.testing.assert_array_equal(labels.features["area_px"], expected.table["area_px"])
        self.assertEqual(self.made(self.widget("measure", self.labels)), {})
        np.testing.assert_array_equal(self.labels.features["area"], tesela.measure(recipes.picture() // 52).table["area"])

    def test_masks_stay_masks_and_axes_have_names(self):
        from napari.layers import Labels

        mask = Labels(np.stack([recipes.picture() > 120] * 2).astype(np.int64), name="mask", axis_labels=("t", "y", "x"))
        flipped = self.made(self.widget("image flip", mask))["mask image"]
        self.assertEqual(type(flipped).__name__, "Labels")
        np.testing.assert_array_equal(flipped.data, mask.data[..., ::-1])
        with self.assertRaisesRegex(tesela.UnsupportedFormat, "2 frames"):
            self.widget("mask fill-holes", mask)()

    def test_two_layers_are_registered_and_the_transform_saved(self):
        from napari.layers import Image

        moving = Image(np.roll(recipes.picture(), (1, 2), (0, 1)), name="moving", scale=self.gray.scale, units="um")
        gui = self.widget("register pair", self.gray, moving)
        gui["moving"].value = moving
        gui["accept_poor"].value = True
        with tempfile.TemporaryDirectory() as folder:
            gui["save_transform"].value = os.path.join(folder, "transform.json")
            layers = self.made(gui)
            found = tesela.warp(moving.data, transform=os.path.join(folder, "transform.json"), spacing=self.gray.scale, unit="um")
        self.assertEqual(list(layers), ["gray warped"])
        np.testing.assert_array_equal(found.output, layers["gray warped"].data)

    def test_a_layer_of_another_kind_is_named(self):
        from napari.layers import Points

        with self.assertRaisesRegex(TypeError, "input: a layer of an image or of labels is expected, not of points"):
            self.widget("threshold otsu", Points(np.zeros((1, 2))))()


if __name__ == "__main__":
    unittest.main()

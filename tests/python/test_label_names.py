"""Names and colors of labels: of arrays, from files and into files."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import tesela


class LabelNamesTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.labels = np.zeros((4, 6, 8), np.uint8)
        self.labels[1, 2, 3:6] = 1
        self.labels[2, 4, 1] = 7
        self.names = {1: "liver, \"left\"\nlobe", 7: "spleen"}
        self.colors = {1: (255, 128, 0)}
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def image(self, **more):
        return tesela.Image(self.labels, names=self.names, colors=self.colors, **more)

    def test_every_format_gives_names_and_colors_back(self):
        for name in ("a.nii.gz", "a.tif", "a.mgz", "a.npy", "a.seg.nrrd"):
            for as_labels in (True, False):
                with self.subTest(name, as_labels=as_labels):
                    tesela.write(self.path(name), self.image(spacing=(3, 2, 1), unit="mm"))
                    read = tesela.read(self.path(name), labels=as_labels)
                    self.assertEqual((read.names, read.colors), (self.names, self.colors))
                    np.testing.assert_array_equal(np.squeeze(read), self.labels)
        self.assertNotIn("a.seg.labels.json", os.listdir(self.folder.name))

    def test_results_keep_the_names_of_labels(self):
        image = self.image()
        for made in (tesela.image.flip(image, axis="x").image, tesela.mask.keep(image, list="1,7").image,
                     tesela.morphology.dilate(image, device="cpu").image):
            self.assertEqual((made.names, made.colors), (self.names, self.colors))
            tesela.write(self.path("kept.seg.nrrd"), made)
            self.assertEqual(tesela.read(self.path("kept.seg.nrrd")).names, self.names)
        parts = tesela.components(image, values="equal", background=0, device="cpu")
        self.assertEqual(parts.labels.names, {1: self.names[1], 2: "spleen"})
        self.assertEqual(parts.table["name"], [self.names[1], "spleen"])
        measured = tesela.measure(image, device="cpu", outputs="table").table
        self.assertEqual(measured["name"], [self.names[1], "spleen"])

    def test_names_are_given_to_operations(self):
        found = tesela.measure(self.labels, names={1: "lung", 7: "spleen", 9: "heart"}, device="cpu", outputs="table")
        self.assertEqual(found.table["name"], ["lung", "spleen"])
        both = tesela.measure(self.image(), names={1: "lung"}, device="cpu", outputs="table")  # which wins
        self.assertEqual(both.table["name"], ["lung", self.names[7]])
        kept = tesela.mask.keep(self.image(), list="1,7", names={1: "lung"}).image
        self.assertEqual((kept.names, kept.colors), ({**self.names, 1: "lung"}, self.colors))
        made = tesela.components(tesela.Image(self.labels), names={1: "first", 2: "second"}, device="cpu")
        self.assertEqual(made.labels.names, {1: "first", 2: "second"})
        self.assertEqual(made.table["name"], ["first", "second"])
        for nothing in (None, {}):
            self.assertNotIn("name", tesela.measure(self.labels, names=nothing, device="cpu", outputs="table").table)

    def test_names_come_from_a_file(self):
        with open(self.path("names.csv"), "w", encoding="utf-8") as file:
            file.write("label,name,color\n1,lung,#0a0b0c\n7,heart,\n")
        found = tesela.mask.keep(tesela.Image(self.labels), list="1,7", names=self.path("names.csv")).image
        self.assertEqual((found.names, found.colors), ({1: "lung", 7: "heart"}, {1: (10, 11, 12)}))
        with self.assertRaises(tesela.UnreadableInput):
            tesela.measure(self.labels, names=self.path("absent.csv"))

    def test_bad_names_are_refused(self):
        for names, error, words in ((["lung"], TypeError, "names: a dict or the name of a file is expected, not list"),
                                    ({-1: "lung"}, ValueError, "names: labels are whole numbers from 0 to 4294967295"),
                                    ({2**32: "lung"}, ValueError, "names: labels are whole numbers from 0"),
                                    ({"1": "lung"}, TypeError, ""), ({1: 2}, TypeError, "")):
            with self.subTest(names=names), self.assertRaisesRegex(error, words):
                tesela.measure(self.labels, names=names)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'names'"):
            tesela.edges.sobel(self.labels[0], names={1: "lung"})

    def test_what_else_a_segmentation_says_is_kept(self):
        tags = "TerminologyEntry:a~SCT^1^b~SCT^2^c|"
        header = ("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 1\nencoding: raw\n"
                  f"Segment0_ID:=own\nSegment0_Name:=liver\nSegment0_LabelValue:=2\nSegment0_Tags:={tags}\n\n")
        with open(self.path("in.seg.nrrd"), "wb") as file:
            file.write(header.encode() + bytes([0, 2]))
        tesela.write(self.path("out.seg.nrrd"), tesela.read(self.path("in.seg.nrrd")))
        with open(self.path("out.seg.nrrd"), "rb") as file:
            text = file.read()
        self.assertIn(f"Segment0_Tags:={tags}\n".encode(), text)
        self.assertIn(b"Segment0_ID:=own\n", text)

    def test_changed_names_take_their_place(self):
        tesela.write(self.path("a.tif"), self.image())
        read = tesela.read(self.path("a.tif"))
        read.names[7], read.colors[7] = "Milz", (1, 2, 3)
        tesela.write(self.path("b.tif"), read)
        again = tesela.read(self.path("b.tif"))
        self.assertEqual((again.names[7], again.colors), ("Milz", {**self.colors, 7: (1, 2, 3)}))

    def test_bad_colors_are_refused(self):
        for color in ((1, 2), (1, 2, 256), (1, 2, -1), (1, 2, 3, 4)):
            with self.assertRaisesRegex(ValueError, "colors: each is three whole numbers from 0 to 255"):
                tesela.write(self.path("a.tif"), tesela.Image(self.labels, colors={1: color}))


if __name__ == "__main__":
    unittest.main()

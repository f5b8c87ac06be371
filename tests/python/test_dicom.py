"""DICOM series and segmentations: read, written, and written of arrays."""

import os
import struct
import tempfile
import unittest
import warnings

import numpy as np
import tesela


def element(tag, kind, value):
    if isinstance(value, int):
        value = struct.pack("<H", value)
    if isinstance(value, str):
        value = value.encode() + (b"\0" if kind == "UI" else b" ") * (len(value) % 2)
    head = struct.pack("<HH2s", tag >> 16, tag & 0xffff, kind.encode())
    return head + struct.pack("<HI" if kind == "OW" else "<H", *([0] if kind == "OW" else []), len(value)) + value


def slice_bytes(number, pixels):
    rows, columns = pixels.shape
    elements = [
        (0x00020010, "UI", "1.2.840.10008.1.2.1"), (0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.2"),
        (0x00080018, "UI", f"1.2.3.{number}"), (0x00080060, "CS", "CT"), (0x00100020, "LO", "P-17"),
        (0x0020000d, "UI", "1.2.3"), (0x0020000e, "UI", "1.2.3.4"), (0x00200032, "DS", f"-7\\8\\{9 + 2 * number}"),
        (0x00200037, "DS", "1\\0\\0\\0\\1\\0"), (0x00200052, "UI", "1.2.3.5"), (0x00280002, "US", 1),
        (0x00280004, "CS", "MONOCHROME2"), (0x00280010, "US", rows), (0x00280011, "US", columns),
        (0x00280030, "DS", "0.5\\0.75"), (0x00280100, "US", 16), (0x00280101, "US", 16), (0x00280102, "US", 15),
        (0x00280103, "US", 0), (0x7fe00010, "OW", pixels.astype("<u2").tobytes())]
    return bytes(128) + b"DICM" + b"".join(element(*one) for one in elements)


class DicomTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.pixels = np.arange(3 * 4 * 6, dtype=np.uint16).reshape(3, 4, 6) * 9
        self.source = self.path("source")
        os.mkdir(self.source)
        for number, pixels in enumerate(self.pixels):
            with open(os.path.join(self.source, f"{number}.dcm"), "wb") as file:
                file.write(slice_bytes(number, pixels))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_series(self):
        image = tesela.read(self.source)
        soft = tesela.image.smooth.gaussian(image, device="cpu").image
        tesela.write(self.path("soft/"), soft, dicom_source=self.source)
        again = tesela.read(self.path("soft"))
        np.testing.assert_array_equal(again.array, soft.array)
        self.assertEqual((again.spacing, again.origin, again.direction), (image.spacing, image.origin, image.direction))
        self.assertEqual(sorted(os.listdir(self.path("soft"))), ["000001.dcm", "000002.dcm", "000003.dcm"])
        tesela.write(self.path("array/"), self.pixels, spacing=(2, 0.5, 0.75), unit="mm", dicom_source=self.source)
        np.testing.assert_array_equal(tesela.read(self.path("array")).array, self.pixels)
        with self.assertRaisesRegex(ValueError, "none is named"):
            tesela.write(self.path("other/"), soft)

    def test_segmentation(self):
        image = tesela.read(self.source)
        labels = (self.pixels > 300).astype(np.uint8) + (self.pixels > 500)
        made = tesela.Image(labels, spacing=image.spacing, unit="mm", origin=image.origin, direction=image.direction,
                            names={1: "Knochen", 2: "größer"}, colors={1: (10, 200, 30)})
        tesela.write(self.path("a.dcm"), made, dicom_source=self.source)
        for as_labels in (True, False):
            read = tesela.read(self.path("a.dcm"), labels=as_labels)
            np.testing.assert_array_equal(read.array, labels)
            self.assertEqual((read.names, read.colors), (made.names, made.colors))
        np.testing.assert_array_equal(tesela.read(self.path("a.dcm"), channel="größer").array, 2 * (labels == 2))
        mask = tesela.threshold.range(image, low=100, high=200, device="cpu").mask
        tesela.write(self.path("mask.dcm"), mask, dicom_source=self.source)
        np.testing.assert_array_equal(tesela.read(self.path("mask.dcm")).array, mask.array // 255)
        with self.assertRaisesRegex(ValueError, "grid of the series"):
            tesela.write(self.path("b.dcm"), labels[:2], labels=True, spacing=(2, 0.5, 0.75), unit="mm",
                         dicom_source=self.source)


if __name__ == "__main__":
    unittest.main()

"""Files of NumPy, written by one program and read by the other."""

import os
import tempfile
import unittest

import numpy

import tesela

TYPES = "uint8 int8 uint16 int16 uint32 int32 float32 float64".split()


class NumpyFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def arrays(self):
        random = numpy.random.default_rng(1)
        for name in TYPES:
            for shape in (5, 7), (6, 5, 7), (3, 6, 5, 7):
                yield (random.random(shape) * 100).astype(name)

    def test_numpy_reads_ours(self):
        for array in self.arrays():
            with self.subTest(f"{array.dtype} {array.shape}"):
                tesela.write(self.path("a.npy"), array)
                numpy.testing.assert_array_equal(numpy.load(self.path("a.npy")), array, strict=True)
                tesela.write(self.path("a.npz"), array, spacing=(3, 2, 0.5)[3 - min(array.ndim, 3):], unit="mm")
                with numpy.load(self.path("a.npz")) as archive:
                    numpy.testing.assert_array_equal(archive["image"], array, strict=True)
                    self.assertEqual(str(archive["axes"]), "tzyx"[-array.ndim:])
                    self.assertEqual(str(archive["unit"]), "mm")
                    self.assertEqual(list(archive["spacing"][-2:]), [2, 0.5])

    def test_we_read_numpy(self):
        for array in self.arrays():
            for order in "CF":
                for stored in array, array.astype(array.dtype.newbyteorder()):
                    with self.subTest(f"{stored.dtype} {array.shape} {order}"):
                        stored = numpy.array(stored, order=order)
                        numpy.save(self.path("a.npy"), stored)
                        numpy.testing.assert_array_equal(tesela.read(self.path("a.npy")).array, array, strict=True)
                        for save in numpy.savez, numpy.savez_compressed:
                            save(self.path("a.npz"), stored)
                            numpy.testing.assert_array_equal(
                                tesela.read(self.path("a.npz")).array, array, strict=True)

    def test_axes_and_spacing_by_name(self):
        array = numpy.arange(120, dtype="uint16").reshape(4, 5, 6)
        numpy.savez(self.path("a.npz"), picture=array, axes="cyx", spacing=[2.0, 0.5], unit="um")
        image = tesela.read(self.path("a.npz"))
        self.assertEqual((image.axes, image.unit, list(image.spacing)), ("yxc", "um", [2, 0.5]))
        numpy.testing.assert_array_equal(image.array, numpy.moveaxis(array, 0, -1))

    def test_objects_are_never_loaded(self):
        numpy.save(self.path("a.npy"), numpy.array([[{}, 1]], dtype=object), allow_pickle=True)
        with self.assertRaises(tesela.UnsupportedFormat):
            tesela.read(self.path("a.npy"))


if __name__ == "__main__":
    unittest.main()

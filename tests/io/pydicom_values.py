"""pydicom's test files with an image, and its own values of each.

pydicom_values.py FOLDER: fills FOLDER with one file of float64 values an image, and list.txt, a line
for each: name, path, file of values or '-' where pydicom has none, shape (2x3), largest difference.
"""
import os
import sys
import warnings

import numpy
import pydicom
from pydicom.pixels import apply_rescale

# JPEG and JPEG-LS with loss: two decoders differ by a value or two, of 12 bits by more.
LOSSY = {"1.2.840.10008.1.2.4.50": 3, "1.2.840.10008.1.2.4.51": 3, "1.2.840.10008.1.2.4.81": 1,
         "1.2.840.10008.1.2.4.91": 3}


def files_with_images(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            try:
                dataset = pydicom.dcmread(path)
            except (pydicom.errors.InvalidDicomError, OSError):
                continue
            if "PixelData" in dataset:
                yield path, dataset


def values_of(dataset):
    try:
        values = apply_rescale(dataset.pixel_array, dataset).astype("<f8")
        # pydicom leaves doses to its callers.
        return values * float(dataset.get("DoseGridScaling", 1))
    except Exception as error:  # whatever its decoders throw
        print(f"no values: {error}", file=sys.stderr)
        return None


def main(out):
    warnings.simplefilter("ignore")
    os.makedirs(out, exist_ok=True)
    root = os.path.join(os.path.dirname(pydicom.__file__), "data", "test_files")
    with open(os.path.join(out, "list.txt"), "w", encoding="utf-8") as listing:
        for number, (path, dataset) in enumerate(files_with_images(root)):
            values, name, shape = values_of(dataset), "-", "0"
            if values is not None:
                name = f"{number}.f64"
                values.tofile(os.path.join(out, name))
                shape = "x".join(str(length) for length in values.shape)
            syntax = str(dataset.file_meta.get("TransferSyntaxUID", ""))
            most = 1e-6 if "DoseGridScaling" in dataset else LOSSY.get(syntax, 0)
            print(os.path.relpath(path, root), path, name, shape, most, sep="\t", file=listing)


main(sys.argv[1])

"""pydicom's test files with an image, its own values of each, and files of several frames that it makes.

pydicom_values.py FOLDER: fills FOLDER with one file of float64 values an image, and list.txt, a line
for each: name, path, file of values or '-' where pydicom has none, shape (2x3), largest difference.
"""
import os
import sys
import warnings

import numpy
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.pixels import apply_color_lut, apply_rescale

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


def group(name, **elements):
    """A functional group: a sequence of one item."""
    item, around = Dataset(), Dataset()
    for keyword, value in elements.items():
        setattr(item, keyword, value)
    setattr(around, name, [item])
    return around


def enhanced():
    """An enhanced MR image of 7 x 5 pixels and 4 frames, each with a place and a rescaling of its own."""
    frames = numpy.arange(4 * 5 * 7, dtype="<u2").reshape(4, 5, 7) * 29 % 4096
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    dataset.SOPClassUID = pydicom.uid.EnhancedMRImageStorage
    dataset.SOPInstanceUID = dataset.SeriesInstanceUID = pydicom.uid.generate_uid(entropy_srcs=["enhanced"])
    dataset.Rows, dataset.Columns, dataset.NumberOfFrames = 5, 7, 4
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 12, 11, 0
    shared = group("PixelMeasuresSequence", PixelSpacing=[0.5, 0.75], SliceThickness=2)
    shared.update(group("PlaneOrientationSequence", ImageOrientationPatient=[1, 0, 0, 0, 1, 0]))
    dataset.SharedFunctionalGroupsSequence = [shared]
    dataset.PerFrameFunctionalGroupsSequence = []
    for number in range(4):
        own = group("PlanePositionSequence", ImagePositionPatient=[-10, 20, 2 * number])
        own.update(group("PixelValueTransformationSequence", RescaleSlope=1 + number, RescaleIntercept=-100 * number,
                         RescaleType="US"))
        dataset.PerFrameFunctionalGroupsSequence.append(own)
    dataset.PixelData = frames.tobytes()
    steps = numpy.arange(4).reshape(4, 1, 1)
    return dataset, frames * (1.0 + steps) - 100 * steps


def made_files(out):
    """Their paths and values, plain and in run lengths."""
    for name, syntax in ("plain", None), ("rle", pydicom.uid.RLELossless):
        dataset, values = enhanced()
        if syntax:
            dataset.compress(syntax)
        path = os.path.join(out, f"enhanced_{name}.dcm")
        dataset.save_as(path, enforce_file_format=True)
        yield path, values.astype("<f8")


def values_of(dataset):
    try:
        values = dataset.pixel_array
        if dataset.PhotometricInterpretation == "PALETTE COLOR":
            return apply_color_lut(values, dataset).astype("<f8")
        values = apply_rescale(values, dataset).astype("<f8")
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
        for path, values in made_files(os.path.abspath(out)):
            values.tofile(path + ".f64")
            print(os.path.basename(path), path, os.path.basename(path) + ".f64",
                  "x".join(str(length) for length in values.shape), 1e-9, sep="\t", file=listing)


main(sys.argv[1])

"""Reads the files of tests/formats/write_volumes.cpp by other programs and compares their values.

usage: compare_volumes.py FOLDER
"""

import csv
import subprocess
import sys
import zlib
from pathlib import Path

import nibabel
import nrrd
import numpy
import SimpleITK
from PIL import Image

SPACING_MM = (0.5, 0.75, 2)
ORIGIN_MM = (10, -20, 30)


class Sample:
    """A file, and the values that it holds: z, y, x, channel."""

    def __init__(self, folder, row):
        name, self.type, *counts = row
        self.path = folder / name
        self.channels, self.x, self.y, self.z = map(int, counts)
        values = numpy.fromfile(f"{self.path}.values", "<f8").astype(self.type)
        self.values = values.reshape(self.z, self.y, self.x, self.channels)

    def fault_of(self, values, spacing=SPACING_MM):
        values = values.reshape(self.values.shape)
        if values.dtype != self.type or not numpy.array_equal(values, self.values):
            return "values differ"
        if not numpy.allclose(spacing, SPACING_MM):
            return f"the spacing is {spacing}"
        return None


def by_simpleitk(sample):
    if max(sample.x, sample.y, sample.z) > 32767 and ".nii" in sample.path.name:
        return "refused"  # ITK reads no NIfTI-2
    image = SimpleITK.ReadImage(str(sample.path))
    spacing = SPACING_MM if sample.z == 1 else image.GetSpacing()  # of a picture it is left out
    return sample.fault_of(SimpleITK.GetArrayFromImage(image), spacing)


def by_nibabel(sample):
    image = nibabel.load(sample.path)
    values = numpy.asarray(image.dataobj)
    if values.dtype.names:  # colors
        values = numpy.stack([values[name] for name in values.dtype.names], -1)
    values = numpy.squeeze(values).reshape(sample.x, sample.y, sample.z, sample.channels)
    values = values.transpose(2, 1, 0, 3)
    expected = ORIGIN_MM[0] * -1, ORIGIN_MM[1] * -1, ORIGIN_MM[2]  # right, front and head
    if not numpy.allclose(image.affine[:3, 3], expected, atol=1e-4):
        return f"the origin is {image.affine[:3, 3]}"
    return sample.fault_of(values.astype(values.dtype.newbyteorder("=")), image.header.get_zooms()[:3])


def by_pynrrd(sample):
    values, header = nrrd.read(str(sample.path), index_order="C")
    steps = header["space directions"][-3:]
    return sample.fault_of(values, numpy.linalg.norm(steps, axis=1))


def by_pillow(sample):
    if sample.type == "uint16" and sample.channels > 1:
        return "refused"  # it has no such mode
    with Image.open(sample.path) as image:
        return sample.fault_of(numpy.asarray(image).astype(sample.type))


def by_gzip(sample):
    tested = subprocess.run(["gzip", "-t", sample.path], capture_output=True, text=True, check=False)
    return tested.stderr.strip() or None


def by_one_member(sample):
    """As DecompressionStream of a browser reads gzip: one member, which must end the file."""
    packed = sample.path.read_bytes()
    member = zlib.decompressobj(wbits=31)
    values = member.decompress(packed[packed.index(b"\x1f\x8b\x08") :])
    if not member.eof or member.unused_data:
        return "it is not one member"
    return None if len(values) >= sample.values.nbytes else "bytes are missing"


READERS = {
    "SimpleITK": (by_simpleitk, (".nii.gz", ".nrrd", ".mha", ".png")),
    "nibabel": (by_nibabel, (".nii.gz", ".nii", ".mgh", ".mgz")),
    "pynrrd": (by_pynrrd, (".nrrd",)),
    "Pillow": (by_pillow, (".png",)),
    "gzip": (by_gzip, (".nii.gz", ".mgz")),
    "one member": (by_one_member, (".nii.gz", ".mgz", ".nrrd", ".mha")),
}


def main():
    folder = Path(sys.argv[1])
    with open(folder / "volumes.tsv", encoding="utf-8", newline="") as lines:
        samples = [Sample(folder, row) for row in csv.reader(lines, delimiter="\t")]
    wrong = 0
    for name, (read, suffixes) in READERS.items():
        taken = [sample for sample in samples if sample.path.name.endswith(suffixes)]
        faults = [(sample, read(sample)) for sample in taken]
        refused = sum(fault == "refused" for _, fault in faults)
        for sample, fault in faults:
            if fault and fault != "refused":
                wrong += 1
                print(f"{name}: {sample.path.name} {sample.values.shape}: {fault}")
        print(f"{name} read {len(taken) - refused} files and has no form for {refused}")
    if wrong:
        sys.exit(f"{wrong} readings differ")
    print(f"{len(samples)} volumes and pictures are the same in {len(READERS)} readers")


main()

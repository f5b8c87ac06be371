"""Reads the TIFF files of tests/formats/write_tiffs.cpp by other programs and compares their values and pixel sizes.

usage: compare.py FOLDER IMAGEJ BIOFORMATS

IMAGEJ and BIOFORMATS hold what ReadWithImageJ.java and ReadWithBioFormats.java printed.
"""

import csv
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import numpy
import tifffile
from PIL import Image

SIZE_UM = (0.325, 0.65, 2.5)  # as write_tiffs.cpp has it
TIME_STEP_S = 0.5


class Sample:
    """A file, and the values that it holds: time, z, channel, y, x."""

    def __init__(self, folder, row):
        name, self.type, *counts, self.has_alpha, self.form = row
        self.path = folder / name
        self.x, self.y, self.channels, self.z, self.t = map(int, counts)
        self.has_alpha = self.has_alpha == "1"
        values = numpy.fromfile(f"{self.path}.values", "<f8")
        self.values = values.reshape(self.t, self.z, self.channels, self.y, self.x).astype(self.type)

    @property
    def is_rgb(self):
        is_picture = self.z == 1 and self.t == 1
        colors = self.channels == 3 and (self.type == "uint8" or self.type == "uint16" and is_picture)
        if self.form == "tiled":
            colors = self.channels == 3
        return colors or (self.channels == 4 and self.has_alpha)

    @property
    def is_interleaved(self):
        return self.form == "tiled" or self.is_rgb or self.has_alpha or self.channels == 1

    def lengths_differ(self, lengths):
        axes = zip(lengths, SIZE_UM[: 3 if self.z > 1 else 2])
        return any(abs(float(length) / size - 1) > 1e-6 for length, size in axes)


def in_order(array, axes):
    """Moves axes such as 'ZCYX' or 'YXS' to time, z, channel, y, x."""
    axes = axes.replace("S", "C") if "C" not in axes else axes
    for axis in "TZCYX":
        if axis not in axes:
            axes, array = axis + axes, array[numpy.newaxis]
    return array.transpose([axes.index(axis) for axis in "TZCYX"])


def resolution_um(page):
    unit = {1: 1, 2: 25400, 3: 10000}[int(page.tags["ResolutionUnit"].value)]
    return [unit * page.tags[f"{axis}Resolution"].value[1] / page.tags[f"{axis}Resolution"].value[0] for axis in "XY"]


def by_tifffile(sample):
    with tifffile.TiffFile(sample.path) as tiff:
        series = tiff.series[0]
        values = in_order(series.asarray(), series.axes)
        if sample.form != "plain":
            if not tiff.is_ome:
                return "it is no OME-TIFF"
            facts = xml.etree.ElementTree.fromstring(tiff.ome_metadata).find(".//{*}Pixels").attrib
            lengths = [facts[f"PhysicalSize{axis}"] for axis in ("XYZ" if sample.z > 1 else "XY")]
            step = float(facts.get("TimeIncrement", TIME_STEP_S))
        else:
            facts = tiff.imagej_metadata or {}
            lengths = resolution_um(tiff.pages[0]) + [facts.get("spacing", 0)]
            step = facts.get("finterval", 0 if sample.t > 1 else TIME_STEP_S)
            if len(tiff.pages) > 1 and facts.get("unit") != "micron":
                return "its unit is not um"
        if tiff.is_bigtiff != (sample.form == "tiled"):
            return "BigTIFF where it is not needed, or not where it is"
    if values.dtype != sample.type or not numpy.array_equal(values, sample.values):
        return "values differ"
    if sample.lengths_differ(lengths) or step != TIME_STEP_S:
        return f"the size of a pixel is {lengths}, the time step {step}"
    return None


def by_libtiff(sample):
    plain = f"{sample.path}.plain"
    subprocess.run(["tiffcp", "-c", "none", sample.path, plain], check=True, capture_output=True)
    with tifffile.TiffFile(plain) as tiff:
        pages = [page.asarray() for page in tiff.pages]
    pages = [page if page.ndim == 2 else numpy.moveaxis(page, -1, 0) for page in pages]
    values = numpy.stack(pages).reshape(sample.values.shape)
    return None if numpy.array_equal(values, sample.values) else "values differ"


def pillow_takes(sample):
    """Pillow has no mode for others: it refuses them."""
    if sample.is_rgb or (sample.has_alpha and sample.channels == 2):
        return sample.type == "uint8"
    return sample.type in ("uint8", "uint16", "int16", "uint32", "int32", "float32") and (
        not sample.is_interleaved or sample.channels == 1
    )


def by_pillow(sample):
    if not pillow_takes(sample):
        return "refused"
    pages = []
    with Image.open(sample.path) as image:
        for frame in range(image.n_frames):
            image.seek(frame)
            page = numpy.asarray(image)
            pages.append(page if page.ndim == 2 else numpy.moveaxis(page, -1, 0))
        dpi = image.info.get("dpi")
    values = numpy.stack(pages).reshape(sample.values.shape)
    expected = sample.values
    if sample.type == "uint32":  # held as int32
        expected = expected.view("int32")
    if not numpy.array_equal(values, expected):
        return "values differ"
    if len(pages) == 1 and sample.lengths_differ([25400 / float(dots) for dots in dpi]):
        return f"the resolution is {dpi}"
    return None


def imagej_takes(sample):
    if sample.form == "tiled" or sample.type == "float64":
        return False
    if sample.has_alpha:
        return sample.channels == 4 and sample.type in ("uint8", "uint16")
    return True


def imagej_values(sample):
    values = sample.values
    if sample.has_alpha:
        values = values[:, :, :3]
    if sample.type == "int8":  # ImageJ has no signed bytes, and no unsigned numbers of 32 bits
        values = values.view("uint8")
    if sample.type == "uint32":
        values = values.view("int32")
    return values.astype("float32")


def by_imagej(sample, line):
    if line[0] == "refused" or not imagej_takes(sample):
        return "refused" if line[0] == "refused" and not imagej_takes(sample) else f"{line} was not expected"
    *counts, unit, step = line
    lengths = [float(length) * {"cm": 10000, "um": 1, "micron": 1}[unit] for length in counts[5:]]
    values = numpy.fromfile(f"{sample.path}.imagej", ">f4")
    if sample.has_alpha and sample.type == "uint16":  # shows opacity as a fourth channel
        values = values.reshape(-1, 4, sample.y, sample.x)[:, :3]
    expected = imagej_values(sample)
    if not numpy.array_equal(values.reshape(expected.shape), expected):
        return "values differ"
    if sample.form == "ome":  # of OME it knows nothing, but for the planes
        lengths = lengths[:2]
    elif [int(count) for count in counts[2:5]] != [sample.channels, sample.z, sample.t] and not sample.has_alpha:
        return f"channels, slices and frames are {counts[2:5]}"
    if sample.lengths_differ(lengths):
        return f"the size of a pixel is {lengths} um"
    if sample.form == "plain" and sample.t > 1 and float(step) != TIME_STEP_S:
        return f"the time step is {step} s"
    return None


def by_bioformats(sample, line):
    if line[0] == "refused":
        return f"{line} was not expected"
    *counts, kind, is_little = line
    if [int(count) for count in counts[2:5]] != [sample.channels, sample.z, sample.t]:
        return f"channels, slices and frames are {counts[2:5]}"
    kind = {"float": "float32", "double": "float64"}.get(kind, kind)
    order = "<" if is_little == "true" else ">"
    values = numpy.fromfile(f"{sample.path}.bioformats", numpy.dtype(kind).newbyteorder(order))
    if kind != sample.type or not numpy.array_equal(values.reshape(sample.values.shape), sample.values):
        return "values differ"
    if sample.lengths_differ(counts[5:8]) or (sample.t > 1 and float(counts[8]) != TIME_STEP_S):
        return f"the size of a pixel is {counts[5:8]} um, the time step {counts[8]} s"
    return None


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return {Path(row[0]).name: row[1:] for row in rows if len(row) > 1}


def main():
    folder = Path(sys.argv[1])
    imagej, bioformats = lines_of(sys.argv[2]), lines_of(sys.argv[3])
    with open(folder / "files.tsv", encoding="utf-8", newline="") as lines:
        samples = [Sample(folder, row) for row in csv.reader(lines, delimiter="\t")]
    readers = {
        "tifffile": by_tifffile,
        "libtiff": by_libtiff,
        "Pillow": by_pillow,
        "ImageJ": lambda sample: by_imagej(sample, imagej[sample.path.name]),
        "Bio-Formats": lambda sample: by_bioformats(sample, bioformats[sample.path.name]),
    }
    wrong = 0
    for name, read in readers.items():
        refused = 0
        for sample in samples:
            fault = read(sample)
            if fault == "refused":
                refused += 1
            elif fault:
                wrong += 1
                print(f"{name}: {sample.path.name} ({sample.form}, {sample.values.shape}): {fault}")
        print(f"{name} read {len(samples) - refused} files and has no form for {refused}")
    if wrong:
        sys.exit(f"{wrong} readings differ")
    print(f"{len(samples)} TIFF files are the same in {len(readers)} readers")


main()

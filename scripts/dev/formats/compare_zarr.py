"""Gives OME-Zarr that Tesela wrote to zarr-python and ome-zarr, and theirs to Tesela, and compares every value.

usage: compare_zarr.py TESELA FOLDER
"""

import itertools
import json
import logging
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import ome_zarr_models
import zarr
from numcodecs import GZip, Zlib, Zstd
from numcodecs import Blosc as OldBlosc
from ome_zarr.format import FormatV04, FormatV05
from ome_zarr.io import parse_url
from ome_zarr.reader import Reader
from ome_zarr.writer import write_image, write_labels
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

SPACING = {"t": 2.5, "c": 1, "z": 3.0, "y": 0.5, "x": 0.25}
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]


class Checks:
    def __init__(self, tesela, folder):
        self.tesela, self.folder = tesela, folder
        self.count = self.wrong = 0

    def run(self, *words):
        call = subprocess.run([self.tesela, *map(str, words)], capture_output=True, text=True, check=False)
        if call.returncode != 0:
            raise RuntimeError(call.stderr.strip())
        return call.stdout

    def expect(self, name, right, what="values differ"):
        self.count += 1
        if not right:
            self.wrong += 1
            print(f"{name}: {what}")


def pattern(shape, dtype):
    """Numbers of the whole range, half of them alike, so that they shrink."""
    count = int(numpy.prod(shape))
    raw = numpy.random.default_rng(7).integers(0, 256, count * numpy.dtype(dtype).itemsize, "uint8")
    values = raw.view(dtype).copy()
    if values.dtype.kind == "f":
        values = numpy.arange(count, dtype=dtype) / 3
    values[: count // 2] = 3
    return values.reshape(shape)


def with_all_axes(values, axes):
    """In the order of Tesela's arrays: t, z, y, x, c."""
    for axis in "tczyx":
        if axis not in axes:
            axes, values = axis + axes, values[numpy.newaxis]
    return values.transpose([axes.index(axis) for axis in "tzyxc"])


def by_tesela(checks, path):
    """The values of an image, time, z, y, x, channel, by way of an .npz."""
    out = checks.folder / "read.npz"
    checks.run("image", "convert", path, "-o", out, "--force", "--quiet")
    with numpy.load(out) as members:
        values, axes = members["image"], str(members["axes"])
        spacing = list(members["spacing"]) if "spacing" in members else None
    return with_all_axes(values, axes), spacing


# ---- written by Tesela --------------------------------------------------------------------------


def check_written(checks, axes, shape, dtype, compression, suffix, version="0.4"):
    name = f"{axes} {shape} {dtype} {compression}{suffix} {version}"
    values = pattern(shape, dtype)
    source, target = checks.folder / "source.npz", checks.folder / f"written{suffix}"
    last = "".join(axis for axis in "tzyxc" if axis in axes)
    numpy.savez(
        source,
        image=values.transpose([axes.index(axis) for axis in last]),
        axes=last,
        spacing=[SPACING["z"], SPACING["y"], SPACING["x"]],
        unit="um",
        time_step=SPACING["t"],
    )
    how = ["--compression", compression, "--zarr", version]
    checks.run("image", "convert", source, "-o", target, "--force", "--quiet", *how)
    store = zarr.storage.ZipStore(target, mode="r") if suffix.endswith(".zip") else target
    group = zarr.open_group(store, mode="r", zarr_format=2 if version == "0.4" else 3)
    model = ome_zarr_models.open_ome_zarr(group)
    checks.expect(name, type(model).__name__ == "Image" and model.ome_zarr_version == version, f"it is {model}")
    multiscale = (group.attrs if version == "0.4" else group.attrs["ome"])["multiscales"][0]
    found = "".join(axis["name"] for axis in multiscale["axes"])
    expected = with_all_axes(values, axes)
    checks.expect(name, numpy.array_equal(with_all_axes(group["0"][:], found), expected))
    checks.expect(name, group["0"].dtype == numpy.dtype(dtype), "the type differs")
    scale, translation = multiscale["datasets"][0]["coordinateTransformations"]
    checks.expect(name, scale["scale"] == [SPACING[axis] for axis in found], f"the scale is {scale}")
    checks.expect(name, not any(translation["translation"]), "it was moved")
    finer = group["0"]
    for dataset in multiscale["datasets"][1:]:
        level = group[dataset["path"]]
        y, x = finer.shape[-2:]
        checks.expect(name, level.shape[-2:] == (-(-y // 2), -(-x // 2)), f"a level is {level.shape}")
        finer = level
    if not suffix.endswith(".zip"):
        nodes = list(Reader(parse_url(target, fmt=FormatV04() if version == "0.4" else FormatV05()))())
        checks.expect(name, numpy.array_equal(with_all_axes(numpy.asarray(nodes[0].data[0]), found), expected))
        checks.expect(name, len(nodes[0].data) == len(multiscale["datasets"]), "levels are missing")


def check_written_labels(checks):
    labels = numpy.zeros((300, 700), "uint16")
    labels[20:80, 30:90], labels[100:250, 600:] = 7, 300
    source, target = checks.folder / "labels.npy", checks.folder / "labels.ome.zarr"
    numpy.save(source, labels)
    checks.run("components", source, "--labels", target, "--force", "--quiet")
    group = zarr.open_group(target, mode="r", zarr_format=2)
    model = ome_zarr_models.open_ome_zarr(group)
    checks.expect("labels", type(model).__name__ == "ImageLabel", f"it is {type(model).__name__}")
    checks.expect("labels", set(numpy.unique(group["0"])) == {0, 1, 2} == set(numpy.unique(group["1"])))


def check_labels_in_image(checks, form):
    """Labels in an image of ome-zarr, whose levels are not halved as Tesela does it."""
    name, target = f"labels in an image of {form.version}", checks.folder / "image.ome.zarr"
    shutil.rmtree(target, ignore_errors=True)
    values = numpy.zeros((2, 301, 405), "uint16")
    values[:, 20:80, 30:90], values[:, 100:250, 300:] = 7, 300
    scale = {axis: SPACING[axis] for axis in "cyx"}
    write_image(values, str(target), axes="cyx", fmt=form, scale=scale, axes_units={"y": "micrometer", "x": "micrometer"})
    cells = target / "labels" / "cells"
    checks.run("components", target, "--channel", 1, "--labels", cells, "--names", "1=first,2=second", "--quiet")
    group = zarr.open_group(target, mode="r")
    labels = group["labels/cells"]
    expected = numpy.zeros((301, 405))
    expected[values[1] == 7], expected[values[1] == 300] = 1, 2
    checks.expect(name, numpy.array_equal(labels["0"][:], expected))
    model = ome_zarr_models.open_ome_zarr(labels)
    checks.expect(name, type(model).__name__ == "ImageLabel" and model.ome_zarr_version == form.version, f"it is {model}")
    ome = labels.attrs if form.version == "0.4" else labels.attrs["ome"]
    names = [entry["name"] for entry in ome["image-label"]["properties"]]
    checks.expect(name, names == ["first", "second"], f"names are {names}")
    paths = [dataset["path"] for dataset in ome["multiscales"][0]["datasets"]]
    whole = group.attrs if form.version == "0.4" else group.attrs["ome"]
    for path, dataset in zip(paths, whole["multiscales"][0]["datasets"], strict=True):
        checks.expect(name, labels[path].shape == group[dataset["path"]].shape[1:], f"level {path} is {labels[path].shape}")
    found = [node for node in Reader(parse_url(target, fmt=form))() if node.zarr.basename() == "cells"]
    checks.expect(name, len(found) == 1 and numpy.array_equal(numpy.asarray(found[0].data[0]), expected), "ome-zarr finds others")
    checks.run("measure", cells, "-o", checks.folder / "cells.csv", "--force", "--quiet")
    checks.expect(name, "second" in (checks.folder / "cells.csv").read_text(), "names are not read")


# ---- read by Tesela -----------------------------------------------------------------------------


def write_by_zarr(store, values, axes, version, fill_value=0, **form):
    """One level without ome-zarr, whose forms are fewer."""
    group = zarr.open_group(store, mode="w", zarr_format=version)
    array = group.create_array("0", shape=values.shape, dtype=values.dtype, fill_value=fill_value, **form)
    array[...] = values
    units = {"t": "second", "c": None}
    described = [
        {
            "name": axis,
            "type": {"t": "time", "c": "channel"}.get(axis, "space"),
            **({"unit": units.get(axis, "micrometer")} if axis != "c" else {}),
        }
        for axis in axes
    ]
    transforms = [{"type": "scale", "scale": [SPACING[axis] for axis in axes]}]
    multiscale = {"axes": described, "datasets": [{"path": "0", "coordinateTransformations": transforms}]}
    if version == 2:
        group.attrs["multiscales"] = [{"version": "0.4", **multiscale}]
    else:
        group.attrs["ome"] = {"version": "0.5", "multiscales": [multiscale]}


def check_read(checks, name, path, values, axes):
    read, spacing = by_tesela(checks, path)
    checks.expect(name, read.dtype == values.dtype and numpy.array_equal(read, with_all_axes(values, axes)))
    expected = [SPACING["z"] if "z" in axes else 1, SPACING["y"], SPACING["x"]]
    checks.expect(name, spacing == expected, f"the spacing is {spacing}")


def check_forms_of_zarr(checks):
    path = checks.folder / "theirs.zarr"
    old = [None, Zlib(1), GZip(1), Zstd(3)]
    old += [OldBlosc(cname, 5, shuffle) for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for shuffle in (0, 1, 2)]
    for compressor, dtype in itertools.product(old, ["uint8", ">u2", "<f4", "int32", "float64"]):
        values = pattern((3, 40, 50), dtype)
        for order, separator in (("C", "/"), ("F", ".")):
            write_by_zarr(
                path,
                values,
                "zyx",
                2,
                chunks=(2, 16, 17),
                compressors=compressor,
                order=order,
                chunk_key_encoding={"name": "v2", "separator": separator},
            )
            native = values.astype(values.dtype.newbyteorder("="))
            check_read(checks, f"format 2, {compressor} {dtype} {order}", path, native, "zyx")
    new = [None, GzipCodec(), ZstdCodec(level=3), ZstdCodec(level=1, checksum=True), [ZstdCodec(), Crc32cCodec()]]
    new += [[Crc32cCodec()], BloscCodec(cname="lz4"), BloscCodec(cname="zstd", shuffle="bitshuffle")]
    for compressors, dtype in itertools.product(new, ["uint8", "uint16", "float32", "int32", "float64"]):
        values = pattern((3, 40, 50), dtype)
        for endian, filters in (("little", None), ("big", [TransposeCodec(order=(2, 0, 1))])):
            write_by_zarr(
                path,
                values,
                "zyx",
                3,
                chunks=(2, 16, 17),
                compressors=compressors,
                filters=filters,
                serializer=BytesCodec(endian=endian),
            )
            check_read(checks, f"format 3, {compressors} {dtype} {endian}", path, values, "zyx")


def check_shards(checks):
    path = checks.folder / "theirs.zarr"
    for dtype, location in itertools.product(["uint8", "float32"], ["start", "end"]):
        values = pattern((9, 40, 50), dtype)
        values[:3] = 0
        codecs = [BytesCodec(), ZstdCodec()]
        sharding = ShardingCodec(chunk_shape=(3, 8, 9), codecs=codecs, index_location=location)
        write_by_zarr(path, values, "zyx", 3, chunks=(6, 16, 18), serializer=sharding, compressors=None)
        check_read(checks, f"shards of {dtype}, index at the {location}", path, values, "zyx")
        with zarr.storage.ZipStore(checks.folder / "theirs.zarr.zip", mode="w") as store:
            write_by_zarr(store, values, "zyx", 3, chunks=(3, 8, 9), shards=(6, 16, 18))
        check_read(checks, f"shards of {dtype} in an archive", checks.folder / "theirs.zarr.zip", values, "zyx")


def check_fill_values(checks):
    path = checks.folder / "theirs.zarr"
    for dtype, fill in (("uint8", 7), ("int16", -300), ("float32", 0.1), ("float64", float("inf"))):
        for version in (2, 3):
            values = numpy.full((40, 50), fill, dtype)
            values[3:5, 20:45] = 1
            write_by_zarr(path, values, "yx", version, fill_value=fill, chunks=(16, 17))
            check_read(checks, f"fill value {fill} of format {version}", path, values, "yx")


def check_images_of_ome_zarr(checks):
    path = checks.folder / "theirs.ome.zarr"
    shapes = {"yx": (200, 300), "cyx": (2, 200, 300), "zyx": (5, 60, 70), "tczyx": (2, 3, 4, 50, 60)}
    for form, (axes, shape) in itertools.product((FormatV04(), FormatV05()), shapes.items()):
        values = pattern(shape, "uint16")
        shutil.rmtree(path, ignore_errors=True)
        units = {axis: "micrometer" for axis in axes if axis in "zyx"}
        write_image(
            values,
            str(path),
            axes=axes,
            fmt=form,
            scale={axis: SPACING[axis] for axis in axes},
            axes_units=units,
        )
        name = f"ome-zarr {form.version} {axes}"
        check_read(checks, name, path, values, axes)
        labels = (values > 1000).astype("int64")
        write_labels(labels, str(path), name="cells", axes=axes, fmt=form)
        read, _ = by_tesela(checks, path / "labels" / "cells")
        checks.expect(name, numpy.array_equal(read, with_all_axes(labels, axes)), "labels differ")
        if axes == "yx":
            facts = json.loads(checks.run("info", path, "--json"))["files"][0]
            checks.expect(name, facts["format"] == "OME-Zarr" and len(facts["levels"]) > 1, f"info: {facts}")


def check_archives(checks):
    values = pattern((40, 50), "uint16")
    folder, packed = checks.folder / "theirs.zarr", checks.folder / "theirs.zarr.zip"
    write_by_zarr(folder, values, "yx", 2, chunks=(16, 17))
    shutil.make_archive(str(folder), "zip", checks.folder, "theirs.zarr")
    check_read(checks, "archive of a folder", packed, values, "yx")
    with zarr.storage.ZipStore(packed, mode="w") as store:
        write_by_zarr(store, values, "yx", 3, chunks=(16, 17))
    check_read(checks, "archive", packed, values, "yx")


def main():
    warnings.simplefilter("ignore")  # of versions that are to come
    logging.disable(logging.WARNING)
    checks = Checks(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
    shapes = {"yx": (600, 700), "cyx": (3, 37, 23), "zyx": (70, 80, 90), "czyx": (2, 5, 6, 7), "tcyx": (3, 2, 9, 8)}
    for (axes, shape), dtype in itertools.product(shapes.items(), TYPES):
        for compression, suffix in (("auto", ".ome.zarr"), ("none", ".zarr"), ("fast", ".zarr.zip"), ("small", ".ome.zarr")):
            check_written(checks, axes, shape, dtype, compression, suffix)
        for compression, suffix in (("auto", ".ome.zarr"), ("none", ".zarr.zip")):
            check_written(checks, axes, shape, dtype, compression, suffix, "0.5")
    check_written(checks, "tczyx", (2, 3, 4, 50, 60), "int16", "auto", ".ome.zarr")
    check_written_labels(checks)
    for form in (FormatV04(), FormatV05()):
        check_labels_in_image(checks, form)
    check_forms_of_zarr(checks)
    check_shards(checks)
    check_fill_values(checks)
    check_images_of_ome_zarr(checks)
    check_archives(checks)
    if checks.wrong:
        sys.exit(f"{checks.wrong} of {checks.count} comparisons differ")
    print(f"OME-Zarr: {checks.count} comparisons with zarr {zarr.__version__} and ome-zarr are equal")


main()

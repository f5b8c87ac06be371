#!/usr/bin/env python3
"""Compressed volumes beside .nii.gz, Blosc and ZFP: bytes, times, and PSNR at 10:1.

    bench/peers/volumes.py TESELA VOLUME... [--labels LABELS...]

TESELA is the program, a VOLUME a NIfTI file or a folder of one DICOM series. LABELS are label maps, which
are kept without loss alone. Blosc (zstd, level 9, byte shuffle) packs chunks of 64^3 voxels, as many as
there are threads at once. ZFP keeps everything (reversible), or as much as 10:1 leaves, by its
fixed precision. Bytes are of stored numbers, PSNR is against their range. The last columns are
zstd's levels 3, 15 and 19 on shuffled bricks.
"""
import argparse
import ctypes
import gzip
import os
import subprocess
import tempfile
import time

import numpy as np

TYPES = {2: np.uint8, 256: np.int8, 4: np.int16, 512: np.uint16, 8: np.int32, 768: np.uint32,
         16: np.float32, 64: np.float64}


def library(name):
    return ctypes.CDLL(name, mode=ctypes.RTLD_LOCAL)


def nifti(path):
    """The stored numbers, z first, with their slope and intercept."""
    raw = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
    header = np.frombuffer(raw[:348], np.uint8)
    dims = header[40:56].view(np.int16)
    kind = TYPES[int(header[70:72].view(np.int16)[0])]
    offset = int(header[108:112].view(np.float32)[0])
    shape = [max(1, int(n)) for n in dims[1:1 + dims[0]]]
    count = int(np.prod(shape))
    slope, intercept = (float(f) for f in header[112:120].view(np.float32))
    stored = np.frombuffer(raw, kind, count, offset).reshape(shape[::-1][-3:])
    return stored, (slope, intercept) if slope else (1.0, 0.0)


def stored_numbers(file, values):
    """What a .tvol stores for these values (docs/volume-files.md has its header)."""
    header = np.fromfile(file, np.uint8, 248)
    kind = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float32, np.float64]
    slope, intercept = header[56:72].view(np.float64)
    return np.rint((values - intercept) / slope).astype(kind[header[53]]), (slope, intercept)


def bricks(volume):
    for z in range(0, volume.shape[0], 64):
        for y in range(0, volume.shape[1], 64):
            for x in range(0, volume.shape[2], 64):
                yield np.ascontiguousarray(volume[z:z + 64, y:y + 64, x:x + 64])


def blosc_bytes(volume, blosc):
    total = 0
    for brick in bricks(volume):
        out = ctypes.create_string_buffer(brick.nbytes + 16)
        size = blosc.blosc_compress_ctx(
            9, 1, ctypes.c_size_t(brick.itemsize), ctypes.c_size_t(brick.nbytes),
            brick.ctypes.data_as(ctypes.c_void_p), out, ctypes.c_size_t(brick.nbytes + 16), b"zstd",
            ctypes.c_size_t(0), os.cpu_count())
        assert size > 0
        total += size
    return total


def zstd_bytes(volume, zstd, level):
    zstd.ZSTD_compress.restype = ctypes.c_size_t
    total = 0
    start = time.perf_counter()
    for brick in bricks(volume):
        shuffled = np.ascontiguousarray(
            brick.reshape(-1).view(np.uint8).reshape(-1, brick.itemsize).T)
        out = ctypes.create_string_buffer(2 * brick.nbytes + 1000)
        total += zstd.ZSTD_compress(out, ctypes.c_size_t(len(out)),
                                    shuffled.ctypes.data_as(ctypes.c_void_p),
                                    ctypes.c_size_t(brick.nbytes), level)
    return total, time.perf_counter() - start


class Zfp:
    """The whole volume as one field of 32-bit integers or floats."""

    def __init__(self):
        self.lib = library("libzfp.so.1")
        for name in ("zfp_field_3d", "zfp_stream_open", "stream_open"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        for name in ("zfp_stream_maximum_size", "zfp_compress", "zfp_decompress"):
            getattr(self.lib, name).restype = ctypes.c_size_t

    def run(self, values, precision):
        """Bytes and values again; precision 0 keeps everything."""
        values = np.ascontiguousarray(values)
        given = values.copy()
        kind = {np.dtype(np.int32): 1, np.dtype(np.float32): 3}[values.dtype]
        pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
        z, y, x = values.shape
        sides = [ctypes.c_size_t(n) for n in (x, y, z)]
        lib = self.lib
        field = ctypes.c_void_p(lib.zfp_field_3d(pointer(given), kind, *sides))
        stream = ctypes.c_void_p(lib.zfp_stream_open(None))
        if precision:
            lib.zfp_stream_set_precision(stream, precision)
        else:
            lib.zfp_stream_set_reversible(stream)
        size = lib.zfp_stream_maximum_size(stream, field)
        buffer = ctypes.create_string_buffer(size)
        bits = ctypes.c_void_p(lib.stream_open(buffer, ctypes.c_size_t(size)))
        lib.zfp_stream_set_bit_stream(stream, bits)
        lib.zfp_stream_rewind(stream)
        size = lib.zfp_compress(stream, field)
        lib.zfp_stream_rewind(stream)
        assert size and lib.zfp_decompress(stream, field)
        lib.zfp_field_free(field), lib.zfp_stream_close(stream), lib.stream_close(bits)
        return size, given

    def at_ratio(self, values, most_bytes):
        best = None
        for precision in range(1, 33):
            size, given = self.run(values, precision)
            if size > most_bytes:
                break
            best = given
        return best


def psnr(volume, given):
    difference = volume.astype(float) - given.astype(float)
    peak = float(volume.max()) - float(volume.min())
    return 10 * np.log10(peak ** 2 / max(np.mean(difference ** 2), 1e-30))


def run_tesela(program, *arguments):
    subprocess.run([program, *arguments, "--quiet"], check=True)


def compressed_bytes(program, path, file, *options):
    run_tesela(program, "compress", path, "-o", file, "--force", *options)
    return os.path.getsize(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesela")
    parser.add_argument("volumes", nargs="+")
    parser.add_argument("--labels", nargs="*", default=[])
    options = parser.parse_args()
    blosc, zstd, zfp = library("libblosc.so.1"), library("libzstd.so.1"), Zfp()
    print(f"{'volume':14} {'stored':>10} {'tvol':>9} {'nii.gz':>9} {'Blosc':>9} {'ZFP':>9} "
          f"{'of best':>8} {'at 10:1: tvol':>14} {'ZFP':>6}   zstd 3, 15, 19")
    totals = np.zeros(4)
    for path in options.volumes + options.labels:
        is_labels = path in options.labels
        with tempfile.TemporaryDirectory() as folder:
            file, back = f"{folder}/v.tvol", f"{folder}/v.nii"
            tvol = compressed_bytes(options.tesela, path, file, *["--labels"] * is_labels)
            if os.path.isdir(path):
                run_tesela(options.tesela, "decompress", file, "-o", back)
                volume, (slope, intercept) = stored_numbers(file, nifti(back)[0])
            else:
                volume, (slope, intercept) = nifti(path)
            if not is_labels:
                compressed_bytes(options.tesela, path, file, "--ratio", "10")
                run_tesela(options.tesela, "decompress", file, "-o", back, "--force")
                ours = psnr(slope * volume + intercept, nifti(back)[0])
        values = volume if volume.dtype == np.float32 else volume.astype(np.int32)
        packed = gzip.compress(volume.tobytes(), 6)
        sizes = np.array([tvol, len(packed), blosc_bytes(volume, blosc), zfp.run(values, 0)[0]])
        lossy = f"{'':14} {'':9}"
        if not is_labels:
            totals += sizes
            theirs = psnr(volume, zfp.at_ratio(values, volume.nbytes // 10))
            lossy = f"{ours:11.2f} dB {theirs:6.2f}   "
        levels = [zstd_bytes(volume, zstd, level) for level in (3, 15, 19)]
        name = os.path.basename(path.rstrip("/")).split(".")[0]
        print(f"{name:14} {volume.nbytes:10} " + " ".join(f"{int(s):9}" for s in sizes) +
              f" {sizes[0] / min(sizes[1:]):8.3f} {lossy}" +
              ", ".join(f"{size} in {1000 * seconds:.0f} ms" for size, seconds in levels),
              flush=True)
    print(f"{'together':25} " + " ".join(f"{int(s):9}" for s in totals) +
          f" {totals[0] / min(totals[1:]):8.3f}")


main()

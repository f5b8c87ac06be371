#!/usr/bin/env python3
"""PSNR of denoised images: tesela wavelet denoise beside scikit-image's denoise_wavelet.

    bench/denoise_quality.py --image astronaut.png --volume ch2bet.nii.gz [--program build/bin/tesela]

Gaussian noise of 5, 10 and 20 levels comes from 'tesela synthesize noise', whose file both read.
'same settings': bior4.4, three levels, the true sigma, two shifts an axis, gray, of floating-point
numbers, whose noise is not clipped. 'defaults': those of each program, of 8 bits, where scikit-image
estimates sigma and takes db1 without shifts.
"""
import argparse
import gzip
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import skimage.io
from skimage.restoration import cycle_spin, denoise_wavelet


def read(path):
    """Pixels of a picture, or of a NIfTI volume of 8 bits, 16 bits or float."""
    if not str(path).endswith(".nii.gz"):
        return skimage.io.imread(path).astype(np.float64)
    data = gzip.open(path).read()
    shape = np.frombuffer(data, "<i2", 8, 40)[1:4]
    kind = {2: "u1", 4: "<i2", 16: "<f4"}[int(np.frombuffer(data, "<i2", 1, 70)[0])]
    begin = int(np.frombuffer(data, "<f4", 1, 108)[0])
    return np.frombuffer(data, kind, shape.prod(), begin).reshape(shape[::-1]).squeeze().astype(float)


def write(path, values):
    """Float NIfTI of the values, with pixels of 1 mm."""
    header = bytearray(352)
    axes = values.shape[::-1]
    header[0:4] = np.int32(348).tobytes()
    header[40:56] = np.array([len(axes), *axes] + [1] * (7 - len(axes)), "<i2").tobytes()
    header[70:74] = np.array([16, 32], "<i2").tobytes()
    header[76:108] = np.ones(8, "<f4").tobytes()
    header[108:116] = np.array([352, 1], "<f4").tobytes()
    header[344:348] = b"n+1\0"
    with gzip.open(path, "wb", 1) as file:
        file.write(bytes(header) + values.astype("<f4").tobytes())


def psnr(image, truth):
    return 10 * np.log10(255**2 / np.mean((np.clip(np.rint(image), 0, 255) - truth) ** 2))


def same_settings(noisy, sigma):
    return cycle_spin(noisy, denoise_wavelet, max_shifts=1, multichannel=False,
                      func_kw=dict(sigma=sigma, wavelet="bior4.4", mode="soft", wavelet_levels=3,
                                   method="BayesShrink"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", type=Path, required=True, help="picture of 8 bits")
    parser.add_argument("--volume", type=Path, required=True, help="volume of 8 bits, .nii.gz")
    parser.add_argument("--program", default="build/bin/tesela")
    arguments = parser.parse_args()

    def tesela(*words):
        done = subprocess.run([arguments.program, *map(str, words), "--force", "--json", "-q"],
                              check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    print(f"{'image':12} {'sigma':>5} {'noisy':>7} | {'same':>7} {'peer':>7} | "
          f"{'default':>7} {'peer':>7} | estimate")
    with tempfile.TemporaryDirectory() as folder:
        for path in (arguments.image, arguments.volume):
            suffix = "".join(path.suffixes[-2:]) if path.name.endswith(".gz") else path.suffix
            truth_path, noisy_path, clean_path = (
                Path(folder) / (name + suffix) for name in ("truth", "noisy", "clean"))
            gray_path, flat_path, flat_clean_path = (
                Path(folder) / (name + ".nii.gz") for name in ("gray", "flat", "flat-clean"))
            truth = read(path)
            gray = truth[..., 1] if truth.ndim == 3 and truth.shape[-1] == 3 else truth
            for sigma in (5, 10, 20):
                tesela("synthesize", "noise", path, "--sigma", sigma, "--seed", 3, "-o", noisy_path)
                noisy = read(noisy_path)
                found = tesela("wavelet", "denoise", noisy_path, "-o", clean_path)
                ours = psnr(read(clean_path), truth)
                theirs = psnr(denoise_wavelet(noisy, multichannel=noisy is not None
                                              and gray is not truth), truth)
                write(gray_path, gray)
                tesela("synthesize", "noise", gray_path, "--sigma", sigma, "--seed", 3, "-o",
                       flat_path)
                tesela("wavelet", "denoise", flat_path, "-o", flat_clean_path, "--levels", 3,
                       "--sigma", sigma)
                same = psnr(read(flat_clean_path), gray)
                peer = psnr(same_settings(read(flat_path), sigma), gray)
                print(f"{path.name[:12]:12} {sigma:5} {psnr(noisy, truth):7.2f} | {same:7.2f} "
                      f"{peer:7.2f} | {ours:7.2f} {theirs:7.2f} | "
                      f"{found['statistics']['sigma']:.2f}", flush=True)


main()

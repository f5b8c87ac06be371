#!/usr/bin/env python3
"""Times of PyWavelets and scikit-image for what tesela_bench_wavelets measures on a CPU.

    bench/peers/wavelets.py [--smoke]

Medians of three calls, after one that does not count, on random float images in memory. PyWavelets:
'periodization', which has as many coefficients as samples. scikit-image: denoise_wavelet with
BayesShrink on bior4.4 and cycle_spin over two shifts an axis.
"""
import argparse
import statistics
import time

import numpy as np
import pywt
import skimage
from skimage.restoration import cycle_spin, denoise_wavelet


def report(name, size, call):
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    print(f"{name:36} {size:8} {statistics.median(times):10.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="smallest sizes")
    smoke = parser.parse_args().smoke
    print(f"PyWavelets {pywt.__version__}, scikit-image {skimage.__version__}")
    generator = np.random.default_rng(3)
    wide, deep = (64, 16) if smoke else (4096, 256)
    for wavelet, side, dimensions, levels in [("bior4.4", wide, 2, 5), ("db2", wide, 2, 5),
                                              ("haar", wide, 2, 5), ("bior4.4", deep, 3, 3)]:
        levels = min(levels, 3) if smoke else levels
        image = generator.uniform(0, 255, (side,) * dimensions).astype(np.float32)
        bands = pywt.wavedecn(image, wavelet, "periodization", levels)
        size = f"{side}^{dimensions}"
        report(f"PyWavelets {wavelet} forward", size,
               lambda: pywt.wavedecn(image, wavelet, "periodization", levels))
        report(f"PyWavelets {wavelet} inverse", size,
               lambda: pywt.waverecn(bands, wavelet, "periodization"))
    if not smoke:
        report("scikit-image denoise, 8 shifts", size,
               lambda: cycle_spin(image, denoise_wavelet, max_shifts=1, multichannel=False,
                                  func_kw=dict(sigma=20, wavelet="bior4.4", mode="soft",
                                               method="BayesShrink")))


main()

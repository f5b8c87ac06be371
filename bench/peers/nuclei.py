#!/usr/bin/env python3
"""Nuclei of known pictures found by `tesela nuclei`, and by the recipe of scikit-image's gallery for touching nuclei.

    bench/peers/nuclei.py TESELA [--pictures N]

Prints F1 at IoU 0.5 of 20 pictures of `tesela synthesize nuclei`. scikit-image is installed into .cache/peers from PyPI. Its recipe is that
of "Segment human cells (in mitosis)": Otsu's threshold, maxima of the distance at least 7 pixels apart, watershed; once as it stands there, and
once on a smoothed picture with filled holes and maxima 12 pixels apart, half a nucleus, which the caller has to know.
"""
import argparse
import pathlib
import subprocess
import tempfile

import turns

turns.run_with_newest(["scikit-image"])

import numpy as np  # noqa: E402: installed above
import skimage  # noqa: E402
from scipy import ndimage  # noqa: E402
from skimage import feature, filters, io, segmentation  # noqa: E402


def recipe(image, sigma=0, apart=7):
    smooth = filters.gaussian(image, sigma, preserve_range=True) if sigma else image
    mask = smooth > filters.threshold_otsu(smooth)
    if sigma:
        mask = ndimage.binary_fill_holes(mask)
    distance = ndimage.distance_transform_edt(mask)
    peaks = feature.peak_local_max(distance, min_distance=apart, exclude_border=False, labels=ndimage.label(mask)[0])
    markers = np.zeros(image.shape, int)
    markers[tuple(peaks.T)] = range(1, len(peaks) + 1)
    return segmentation.watershed(-distance, markers, mask=mask)


def f1(found, truth):
    pairs, points = np.unique(np.stack([found.ravel(), truth.ravel()]), axis=1, return_counts=True)
    sizes, true_sizes = np.bincount(found.ravel()), np.bincount(truth.ravel())
    matched = sum(2 * both >= sizes[a] + true_sizes[b] - both for (a, b), both in zip(pairs.T, points) if a and b)
    return 2 * matched / (np.count_nonzero(sizes[1:]) + np.count_nonzero(true_sizes[1:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tesela")
    parser.add_argument("--pictures", type=int, default=20)
    arguments = parser.parse_args()
    scores = {"tesela nuclei": [], "recipe": [], "recipe, smoothed, maxima 12 apart": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        picture, truth, labels = folder / "nuclei.png", folder / "truth.png", folder / "labels.png"

        def run(*words):
            subprocess.run([arguments.tesela, *map(str, words), "--force", "--quiet"], check=True)

        for seed in range(1, arguments.pictures + 1):
            run("synthesize", "nuclei", "--seed", seed, "-o", picture, "--truth", truth)
            run("nuclei", picture, "-o", labels, "--device", "cpu")
            image, known = io.imread(picture), io.imread(truth)
            found = [io.imread(labels), recipe(image), recipe(image, 2, 12)]
            for values, one in zip(scores.values(), found):
                values.append(f1(one.astype(np.int64), known.astype(np.int64)))
    print(f"F1 at IoU 0.5 of {arguments.pictures} pictures; scikit-image {skimage.__version__}")
    for way, values in scores.items():
        print(f"{way:40} mean {np.mean(values):.3f}, lowest {min(values):.3f}, highest {max(values):.3f}")


if __name__ == "__main__":
    main()

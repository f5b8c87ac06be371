#!/usr/bin/env python3
"""Areas of the 24 coins of scikit-image's coins.png, for CountCells.CoinsHaveTheirAreas.

    coin_areas.py coins.png circles.csv > coin_areas.csv

On 180 rays from the middle of each circle (tests/detection/coins.csv), a closed outline of the steepest fall of gray values, whose radius changes
by at most 0.3 pixels from ray to ray. Needs NumPy, SciPy and scikit-image, and nothing of Tesela.
"""
import csv
import sys

import numpy as np
from scipy import ndimage
from skimage import io

RAYS, STEP, REACH = 180, 0.1, 3


def path(steepness, first=None):
    """The index of each ray on the path of the largest sum, and the one that the last ray may go on with."""
    score = np.full(steepness.shape, -1e9)
    before = np.zeros(steepness.shape, int)
    start = slice(None) if first is None else first
    score[0, start] = steepness[0, start]
    for ray in range(1, len(score)):
        padded = np.pad(score[ray - 1], REACH, constant_values=-1e9)
        options = np.stack([padded[k:k + score.shape[1]] - 0.02 * abs(k - REACH) for k in range(2 * REACH + 1)])
        before[ray] = np.arange(score.shape[1]) + options.argmax(0) - REACH
        score[ray] = steepness[ray] + options.max(0)
    ends = score[-1].copy()
    if first is not None:
        ends[abs(np.arange(len(ends)) - first) > REACH] = -np.inf
    found = [int(ends.argmax())]
    for ray in range(len(score) - 1, 0, -1):
        found.append(int(before[ray, found[-1]]))
    return np.array(found[::-1])


def main(picture, circles):
    smooth = ndimage.gaussian_filter(io.imread(picture).astype(float), 1)
    angles = np.arange(RAYS) * 2 * np.pi / RAYS
    print("x,y,area")
    for circle in csv.DictReader(open(circles, encoding="ascii")):
        x, y, radius = (float(circle[name]) for name in ("x", "y", "radius"))
        radii = np.arange(0.8 * radius, 1.2 * radius, STEP)
        at = [y + np.outer(np.sin(angles), radii), x + np.outer(np.cos(angles), radii)]
        fall = -np.gradient(ndimage.map_coordinates(smooth, at, order=1, mode="nearest"), axis=1)
        fall /= fall.max(axis=1, keepdims=True)
        outline = radii[path(fall, path(fall)[-1])]
        px, py = outline * np.cos(angles), outline * np.sin(angles)
        print(f"{x},{y},{abs(np.dot(px, np.roll(py, 1)) - np.dot(py, np.roll(px, 1))) / 2:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])

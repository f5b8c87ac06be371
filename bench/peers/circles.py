#!/usr/bin/env python3
"""OpenCV's HoughCircles and scikit-image's hough_circle_peaks beside `tesela circles` on coins.

    bench/peers/circles.py TESELA COINS TRUTH

Each method looks for radii of 15 to 35 pixels, at one setting, scikit-image knowing that there are
24 coins. Found circles are compared with the true ones by `tesela evaluate circles`, times are the
medians of three calls after one that does not count; those of votes are of 500 circles of radius 50.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import cv2
import numpy as np
import skimage
from skimage import feature, io, transform


def timed(call):
    result, times = call(), []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return result, statistics.median(times)


def opencv(image, method, param1, param2):
    found = cv2.HoughCircles(cv2.GaussianBlur(image, (0, 0), 2), method, 1, 20, param1=param1,
                             param2=param2, minRadius=15, maxRadius=35)
    return [] if found is None else [tuple(map(float, circle[:3])) for circle in found[0]]


def scikit_image(image):
    edges = feature.canny(image, 2)
    radii = np.arange(15, 36)
    spaces = transform.hough_circle(edges, radii)
    _, x, y, r = transform.hough_circle_peaks(spaces, radii, min_xdistance=10, min_ydistance=10,
                                              total_num_peaks=24)
    return list(zip(x, y, r))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["tesela", "coins", "truth"]:
        parser.add_argument(name)
    arguments = parser.parse_args()
    print(f"OpenCV {cv2.__version__}, scikit-image {skimage.__version__}")
    folder = pathlib.Path(tempfile.mkdtemp())

    def tesela(*words):
        return subprocess.run([arguments.tesela, *map(str, words)], check=True,
                              capture_output=True, text=True).stdout

    def score(name, milliseconds, path):
        got = json.loads(tesela("evaluate", "circles", path, arguments.truth, "--tolerance", "4",
                                "--json"))
        print(f"{name:28} {got['matched']:3} of {got['truth']}, false "
              f"{got['found'] - got['matched']:3}, center {got['center_mean'] or 0:5.2f} px, "
              f"radius {got['radius_mean'] or 0:5.2f} px, {milliseconds:8.1f} ms", flush=True)

    path = folder / "found.csv"
    words = ["circles", arguments.coins, "--min-radius", "15", "--max-radius", "35", "-o", path,
             "--device", "cpu", "--force"]
    score("tesela (with its start)", timed(lambda: tesela(*words))[1], path)
    image = io.imread(arguments.coins)
    for name, call in [
            ("OpenCV GRADIENT", lambda: opencv(image, cv2.HOUGH_GRADIENT, 100, 25)),
            ("OpenCV GRADIENT_ALT", lambda: opencv(image, cv2.HOUGH_GRADIENT_ALT, 150, 0.5)),
            ("scikit-image", lambda: scikit_image(image))]:
        circles, milliseconds = timed(call)
        path.write_text("x,y,radius\n" + "".join(f"{x},{y},{r}\n" for x, y, r in circles))
        score(name, milliseconds, path)

    scene = folder / "scene.png"
    tesela("synthesize", "circles", "--scene", "c500r50", "-o", scene)
    edges = io.imread(scene) > 0
    for radii in [[50], np.arange(10, 101)]:
        _, milliseconds = timed(lambda: transform.hough_circle(edges, np.array(radii)))
        print(f"scikit-image votes of {len(radii)} radii: {milliseconds:.1f} ms", flush=True)


main()

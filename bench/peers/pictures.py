#!/usr/bin/env python3
"""Segmentation of pictures beside OpenCV and scikit-image: times in one run, and how far results agree.

    TESELA_IMAGES=FOLDER bench/peers/pictures.py BIN PICTURES [--smoke]

BIN is the folder of tesela and its benchmarks, PICTURES one with astronaut.png, coins.png and ihc.png,
FOLDER one of pictures that tesela_decode_inputs has made. Times are medians of five calls after one that
does not count, of results in memory, on all processors; each peer runs right behind the benchmark of its
case. Photographs of 4096x4096 are the astronaut repeated.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import cv2
import numpy as np
import skimage
from skimage import feature, filters, io, measure, metrics, segmentation


def median_ms(call):
    call()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def gray_of(color):
    return cv2.cvtColor(color, cv2.COLOR_RGB2GRAY)


def repeated(image, times):
    return np.tile(image, (times, times) + (1,) * (image.ndim - 2))


def mean_shift(color, bandwidth):
    stop = (cv2.TERM_CRITERIA_MAX_ITER | cv2.TERM_CRITERIA_EPS, 100, 0.01 * bandwidth)
    return cv2.pyrMeanShiftFiltering(color, bandwidth, bandwidth, maxLevel=0, termcrit=stop)


def opencv_canny(gray):
    smooth = cv2.GaussianBlur(gray, (7, 7), 1)
    return cv2.Canny(smooth, 0.1 * 255, 0.2 * 255, L2gradient=True)


def opencv_sobel(gray):
    return cv2.convertScaleAbs(cv2.magnitude(cv2.Sobel(gray, cv2.CV_32F, 1, 0),
                                             cv2.Sobel(gray, cv2.CV_32F, 0, 1)), alpha=0.25)


def grid_markers(shape, step):
    markers = np.zeros(shape, np.int32)
    middle = markers[step // 2::step, step // 2::step]
    middle[:] = np.arange(1, middle.size + 1).reshape(middle.shape)
    return markers


# Program, its case and size, then the peers.
def cases(color, large):
    gray = gray_of(color)
    times = int(large.split("x")[0]) // 512
    sizes = {"512x512": (gray, color), large: (repeated(gray, times), repeated(color, times))}
    for size, (gray, color) in sizes.items():
        yield "baselines", "threshold otsu", size, {
            "OpenCV": lambda: cv2.threshold(gray, 0, 255, cv2.THRESH_OTSU),
            "scikit-image": lambda: gray > filters.threshold_otsu(gray)}
        yield "baselines", "threshold adaptive, mean", size, {
            "OpenCV": lambda: cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C,
                                                    cv2.THRESH_BINARY, 31, 0),
            "scikit-image": lambda: filters.threshold_local(gray, 31, "mean")}
        yield "baselines", "edges sobel", size, {
            "OpenCV": lambda: opencv_sobel(gray), "scikit-image": lambda: filters.sobel(gray)}
        yield "baselines", "edges canny", size, {
            "OpenCV": lambda: opencv_canny(gray),
            "scikit-image": lambda: feature.canny(gray, 1, 0.1 * 255, 0.2 * 255)}
    markers = grid_markers(gray.shape, gray.shape[0] // 32)
    yield "minimax", "astronaut repeated, 4-n", large, {
        "OpenCV": lambda: cv2.watershed(color, markers.copy())}
    color = color[:512, :512]
    yield "seeded_growth", "mean", "512x512", {
        "scikit-image": lambda: segmentation.felzenszwalb(color, scale=100)}
    for bandwidth in [8, 16]:
        yield "mean_shift", f"astronaut ({bandwidth}, {bandwidth}) resident", "512x512", {
            "OpenCV": lambda: mean_shift(color, bandwidth)}


def own_ms(folder, program, case, size):
    """The median of a case of a benchmark; nothing where it has no such case."""
    with tempfile.TemporaryDirectory() as results:
        figures = pathlib.Path(results) / "figures.csv"
        subprocess.run([folder / f"tesela_bench_{program}", "--device", "cpu", "--filter", case, "--csv",
                        figures, "--repetitions", "5"], check=True, stdout=subprocess.DEVNULL)
        with open(figures, newline="") as lines:
            for row in csv.DictReader(lines):
                if row["case"] == case and row["size"] == size:
                    return float(row["median_ms"])
    return None


def compare_times(folder, color, large):
    print("| case | size | Tesela | peer | ratio |\n|---|---|---|---|---|")
    for program, case, size, peers in cases(color, large):
        own = own_ms(folder, program, case, size)
        for name, call in peers.items():
            peer = median_ms(call)
            ours, ratio = (f"{own:.3g} ms", f"{peer / own:.2f}") if own else ("", "")
            print(f"| {case} | {size} | {ours} | {name} {peer:.3g} ms | {ratio} |", flush=True)


def share_within_a_pixel(edges, others):
    near = cv2.dilate(others.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return 100 * near[edges].mean()


def compare_results(tesela, pictures):
    folder = pathlib.Path(tempfile.mkdtemp())

    def result(*words):
        subprocess.run([tesela, *map(str, words), "--device", "cpu", "--force", "-q"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return io.imread(words[words.index("-o") + 1])

    gray = gray_of(io.imread(pictures / "astronaut.png")[..., :3])
    io.imsave(folder / "gray.png", gray, check_contrast=False)
    own = result("edges", "canny", folder / "gray.png", "-o", folder / "canny.png", "--sigma", 1,
                 "--low", 0.1, "--high", 0.2) > 0
    for name, edges in [("scikit-image", feature.canny(gray, 1, 0.1 * 255, 0.2 * 255)),
                        ("OpenCV", opencv_canny(gray) > 0)]:
        print(f"canny beside {name}: {share_within_a_pixel(own, edges):.1f} % of our edges have one of its "
              f"within a pixel, {share_within_a_pixel(edges, own):.1f} % the other way round")
    own = result("edges", "sobel", folder / "gray.png", "-o", folder / "sobel.png")
    off = np.abs(own[1:-1, 1:-1] - filters.sobel(gray.astype(float))[1:-1, 1:-1]).max()
    print(f"sobel beside scikit-image: at most {off:.3f} off, of rounding")
    mask = (np.random.default_rng(1).random((700, 901)) < 0.5).astype(np.uint8) * 255
    io.imsave(folder / "mask.png", mask, check_contrast=False)
    for connectivity in [4, 8]:
        own = result("components", folder / "mask.png", "-o", folder / "labels.tif", "--connectivity",
                     connectivity)
        opencv = cv2.connectedComponentsWithAlgorithm(mask, connectivity, cv2.CV_32S, cv2.CCL_WU)[1]
        theirs = measure.label(mask, connectivity=connectivity // 4)
        print(f"components, {connectivity} neighbors: {(own != opencv).sum()} labels differ from OpenCV's, "
              f"{(own != theirs).sum()} from scikit-image's")
    for name in ["coins.png", "ihc.png"]:
        picture = io.imread(pictures / name)[..., :3] if name == "ihc.png" else io.imread(pictures / name)
        values = gray_of(picture) if picture.ndim == 3 else picture
        markers = grid_markers(values.shape, 50)
        io.imsave(folder / "values.png", values, check_contrast=False)
        io.imsave(folder / "markers.tif", markers.astype(np.uint16), check_contrast=False)
        own = result("watershed", folder / "values.png", "--markers", folder / "markers.tif", "--relief", "values",
                     "-o", folder / "flooded.png")
        theirs = segmentation.watershed(values, markers, connectivity=2)
        print(f"watershed of {name}: {100 * (own == theirs).mean():.0f} % of labels are scikit-image's")


def compare_measures(tesela, pictures):
    folder = pathlib.Path(tempfile.mkdtemp())
    color = io.imread(pictures / "astronaut.png")[..., :3]
    labels = [1 + segmentation.felzenszwalb(color, scale=scale).astype(np.uint16) for scale in (100, 1000)]
    for name, one in zip(["fine.tif", "coarse.tif"], labels):
        io.imsave(folder / name, one, check_contrast=False)
    told = subprocess.run([tesela, "evaluate", "labels", folder / "fine.tif", folder / "coarse.tif", "--json"],
                          check=True, capture_output=True).stdout
    own = json.loads(told)["mean"]["variation_of_information"]
    theirs = sum(metrics.variation_of_information(labels[1], labels[0]))
    print(f"variation of information: {own:.12f}, scikit-image {theirs:.12f} bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("pictures", type=pathlib.Path)
    parser.add_argument("--smoke", action="store_true", help="nothing larger than 512x512")
    arguments = parser.parse_args()
    print(f"OpenCV {cv2.__version__}, scikit-image {skimage.__version__}, {cv2.getNumThreads()} threads")
    color = io.imread(arguments.pictures / "astronaut.png")[..., :3].copy()
    compare_results(arguments.bin / "tesela", arguments.pictures)
    compare_measures(arguments.bin / "tesela", arguments.pictures)
    compare_times(arguments.bin, color, "512x512" if arguments.smoke else "4096x4096")


if __name__ == "__main__":
    main()

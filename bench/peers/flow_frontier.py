#!/usr/bin/env python3
"""Error against time of optical flow: Tesela's methods beside those of OpenCV and scikit-image.

    bench/peers/flow_frontier.py --sequences DIR --out DIR [--program build/bin/tesela] [--device cpu,cuda]

Every folder of --sequences that has frame10.png, frame11.png and flow10.flo is one pair, as in the
Middlebury benchmark. Times are medians of five calls in one process after a call that does not
count, from frames in host memory to a field in host memory; those of Tesela, which include the
transfers to and from a device, come from 'tesela bench flow --experiment X8'. Errors are mean
end-point errors over all known pixels, averaged over the pairs, as the times are. Peers that this
Python does not have are named and left out. Writes frontier.csv, and frontier.svg where there is
matplotlib.
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

try:
    import cv2
except ImportError:
    cv2 = None
try:
    from skimage.registration import optical_flow_ilk, optical_flow_tvl1
except ImportError:
    optical_flow_ilk = optical_flow_tvl1 = None


# ---- Peers: name, and what makes (first, second) -> field with u and v last ----------

def dis(preset):
    flow = cv2.DISOpticalFlow_create(getattr(cv2, "DISOPTICAL_FLOW_PRESET_" + preset))
    return lambda first, second: flow.calc(first, second, None)


def farneback():
    return lambda first, second: cv2.calcOpticalFlowFarneback(
        first, second, None, pyr_scale=0.5, levels=5, winsize=13, iterations=10, poly_n=5,
        poly_sigma=1.1, flags=0)


def deep_flow():
    flow = cv2.optflow.createOptFlow_DeepFlow()
    return lambda first, second: flow.calc(first, second, None)


def dual_tv_l1():
    flow = cv2.optflow.DualTVL1OpticalFlow_create()
    return lambda first, second: flow.calc(first, second, None)


def dense_pyr_lk(window):
    def call(first, second):
        height, width = first.shape
        points = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1)
        points = points.reshape(-1, 1, 2).astype(np.float32)
        moved = cv2.calcOpticalFlowPyrLK(first, second, points, None, winSize=(window, window),
                                         maxLevel=4)[0]
        return (moved - points).reshape(height, width, 2)
    return call


def from_scikit_image(function):
    def call(first, second):
        # It maps the second frame onto the first by v, u.
        v, u = function(first, second)
        return np.stack([u, v], axis=-1)
    return call


REPETITIONS = 5
PEERS = [
    ("OpenCV DIS, ultrafast", lambda: dis("ULTRAFAST")),
    ("OpenCV DIS, fast", lambda: dis("FAST")),
    ("OpenCV DIS, medium", lambda: dis("MEDIUM")),
    ("OpenCV Farneback", farneback),
    ("OpenCV DeepFlow", deep_flow),
    ("OpenCV DualTVL1", dual_tv_l1),
    ("OpenCV PyrLK of every pixel, 15x15", lambda: dense_pyr_lk(15)),
    ("OpenCV PyrLK of every pixel, 31x31", lambda: dense_pyr_lk(31)),
    ("scikit-image iLK", lambda: from_scikit_image(optical_flow_ilk)),
    ("scikit-image TV-L1", lambda: from_scikit_image(optical_flow_tvl1)),
]


def missing(name):
    """Why a peer cannot be run here, or nothing."""
    if name.startswith("scikit-image"):
        return None if optical_flow_ilk else "this Python has no scikit-image"
    if cv2 is None:
        return "this Python has no cv2"
    if name in ("OpenCV DeepFlow", "OpenCV DualTVL1") and not hasattr(cv2, "optflow"):
        return "this cv2 has no optflow (opencv_contrib)"
    return None


# ---- Pairs ----------------------------------------------------------------------------------------

def read_flo(path):
    data = path.read_bytes()
    if data[:4] != b"PIEH":
        sys.exit(f"{path}: no Middlebury flow file")
    width, height = np.frombuffer(data, "<i4", 2, 4)
    return np.frombuffer(data, "<f4", 2 * width * height, 12).reshape(height, width, 2)


def read_gray(path):
    if cv2 is not None:
        return cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    from skimage.color import rgb2gray
    from skimage.io import imread
    image = imread(path)
    return np.round(255 * rgb2gray(image)).astype(np.uint8) if image.ndim == 3 else image


def read_pairs(folder):
    pairs = [(read_gray(path.parent / "frame10.png"), read_gray(path.parent / "frame11.png"),
              read_flo(path)) for path in sorted(folder.glob("*/flow10.flo"))]
    if not pairs:
        sys.exit(f"no folder in {folder} has frame10.png, frame11.png and flow10.flo")
    return pairs


def endpoint_error(field, truth):
    known = (np.abs(truth) < 1e9).all(axis=-1)
    off = np.linalg.norm(field.astype(np.float64) - truth, axis=-1)
    return off[known].mean()


# ---- Runs -----------------------------------------------------------------------------------------

def measure_peer(make, pairs):
    """Milliseconds and end-point error, means over the pairs."""
    call = make()
    times, errors = [], []
    for first, second, truth in pairs:
        field = call(first, second)
        errors.append(endpoint_error(field, truth))
        seconds = []
        for _ in range(REPETITIONS):
            started = time.perf_counter()
            call(first, second)
            seconds.append(time.perf_counter() - started)
        times.append(1000 * statistics.median(seconds))
    return statistics.mean(times), statistics.mean(errors)


def measure_tesela(arguments):
    """Rows (device, method, milliseconds, error) of the program's own comparison."""
    subprocess.run([arguments.program.resolve(), "bench", "flow", "--experiment", "X8", "--force", "--quiet",
                    "--out", arguments.out, "--sequences", arguments.sequences, "--device",
                    arguments.device, "--repetitions", str(REPETITIONS), "--threads",
                    str(arguments.threads)],
                   check=True, stdout=subprocess.DEVNULL)
    with open(arguments.out / "X8.csv", newline="") as file:
        return [(row["device"], "tesela " + row["method"], float(row["milliseconds"]),
                 float(row["endpoint_pixels"])) for row in csv.DictReader(file)]


def series_of(device, method):
    if not method.startswith("tesela"):
        return "other programs, CPU"
    return "Tesela, CPU" if device == "cpu" else f"Tesela, {device}"


def draw(rows, path):
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no chart", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "frontier"
    figure, axes = pyplot.subplots(figsize=(11, 7.5))
    # The palette of M. Okabe and K. Ito, which people with any color vision can tell apart.
    colors = iter(["#0072b2", "#009e73", "#cc79a7", "#e69f00"])
    markers = iter("osDv")
    for name in sorted({series_of(row[0], row[1]) for row in rows}, reverse=True):
        points = [row for row in rows if series_of(row[0], row[1]) == name]
        ours = name.startswith("Tesela")
        axes.scatter([row[2] for row in points], [row[3] for row in points], label=name, s=36,
                     color=next(colors) if ours else "#d55e00",
                     marker=next(markers) if ours else "x", zorder=3)
        for _, method, milliseconds, error in points:
            # Beside its point: those of slow methods to the left, of others to the right.
            left = milliseconds > 1000
            axes.annotate(method.removeprefix("tesela "), (milliseconds, error), fontsize=7.5,
                          xytext=(-6 if left else 6, 3 if ours else -9),
                          textcoords="offset points", ha="right" if left else "left")
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks = [0.25, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.9 * min(row[3] for row in rows), 1.15 * max(row[3] for row in rows))
    axes.set_xlabel("milliseconds a pair")
    axes.set_ylabel("mean end-point error, pixels")
    axes.set_title("Optical flow: error against time")
    axes.grid(True, color="#dddddd")
    axes.legend(loc="upper right", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=Path("build/bin/tesela"))
    parser.add_argument("--device", default="auto", help="of Tesela, as its own --device")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the CPU, for all")
    arguments = parser.parse_args()

    pairs = read_pairs(arguments.sequences)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = measure_tesela(arguments)
    if cv2 is not None:
        cv2.setNumThreads(arguments.threads)
    for name, make in PEERS:
        reason = missing(name)
        if reason:
            print(f"{name}: left out; {reason}", file=sys.stderr)
            continue
        milliseconds, error = measure_peer(make, pairs)
        print(f"{name}: {milliseconds:.1f} ms, {error:.3f} pixels", file=sys.stderr)
        rows.append(("cpu", name, milliseconds, error))
    rows.sort(key=lambda row: row[2])
    with open(arguments.out / "frontier.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["device", "method", "milliseconds", "endpoint_pixels"])
        for device, method, milliseconds, error in rows:
            table.writerow([device, method, f"{milliseconds:.4g}", f"{error:.4f}"])
    draw(rows, arguments.out / "frontier.svg")


if __name__ == "__main__":
    main()

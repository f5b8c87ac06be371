#!/usr/bin/env python3
"""bench/peers/match.py PROGRAM: normalized cross-correlation of 683^2 in 1366^2 on two cores, by OpenCV and by
tesela_bench_fft (PROGRAM), in the same run. Run it on two cores: taskset -c 0,1."""
import statistics
import subprocess
import sys
import time

import cv2
import numpy

cv2.setNumThreads(2)
random = numpy.random.default_rng(1)
image = random.random((1366, 1366), numpy.float32)
template = random.random((683, 683), numpy.float32)
times = []
for _ in range(15):
    started = time.perf_counter()
    cv2.matchTemplate(image, template, cv2.TM_CCOEFF_NORMED)
    times.append(time.perf_counter() - started)
print(f"OpenCV {cv2.__version__}: {1000 * statistics.median(times):.1f} ms")
subprocess.run([sys.argv[1], "--device", "cpu", "--filter", "match"], check=True)

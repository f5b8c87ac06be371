#!/usr/bin/env python3
"""Dice of level sets where the truth is known, beside scikit-image.

    bench/level_set_quality.py TESELA FOLDER [brain|head|structures|chan-vese|phantoms]...

FOLDER holds ch2.nii.gz, ch2bet.nii.gz and aal.nii.gz of the Debian package mricron-data.
    brain       ch2.nii.gz from one ball and no other option against ch2bet.nii.gz, ten places; the
                same inverted, with a gamma of 0.6, with noise, and with noise and uneven brightness
    head        classes of ch2bet.nii.gz by two Otsu thresholds, blurred, 5 % noise, 20 % uneven
                brightness: gray and white matter
    structures  thalamus, caudate and putamen of both sides of ch2.nii.gz, six objects in one run,
                from balls at their centroids in aal.nii.gz
    chan-vese   a sphere of 128^3 beside morphological_chan_vese
    phantoms    sphere, cube and torus of 256^3, 5 % noise, 20 % uneven brightness, one setting, by
                level-set ftc and by level-set aos; FOLDER is not looked at
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

TYPES = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4", 256: "i1", 512: "<u2", 768: "<u4"}
STRUCTURES = {71: "caudate, left", 72: "caudate, right", 73: "putamen, left",
              74: "putamen, right", 77: "thalamus, left", 78: "thalamus, right"}

# Of balls in white and gray matter, beside ventricles and in the cerebellum; the constants of the
# search were chosen with the first five.
PLACES = ("90,110,80", "115,140,95", "70,110,95", "90,60,70", "60,130,60",
          "55,90,95", "120,90,90", "90,150,95", "110,60,55", "75,160,75")


def load(path):
    with gzip.open(path) as file:
        data = file.read()
    shape = struct.unpack("<8h", data[40:56])
    kind = struct.unpack("<h", data[70:72])[0]
    first = int(struct.unpack("<f", data[108:112])[0])
    count = shape[1] * shape[2] * shape[3]
    values = np.frombuffer(data, TYPES[kind], count, first)
    return values.reshape(shape[3], shape[2], shape[1]), data[:first]


def save(path, volume, header):
    header = bytearray(header)
    header[70:74] = struct.pack("<hh", 2, 8)
    header[112:120] = struct.pack("<ff", 1, 0)
    with gzip.open(path, "wb", 1) as file:
        file.write(bytes(header) + volume.astype("u1").tobytes())


def dice(a, b):
    return 2 * np.count_nonzero(a & b) / (np.count_nonzero(a) + np.count_nonzero(b))


class Bench:
    def __init__(self, tesela, folder, work):
        self.tesela, self.folder, self.work = tesela, folder, work

    def path(self, name):
        return os.path.join(self.folder, name)

    def grow(self, method, image, seeds, options):
        out = os.path.join(self.work, "labels.nii.gz")
        begin = time.perf_counter()
        subprocess.run([self.tesela, "level-set", method, image, "--seeds", seeds, "-o", out,
                        "--force", *options.split()], check=True, capture_output=True)
        return load(out)[0], time.perf_counter() - begin

    def brain(self):
        scan, header = load(self.path("ch2.nii.gz"))
        truth = load(self.path("ch2bet.nii.gz"))[0] > 0
        z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in scan.shape), indexing="ij")
        noise = np.random.default_rng(1).normal(0, 1, scan.shape)
        scans = {"as it is": scan, "inverted": 254.0 - scan, "gamma 0.6": 254 * (scan / 254) ** 0.6,
                 "noise 10": scan + 10 * noise,
                 "noise 5, bias 20 %": scan * (1 + 0.1 * (x + y - z)) + 5 * noise}
        file = os.path.join(self.work, "scan.nii.gz")
        for name, values in scans.items():
            save(file, np.clip(np.rint(values), 0, 255), header)
            found = []
            for place in PLACES:
                labels, seconds = self.grow("ftc", file, f"ball:{place},10", "")
                found.append(dice(labels > 0, truth))
            print(f"brain, {name}: Dice " + " ".join(f"{value:.3f}" for value in found) +
                  f", {seconds:.1f} s with files", flush=True)

    def head(self):
        from scipy.ndimage import gaussian_filter
        from skimage.filters import threshold_multiotsu

        scan, header = load(self.path("ch2bet.nii.gz"))
        lower, upper = threshold_multiotsu(scan[scan > 0], 3)
        truth = scan > lower
        classes = np.select([scan > upper, truth, scan > 0], [160.0, 115.0, 60.0], 20.0)
        z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in scan.shape), indexing="ij")
        image = gaussian_filter(classes, 0.7) * (1 + 0.1 * (x + y - z) / 3)
        image += np.random.default_rng(1).normal(0, 0.05 * 160, scan.shape)
        file = os.path.join(self.work, "head.nii.gz")
        save(file, np.clip(np.rint(image), 0, 255), header)
        for method, options in (("ftc", "--lower 88"), ("ftc", "--lower 88 --smoothing 0.6"),
                                ("aos", "--lower 88")):
            labels, seconds = self.grow(method, file, "ball:110,110,80,8", options)
            print(f"head, {method} {options}: Dice {dice(labels > 0, truth):.4f}, {seconds:.1f} s")

    def structures(self):
        atlas, _ = load(self.path("aal.nii.gz"))
        balls = []
        for label in STRUCTURES:
            z, y, x = (c.mean() for c in np.nonzero(atlas == label))
            balls.append(f"{x:.1f},{y:.1f},{z:.1f},4={label}")
        for options in ("--speed statistics --smoothing 1.5 --data-steps 5 --max-iterations 15",
                        "--speed statistics --smoothing 1.5 --data-steps 5 --max-iterations 20",
                        "--speed statistics --smoothing 1.5 --data-steps 5 --max-iterations 25",
                        "--speed statistics --max-iterations 20"):
            labels, seconds = self.grow("ftc", self.path("ch2.nii.gz"), "ball:" + ";".join(balls),
                                        options)
            values = [dice(labels == label, atlas == label) for label in STRUCTURES]
            print(f"structures, {options}, {seconds:.1f} s: mean {np.mean(values):.3f}")
            for name, value in zip(STRUCTURES.values(), values):
                print(f"    {name:16} {value:.3f}")

    def phantom(self, scene, side):
        image = os.path.join(self.work, "phantom.nii.gz")
        truth = os.path.join(self.work, "truth.nii.gz")
        subprocess.run([self.tesela, "synthesize", "volume", "--scene", scene, "--size",
                        f"{side},{side},{side}", "--noise", "0.05", "--bias", "20%", "-o", image,
                        "--truth", truth, "--force"], check=True, capture_output=True)
        return image, load(truth)[0] > 0

    def phantoms(self):
        for scene, ball in (("sphere", "ball:128,128,128,20"), ("cube", "ball:128,128,128,20"),
                            ("torus", "ball:196,128,128,16")):
            image, inside = self.phantom(scene, 256)
            for method in ("ftc", "aos"):
                labels, seconds = self.grow(method, image, ball, "--lower 120")
                print(f"{scene} 256^3, {method} --lower 120: Dice {dice(labels > 0, inside):.4f}, "
                      f"{seconds:.1f} s with files", flush=True)

    def chan_vese(self):
        from skimage.segmentation import morphological_chan_vese

        image, inside = self.phantom("sphere", 128)
        labels, seconds = self.grow("ftc", image, "ball:64,64,64,10", "--lower 120")
        print(f"sphere 128^3, ftc: Dice {dice(labels > 0, inside):.4f}, {seconds:.2f} s with files")
        values = load(image)[0].astype(np.float32)
        z, y, x = np.ogrid[:128, :128, :128]
        start = ((x - 64) ** 2 + (y - 64) ** 2 + (z - 64) ** 2 <= 100).astype(np.int8)
        begin = time.perf_counter()
        found = morphological_chan_vese(values, 60, init_level_set=start, smoothing=1)
        seconds = time.perf_counter() - begin
        print(f"sphere 128^3, morphological_chan_vese: Dice {dice(found > 0, inside):.4f}, "
              f"{seconds:.2f} s")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(os.path.abspath(sys.argv[1]), sys.argv[2], work)
        parts = sys.argv[3:] or ["brain", "head", "structures", "chan-vese", "phantoms"]
        for part in parts:
            getattr(bench, part.replace("-", "_"))()


if __name__ == "__main__":
    main()

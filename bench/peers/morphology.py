#!/usr/bin/env python3
"""Morphology beside the newest OpenCV, SciPy, SimpleITK, edt and scikit-image: results compared, then times in turns.

    bench/peers/morphology.py TESELA

Peers are installed into .cache/peers from PyPI. Times are of computing, without files and without the start of a program.
"""
import argparse
import pathlib
import subprocess
import tempfile

import turns

turns.run_with_newest(["opencv-python-headless", "edt", "scikit-image", "SimpleITK", "nibabel"])

import cv2  # noqa: E402: installed above
import edt  # noqa: E402
import nibabel  # noqa: E402
import numpy as np  # noqa: E402
import SimpleITK as sitk  # noqa: E402
import skimage  # noqa: E402
from scipy import ndimage  # noqa: E402
from skimage import data, measure, morphology, segmentation  # noqa: E402


def footprint(shape, radius, axes=2):
    y = np.ogrid[(slice(-radius, radius + 1),) * axes]
    squared = sum(c * c for c in y)
    if shape == "ball":
        return squared <= radius * radius
    if shape == "box":
        return np.ones((2 * radius + 1,) * axes, bool)
    return sum((c != 0).astype(int) for c in y) <= 1


def compare(tesela, folder, gray, mask):
    """Results of every verb beside those of the peer that defines it alike."""
    def run(*words):
        out = folder / "out.png"
        subprocess.run([tesela, *map(str, words), "-o", out, "--force", "--quiet", "--device", "cpu"], check=True)
        return cv2.imread(str(out), cv2.IMREAD_UNCHANGED)

    def check(what, found, expected):
        print(f"{what}: {'equal' if np.array_equal(found, expected) else f'{np.sum(found != expected)} differ'}")

    inputs = {"gray": gray, "mask": mask}
    for name, image in inputs.items():
        cv2.imwrite(str(folder / f"{name}.png"), image)
    for shape in ("ball", "box", "cross"):
        element = footprint(shape, 4)
        for verb, peer in (("dilate", morphology.dilation), ("erode", morphology.erosion)):
            for name, image in inputs.items():
                check(f"{verb} {shape} of {name}, scikit-image",
                      run("morphology", verb, folder / f"{name}.png", "--radius", 4, "--shape", shape),
                      peer(image, element, mode="ignore"))
    inside = mask > 0
    check("fill-holes, SciPy", run("mask", "fill-holes", folder / "mask.png") > 0, ndimage.binary_fill_holes(inside))
    labels = measure.label(inside, connectivity=2)
    areas = np.bincount(labels.ravel())
    check("remove-small, scikit-image", run("mask", "remove-small", folder / "mask.png") > 0,
          np.isin(labels, np.flatnonzero(areas >= 64)) & inside)
    check("clear-border, scikit-image", run("mask", "clear-border", folder / "mask.png") > 0,
          segmentation.clear_border(labels) > 0)
    marker = np.where(gray > 40, gray - 40, 0).astype(np.uint8)
    cv2.imwrite(str(folder / "marker.png"), marker)
    check("reconstruct, scikit-image", run("morphology", "reconstruct", folder / "marker.png", folder / "gray.png"),
          morphology.reconstruction(marker, gray, footprint=np.ones((3, 3))).astype(np.uint8))


def jobs(tesela, folder):
    def verb(*words):
        return turns.verb(tesela, *words)

    gray = np.tile(cv2.cvtColor(data.astronaut(), cv2.COLOR_RGB2GRAY), (8, 8))
    photograph, out = folder / "photograph.png", folder / "out.png"
    cv2.imwrite(str(photograph), gray)
    for shape in ("box", "ball"):
        element = footprint(shape, 10).astype(np.uint8)
        yield f"dilate {shape} 21, 4096x4096, 8 bit", {
            "Tesela": verb("morphology", "dilate", photograph, "-o", out, "--radius", 10, "--shape", shape),
            "OpenCV": turns.timed(lambda element=element: cv2.dilate(gray, element))}
    volume = np.repeat(np.repeat(np.repeat(np.random.default_rng(1).random((64,) * 3) < 0.02, 8, 0), 8, 1), 8, 2)
    path = folder / "volume.nii"
    nibabel.save(nibabel.Nifti1Image(volume.astype(np.uint8).T, np.eye(4)), path)
    image = sitk.GetImageFromArray(volume.astype(np.uint8))
    yield "dilate ball 10, 512x512x512 mask", {
        "Tesela": verb("morphology", "dilate", path, "-o", folder / "out.nii", "--radius", 10),
        "edt": turns.timed(lambda: edt.edt(~volume, parallel=0) <= 10),
        "ITK": turns.timed(lambda: sitk.BinaryDilate(image, [10, 10, 10], sitk.sitkBall))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesela")
    tesela = parser.parse_args().tesela
    print(f"OpenCV {cv2.__version__}, scikit-image {skimage.__version__}, ITK {sitk.Version.VersionString()}, "
          f"edt {turns.version('edt')}, {cv2.getNumThreads()} threads\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        coins = data.coins()
        compare(tesela, folder, coins, cv2.threshold(coins, 0, 255, cv2.THRESH_OTSU)[1])
        turns.print_table(jobs(tesela, folder))


main()

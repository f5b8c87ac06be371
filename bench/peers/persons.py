#!/usr/bin/env python3
"""persons.py TESELA FIXED MOVING [FIXED MOVING ...]: heads of two persons (NIfTI) aligned
rigidly by tesela and by elastix (itk-elastix and nibabel from PyPI), both with their defaults: normalized
mutual information in 64 bins and correlation over the fixed grid, and seconds."""
import os
import subprocess
import sys
import tempfile
import time

import itk
import nibabel
import numpy


def normalized_information(first, second):
    joint, _, _ = numpy.histogram2d(first.ravel(), second.ravel(), bins=64)
    joint /= joint.sum()
    entropy = lambda shares: -(shares[shares > 0] * numpy.log(shares[shares > 0])).sum()
    return (entropy(joint.sum(0)) + entropy(joint.sum(1))) / entropy(joint)


def by_tesela(tesela, fixed, moving, aligned):
    subprocess.run([tesela, "register", fixed, moving, "-o", aligned, "--accept-poor", "-q"],
                   check=True)


def by_elastix(fixed, moving, aligned):
    settings = itk.ParameterObject.New()
    settings.AddParameterMap(settings.GetDefaultParameterMap("rigid"))
    image, _ = itk.elastix_registration_method(
        itk.imread(fixed, itk.F), itk.imread(moving, itk.F), parameter_object=settings)
    itk.imwrite(image, aligned)


def main():
    values = lambda path: numpy.asarray(nibabel.load(path).dataobj, float)
    tesela, files = sys.argv[1], sys.argv[2:]
    programs = [("tesela", lambda *paths: by_tesela(tesela, *paths)), ("elastix", by_elastix)]
    for fixed, moving in zip(files[::2], files[1::2]):
        for name, align in programs:
            with tempfile.TemporaryDirectory() as folder:
                aligned = os.path.join(folder, "aligned.nii.gz")
                started = time.time()
                align(fixed, moving, aligned)
                seconds = time.time() - started
                first, second = values(fixed), values(aligned)
            correlation = numpy.corrcoef(first.ravel(), second.ravel())[0, 1]
            print(f"| {os.path.basename(fixed)}, {os.path.basename(moving)} | {name} |"
                  f" {normalized_information(first, second):.4f} | {correlation:.3f} |"
                  f" {seconds:.0f} s |", flush=True)


main()

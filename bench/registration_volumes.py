#!/usr/bin/env python3
"""registration_volumes.py TESELA [SIDE]: a head of SIDE^3 voxels (256) and the same head moved rigidly,
aligned by tesela and by elastix (Debian's package) on the same two cores: seconds and processor
seconds from file to file, and the mean error in mm over the middle of the volume."""
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy

ANGLE, SHIFT = 0.12, (5.0, -3.0, 4.0)

# The settings of elastix's manual for rigid alignment of one kind of image.
ELASTIX = """(FixedInternalImagePixelType "float")
(MovingInternalImagePixelType "float")
(FixedImageDimension 3)
(MovingImageDimension 3)
(UseDirectionCosines "true")
(Registration "MultiResolutionRegistration")
(Interpolator "LinearInterpolator")
(ResampleInterpolator "FinalBSplineInterpolator")
(Resampler "DefaultResampler")
(FixedImagePyramid "FixedSmoothingImagePyramid")
(MovingImagePyramid "MovingSmoothingImagePyramid")
(Optimizer "AdaptiveStochasticGradientDescent")
(Transform "EulerTransform")
(Metric "AdvancedNormalizedCorrelation")
(NumberOfResolutions 4)
(MaximumNumberOfIterations 250)
(NumberOfSpatialSamples 4096)
(NewSamplesEveryIteration "true")
(ImageSampler "RandomCoordinate")
(AutomaticScalesEstimation "true")
(AutomaticTransformInitialization "false")
(HowToCombineTransforms "Compose")
(WriteResultImage "false")
"""


def timed(*command):
    """Seconds and processor seconds of a command."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return os.times().elapsed - started, processor


def turn(axis, angle):
    c, s = numpy.cos(angle), numpy.sin(angle)
    a, b = [k for k in range(3) if k != axis]
    matrix = numpy.eye(3)
    matrix[a, a] = matrix[b, b] = c
    matrix[a, b], matrix[b, a] = (-s, s) if axis != 1 else (s, -s)
    return matrix


def of_elastix(path):
    """Matrix and translation of an Euler transform: turns about z, x, y, the last one first."""
    values = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("("):
                name, *rest = line.strip("()\n ").split()
                values[name] = rest
    x, y, z, *shift = map(float, values["TransformParameters"])
    center = numpy.array(values["CenterOfRotationPoint"], float)
    matrix = turn(2, z) @ turn(0, x) @ turn(1, y)
    return matrix, center + shift - matrix @ center


def of_tesela(path):
    with open(path, encoding="utf-8") as file:
        step = json.load(file)["steps"][0]
    return numpy.array(step["matrix"]), numpy.array(step["translation"])


def main():
    tesela, side = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 256
    middle = numpy.full(3, side / 2)
    matrix = turn(2, ANGLE)
    shift = middle + SHIFT - matrix @ middle
    places = numpy.stack(numpy.meshgrid(*[numpy.linspace(side / 4, 3 * side / 4, 5)] * 3), -1)
    places = places.reshape(-1, 3)

    def error(found):
        moved = places @ found[0].T + found[1]
        return numpy.linalg.norm(moved - (places @ matrix.T + shift), axis=1).mean()

    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("moved.tfm"), "w", encoding="utf-8") as file:
            numbers = " ".join(str(value) for value in [*matrix.ravel(), *shift])
            file.write("#Insight Transform File V1.0\n#Transform 0\n"
                       f"Transform: AffineTransform_double_3_3\nParameters: {numbers}\n"
                       "FixedParameters: 0 0 0\n")
        with open(path("rigid.txt"), "w", encoding="utf-8") as file:
            file.write(ELASTIX)
        timed(tesela, "synthesize", "volume", "--scene", "head", "--size", f"{side},{side},{side}",
              "--noise", "2%", "-o", path("fixed.mha"), "--truth", path("truth.mha"))
        timed(tesela, "warp", path("fixed.mha"), "--transform", path("moved.tfm"), "--inverse",
              "--like", path("fixed.mha"), "-o", path("moving.mha"))
        for measure in ([], ["--measure", "gradients"]):
            wall, processor = timed(
                tesela, "register", path("fixed.mha"), path("moving.mha"), "--model", "rigid",
                "--rotation", "none", "--device", "cpu", "--threads", "2", "--transform",
                path("found.json"), "--force", *measure)
            print(f"| tesela {' '.join(measure)} | {wall:.1f} s | {processor:.1f} s |"
                  f" {error(of_tesela(path('found.json'))):.3f} mm |", flush=True)
        wall, processor = timed("elastix", "-f", path("fixed.mha"), "-m", path("moving.mha"), "-p",
                                path("rigid.txt"), "-out", folder, "-threads", "2")
        print(f"| elastix | {wall:.1f} s | {processor:.1f} s |"
              f" {error(of_elastix(path('TransformParameters.0.txt'))):.3f} mm |")


main()

#!/usr/bin/env python3
"""Rendering beside VTK's fixed-point ray caster and NanoVDB: difference of pictures, and times.

    bench/peers/rendering.py TESELA VOLUME.nii.gz [TRANSFER] [PICTURES]

TESELA is the program, TRANSFER a preset (ct-vessel), PICTURES a folder for the pictures of all. VTK
is PyPI's `vtk`, or Debian's python3-vtk9 under xvfb-run. NanoVDB is taken where its headers are in
NANOVDB_INCLUDE, or else /usr/include (Debian's libnanovdb-dev): rays of bench/peers/nanovdb_rays.cpp,
without light. All cast rays of 512 x 512 pixels with steps of half a voxel on all threads, along the
same camera; VTK's steps and pixels are kept from adapting. Times are of a frame on all processors
together, so that other work on the machine does not count: the median of nine by VTK and NanoVDB,
and what a turntable of 25 frames takes beyond that of one by Tesela.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

SIZE = 512


def tesela(program, *arguments):
    command = [program, "render", *arguments, "--device", "cpu", "--force", "--json",
               "--size", f"{SIZE}x{SIZE}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def read_volume(path):
    reader = vtk.vtkNIFTIImageReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    slope, intercept = reader.GetRescaleSlope() or 1, reader.GetRescaleIntercept()
    return image, slope, intercept


def properties_of(transfer, slope, intercept, shade):
    color, opacity = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    for value, red, green, blue in transfer["color"]:
        color.AddRGBPoint((value - intercept) / slope, red, green, blue)
    for value, share in transfer["opacity"]:
        opacity.AddPoint((value - intercept) / slope, share)
    properties = vtk.vtkVolumeProperty()
    properties.SetColor(color)
    properties.SetScalarOpacity(opacity)
    properties.SetScalarOpacityUnitDistance(transfer["reference_length_mm"])
    properties.SetInterpolationTypeToLinear()
    properties.SetShade(shade)
    properties.SetAmbient(0.25)
    properties.SetDiffuse(0.7)
    properties.SetSpecular(0.15)
    properties.SetSpecularPower(16)
    return properties


class Vtk:
    """A window with the volume, seen from the front of its own axes."""

    def __init__(self, image, properties):
        mapper = vtk.vtkFixedPointVolumeRayCastMapper()
        mapper.SetInputData(image)
        mapper.AutoAdjustSampleDistancesOff()
        mapper.LockSampleDistanceToInputSpacingOff()
        mapper.SetSampleDistance(0.5 * min(image.GetSpacing()))
        mapper.SetImageSampleDistance(1)
        self.volume = vtk.vtkVolume()
        self.volume.SetMapper(mapper)
        self.volume.SetProperty(properties)
        self.renderer = vtk.vtkRenderer()
        self.renderer.AddVolume(self.volume)
        self.window = vtk.vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetSize(SIZE, SIZE)
        self.window.AddRenderer(self.renderer)
        self.camera = self.renderer.GetActiveCamera()
        self.camera.ParallelProjectionOn()

    def look(self, position, target, up, height):
        self.camera.SetPosition(position)
        self.camera.SetFocalPoint(target)
        self.camera.SetViewUp(up)
        self.camera.SetParallelScale(height / 2)
        self.renderer.ResetCameraClippingRange()

    def frame(self):
        start = time.process_time()
        self.window.Render()
        return time.process_time() - start

    def picture(self):
        capture = vtk.vtkWindowToImageFilter()
        capture.SetInput(self.window)
        capture.ReadFrontBufferOff()
        capture.Update()
        pixels = vtk_to_numpy(capture.GetOutput().GetPointData().GetScalars())
        return pixels.reshape(SIZE, SIZE, -1)[::-1, :, :3]


def read_png(path):
    reader = vtk.vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    return pixels.reshape(SIZE, SIZE, -1)[::-1, :, :3]


def plain_volume(image, folder):
    """The stored numbers as MetaImage, so that both see voxels in the same places."""
    path = os.path.join(folder, "volume.mha")
    image.SetOrigin(0, 0, 0)
    writer = vtk.vtkMetaImageWriter()
    writer.SetFileName(path)
    writer.SetInputData(image)
    writer.Write()
    return path


def scene_of(image, transfer, look):
    """What nanovdb_rays.cpp reads."""
    spacing = np.array(image.GetSpacing())
    voxels = vtk_to_numpy(image.GetPointData().GetScalars()).astype(np.float32)
    points = [p[0] for key in ("color", "opacity") for p in transfer[key]]
    values = np.linspace(min(points), max(points), 4097)
    step = 0.5 * spacing.min()
    table = np.empty((4097, 4), np.float32)
    color = np.array(transfer["color"])
    for c in range(3):
        table[:, c] = np.interp(values, color[:, 0], color[:, 1 + c])
    opacity = np.array(transfer["opacity"])
    table[:, 3] = 1 - (1 - np.interp(values, opacity[:, 0], opacity[:, 1])) ** (
        step / transfer["reference_length_mm"])
    position, target = np.array(look["position"]), np.array(look["target"])
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, look["up"])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    pixel = look["height"] / SIZE
    corner = position + (0.5 - SIZE / 2) * pixel * (right + down)
    vectors = [v / spacing for v in (corner, pixel * right, pixel * down, step * forward)]
    steps = 2 * np.linalg.norm(target - position) / step
    numbers = [*np.concatenate(vectors), steps, values[0], 4096 / (values[-1] - values[0])]
    return b"".join([np.array([*image.GetDimensions(), SIZE, SIZE], np.int32).tobytes(),
                     np.array(numbers, np.float32).tobytes(), table.tobytes(), voxels.tobytes()])


def nanovdb(image, transfer, look, folder):
    """Bytes of the grid, milliseconds of a frame, and the picture; nothing without the headers."""
    include = os.environ.get("NANOVDB_INCLUDE", "/usr/include")
    if not os.path.exists(os.path.join(include, "nanovdb", "NanoVDB.h")):
        print(f"no NanoVDB in {include}: set NANOVDB_INCLUDE")
        return None
    rays, scene, pixels = (os.path.join(folder, name) for name in ("rays", "scene", "pixels"))
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nanovdb_rays.cpp")
    subprocess.run(["c++", "-std=c++17", "-O3", "-march=native", "-pthread", "-I", include, source,
                    "-o", rays], check=True)
    with open(scene, "wb") as file:
        file.write(scene_of(image, transfer, look))
    printed = subprocess.run([rays, scene, pixels], check=True, capture_output=True).stdout.split()
    return (int(printed[0]), float(printed[1]),
            np.fromfile(pixels, np.uint8).reshape(SIZE, SIZE, 3))


def turntable(program, arguments, folder, frames):
    """Processor seconds of the whole program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    tesela(program, *arguments, "--turntable", str(frames), "-o", os.path.join(folder, "turn.y4m"))
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    program, path = sys.argv[1:3]
    preset = sys.argv[3] if len(sys.argv) > 3 else "ct-vessel"
    folder = sys.argv[4] if len(sys.argv) > 4 else tempfile.mkdtemp()
    image, slope, intercept = read_volume(path)
    volume = plain_volume(image, folder)
    named = os.path.join(folder, "named.json")
    tesela(program, path, "--transfer", preset, "--transfer-function", named, "-o",
           os.path.join(folder, "any.png"))
    transfer = json.load(open(named))
    transfer["gradient_opacity"] = []
    stored = dict(transfer)
    for points in ("color", "opacity"):
        stored[points] = [[(p[0] - intercept) / slope, *p[1:]] for p in transfer[points]]
    plain = os.path.join(folder, "transfer.json")
    json.dump(stored, open(plain, "w"))

    size = [n * s for n, s in zip(image.GetDimensions(), image.GetSpacing())]
    target = [(n - 1) * s / 2 for n, s in zip(image.GetDimensions(), image.GetSpacing())]
    direction = np.array([0.5, -1.0, 0.4])
    position = (np.array(target) + 2 * max(size) * direction).tolist()
    look = {"format": "tesela-camera", "version": 1, "position": position, "target": target,
            "up": [0, 0, 1], "height": 1.3 * max(size)}
    camera = os.path.join(folder, "camera.json")
    json.dump(look, open(camera, "w"))

    for shade in (False, True):
        light = [] if shade else ["--no-shading"]
        output = os.path.join(folder, f"tesela{'-light' if shade else ''}.png")
        arguments = [volume, "--transfer", plain, "--camera", camera, "--level", "0", *light]
        tesela(program, *arguments, "-o", output)
        seconds = (turntable(program, arguments, folder, 25) -
                   turntable(program, arguments, folder, 1)) / 24
        peer = Vtk(image, properties_of(transfer, slope, intercept, shade))
        peer.look(position, target, (0, 0, 1), look["height"])
        peer.frame()
        shown = peer.picture()
        difference = np.abs(shown.astype(int) - read_png(output).astype(int)).mean()
        times = []
        for _ in range(9):
            peer.camera.Azimuth(15)
            peer.renderer.ResetCameraClippingRange()
            times.append(peer.frame())
        theirs = statistics.median(times)
        print(f"{'light' if shade else 'no light'}: mean difference {difference:.2f}/255, "
              f"VTK {1000 * theirs:.0f} ms, Tesela {1000 * seconds:.0f} ms, "
              f"ratio {theirs / seconds:.2f}")
        save(shown, os.path.join(folder, f"vtk{'-light' if shade else ''}.png"))
        other = None if shade else nanovdb(image, stored, look, folder)
        if other:
            size, theirs, shown = other
            difference = np.abs(shown.astype(int) - read_png(output).astype(int)).mean()
            print(f"no light: mean difference {difference:.2f}/255, NanoVDB {theirs:.0f} ms, "
                  f"Tesela {1000 * seconds:.0f} ms, ratio {theirs / 1000 / seconds:.2f}; "
                  f"grid of {size} bytes")
            save(shown, os.path.join(folder, "nanovdb.png"))


def save(pixels, path):
    from vtk.util.numpy_support import numpy_to_vtk
    image = vtk.vtkImageData()
    image.SetDimensions(SIZE, SIZE, 1)
    flat = np.ascontiguousarray(pixels[::-1]).reshape(-1, 3)
    image.GetPointData().SetScalars(numpy_to_vtk(flat, deep=1))
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(path)
    writer.SetInputData(image)
    writer.Write()


if __name__ == "__main__":
    main()

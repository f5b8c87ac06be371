"""Reads the files of tests/formats/write_surfaces.cpp by trimesh and looks whether they are closed.

usage: compare_surfaces.py FOLDER
"""

import csv
import sys
from pathlib import Path

import numpy
import trimesh


def fault_of(path, surfaces, points, triangles, volume, area):
    # STL has no shared points: those at one place are one.
    mesh = trimesh.load(path, process=path.suffix == ".stl", force="mesh")
    if len(mesh.faces) != triangles:
        return f"{len(mesh.faces)} triangles"
    if not numpy.allclose((mesh.volume, mesh.area), (volume, area), rtol=1e-4):
        return f"volume {mesh.volume}, area {mesh.area}"
    # Surfaces of neighboring labels, and voxels that meet at an edge, share places.
    if path.suffix == ".stl" and (surfaces > 1 or "noise" in path.name):
        return None
    if not (mesh.is_watertight and mesh.is_winding_consistent and mesh.is_volume):
        return "it is not closed, or its triangles are not in one order"
    if path.suffix != ".stl" and len(mesh.vertices) != points:
        return f"{len(mesh.vertices)} points"
    if path.suffix == ".ply" and len(numpy.unique(mesh.visual.vertex_colors, axis=0)) != surfaces:
        return "colors differ"
    return None


def main(folder):
    faults = 0
    with open(folder / "surfaces.tsv", encoding="ascii") as rows:
        rows = list(csv.reader(rows, delimiter="\t"))
    for name, *numbers in rows:
        fault = fault_of(folder / name, *map(float, numbers))
        if fault:
            faults += 1
            print(f"{name}: {fault}")
    print(f"{len(rows)} files of surfaces read by trimesh, {faults} wrong")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

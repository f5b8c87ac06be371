"""Draws a PLY file of `tesela surface` from the left, the front and above, as an array of 8 bits.

usage: draw_surface.py SURFACE.ply PICTURE.npy
"""

import sys

import numpy as np

SIDE = 360  # pixels of the picture
SAMPLES = 8  # along each edge of a triangle
TOWARDS = (0.75, -0.5, 0.43)  # the viewer, in LPS
LIGHT = (0.9, 0.1, 0.42)


def read(path):
    with open(path, "rb") as file:
        header = file.read(8192).split(b"end_header\n")[0]
        file.seek(len(header) + len(b"end_header\n"))
        counts = [int(line.split()[2]) for line in header.splitlines() if line.startswith(b"element")]
        points = np.fromfile(file, [("at", "<f4", 3), ("color", "u1", 3), ("label", "<u4")], counts[0])
        faces = np.fromfile(file, [("count", "u1"), ("points", "<i4", 3)], counts[1])
    return points["at"], faces["points"]


def turned(points):
    """Towards the viewer, to the right and up."""
    towards = np.array(TOWARDS) / np.linalg.norm(TOWARDS)
    right = np.cross((0, 0, 1), towards)
    right /= np.linalg.norm(right)
    return points @ np.stack([towards, right, np.cross(towards, right)]).T


def draw(points, triangles):
    corners = points[triangles].astype(float)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    shade = 40 + 200 * np.clip(normals @ (np.array(LIGHT) / np.linalg.norm(LIGHT)), 0, 1)
    points, corners = turned(points), turned(corners)
    low, high = points.min(0), points.max(0)
    scale = 0.94 * SIDE / (high - low)[1:].max()
    middle = (low + high) / 2
    depth = np.full((SIDE, SIDE), -np.inf)
    picture = np.full((SIDE, SIDE), 255, np.uint8)
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES
    for a in steps:
        for b in steps[steps < 1 - a]:
            at = (1 - a - b) * corners[:, 0] + a * corners[:, 1] + b * corners[:, 2]
            column = (SIDE / 2 + scale * (at[:, 1] - middle[1])).astype(int)
            row = (SIDE / 2 - scale * (at[:, 2] - middle[2])).astype(int)
            nearest = np.argsort(at[:, 0], kind="stable")  # the last one of a pixel stays
            row, column, x, s = row[nearest], column[nearest], at[nearest, 0], shade[nearest]
            front = x >= depth[row, column]
            row, column = row[front], column[front]
            depth[row, column] = x[front]
            picture[row, column] = s[front]
    return picture


np.save(sys.argv[2], draw(*read(sys.argv[1])))

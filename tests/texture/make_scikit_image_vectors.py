#!/usr/bin/python3
"""Prints scikit_image_vectors.h: what scikit-image makes of small pictures (Debian's python3-skimage).

The pictures are those of `picture()` in that header, so that their pixels need not be stored.
"""
import numpy
import skimage
from skimage.feature import graycomatrix, graycoprops, local_binary_pattern

ANGLES = [0, numpy.pi / 4, numpy.pi / 2, 3 * numpy.pi / 4]
PROPERTIES = ["ASM", "energy", "contrast", "dissimilarity", "homogeneity", "correlation"]


def picture(nx, ny, levels):
    state, values = 1, []
    for _ in range(nx * ny):
        state = (1664525 * state + 1013904223) % 2**32
        values.append((state >> 16) % levels)
    return numpy.array(values, numpy.uint8).reshape(ny, nx)


def codes(points, radius, levels):
    """The codes inside the border, a letter each."""
    image = picture(31, 22, levels)
    inside = local_binary_pattern(image, points, radius, "uniform")[radius:-radius, radius:-radius]
    return "".join(chr(ord("a") + int(code)) for code in inside.ravel())


def wrapped(text, width=90):
    return "\n".join(f'    "{text[i:i + width]}"' for i in range(0, len(text), width))


matrices = graycomatrix(picture(13, 9, 4), [1, 2], ANGLES, levels=4)
properties = graycomatrix(picture(40, 30, 11), [1, 3], ANGLES, levels=11, symmetric=True, normed=True)
print(f"""// Made by make_scikit_image_vectors.py with scikit-image {skimage.__version__}.
#pragma once

#include <cstdint>

namespace tesela::testing {{

// graycomatrix of picture(13, 9, 4), distances 1 and 2, angles 0, 45, 90 and 135 degrees.
inline constexpr std::int64_t gray_matrices[2][4][16] = {{""")
for d in range(2):
    print("    {" + ",\n     ".join(
        "{" + ", ".join(str(v) for v in matrices[:, :, d, a].ravel()) + "}" for a in range(4)) + "},")
print("};\n\n// graycoprops of picture(40, 30, 11), symmetric, distances 1 and 3, those angles:")
print(f"// {', '.join(PROPERTIES)}.\ninline constexpr double gray_properties[6][2][4] = {{")
for name in PROPERTIES:
    rows = graycoprops(properties, name)
    print("    {" + ",\n     ".join("{" + ", ".join(repr(float(v)) for v in row) + "}" for row in rows) + "},")
print("};\n")
for points, radius, levels in [(8, 1, 256), (8, 1, 6), (16, 2, 256), (24, 3, 256)]:
    print(f"// local_binary_pattern of picture(31, 22, {levels}), 'uniform', without the border.")
    print(f"inline constexpr const char* patterns_{points}_of_{levels} =")
    print(wrapped(codes(points, radius, levels)) + ";")
print("\n}  // namespace tesela::testing")

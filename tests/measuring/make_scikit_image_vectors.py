#!/usr/bin/python3
"""Prints scikit_image_vectors.h: what regionprops_table makes of the maps of label_maps.h (scikit-image 0.26, PyPI)."""
import warnings

import numpy
import skimage
from skimage.measure import regionprops_table

PLANE = ["label", "area", "bbox", "centroid", "equivalent_diameter_area", "extent", "axis_major_length",
         "axis_minor_length", "eccentricity", "orientation", "inertia_tensor", "inertia_tensor_eigvals", "perimeter",
         "perimeter_crofton", "euler_number", "area_convex", "solidity", "feret_diameter_max", "intensity_mean",
         "intensity_std", "intensity_min", "intensity_max", "intensity_median"]
VOLUME = ["label", "area", "bbox", "centroid", "equivalent_diameter_area", "extent", "axis_major_length",
          "axis_minor_length", "inertia_tensor", "inertia_tensor_eigvals", "euler_number", "intensity_mean",
          "intensity_std", "intensity_min", "intensity_max", "intensity_median"]


def ellipsoids(nx, ny, nz, count, size, seed):
    state = seed

    def following(below):
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return (state >> 16) % below

    labels = numpy.zeros((nz, ny, nx), numpy.uint32)
    z, y, x = numpy.mgrid[:nz, :ny, :nx]
    for k in range(count):
        dx, dy, dz = x - following(nx), y - following(ny), z - following(nz)
        a, b, c, d = 1 + following(4), following(3) - 1, 1 + following(4), 1 + following(3)
        limit = 1 + following(size * size)
        hole = following(2) * following(limit) // 3
        out = a * dx * dx + b * dx * dy + c * dy * dy + d * dz * dz
        labels[(out <= limit) & (out >= hole)] = 3 * k + 2
    return labels


def noise(shape, levels):
    state, values = 1, []
    for _ in range(numpy.prod(shape)):
        state = (1664525 * state + 1013904223) % 2**32
        values.append((state >> 16) % levels)
    return numpy.array(values, numpy.uint16).reshape(shape)


def number(value):
    return repr(float(value)) if float(value) != int(value) else repr(int(value))


def print_table(name, labels, properties):
    warnings.simplefilter("ignore")
    table = regionprops_table(labels, noise(labels.shape, 4000), properties=properties)
    print(f"inline const std::vector<Column> {name}{{")
    for column, values in table.items():
        print(f'    {{"{column}", {{{", ".join(number(v) for v in values)}}}}},')
    print("};\n")


print(f"""// Made by make_scikit_image_vectors.py with scikit-image {skimage.__version__}.
#pragma once

#include <string>
#include <vector>

namespace tesela::testing {{

struct Column {{
    std::string name;
    std::vector<double> values;
}};
""")
print("// Of ellipsoids({90, 70}, 14, 30, 3) on noise of 4000 levels.")
print_table("scikit_image_picture", ellipsoids(90, 70, 1, 14, 30, 3)[0], PLANE)
print("// Of ellipsoids({30, 26, 20}, 9, 16, 5) on noise of 4000 levels.")
print_table("scikit_image_volume", ellipsoids(30, 26, 20, 9, 16, 5), VOLUME)
print("}  // namespace tesela::testing")

#!/usr/bin/python3
"""Prints scikit_image_pictures.h: what scikit-image makes of its own pictures (Debian's python3-skimage).

usage: make_scikit_image_pictures.py FOLDER   with brick.png, grass.png, gravel.png and ihc.png
"""
import sys

import numpy
import skimage
from skimage.feature import graycomatrix, graycoprops, local_binary_pattern
from skimage.io import imread

ANGLES = [0, numpy.pi / 4, numpy.pi / 2, 3 * numpy.pi / 4]
PROPERTIES = ["ASM", "energy", "contrast", "dissimilarity", "homogeneity", "correlation"]
TIE = 255
UNIT = 100000


def fnv(data):
    """FNV-1a of bytes."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def exact(image, points, radius):
    """Codes by whole numbers, and where a sample between pixels is as bright as the center."""
    pixels = image.astype(numpy.int64)
    ny, nx = image.shape

    def at(dy, dx):
        return pixels[radius + dy:ny - radius + dy, radius + dx:nx - radius + dx]

    bits, ties = [], numpy.zeros((ny - 2 * radius, nx - 2 * radius), bool)
    for k in range(points):
        angle = 2 * numpy.pi * k / points
        dx = int(numpy.rint(radius * numpy.cos(angle) * UNIT))
        dy = int(numpy.rint(-radius * numpy.sin(angle) * UNIT))
        left, right = dx // UNIT, dx % UNIT
        upper, below = dy // UNIT, dy % UNIT
        total = (UNIT - below) * (UNIT - right) * at(upper, left)
        if right:
            total = total + (UNIT - below) * right * at(upper, left + 1)
        if below:
            total = total + below * (UNIT - right) * at(upper + 1, left)
        if right and below:
            total = total + below * right * at(upper + 1, left + 1)
        center = UNIT * UNIT * at(0, 0)
        bits.append((total >= center).astype(int))
        if right or below:
            ties |= total == center
    changes = sum(bits[k] != bits[(k + 1) % points] for k in range(points))
    return numpy.where(changes <= 2, sum(bits), points + 1), ties


def patterns(image, points, radius):
    found = local_binary_pattern(image, points, radius, "uniform")[radius:-radius, radius:-radius]
    codes, ties = exact(image, points, radius)
    assert (found == codes)[~ties].all()
    masked = numpy.where(ties, TIE, found).astype(numpy.uint8)
    return f"{{{int(ties.sum())}, {int((found != codes).sum())}, 0x{fnv(masked.tobytes()):016x}u}}"


print(f"""// Made by make_scikit_image_pictures.py with scikit-image {skimage.__version__}.
#pragma once

#include <cstdint>

namespace tesela::testing {{

// `hash` is FNV-1a of the codes inside the border, a byte each, {TIE} where a sample between pixels is
// exactly as bright as the center, of which there are `ties`; of `broken` of them scikit-image's
// rounding gives another code.
struct PatternsOfPicture {{
    std::int64_t ties, broken;
    std::uint64_t hash;
}};
struct PictureVectors {{
    const char* name;
    // FNV-1a of graycomatrix in 16 levels, distances 1 and 3, angles 0, 45, 90 and 135 degrees: counts
    // of 32 bits, little-endian, matrix after matrix.
    std::uint64_t matrices;
    // graycoprops of the same, symmetric, in that order:
    // {', '.join(PROPERTIES)}.
    double properties[6][8];
    PatternsOfPicture patterns[2];  // (8, 1), (16, 2)
}};

// Of ihc the green channel.
inline constexpr PictureVectors picture_vectors[] = {{""")
for name in ["brick", "grass", "gravel", "ihc"]:
    image = imread(f"{sys.argv[1]}/{name}.png")
    image = numpy.ascontiguousarray(image if image.ndim == 2 else image[:, :, 1])
    levels = image // 16
    counts = graycomatrix(levels, [1, 3], ANGLES, levels=16)
    ordered = numpy.ascontiguousarray(counts.transpose(2, 3, 0, 1)).astype("<u4")
    normed = graycomatrix(levels, [1, 3], ANGLES, levels=16, symmetric=True, normed=True)
    print(f'    {{"{name}",\n     0x{fnv(ordered.tobytes()):016x}u,\n     {{')
    for prop in PROPERTIES:
        print("      {" + ",\n       ".join(repr(float(v)) for v in graycoprops(normed, prop).ravel()) + "},")
    print("     },\n     {" + patterns(image, 8, 1) + ", " + patterns(image, 16, 2) + "}},")
print("};\n\n}  // namespace tesela::testing")

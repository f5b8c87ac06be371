#!/usr/bin/env python3
"""Prints pywt_vectors.h: coefficients made by PyWavelets 1.1.1 (Debian's python3-pywt)."""
import numpy as np
import pywt

WAVELETS = ["bior4.4", "bior2.2", "db2", "haar"]


def numbers(values):
    return "{" + ", ".join(f"{v:.9g}" for v in np.ravel(values)) + "}"


def signal(count):
    """Small whole numbers without symmetry."""
    return np.array([(i * i * 7 + i * 13) % 101 for i in range(count)], dtype=float)


def main():
    print("// Made by pywt_vectors.py with PyWavelets", pywt.__version__)
    print("#pragma once\n\n#include <vector>\n\n#include \"tesela/wavelet.h\"\n")
    print("// clang-format off")
    print("namespace tesela::testing {\n")
    print("struct PywtVector {\n    Wavelet wavelet;\n    std::vector<double> coefficients;\n};\n")
    names = {n: "Wavelet::" + n.replace(".", "_") for n in WAVELETS}

    print("// pywt.wavedec(signal(16), wavelet, 'periodization', 2), in Mallat's order.")
    print("inline const std::vector<PywtVector> pywt_line{")
    for name in WAVELETS:
        parts = pywt.wavedec(signal(16), name, "periodization", 2)
        print(f"    {{{names[name]}, {numbers(np.concatenate(parts))}}},")
    print("};\n")

    print("// pywt.wavedec2 of signal(96) as 8 rows of 12, likewise.")
    print("inline const std::vector<PywtVector> pywt_plane{")
    for name in WAVELETS:
        parts = pywt.wavedec2(signal(96).reshape(8, 12), name, "periodization", 2)
        print(f"    {{{names[name]}, {numbers(pywt.coeffs_to_array(parts)[0])}}},")
    print("};\n")

    print("// pywt.wavedecn of signal(240) as 6 slices of 4 rows of 10, one level, likewise.")
    print("inline const std::vector<PywtVector> pywt_volume{")
    for name in WAVELETS:
        parts = pywt.wavedecn(signal(240).reshape(6, 4, 10), name, "periodization", 1)
        print(f"    {{{names[name]}, {numbers(pywt.coeffs_to_array(parts)[0])}}},")
    print("};\n")

    print("// pywt.dwt(signal(n), wavelet, 'reflect') from its third or second coefficient on.")
    print("struct PywtReflected {\n    Wavelet wavelet;\n    int length;\n"
          "    std::vector<double> low, high;\n};\n")
    print("inline const std::vector<PywtReflected> pywt_reflected{")
    for name, first in [("bior4.4", 2), ("bior2.2", 1)]:
        for count in [13, 16]:
            low, high = pywt.dwt(signal(count), name, "reflect")
            print(f"    {{{names[name]}, {count}, {numbers(low[first:first + (count + 1) // 2])}, "
                  f"{numbers(high[first:first + count // 2])}}},")
    print("};\n\n}  // namespace tesela::testing")


main()

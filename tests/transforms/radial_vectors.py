#!/usr/bin/env python3
# Writes radial_vectors.h: radial polynomials of Zernike by their definition, in whole numbers, for
# squares of radii that a double holds exactly. Usage: radial_vectors.py > radial_vectors.h
from fractions import Fraction
from math import factorial, isqrt


def over_power(p, q, rho):
    """R_pq(r) / r^q for rho = r^2."""
    n = (p - q) // 2
    total = Fraction(0)
    for k in range(n + 1):
        weight = factorial(p - k) // (factorial(k) * factorial((p + q) // 2 - k) * factorial(n - k))
        total += (-1) ** k * weight * rho ** (n - k)
    return total


orders = [(p, q) for p in range(9) for q in range(p % 2, p + 1, 2)]
orders += [(34, q) for q in range(0, 35, 2)] + [(33, 1), (33, 15), (33, 33)]
orders += [(100, q) for q in (0, 2, 10, 30, 60, 98, 100)]
orders += [(500, q) for q in (0, 2, 8, 30, 100, 250, 400, 498)] + [(499, 1), (499, 111)]
squares = ["0x1p-10", "0x1.8p-7", "0x1p-4", "0x1.4p-2", "0x1p-1", "0x1.ap-1", "0x1.fcp-1",
           "0x1.ffcp-1", "0x1p+0"]

print("// Radial polynomials of Zernike in exact arithmetic: made by radial_vectors.py.")
print("#pragma once\n\nnamespace tesela::testing {\n")
print("// r^2 and R_pq(r).\nstruct RadialValue {\n    int p, q;\n    double square, value;\n};\n")
print("inline constexpr RadialValue radial_values[] = {")
for p, q in orders:
    for text in squares:
        rho = Fraction(float.fromhex(text))
        value = over_power(p, q, rho)
        # The square first: r^q has a root for odd q.
        squared = value * value * rho**q
        # To 200 digits, then rounded once.
        scale = 10**400
        root = Fraction(isqrt(squared.numerator * scale // squared.denominator), 10**200)
        print(f"    {{{p}, {q}, {text}, {float(root) * (1 if value >= 0 else -1)!r}}},")
print("};\n\n}  // namespace tesela::testing")

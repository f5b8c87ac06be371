// Zernike moments by their definition, pixel by pixel.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "tesela/zernike.h"

namespace tesela::reference {

using Wide = long double;
using WideComplex = std::complex<Wide>;

// R_pq(r) of all p and q up to an order, as zernike_orders has them, by
// R_pq = r (R_(p-1)|q-1| + R_(p-1)(q+1)) - R_(p-2)q (B. H. Shakibaei, R. Paramesran, "Recursive
// formula to compute Zernike radial polynomials", Optics Letters 38, 2013), whose errors do not
// grow.
inline std::vector<Wide> radial_polynomials(int order, Wide r) {
    const std::vector<ZernikeOrder> orders = zernike_orders(order);
    std::vector<std::vector<Wide>> rows(static_cast<std::size_t>(order) + 1);
    std::vector<Wide> values;
    const auto at = [&](int p, int q) {
        return q > p ? Wide{0} : rows[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)];
    };
    for (const auto& [p, q] : orders) {
        auto& row = rows[static_cast<std::size_t>(p)];
        row.resize(static_cast<std::size_t>(p) + 1);
        Wide& value = row[static_cast<std::size_t>(q)];
        if (p == 0)
            value = 1;
        else if (p == q)
            value = r * at(p - 1, q - 1);
        else
            value = r * (at(p - 1, std::abs(q - 1)) + at(p - 1, q + 1)) - at(p - 2, q);
        values.push_back(value);
    }
    return values;
}

// A pixel of a disk: place in the disk, y up, and value.
struct DiskPixel {
    Wide x, y, value;
};

// Pixels in the circle, of all that `value` is there for.
template <class Value>
std::vector<DiskPixel> disk_pixels(const Shape& shape, Wide cx, Wide cy, Wide radius,
                                   const Value& value) {
    std::vector<DiskPixel> pixels;
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            const DiskPixel pixel{(static_cast<Wide>(x) - cx) / radius,
                                  (cy - static_cast<Wide>(y)) / radius, value(x, y)};
            if (pixel.x * pixel.x + pixel.y * pixel.y <= 1 + 1e-12L) pixels.push_back(pixel);
        }
    return pixels;
}

// The sums of f V*_pq, as zernike_orders has them. Pixels of one radius share its polynomials.
inline std::vector<WideComplex> zernike_sums(int order, std::vector<DiskPixel> pixels) {
    const auto square = [](const DiskPixel& p) { return p.x * p.x + p.y * p.y; };
    std::sort(pixels.begin(), pixels.end(),
              [&](const DiskPixel& a, const DiskPixel& b) { return square(a) < square(b); });
    const std::vector<ZernikeOrder> orders = zernike_orders(order);
    std::vector<WideComplex> sums(orders.size());
    for (std::size_t i = 0; i < pixels.size();) {
        const Wide r2 = square(pixels[i]), r = std::sqrt(r2);
        std::vector<WideComplex> of_angle(static_cast<std::size_t>(order) + 1);
        for (; i < pixels.size() && square(pixels[i]) == r2; ++i) {
            const WideComplex turn =
                r > 0 ? WideComplex{pixels[i].x / r, -pixels[i].y / r} : WideComplex{1};
            WideComplex power = pixels[i].value;
            for (WideComplex& sum : of_angle) {
                sum += power;
                power *= turn;
            }
        }
        const std::vector<Wide> radial = radial_polynomials(order, r);
        for (std::size_t k = 0; k < orders.size(); ++k)
            sums[k] += radial[k] * of_angle[static_cast<std::size_t>(orders[k].q)];
    }
    return sums;
}

// R_pq(r) from factorials, for low orders.
inline double radial_polynomial(int p, int q, double r) {
    double sum = 0;
    for (int k = 0; k <= (p - q) / 2; ++k)
        sum += (k % 2 ? -1 : 1) * std::tgamma(p - k + 1) /
               (std::tgamma(k + 1) * std::tgamma((p + q) / 2 - k + 1) *
                std::tgamma((p - q) / 2 - k + 1)) *
               std::pow(r, p - 2 * k);
    return sum;
}

// |Z_pq| as mahotas documents it: values that sum to 1 in the disk, (p + 1) / pi.
inline std::vector<double> mahotas_magnitudes(int order, const std::vector<DiskPixel>& pixels) {
    double total = 0;
    for (const DiskPixel& pixel : pixels) total += static_cast<double>(pixel.value);
    std::vector<double> magnitudes;
    for (const auto& [p, q] : zernike_orders(order)) {
        std::complex<double> sum;
        for (const DiskPixel& pixel : pixels) {
            const auto x = static_cast<double>(pixel.x), y = static_cast<double>(pixel.y);
            sum += static_cast<double>(pixel.value) / total *
                   std::polar(radial_polynomial(p, q, std::hypot(x, y)), -q * std::atan2(y, x));
        }
        magnitudes.push_back((p + 1) / std::numbers::pi * std::abs(sum));
    }
    return magnitudes;
}

// |Z_pq| as CellProfiler documents it: the sum divided by the area of the enclosing circle, without
// p + 1.
inline std::vector<double> cell_profiler_magnitudes(int order, double radius,
                                                    const std::vector<DiskPixel>& pixels) {
    std::vector<double> magnitudes;
    for (const auto& [p, q] : zernike_orders(order)) {
        double real = 0, imaginary = 0;
        for (const DiskPixel& pixel : pixels) {
            const auto x = static_cast<double>(pixel.x), y = static_cast<double>(pixel.y);
            const double r = radial_polynomial(p, q, std::hypot(x, y)), angle = std::atan2(y, x);
            real += static_cast<double>(pixel.value) * r * std::cos(q * angle);
            imaginary += static_cast<double>(pixel.value) * r * std::sin(q * angle);
        }
        magnitudes.push_back(std::sqrt(real * real + imaginary * imaginary) /
                             (std::numbers::pi * radius * radius));
    }
    return magnitudes;
}

}  // namespace tesela::reference

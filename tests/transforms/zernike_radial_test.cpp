// The choice of a recurrence for radial polynomials, against exact values.
#include <cmath>

#include "gtest/gtest.h"
#include "radial_vectors.h"
#include "reference/zernike_reference.h"
#include "transforms/zernike_sums.h"

namespace tesela {
namespace {

using testing::RadialValue;

// As the kernels do it, from increments.
double by_increments(const RadialValue& of) {
    const std::vector<double> coefficients = zernike_coefficients(of.p);
    double value = 1, increment = 0;
    for (int p = of.q; p <= of.p; p += 2) {
        const auto place = static_cast<std::size_t>(2 * zernike_place(of.p, {p, of.q}));
        increment =
            coefficients[place + 1] * increment - coefficients[place] * (1 - of.square) * value;
        value += increment;
    }
    return value * std::pow(of.square, of.q / 2.0);
}

// Three terms in p at fixed q (E. C. Kintner, Optica Acta 23, 1976), also from a table.
double by_three_terms(const RadialValue& of) {
    const double q = of.q;
    double value = 1, last = 0;
    for (int n = 1; of.q + 2 * n <= of.p; ++n) {
        const double p = q + 2 * n, m = n;
        const double divisor = 2 * m * (m + q) * (p - 2);
        const double a = n == 1 ? q + 2 : 2 * (p - 1) * p * (p - 2) / divisor;
        const double b = n == 1 ? -q - 1 : -(p - 1) * (p * (p - 2) + q * q) / divisor;
        const double c = n == 1 ? 0 : 2 * (m - 1) * (m + q - 1) * p / divisor;
        const double next = (a * of.square + b) * value - c * last;
        last = value;
        value = next;
    }
    return value * std::pow(of.square, q / 2);
}

template <class Method>
double largest_error(int lowest_order, int highest_order, const Method& method) {
    double most = 0;
    for (const RadialValue& of : testing::radial_values)
        if (of.p >= lowest_order && of.p <= highest_order)
            most = std::max(most, std::abs(static_cast<double>(method(of)) - of.value));
    return most;
}

TEST(ZernikeRadial, IncrementsHoldToOrder500) {
    EXPECT_LE(largest_error(0, 34, by_increments), 2e-14);
    EXPECT_LE(largest_error(35, 100, by_increments), 1e-13);
    EXPECT_LE(largest_error(101, 500, by_increments), 5e-13);
    EXPECT_LT(largest_error(101, 500, by_increments), largest_error(101, 500, by_three_terms) / 2);
}

TEST(ZernikeRadial, ReferenceIsExact) {
    const auto reference = [](const RadialValue& of) {
        const std::vector<reference::Wide> all =
            reference::radial_polynomials(of.p, std::sqrt(static_cast<reference::Wide>(of.square)));
        return all[all.size() - 1 - static_cast<std::size_t>(of.p - of.q) / 2];
    };
    EXPECT_LE(largest_error(0, 500, reference), 1e-15);
}

TEST(ZernikeRadial, FactorialsAgree) {
    EXPECT_LE(largest_error(0, 8,
                            [](const RadialValue& of) {
                                return reference::radial_polynomial(of.p, of.q,
                                                                    std::sqrt(of.square));
                            }),
              1e-12);
}

}  // namespace
}  // namespace tesela

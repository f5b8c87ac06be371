#include "compute/fft_plan.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace tesela::detail {
namespace {

using Complex = std::complex<double>;

// exp(-2 pi i k / n).
Complex turn(std::int64_t k, std::int64_t n) {
    return std::polar(1.0,
                      -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

std::vector<std::int32_t> factors_of(std::int64_t n) {
    std::vector<std::int32_t> factors;
    for (const std::int32_t factor : {7, 5, 3, 4, 2})
        for (; n % factor == 0; n /= factor) factors.push_back(factor);
    return n == 1 ? factors : std::vector<std::int32_t>{};
}
bool is_smooth(std::int64_t n) { return n == 1 || !factors_of(n).empty(); }

// In double precision, by the factors of the length.
std::vector<Complex> transformed(const std::vector<Complex>& values) {
    const auto n = static_cast<std::int64_t>(values.size());
    if (n == 1) return values;
    const std::int64_t radix = factors_of(n).front(), part = n / radix;
    std::vector<std::vector<Complex>> parts;
    for (std::int64_t r = 0; r < radix; ++r) {
        std::vector<Complex> every;
        for (std::int64_t i = r; i < n; i += radix) every.push_back(values[i]);
        parts.push_back(transformed(every));
    }
    std::vector<Complex> result(values.size());
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t r = 0; r < radix; ++r) result[k] += turn(r * k, n) * parts[r][k % part];
    return result;
}

void append(std::vector<float>& table, const Complex& value) {
    table.push_back(static_cast<float>(value.real()));
    table.push_back(static_cast<float>(value.imag()));
}

}  // namespace

FftLengths fft_lengths(std::int64_t length, bool is_real) {
    const bool is_halved = is_real && length % 2 == 0;
    const std::int64_t count = is_halved ? length / 2 : length;
    std::int64_t padded = count;
    if (!is_smooth(count))
        for (padded = 2 * count - 1; !is_smooth(padded);) ++padded;
    FftLengths lengths{length, count, padded, padded, padded, padded, 0, factors_of(padded)};
    if (padded != count) {
        lengths.filter = lengths.chirp + count;
        lengths.half_turns = lengths.filter + padded;
    }
    lengths.table_pairs = lengths.half_turns + (is_halved ? count + 1 : 0);
    return lengths;
}

std::vector<float> fft_tables(const FftLengths& lengths) {
    std::vector<float> tables;
    tables.reserve(static_cast<std::size_t>(2 * lengths.table_pairs));
    const std::int64_t count = lengths.transformed, padded = lengths.padded;
    for (std::int64_t k = 0; k < padded; ++k) append(tables, turn(k, padded));
    if (padded != count) {
        std::vector<Complex> filter(static_cast<std::size_t>(padded));
        for (std::int64_t k = 0; k < count; ++k) {
            const Complex chirp = turn(k * k, 2 * count);
            append(tables, chirp);
            filter[k] = filter[(padded - k) % padded] =
                std::conj(chirp) / static_cast<double>(padded);
        }
        for (const Complex& value : transformed(filter)) append(tables, value);
    }
    if (count != lengths.length)
        for (std::int64_t k = 0; k <= count; ++k) append(tables, turn(k, lengths.length));
    return tables;
}

const FftPlan* FftPlans::find(std::int64_t length, bool is_real) {
    for (auto entry = plans_.begin(); entry != plans_.end(); ++entry) {
        if (entry->length != length || entry->is_real != is_real) continue;
        plans_.splice(plans_.begin(), plans_, entry);
        return &plans_.front().plan;
    }
    return nullptr;
}

const FftPlan& FftPlans::keep(std::int64_t length, bool is_real, FftPlan plan) {
    if (plans_.size() == most) plans_.pop_back();
    plans_.push_front({length, is_real, std::move(plan)});
    return plans_.front().plan;
}

}  // namespace tesela::detail

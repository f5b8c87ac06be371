// Haralick's descriptors of co-occurrence matrices, and two more.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tesela/glcm.h"

namespace tesela {
namespace {

using std::size_t;

// -sum p ln p
double entropy(const std::vector<double>& p) {
    double sum = 0;
    for (const double share : p)
        if (share > 0) sum -= share * std::log(share);
    return sum;
}

struct Moments {
    double mean = 0, variance = 0;
};
// Of the numbers 0, 1, ... with the shares p.
Moments moments(const std::vector<double>& p) {
    Moments result;
    for (size_t k = 0; k < p.size(); ++k) result.mean += static_cast<double>(k) * p[k];
    for (size_t k = 0; k < p.size(); ++k)
        result.variance += std::pow(static_cast<double>(k) - result.mean, 2) * p[k];
    return result;
}

bool in_one_level(const std::vector<double>& p) {
    return std::count_if(p.begin(), p.end(), [](double share) { return share > 0; }) < 2;
}

// p(i, j), and what its sums along rows, columns and both diagonals are.
struct Shares {
    std::vector<double> rows, columns, sums, differences;
    double squares = 0, products = 0, entropy = 0;

    explicit Shares(const CooccurrenceMatrix& matrix)
        : rows(static_cast<size_t>(matrix.levels)),
          columns(rows.size()),
          sums(2 * rows.size() - 1),
          differences(rows.size()) {
        const auto pairs = static_cast<double>(matrix.pairs());
        const int levels = matrix.levels;
        for (int i = 0; i < levels; ++i)
            for (int j = 0; j < levels; ++j) {
                if (matrix(i, j) == 0) continue;
                const double p = static_cast<double>(matrix(i, j)) / pairs;
                rows[static_cast<size_t>(i)] += p;
                columns[static_cast<size_t>(j)] += p;
                sums[static_cast<size_t>(i + j)] += p;
                differences[static_cast<size_t>(std::abs(i - j))] += p;
                squares += p * p;
                products += static_cast<double>(i) * j * p;
                entropy -= p * std::log(p);
            }
    }
    // The sum of f(|i - j|) p.
    template <class F>
    double over_differences(const F& f) const {
        double sum = 0;
        for (size_t k = 0; k < differences.size(); ++k)
            sum += f(static_cast<double>(k)) * differences[k];
        return sum;
    }
};

}  // namespace

std::int64_t CooccurrenceMatrix::pairs() const {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

CooccurrenceMatrix symmetric(const CooccurrenceMatrix& matrix) {
    CooccurrenceMatrix both = matrix;
    const auto n = static_cast<size_t>(matrix.levels);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) both.counts[i * n + j] += matrix.counts[j * n + i];
    return both;
}

Descriptors descriptors_of(const CooccurrenceMatrix& matrix) {
    Descriptors d{};
    if (matrix.pairs() == 0) return d;
    const Shares p(matrix);
    const Moments row = moments(p.rows), column = moments(p.columns), sum = moments(p.sums);
    const double rows_entropy = entropy(p.rows), columns_entropy = entropy(p.columns);
    // Both HXY1 and HXY2 of the paper are the sum of the entropies of rows and columns.
    const double shared = std::max(0.0, rows_entropy + columns_entropy - p.entropy);
    const double larger = std::max(rows_entropy, columns_entropy);
    d[0] = p.squares;
    d[1] = p.over_differences([](double k) { return k * k; });
    if (!in_one_level(p.rows) && !in_one_level(p.columns))
        d[2] = (p.products - row.mean * column.mean) / std::sqrt(row.variance * column.variance);
    d[3] = row.variance;
    d[4] = p.over_differences([](double k) { return 1 / (1 + k * k); });
    d[5] = sum.mean;
    d[6] = sum.variance;
    d[7] = entropy(p.sums);
    d[8] = p.entropy;
    d[9] = moments(p.differences).variance;
    d[10] = entropy(p.differences);
    if (larger > 0) d[11] = -shared / larger;
    d[12] = std::sqrt(1 - std::exp(-2 * shared));
    d[13] = std::sqrt(p.squares);
    d[14] = p.over_differences([](double k) { return 1 / (1 + k); });
    d[15] = p.over_differences([](double k) { return k; });
    return d;
}

}  // namespace tesela

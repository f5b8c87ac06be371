#include "segmentation/components/part_runs.h"

#include <algorithm>
#include <cstring>

namespace tesela {
namespace {

// Where the value at `x` of a row ends. Points of equal bits are passed over many at once; others
// may be equal, as both zeros are.
template <class T>
std::int64_t end_of_run(const T* row, std::int64_t x, std::int64_t length) {
    constexpr std::int64_t words = 4, block = words * 8 / static_cast<std::int64_t>(sizeof(T));
    const T value = row[x];
    std::array<T, 8 / sizeof(T)> repeated{};
    repeated.fill(value);
    std::uint64_t expected = 0;
    std::memcpy(&expected, repeated.data(), sizeof expected);
    for (++x; x + block <= length; x += block) {
        std::array<std::uint64_t, words> bits{};
        std::memcpy(bits.data(), row + x, sizeof bits);
        std::uint64_t others = 0;
        for (const std::uint64_t word : bits) others |= word ^ expected;
        if (others != 0) break;
    }
    while (x < length && row[x] == value) ++x;
    return x;
}

}  // namespace

template <class T>
void PartRuns::find(const Image<T>& part, int axes, bool binary) {
    const Shape& shape = part.shape();
    lengths_ = {shape.x, shape.y, shape.z};
    first_values_ = {};
    rows_.clear();
    begins_.clear();
    labels_.clear();
    const T* values = part.data();
    // Runs of these two rows belong together.
    const auto join = [&](std::int64_t row, std::int64_t other, bool at_corners) {
        const T *own = values + row * shape.x, *theirs = values + other * shape.x;
        join_rows(row, other, at_corners, [&](std::uint32_t a, std::uint32_t b) {
            const T first = own[begins_[a]], second = theirs[begins_[b]];
            return binary ? (first != 0) == (second != 0) : first == second;
        });
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y) {
            const std::int64_t row = z * shape.y + y;
            cut_row(values + row * shape.x, row, binary);
            if (y > 0) join(row, row - 1, axes > 1);
            if (z == 0) continue;
            join(row, row - shape.y, axes > 1);
            if (axes == 1) continue;
            if (y > 0) join(row, row - shape.y - 1, axes > 2);
            if (y + 1 < shape.y) join(row, row - shape.y + 1, axes > 2);
        }
    number();
}

template <class T>
void PartRuns::cut_row(const T* values, std::int64_t row, bool binary) {
    if (row == 0) rows_.push_back(0);
    std::int64_t end = 0;
    for (std::int64_t x = 0; x < lengths_[0]; x = end) {
        const T value = values[x];
        end = end_of_run(values, x, lengths_[0]);
        if (value != 0 && first_values_[1].point < 0) {
            const auto found = static_cast<double>(value);
            if (first_values_[0].point < 0)
                first_values_[0] = {row * lengths_[0] + x, found};
            else if (found != first_values_[0].value)
                first_values_[1] = {row * lengths_[0] + x, found};
        }
        if (binary && x > 0 && (value != 0) == (values[x - 1] != 0)) continue;
        labels_.push_back(static_cast<std::uint32_t>(begins_.size()));
        begins_.push_back(static_cast<std::int32_t>(x));
    }
    rows_.push_back(static_cast<std::uint32_t>(begins_.size()));
}

template <class Same>
void PartRuns::join_rows(std::int64_t row, std::int64_t other, bool at_corners, const Same& same) {
    const std::uint32_t last = rows_[static_cast<std::size_t>(row) + 1],
                        other_last = rows_[static_cast<std::size_t>(other) + 1];
    std::uint32_t a = rows_[static_cast<std::size_t>(row)],
                  b = rows_[static_cast<std::size_t>(other)];
    while (a < last && b < other_last) {
        if (same(a, b)) unite(a, b);
        const std::int64_t end_a = end(a, row), end_b = end(b, other);
        // Where both end, each run touches the next one of the other row at a corner.
        if (at_corners && end_a == end_b) {
            if (b + 1 < other_last && same(a, b + 1)) unite(a, b + 1);
            if (a + 1 < last && same(a + 1, b)) unite(a + 1, b);
        }
        a += end_a <= end_b;
        b += end_b <= end_a;
    }
}

// Halves the path on the way.
std::uint32_t PartRuns::root_of(std::uint32_t run) {
    while (labels_[run] != run) run = labels_[run] = labels_[labels_[run]];
    return run;
}

void PartRuns::unite(std::uint32_t a, std::uint32_t b) {
    a = root_of(a);
    b = root_of(b);
    labels_[std::max(a, b)] = std::min(a, b);
}

// A run stands behind those that it is united with.
void PartRuns::number() {
    count_ = 0;
    for (std::uint32_t run = 0; run < labels_.size(); ++run)
        labels_[run] = labels_[run] == run ? count_++ : labels_[labels_[run]];
}

void PartRuns::paint(std::int64_t y, std::int64_t z, std::uint32_t* to) const {
    const std::int64_t row = z * lengths_[1] + y;
    for (std::uint32_t run = rows_[static_cast<std::size_t>(row)];
         run < rows_[static_cast<std::size_t>(row) + 1]; ++run)
        std::fill(to + begin(run), to + end(run, row), labels_[run]);
}
std::uint32_t PartRuns::first_of_row(std::int64_t y, std::int64_t z) const {
    return labels_[rows_[static_cast<std::size_t>(z * lengths_[1] + y)]];
}
std::uint32_t PartRuns::last_of_row(std::int64_t y, std::int64_t z) const {
    return labels_[rows_[static_cast<std::size_t>(z * lengths_[1] + y) + 1] - 1];
}

std::int64_t PartRuns::bytes(const Shape& part) {
    // Vectors grow to twice their size, from a copy.
    constexpr std::int64_t growing = 3;
    return growing * static_cast<std::int64_t>(sizeof(std::uint32_t)) *
           (2 * part.points() + part.y * part.z);
}

template void PartRuns::find(const Image<std::uint8_t>&, int, bool);
template void PartRuns::find(const Image<std::int8_t>&, int, bool);
template void PartRuns::find(const Image<std::uint16_t>&, int, bool);
template void PartRuns::find(const Image<std::int16_t>&, int, bool);
template void PartRuns::find(const Image<std::uint32_t>&, int, bool);
template void PartRuns::find(const Image<std::int32_t>&, int, bool);
template void PartRuns::find(const Image<float>&, int, bool);
template void PartRuns::find(const Image<double>&, int, bool);

}  // namespace tesela

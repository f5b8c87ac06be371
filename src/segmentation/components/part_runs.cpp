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

void RunRows::clear() {
    firsts.assign(1, 0);
    begins.clear();
    ends.clear();
    components.clear();
}
void RunRows::add(std::int64_t begin, std::int64_t end, std::uint32_t component) {
    begins.push_back(static_cast<std::int32_t>(begin));
    ends.push_back(static_cast<std::int32_t>(end));
    components.push_back(component);
}

template <class T>
void PartRuns::find(const Image<T>& part, int axes, bool binary, std::optional<double> background) {
    const Shape& shape = part.shape();
    lengths_ = {shape.x, shape.y, shape.z};
    first_values_ = {};
    rows_.clear();
    const T* values = part.data();
    std::optional<T> left_out;
    if (background) left_out = static_cast<T>(*background);
    const auto join = [&](std::int64_t row, std::int64_t other, bool at_corners) {
        const T *own = values + row * shape.x, *theirs = values + other * shape.x;
        rows_.meet(row, rows_, other, at_corners, [&](std::uint32_t a, std::uint32_t b) {
            if (binary || own[rows_.begins[a]] == theirs[rows_.begins[b]]) unite(a, b);
        });
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y) {
            const std::int64_t row = z * shape.y + y;
            cut_row(values + row * shape.x, row, binary, left_out);
            if (rows_.first(row) == rows_.last(row)) continue;
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
void PartRuns::cut_row(const T* values, std::int64_t row, bool binary,
                       const std::optional<T>& left_out) {
    std::int64_t end = 0;
    for (std::int64_t x = 0; x < lengths_[0]; x = end) {
        const T value = values[x];
        end = end_of_run(values, x, lengths_[0]);
        if (value != 0) note(static_cast<double>(value), row * lengths_[0] + x);
        if (left_out && value == *left_out) continue;
        if (binary && x > 0 && values[x - 1] != 0)
            rows_.ends.back() = static_cast<std::int32_t>(end);
        else
            rows_.add(x, end, static_cast<std::uint32_t>(rows_.begins.size()));
    }
    rows_.end_row();
}

void PartRuns::note(double value, std::int64_t point) {
    if (first_values_[1].point >= 0) return;
    if (first_values_[0].point < 0)
        first_values_[0] = {point, value};
    else if (value != first_values_[0].value)
        first_values_[1] = {point, value};
}

// Halves the path on the way.
std::uint32_t PartRuns::root_of(std::uint32_t run) {
    std::vector<std::uint32_t>& parents = rows_.components;
    while (parents[run] != run) run = parents[run] = parents[parents[run]];
    return run;
}

void PartRuns::unite(std::uint32_t a, std::uint32_t b) {
    a = root_of(a);
    b = root_of(b);
    rows_.components[std::max(a, b)] = std::min(a, b);
}

// A run stands behind those that it is united with.
void PartRuns::number() {
    count_ = 0;
    std::vector<std::uint32_t>& numbers = rows_.components;
    for (std::uint32_t run = 0; run < numbers.size(); ++run)
        numbers[run] = numbers[run] == run ? count_++ : numbers[numbers[run]];
}

std::int64_t PartRuns::bytes(const Shape& part) {
    // Three vectors of runs and one of rows grow to twice their size, one at a time from a copy.
    return static_cast<std::int64_t>(sizeof(std::uint32_t)) *
           (7 * part.points() + 3 * part.y * part.z);
}

#define TESELA_FIND(T) \
    template void PartRuns::find(const Image<T>&, int, bool, std::optional<double>);
TESELA_FIND(std::uint8_t)
TESELA_FIND(std::int8_t)
TESELA_FIND(std::uint16_t)
TESELA_FIND(std::int16_t)
TESELA_FIND(std::uint32_t)
TESELA_FIND(std::int32_t)
TESELA_FIND(float)
TESELA_FIND(double)
#undef TESELA_FIND

}  // namespace tesela

#include "io/zarr/pyramid.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/threads.h"

namespace tesela::io::zarr {
namespace {

template <class T>
T mean_of(double sum, int count) {
    return static_cast<T>(sum / count);
}
template <class T>
T mean_of(std::int64_t sum, int count) {
    const std::int64_t doubled = 2 * sum + count, parts = 2 * count;
    return static_cast<T>(doubled / parts - (doubled % parts < 0));
}

// From rows of the fine image to one of the coarse one. Where x is not halved, each point counts
// twice.
template <class T>
void halve_rows(const std::vector<const T*>& rows, const Shape& fine, bool halves_x,
                const Shape& coarse, T* out) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    const int channels = fine.channels, count = 2 * static_cast<int>(rows.size());
    for (std::int64_t x = 0; x < coarse.x; ++x) {
        const std::int64_t left = (halves_x ? 2 * x : x) * channels;
        const bool has_right = halves_x && 2 * x + 1 < fine.x;
        const std::int64_t right = has_right ? left + channels : left;
        for (int c = 0; c < channels; ++c) {
            Sum sum = 0;
            for (const T* row : rows) sum += Sum(row[left + c]) + Sum(row[right + c]);
            *out++ = mean_of<T>(sum, count);
        }
    }
}

// Slice `z` of the coarse image at a time.
template <class T>
void halve_slice(const Image<T>& fine, const std::array<std::int64_t, 3>& factors, std::int64_t z,
                 std::int64_t t, Image<T>& coarse) {
    const Shape &s = fine.shape(), &to = coarse.shape();
    const std::int64_t row = s.x * s.channels;
    for (std::int64_t y = 0; y < to.y; ++y) {
        std::vector<const T*> rows;
        for (std::int64_t k = 0; k < factors[2]; ++k)
            for (std::int64_t j = 0; j < factors[1]; ++j) {
                const std::int64_t from_z = std::min(z * factors[2] + k, s.z - 1);
                const std::int64_t from_y = std::min(y * factors[1] + j, s.y - 1);
                rows.push_back(fine.data() + ((t * s.z + from_z) * s.y + from_y) * row);
            }
        halve_rows(rows, s, factors[0] == 2, to,
                   coarse.data() + ((t * to.z + z) * to.y + y) * to.x * to.channels);
    }
}

}  // namespace

std::vector<Level> levels_below(const Shape& shape, const Geometry& geometry, std::int64_t chunk) {
    std::vector<Level> levels{{shape, {1, 1, 1}}};
    while (levels.back().shape.x > chunk || levels.back().shape.y > chunk) {
        Level next = levels.back();
        std::array<double, 3> spacing = geometry.spacing;
        for (std::size_t axis = 0; axis < 3; ++axis) spacing[axis] *= next.downsample[axis];
        const bool halves_z = next.shape.z > 1 && geometry.known() &&
                              spacing[2] < 2 * std::min(spacing[0], spacing[1]);
        const auto halve = [](std::int64_t& length, double& downsample) {
            length = (length + 1) / 2;
            downsample *= 2;
        };
        halve(next.shape.x, next.downsample[0]);
        halve(next.shape.y, next.downsample[1]);
        if (halves_z) halve(next.shape.z, next.downsample[2]);
        levels.push_back(next);
    }
    return levels;
}

AnyImage coarser(const AnyImage& image, const Level& from, const Level& to) {
    std::array<std::int64_t, 3> factors{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        factors[axis] = to.downsample[axis] > from.downsample[axis] ? 2 : 1;
    return std::visit(
        [&]<class T>(const Image<T>& fine) -> AnyImage {
            Image<T> coarse(to.shape);
            detail::for_each_index(to.shape.z * to.shape.t, 0, [&](std::int64_t i) {
                halve_slice(fine, factors, i % to.shape.z, i / to.shape.z, coarse);
            });
            return coarse;
        },
        image);
}

AnyImage coarser_labels(const AnyImage& labels, const Level& to) {
    const Shape& from = shape_of(labels);
    const std::array<std::int64_t, 3> lengths{from.x, from.y, from.z};
    const auto first = [&](std::size_t axis, std::int64_t i) {
        const double at = std::floor(static_cast<double>(i) * to.downsample[axis]);
        return std::min(static_cast<std::int64_t>(at), lengths[axis] - 1);
    };
    std::vector<std::int64_t> columns;
    for (std::int64_t x = 0; x < to.shape.x; ++x) columns.push_back(first(0, x));
    return std::visit(
        [&]<class T>(const Image<T>& fine) -> AnyImage {
            Image<T> coarse(to.shape);
            detail::for_each_index(to.shape.z * to.shape.t, 0, [&](std::int64_t i) {
                const std::int64_t z = i % to.shape.z, t = i / to.shape.z;
                for (std::int64_t y = 0; y < to.shape.y; ++y) {
                    const T* row = &fine(0, first(1, y), first(2, z), t);
                    T* out = &coarse(0, y, z, t);
                    for (const std::int64_t x : columns) *out++ = row[x];
                }
            });
            return coarse;
        },
        labels);
}

}  // namespace tesela::io::zarr

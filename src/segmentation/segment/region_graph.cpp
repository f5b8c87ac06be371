#include "segmentation/segment/region_graph.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

using Feature = std::array<std::int32_t, 3>;

// Planes of integer features, as the features of points.
struct Planes {
    const FeatureScale& scale;
    std::span<const std::int32_t> values;
    std::size_t points;

    Feature at(std::size_t point) const {
        Feature feature{};
        for (std::size_t c = 0; c * points < values.size(); ++c)
            feature[c] = scale(values[c * points + point]);
        return feature;
    }
};

std::int64_t distance(const Feature& a, const Feature& b) {
    std::int64_t squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const std::int64_t difference = a[c] - b[c];
        squared += difference * difference;
    }
    return std::lround(std::sqrt(static_cast<double>(squared)));
}

// Calls use(i, j) for points i < j of different labels that share a face.
template <class Use>
void for_each_border_pair(const Shape& shape, std::span<const std::uint32_t> labels,
                          const Use& use) {
    const std::array<std::int64_t, 4> length{shape.x, shape.y, shape.z, shape.t};
    const std::int64_t rows = shape.points() / shape.x;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t stride = 1;  // of the axis, in points
        for (const std::int64_t& of_axis : length) {
            const std::int64_t next = stride * of_axis;
            const bool along_row = &of_axis == &length.front();
            const bool ends = !along_row && row * shape.x % next + stride >= next;
            const std::int64_t first = row * shape.x;
            const std::int64_t end = first + (ends ? 0 : along_row ? shape.x - 1 : shape.x);
            if (of_axis > 1)
                for (std::int64_t i = first; i < end; ++i)
                    if (labels[static_cast<std::size_t>(i)] !=
                        labels[static_cast<std::size_t>(i + stride)])
                        use(static_cast<std::size_t>(i), static_cast<std::size_t>(i + stride));
            stride = next;
        }
    }
}

// One border for all pairs of two regions: pairs are put in the order of their first region, and
// within it those of a second region are found by its place.
std::vector<RegionBorder> united(const std::vector<RegionBorder>& pairs, std::uint32_t count) {
    std::vector<std::size_t> start(std::size_t{count} + 1);
    for (const RegionBorder& pair : pairs) ++start[pair.a + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    std::vector<std::uint32_t> order(pairs.size());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        order[next[pairs[i].a]++] = static_cast<std::uint32_t>(i);

    std::vector<RegionBorder> borders;
    std::vector<std::size_t> place(count);  // of the border with a region, from 1
    for (std::uint32_t a = 0; a < count; ++a) {
        const std::size_t first = borders.size();
        for (std::size_t i = start[a]; i < start[a + 1]; ++i) {
            const RegionBorder& pair = pairs[order[i]];
            std::size_t& at = place[pair.b];
            if (at <= first) {
                borders.push_back({pair.a, pair.b, 0, 0});
                at = borders.size();
            }
            borders[at - 1].length += pair.length;
            borders[at - 1].step += pair.step;
        }
    }
    return borders;
}

}  // namespace

std::int32_t FeatureScale::operator()(std::int32_t feature) const {
    const double value = std::floor(static_cast<double>(feature) * factor + offset + 0.5);
    return static_cast<std::int32_t>(
        std::clamp(value, static_cast<double>(lowest), static_cast<double>(highest)));
}

void RegionSums::add(const Feature& feature) {
    constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    ++points;
    for (std::size_t c = 0; c < 3; ++c) sum[c] += feature[c];
    for (std::size_t k = 0; k < 6; ++k)
        product[k] += std::int64_t{feature[pairs[k][0]]} * feature[pairs[k][1]];
}

void RegionSums::add(const RegionSums& other) {
    points += other.points;
    for (std::size_t c = 0; c < 3; ++c) sum[c] += other.sum[c];
    for (std::size_t k = 0; k < 6; ++k) product[k] += other.product[k];
}

RegionGraph region_graph(const Shape& shape, int channels, const FeatureScale& scale,
                         std::span<const std::int32_t> features,
                         std::span<const std::int32_t> filtered,
                         std::span<const std::uint32_t> labels, std::uint32_t count) {
    const auto points = static_cast<std::size_t>(shape.points());
    const std::size_t values = points * static_cast<std::size_t>(channels);
    const Planes original{scale, features.first(values), points};
    const Planes smooth{scale, filtered.first(values), points};
    RegionGraph graph;
    graph.regions.resize(count);
    for (std::size_t i = 0; i < points; ++i) graph.regions[labels[i] - 1].add(original.at(i));
    std::vector<RegionBorder> pairs;
    for_each_border_pair(shape, labels, [&](std::size_t i, std::size_t j) {
        const auto [a, b] = std::minmax(labels[i], labels[j]);
        pairs.push_back({a - 1, b - 1, 1, distance(smooth.at(i), smooth.at(j))});
    });
    graph.borders = united(pairs, count);
    return graph;
}

}  // namespace tesela

// From sums of indices to centroids and covariances.
#include <cstddef>

#include "measuring/object_measures.h"
#include "measuring/wide_sums.h"

namespace tesela::measuring {

using kernels::u32;

namespace {

// Places of two axes among squares and products: xx, yy, zz, xy, xz, yz.
constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

std::int64_t words_of(const kernels::measure_map& map) {
    return map.axes == 3 ? kernels::measure_words_3d : kernels::measure_words_2d;
}

MeasuredObject object_of(std::span<const u32> record, const kernels::measure_map& map) {
    const auto axes = static_cast<std::size_t>(map.axes);
    const std::array<std::int32_t, 3> lengths{map.nx, map.ny, map.nz};
    const auto box = record.subspan(1), sums = box.subspan(2 * axes);
    const auto squares = sums.subspan(2 * axes), products = squares.subspan(3 * axes);
    MeasuredObject object{.points = record[0]};
    const auto points = static_cast<WideSum>(object.points);
    std::array<WideSum, 3> sum{};
    for (std::size_t a = 0; a < axes; ++a) {
        object.first[a] = lengths[a] - 1 - static_cast<std::int32_t>(box[2 * a]);
        object.last[a] = static_cast<std::int32_t>(box[2 * a + 1]);
        object.touches_border |= object.first[a] == 0 || object.last[a] == lengths[a] - 1;
        sum[a] = wide_sum(sums.subspan(2 * a, 2));
        object.centroid[a] = static_cast<double>(sum[a]) / static_cast<double>(points);
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [a, b] = pairs[k];
        if (b >= axes) continue;
        const WideSum of_products =
            wide_sum(k < 3 ? squares.subspan(3 * k, 3) : products.subspan(3 * (k - 3), 3));
        object.covariance[k] = covariance_of(points, sum[a], sum[b], of_products);
    }
    return object;
}

}  // namespace

std::vector<MeasuredObject> sizes_of(const ObjectMap& objects, Queue& queue) {
    const std::int64_t words = words_of(objects.map);
    auto records = empty_records(objects, words, queue);
    queue.launch(kernels::measure_sum_up, objects.tiles, objects.points, objects.present,
                 objects.before, objects.map, records);
    const std::vector<u32> read = queue.download(records);
    std::vector<MeasuredObject> measured;
    measured.reserve(objects.labels.size());
    const auto length = static_cast<std::size_t>(words);
    for (std::size_t n = 0; n < objects.labels.size(); ++n) {
        measured.push_back(object_of(std::span(read).subspan(n * length, length), objects.map));
        measured.back().label = objects.labels[n];
    }
    return measured;
}

std::int64_t sizes_bytes(const Shape& shape, std::int64_t objects) {
    return 4 * objects * (shape.z > 1 ? kernels::measure_words_3d : kernels::measure_words_2d);
}

}  // namespace tesela::measuring

// From sums of indices to centroids and covariances.
#include <algorithm>
#include <cstddef>

#include "measuring/object_measures.h"

namespace tesela::measuring {

using kernels::u32;

namespace {

// Places of two axes among squares and products: xx, yy, zz, xy, xz, yz.
constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

std::int64_t words_of(int axes) {
    return axes == 3 ? kernels::measure_words_3d : kernels::measure_words_2d;
}

}  // namespace

void ObjectSums::add(const ObjectSums& other) {
    points += other.points;
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = std::min(first[a], other.first[a]);
        last[a] = std::max(last[a], other.last[a]);
        sum[a] += other.sum[a];
    }
    for (std::size_t k = 0; k < products.size(); ++k) products[k] += other.products[k];
}

// (a + c)(b + d) = ab + ad + bc + cd, over all points.
void ObjectSums::move(const std::array<std::int64_t, 3>& by) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [a, b] = pairs[k];
        products[k] += sum[a] * by[b] + sum[b] * by[a] + WideSum{by[a]} * by[b] * points;
    }
    for (std::size_t a = 0; a < 3; ++a) {
        sum[a] += WideSum{by[a]} * points;
        first[a] += static_cast<std::int32_t>(by[a]);
        last[a] += static_cast<std::int32_t>(by[a]);
    }
}

MeasuredObject ObjectSums::object(std::uint32_t label, const Shape& shape) const {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const std::size_t axes = shape.z > 1 ? 3 : 2;
    MeasuredObject object{.label = label, .points = points};
    for (std::size_t a = 0; a < axes; ++a) {
        object.first[a] = first[a];
        object.last[a] = last[a];
        object.touches_border |= first[a] == 0 || last[a] == lengths[a] - 1;
        object.centroid[a] = static_cast<double>(sum[a]) / static_cast<double>(points);
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [a, b] = pairs[k];
        if (b < axes) object.covariance[k] = covariance_of(points, sum[a], sum[b], products[k]);
    }
    return object;
}

SumRecords::SumRecords(const ObjectMap& objects, Queue& queue) : map_(objects.map) {
    auto records = empty_records(objects, words_of(map_.axes), queue);
    queue.launch(kernels::measure_sum_up, objects.tiles, objects.points, objects.present,
                 objects.before, objects.map, records);
    words_ = queue.download(records);
}

ObjectSums SumRecords::operator[](std::size_t object) const {
    const auto axes = static_cast<std::size_t>(map_.axes);
    const auto length = static_cast<std::size_t>(words_of(map_.axes));
    const std::array<std::int32_t, 3> lengths{map_.nx, map_.ny, map_.nz};
    const auto record = std::span(words_).subspan(object * length, length);
    const auto box = record.subspan(1), sums = box.subspan(2 * axes);
    const auto squares = sums.subspan(2 * axes), products = squares.subspan(3 * axes);
    ObjectSums of{.points = record[0]};
    if (axes == 2) of.first[2] = of.last[2] = 0;
    for (std::size_t a = 0; a < axes; ++a) {
        of.first[a] = lengths[a] - 1 - static_cast<std::int32_t>(box[2 * a]);
        of.last[a] = static_cast<std::int32_t>(box[2 * a + 1]);
        of.sum[a] = wide_sum(sums.subspan(2 * a, 2));
    }
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (pairs[k][1] < axes)
            of.products[k] =
                wide_sum(k < 3 ? squares.subspan(3 * k, 3) : products.subspan(3 * (k - 3), 3));
    return of;
}

std::vector<MeasuredObject> sizes_of(const ObjectMap& objects, const Shape& shape, Queue& queue) {
    const SumRecords records(objects, queue);
    std::vector<MeasuredObject> measured;
    measured.reserve(objects.labels.size());
    for (std::size_t n = 0; n < objects.labels.size(); ++n)
        measured.push_back(records[n].object(objects.labels[n], shape));
    return measured;
}

std::int64_t sizes_bytes(const Shape& shape, std::int64_t objects) {
    return 4 * objects * words_of(shape.z > 1 ? 3 : 2);
}

}  // namespace tesela::measuring

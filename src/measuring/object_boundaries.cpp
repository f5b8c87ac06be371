// From counts along boundaries to perimeters, surfaces and Euler numbers.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/measuring/measure_boundaries.kernel.h"
#include "measuring/direction_shares.h"
#include "measuring/object_measures.h"

namespace tesela::measuring {

using kernels::u32;

namespace {

using Offset = std::array<int, 3>;

// To the earlier neighbors, in the order of the kernels' counts.
constexpr std::array<Offset, 4> picture_offsets{{{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}}};
constexpr std::array<Offset, 13> volume_offsets{{{-1, -1, -1},
                                                 {0, -1, -1},
                                                 {1, -1, -1},
                                                 {-1, 0, -1},
                                                 {0, 0, -1},
                                                 {1, 0, -1},
                                                 {-1, 1, -1},
                                                 {0, 1, -1},
                                                 {1, 1, -1},
                                                 {-1, -1, 0},
                                                 {0, -1, 0},
                                                 {1, -1, 0},
                                                 {-1, 0, 0}}};

// What a point without a neighbor in a direction adds to the length or area of a boundary: all
// lines of the direction are as far apart as the area or volume of a point by the distance of two
// points on them says, and stand for their share of all directions (D. Legland et al., "Computation
// of Minkowski measures on 2D and 3D binary images", Image Analysis & Stereology 26, 2007).
template <std::size_t count, class Shares>
std::array<double, count> weights_of(const std::array<Offset, count>& offsets,
                                     const std::array<double, 3>& spacing, double whole,
                                     const Shares& shares_of) {
    std::array<Direction, count> directions{};
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t a = 0; a < 3; ++a) directions[k][a] = offsets[k][a] * spacing[a];
    std::array<double, count> weights = shares_of(directions);
    const double point = spacing[0] * spacing[1] * (count > 4 ? spacing[2] : 1);
    for (std::size_t k = 0; k < count; ++k)
        weights[k] *=
            whole * point / std::hypot(directions[k][0], directions[k][1], directions[k][2]);
    return weights;
}
std::array<double, 4> picture_weights(const std::array<double, 3>& spacing) {
    return weights_of(picture_offsets, spacing, std::numbers::pi,
                      [](const auto& directions) { return shares_of_circle(directions); });
}
std::array<double, 13> volume_weights(const std::array<double, 3>& spacing) {
    return weights_of(volume_offsets, spacing, 4,
                      [](const auto& directions) { return shares_of_sphere(directions); });
}

template <std::size_t count>
double weighted(const std::array<double, count>& weights, const BoundaryCounts& counts) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += weights[k] * static_cast<double>(counts[k]);
    return sum;
}

// For each face, edge and corner of a voxel the earlier voxels that share it.
kernels::measure_cells cells_of_voxel() {
    kernels::measure_cells cells{};
    std::size_t faces = 0, edges = 0, corners = 0;
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) {
                u32 earlier = 0;
                const auto shares = [](int side, int offset) {
                    return offset == 0 || offset == side;
                };
                for (std::size_t k = 0; k < volume_offsets.size(); ++k)
                    if (shares(x, volume_offsets[k][0]) && shares(y, volume_offsets[k][1]) &&
                        shares(z, volume_offsets[k][2]))
                        earlier |= 1u << k;
                const int sides = std::abs(x) + std::abs(y) + std::abs(z);
                if (sides == 1) cells.faces[faces++] = earlier;
                if (sides == 2) cells.edges[edges++] = earlier;
                if (sides == 3) cells.corners[corners++] = earlier;
            }
    return cells;
}

std::size_t words_of(int axes) {
    return axes == 3 ? kernels::measure_volume_words : kernels::measure_picture_words;
}

// Of the kernels' records.
constexpr std::size_t euler_of_picture = 4, euler_of_volume = 13;

}  // namespace

BoundaryRecords::BoundaryRecords(const ObjectMap& objects, Queue& queue)
    : length_(words_of(objects.map.axes)),
      euler_(objects.map.axes == 3 ? euler_of_volume : euler_of_picture) {
    auto records = empty_records(objects, static_cast<std::int64_t>(length_), queue);
    if (objects.map.axes == 3)
        queue.launch(kernels::measure_volume_boundaries, objects.tiles, objects.points,
                     objects.present, objects.before, objects.map, cells_of_voxel(), records);
    else
        queue.launch(kernels::measure_picture_boundaries, objects.tiles, objects.points,
                     objects.present, objects.before, objects.map, records);
    words_ = queue.download(records);
}

BoundaryCounts BoundaryRecords::operator[](std::size_t object) const {
    BoundaryCounts counts{};
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(object * length_), length_,
                counts.begin());
    counts[euler_] = static_cast<std::int32_t>(counts[euler_]);  // may be below 0
    return counts;
}

BoundaryWeights::BoundaryWeights(int axes, const std::array<double, 3>& spacing) : axes_(axes) {
    if (axes == 3) {
        volume_in_pixels_ = volume_weights({1, 1, 1});
        volume_in_space_ = volume_weights(spacing);
    } else {
        picture_in_pixels_ = picture_weights({1, 1, 1});
        picture_in_space_ = picture_weights(spacing);
    }
}

void BoundaryWeights::measure(const BoundaryCounts& counts, MeasuredObject& object) const {
    if (axes_ == 3) {
        object.in_pixels.surface = weighted(volume_in_pixels_, counts);
        object.in_space.surface = weighted(volume_in_space_, counts);
        object.euler_number = counts[euler_of_volume];
        return;
    }
    object.in_pixels.perimeter_crofton = weighted(picture_in_pixels_, counts);
    object.in_space.perimeter_crofton = weighted(picture_in_space_, counts);
    object.euler_number = counts[euler_of_picture];
    const auto count = [&](std::size_t k) { return static_cast<double>(counts[k]); };
    object.perimeter =
        count(5) + std::numbers::sqrt2 * count(6) + (1 + std::numbers::sqrt2) / 2 * count(7);
}

void add_boundaries(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
                    std::vector<MeasuredObject>& measured) {
    const BoundaryRecords records(objects, queue);
    const BoundaryWeights weights(objects.map.axes, geometry.spacing);
    for (std::size_t n = 0; n < measured.size(); ++n) weights.measure(records[n], measured[n]);
}

std::int64_t boundaries_bytes(const Shape& shape, std::int64_t objects) {
    return 4 * objects * static_cast<std::int64_t>(words_of(shape.z > 1 ? 3 : 2));
}

}  // namespace tesela::measuring

#include "tesela/brick_source.h"

#include <algorithm>
#include <string>

#include "core/brick_slabs.h"
#include "core/threads.h"
#include "core/with_type.h"
#include "tesela/tile_source.h"

namespace tesela {
namespace {

// Copies what a brick of this length has of the box; both are in voxels of the level. Of one that
// `is_constant`, any voxels will do.
void copy_brick(const AnyImage& brick, bool is_constant, const std::array<std::int64_t, 3>& at,
                std::int64_t length, const VoxelBox& box, const BrickPlace& place,
                AnyImage& image) {
    std::visit(
        [&](const auto& from) {
            auto& to = std::get<std::decay_t<decltype(from)>>(image);
            std::array<std::int64_t, 3> begin{}, end{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                begin[axis] = std::max(at[axis], box.begin[axis]);
                end[axis] = std::min(at[axis] + length, box.end[axis]);
            }
            const std::int64_t count = end[0] - begin[0], step = to.shape().channels;
            for (std::int64_t z = begin[2]; z < end[2]; ++z)
                for (std::int64_t y = begin[1]; y < end[1]; ++y) {
                    auto* target = &to(begin[0] - box.begin[0], y - box.begin[1], z - box.begin[2],
                                       place.t, place.channel);
                    if (is_constant && step == 1) {
                        std::fill_n(target, count, *from.data());
                        continue;
                    }
                    const std::int64_t next = is_constant ? 0 : 1;
                    const auto* row =
                        is_constant ? from.data() : &from(begin[0] - at[0], y - at[1], z - at[2]);
                    if (step == 1)
                        std::copy_n(row, count, target);
                    else
                        for (std::int64_t x = 0; x < count; ++x) target[x * step] = row[x * next];
                }
        },
        image.index() == brick.index() ? brick
                                       : throw UnreadableInput("a brick is of another type"));
}

void check_level(const BrickSourceFacts& facts, int level) {
    if (level < 0 || level >= std::ssize(facts.levels))
        throw InvalidArgument("level " + std::to_string(level) +
                              " does not exist; levels are 0 to " +
                              std::to_string(facts.levels.size() - 1));
}

// The first brick that has voxels of a box and how many there are, along each axis.
struct BrickRange {
    std::array<std::int64_t, 3> first{}, counts{};
};
BrickRange bricks_of(const BrickSourceFacts& facts, int level, const VoxelBox& box) {
    check_level(facts, level);
    const Shape& shape = facts.levels[static_cast<std::size_t>(level)];
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    const std::int64_t length = BrickSource::side >> level;
    BrickRange bricks;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (box.begin[axis] < 0 || box.begin[axis] >= box.end[axis] || box.end[axis] > size[axis])
            throw InvalidArgument("the box goes from " + std::to_string(box.begin[axis]) + " to " +
                                  std::to_string(box.end[axis]) + " along " + "xyz"[axis] +
                                  "; it must begin and end within 0 to " +
                                  std::to_string(size[axis]) + " and not be empty");
        bricks.first[axis] = box.begin[axis] / length;
        bricks.counts[axis] = (box.end[axis] - 1) / length - bricks.first[axis] + 1;
    }
    return bricks;
}

// With all channels and times.
Shape shape_of_box(const BrickSourceFacts& facts, const VoxelBox& box) {
    Shape shape = facts.levels.front();
    shape.x = box.length(0), shape.y = box.length(1), shape.z = box.length(2);
    return shape;
}

// Single precision holds what becomes of 16 bits.
constexpr PixelType scaled_type(PixelType stored) {
    const bool wide =
        stored == PixelType::u32 || stored == PixelType::i32 || stored == PixelType::f64;
    return wide ? PixelType::f64 : PixelType::f32;
}

}  // namespace

void BrickSourceFacts::set_levels(Shape shape, const Geometry& geometry) {
    for (int level = 0; level < BrickSource::level_count; ++level) {
        levels.push_back(shape);
        geometries.push_back(geometry_of_part(geometry, level, {0, 0, 0}));
        shape.x = (shape.x + 1) / 2, shape.y = (shape.y + 1) / 2, shape.z = (shape.z + 1) / 2;
    }
}

std::array<std::int64_t, 3> BrickSource::grid(std::int64_t length) const {
    const Shape& shape = facts().levels.front();
    return {(shape.x + length - 1) / length, (shape.y + length - 1) / length,
            (shape.z + length - 1) / length};
}

std::int64_t BrickSource::brick_count() const {
    const auto grid = bricks();
    const Shape& shape = facts().levels.front();
    return grid[0] * grid[1] * grid[2] * shape.channels * shape.t;
}

BrickPlace BrickSource::place_of(std::int64_t number) const {
    const auto grid = bricks();
    const int channels = facts().levels.front().channels;
    BrickPlace place;
    place.x = number % grid[0];
    number /= grid[0];
    place.y = number % grid[1];
    number /= grid[1];
    place.z = number % grid[2];
    number /= grid[2];
    place.channel = static_cast<int>(number % channels);
    place.t = number / channels;
    return place;
}

std::int64_t BrickSource::number_in(const std::array<std::int64_t, 3>& grid, const BrickPlace& p,
                                    const char* what) const {
    const Shape& s = facts().levels.front();
    if (p.x < 0 || p.x >= grid[0] || p.y < 0 || p.y >= grid[1] || p.z < 0 || p.z >= grid[2] ||
        p.t < 0 || p.t >= s.t || p.channel < 0 || p.channel >= s.channels)
        throw InvalidArgument(std::string("there is no ") + what + " " + std::to_string(p.x) +
                              ", " + std::to_string(p.y) + ", " + std::to_string(p.z));
    return (((p.t * s.channels + p.channel) * grid[2] + p.z) * grid[1] + p.y) * grid[0] + p.x;
}
std::int64_t BrickSource::number_of(const BrickPlace& place) const {
    return number_in(bricks(), place, "brick");
}
std::int64_t BrickSource::number_of_block(const BrickPlace& place) const {
    return number_in(blocks(), place, "block");
}

std::array<int, 3> BrickSource::brick_size(const BrickPlace& place) const {
    number_of(place);
    const Shape& s = facts().levels.front();
    const auto cut = [](std::int64_t length, std::int64_t at) {
        return static_cast<int>(std::min<std::int64_t>(side, length - at * side));
    };
    return {cut(s.x, place.x), cut(s.y, place.y), cut(s.z, place.z)};
}

std::shared_ptr<const AnyImage> BrickSource::shared_brick(int level,
                                                          const BrickPlace& place) const {
    return std::make_shared<const AnyImage>(brick(level, place));
}

AnyImage BrickSource::read(int level) const {
    check_level(facts(), level);
    const Shape& shape = facts().levels[static_cast<std::size_t>(level)];
    return read(level, {{0, 0, 0}, {shape.x, shape.y, shape.z}});
}

AnyImage BrickSource::read(int level, const VoxelBox& box, int threads) const {
    const BrickSourceFacts& known = facts();
    const BrickRange bricks = bricks_of(known, level, box);
    const std::array<std::int64_t, 3>&first = bricks.first, &counts = bricks.counts;
    const std::int64_t length = side >> level;
    const Shape shape = shape_of_box(known, box);
    AnyImage image = detail::with_type(
        known.type, [&]<class T>(T) { return AnyImage(Image<T>::unwritten(shape)); });
    geometry_of(image) =
        geometry_of_part(known.geometries.front(), level,
                         {box.begin[0] << level, box.begin[1] << level, box.begin[2] << level});
    std::visit([&](auto& i) { i.has_alpha = known.has_alpha; }, image);
    const std::int64_t planes = shape.t * shape.channels;
    detail::for_each_index(
        counts[0] * counts[1] * counts[2] * planes, threads, [&](std::int64_t index) {
            BrickPlace place;
            place.x = first[0] + index % counts[0];
            place.y = first[1] + index / counts[0] % counts[1];
            place.z = first[2] + index / counts[0] / counts[1] % counts[2];
            const std::int64_t plane = index / (counts[0] * counts[1] * counts[2]);
            place.channel = static_cast<int>(plane % shape.channels);
            place.t = plane / shape.channels;
            const bool is_constant = coding(place) == BrickCoding::constant;
            copy_brick(*shared_brick(is_constant ? level_count - 1 : level, place), is_constant,
                       {place.x * length, place.y * length, place.z * length}, length, box, place,
                       image);
        });
    return image;
}

Geometry geometry_of_part(const Geometry& whole, int level,
                          const std::array<std::int64_t, 3>& begin) {
    Geometry part = whole;
    const double step = static_cast<double>(1 << level);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double center = static_cast<double>(begin[axis]) + (step - 1) / 2;
        for (std::size_t row = 0; row < 3; ++row)
            part.origin[row] += whole.direction[3 * row + axis] * whole.spacing[axis] * center;
        part.spacing[axis] *= step;
    }
    return part;
}

std::int64_t detail::rows_of_slab(const Shape& shape, PixelType type) {
    constexpr std::int64_t most = 64 << 20, side = BrickSource::side;
    const std::int64_t row =
        shape.x * shape.channels * side * std::min(shape.z, side) * pixel_type_bytes(type);
    return std::clamp<std::int64_t>(most / row, 1, (shape.y + side - 1) / side);
}

std::int64_t volume_write_bytes(const VolumeInputFacts& facts, int threads) {
    constexpr std::int64_t side = BrickSource::side;
    const Shape& shape = facts.shape;
    const auto bricks_along = [](std::int64_t length) { return (length + side - 1) / side; };
    const std::int64_t rows = detail::rows_of_slab(shape, facts.type);
    const std::int64_t value = pixel_type_bytes(facts.type) * std::int64_t{shape.channels};
    const std::int64_t width = std::min(shape.y, rows * side + 2);
    const std::int64_t depth = std::min(shape.z, side + 2);
    const std::int64_t slab = shape.x * width * depth * value;
    const std::int64_t bricks = bricks_along(shape.x) * rows * shape.channels;
    // Its voxels, wavelet coefficients and bytes; zstd's tables are most of it (measured 18 to 27).
    constexpr std::int64_t copies_of_a_brick = 28;
    const std::int64_t brick = std::min(shape.x, side) * std::min(shape.y, side) *
                               std::min(shape.z, side) * pixel_type_bytes(facts.type);
    // The slab, another one where it is quantized, and the coded bricks.
    return 3 * slab + std::min<std::int64_t>(detail::threads_or_all(threads), bricks) *
                          copies_of_a_brick * brick;
}

std::int64_t volume_read_bytes(const BrickSource& source, int level, const VoxelBox& box,
                               bool scale) {
    const BrickSourceFacts& facts = source.facts();
    const std::array<std::int64_t, 3> counts = bricks_of(facts, level, box).counts;
    const Shape shape = shape_of_box(facts, box);
    const std::int64_t bricks = counts[0] * counts[1] * counts[2] * shape.t * shape.channels;
    constexpr std::int64_t side = BrickSource::side;
    const Shape& whole = facts.levels.front();
    const std::int64_t brick = std::min(side, whole.x) * std::min(side, whole.y) *
                               std::min(side, whole.z) * pixel_type_bytes(facts.type);
    // Its bytes, packed and shuffled, its voxels, and the image of them (measured up to 3.7).
    constexpr std::int64_t copies_of_a_brick = 4;
    const std::int64_t decoding =
        std::min<std::int64_t>(detail::hardware_threads(), bricks) * copies_of_a_brick * brick;
    const std::int64_t scaling =
        scale ? shape.elements() * pixel_type_bytes(scaled_type(facts.type)) : 0;
    return shape.elements() * pixel_type_bytes(facts.type) + std::max(decoding, scaling);
}

AnyImage scaled(AnyImage image, const ValueScaling& scaling) {
    if (!scaling.needed()) return image;
    return std::visit(
        [&](const auto& from) -> AnyImage {
            using Stored = typename std::decay_t<decltype(from)>::value_type;
            constexpr bool is_single = scaled_type(pixel_type_of<Stored>()) == PixelType::f32;
            using Value = std::conditional_t<is_single, float, double>;
            Image<Value> to(from.shape(), from.geometry);
            to.has_alpha = from.has_alpha;
            std::transform(from.pixels().begin(), from.pixels().end(), to.pixels().begin(),
                           [&](Stored stored) {
                               return static_cast<Value>(
                                   scaling.slope * static_cast<double>(stored) + scaling.intercept);
                           });
            return to;
        },
        image);
}

}  // namespace tesela

#include "tesela/tile_source.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

namespace tesela {

std::array<double, 2> TileLevel::to_level_0(double x, double y) const {
    return {(x + 0.5) * downsample[0] - 0.5, (y + 0.5) * downsample[1] - 0.5};
}

std::array<double, 2> TileLevel::from_level_0(double x, double y) const {
    return {(x + 0.5) / downsample[0] - 0.5, (y + 0.5) / downsample[1] - 0.5};
}

namespace {

// Whether rounding down or up makes `length` of `full` pixels by a whole downsample.
bool is_cut_or_padded(std::int64_t full, std::int64_t length, std::int64_t downsample) {
    return full / downsample == length || (full + downsample - 1) / downsample == length;
}

// A short axis fits many downsamples, so that the long one decides.
std::array<double, 2> downsample_of(const Shape& first, std::int64_t width, std::int64_t height) {
    std::array<double, 2> found{true_downsample(first.x, width), true_downsample(first.y, height)};
    const bool wide = first.x >= first.y;
    const double by_long = found[wide ? 0 : 1];
    const std::int64_t whole = std::llround(by_long);
    const bool fits =
        wide ? is_cut_or_padded(first.y, height, whole) : is_cut_or_padded(first.x, width, whole);
    if (by_long == static_cast<double>(whole) && fits) found = {by_long, by_long};
    return found;
}

}  // namespace

double true_downsample(std::int64_t full, std::int64_t length) {
    if (length < 1 || length > full)
        throw InvalidArgument("a level of " + std::to_string(length) + " pixels cannot lie below " +
                              std::to_string(full));
    const double ratio = static_cast<double>(full) / static_cast<double>(length);
    const std::int64_t whole = std::llround(ratio);
    return is_cut_or_padded(full, length, whole) ? static_cast<double>(whole) : ratio;
}

TileLevel level_below(const TileLevel& first, std::int64_t width, std::int64_t height,
                      std::int64_t tile_width, std::int64_t tile_height) {
    TileLevel level;
    level.shape = {width, height, 1, 1, first.shape.channels};
    level.downsample = downsample_of(first.shape, width, height);
    level.tile_width = tile_width;
    level.tile_height = tile_height;
    level.geometry = first.geometry;
    if (!first.geometry.known()) return level;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double step = first.geometry.spacing[axis];
        const double shift = step * (level.downsample[axis] - 1) / 2;
        level.geometry.spacing[axis] = step * level.downsample[axis];
        for (std::size_t row = 0; row < 3; ++row)
            level.geometry.origin[row] += shift * first.geometry.direction[3 * row + axis];
    }
    return level;
}

Geometry micrometers_per_pixel(double x, double y) {
    if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y)))
        throw InvalidArgument("a pixel of " + std::to_string(x) + " x " + std::to_string(y) +
                              " um cannot be; both sides are above 0");
    Geometry geometry;
    geometry.spacing = {x, y, 1};
    geometry.unit = Unit::micrometer;
    return geometry;
}

namespace {

bool is_inside(const TileBox& box, const Shape& level) {
    return box.x >= 0 && box.y >= 0 && box.x + box.width <= level.x &&
           box.y + box.height <= level.y;
}

}  // namespace

TileSource::TileSource() : id_(TileCache::global().new_source()) {}
TileSource::~TileSource() { TileCache::global().forget(id_); }

const TileLevel& TileSource::level_at(int level) const {
    const auto& levels = facts().levels;
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size())
        throw InvalidArgument("there is no level " + std::to_string(level) +
                              "; the levels are 0 to " + std::to_string(levels.size() - 1));
    return levels[static_cast<std::size_t>(level)];
}

Tile TileSource::tile(int level, std::int64_t column, std::int64_t row) const {
    const TileLevel& at = level_at(level);
    if (column < 0 || row < 0 || column >= at.columns() || row >= at.rows())
        throw InvalidArgument("level " + std::to_string(level) + " has no tile " +
                              std::to_string(column) + ", " + std::to_string(row) + "; it has " +
                              std::to_string(at.columns()) + " x " + std::to_string(at.rows()));
    const std::int64_t x = column * at.tile_width, y = row * at.tile_height;
    const TileBox box{x, y, std::min(at.tile_width, at.shape.x - x),
                      std::min(at.tile_height, at.shape.y - y)};
    return TileCache::global().get({id_, level, column, row}, [&] { return decode(level, box); });
}

AnyImage TileSource::empty_image(const Shape& shape, bool background) const {
    validate(shape);
    try {
        return filled_image(facts().type, shape,
                            background ? facts().background : std::vector<double>());
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    const std::int64_t bytes = shape.elements() * pixel_type_bytes(facts().type);
    throw OutOfMemory("a box of " + std::to_string(shape.x) + " x " + std::to_string(shape.y) +
                          " pixels needs " + std::to_string(bytes) +
                          " bytes, more than there are; read a smaller one or a coarser level",
                      bytes, -1);
}

const TileLevel& TileSource::level_of(int level, const TileBox& box) const {
    const TileLevel& at = level_at(level);
    constexpr std::int64_t farthest = std::int64_t{1} << 40;
    if (box.width < 1 || box.height < 1)
        throw InvalidArgument("a box of " + std::to_string(box.width) + " x " +
                              std::to_string(box.height) + " pixels has nothing to read");
    if (std::abs(box.x) > farthest || std::abs(box.y) > farthest)
        throw InvalidArgument("a box at " + std::to_string(box.x) + ", " + std::to_string(box.y) +
                              " is too far from the slide");
    return at;
}

void TileSource::copy_tiles(int level, const TileBox& box, AnyImage& image, std::int64_t to_x,
                            std::int64_t to_y) const {
    const TileLevel& at = level_at(level);
    const std::int64_t left = std::max<std::int64_t>(0, box.x);
    const std::int64_t top = std::max<std::int64_t>(0, box.y);
    const std::int64_t right = std::min(at.shape.x, box.x + box.width);
    const std::int64_t bottom = std::min(at.shape.y, box.y + box.height);
    for (std::int64_t y = top; y < bottom; y = (y / at.tile_height + 1) * at.tile_height)
        for (std::int64_t x = left; x < right; x = (x / at.tile_width + 1) * at.tile_width) {
            const std::int64_t column = x / at.tile_width, row = y / at.tile_height;
            const Tile from = tile(level, column, row);
            const TileBox part{x - column * at.tile_width, y - row * at.tile_height,
                               std::min(right, (column + 1) * at.tile_width) - x,
                               std::min(bottom, (row + 1) * at.tile_height) - y};
            copy_box(*from, part, image, to_x + x - box.x, to_y + y - box.y);
        }
}

AnyImage TileSource::read(int level, const TileBox& box) const {
    const TileLevel& at = level_of(level, box);
    AnyImage image =
        empty_image({box.width, box.height, 1, 1, at.shape.channels}, !is_inside(box, at.shape));
    copy_tiles(level, box, image, 0, 0);
    Geometry& geometry = geometry_of(image);
    geometry = at.geometry;
    for (std::size_t i = 0; i < 3 && geometry.known(); ++i)
        geometry.origin[i] +=
            geometry.direction[3 * i] * geometry.spacing[0] * static_cast<double>(box.x) +
            geometry.direction[3 * i + 1] * geometry.spacing[1] * static_cast<double>(box.y);
    std::visit([&](auto& pixels) { pixels.has_alpha = facts().has_alpha; }, image);
    return image;
}

void TileSource::read_into(int level, const TileBox& box, AnyImage& image, std::int64_t x,
                           std::int64_t y) const {
    const TileLevel& at = level_of(level, box);
    const Shape& room = shape_of(image);
    if (pixel_type_of(image) != facts().type || room.channels != at.shape.channels)
        throw InvalidArgument("the image to read into has other pixels than the slide, which has " +
                              std::to_string(at.shape.channels) + " channels of " +
                              std::string(pixel_type_name(facts().type)));
    if (x < 0 || y < 0 || box.width > room.x - x || box.height > room.y - y)
        throw InvalidArgument("the image to read into has no room for " +
                              std::to_string(box.width) + " x " + std::to_string(box.height) +
                              " pixels at (" + std::to_string(x) + ", " + std::to_string(y) + ")");
    if (is_inside(box, at.shape)) return copy_tiles(level, box, image, x, y);
    copy_box(read(level, box), {0, 0, box.width, box.height}, image, x, y);
}

}  // namespace tesela

#include "io/tile_pyramid.h"

#include <algorithm>

namespace tesela::io {

std::vector<PyramidLevel> pyramid_levels(const Shape& shape, const SlideWriteOptions& options) {
    std::vector<PyramidLevel> levels{{shape.x, shape.y}};
    while (levels.back().width > options.tile || levels.back().height > options.tile) {
        const PyramidLevel next{(levels.back().width + 1) / 2, (levels.back().height + 1) / 2};
        if (options.pyramid == PyramidForm::generic &&
            std::min(next.width, next.height) < options.tile)
            break;
        levels.push_back(next);
    }
    return levels;
}

TilePyramid::TilePyramid(const fs::path& shown, const SlideForm& form,
                         const SlideWriteOptions& options)
    : shown_(shown),
      form_(form),
      tile_(options.tile),
      labels_(options.labels),
      levels_(pyramid_levels(form.shape, options)) {}

Shape TilePyramid::shape_at(std::size_t level, std::int64_t column, std::int64_t row) const {
    return {std::min(tile_, levels_[level].width - column * tile_),
            std::min(tile_, levels_[level].height - row * tile_), 1, 1, form_.shape.channels};
}

void TilePyramid::claim(std::int64_t column, std::int64_t row, const AnyImage& tile) {
    const std::string name = "tile " + std::to_string(column) + ", " + std::to_string(row);
    if (column < 0 || row < 0 || column >= columns(0) || row >= rows(0))
        throw InvalidArgument(name + " is not one of the " + std::to_string(columns(0)) + " x " +
                              std::to_string(rows(0)) + " tiles of " + quoted(shown_));
    if (pixel_type_of(tile) != form_.type || !(shape_of(tile) == shape_at(0, column, row)))
        throw InvalidArgument(name + " has not the size or pixel type of its place in " +
                              quoted(shown_));
    const std::lock_guard lock(mutex_);
    if (claimed_.empty()) claimed_.resize(static_cast<std::size_t>(columns(0) * rows(0)));
    auto&& mine = claimed_[static_cast<std::size_t>(row * columns(0) + column)];
    if (mine) throw InvalidArgument(name + " of " + quoted(shown_) + " comes twice");
    mine = true;
}

void TilePyramid::write(std::int64_t column, std::int64_t row, const AnyImage& tile) {
    claim(column, row, tile);
    add(0, column, row, tile);
}

void TilePyramid::add(std::size_t level, std::int64_t column, std::int64_t row,
                      const AnyImage& tile) {
    store(level, column, row, tile);
    if (level == 0) {
        const std::lock_guard lock(mutex_);
        ++complete_;
    }
    if (level + 1 == levels()) return;
    const auto whole = add_part(level, column, row, halved(tile, labels_));
    if (whole) add(level + 1, column / 2, row / 2, *whole);
}

// Gives the tile of the next level where this was the last of its parts.
std::unique_ptr<AnyImage> TilePyramid::add_part(std::size_t level, std::int64_t column,
                                                std::int64_t row, const AnyImage& half) {
    const std::int64_t x = column / 2, y = row / 2;
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = parts_.try_emplace(Place{level + 1, y, x});
    Part& part = place->second;
    if (is_new) {
        part.image =
            std::make_unique<AnyImage>(filled_image(form_.type, shape_at(level + 1, x, y)));
        const bool two_columns = 2 * x + 1 < columns(level), two_rows = 2 * y + 1 < rows(level);
        part.missing = (two_columns ? 2 : 1) * (two_rows ? 2 : 1);
    }
    const Shape& shape = shape_of(half);
    copy_box(half, {0, 0, shape.x, shape.y}, *part.image, column % 2 * tile_ / 2,
             row % 2 * tile_ / 2);
    if (--part.missing > 0) return {};
    std::unique_ptr<AnyImage> whole = std::move(part.image);
    parts_.erase(place);
    return whole;
}

void TilePyramid::require_all() const {
    const std::lock_guard lock(mutex_);
    const std::int64_t missing = columns(0) * rows(0) - complete_;
    if (missing > 0)
        throw InvalidArgument(std::to_string(missing) + " tiles of " + quoted(shown_) +
                              " were not written");
}

}  // namespace tesela::io

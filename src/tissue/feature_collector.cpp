#include "tissue/batch.h"
#include "tissue/training.h"

namespace tesela::tissue {

void FeatureCollector::add(const AnyImage& tile) {
    const auto* bytes = std::get_if<Image<std::uint8_t>>(&tile);
    const Shape& shape = shape_of(tile);
    if (!bytes || shape.channels < 3 || shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat("a tile must be a picture of 8-bit colors; this one has " +
                                std::to_string(shape.channels) + " channels of " +
                                std::string(pixel_type_name(pixel_type_of(tile))));
    if (!(shape == shape_) ||
        static_cast<std::int64_t>(pixels_.size()) >= batch_pixels * shape.channels)
        flush();
    shape_ = shape;
    pixels_.insert(pixels_.end(), bytes->pixels().begin(), bytes->pixels().end());
}

void FeatureCollector::flush() {
    if (pixels_.empty()) return;
    const std::int64_t tiles = static_cast<std::int64_t>(pixels_.size()) / shape_.elements();
    const auto batch = queue_.lend(std::span<const std::uint8_t>(pixels_), "tiles");
    const TileCounts counts =
        features_.count(queue_, batch, static_cast<std::int32_t>(shape_.x),
                        static_cast<std::int32_t>(shape_.y), tiles, shape_.channels);
    const std::size_t first = rows_.size(), width = features_.size();
    rows_.resize(first + static_cast<std::size_t>(tiles) * width);
    in_parallel(static_cast<std::size_t>(tiles), 0, [&](std::size_t tile) {
        features_.describe(counts, static_cast<std::int64_t>(tile),
                           std::span(rows_).subspan(first + tile * width, width));
    });
    pixels_.clear();
}

std::vector<double> FeatureCollector::finish() {
    flush();
    return std::move(rows_);
}

}  // namespace tesela::tissue

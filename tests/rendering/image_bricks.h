#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/error.h"
#include "volumes/brick_levels.h"

namespace tesela::testing {

// An image as bricks that only the host decodes.
class ImageBricks : public BrickSource {
  public:
    explicit ImageBricks(const AnyImage& image, bool has_ranges = true,
                         const ValueScaling& scaling = {})
        : image_(image), has_ranges_(has_ranges) {
        facts_.type = facts_.coded_type = pixel_type_of(image);
        facts_.set_levels(shape_of(image), geometry_of(image));
        facts_.scaling = scaling;
    }

    const BrickSourceFacts& facts() const override { return facts_; }
    AnyImage brick(int level, const BrickPlace& place) const override {
        if (damaged.contains(number_of(place)))
            throw UnreadableInput("brick " + std::to_string(place.x) + " is damaged");
        return std::visit(
            [&]<class T>(const Image<T>& image) -> AnyImage {
                const detail::BrickSize size = brick_size(place),
                                        cut = detail::size_at(size, level);
                std::vector<T> voxels;
                for (int z = 0; z < size[2]; ++z)
                    for (int y = 0; y < size[1]; ++y)
                        for (int x = 0; x < size[0]; ++x)
                            voxels.push_back(image(place.x * side + x, place.y * side + y,
                                                   place.z * side + z, 0, place.channel));
                Image<T> made({cut[0], cut[1], cut[2]});
                made.pixels() = detail::coarser_brick<T>(std::move(voxels), size, 0, level, false);
                return made;
            },
            image_);
    }
    BrickCoding coding(const BrickPlace&) const override { return BrickCoding::packed; }
    std::vector<std::uint8_t> chunk(int, const BrickPlace&) const override { return {}; }
    BlockRange block_range(const BrickPlace& place) const override {
        BlockRange range{std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};
        if (!has_ranges_) return {range.highest, range.lowest};
        const Shape& shape = facts_.levels.front();
        const std::array<std::int64_t, 3> at{place.x, place.y, place.z},
            size{shape.x, shape.y, shape.z};
        std::array<std::int64_t, 3> begin{}, end{};
        for (std::size_t a = 0; a < 3; ++a) {
            begin[a] = std::max<std::int64_t>(0, at[a] * block_side - 1);
            end[a] = std::min(size[a], (at[a] + 1) * block_side + 1);
        }
        std::visit(
            [&](const auto& image) {
                for (std::int64_t z = begin[2]; z < end[2]; ++z)
                    for (std::int64_t y = begin[1]; y < end[1]; ++y)
                        for (std::int64_t x = begin[0]; x < end[0]; ++x) {
                            const auto value = static_cast<double>(image(x, y, z));
                            range.lowest = std::fmin(range.lowest, value);
                            range.highest = std::fmax(range.highest, value);
                        }
            },
            image_);
        return range;
    }

    std::set<std::int64_t> damaged;

  private:
    AnyImage image_;
    bool has_ranges_;
    BrickSourceFacts facts_;
};

}  // namespace tesela::testing

// An image in memory as one that is read in boxes.
#pragma once

#include <algorithm>
#include <utility>

#include "tesela/image_parts.h"

namespace tesela::testing {

class Boxes : public VolumeInput {
  public:
    explicit Boxes(AnyImage image) : image_(std::move(image)) {
        facts_.shape = shape_of(image_);
        facts_.type = pixel_type_of(image_);
        facts_.geometry = geometry_of(image_);
        facts_.has_alpha = has_alpha(image_);
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        return std::visit(
            [&](const auto& from) -> AnyImage {
                std::decay_t<decltype(from)> to(
                    Shape{box.length(0), box.length(1), box.length(2), 1, from.shape().channels});
                to.has_alpha = from.has_alpha;
                auto* at = to.data();
                for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
                    for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
                        at = std::copy_n(&from(box.begin[0], y, z),
                                         box.length(0) * from.shape().channels, at);
                return to;
            },
            image_);
    }

  private:
    AnyImage image_;
    VolumeInputFacts facts_;
};

}  // namespace tesela::testing

#include "tesela/volume_quality.h"

#include <algorithm>

#include "core/threads.h"

namespace tesela {

VolumeStrips::VolumeStrips(const Shape& shape) : shape_(shape) {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    rows_ = std::clamp<std::int64_t>(most / (shape.x * shape.channels), 1, shape.y);
    strips_ = (shape.y + rows_ - 1) / rows_;
}

AnyImage VolumeStrips::read(const VolumeInput& input, std::int64_t strip) const {
    const std::int64_t y = strip % strips_ * rows_, slice = strip / strips_, z = slice % shape_.z;
    return input.read({{0, y, z}, {shape_.x, std::min(shape_.y, y + rows_), z + 1}},
                      slice / shape_.z);
}

std::int64_t error_for_psnr_bytes(const VolumeInputFacts& facts, int threads) {
    const VolumeStrips strips(facts.shape);
    const std::int64_t bytes = pixel_type_bytes(facts.type);
    // How often each number of up to 16 bits occurs, in an array of each thread's own and in one
    // map; of others a sum for each strip.
    constexpr std::int64_t count = 8, of_map = 64;
    const std::int64_t numbers = bytes <= 2 ? std::int64_t{1} << 8 * bytes : 0;
    return std::min<std::int64_t>(detail::threads_or_all(threads), strips.count()) *
               (strips.values() * bytes + numbers * count) +
           numbers * of_map + strips.count() * count;
}

}  // namespace tesela

// Samples of a slice of an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tesela/image_view.h"
#include "viewer/server/message.h"

namespace tesela::viewer {

// "u8", "i16", "f32" and so on.
std::string_view short_name(PixelType type);

struct Slice {
    int axis = 2;                     // that it lies across: x, y, z
    std::int64_t index = 0;           // along that axis
    std::int64_t time = 0;            // frame
    std::optional<int> channel = {};  // nothing: all of them
    std::int64_t step = 1;            // 1, 2, 4 or 8
};

// From the query "axis=z&index=40&t=0&channel=0&step=1", each part of which may be left out; index:
// the middle. Throws Refused (400) that names the part for what the image does not have.
Slice slice_of(const Query& query, const Shape& shape);

// As viewer/README.md says. Throws Refused (413) for more samples than a response may have.
Response slice_response(const AnyImageView& image, const Slice& slice, bool accepts_gzip);

}  // namespace tesela::viewer

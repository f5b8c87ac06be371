// Samples of a slice of an image.
#pragma once

#include <array>
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

// Columns and rows of a slice, in samples of it.
struct SlicePart {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
};
// What a slice has of a box of voxels, the last of which are inside; it may be empty.
SlicePart part_of(const Slice& slice, const std::array<std::int64_t, 3>& first,
                  const std::array<std::int64_t, 3>& last);

// As viewer/README.md says; with a part the samples of that alone. Throws Refused (413) for more
// samples than a response may have.
Response slice_response(const AnyImageView& image, const Slice& slice, bool accepts_gzip,
                        const std::optional<SlicePart>& part = {});

}  // namespace tesela::viewer

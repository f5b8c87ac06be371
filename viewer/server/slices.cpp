#include "viewer/server/slices.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>

#include "viewer/server/gzip.h"
#include "viewer/server/query.h"

namespace tesela::viewer {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

// How samples lie in the image and along the slice.
struct Plane {
    std::int64_t width, height;          // of the slice
    std::int64_t column_step, row_step;  // in elements of the image
    std::int64_t first;                  // element
    int channels;                        // of a sample
};

// The axes that columns and rows lie along.
std::array<std::size_t, 2> sides_of(const Slice& slice) {
    return {slice.axis == 0 ? std::size_t{1} : 0, slice.axis == 2 ? std::size_t{1} : 2};
}

Plane plane_of(const Shape& shape, const Slice& slice) {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const std::array<std::int64_t, 3> strides{shape.channels, shape.channels * shape.x,
                                              shape.channels * shape.x * shape.y};
    const std::size_t across = static_cast<std::size_t>(slice.axis);
    const auto [column, row] = sides_of(slice);
    return {.width = (lengths[column] + slice.step - 1) / slice.step,
            .height = (lengths[row] + slice.step - 1) / slice.step,
            .column_step = strides[column] * slice.step,
            .row_step = strides[row] * slice.step,
            .first = slice.time * strides[2] * shape.z + slice.index * strides[across] +
                     slice.channel.value_or(0),
            .channels = slice.channel ? 1 : shape.channels};
}

// What a sample is sent as.
template <class T>
using Sent = std::conditional_t<std::is_same_v<T, double>, float, T>;

template <class T>
std::string samples_of(const PixelView<T>& image, const Plane& plane) {
    const std::int64_t count = plane.width * plane.height * plane.channels;
    std::string bytes(static_cast<std::size_t>(count) * sizeof(Sent<T>), '\0');
    char* to = bytes.data();
    for (std::int64_t row = 0; row < plane.height; ++row) {
        const T* from = image.data() + plane.first + row * plane.row_step;
        if (std::is_same_v<T, Sent<T>> && plane.column_step == plane.channels) {
            const std::size_t length = static_cast<std::size_t>(plane.width * plane.channels);
            std::memcpy(to, from, length * sizeof(T));
            to += length * sizeof(T);
            continue;
        }
        for (std::int64_t column = 0; column < plane.width; ++column, from += plane.column_step)
            for (int c = 0; c < plane.channels; ++c, to += sizeof(Sent<T>)) {
                const auto sample = static_cast<Sent<T>>(from[c]);
                std::memcpy(to, &sample, sizeof sample);
            }
    }
    return bytes;
}

}  // namespace

std::string_view short_name(PixelType type) {
    constexpr std::array<std::string_view, 8> names{"u8",  "i8",  "u16", "i16",
                                                    "u32", "i32", "f32", "f64"};
    return names[static_cast<std::size_t>(type)];
}

Slice slice_of(const Query& query, const Shape& shape) {
    // The revision, of labels that are edited, keeps what a page kept apart; `since` says which it
    // has.
    allow_keys(query, {"axis", "index", "t", "channel", "step", "revision", "since"});
    Slice slice;
    if (const auto axis = query.find("axis"); axis != query.end()) {
        const std::size_t found = axis->second.size() == 1
                                      ? std::string_view("xyz").find(axis->second)
                                      : std::string_view::npos;
        if (found == std::string_view::npos)
            throw Refused(400, "axis: '" + axis->second + "' is not one of x, y, z", "axis");
        slice.axis = static_cast<int>(found);
    }
    const std::int64_t count = std::array{shape.x, shape.y, shape.z}[slice.axis];
    slice.index = index_in(query, "index", count, count / 2);
    slice.time = index_in(query, "t", shape.t, 0);
    if (query.contains("channel"))
        slice.channel = static_cast<int>(index_in(query, "channel", shape.channels, 0));
    slice.step = find_whole(query, "step").value_or(1);
    if (slice.step != 1 && slice.step != 2 && slice.step != 4 && slice.step != 8)
        throw Refused(400, "step is " + std::to_string(slice.step) + "; it must be 1, 2, 4 or 8",
                      "step");
    return slice;
}

SlicePart part_of(const Slice& slice, const std::array<std::int64_t, 3>& first,
                  const std::array<std::int64_t, 3>& last) {
    const auto [column, row] = sides_of(slice);
    const std::int64_t step = slice.step;
    SlicePart part{.left = (first[column] + step - 1) / step,
                   .top = (first[row] + step - 1) / step};
    part.width = std::max<std::int64_t>(last[column] / step - part.left + 1, 0);
    part.height = std::max<std::int64_t>(last[row] / step - part.top + 1, 0);
    return part;
}

Response slice_response(const AnyImageView& image, const Slice& slice, bool accepts_gzip,
                        const std::optional<SlicePart>& part) {
    const Plane plane = plane_of(image.shape(), slice);
    const PixelType type =
        image.pixel_type() == PixelType::f64 ? PixelType::f32 : image.pixel_type();
    if (plane.width * plane.height * plane.channels > most_bytes / pixel_type_bytes(type))
        throw Refused(413, "the slice has more than 64 MiB: ask for every second sample (step=2)",
                      "step");
    Response response{200, "application/octet-stream"};
    response.headers = {{"X-Tesela-Slice",
                         std::to_string(plane.width) + " " + std::to_string(plane.height) + " " +
                             std::string(short_name(type)) + " " + std::to_string(plane.channels)}};
    Plane sent = plane;
    if (part) {
        response.headers.emplace_back("X-Tesela-Slice-Part", std::to_string(part->left) + " " +
                                                                 std::to_string(part->top) + " " +
                                                                 std::to_string(part->width) + " " +
                                                                 std::to_string(part->height));
        sent.width = part->width;
        sent.height = part->height;
        sent.first += part->left * plane.column_step + part->top * plane.row_step;
    }
    response.body = image.visit([&](const auto& pixels) { return samples_of(pixels, sent); });
    pack(response, accepts_gzip);
    return response;
}

}  // namespace tesela::viewer

// Masks that are inverted, combined and applied, and labels that are kept.
#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/morphology/masks.kernel.h"
#include "kernels/morphology/objects.kernel.h"
#include "morphology/mask_values.h"
#include "pixels/same_grid.h"
#include "tesela/mask.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;
using kernels::u8;

void require_one_channel(const Shape& shape) {
    if (shape.channels != 1)
        throw UnsupportedFormat("masks and label maps have one channel; this image has " +
                                std::to_string(shape.channels));
}

template <class T>
T value_as(double value) {
    const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    const auto highest = static_cast<double>(std::numeric_limits<T>::max());
    const bool is_whole = std::is_floating_point_v<T> || value == std::floor(value);
    if (!(value >= lowest && value <= highest && is_whole))
        throw InvalidArgument("--value is " + detail::shown(value) + ", and pixels of " +
                              std::string(pixel_type_name(pixel_type_of<T>())) + " are " +
                              (std::is_floating_point_v<T> ? "" : "whole numbers ") + "from " +
                              detail::shown(lowest) + " to " + detail::shown(highest));
    return static_cast<T>(value);
}

int colors_of(const Shape& shape, bool has_alpha) { return shape.channels - (has_alpha ? 1 : 0); }

template <class T>
const auto& apply_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::masks_apply_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::masks_apply_u16;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return kernels::masks_apply_i16;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return kernels::masks_apply_u32;
    else
        return kernels::masks_apply_f32;
}

template <class T>
Buffer<T> kept_in(const Buffer<const T>& values, const Buffer<u32>& numbers,
                  const std::vector<LabelRange>& ranges, Queue& queue) {
    std::vector<u32> words;
    for (const auto& [first, last] : ranges) words.insert(words.end(), {first, last});
    const auto table = queue.upload(std::span<const u32>(words), "labels that stay");
    const Range points{values.size()};
    auto kept = queue.allocate<u8>(points.x, "points that stay");
    queue.launch(kernels::objects_in_ranges, points, numbers, table, kept,
                 static_cast<i32>(ranges.size()));
    auto result = queue.allocate<T>(points.x, "labels");
    if constexpr (std::is_same_v<T, u8>)
        queue.launch(kernels::objects_apply_u8, points, values, kept, result);
    else
        queue.launch(kernels::objects_apply_u32, points, values, kept, result);
    return result;
}

}  // namespace

std::vector<LabelRange> parse_labels(std::string_view text) {
    const auto refuse = [&] {
        return InvalidArgument("'" + std::string(text) +
                               "' is no list of labels: write numbers and ranges from 1 on, such "
                               "as 1,3,5-8");
    };
    std::vector<LabelRange> ranges;
    const char* at = text.data();
    const char* end = at + text.size();
    const auto number = [&] {
        u32 value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{} || value == 0) throw refuse();
        at = next;
        return value;
    };
    do {
        if (!ranges.empty()) ++at;  // a comma
        const u32 first = number();
        u32 last = first;
        if (at != end && *at == '-') {
            ++at;
            last = number();
        }
        if (last < first || (at != end && *at != ',')) throw refuse();
        ranges.emplace_back(first, last);
    } while (at != end);
    return ranges;
}

template <class T>
DeviceImage<T> keep_labels(const DeviceImage<const T>& image, const std::vector<LabelRange>& ranges,
                           Queue& queue) {
    require_one_channel(image.shape);
    if (ranges.empty()) throw InvalidArgument("no label is given to be kept");
    const Range points{image.shape.points()};
    auto numbers = queue.allocate<u32>(points.x, "labels");
    if constexpr (std::is_same_v<T, u8>)
        queue.launch(kernels::objects_widen, points, image.pixels, numbers);
    else
        queue.copy(image.pixels, numbers);
    return {kept_in<T>(image.pixels, numbers, ranges, queue), image.shape, image.geometry};
}
template DeviceImage<u8> keep_labels(const DeviceImage<const u8>&, const std::vector<LabelRange>&,
                                     Queue&);
template DeviceImage<u32> keep_labels(const DeviceImage<const u32>&, const std::vector<LabelRange>&,
                                      Queue&);

AnyImage keep_labels(const AnyImageView& image, const std::vector<LabelRange>& ranges,
                     Queue& queue) {
    require_one_channel(image.shape());
    return image.visit([&]<class T>(const PixelView<T>& typed) -> AnyImage {
        const auto kept = [&]<class Value>(std::span<const Value> values) {
            const DeviceImage<const Value> lent{queue.lend(values, "labels"), typed.shape(),
                                                typed.geometry};
            const std::vector<Value> found =
                queue.download(keep_labels(lent, ranges, queue).pixels);
            Image<T> result(typed.shape(), typed.geometry);
            std::transform(found.begin(), found.end(), result.pixels().begin(),
                           [](Value v) { return static_cast<T>(v); });
            return result;
        };
        if constexpr (std::is_same_v<T, u8> || std::is_same_v<T, u32>)
            return kept(typed.pixels());
        else
            return kept(std::span<const u32>(labels_of(typed)));
    });
}

Image<std::uint8_t> invert_mask(const AnyImageView& mask) {
    require_one_channel(mask.shape());
    return mask.visit([]<class T>(const PixelView<T>& typed) {
        Image<u8> inverse(typed.shape(), typed.geometry);
        std::transform(typed.pixels().begin(), typed.pixels().end(), inverse.pixels().begin(),
                       [](T v) -> u8 { return v != T{} ? 0 : 255; });
        return inverse;
    });
}
template <class T>
DeviceImage<std::uint8_t> invert_mask(const DeviceImage<const T>& mask, Queue& queue) {
    require_one_channel(mask.shape);
    DeviceImage<u8> inverse{queue.allocate<u8>(mask.shape.points(), "inverse mask"), mask.shape,
                            mask.geometry};
    const Range points{mask.shape.points()};
    if constexpr (std::is_same_v<T, u8>)
        queue.launch(kernels::objects_invert_u8, points, mask.pixels, inverse.pixels);
    else
        queue.launch(kernels::objects_invert_u32, points, mask.pixels, inverse.pixels);
    return inverse;
}
template DeviceImage<u8> invert_mask(const DeviceImage<const u8>&, Queue&);
template DeviceImage<u8> invert_mask(const DeviceImage<const u32>&, Queue&);

AnyImage apply_mask(const AnyImageView& image, const PixelView<std::uint8_t>& mask,
                    const ApplyMaskOptions& options) {
    require_mask_of(image.shape(), mask.shape());
    return image.visit([&]<class T>(const PixelView<T>& typed) -> AnyImage {
        const T value = value_as<T>(options.value);
        Image<T> result(typed.shape(), typed.geometry);
        result.has_alpha = typed.has_alpha;
        const auto channels = static_cast<std::size_t>(typed.shape().channels);
        const auto colors = static_cast<std::size_t>(colors_of(typed.shape(), typed.has_alpha));
        const std::span<const u8> inside = mask.pixels();
        for (std::size_t i = 0; i < inside.size(); ++i) {
            const bool is_set = (inside[i] == 0) != options.inverse;
            for (std::size_t c = 0; c < channels; ++c) {
                const std::size_t at = i * channels + c;
                result.pixels()[at] = is_set && c < colors ? value : typed.pixels()[at];
            }
        }
        return result;
    });
}
template <class T>
DeviceImage<T> apply_mask(const DeviceImage<const T>& image,
                          const DeviceImage<const std::uint8_t>& mask,
                          const ApplyMaskOptions& options, Queue& queue) {
    require_mask_of(image.shape, mask.shape);
    const T value = value_as<T>(options.value);
    DeviceImage<T> result{queue.allocate<T>(image.shape.elements(), "masked image"), image.shape,
                          image.geometry, image.has_alpha};
    queue.launch(apply_kernel<T>(), Range{image.shape.points()}, image.pixels, mask.pixels,
                 result.pixels, value, i32{options.inverse ? 0 : 1}, i32{image.shape.channels},
                 i32{colors_of(image.shape, image.has_alpha)});
    return result;
}
#define TESELA_INSTANTIATE(T)                                                  \
    template DeviceImage<T> apply_mask(const DeviceImage<const T>&,            \
                                       const DeviceImage<const std::uint8_t>&, \
                                       const ApplyMaskOptions&, Queue&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

AnyImage unite_masks(const AnyImageView& image, const PixelView<std::uint8_t>& mask) {
    require_one_channel(image.shape());
    require_mask_of(image.shape(), mask.shape());
    return image.visit([&]<class T>(const PixelView<T>& typed) -> AnyImage {
        const auto value = value_of_mask(typed.pixels());
        if (!value)
            throw InvalidArgument(
                "the first image is no mask: it has several values besides 0; make one with "
                "'tesela threshold range' or 'tesela mask keep'");
        const bool is_empty =
            std::all_of(typed.pixels().begin(), typed.pixels().end(), [](T v) { return v == T{}; });
        const T on = is_empty && std::is_same_v<T, u8> ? static_cast<T>(255) : *value;
        Image<T> result(typed.shape(), typed.geometry);
        std::transform(typed.pixels().begin(), typed.pixels().end(), mask.pixels().begin(),
                       result.pixels().begin(),
                       [on](T a, u8 b) { return a != T{} || b != 0 ? on : T{}; });
        return result;
    });
}

}  // namespace tesela

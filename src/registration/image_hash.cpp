#include "registration/image_hash.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/fingerprint.h"
#include "tesela/options.h"

namespace tesela {

bool is_constant(const AnyImage& image) {
    return std::visit(
        [](const auto& pixels) {
            const auto& values = pixels.pixels();
            return std::all_of(values.begin(), values.end(),
                               [&](const auto& value) { return value == values.front(); });
        },
        image);
}

std::string pixels_hash(const AnyImage& image) {
    detail::Fingerprint hash;
    std::visit(
        [&](const auto& pixels) {
            const auto bytes = std::as_bytes(std::span(pixels.pixels()));
            hash.add({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
        },
        image);
    const Shape& shape = shape_of(image);
    std::string text = std::string(pixel_type_name(pixel_type_of(image)));
    for (const std::int64_t length : {shape.x, shape.y, std::int64_t{shape.channels}})
        text += " " + std::to_string(length);
    if (has_alpha(image)) text += " alpha";
    hash.add(text);
    return hash.text();
}

std::string image_hash(const std::string& pixels, const Geometry& geometry) {
    detail::Fingerprint hash;
    std::string text = pixels;
    const auto add = [&](const auto& numbers) {
        for (const double number : numbers) text += " " + detail::shown(number);
    };
    if (geometry.known()) {
        add(geometry.spacing_mm());
        add(geometry.origin);
        add(geometry.direction);
    }
    hash.add(text);
    return hash.text();
}

}  // namespace tesela

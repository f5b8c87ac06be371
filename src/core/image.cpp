#include "tesela/image.h"

#include <array>
#include <limits>
#include <string>

namespace tesela {
namespace {

struct PixelTypeFacts {
    std::string_view name;
    int bytes;
};
// In the order of PixelType.
constexpr std::array<PixelTypeFacts, 8> facts{{{"uint8", 1},
                                               {"int8", 1},
                                               {"uint16", 2},
                                               {"int16", 2},
                                               {"uint32", 4},
                                               {"int32", 4},
                                               {"float32", 4},
                                               {"float64", 8}}};

}  // namespace

void validate(const Shape& s) {
    constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
    std::int64_t elements = s.channels;
    bool valid = s.channels > 0;
    for (const std::int64_t length : {s.x, s.y, s.z, s.t}) {
        valid = valid && length > 0 && length <= longest &&
                elements <= std::numeric_limits<std::int64_t>::max() / length;
        if (valid) elements *= length;
    }
    if (!valid)
        throw InvalidArgument("an image of " + std::to_string(s.x) + " x " + std::to_string(s.y) +
                              " x " + std::to_string(s.z) + " x " + std::to_string(s.t) + " with " +
                              std::to_string(s.channels) +
                              " channels cannot be: every axis needs 1 to 2147483647 points");
}

std::string_view pixel_type_name(PixelType type) { return facts[static_cast<int>(type)].name; }
int pixel_type_bytes(PixelType type) { return facts[static_cast<int>(type)].bytes; }

PixelType parse_pixel_type(std::string_view name) {
    std::string choices;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (facts[i].name == name) return static_cast<PixelType>(i);
        choices += (i ? ", " : "") + std::string(facts[i].name);
    }
    throw InvalidArgument("'" + std::string(name) + "' is not a pixel type: one of " + choices);
}

const Shape& shape_of(const AnyImage& image) {
    return std::visit([](const auto& i) -> const Shape& { return i.shape(); }, image);
}
const Geometry& geometry_of(const AnyImage& image) {
    return std::visit([](const auto& i) -> const Geometry& { return i.geometry; }, image);
}
Geometry& geometry_of(AnyImage& image) {
    return std::visit([](auto& i) -> Geometry& { return i.geometry; }, image);
}
PixelType pixel_type_of(const AnyImage& image) { return static_cast<PixelType>(image.index()); }
bool has_alpha(const AnyImage& image) {
    return std::visit([](const auto& i) { return i.has_alpha; }, image);
}

}  // namespace tesela

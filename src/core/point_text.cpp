#include "core/point_text.h"

namespace tesela {

std::string point_text(const Shape& shape, std::int64_t point) {
    std::string text =
        "x " + std::to_string(point % shape.x) + ", y " + std::to_string(point / shape.x % shape.y);
    if (shape.z > 1) text += ", z " + std::to_string(point / (shape.x * shape.y) % shape.z);
    if (shape.t > 1) text += ", t " + std::to_string(point / (shape.x * shape.y * shape.z));
    return text;
}

std::string size_text(const Shape& shape) {
    std::string text = std::to_string(shape.x) + " x " + std::to_string(shape.y);
    if (shape.z > 1 || shape.t > 1) text += " x " + std::to_string(shape.z);
    if (shape.t > 1) text += " x " + std::to_string(shape.t);
    return text;
}

}  // namespace tesela

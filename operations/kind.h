// What an input or output is. Each kind stands beside the type of its values in
// `operations/kinds/`; a family that brings another kind adds a header there, and the program says
// once how it is read and written.
#pragma once

#include <optional>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "operations/image_value.h"

namespace tesela::operations {

// By its name for users.
struct Kind {
    std::string_view name = {};
    const std::type_info* value = nullptr;   // type of a value
    const std::type_info* values = nullptr;  // of those of an input that takes several
    std::optional<PixelType> pixels = {};    // of images that have a certain one

    friend constexpr bool operator==(const Kind& a, const Kind& b) { return a.name == b.name; }
};

// Values are of type T; an input that takes several has a vector of `Each`.
template <class T, class Each = T>
constexpr Kind kind_of(std::string_view name) {
    return {name, &typeid(T), &typeid(std::vector<Each>)};
}
constexpr Kind image_kind(std::string_view name, std::optional<PixelType> pixels = {}) {
    Kind kind = kind_of<ImageValue>(name);
    kind.pixels = pixels;
    return kind;
}

}  // namespace tesela::operations

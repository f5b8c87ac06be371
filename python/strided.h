// Arrays of others as they describe themselves: elements, and their places by axes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "python/objects.h"
#include "tesela/image.h"

namespace tesela::python {

// Sets Python's error.
[[noreturn]] void throw_type_error(const std::string& sentence);

enum class Numbers { logical, natural, whole, floating };

struct Element {
    Numbers numbers = Numbers::natural;
    std::int64_t bytes = 1;
    bool is_foreign = false;  // of the other byte order

    std::string name() const;
};

Element element_of(PixelType type);
// That of images. Throws PythonError for elements that no image has.
PixelType pixel_type_of(const Element& element);

// Elements by the axes t, z, y, x and channel; strides in bytes.
struct Strided {
    using Axes = std::array<std::int64_t, 5>;

    const char* first = nullptr;
    Axes lengths{1, 1, 1, 1, 1}, strides{};
    Element element;

    Shape shape() const {
        return {lengths[3], lengths[2], lengths[1], lengths[0], static_cast<int>(lengths[4])};
    }
    // Whether they lie one behind the other, as the machine takes them.
    bool is_in_place() const;
};

// `axes` names each of the axes: t, z, y, x or c. Throws InvalidArgument for other letters and
// another number of them.
Strided strided(const void* first, const Element& element, int ndim, const std::int64_t* shape,
                const std::int64_t* strides, std::string_view axes);
// Where the axes of a dense image of the shape are: their lengths, and strides in elements.
struct Layout {
    std::array<std::int64_t, 5> shape{}, strides{};
};
Layout layout_of(const Shape& shape, std::string_view axes);

// Calls `work` with a value of the C++ type of the elements.
template <class Work>
auto with_element(const Element& element, const Work& work) {
    const bool is_signed = element.numbers == Numbers::whole;
    if (element.numbers == Numbers::floating) {
        if (element.bytes == 4) return work(float{});
        if (element.bytes == 8) return work(double{});
    } else {
        switch (element.bytes) {
            case 1:
                return is_signed ? work(std::int8_t{}) : work(std::uint8_t{});
            case 2:
                return is_signed ? work(std::int16_t{}) : work(std::uint16_t{});
            case 4:
                return is_signed ? work(std::int32_t{}) : work(std::uint32_t{});
            case 8:
                return is_signed ? work(std::int64_t{}) : work(std::uint64_t{});
            default:
                break;
        }
    }
    throw_type_error("pixels of " + element.name() + " are not taken: convert them to float32");
}

}  // namespace tesela::python

#include "inputs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "tesela/error.h"

namespace tesela::bench {
namespace {

// The header names type and axes: "uint8 512 512 1 3". Empty where there is no such file.
std::optional<Image<std::uint8_t>> read_raw(const std::filesystem::path& folder,
                                            const std::string& name) {
    std::ifstream header(folder / (name + ".txt"));
    std::string type;
    Shape shape;
    if (!(header >> type >> shape.x >> shape.y >> shape.z >> shape.channels)) return std::nullopt;
    if (type != "uint8") throw UnsupportedFormat(name + ".txt: pixels are not uint8");
    Image<std::uint8_t> image(shape);
    std::ifstream raw(folder / (name + ".raw"), std::ios::binary);
    if (!raw.read(reinterpret_cast<char*>(image.data()), shape.elements()))
        throw UnreadableInput((folder / (name + ".raw")).string() +
                              " is shorter than its header says");
    return image;
}

}  // namespace

std::filesystem::path input_folder() {
    const char* images = std::getenv("TESELA_IMAGES");
    return images ? images : ".";
}

Image<std::uint8_t> made_picture(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
        const std::int64_t point = i / shape.channels;
        const std::int64_t x = point % shape.x, y = point / shape.x % shape.y;
        const std::int64_t patch = x / 40 * 7 + y / 40 * 13 + i % shape.channels * 5;
        state = state * 1664525u + 1013904223u;
        image.pixels()[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(patch * 29 % 200 + (state >> 24) % 16);
    }
    return image;
}

Picture load_picture(const std::filesystem::path& folder, const std::string& name,
                     const Shape& otherwise) {
    if (auto image = read_raw(folder, name)) return {name, std::move(*image)};
    std::printf("%s: not in '%s', a made picture of its size instead\n", name.c_str(),
                folder.string().c_str());
    return {name + " (made)", made_picture(otherwise)};
}

Pictures load_pictures() {
    const auto folder = input_folder();
    return {load_picture(folder, "astronaut", {512, 512, 1, 1, 3}),
            load_picture(folder, "ch2", {181, 217, 181})};
}

std::string size_text(const Shape& shape) {
    std::string text = std::to_string(shape.x) + "x" + std::to_string(shape.y);
    for (const std::int64_t length : {shape.z, shape.t})
        if (length > 1) text += "x" + std::to_string(length);
    return text;
}

std::uint64_t next_random(std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 40;
}

Image<std::uint8_t> repeated(const Image<std::uint8_t>& image, const Shape& shape) {
    const Shape& from = image.shape();
    Image<std::uint8_t> to(shape);
    const std::int64_t channels = from.channels;
    auto pixel = to.pixels().begin();
    for (std::int64_t row = 0; row < shape.y * shape.z; ++row) {
        const std::int64_t from_row = row / shape.y % from.z * from.y + row % shape.y % from.y;
        for (std::int64_t x = 0; x < shape.x; ++x) {
            const std::uint8_t* point = image.data() + (from_row * from.x + x % from.x) * channels;
            pixel = std::copy(point, point + channels, pixel);
        }
    }
    return to;
}

}  // namespace tesela::bench

// Writes a picture with the installed library and reads it back.
#include <filesystem>
#include <iostream>

#include "tesela/io.h"

int main() {
    tesela::Image<std::uint8_t> image(tesela::Shape{5, 3});
    image(4, 2) = 200;
    const std::filesystem::path path = "consumer.png";
    tesela::io::write_image(image, path, {.overwrite = true});
    const auto read = tesela::io::read_image(path);
    const bool same = std::get<tesela::Image<std::uint8_t>>(read.image).pixels() == image.pixels();
    std::cout << read.format << ": " << (same ? "the same pixels" : "other pixels") << '\n';
    return same ? 0 : 1;
}

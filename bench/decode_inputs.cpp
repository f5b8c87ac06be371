// tesela_decode_inputs FOLDER IMAGE...: writes each image as NAME.raw (numbers as the file stores
// them) and NAME.txt ("uint8 512 512 1 3": type, x, y, z, channels), which benchmarks read on
// machines that have no image libraries.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <variant>

#include "tesela/error.h"
#include "tesela/io.h"

namespace {

void write_raw(const std::filesystem::path& folder, const std::filesystem::path& file) {
    const tesela::AnyImage image = tesela::io::read_image(file, {.stored = true}).image;
    std::filesystem::path name = file.filename();
    while (name.has_extension()) name = name.stem();
    const tesela::Shape& shape = tesela::shape_of(image);
    std::ofstream header(folder / (name.string() + ".txt"));
    header << tesela::pixel_type_name(tesela::pixel_type_of(image)) << ' ' << shape.x << ' '
           << shape.y << ' ' << shape.z << ' ' << shape.channels << '\n';
    std::ofstream raw(folder / (name.string() + ".raw"), std::ios::binary);
    std::visit(
        [&](const auto& typed) {
            raw.write(reinterpret_cast<const char*>(typed.data()),
                      static_cast<std::streamsize>(typed.pixels().size() * sizeof(*typed.data())));
        },
        image);
    if (!header.flush() || !raw.flush())
        throw tesela::UnwritableOutput("cannot write to '" + folder.string() + "'");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: tesela_decode_inputs FOLDER IMAGE...\n");
        return 2;
    }
    try {
        std::filesystem::create_directories(argv[1]);
        for (int i = 2; i < argc; ++i) write_raw(argv[1], argv[i]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

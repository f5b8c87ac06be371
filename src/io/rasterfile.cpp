// Gray Sun rasterfiles (rasterfile.h of SunOS 4: eight 32-bit integers), in which Barron, Fleet and
// Beauchemin have their sequences.
#include <array>

#include "core/point_text.h"
#include "io/flow.h"

namespace tesela::io {
namespace {

struct Rasterfile {
    std::uint32_t magic, width, height, depth, length, type, map_type, map_length;
};
constexpr std::uint32_t raster_magic = 0x59a66a95;
constexpr std::uint32_t raster_old = 0, raster_standard = 1;  // both are plain pixels

// Where the pixels are.
struct Layout {
    std::int64_t width = 0, height = 0, row_bytes = 0;
};

// In the order of bytes of either kind of machine.
std::optional<Rasterfile> raster_header(const InputFile& file) {
    std::array<std::uint32_t, 8> words{};
    if (file.size() < static_cast<std::int64_t>(sizeof words)) return {};
    for (const std::endian order : {std::endian::big, std::endian::little}) {
        file.read(0, {reinterpret_cast<std::uint8_t*>(words.data()), sizeof words});
        convert_words(words.data(), words.size(), order);
        if (words[0] == raster_magic)
            return Rasterfile{words[0], words[1], words[2], words[3],
                              words[4], words[5], words[6], words[7]};
    }
    return {};
}

// Rows of a rasterfile fill whole 16-bit words. Barron's programs write, and read, rows that do
// not: which of the two it is, the file's size tells.
Layout layout_of(const InputFile& file, const Rasterfile& raster) {
    const bool plain = raster.type == raster_old || raster.type == raster_standard;
    if (raster.depth != 8 || !plain || raster.map_length != 0)
        throw unsupported(file.path(),
                          "a Sun rasterfile is taken with 8 bits a pixel, not compressed and "
                          "without a color map");
    const std::int64_t width = raster.width, height = raster.height;
    const std::int64_t held = file.size() - static_cast<std::int64_t>(sizeof(Rasterfile));
    for (const std::int64_t row_bytes : {width, width + width % 2})
        if (width > 0 && height > 0 && held % row_bytes == 0 && held / row_bytes == height)
            return {width, height, row_bytes};
    throw unreadable(file.path(), "the header claims " + size_text({width, height}) +
                                      " pixels, which are not the " + std::to_string(held) +
                                      " bytes that follow it");
}

}  // namespace

bool is_rasterfile(const InputFile& file) { return raster_header(file).has_value(); }

ReadResult read_rasterfile(const InputFile& file, const DecodeOptions& options) {
    const Layout layout = layout_of(file, raster_header(file).value());
    const Shape shape{layout.width, layout.height};
    ReadResult result{allocate(file.path(), PixelType::u8, shape, options), "Sun raster", {}};
    auto& image = std::get<Image<std::uint8_t>>(result.image);
    for (std::int64_t y = 0; y < layout.height; ++y)
        file.read(static_cast<std::int64_t>(sizeof(Rasterfile)) + y * layout.row_bytes,
                  {image.data() + y * layout.width, static_cast<std::size_t>(layout.width)});
    return result;
}

}  // namespace tesela::io

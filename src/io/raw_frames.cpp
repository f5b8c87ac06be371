// Raw 8-bit pixels, and gray Sun rasterfiles (rasterfile.h of SunOS 4: eight 32-bit integers).
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

// What the frames of a file are, one behind the other.
struct Layout {
    std::int64_t width = 0, height = 0, row_bytes = 0, offset = 0, frames = 0;
};

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
Layout raster_layout(const InputFile& file, const Rasterfile& raster) {
    const bool plain = raster.type == raster_old || raster.type == raster_standard;
    if (raster.depth != 8 || !plain || raster.map_length != 0)
        throw unsupported(file.path(),
                          "a Sun rasterfile is taken with 8 bits a pixel, not compressed and "
                          "without a color map");
    const std::int64_t width = raster.width, height = raster.height;
    const std::int64_t held = file.size() - static_cast<std::int64_t>(sizeof(Rasterfile));
    for (const std::int64_t row_bytes : {width, width + width % 2})
        if (width > 0 && height > 0 && held % row_bytes == 0 && held / row_bytes == height)
            return {width, height, row_bytes, sizeof(Rasterfile), 1};
    throw unreadable(file.path(), "the header claims " + size_text({width, height}) +
                                      " pixels, which are not the " + std::to_string(held) +
                                      " bytes that follow it");
}

Layout plain_layout(const InputFile& file, const RawFrameSize& size) {
    const std::int64_t frame_bytes = size.width * size.height;
    if (file.size() % frame_bytes != 0)
        throw unreadable(file.path(), "its " + std::to_string(file.size()) +
                                          " bytes are not whole frames of " +
                                          size_text({size.width, size.height}) + " pixels");
    return {size.width, size.height, size.width, 0, file.size() / frame_bytes};
}

Layout layout_of(const InputFile& file, const RawFrameSize& size) {
    const bool given = size.width != 0 || size.height != 0;
    if (given) validate(Shape{size.width, size.height});
    if (const auto raster = raster_header(file)) {
        const Layout layout = raster_layout(file, *raster);
        if (given && (layout.width != size.width || layout.height != size.height))
            throw InvalidArgument(quoted(file.path()) + " holds a frame of " +
                                  size_text({layout.width, layout.height}) + " pixels, not of " +
                                  size_text({size.width, size.height}));
        return layout;
    }
    if (!given)
        throw InvalidArgument(quoted(file.path()) +
                              " has no header: the width and height of its frames are needed");
    return plain_layout(file, size);
}

}  // namespace

std::vector<Image<std::uint8_t>> read_raw_frames(const fs::path& path, const RawFrameSize& size,
                                                 const ReadOptions& options) {
    std::vector<Image<std::uint8_t>> frames;
    with_memory_guard(path, [&] {
        const InputFile file(path);
        const Layout layout = layout_of(file, size);
        constexpr std::int64_t frame_overhead = sizeof(Image<std::uint8_t>);
        require_memory(path, file.size() + layout.frames * frame_overhead, options.max_bytes);
        for (std::int64_t i = 0; i < layout.frames; ++i) {
            Image<std::uint8_t> frame({layout.width, layout.height});
            for (std::int64_t y = 0; y < layout.height; ++y)
                file.read(
                    layout.offset + (i * layout.height + y) * layout.row_bytes,
                    {frame.data() + y * layout.width, static_cast<std::size_t>(layout.width)});
            frames.push_back(std::move(frame));
        }
    });
    return frames;
}

}  // namespace tesela::io

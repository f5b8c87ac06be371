// Slides made of copies of one picture, each tile of which is in the file once.
#include "io/ome_tiff.h"
#include "io/tile_codec.h"

namespace tesela::io {
namespace {

// Half as large, or four copies of that where less than a tile would be left.
AnyImage next_cell(const AnyImage& cell, std::int64_t tile, bool labels) {
    const AnyImage half = halved(cell, labels);
    const std::int64_t side = shape_of(half).x;
    if (side >= tile) return half;
    AnyImage four = filled_image(pixel_type_of(cell), shape_of(cell));
    for (const std::int64_t y : {std::int64_t{0}, side})
        for (const std::int64_t x : {std::int64_t{0}, side})
            copy_box(half, {0, 0, side, side}, four, x, y);
    return four;
}

// Writes the tiles of `cell` and lets all of the level's tiles point at them.
void store_cell(const AnyImage& cell, const SlideWriteOptions& options, BigTiff& file,
                StoredLevel& level) {
    const std::int64_t tile = options.tile, across = shape_of(cell).x / tile;
    const std::int64_t columns = (level.width + tile - 1) / tile;
    const std::int64_t rows = (level.height + tile - 1) / tile;
    for (std::int64_t y = 0; y < std::min(across, rows); ++y)
        for (std::int64_t x = 0; x < std::min(across, columns); ++x) {
            const std::vector<std::uint8_t> bytes =
                encode_tile(part_of(cell, {x * tile, y * tile, tile, tile}), options.compression,
                            options.quality);
            const std::uint64_t place = file.append(std::span(bytes));
            for (std::int64_t row = y; row < rows; row += across)
                for (std::int64_t column = x; column < columns; column += across) {
                    const auto index = static_cast<std::size_t>(row * columns + column);
                    level.offsets[index] = place;
                    level.bytes[index] = bytes.size();
                }
        }
}

void check_cell(const AnyImage& cell, std::int64_t tile) {
    const Shape& shape = shape_of(cell);
    std::int64_t side = shape.x;
    while (side > tile && side % 2 == 0) side /= 2;
    if (shape.dimensions() != 2 || shape.x != shape.y || side != tile)
        throw InvalidArgument("a picture of " + std::to_string(shape.x) + " x " +
                              std::to_string(shape.y) +
                              " pixels cannot be repeated; its sides are a tile's of " +
                              std::to_string(tile) + " times a power of two");
}

}  // namespace

void write_repeated_slide(const AnyImage& picture, std::int64_t width, std::int64_t height,
                          const fs::path& path, const SlideWriteOptions& options) {
    with_memory_guard(path, [&] {
        const SlideForm form{pixel_type_of(picture),
                             {width, height, 1, 1, shape_of(picture).channels},
                             geometry_of(picture),
                             has_alpha(picture)};
        const SlideWriteOptions complete = checked(path, form, options);
        check_cell(picture, complete.tile);
        Staging staging({path}, complete.overwrite);
        OutputFile out(staging.staged(), path);
        BigTiff file(out);
        std::vector<StoredLevel> levels = stored_levels(form.shape, complete);
        AnyImage current = picture;
        for (StoredLevel& level : levels) {
            if (&level != &levels.front())
                current = next_cell(current, complete.tile, complete.labels);
            store_cell(current, complete, file, level);
        }
        finish_ome_tiff(file, form, complete, levels);
        staging.commit();
    });
}

}  // namespace tesela::io

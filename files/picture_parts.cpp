#include "files/picture_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/threads.h"
#include "tesela/io.h"
#include "tesela/slide_io.h"

namespace tesela::files {
namespace {

namespace fs = std::filesystem;
using operations::PictureParts;

constexpr std::int64_t stored_tile = 256;

// The box of a tile by its number: strip by strip of neighboring columns, each row by row.
class TileWalk {
  public:
    explicit TileWalk(const Shape& shape)
        : shape_(shape), columns_(cells(shape.x)), rows_(cells(shape.y)) {}

    std::int64_t count() const { return columns_ * rows_; }
    std::pair<std::int64_t, std::int64_t> cell(std::int64_t index) const {
        const std::int64_t strip = index / (strip_columns * rows_);
        const std::int64_t first = strip * strip_columns;
        const std::int64_t width = std::min(strip_columns, columns_ - first);
        const std::int64_t within = index - first * rows_;
        return {first + within % width, within / width};
    }
    TileBox box(std::int64_t column, std::int64_t row) const {
        const std::int64_t x = column * stored_tile, y = row * stored_tile;
        return {x, y, std::min(stored_tile, shape_.x - x), std::min(stored_tile, shape_.y - y)};
    }

  private:
    static std::int64_t cells(std::int64_t length) {
        return (length + stored_tile - 1) / stored_tile;
    }

    Shape shape_;
    std::int64_t columns_, rows_;
};

void for_each_part(std::int64_t count, int threads, const Progress& progress,
                   const std::function<void(std::int64_t)>& work) {
    detail::for_each_index(count, threads, work, [&](std::int64_t done) {
        progress.report(static_cast<double>(done) / static_cast<double>(count), "write");
    });
}

void write_tiles(const PictureParts& picture, const fs::path& path, TileCompression compression,
                 int threads, const Progress& progress) {
    const SlideWriteOptions how{
        .tile = stored_tile, .compression = compression, .strip = strip_columns};
    const auto writer = io::is_ome_zarr_name(path) ? io::create_ome_zarr(path, picture.form, how)
                                                   : io::create_ome_tiff(path, picture.form, how);
    const TileWalk walk(picture.form.shape);
    for_each_part(walk.count(), threads, progress, [&](std::int64_t index) {
        const auto [column, row] = walk.cell(index);
        writer->write(column, row, picture.read(walk.box(column, row)));
    });
    writer->finish();
}

void require_room(const SlideForm& form, std::int64_t room, const fs::path& path,
                  std::string_view picture) {
    const std::int64_t bytes = form.shape.elements() * pixel_type_bytes(form.type);
    if (room > 0 && bytes > room)
        throw OutOfMemory(
            fmt::format("{} {} x {} pixels takes {} bytes of memory for '{}', and {} are left; "
                        "name a .ome.tif, which is written tile by tile",
                        picture, form.shape.x, form.shape.y, bytes, path.filename().string(), room),
            bytes, room);
}

void write_whole(const PictureParts& picture, const fs::path& path, int threads,
                 const Progress& progress) {
    const SlideForm& form = picture.form;
    AnyImage image = filled_image(form.type, form.shape);
    geometry_of(image) = form.geometry;
    std::visit([&](auto& pixels) { pixels.has_alpha = form.has_alpha; }, image);
    constexpr std::int64_t rows = 128;
    for_each_part((form.shape.y + rows - 1) / rows, threads, progress, [&](std::int64_t part) {
        const TileBox box{0, part * rows, form.shape.x, std::min(rows, form.shape.y - part * rows)};
        copy_box(picture.read(box), {0, 0, box.width, box.height}, image, 0, box.y);
    });
    io::write_image(image, path);
}

// A pixel of these, to see whether the format has a place for them.
void probe(const SlideForm& form, const fs::path& path) {
    AnyImage sample = filled_image(form.type, {1, 1, 1, 1, form.shape.channels});
    geometry_of(sample) = form.geometry;
    std::visit([&](auto& pixels) { pixels.has_alpha = form.has_alpha; }, sample);
    io::write_image(sample, path, {.is_sample = true});
}

}  // namespace

operations::WritePictureAs picture_writer(const fs::path& path, std::int64_t room) {
    if (io::is_ome_tiff_name(path) || io::is_ome_zarr_name(path))
        return {[path](const PictureParts& picture, TileCompression compression, int threads,
                       const Progress& progress) {
                    write_tiles(picture, path, compression, threads, progress);
                },
                [](const SlideForm&) {}, true};
    return {[path, room](const PictureParts& picture, TileCompression, int threads,
                         const Progress& progress) {
                require_room(picture.form, room, path, "the picture of");
                write_whole(picture, path, threads, progress);
            },
            [path, room](const SlideForm& least) {
                require_room(least, room, path, "a picture of at least");
                probe(least, path);
            }};
}

}  // namespace tesela::files

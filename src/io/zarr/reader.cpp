// OME-Zarr as whole images and as slides.
#include <algorithm>
#include <limits>

#include "io/ome_zarr.h"
#include "io/plane_choice.h"
#include "io/zarr/cached_chunks.h"
#include "io/zarr/metadata.h"
#include "io/zarr/ome_image.h"
#include "tesela/volume_io.h"

namespace tesela::io {
namespace {

using namespace zarr;

// As an image of this type, whose pixels are there.
void fill_image(const Store& store, const Array& array, const Box& box, AnyImage& image,
                int threads) {
    if (read_box(store, array, box, image, threads)) return;
    throw unsupported(store.path(), "it holds 64-bit integers that do not fit into 32 bits");
}

// 64-bit integers that fit into no signed ones of 32 bits may fit into unsigned ones.
AnyImage read_part(const Store& store, const Array& array, const Box& box, const Shape& shape,
                   const DecodeOptions& options, std::int64_t work) {
    const bool is_wide = array.type == NumberType::i64 || array.type == NumberType::u64;
    const PixelType type = is_wide ? PixelType::i32 : array.pixel_type();
    AnyImage image = allocate(store.path(), type, shape, options, work);
    if (is_wide) {
        if (read_box(store, array, box, image, 0)) return image;
        image = allocate(store.path(), PixelType::u32, shape, options, work);
    }
    fill_image(store, array, box, image, 0);
    return image;
}

Box box_of(const Array& array, const ChosenPlanes& chosen) {
    Box box{{}, array.shape};
    const std::int64_t only[] = {chosen.time, chosen.channel, chosen.slice};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (only[axis] >= 0) {
            box.begin[axis] = only[axis];
            box.end[axis] = only[axis] + 1;
        }
    return box;
}

class ZarrSlide : public TileSource {
  public:
    ZarrSlide(const fs::path& path, const SlideReadOptions& options)
        : store_(open_store(path)),
          image_(read_ome_image(*store_, std::numeric_limits<std::size_t>::max())) {
        const Array& first = image_.levels.front();
        facts_.format = image_.format;
        facts_.type = first.pixel_type();
        facts_.has_alpha = image_.has_alpha;
        facts_.separate_channels = !image_.is_color && shape_of(first).channels > 1;
        if (image_.is_color)
            facts_.background.assign(static_cast<std::size_t>(shape_of(first).channels),
                                     facts_.type == PixelType::u16 ? 65535 : 255);
        facts_.planes = first.image_shape().z * first.image_shape().t;
        facts_.warnings = image_.warnings;
        if (facts_.planes > 1)
            facts_.warnings.push_back("the first of " + std::to_string(facts_.planes) +
                                      " planes is read");
        for (const Array& level : image_.levels) add_level(level, options);
        PixelScale scale;
        if (image_.geometry.known()) {
            const auto spacing = image_.geometry.spacing_mm();
            scale = {{spacing[0] * 1000, spacing[1] * 1000}, "OME"};
        }
        set_levels(facts_, scale, options);
    }

    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int level, const TileBox& box) const override {
        const Array& array = image_.levels[static_cast<std::size_t>(level)];
        const Shape shape{box.width, box.height, 1, 1, array.image_shape().channels};
        AnyImage tile = filled_image(facts_.type, shape);
        Box part{{}, {1, array.shape[1], 1, box.y + box.height, box.x + box.width}};
        part.begin[3] = box.y;
        part.begin[4] = box.x;
        fill_image(*store_, array, part, tile, 1);
        return tile;
    }

  private:
    static Shape shape_of(const Array& array) {
        Shape shape = array.image_shape();
        shape.z = shape.t = 1;
        return shape;
    }
    // Tiles are whole chunks, several where these are small.
    void add_level(const Array& array, const SlideReadOptions& options) {
        constexpr std::int64_t least = 256;
        const auto side = [](std::int64_t chunk) { return (least + chunk - 1) / chunk * chunk; };
        TileLevel level;
        level.shape = shape_of(array);
        level.tile_width = std::min(side(array.chunk[4]), level.shape.x);
        level.tile_height = std::min(side(array.chunk[3]), level.shape.y);
        require_memory(store_->path(),
                       level.tile_width * level.tile_height * level.shape.channels *
                           pixel_type_bytes(facts_.type),
                       options.max_bytes, decoding_bytes(array, 1));
        facts_.levels.push_back(level);
    }

    std::unique_ptr<Store> store_;
    OmeImage image_;
    TileSourceFacts facts_;
};

class ZarrVolume : public PartSource {
  public:
    ZarrVolume(const fs::path& path, std::vector<std::string>& warnings, std::int64_t max_bytes)
        : store_(open_store(path)),
          image_(read_ome_image(*store_, 1)),
          chunks_(*store_, type_of(image_.levels.front())) {
        const Array& array = image_.levels.front();
        require_memory(store_->path(), array.chunk_bytes(), max_bytes, decoding_bytes(array, 1));
        facts_.shape = array.image_shape();
        facts_.type = type_of(array);
        facts_.geometry = image_.geometry;
        facts_.has_alpha = image_.has_alpha;
        warnings.insert(warnings.end(), image_.warnings.begin(), image_.warnings.end());
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    PartSize stored_part() const override {
        const Array& array = image_.levels.front();
        return {array.chunk[4], array.chunk[3], array.chunk[2]};
    }
    AnyImage read(const VoxelBox& box, std::int64_t t) const override {
        AnyImage part = filled_image(
            facts_.type, {box.length(0), box.length(1), box.length(2), 1, facts_.shape.channels});
        chunks_.read(0, image_.levels.front(),
                     {{t, 0, box.begin[2], box.begin[1], box.begin[0]},
                      {t + 1, facts_.shape.channels, box.end[2], box.end[1], box.end[0]}},
                     part);
        return part;
    }

  private:
    static PixelType type_of(const Array& array) {
        return array.type == NumberType::u64 ? PixelType::u32 : array.pixel_type();
    }

    std::unique_ptr<Store> store_;
    OmeImage image_;
    CachedChunks chunks_;
    VolumeInputFacts facts_;
};

}  // namespace

bool is_zarr(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return is_zarr_folder(path);
    return is_zarr_archive(InputFile(path));
}

bool is_zarr_label_map(const fs::path& path) {
    if (!is_zarr(path)) return false;
    const auto group = find_group(*open_store(path), "");
    return group && has(group->attributes, "image-label");
}

SharedLabelTable zarr_label_table(const fs::path& path) {
    return is_zarr(path) ? read_ome_image(*open_store(path), 1).label_table : nullptr;
}

ReadResult read_ome_zarr(const fs::path& path, const DecodeOptions& options) {
    const auto store = open_store(path);
    OmeImage image = read_ome_image(*store, 1);
    const Array& array = image.levels.front();
    const Shape whole = array.image_shape();
    ReadResult result;
    result.format = image.format;
    result.warnings = std::move(image.warnings);
    result.separate_channels = !image.is_color && whole.channels - image.has_alpha > 1;
    result.channel_names = std::move(image.channel_names);
    result.label_table = std::move(image.label_table);
    const auto names = image.is_color || image.has_alpha ? color_names(whole, image.has_alpha)
                                                         : result.channel_names;
    const ChosenPlanes chosen = chosen_planes(path, whole, names, options.choice);
    result.work_bytes = decoding_bytes(array, 0);
    result.image = read_part(*store, array, box_of(array, chosen), chosen.left_of(whole), options,
                             result.work_bytes);
    std::visit([&](auto& i) { i.has_alpha = image.has_alpha && chosen.channel < 0; }, result.image);
    if (image.geometry.known()) result.spacing_source = "OME";
    Geometry& geometry = geometry_of(result.image) = image.geometry;
    if (chosen.slice > 0 && geometry.known()) move_to_slice(chosen.slice, geometry);
    note_choice(chosen, result);
    return result;
}

std::unique_ptr<TileSource> open_ome_zarr(const fs::path& path, const SlideReadOptions& options) {
    return std::make_unique<ZarrSlide>(path, options);
}

std::unique_ptr<PartSource> open_zarr_volume(const fs::path& path,
                                             std::vector<std::string>& warnings,
                                             std::int64_t max_bytes) {
    if (!is_zarr(path)) return nullptr;
    return std::make_unique<ZarrVolume>(path, warnings, max_bytes);
}

bool is_zarr_slide(const fs::path& path) {
    const auto store = open_store(path);
    const OmeImage image = read_ome_image(*store, 2);
    const Shape shape = image.levels.front().image_shape();
    return image.levels.size() > 1 && shape.z == 1 && shape.t == 1;
}

}  // namespace tesela::io

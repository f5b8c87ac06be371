// OME-Zarr of whole images, and of slides tile by tile.
#include "io/in_order.h"
#include "io/ome_tiff.h"
#include "io/ome_zarr.h"
#include "io/tile_pyramid.h"
#include "io/zarr/form.h"
#include "io/zarr/sink.h"

namespace tesela::io {
namespace {

using namespace zarr;
using Bytes = std::vector<std::uint8_t>;

std::optional<BloscForm> packing_of(PixelType type, Compression compression) {
    const int bytes = pixel_type_bytes(type);
    if (compression == Compression::none) return {};
    if (compression == Compression::fast) return BloscForm{"lz4", 5, bytes};
    // Level 9 would be zstd's slowest, which takes ten times as long for a few bytes less.
    return BloscForm{"zstd", compression == Compression::small ? 7 : 3, bytes};
}

// Viewers make up colors for those beyond a few thousands.
Json label_colors(const AnyImage& image) {
    constexpr std::size_t most = 4096;
    std::vector<bool> occurs(most);
    std::visit(
        [&](const auto& labels) {
            for (const auto label : labels.pixels())
                if (label > 0 && static_cast<double>(label) < static_cast<double>(most))
                    occurs[static_cast<std::size_t>(label)] = true;
        },
        image);
    Json colors = Json::array();
    for (std::size_t label = 1; label < most; ++label) {
        if (!occurs[label]) continue;
        const auto color = label_color(static_cast<std::uint32_t>(label));
        colors.push_back({{"label-value", label}, {"rgba", {color[0], color[1], color[2], 255}}});
    }
    return colors;
}

void put_descriptions(const Form& form, const Json& attributes, Sink& sink) {
    sink.put_json(".zgroup", {{"zarr_format", 2}});
    sink.put_json(".zattrs", attributes);
    for (std::size_t i = 0; i < form.levels.size(); ++i)
        sink.put_json(std::to_string(i) + "/.zarray", description(form, form.levels[i]));
}

void put_level(const Form& form, std::size_t level, const AnyImage& image, const fs::path& shown,
               Sink& sink) {
    const Lengths lengths = lengths_of(shape_of(image)), chunk = chunk_of(form, shape_of(image));
    Lengths counts{};
    std::int64_t count = 1;
    for (std::size_t i = 0; i < counts.size(); ++i)
        count *= counts[i] = (lengths[i] + chunk[i] - 1) / chunk[i];
    const auto place_of = [&](std::int64_t number) {
        Lengths place{};
        for (std::size_t i = place.size(); i-- > 0; number /= counts[i])
            place[i] = number % counts[i];
        return place;
    };
    make_in_order(
        count, 0,
        [&](std::int64_t i) {
            Lengths first = place_of(i);
            for (std::size_t axis = 0; axis < first.size(); ++axis) first[axis] *= chunk[axis];
            return packed_chunk(form, image, first, chunk, shown);
        },
        [&](std::int64_t i, const Bytes& bytes) {
            if (!bytes.empty()) sink.put(chunk_key(form, level, place_of(i)), bytes);
        });
}

// Chunks are the tiles of a slide, one file for each of its channels.
class OmeZarrTiles : public TilePyramid {
  public:
    // Options as `checked` gives them.
    OmeZarrTiles(const fs::path& path, const SlideForm& slide, const SlideWriteOptions& options)
        : TilePyramid(path, slide, options),
          path_(path),
          staging_({path}, options.overwrite),
          sink_(create_sink(staging_.staged(), path)) {
        form_.type = slide.type;
        form_.geometry = slide.geometry;
        form_.has_alpha = slide.has_alpha;
        form_.is_labels = options.labels;
        form_.side = options.tile;
        form_.levels = levels_below(slide.shape, slide.geometry, options.tile);
        form_.packing = packing_of(slide.type, options.compression == TileCompression::none
                                                   ? Compression::none
                                                   : Compression::automatic);
        put_descriptions(form_, attributes(form_, path.filename().string()), *sink_);
    }

    void finish() override {
        require_all();
        sink_->finish();
        staging_.commit();
    }

  protected:
    void store(std::size_t level, std::int64_t column, std::int64_t row,
               const AnyImage& tile) override {
        const Shape& shape = form_.levels[level].shape;
        for (int channel = 0; channel < shape.channels; ++channel) {
            const Bytes bytes =
                packed_chunk(form_, tile, {0, channel, 0, 0, 0}, chunk_of(form_, shape), path_);
            if (!bytes.empty())
                sink_->put(chunk_key(form_, level, {0, channel, 0, row, column}), bytes);
        }
    }

  private:
    fs::path path_;
    Staging staging_;
    std::unique_ptr<Sink> sink_;
    Form form_;
};

}  // namespace

void write_ome_zarr(const AnyImage& image, const fs::path& staged, const fs::path& shown,
                    bool is_labels, Compression compression) {
    // Pictures are looked at slice by slice, volumes from all sides.
    constexpr std::int64_t picture = 512, volume = 64;
    const Shape& shape = shape_of(image);
    Form form;
    form.type = pixel_type_of(image);
    form.geometry = geometry_of(image);
    form.has_alpha = has_alpha(image);
    form.is_labels = is_labels;
    form.side = shape.z > 1 ? volume : picture;
    form.levels = levels_below(shape, form.geometry, form.side);
    form.packing = packing_of(form.type, compression);
    Json described = attributes(form, shown.filename().string());
    if (is_labels) described["image-label"]["colors"] = label_colors(image);
    const auto sink = create_sink(staged, shown);
    put_descriptions(form, described, *sink);
    AnyImage level;
    for (std::size_t i = 0; i < form.levels.size(); ++i) {
        if (i > 0)
            level = coarser(i > 1 ? level : image, form.levels[i - 1], form.levels[i], is_labels);
        put_level(form, i, i > 0 ? level : image, shown, *sink);
    }
    sink->finish();
}

std::unique_ptr<TileWriter> create_ome_zarr(const fs::path& path, const SlideForm& form,
                                            const SlideWriteOptions& options) {
    if (path.extension() != ".zarr")
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a slide is written as a folder; name it .ome.zarr");
    if (options.compression == TileCompression::jpeg)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": OME-Zarr has no JPEG; leave the compression out");
    if (options.pyramid == PyramidForm::generic)
        throw InvalidArgument("--pyramid generic is for TIFF, and " + quoted(path.filename()) +
                              " is OME-Zarr; leave it out");
    SlideWriteOptions lossless = options;
    if (lossless.compression == TileCompression::automatic)
        lossless.compression = TileCompression::deflate;
    return std::make_unique<OmeZarrTiles>(path, form, checked(path, form, lossless));
}

}  // namespace tesela::io

// OME-Zarr of whole images, and of slides tile by tile.
#include "io/in_order.h"
#include "io/ome_tiff.h"
#include "io/ome_zarr.h"
#include "io/tile_pyramid.h"
#include "io/zarr/image_label.h"
#include "io/zarr/label_group.h"
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

// Pictures are looked at slice by slice, volumes from all sides.
std::int64_t chunk_side(const Shape& shape) {
    constexpr std::int64_t picture = 512, volume = 64;
    return shape.z > 1 ? volume : picture;
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

void put_all(const Form& form, const AnyImage& image, const fs::path& shown, Sink& sink) {
    put_levels(form, sink);
    AnyImage level;
    for (std::size_t i = 0; i < form.levels.size(); ++i) {
        if (i > 0 && form.is_labels)
            level = coarser_labels(image, form.levels[i]);
        else if (i > 0)
            level = coarser(i > 1 ? level : image, form.levels[i - 1], form.levels[i]);
        put_level(form, i, i > 0 ? level : image, shown, sink);
    }
}

// The labels in the order of the image's points; nothing where they are in it already.
std::optional<AnyImage> on_grid(const ImageGrid& grid, const AnyImage& labels,
                                const fs::path& shown) {
    try {
        if (shape_of(labels).t != grid.shape.t)
            throw InvalidArgument(std::to_string(shape_of(labels).t) +
                                  " time points, and the image has " +
                                  std::to_string(grid.shape.t));
        const ImageGrid own{shape_of(labels), geometry_of(labels)};
        if (axis_order(grid, own) == AxisOrder{}) return {};
        return align_to(grid, labels);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument("labels in " + quoted(image_of_labels(shown)) +
                              " must lie on its grid: " + error.what());
    }
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
        form_.is_format_3 = options.zarr == ZarrVersion::v0_5;
        form_.axes = axes_with_length(slide.shape, slide.geometry);
        form_.side = options.tile;
        form_.levels = levels_below(slide.shape, slide.geometry, options.tile);
        form_.packing = packing_of(slide.type, options.compression == TileCompression::none
                                                   ? Compression::none
                                                   : Compression::automatic);
        Json described = attributes(form_, path.filename().string());
        if (form_.is_labels) described["image-label"] = image_label(form_.is_format_3);
        put_group(form_.is_format_3, described, *sink_);
        put_levels(form_, *sink_);
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
                    const EncodeOptions& options) {
    const Shape& shape = shape_of(image);
    Form form;
    form.type = pixel_type_of(image);
    form.geometry = geometry_of(image);
    form.has_alpha = has_alpha(image);
    form.is_labels = options.is_labels;
    form.is_format_3 = options.zarr == ZarrVersion::v0_5;
    form.axes = axes_with_length(shape, form.geometry);
    form.side = chunk_side(shape);
    form.levels = levels_below(shape, form.geometry, form.side);
    form.packing = packing_of(form.type, options.compression);
    Json described = attributes(form, shown.filename().string());
    if (options.is_labels)
        described["image-label"] = image_label(form.is_format_3, image, options.names);
    const auto sink = create_sink(staged, shown);
    put_group(form.is_format_3, described, *sink);
    put_all(form, image, shown, *sink);
    sink->finish();
}

std::vector<std::string> write_label_group(const AnyImage& labels, const fs::path& staged,
                                           const fs::path& shown, const EncodeOptions& options) {
    LabelFrame frame = label_frame(shown);
    const std::optional<AnyImage> aligned = on_grid(frame.grid, labels, shown);
    const AnyImage& image = aligned ? *aligned : labels;
    Form& form = frame.form;
    form.type = pixel_type_of(image);
    form.side = chunk_side(frame.grid.shape);
    form.packing = packing_of(form.type, options.compression);
    Json described = with_version(form.is_format_3, frame.multiscale);
    described["image-label"] = image_label(form.is_format_3, image, options.names);
    described["image-label"]["source"] = {{"image", "../../"}};
    const auto sink = create_folder_sink(staged, shown);
    put_group(form.is_format_3, described, *sink);
    put_all(form, image, shown, *sink);
    if (!frame.has_copied_metadata) return {};
    return {quoted(image_of_labels(shown)) +
            " has consolidated metadata, which do not list the new labels: programs that use them "
            "alone will not see " +
            printable(shown.filename().string())};
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

// Which reader a slide gets, and pictures as slides of one level.
#include "io/slide.h"

#include <sys/stat.h>

#include <algorithm>

#include "io/format.h"
#include "io/ome_zarr.h"

namespace tesela::io {
namespace {

// A picture that lies in memory.
class PictureSource : public TileSource {
  public:
    PictureSource(const fs::path& path, const SlideReadOptions& options)
        : image_(read_image(path, {options.max_bytes})) {
        const Shape& shape = shape_of(image_.image);
        if (shape.dimensions() != 2)
            throw unsupported(path, "it is a volume or a time series; a slide is one picture");
        facts_.separate_channels = image_.separate_channels;
        constexpr std::int64_t tile = 256;
        TileLevel level;
        level.shape = shape;
        level.tile_width = level.tile_height = tile;
        facts_.format = image_.format;
        facts_.type = pixel_type_of(image_.image);
        facts_.levels = {level};
        facts_.has_alpha = has_alpha(image_.image);
        facts_.warnings = image_.warnings;
        PixelScale scale;
        const Geometry& geometry = geometry_of(image_.image);
        if (geometry.known())
            scale = {{geometry.spacing_mm()[0] * 1000, geometry.spacing_mm()[1] * 1000},
                     image_.format};
        set_levels(facts_, scale, options);
    }

    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int, const TileBox& box) const override {
        AnyImage tile = filled_image(
            facts_.type, {box.width, box.height, 1, 1, facts_.levels.front().shape.channels});
        copy_box(image_.image, box, tile, 0, 0);
        return tile;
    }

  private:
    ReadResult image_;
    TileSourceFacts facts_;
};

// How files begin that OpenSlide reads, other than TIFF: Hamamatsu's texts, Sakura, Zeiss and
// DICOM. For all others it is not even loaded.
bool may_be_slide(const fs::path& path) {
    constexpr std::size_t dicom_mark = 128;
    const std::vector<std::uint8_t> bytes = InputFile(path).head(dicom_mark + 4);
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return head.starts_with('[') || head.starts_with("SQLite format 3") ||
           head.starts_with("ZISRAWFILE") ||
           head.substr(std::min(dicom_mark, head.size())) == "DICM";
}

// The key file of a MIRAX slide is a small JPEG picture, which is not what its user means.
// OpenSlide knows it by the folder beside it.
std::string vendor_of(const fs::path& path, TiffKind kind) {
    const bool is_mirax = path.extension() == ".mrxs";
    if (kind == TiffKind::none && !is_mirax && !may_be_slide(path)) return {};
    const std::string vendor = openslide_vendor(path);
    if (!is_mirax || !vendor.empty()) return vendor;
    const fs::path facts = fs::path(path).replace_extension() / "Slidedat.ini";
    if (fs::exists(facts)) return "mirax";
    throw unreadable(path, "the rest of this MIRAX slide is missing: its folder '" +
                               facts.parent_path().filename().string() +
                               "' with Slidedat.ini belongs beside it");
}

std::unique_ptr<TileSource> open_automatic(const fs::path& path, const SlideReadOptions& options) {
    const TiffKind kind = tiff_kind(path);
    const std::string vendor = vendor_of(path, kind);
    if (kind != TiffKind::ome && !vendor.empty() && vendor != "generic-tiff")
        return open_openslide(path, options);
    if (kind == TiffKind::ome || kind == TiffKind::pyramid || kind == TiffKind::tiled) {
        try {
            return open_tiled_tiff(path, options);
        } catch (const UnsupportedFormat&) {
            // A palette, for one, is taken in pictures.
        }
    }
    return std::make_unique<PictureSource>(path, options);
}

}  // namespace

FileStamp::FileStamp(const fs::path& path) : path_(path), state_(state_of(path)) {}

FileStamp::State FileStamp::state_of(const fs::path& path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) return {};
    return {facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ino};
}

void FileStamp::check() const {
    if (!(state_of(path_) == state_))
        throw unreadable(path_, "it changed while it was being read; start again");
}

std::unique_ptr<TileSource> open_slide(const fs::path& path, const SlideReadOptions& options) {
    if (options.micrometers_per_pixel)
        micrometers_per_pixel((*options.micrometers_per_pixel)[0],
                              (*options.micrometers_per_pixel)[1]);
    std::unique_ptr<TileSource> source;
    with_memory_guard(path, [&] {
        if (is_zarr(path)) {
            source = open_ome_zarr(path, options);
            return;
        }
        { const InputFile readable(path); }
        source = options.reader == SlideReader::openslide ? open_openslide(path, options)
                 : options.reader == SlideReader::tiff    ? open_tiled_tiff(path, options)
                                                          : open_automatic(path, options);
    });
    return source;
}

std::string slide_format(const fs::path& path) {
    std::error_code error;
    if (is_zarr(path)) return is_zarr_slide(path) ? "OME-Zarr" : "";
    if (fs::is_directory(path, error)) return "";
    const TiffKind kind = tiff_kind(path);
    if (kind == TiffKind::ome) return "OME-TIFF";
    const std::string vendor = vendor_of(path, kind);
    if (!vendor.empty() && vendor != "generic-tiff") return vendor;
    return kind == TiffKind::pyramid ? "tiled TIFF" : "";
}

}  // namespace tesela::io

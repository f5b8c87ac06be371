// Tiled TIFF and BigTIFF files as slides: OME-TIFF with its levels in SubIFDs, and files whose
// further directories are coarser levels.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "io/dicom_header.h"
#include "io/picture.h"
#include "io/slide.h"
#include "io/tiff_page.h"
#include "io/tiff_scale.h"
#include "tesela/warnings.h"

namespace tesela::io {
namespace {

constexpr std::int64_t largest_tile_side = 16384;

bool is_tiff(const InputFile& file) {
    const std::vector<std::uint8_t> head = file.head(4);
    return head.size() == 4 &&
           ((head[0] == 'I' && head[1] == 'I' && head[3] == 0) ||
            (head[0] == 'M' && head[1] == 'M' && head[2] == 0)) &&
           (head[head[0] == 'I' ? 2 : 3] == 42 || head[head[0] == 'I' ? 2 : 3] == 43) &&
           !is_surely_dicom(file);
}

std::vector<std::uint64_t> sub_directories(const TiffHandle& tiff) {
    std::uint16_t count = 0;
    std::uint64_t* offsets = nullptr;
    if (!TIFFGetField(tiff.get(), TIFFTAG_SUBIFD, &count, &offsets) || !offsets) return {};
    return {offsets, offsets + count};
}

// A handle with a file of its own, so that threads do not share a position.
struct OpenTiff {
    explicit OpenTiff(const fs::path& path) : file(path), tiff(file.handle(), "rm") {}
    InputFile file;
    TiffHandle tiff;
    std::uint64_t directory = 0;  // where its current one begins
};

struct Level {
    std::uint64_t directory = 0;
    TiffPage page;
    bool planes_separate = false;
};

class TiffSlide : public TileSource {
  public:
    TiffSlide(const fs::path& path, const SlideReadOptions& options)
        : path_(path), options_(options), stamp_(path) {
        auto first = std::make_unique<OpenTiff>(path);
        find_levels(*first);
        idle_.push_back(std::move(first));
    }

    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int level, const TileBox& box) const override;

  private:
    UnreadableInput damaged(const TiffHandle& tiff) const {
        const std::string reason = tiff.error().empty() ? tiff.warning() : tiff.error();
        return unreadable(
            path_, "the TIFF data are damaged" + (reason.empty() ? "" : " (" + reason + ")"));
    }
    void find_levels(OpenTiff& open);
    void find_scale(const TiffHandle& tiff, PixelScale& scale);
    void add_first(OpenTiff& open);
    void add_coarser(OpenTiff& open, std::uint64_t directory);
    void check_tiles(OpenTiff& open);
    TileLevel tiles_of(const OpenTiff& open, const TiffPage& page) const;
    void go_to(OpenTiff& open, std::uint64_t directory) const;
    std::unique_ptr<OpenTiff> take(std::uint64_t directory) const;
    void read_plane(OpenTiff& open, const Level& from, const TileBox& box, const TileLevel& level,
                    int plane, AnyImage& tile) const;

    fs::path path_;
    SlideReadOptions options_;
    FileStamp stamp_;
    TileSourceFacts facts_;
    std::vector<Level> levels_;
    std::int64_t missing_ = 0;  // tiles that the file leaves out
    mutable std::mutex mutex_;  // guards what follows
    mutable std::vector<std::unique_ptr<OpenTiff>> idle_;
};

void TiffSlide::go_to(OpenTiff& open, std::uint64_t directory) const {
    if (open.directory == directory) return;
    open.directory = 0;
    if (!TIFFSetSubDirectory(open.tiff.get(), directory)) throw damaged(open.tiff);
    if (open.tiff.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, 0) == PHOTOMETRIC_YCBCR)
        TIFFSetField(open.tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    open.directory = directory;
}

TileLevel TiffSlide::tiles_of(const OpenTiff& open, const TiffPage& page) const {
    TileLevel level;
    level.shape = {page.width, page.height, 1, 1, page.samples};
    level.tile_width = open.tiff.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    level.tile_height = open.tiff.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    if (level.tile_width < 1 || level.tile_height < 1 || level.tile_width > largest_tile_side ||
        level.tile_height > largest_tile_side)
        throw unreadable(path_, "it claims tiles of " + std::to_string(level.tile_width) + " x " +
                                    std::to_string(level.tile_height) + " pixels");
    require_memory(
        path_,
        level.tile_width * level.tile_height * page.samples * pixel_type_bytes(stored_type(page)),
        options_.max_bytes);
    return level;
}

void TiffSlide::add_first(OpenTiff& open) {
    const TiffPage page = describe_page(open.tiff);
    check_page(page, open.tiff, path_);
    if (page.bits < 8 || page.photometric == PHOTOMETRIC_PALETTE ||
        page.photometric == PHOTOMETRIC_MINISWHITE || page.orientation != ORIENTATION_TOPLEFT)
        throw unsupported(path_,
                          "slides with a palette, with 0 for white, with less than 8 bits or "
                          "turned by their Orientation are not supported");
    const TileLevel level = tiles_of(open, page);
    facts_.type = stored_type(page);
    facts_.has_alpha = page.alpha;
    facts_.separate_channels =
        page.photometric == PHOTOMETRIC_MINISBLACK && page.samples > (page.alpha ? 2 : 1);
    const bool colors = page.samples >= 3;
    const double white = facts_.type == PixelType::u16 ? 65535 : 255;
    if (colors && (facts_.type == PixelType::u8 || facts_.type == PixelType::u16)) {
        facts_.background.assign(static_cast<std::size_t>(page.samples), white);
        if (page.alpha) facts_.background.back() = 0;
    }
    if (page.premultiplied)
        facts_.warnings.push_back("the slide's colors are multiplied by its opacity");
    facts_.levels.push_back(level);
    levels_.push_back({open.directory, page, false});
    check_tiles(open);
}

// Every tile must lie in the file, so that a truncated file is found now; one without bytes is left
// out on purpose.
void TiffSlide::check_tiles(OpenTiff& open) {
    TIFF* t = open.tiff.get();
    Level& level = levels_.back();
    level.planes_separate = level.page.samples > 1 &&
                            open.tiff.field<std::uint16_t>(
                                TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    const std::string name = "level " + std::to_string(levels_.size() - 1);
    const TileLevel& tiles = facts_.levels.back();
    const double claimed = static_cast<double>(tiles.columns()) *
                           static_cast<double>(tiles.rows()) *
                           (level.planes_separate ? level.page.samples : 1);
    if (claimed * 5 > static_cast<double>(open.file.size()) + 64)
        throw unreadable(path_, name + " claims more tiles than the file has room for");
    if (static_cast<double>(TIFFNumberOfTiles(t)) != claimed) throw damaged(open.tiff);
    const auto bytes = static_cast<std::uint64_t>(open.file.size());
    for (std::uint32_t i = 0; i < TIFFNumberOfTiles(t); ++i) {
        const std::uint64_t offset = TIFFGetStrileOffset(t, i),
                            count = TIFFGetStrileByteCount(t, i);
        if (count == 0 || offset == 0)
            ++missing_;
        else if (offset > bytes || count > bytes - offset)
            throw unreadable(path_, "it is truncated: tile " + std::to_string(i) + " of " + name +
                                        " lies beyond its end");
    }
    if (!open.tiff.error().empty()) throw damaged(open.tiff);
}

// A directory that is a smaller picture of the same kind becomes a level; one that claims a shape
// that no downsample of the first gives is left out.
void TiffSlide::add_coarser(OpenTiff& open, std::uint64_t directory) {
    go_to(open, directory);
    if (!TIFFIsTiled(open.tiff.get())) return;
    const TiffPage page = describe_page(open.tiff);
    const TiffPage& first = levels_.front().page;
    const TileLevel& above = facts_.levels.back();
    if (page.samples != first.samples || stored_type(page) != facts_.type) return;
    if (page.width >= above.shape.x && page.height >= above.shape.y) return;
    const std::int64_t longer = std::max(first.width, first.height);
    const std::int64_t shorter = std::min(first.width, first.height);
    const bool wide = first.width >= first.height;
    const double expected = static_cast<double>(shorter) *
                            static_cast<double>(wide ? page.width : page.height) /
                            static_cast<double>(longer);
    const double difference =
        std::abs(static_cast<double>(wide ? page.height : page.width) - expected);
    if (page.width < 1 || page.height < 1 || page.width > above.shape.x ||
        page.height > above.shape.y || difference > 2 + 0.01 * expected) {
        facts_.warnings.push_back("a level of " + std::to_string(page.width) + " x " +
                                  std::to_string(page.height) +
                                  " pixels was left out: its shape is not that of the slide");
        return;
    }
    check_page(page, open.tiff, path_);
    facts_.levels.push_back(tiles_of(open, page));
    levels_.push_back({directory, page, false});
    check_tiles(open);
}

void TiffSlide::find_scale(const TiffHandle& tiff, PixelScale& scale) {
    const std::string description = description_of(tiff);
    facts_.format = "tiled TIFF";
    if (is_ome(description)) {
        facts_.format = "OME-TIFF";
        if (const auto ome = parse_ome(description)) {
            scale = ome->scale;
            facts_.planes = ome->planes;
            if (!ome->unknown_unit.empty())
                facts_.warnings.push_back("OME-XML gives lengths in '" +
                                          printable(ome->unknown_unit) +
                                          "', which is no unit of length; they are not used");
            if (ome->planes > 1)
                facts_.warnings.push_back("the first of " + std::to_string(ome->planes) +
                                          " planes is read");
        } else {
            facts_.warnings.push_back("its OME-XML is damaged and was ignored");
        }
    } else if (const auto mpp = aperio_number(description, "MPP")) {
        scale = {{*mpp, *mpp}, "Aperio MPP"};
        facts_.magnification = aperio_number(description, "AppMag");
    }
    if (scale.source.empty()) scale = resolution_of(tiff);
}

void TiffSlide::find_levels(OpenTiff& open) {
    TIFF* t = open.tiff.get();
    if (!t || !open.tiff.error().empty()) throw damaged(open.tiff);
    if (!TIFFIsTiled(t)) throw unsupported(path_, "it is a TIFF without tiles");
    const std::uint64_t first = TIFFCurrentDirOffset(t);
    PixelScale scale;
    find_scale(open.tiff, scale);
    std::vector<std::uint64_t> others = sub_directories(open.tiff);
    if (others.empty() && facts_.format != "OME-TIFF") {
        constexpr std::size_t most = 64;
        while (others.size() < most && TIFFReadDirectory(t))
            others.push_back(TIFFCurrentDirOffset(t));
    }
    if (!open.tiff.error().empty()) throw damaged(open.tiff);
    go_to(open, first);
    add_first(open);
    for (const std::uint64_t directory : others) add_coarser(open, directory);
    set_levels(facts_, scale, options_);
    if (missing_ > 0)
        facts_.warnings.push_back(std::to_string(missing_) +
                                  (missing_ == 1 ? " tile is" : " tiles are") +
                                  " missing in the file and shown as background");
}

// One that stands at the directory already, if there is one.
std::unique_ptr<OpenTiff> TiffSlide::take(std::uint64_t directory) const {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {};
    auto found = std::find_if(idle_.begin(), idle_.end(),
                              [&](const auto& open) { return open->directory == directory; });
    if (found == idle_.end()) found = std::prev(idle_.end());
    std::unique_ptr<OpenTiff> open = std::move(*found);
    idle_.erase(found);
    return open;
}

void TiffSlide::read_plane(OpenTiff& open, const Level& from, const TileBox& box,
                           const TileLevel& level, int plane, AnyImage& tile) const {
    TIFF* t = open.tiff.get();
    const std::uint32_t index =
        TIFFComputeTile(t, static_cast<std::uint32_t>(box.x), static_cast<std::uint32_t>(box.y), 0,
                        static_cast<std::uint16_t>(plane));
    if (TIFFGetStrileByteCount(t, index) == 0 || TIFFGetStrileOffset(t, index) == 0) return;
    const std::int64_t samples = from.planes_separate ? 1 : from.page.samples;
    const std::int64_t pixel = samples * pixel_type_bytes(facts_.type);
    const auto bytes = static_cast<tmsize_t>(level.tile_width * level.tile_height * pixel);
    if (TIFFTileSize(t) != bytes) throw damaged(open.tiff);
    // A whole tile needs no copy.
    const bool whole =
        !from.planes_separate && box.width == level.tile_width && box.height == level.tile_height;
    std::vector<std::uint8_t> buffer(whole ? 0 : static_cast<std::size_t>(bytes));
    open.tiff.clear();
    const tmsize_t got =
        TIFFReadEncodedTile(t, index, whole ? pixel_data(tile) : buffer.data(), bytes);
    if (got != bytes || !open.tiff.error().empty()) throw damaged(open.tiff);
    if (!open.tiff.warning().empty())
        detail::warn_once(quoted(path_) + ": TIFF data: " + open.tiff.warning());
    if (whole) return;
    std::visit(
        [&](auto& image) {
            using T = typename std::decay_t<decltype(image)>::value_type;
            for (std::int64_t y = 0; y < box.height; ++y) {
                const std::uint8_t* row = buffer.data() + y * level.tile_width * pixel;
                T* out = image.data() + y * box.width * from.page.samples;
                if (!from.planes_separate) {
                    std::memcpy(out, row, static_cast<std::size_t>(box.width * pixel));
                    continue;
                }
                for (std::int64_t x = 0; x < box.width; ++x)
                    std::memcpy(out + x * from.page.samples + plane, row + x * pixel, sizeof(T));
            }
        },
        tile);
}

AnyImage TiffSlide::decode(int index, const TileBox& box) const {
    stamp_.check();
    const Level& from = levels_[static_cast<std::size_t>(index)];
    const TileLevel& level = facts_.levels[static_cast<std::size_t>(index)];
    AnyImage tile = filled_image(facts_.type, {box.width, box.height, 1, 1, from.page.samples},
                                 facts_.background);
    std::unique_ptr<OpenTiff> open = take(from.directory);
    if (!open) {
        open = std::make_unique<OpenTiff>(path_);
        if (!open->tiff.get()) throw damaged(open->tiff);
    }
    go_to(*open, from.directory);
    for (int plane = 0; plane < (from.planes_separate ? from.page.samples : 1); ++plane)
        read_plane(*open, from, box, level, plane, tile);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(open));
    return tile;
}

}  // namespace

TiffKind tiff_kind(const fs::path& path) {
    const OpenTiff open(path);
    TIFF* t = open.tiff.get();
    if (!is_tiff(open.file)) return TiffKind::none;
    if (!t || !TIFFIsTiled(t)) return TiffKind::plain;
    const bool has_levels = !sub_directories(open.tiff).empty();
    const std::string description = description_of(open.tiff);
    if (is_ome(description)) {
        const auto ome = parse_ome(description);
        const bool is_stack = !has_levels && ome && ome->planes > 1;
        return is_stack ? TiffKind::plain : TiffKind::ome;
    }
    if (has_levels) return TiffKind::pyramid;
    const auto width = open.tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    const bool more = TIFFReadDirectory(t) && TIFFIsTiled(t);
    return more && open.tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0) < width ? TiffKind::pyramid
                                                                                 : TiffKind::tiled;
}

std::unique_ptr<TileSource> open_tiled_tiff(const fs::path& path, const SlideReadOptions& options) {
    return std::make_unique<TiffSlide>(path, options);
}

}  // namespace tesela::io

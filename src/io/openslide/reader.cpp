// Slides of scanners' own formats.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>

#include "io/openslide/table.h"
#include "io/slide.h"

namespace tesela::io {
namespace {

using openslide_module::Table;

// The library's functions, once its module is known to be there.
const Table& openslide() { return *reinterpret_cast<const Table*>(module_of<Table>().table); }

struct CloseSlide {
    void operator()(openslide_t* slide) const { openslide().close(slide); }
};
using Handle = std::unique_ptr<openslide_t, CloseSlide>;

std::string property(openslide_t* slide, const std::string& name) {
    const char* value = openslide().get_property_value(slide, name.c_str());
    return value ? value : "";
}

std::optional<double> number_property(openslide_t* slide, const std::string& name) {
    const std::string text = property(slide, name);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data()) return {};
    return value;
}

// RRGGBB; white where the slide names none.
std::vector<double> background_color(openslide_t* slide) {
    const std::string text = property(slide, OPENSLIDE_PROPERTY_NAME_BACKGROUND_COLOR);
    std::vector<double> color{255, 255, 255};
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() != 6 || error != std::errc() || end != text.data() + 6) return color;
    for (std::size_t c = 0; c < 3; ++c) color[c] = value >> (16 - 8 * c) & 0xff;
    return color;
}

class OpenSlideSource : public TileSource {
  public:
    OpenSlideSource(const fs::path& path, const SlideReadOptions& options)
        : path_(path), stamp_(path), slide_(open()) {
        openslide_t* slide = slide_.get();
        facts_.format = property(slide, OPENSLIDE_PROPERTY_NAME_VENDOR);
        facts_.background = background_color(slide);
        facts_.magnification = number_property(slide, OPENSLIDE_PROPERTY_NAME_OBJECTIVE_POWER);
        add_levels();
        const auto x = number_property(slide, OPENSLIDE_PROPERTY_NAME_MPP_X);
        const auto y = number_property(slide, OPENSLIDE_PROPERTY_NAME_MPP_Y);
        PixelScale scale;
        if (x || y) scale = {{x ? *x : *y, y ? *y : *x}, "OpenSlide"};
        set_levels(facts_, scale, options);
    }

    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int level, const TileBox& box) const override {
        stamp_.check();
        const std::shared_ptr<openslide_t> slide = handle();
        // OpenSlide takes the corner on level 0, by its own ratio of the levels' sizes.
        const double scale = scales_[static_cast<std::size_t>(level)];
        const auto x = std::llround(static_cast<double>(box.x) * scale);
        const auto y = std::llround(static_cast<double>(box.y) * scale);
        std::vector<std::uint32_t> colors(static_cast<std::size_t>(box.width * box.height));
        openslide().read_region(slide.get(), colors.data(), x, y, level, box.width, box.height);
        if (const char* error = openslide().get_error(slide.get())) {
            const std::string reason = printable(error);
            replace(slide);
            throw unreadable(path_, "OpenSlide: " + reason);
        }
        return on_background(colors, box);
    }

  private:
    std::shared_ptr<openslide_t> open() const {
        Handle slide(openslide().open(path_.c_str()));
        if (!slide) throw unsupported(path_, "it is no slide of a format that OpenSlide knows");
        if (const char* error = openslide().get_error(slide.get()))
            throw unreadable(path_, "OpenSlide: " + printable(error));
        return slide;
    }

    void add_levels() {
        const int count = openslide().get_level_count(slide_.get());
        for (int i = 0; i < count; ++i) {
            std::int64_t width = 0, height = 0;
            openslide().get_level_dimensions(slide_.get(), i, &width, &height);
            if (width < 1 || height < 1 || width > 0x7fffffff || height > 0x7fffffff)
                throw unreadable(path_, "level " + std::to_string(i) + " claims " +
                                            std::to_string(width) + " x " + std::to_string(height) +
                                            " pixels");
            const std::string name = "openslide.level[" + std::to_string(i) + "].tile-";
            // Strips of some scanners are as long as the slide.
            const auto side = [&](const char* axis) {
                const double stored = number_property(slide_.get(), name + axis).value_or(256);
                return stored >= 64 && stored <= 2048 ? static_cast<std::int64_t>(stored) : 256;
            };
            TileLevel level;
            level.shape = {width, height, 1, 1, 3};
            level.tile_width = side("width");
            level.tile_height = side("height");
            facts_.levels.push_back(level);
            scales_.push_back(openslide().get_level_downsample(slide_.get(), i));
        }
    }

    // From ARGB multiplied by its opacity.
    AnyImage on_background(const std::vector<std::uint32_t>& colors, const TileBox& box) const {
        Image<std::uint8_t> tile({box.width, box.height, 1, 1, 3});
        const std::uint32_t back[3] = {static_cast<std::uint32_t>(facts_.background[0]),
                                       static_cast<std::uint32_t>(facts_.background[1]),
                                       static_cast<std::uint32_t>(facts_.background[2])};
        std::uint8_t* out = tile.data();
        for (const std::uint32_t color : colors) {
            const std::uint32_t missing = 255 - (color >> 24);
            for (std::uint32_t c = 0; c < 3; ++c) {
                const std::uint32_t value = color >> (16 - 8 * c) & 0xff;
                *out++ = static_cast<std::uint8_t>(
                    std::min<std::uint32_t>(255, value + (missing * back[c] + 127) / 255));
            }
        }
        return tile;
    }

    std::shared_ptr<openslide_t> handle() const {
        const std::lock_guard lock(mutex_);
        return slide_;
    }
    // After an error a handle gives nothing more; the slide's other tiles may be sound.
    void replace(const std::shared_ptr<openslide_t>& failed) const {
        const std::lock_guard lock(mutex_);
        if (slide_ == failed) slide_ = open();
    }

    fs::path path_;
    FileStamp stamp_;
    mutable std::mutex mutex_;  // guards the pointer
    mutable std::shared_ptr<openslide_t> slide_;
    std::vector<double> scales_;
    TileSourceFacts facts_;
};

}  // namespace

bool has_openslide() { return module_of<Table>().table != nullptr; }

std::string openslide_vendor(const fs::path& path) {
    if (!has_openslide()) return {};
    const char* vendor = openslide().detect_vendor(path.c_str());
    return vendor ? vendor : "";
}

std::unique_ptr<TileSource> open_openslide(const fs::path& path, const SlideReadOptions& options) {
    require_module<Table>(path);
    return std::make_unique<OpenSlideSource>(path, options);
}

}  // namespace tesela::io

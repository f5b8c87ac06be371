// The readers behind open_slide.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/file.h"
#include "tesela/slide_io.h"

namespace tesela::io {

// Tells whether a file is still the one that was opened.
class FileStamp {
  public:
    explicit FileStamp(const fs::path& path);
    // Throws UnreadableInput where the file was replaced or changed.
    void check() const;

  private:
    struct State {
        std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;
        std::uint64_t node = 0;
        bool operator==(const State&) const = default;
    };
    static State state_of(const fs::path& path);

    fs::path path_;
    State state_;
};

// OpenSlide's name of the format; empty where it knows none, or is not built in.
std::string openslide_vendor(const fs::path& path);
std::unique_ptr<TileSource> open_openslide(const fs::path& path, const SlideReadOptions& options);

// `pyramid`: tiles in several levels. OME files of several planes without levels are plain.
enum class TiffKind { none, plain, tiled, pyramid, ome };
TiffKind tiff_kind(const fs::path& path);
// Throws UnsupportedFormat for a TIFF without tiles.
std::unique_ptr<TileSource> open_tiled_tiff(const fs::path& path, const SlideReadOptions& options);

// The size of a pixel and where it was found; not known where `source` is empty.
struct PixelScale {
    std::array<double, 2> micrometers{};
    std::string source;
};
// Drops a size below a nanometer or above `highest` micrometers, with a warning that names the
// option for another one.
PixelScale believable(PixelScale scale, std::vector<std::string>& warnings,
                      const std::string& option = "--mpp", double highest = 1e3);
// A number in the C locale, whatever the process's is; NaN where there is none.
double number_of(std::string_view text);
// Micrometers in a unit as OME and ImageJ write them; 0 for one without a length, such as "pixel".
double micrometers_in(std::string_view unit);
// Sets the geometry of all levels, which have their shapes and tiles already, and their
// downsamples; the caller's size comes first.
void set_levels(TileSourceFacts& facts, const PixelScale& scale, const SlideReadOptions& options);

// What the first image of an OME-XML text says of its pixels.
struct OmePixels {
    PixelScale scale;
    double depth = 0;               // micrometers from one Z to the next; 0: not known
    std::int64_t planes = 1;        // Z, C and T, without the samples of RGB
    std::string unknown_unit = {};  // of a size that is not used for it
};
std::optional<OmePixels> parse_ome(const std::string& xml);
// Of Aperio's image description "...|AppMag = 20|MPP = 0.4990|..."
std::optional<double> aperio_number(const std::string& description, const std::string& name);

}  // namespace tesela::io

// Which plane of an image each page of a TIFF file is: a channel, slice and time point.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/tiff_page.h"
#include "io/tiff_scale.h"

namespace tesela::io {

// One of the directories that follow each other in a file.
struct TiffDirectory {
    std::uint64_t offset = 0;
    TiffPage form;
    bool reduced = false, mask = false;

    bool is_page() const { return !reduced && !mask; }
};

struct Plane {
    std::int64_t channel = 0, z = 0, t = 0;
};

// How many planes an image has, and in which order they are counted.
struct PlaneAxes {
    std::int64_t channels = 1, z = 1, t = 1;
    std::string order = "CZT";  // the fastest first

    std::int64_t planes() const { return channels * z * t; }
    Plane plane(std::int64_t index) const;
    std::int64_t index(const Plane& plane) const;
};
// More planes than any file has; what claims more is damaged.
inline constexpr std::int64_t most_planes = 1 << 24;
// Throws UnreadableInput for lengths below 1 and for more than `most_planes`.
void check_axes(const fs::path& path, const std::string& who, const PlaneAxes& axes);

// Planes one after the other, in directories one after the other.
struct PlaneRun {
    std::int64_t plane = 0, count = 0;
    std::size_t file = 0;        // 0: the file itself
    std::int64_t directory = 0;  // of that file
};

// Another file of a set; the path is empty where it is not beside the file.
struct SetFile {
    std::string name;
    fs::path path;
};

struct PagePlan {
    PlaneAxes axes;
    bool is_told = false;             // by a description, not by the number of pages
    std::size_t first = 0;            // the directory whose form all planes have
    std::vector<PlaneRun> runs;       // of planes that are there, each plane once
    bool in_one_directory = false;    // planes lie one behind the other after the first
    std::vector<SetFile> files = {};  // file n of the runs is files[n - 1]
    std::vector<std::string> channel_names = {};
    std::optional<double> time_step = {};    // seconds
    std::optional<StackScale> scale = {};    // where the description tells it
    std::vector<std::string> warnings = {};  // about what does not fit
};

// The pages that are like the one at `first`: slices where nothing is told of them.
PagePlan plain_plan(const std::vector<TiffDirectory>& directories, std::size_t first);

// By the description "ImageJ=..." of the current directory, which is the one at `first`.
PagePlan imagej_plan(const InputFile& file, const TiffHandle& tiff, const std::string& description,
                     const std::vector<TiffDirectory>& directories, std::size_t first);

// By OME-XML. Throws UnsupportedFormat for sets that are not complete, and UnreadableInput.
PagePlan ome_plan(const InputFile& file, const std::string& description,
                  const std::vector<TiffDirectory>& directories, std::size_t first);
// Where the stage of the microscope stood for the image of which the file holds a part, x and y in
// micrometers, as its OME-XML says of the first plane; nothing where it does not, or in a unit that
// is no length. Without a unit they are micrometers.
std::optional<std::array<double, 2>> ome_stage_position(const fs::path& path);
// The other files of a set, as far as they are there.
std::vector<fs::path> ome_files(const fs::path& path, const std::string& description);

// By whichever of these the file has.
PagePlan plan_pages(const InputFile& file, const TiffHandle& tiff, const std::string& description,
                    const std::vector<TiffDirectory>& directories, std::size_t first);

// Where the pixels of planes begin that lie one behind the other in a single directory; nothing
// where the current one does not have room for `planes`.
std::optional<std::int64_t> first_of_many(const InputFile& file, const TiffHandle& tiff,
                                          const TiffPage& page, std::int64_t planes);

// Seconds in a unit of time as OME and ImageJ write it; 0 for an unknown one.
double seconds_in(std::string_view unit);

}  // namespace tesela::io

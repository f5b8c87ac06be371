#include "io/tiff_pages.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tesela::io {
namespace {

std::string planes_text(const PlaneAxes& axes) {
    const auto part = [](std::int64_t count, const char* thing) {
        return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
    };
    return part(axes.channels, "channel") + " x " + part(axes.z, "slice") + " x " +
           part(axes.t, "time point");
}

std::int64_t& length_of(PlaneAxes& axes, char axis) {
    return axis == 'C' ? axes.channels : axis == 'Z' ? axes.z : axes.t;
}

// Pages that are no mask, no reduced image, and like the first.
std::vector<std::int64_t> pages_like(const std::vector<TiffDirectory>& directories,
                                     std::size_t first) {
    std::vector<std::int64_t> pages;
    for (std::size_t i = first; i < directories.size(); ++i)
        if (i == first ||
            (directories[i].is_page() && directories[i].form == directories[first].form))
            pages.push_back(static_cast<std::int64_t>(i));
    return pages;
}

// The planes in the order of the pages.
std::vector<PlaneRun> runs_of(const std::vector<std::int64_t>& pages, std::int64_t planes) {
    std::vector<PlaneRun> runs;
    const auto count = std::min<std::size_t>(pages.size(), static_cast<std::size_t>(planes));
    for (std::size_t i = 0; i < count; ++i) {
        if (!runs.empty() && runs.back().directory + runs.back().count == pages[i])
            ++runs.back().count;
        else
            runs.push_back({static_cast<std::int64_t>(i), 1, 0, pages[i]});
    }
    return runs;
}

// A plan for pages whose planes a description counts. Fewer pages than that leave planes out; where
// there are more, the description is about something else.
PagePlan told_plan(const std::string& who, const PlaneAxes& axes,
                   const std::vector<TiffDirectory>& directories, std::size_t first) {
    PagePlan plan = plain_plan(directories, first);
    const auto pages = static_cast<std::int64_t>(pages_like(directories, first).size());
    if (axes.planes() == 1) return plan;
    if (axes.planes() < pages) {
        plan.warnings.push_back(who + " tells of " + planes_text(axes) + ", but the file has " +
                                std::to_string(pages) + " pages; they are read as slices");
        return plan;
    }
    plan.axes = axes;
    plan.is_told = true;
    return plan;
}

// 1 where the key is missing.
std::int64_t count_in(const fs::path& path, const std::string& description,
                      const std::string& key) {
    const std::string text = imagej_value(description, key);
    if (text.empty()) return 1;
    std::int64_t count = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc() && at == end) return count;
    throw unreadable(path, "its ImageJ description has '" + printable(key + "=" + text) +
                               "', which is no number");
}

// Big stacks of ImageJ have the planes behind the first without a directory of their own.
PagePlan one_directory_plan(const InputFile& file, const TiffHandle& tiff, const std::string& who,
                            const PlaneAxes& axes, const std::vector<TiffDirectory>& directories,
                            std::size_t first) {
    PagePlan plan = plain_plan(directories, first);
    if (!first_of_many(file, tiff, directories[first].form, axes.planes())) {
        plan.warnings.push_back(who + " tells of " + planes_text(axes) +
                                ", but the file has a single page, which is all that is read");
        return plan;
    }
    plan.axes = axes;
    plan.is_told = plan.in_one_directory = true;
    plan.runs.front().count = axes.planes();
    return plan;
}

PagePlan counted_plan(const InputFile& file, const TiffHandle& tiff, const std::string& who,
                      const PlaneAxes& axes, const std::vector<TiffDirectory>& directories,
                      std::size_t first) {
    return directories.size() == 1 && axes.planes() > 1
               ? one_directory_plan(file, tiff, who, axes, directories, first)
               : told_plan(who, axes, directories, first);
}

void warn_of_units(const std::string& description, PagePlan& plan) {
    for (const char* key : {"unit", "yunit", "zunit"}) {
        const std::string unit = imagej_value(description, key);
        if (micrometers_in(unit) > 0 || unit == "pixel" || unit == "pixels") continue;
        plan.warnings.push_back("ImageJ's description has the " + std::string(key) + " '" +
                                printable(unit) + "', which is no unit of length; it is not used");
    }
}

// Functions of the value, by number: 0 is c0 + c1 * value (ImageJ, ij.measure.Calibration).
void warn_of_calibration(const std::string& description, PagePlan& plan) {
    const std::string function = imagej_value(description, "cf");
    constexpr std::string_view none = "20";
    if (function.empty() || function == none) return;
    const std::string unit = imagej_value(description, "vunit");
    const std::string line =
        imagej_value(description, "c0") + " + " + imagej_value(description, "c1") + " * value";
    plan.warnings.push_back("ImageJ's calibration of values" +
                            (unit.empty() ? "" : " in '" + printable(unit) + "'") +
                            (function == "0" ? ", " + printable(line) + "," : "") +
                            " is not applied: values are those of the file");
}

// What tifffile writes: a list of lengths, the slowest first, and perhaps the letters of their
// axes; X, Y and S are the page's.
struct Shaped {
    PlaneAxes axes;
    bool is_truncated = false;  // there is one directory for all planes
    std::string mixed = {};     // several axes that are read as slices, as not all are known
};

std::optional<Shaped> shaped_axes(const std::string& description, const TiffPage& page) {
    using Json = nlohmann::json;
    const Json json = Json::parse(description, nullptr, false);
    if (!json.is_object() || !json.contains("shape") || !json["shape"].is_array()) return {};
    std::vector<std::int64_t> lengths;
    for (const Json& length : json["shape"]) {
        if (!length.is_number_integer()) return {};
        lengths.push_back(length.get<std::int64_t>());
    }
    std::string letters;
    if (json.contains("axes") && json["axes"].is_string()) letters = json["axes"];
    if (letters.size() != lengths.size()) {
        // Arrays may end with lengths of 1 that the page does not have.
        std::vector<std::int64_t> of_page{page.height, page.width};
        if (page.samples > 1) of_page.push_back(page.samples);
        const auto ends_as_page = [&] {
            return lengths.size() >= of_page.size() &&
                   std::equal(of_page.rbegin(), of_page.rend(), lengths.rbegin());
        };
        while (!lengths.empty() && lengths.back() == 1 && !ends_as_page()) lengths.pop_back();
        if (!ends_as_page()) return {};
        letters = std::string(lengths.size() - of_page.size(), 'Q') +
                  (of_page.size() == 3 ? "YXS" : "YX");
    }
    Shaped shaped;
    shaped.is_truncated = json.value("truncated", Json()) == true;
    shaped.axes.order.clear();
    std::string longer;
    bool all_known = true;
    double planes = 1;
    for (std::size_t i = letters.size(); i-- > 0;) {
        const char letter = letters[i];
        if (letter == 'X' || letter == 'Y' || letter == 'S') continue;
        planes *= static_cast<double>(lengths[i]);
        if (lengths[i] != 1) longer.insert(0, 1, letter);
        if (std::string_view("CZT").find(letter) != std::string_view::npos &&
            shaped.axes.order.find(letter) == std::string::npos) {
            shaped.axes.order += letter;
            length_of(shaped.axes, letter) = lengths[i];
        } else {
            all_known = all_known && lengths[i] == 1;
        }
    }
    if (!all_known) {
        if (!(planes >= 1 && planes <= static_cast<double>(most_planes))) return {};
        shaped.axes = PlaneAxes();
        shaped.axes.order.clear();
        shaped.axes.z = static_cast<std::int64_t>(planes);
        if (longer.size() > 1) shaped.mixed = longer;
    }
    for (const char letter : std::string_view("CZT"))
        if (shaped.axes.order.find(letter) == std::string::npos) shaped.axes.order += letter;
    return shaped;
}

}  // namespace

Plane PlaneAxes::plane(std::int64_t index) const {
    Plane found;
    for (const char axis : order) {
        std::int64_t& at = axis == 'C' ? found.channel : axis == 'Z' ? found.z : found.t;
        const std::int64_t length = axis == 'C' ? channels : axis == 'Z' ? z : t;
        at = index % length;
        index /= length;
    }
    return found;
}

std::int64_t PlaneAxes::index(const Plane& plane) const {
    std::int64_t index = 0, step = 1;
    for (const char axis : order) {
        index += step * (axis == 'C' ? plane.channel : axis == 'Z' ? plane.z : plane.t);
        step *= axis == 'C' ? channels : axis == 'Z' ? z : t;
    }
    return index;
}

void check_axes(const fs::path& path, const std::string& who, const PlaneAxes& axes) {
    std::int64_t planes = 1;
    for (const std::int64_t length : {axes.channels, axes.z, axes.t}) {
        if (length < 1 || length > most_planes / planes)
            throw unreadable(path, who + " claims " + planes_text(axes));
        planes *= length;
    }
}

PagePlan plain_plan(const std::vector<TiffDirectory>& directories, std::size_t first) {
    const std::vector<std::int64_t> pages = pages_like(directories, first);
    PagePlan plan;
    plan.first = first;
    plan.axes.z = static_cast<std::int64_t>(pages.size());
    plan.runs = runs_of(pages, plan.axes.z);
    std::int64_t others = 0, masks = 0;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        if (i == first) continue;
        masks += directories[i].mask;
        others += directories[i].is_page() && !(directories[i].form == directories[first].form);
    }
    if (others > 0)
        plan.warnings.push_back(std::to_string(others) +
                                " TIFF pages of another size or type than the first were left out");
    if (masks > 0)
        plan.warnings.push_back(std::to_string(masks) +
                                (masks == 1 ? " page that is a transparency mask was left out"
                                            : " pages that are transparency masks were left out"));
    return plan;
}

std::optional<std::int64_t> first_of_many(const InputFile& file, const TiffHandle& tiff,
                                          const TiffPage& page, std::int64_t planes) {
    TIFF* t = tiff.get();
    const bool whole_bytes = page.bits % 8 == 0;
    const bool interleaved =
        page.samples == 1 ||
        tiff.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_CONTIG;
    if (TIFFIsTiled(t) || !whole_bytes || !interleaved ||
        tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) != COMPRESSION_NONE)
        return {};
    const std::uint64_t begin = TIFFGetStrileOffset(t, 0);
    std::uint64_t end = begin;
    for (std::uint32_t strip = 0; strip < TIFFNumberOfStrips(t); ++strip) {
        if (TIFFGetStrileOffset(t, strip) != end) return {};
        end += TIFFGetStrileByteCount(t, strip);
    }
    const std::int64_t bytes = page.width * page.height * page.samples * (page.bits / 8);
    const auto size = static_cast<std::uint64_t>(file.size());
    if (end - begin != static_cast<std::uint64_t>(bytes) || begin >= size ||
        planes > static_cast<std::int64_t>(size - begin) / bytes)
        return {};
    const std::uint64_t behind = begin + static_cast<std::uint64_t>(planes * bytes);
    const std::uint64_t directory = TIFFCurrentDirOffset(t);
    if (directory >= begin && directory < behind) return {};
    return static_cast<std::int64_t>(begin);
}

PagePlan imagej_plan(const InputFile& file, const TiffHandle& tiff, const std::string& description,
                     const std::vector<TiffDirectory>& directories, std::size_t first) {
    const auto count = [&](const char* key) { return count_in(file.path(), description, key); };
    PlaneAxes axes{count("channels"), count("slices"), count("frames")};
    const std::int64_t images = count("images");
    check_axes(file.path(), "its ImageJ description", axes);
    const auto pages = static_cast<std::int64_t>(pages_like(directories, first).size());
    const bool in_samples = axes.channels == directories[first].form.samples;
    if (in_samples && axes.z * axes.t == pages) axes.channels = 1;
    if (axes.planes() == 1) axes.z = images;  // a stack of which nothing more is told
    check_axes(file.path(), "its ImageJ description", axes);
    PagePlan plan = counted_plan(file, tiff, "ImageJ's description", axes, directories, first);
    warn_of_units(description, plan);
    warn_of_calibration(description, plan);
    const double interval = number_of(imagej_value(description, "finterval"));
    const std::string unit = imagej_value(description, "tunit");
    const double step = std::abs(interval) * (unit.empty() ? 1 : seconds_in(unit));
    if (step > 0 && std::isfinite(step))
        plan.time_step = step;
    else if (axes.t > 1 && (interval > 0 || interval < 0))
        plan.warnings.push_back("the time step is not known: ImageJ's description has the unit '" +
                                printable(unit) + "'");
    return plan;
}

PagePlan plan_pages(const InputFile& file, const TiffHandle& tiff, const std::string& description,
                    const std::vector<TiffDirectory>& directories, std::size_t first) {
    if (is_ome(description)) return ome_plan(file, description, directories, first);
    if (description.starts_with("ImageJ="))
        return imagej_plan(file, tiff, description, directories, first);
    if (description.starts_with("{"))
        if (const auto shaped = shaped_axes(description, directories[first].form)) {
            check_axes(file.path(), "its description", shaped->axes);
            const std::string who = "the file's description";
            PagePlan plan = shaped->is_truncated
                                ? counted_plan(file, tiff, who, shaped->axes, directories, first)
                                : told_plan(who, shaped->axes, directories, first);
            if (!shaped->mixed.empty())
                plan.warnings.push_back("the axes " + printable(shaped->mixed) +
                                        " of the file's description are not channels, slices and "
                                        "times alone; all planes are read as slices");
            return plan;
        }
    return plain_plan(directories, first);
}

double seconds_in(std::string_view unit) {
    struct Time {
        std::string_view symbol;
        double seconds;
    };
    static constexpr Time times[] = {
        {"s", 1},
        {"sec", 1},
        {"secs", 1},
        {"second", 1},
        {"seconds", 1},
        {"ms", 1e-3},
        {"msec", 1e-3},
        {"\xc2\xb5s", 1e-6},
        {"us", 1e-6},
        {"usec", 1e-6},
        {"ns", 1e-9},
        {"\xce\xbcs", 1e-6},
        {"ps", 1e-12},
        {"min", 60},
        {"minute", 60},
        {"h", 3600},
        {"hr", 3600},
        {"hour", 3600},
        {"d", 86400},
        {"day", 86400},
        {"mins", 60},
        {"minutes", 60},
        {"hours", 3600},
        {"days", 86400},
        {"ds", 0.1},
        {"cs", 1e-2},
        {"fs", 1e-15},
        {"das", 10},
        {"hs", 100},
        {"ks", 1e3},
        {"Ms", 1e6},
        {"Gs", 1e9},
        {"millisecond", 1e-3},
        {"microsecond", 1e-6},
        {"nanosecond", 1e-9},
    };
    for (const Time& time : times)
        if (time.symbol == unit) return time.seconds;
    return 0;
}

}  // namespace tesela::io

#include "slide_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory_plan.h"
#include "messages.h"
#include "report.h"

namespace tesela::cli {

void add_slide_options(VerbParser& parser, SlideVerb& verb) {
    parser.add_inputs(verb.inputs, "SLIDE", 1, 1, "whole slide, tiled TIFF or picture");
    parser.add(verb.slide, "Slide");
    parser.add(verb.memory, "Computing");
    parser.add(verb.messages, "Messages", message_aliases());
}

std::unique_ptr<TileSource> open_slide(const std::filesystem::path& path,
                                       const SlideOptions& options, const MemoryOptions& memory) {
    // What is read needs memory too.
    const std::int64_t limit = memory.max_memory.bytes;
    return_freed_memory();  // tiles come and go: the heap would grow
    TileCache::global().set_capacity(limit > 0 ? std::min(options.cache.bytes, limit / 4)
                                               : options.cache.bytes);
    io::SlideReadOptions reading;
    reading.max_bytes = limit;
    if (options.mpp) reading.micrometers_per_pixel = {*options.mpp, *options.mpp};
    auto slide = io::open_slide(path, reading);
    for (const std::string& warning : slide->facts().warnings) warn(warning);
    return slide;
}

void require_slide_memory(const std::string& verb, const MemoryOptions& memory,
                          std::int64_t needed) {
    require_host_memory(verb, needed + TileCache::global().capacity(), memory.max_memory.bytes);
}

double pixels_of(const std::string& name, const Length& length, const TileLevel& level, int axis) {
    if (!length.physical()) return length.value;
    if (!level.geometry.known())
        throw InvalidArgument(
            fmt::format("--{} is {}, but the slide does not say the size of its pixels; give it "
                        "by --mpp, or the option in pixels",
                        name, length.to_string()));
    return length.millimeters() / level.geometry.spacing_mm()[static_cast<std::size_t>(axis)];
}

const TileLevel& level_of(const TileSource& slide, int level) {
    const auto& levels = slide.facts().levels;
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size())
        throw InvalidArgument(fmt::format("--level is {}; the levels of this slide are 0 to {}",
                                          level, levels.size() - 1));
    return levels[static_cast<std::size_t>(level)];
}

void report_slide(const std::string& verb, const VerbParser& parser, Json facts,
                  const std::vector<WrittenFile>& written) {
    Json report = begin_report(verb);
    report["parameters"] = parser.values();
    report.update(facts);
    report["outputs"] = json_of(written);
    report["peak_host_bytes"] = peak_host_bytes();
    print(json_text(std::move(report)));
}

}  // namespace tesela::cli

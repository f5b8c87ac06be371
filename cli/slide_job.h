// What the verbs of slides share.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common_options.h"
#include "outputs.h"
#include "tesela/slide_io.h"
#include "verb_parser.h"

namespace tesela::cli {

struct SlideOptions {
    std::optional<double> mpp;
    ByteSize cache{TileCache::default_capacity};
};

template <class V>
void describe(V&& v, SlideOptions& o) {
    v("mpp", o.mpp, "pixel size in um, instead of the file's",
      OptionRange{.lowest = 0.001, .highest = 1000, .unit = "um"});
    v("cache", o.cache, "memory for decoded tiles");
}

// One file from one slide.
struct SlideVerb {
    SlideOptions slide;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<std::filesystem::path> inputs;

    const std::filesystem::path& input() const { return inputs.front(); }
};

// Adds the input and the options behind those of the verb itself.
void add_slide_options(VerbParser& parser, SlideVerb& verb);

// Opens the slide, sets the cache, and says what the reader has to say.
std::unique_ptr<TileSource> open_slide(const std::filesystem::path& path,
                                       const SlideOptions& options, const MemoryOptions& memory);

// Throws OutOfMemory where `needed` bytes and the cache are beyond --max-memory.
void require_slide_memory(const std::string& verb, const MemoryOptions& memory,
                          std::int64_t needed);

// Pixels of the level of a length; option `name`. Throws InvalidArgument for a physical length
// where the slide has no size of its pixels.
double pixels_of(const std::string& name, const Length& length, const TileLevel& level, int axis);

// Throws InvalidArgument.
const TileLevel& level_of(const TileSource& slide, int level);

// The report of a verb with outputs, on stdout.
void report_slide(const std::string& verb, const VerbParser& parser, Json facts,
                  const std::vector<WrittenFile>& written);

}  // namespace tesela::cli

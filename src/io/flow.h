// Formats of optical flow, one by one.
#pragma once

#include <bit>
#include <optional>

#include "io/picture.h"
#include "tesela/flow_io.h"

namespace tesela::io {

// Turns 32-bit words from the `order` of a file to that of this machine, or back, in place.
void convert_words(void* words, std::size_t count, std::endian order);

// A field of vectors that are 0. Throws OutOfMemory beyond the options' limit.
FlowField make_flow(const fs::path& path, std::int64_t width, std::int64_t height,
                    const ReadOptions& options);
// The same for the `width` x `height` that a file's header claims, which follow at
// `offset`. Throws UnreadableInput where they are not the rest of the file.
FlowField make_claimed_flow(const InputFile& file, std::int64_t offset, std::int64_t width,
                            std::int64_t height, const ReadOptions& options);

struct BarronHeader {
    std::int64_t frame_width = 0, frame_height = 0;
    std::int64_t width = 0, height = 0;  // of the part of the frame that has vectors
    std::int64_t left = 0, top = 0;      // where that begins
    std::endian order = std::endian::big;
};
// The format has no mark: nothing where the first bytes are no header that makes sense.
std::optional<BarronHeader> barron_header(const InputFile& file);
FlowField read_barron(const InputFile& file, const BarronHeader& header,
                      const ReadOptions& options);
// Throws TooNarrow for a vector that the format takes for none, and for a frame that is too large.
void write_barron(const FlowField& flow, OutputFile& file);

}  // namespace tesela::io

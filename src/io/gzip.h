// Compressed streams, unpacked piece by piece.
#pragma once

#include <isa-l/igzip_lib.h>

#include "io/file.h"

namespace tesela::io {

// What is around a stream (RFC 1951): the head and checksum of gzip or zlib, or nothing.
enum class Wrapping { gzip_or_zlib, none };

// Unpacks a stream; members of a gzip file that follow one another are one stream
// (RFC 1952, section 2.2).
class Inflater {
  public:
    // The stream begins at `offset`; `file` must live as long as this object.
    Inflater(const InputFile& file, std::int64_t offset,
             Wrapping wrapping = Wrapping::gzip_or_zlib);
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // Whether the end was reached, with a right checksum.
    bool finished() const { return finished_; }
    // Fills `out` as far as the stream goes. Throws UnreadableInput where it is damaged or breaks
    // off.
    std::size_t read(std::span<std::uint8_t> out);
    // Unpacks what follows, as far as `most` bytes; returns how many there were.
    std::int64_t skip(std::int64_t most);

  private:
    void begin_member(std::uint32_t wrapping);
    void refill();
    void end_member();

    const InputFile& file_;
    std::int64_t offset_;  // of what was not yet read
    bool has_members_;
    std::vector<std::uint8_t> in_;
    std::size_t got_ = 0;  // bytes of the file in it
    std::unique_ptr<inflate_state> state_;
    bool finished_ = false;
};

// The first bytes of the gzip or zlib stream at `offset`, at most `longest`. Throws UnreadableInput
// where not even those can be unpacked.
std::vector<std::uint8_t> inflate_head(const InputFile& file, std::int64_t offset,
                                       std::size_t longest);

// Unpacks the whole stream at `offset`, with its checksum. Throws UnreadableInput, and OutOfMemory
// beyond `longest` bytes, or the physical memory where that is 0.
std::string inflate_all(const InputFile& file, std::int64_t offset, std::int64_t longest,
                        Wrapping wrapping = Wrapping::gzip_or_zlib);

}  // namespace tesela::io

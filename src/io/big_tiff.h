// BigTIFF files written piece by piece: tiles in any order, directories at the end. libtiff ends
// one directory before it begins the next, and so cannot write a pyramid in one pass.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/file.h"

namespace tesela::io {

// The entries of one directory, in ascending order of tags.
class BigTiffDirectory {
  public:
    void add_short(int tag, const std::vector<std::uint16_t>& values);
    void add_long(int tag, std::uint32_t value);
    void add_long8(int tag, const std::vector<std::uint64_t>& values);
    void add_offsets(int tag, const std::vector<std::uint64_t>& directories);
    void add_text(int tag, const std::string& text);
    void add_rational(int tag, std::uint32_t numerator, std::uint32_t denominator);

  private:
    friend class BigTiff;
    struct Entry {
        int tag, type;
        std::uint64_t count;
        std::vector<std::uint8_t> value;
    };
    void add(int tag, int type, std::uint64_t count, std::vector<std::uint8_t> value);

    std::vector<Entry> entries_;
};

// Throws UnwritableOutput. For one thread at a time.
class BigTiff {
  public:
    explicit BigTiff(OutputFile& file);

    // Gives the place of the bytes in the file.
    std::uint64_t append(std::span<const std::uint8_t> bytes);
    // Gives the place of the directory. `next` is that of the one behind it; 0: there is none.
    std::uint64_t append(const BigTiffDirectory& directory, std::uint64_t next = 0);
    // Makes the directory at this place the first one of the file, and closes it.
    void finish(std::uint64_t first_directory);

  private:
    OutputFile& file_;
    std::uint64_t end_ = 0;
};

}  // namespace tesela::io

// Zip archives (PKWARE's APPNOTE 6.3, also beyond 4 GiB), as far as files of NumPy need them.
#pragma once

#include "io/file.h"

namespace tesela::io {

struct ZipMember {
    std::string name;
    bool deflated = false;
    std::uint32_t checksum = 0;  // CRC-32 of what it unpacks to
    std::int64_t packed = 0, unpacked = 0;
    std::int64_t offset = 0;  // where its bytes begin; while it is written, its header
};

// The members, each of which lies within the file. Throws UnreadableInput where the archive is
// damaged, UnsupportedFormat for one in several parts, a locked one and other compressions.
std::vector<ZipMember> zip_members(const InputFile& file);

// The first bytes of a member, at most `longest`; with a right checksum where they are all. Throws
// UnreadableInput.
std::vector<std::uint8_t> zip_head(const InputFile& file, const ZipMember& member,
                                   std::size_t longest);

// Writes members one after the other. All throw UnwritableOutput.
class ZipWriter {
  public:
    explicit ZipWriter(OutputFile& file) : file_(file) {}

    void begin(const std::string& name, bool deflated);
    // What the member unpacks to and what is stored of it, piece by piece.
    void add(std::span<const std::uint8_t> unpacked, std::span<const std::uint8_t> stored);
    void end();
    // The directory, behind the last member.
    void finish();

  private:
    OutputFile& file_;
    std::vector<ZipMember> members_;
};

}  // namespace tesela::io

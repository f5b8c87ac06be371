#include <stdexcept>

#include "io/blosc/table.h"
#include "io/blosc_codec.h"

namespace tesela::io {

using blosc_module::Table;

bool blosc_unpack(const fs::path& path, std::span<const std::uint8_t> packed,
                  std::span<std::uint8_t> bytes) {
    const Table& blosc = require_module<Table>(path);
    std::size_t unpacked = 0;
    if (blosc.validate(packed.data(), packed.size(), &unpacked) != 0 || unpacked != bytes.size())
        return false;
    const int got = blosc.decompress(packed.data(), bytes.data(), bytes.size(), 1);
    return got >= 0 && static_cast<std::size_t>(got) == bytes.size();
}

std::vector<std::uint8_t> blosc_packed(const fs::path& path, std::span<const std::uint8_t> bytes,
                                       const BloscForm& form) {
    const Table& blosc = require_module<Table>(path);
    std::vector<std::uint8_t> packed(bytes.size() + BLOSC_MAX_OVERHEAD);
    const int got = blosc.compress(
        form.level, BLOSC_SHUFFLE, static_cast<std::size_t>(form.number_bytes), bytes.size(),
        bytes.data(), packed.data(), packed.size(), form.compressor, 0, 1);
    if (got <= 0) throw std::logic_error("Blosc did not pack a chunk");
    packed.resize(static_cast<std::size_t>(got));
    return packed;
}

}  // namespace tesela::io

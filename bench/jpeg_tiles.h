// The JPEG tiles of a TIFF in memory, and a bare loop of libjpeg over them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tesela::bench {

class JpegTiles {
  public:
    // Of the first directory. What several tiles share is kept once.
    explicit JpegTiles(const std::filesystem::path& path);

    std::int64_t count() const { return static_cast<std::int64_t>(places_.size()); }
    // As RGB.
    void decode(std::int64_t tile, std::vector<std::uint8_t>& pixels) const;

  private:
    std::vector<std::vector<std::uint8_t>> encoded_;
    std::vector<std::size_t> places_;  // of each tile
};

}  // namespace tesela::bench

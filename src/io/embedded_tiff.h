// The first directory of a TIFF structure within other data: EXIF, and the index of JPEG files that
// hold several pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tesela::io {

class EmbeddedTiff {
  public:
    // `bytes` begin with the TIFF header and must live as long as this object. Damaged ones have no
    // entries.
    explicit EmbeddedTiff(std::span<const std::uint8_t> bytes);

    // Where the value of an entry lies, or the place of the value where that takes more than four
    // bytes: four bytes within those given.
    std::optional<std::size_t> find(std::uint16_t tag) const;
    // At least so many bytes must lie behind `at`.
    std::uint32_t u16(std::size_t at) const;
    std::uint32_t u32(std::size_t at) const;
    std::size_t size() const { return bytes_.size(); }

  private:
    std::span<const std::uint8_t> bytes_;
    bool little_ = false;
};

}  // namespace tesela::io

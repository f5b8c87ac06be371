#include "io/tiff_directory.h"

#include <tiff.h>

#include <algorithm>
#include <span>

namespace tesela::io {
namespace {

class Directory {
  public:
    Directory(const InputFile& file, std::int64_t offset) : file_(file) {
        const std::vector<std::uint8_t> head = file.head(4);
        little_ = head[0] == 'I';
        big_ = head[little_ ? 2 : 3] == 43;
        const std::int64_t count_bytes = big_ ? 8 : 2, entry_bytes = big_ ? 20 : 12;
        std::vector<std::uint8_t> raw(static_cast<std::size_t>(count_bytes));
        file.read(offset, raw);
        const auto entries = static_cast<std::int64_t>(number(raw) & 0xffff);
        if (offset + count_bytes + entries * entry_bytes + offset_bytes() > file.size())
            throw cut();
        raw.resize(static_cast<std::size_t>(entries * entry_bytes));
        file.read(offset + count_bytes, raw);
        for (std::int64_t i = 0; i < entries; ++i)
            check_value(std::span(raw).subspan(static_cast<std::size_t>(i * entry_bytes),
                                               static_cast<std::size_t>(entry_bytes)));
    }

  private:
    std::int64_t offset_bytes() const { return big_ ? 8 : 4; }
    UnreadableInput cut() const { return unreadable(file_.path(), "the TIFF file is truncated"); }

    std::uint64_t number(std::span<const std::uint8_t> bytes) const {
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i-- > 0;)
            value = value << 8 | bytes[little_ ? i : bytes.size() - 1 - i];
        return value;
    }

    // Other values are libtiff's business: it misses those that the pixels need, and warns of the
    // rest.
    void check_value(std::span<const std::uint8_t> entry) const {
        const std::uint64_t tag = number(entry.subspan(0, 2));
        const bool is_text = tag == TIFFTAG_IMAGEDESCRIPTION || tag == TIFFTAG_SOFTWARE;
        if (!is_text && tag != TIFFTAG_XRESOLUTION && tag != TIFFTAG_YRESOLUTION) return;
        const auto width = static_cast<std::size_t>(offset_bytes());
        const std::uint64_t count = number(entry.subspan(4, width));
        const std::uint64_t offset = number(entry.subspan(4 + width, width));
        const auto size = static_cast<std::uint64_t>(file_.size());
        const std::uint64_t bytes = is_text ? count : 8;
        if (bytes > width && (bytes > size || offset > size - bytes)) throw cut();
    }

    const InputFile& file_;
    bool little_ = true, big_ = false;
};

}  // namespace

void check_directory(const InputFile& file, std::int64_t offset) { Directory(file, offset); }

}  // namespace tesela::io

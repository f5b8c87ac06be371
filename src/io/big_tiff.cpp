#include "io/big_tiff.h"

#include <cerrno>

namespace tesela::io {
namespace {

enum Type { ascii = 2, short_type = 3, long_type = 4, rational = 5, long8 = 16, ifd8 = 18 };

// Little endian.
void put(std::vector<std::uint8_t>& bytes, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

template <class T>
std::vector<std::uint8_t> packed(const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(values.size() * sizeof(T));
    for (const T value : values) put(bytes, value, sizeof(T));
    return bytes;
}

}  // namespace

void BigTiffDirectory::add(int tag, int type, std::uint64_t count,
                           std::vector<std::uint8_t> value) {
    entries_.push_back({tag, type, count, std::move(value)});
}

void BigTiffDirectory::add_short(int tag, const std::vector<std::uint16_t>& values) {
    add(tag, short_type, values.size(), packed(values));
}
void BigTiffDirectory::add_long(int tag, std::uint32_t value) {
    add(tag, long_type, 1, packed(std::vector<std::uint32_t>{value}));
}
void BigTiffDirectory::add_long8(int tag, const std::vector<std::uint64_t>& values) {
    add(tag, long8, values.size(), packed(values));
}
void BigTiffDirectory::add_offsets(int tag, const std::vector<std::uint64_t>& directories) {
    add(tag, ifd8, directories.size(), packed(directories));
}
void BigTiffDirectory::add_text(int tag, const std::string& text) {
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    bytes.push_back(0);
    add(tag, ascii, text.size() + 1, std::move(bytes));
}
void BigTiffDirectory::add_rational(int tag, std::uint32_t numerator, std::uint32_t denominator) {
    add(tag, rational, 1, packed(std::vector<std::uint32_t>{numerator, denominator}));
}

BigTiff::BigTiff(OutputFile& file) : file_(file) {
    std::vector<std::uint8_t> header{'I', 'I'};
    put(header, 43, 2);
    put(header, 8, 2);  // bytes of an offset
    put(header, 0, 2);
    put(header, 0, 8);  // the first directory, known at the end
    append(header);
}

std::uint64_t BigTiff::append(std::span<const std::uint8_t> bytes) {
    const std::uint64_t place = end_;
    file_.write_or_throw(bytes.data(), bytes.size());
    end_ += bytes.size();
    // What comes next begins at an even place.
    if (end_ % 2 != 0) {
        file_.write_or_throw("", 1);
        ++end_;
    }
    return place;
}

std::uint64_t BigTiff::append(const BigTiffDirectory& directory, std::uint64_t next) {
    std::vector<std::uint8_t> bytes;
    put(bytes, directory.entries_.size(), 8);
    for (const BigTiffDirectory::Entry& entry : directory.entries_) {
        put(bytes, static_cast<std::uint64_t>(entry.tag), 2);
        put(bytes, static_cast<std::uint64_t>(entry.type), 2);
        put(bytes, entry.count, 8);
        if (entry.value.size() > 8) {
            put(bytes, append(std::span<const std::uint8_t>(entry.value)), 8);
            continue;
        }
        bytes.insert(bytes.end(), entry.value.begin(), entry.value.end());
        put(bytes, 0, static_cast<int>(8 - entry.value.size()));
    }
    put(bytes, next, 8);
    return append(std::span<const std::uint8_t>(bytes));
}

void BigTiff::finish(std::uint64_t first_directory) {
    constexpr off_t place_of_first = 8;
    if (fseeko(file_.handle(), place_of_first, SEEK_SET) != 0)
        throw unwritable(file_.shown(), system_reason(errno));
    std::vector<std::uint8_t> bytes;
    put(bytes, first_directory, 8);
    file_.write_or_throw(bytes.data(), bytes.size());
    file_.close();
}

}  // namespace tesela::io

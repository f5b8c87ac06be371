#include "io/zip_file.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstring>

#include "io/gzip.h"

namespace tesela::io {
namespace {

constexpr std::size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, locator_bytes = 20,
                      end64_bytes = 56;
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        locator_mark = 0x07064b50, end64_mark = 0x06064b50;
constexpr std::uint16_t zip64_extra = 1, stored_method = 0, deflate_method = 8;
constexpr std::uint32_t elsewhere = 0xffffffff;  // in an extra field of 64 bits

using Bytes = std::vector<std::uint8_t>;

UnreadableInput damaged(const InputFile& file) {
    return unreadable(file.path(), "its zip directory is damaged");
}

// A number, its lowest byte first; 0 behind the end.
std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
        value |= std::uint64_t{bytes[at + i]} << (8 * i);
    return value;
}

struct Directory {
    std::uint64_t offset, bytes, count;
};

Bytes read_at(const InputFile& file, std::uint64_t offset, std::size_t bytes) {
    const auto size = static_cast<std::uint64_t>(file.size());
    if (offset > size || bytes > size - offset) throw damaged(file);
    Bytes read(bytes);
    file.read(static_cast<std::int64_t>(offset), read);
    return read;
}

// The end record is the last thing in the file but for a comment.
Directory find_directory(const InputFile& file) {
    const auto reach = std::min<std::int64_t>(file.size(), 0xffff + std::int64_t{end_bytes});
    const std::int64_t from = file.size() - reach;
    const Bytes tail =
        read_at(file, static_cast<std::uint64_t>(from), static_cast<std::size_t>(reach));
    std::size_t at = tail.size();
    for (std::size_t i = tail.size() < end_bytes ? 0 : tail.size() - end_bytes + 1; i-- > 0;)
        if (number(tail, i, 4) == end_mark &&
            i + end_bytes + number(tail, i + 20, 2) == tail.size()) {
            at = i;
            break;
        }
    if (at == tail.size())
        throw unreadable(file.path(), "it is a truncated or damaged zip archive");
    Directory found{number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
    if (at >= locator_bytes && number(tail, at - locator_bytes, 4) == locator_mark) {
        const Bytes end = read_at(file, number(tail, at - locator_bytes + 8, 8), end64_bytes);
        if (number(end, 0, 4) != end64_mark) throw damaged(file);
        found = {number(end, 48, 8), number(end, 40, 8), number(end, 32, 8)};
    } else if (number(tail, at + 4, 2) != 0) {
        throw unsupported(file.path(), "it is one part of a zip archive");
    }
    return found;
}

// Numbers of 64 bits take the place of those that say `elsewhere`, in this order.
void take_extra(std::span<const std::uint8_t> extra, std::initializer_list<std::uint64_t*> values) {
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + number(extra, at + 2, 2)) {
        if (number(extra, at, 2) != zip64_extra) continue;
        std::size_t next = at + 4;
        for (std::uint64_t* value : values)
            if (*value == elsewhere) {
                *value = number(extra, next, 8);
                next += 8;
            }
        return;
    }
}

// Where the bytes of a member begin, behind its own header, which has the same name.
std::int64_t begin_of(const InputFile& file, std::uint64_t header, const std::string& name) {
    const Bytes local = read_at(file, header, local_bytes + name.size());
    if (number(local, 0, 4) != local_mark || number(local, 26, 2) != name.size() ||
        !std::equal(name.begin(), name.end(), local.begin() + local_bytes,
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }))
        throw damaged(file);
    return static_cast<std::int64_t>(header + local_bytes + name.size() + number(local, 28, 2));
}

ZipMember member_of(const InputFile& file, std::span<const std::uint8_t> record,
                    std::size_t name_bytes, std::size_t extra_bytes) {
    std::uint64_t packed = number(record, 20, 4), unpacked = number(record, 24, 4),
                  header = number(record, 42, 4);
    take_extra(record.subspan(central_bytes + name_bytes, extra_bytes),
               {&unpacked, &packed, &header});
    const std::uint64_t flags = number(record, 8, 2), method = number(record, 10, 2);
    if (flags & 1u) throw unsupported(file.path(), "its zip archive is locked by a password");
    if (method != stored_method && method != deflate_method)
        throw unsupported(file.path(), "its zip compression " + std::to_string(method) +
                                           " is not supported; pack it by deflate, or not at all");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(&record[central_bytes]), name_bytes);
    member.deflated = method == deflate_method;
    member.checksum = static_cast<std::uint32_t>(number(record, 16, 4));
    member.offset = begin_of(file, header, member.name);
    const auto there =
        static_cast<std::uint64_t>(std::max<std::int64_t>(file.size() - member.offset, 0));
    // Deflate puts 258 bytes into 2 bits at best (RFC 1951).
    if (packed > there || unpacked > (member.deflated ? 1032 * packed : packed))
        throw damaged(file);
    member.packed = static_cast<std::int64_t>(packed);
    member.unpacked = static_cast<std::int64_t>(unpacked);
    return member;
}

// ---- writing ------------------------------------------------------------------------------------

void put(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

// What a member's own header and the directory have in common. All sizes stand in the extra field.
void put_member(std::string& text, const ZipMember& member, std::uint64_t extra_bytes) {
    put(text, 45, 2);  // the version of the format that has sizes of 64 bits
    put(text, 0, 2);
    put(text, member.deflated ? deflate_method : stored_method, 2);
    put(text, 0, 2);
    put(text, 0x21, 2);  // the first day of 1980: the same bytes whenever they are written
    put(text, member.checksum, 4);
    put(text, elsewhere, 4);
    put(text, elsewhere, 4);
    put(text, member.name.size(), 2);
    put(text, extra_bytes, 2);
}

void put_extra(std::string& text, const ZipMember& member, bool with_offset) {
    put(text, zip64_extra, 2);
    put(text, with_offset ? 24 : 16, 2);
    put(text, static_cast<std::uint64_t>(member.unpacked), 8);
    put(text, static_cast<std::uint64_t>(member.packed), 8);
    if (with_offset) put(text, static_cast<std::uint64_t>(member.offset), 8);
}

std::string local_header(const ZipMember& member) {
    std::string text;
    put(text, local_mark, 4);
    put_member(text, member, 20);
    text += member.name;
    put_extra(text, member, false);
    return text;
}

std::string central_header(const ZipMember& member) {
    std::string text;
    put(text, central_mark, 4);
    put(text, 45, 2);
    put_member(text, member, 28);
    put(text, 0, 2);  // no comment
    put(text, 0, 2);
    put(text, 0, 2);
    put(text, 0, 4);
    put(text, elsewhere, 4);
    text += member.name;
    put_extra(text, member, true);
    return text;
}

std::string end_records(std::uint64_t offset, std::uint64_t bytes, std::uint64_t count) {
    std::string text;
    put(text, end64_mark, 4);
    put(text, end64_bytes - 12, 8);
    put(text, 45, 2);
    put(text, 45, 2);
    put(text, 0, 8);
    put(text, count, 8);
    put(text, count, 8);
    put(text, bytes, 8);
    put(text, offset, 8);
    put(text, locator_mark, 4);
    put(text, 0, 4);
    put(text, offset + bytes, 8);
    put(text, 1, 4);
    put(text, end_mark, 4);
    put(text, 0, 4);
    put(text, count, 2);
    put(text, count, 2);
    put(text, elsewhere, 4);
    put(text, elsewhere, 4);
    put(text, 0, 2);
    return text;
}

}  // namespace

std::vector<ZipMember> zip_members(const InputFile& file) {
    const Directory directory = find_directory(file);
    constexpr std::uint64_t most_bytes = 1 << 26;
    if (directory.bytes > most_bytes || directory.count > most_bytes / central_bytes)
        throw unsupported(file.path(), "its zip archive has too many members");
    const Bytes bytes = read_at(file, directory.offset, static_cast<std::size_t>(directory.bytes));
    std::vector<ZipMember> members;
    for (std::size_t at = 0; members.size() < directory.count;) {
        if (bytes.size() - at < central_bytes || number(bytes, at, 4) != central_mark)
            throw damaged(file);
        const auto name = static_cast<std::size_t>(number(bytes, at + 28, 2)),
                   extra = static_cast<std::size_t>(number(bytes, at + 30, 2));
        const std::size_t all = central_bytes + name + extra + number(bytes, at + 32, 2);
        if (all > bytes.size() - at) throw damaged(file);
        members.push_back(member_of(file, std::span(bytes).subspan(at, all), name, extra));
        at += all;
    }
    return members;
}

Bytes zip_head(const InputFile& file, const ZipMember& member, std::size_t longest) {
    Bytes bytes(std::min(longest, static_cast<std::size_t>(member.unpacked)));
    if (!member.deflated)
        file.read(member.offset, bytes);
    else if (Inflater(file, member.offset, Wrapping::none).read(bytes) < bytes.size())
        throw damaged(file);
    if (std::ssize(bytes) == member.unpacked &&
        crc32_gzip_refl(0, bytes.data(), bytes.size()) != member.checksum)
        throw unreadable(file.path(),
                         "the checksum of its member '" + printable(member.name) + "' is wrong");
    return bytes;
}

void ZipWriter::begin(const std::string& name, bool deflated) {
    members_.push_back({name, deflated, 0, 0, 0, file_.place()});
    const std::string header = local_header(members_.back());
    file_.write_or_throw(header.data(), header.size());
}

void ZipWriter::add(std::span<const std::uint8_t> unpacked, std::span<const std::uint8_t> stored) {
    ZipMember& member = members_.back();
    member.checksum = crc32_gzip_refl(member.checksum, unpacked.data(), unpacked.size());
    member.unpacked += std::ssize(unpacked);
    member.packed += std::ssize(stored);
    file_.write_or_throw(stored.data(), stored.size());
}

void ZipWriter::end() {
    const std::string header = local_header(members_.back());
    file_.rewrite(members_.back().offset, header.data(), header.size());
}

void ZipWriter::finish() {
    const auto offset = static_cast<std::uint64_t>(file_.place());
    std::string text;
    for (const ZipMember& member : members_) text += central_header(member);
    text += end_records(offset, text.size(), members_.size());
    file_.write_or_throw(text.data(), text.size());
}

}  // namespace tesela::io

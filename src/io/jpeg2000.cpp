// JPEG 2000: streams, and files of boxes around one (ITU-T T.800, annexes A and I). They are
// decoded by the program that decodes those of DICOM, which gets them as a DICOM image.
#include <cstring>
#include <optional>

#include "io/decode_client.h"
#include "io/dicom_streams.h"
#include "io/picture.h"

namespace tesela::io {
namespace {

constexpr std::uint32_t box(const char (&name)[5]) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(name[i]);
    return value;
}

struct Found {
    std::optional<std::size_t> stream;  // where it begins
    bool has_palette = false;
    std::uint32_t colors = 0;  // the enumerated color space; 0: none
};

enum class Within { file, header };

// The boxes from `at` to `end`, those of the header too, which lies in no other box.
void look_at_boxes(const StreamBytes& s, std::size_t at, std::size_t end, Within within,
                   Found& found) {
    while (end - at >= 8) {
        std::uint64_t length = s.u32(at), head = 8;
        if (length == 1) {
            length = std::uint64_t{s.u32(at + 8)} << 32 | s.u32(at + 12);
            head = 16;
        }
        if (length == 0) length = end - at;
        if (length < head || length > end - at) s.damaged("a box has no valid length");
        const std::uint32_t name = s.u32(at + 4);
        const std::size_t value = at + head;
        if (name == box("jp2c") && !found.stream) found.stream = value;
        if (name == box("jp2h") && within == Within::file)
            look_at_boxes(s, value, at + length, Within::header, found);
        if (name == box("pclr")) found.has_palette = true;
        if (name == box("colr") && length - head >= 7 && s.u8(value) == 1 && found.colors == 0)
            found.colors = s.u32(value + 3);
        at += length;
    }
}

UnsupportedFormat not_taken(const fs::path& path, const std::string& what) {
    return unsupported(path, "it is a JPEG 2000 image " + what +
                                 "; one or three components of 8 to 16 bits, gray or RGB, are "
                                 "supported");
}

// What the stream at `begin` says of itself (A.5.1), as of an image of DICOM.
DicomHeader header_of(const StreamBytes& s, std::size_t begin, const fs::path& path) {
    constexpr std::size_t size = 4, parts = 38;  // of the marker segment, and in it
    if (s.u16(begin) != 0xff4f || s.u16(begin + 2) != 0xff51)
        s.damaged("they do not begin as JPEG 2000 does");
    const std::size_t at = begin + size;
    DicomHeader h;
    h.columns = std::int64_t{s.u32(at + 4)} - s.u32(at + 12);
    h.rows = std::int64_t{s.u32(at + 8)} - s.u32(at + 16);
    h.samples = static_cast<int>(s.u16(at + 36));
    if (h.columns < 1 || h.rows < 1 || h.samples < 1) s.damaged("their size is not valid");
    constexpr std::int64_t longest = 0xffff;  // that DICOM has
    if (h.columns > longest || h.rows > longest)
        throw not_taken(path, "of more than 65535 pixels along an axis");
    if (h.samples != 1 && h.samples != 3)
        throw not_taken(path, "of " + std::to_string(h.samples) + " components");
    const unsigned first = s.u8(at + parts);
    for (std::size_t i = 0; i < static_cast<std::size_t>(h.samples); ++i)
        if (s.u8(at + parts + 3 * i) != first || s.u16(at + parts + 1 + 3 * i) != 0x0101)
            throw not_taken(path, "whose components differ in size or precision");
    h.bits_stored = static_cast<int>(first & 0x7f) + 1;
    if (h.bits_stored < 8 || h.bits_stored > 16)
        throw not_taken(path, "of " + std::to_string(h.bits_stored) + " bits");
    h.bits_allocated = h.bits_stored > 8 ? 16 : 8;
    h.is_signed = static_cast<int>(first >> 7);
    h.colors = h.samples == 3 ? "RGB" : "MONOCHROME2";
    h.transfer_syntax = "1.2.840.10008.1.2.4.91";
    h.compressed = true;
    return h;
}

PixelType type_of(const DicomHeader& h) {
    if (h.bits_allocated == 8) return h.is_signed ? PixelType::i8 : PixelType::u8;
    return h.is_signed ? PixelType::i16 : PixelType::u16;
}

DicomHeader parse(const StreamBytes& s, const fs::path& path) {
    constexpr std::uint32_t gray = 17, rgb = 16;
    if (s.u16(0) == 0xff4f) return header_of(s, 0, path);
    Found found;
    look_at_boxes(s, 0, s.size(), Within::file, found);
    if (!found.stream) s.damaged("they hold no image");
    if (found.has_palette) throw not_taken(path, "with a palette");
    if (found.colors != 0 && found.colors != gray && found.colors != rgb)
        throw not_taken(path, "in other colors than RGB");
    return header_of(s, *found.stream, path);
}

}  // namespace

bool is_jpeg2000(std::span<const std::uint8_t> head) {
    using namespace std::string_view_literals;
    for (const std::string_view mark : {"\0\0\0\x0cjP  \r\n\x87\n"sv, "\xff\x4f\xff\x51"sv})
        if (head.size() >= mark.size() && std::memcmp(head.data(), mark.data(), mark.size()) == 0)
            return true;
    return false;
}

ReadResult read_jpeg2000(const InputFile& file, const DecodeOptions& options) {
    require_memory(file.path(), 0, options.max_bytes, file.size());
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(file.size()));
    file.read(0, bytes);
    StreamBytes stream(file.path(), std::move(bytes));
    DicomHeader header = parse(stream, file.path());
    const Shape shape{header.columns, header.rows, 1, 1, header.samples};
    const std::int64_t pixel_bytes = shape.elements() * (header.bits_allocated / 8);
    constexpr std::int64_t most_times_smaller = 4096;
    if (pixel_bytes > most_times_smaller * file.size())
        stream.damaged("they claim " + std::to_string(shape.x) + " x " + std::to_string(shape.y) +
                       " pixels, more than the file holds");
    // The stream as it is, as tiles and in the decoder; pixels in the decoder and from it.
    const std::int64_t work = 4 * file.size() + 2 * pixel_bytes;
    ReadResult result{
        allocate(file.path(), type_of(header), shape, options, work), "JPEG 2000", {}};
    result.work_bytes = work;
    check_jpeg2000(stream, header);
    const DecodeRequest request{.columns = header.columns,
                                .rows = header.rows,
                                .samples = header.samples,
                                .bits_allocated = header.bits_allocated,
                                .is_signed = header.is_signed};
    const std::vector<std::uint8_t> pixels =
        DecodeClient().decode(file.path(), request, plain_dicom(header, stream.all()));
    std::memcpy(pixel_data(result.image), pixels.data(), pixels.size());
    return result;
}

}  // namespace tesela::io

#include "io/dicom_streams.h"

#include <algorithm>

namespace tesela::io {
namespace {

std::uint32_t little_u32(const StreamBytes& raw, std::size_t at) {
    return raw.u8(at) | raw.u8(at + 1) << 8 | raw.u8(at + 2) << 16 | raw.u8(at + 3) << 24;
}

// The fragments of one image. The walk over the file has seen that lengths fit.
StreamBytes join_fragments(const InputFile& file, const DicomHeader& header) {
    std::vector<std::uint8_t> raw(
        static_cast<std::size_t>(header.pixels_end - header.pixels_begin));
    file.read(header.pixels_begin, raw);
    const StreamBytes items(file.path(), std::move(raw));
    constexpr std::size_t item_head = 8;
    std::vector<std::uint8_t> joined;
    joined.reserve(items.size());
    for (std::size_t at = 0; at + item_head <= items.size();) {
        const std::size_t length = little_u32(items, at + 4);
        const auto begin = items.all().begin() + static_cast<std::ptrdiff_t>(at + item_head);
        joined.insert(joined.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
        at += item_head + length;
    }
    return {file.path(), std::move(joined)};
}

constexpr char jpeg2000_syntaxes[] = "1.2.840.10008.1.2.4.9";
constexpr char rle_syntax[] = "1.2.840.10008.1.2.5";

// One byte of every pixel, packed (PS3.5, G.3.2), stored `step` bytes apart. Segments have an even
// length, and some writers add two bytes more.
void decode_segment(const StreamBytes& stream, std::size_t begin, std::size_t end,
                    std::span<std::uint8_t> out, std::size_t step) {
    std::size_t at = begin, put = 0;
    while (put < out.size()) {
        if (at >= end) stream.damaged("a run-length segment ends early");
        const unsigned code = stream.u8(at++);
        if (code == 128) continue;
        const bool literal = code < 128;
        const std::size_t count = literal ? code + 1 : 257 - code;
        const std::size_t last = at + (literal ? count : 1);
        if (last > end || count * step > out.size() - put + step - 1)
            stream.damaged("a run crosses the end of its segment");
        for (std::size_t i = 0; i < count; ++i, put += step)
            out[put] = static_cast<std::uint8_t>(stream.u8(literal ? at + i : at));
        at = last;
    }
    if (end - at > 3) stream.damaged("a run-length segment holds more than its pixels");
}

}  // namespace

void StreamBytes::cut(std::size_t begin, std::size_t end) {
    bytes_.erase(bytes_.begin() + static_cast<std::ptrdiff_t>(end), bytes_.end());
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
}

void StreamBytes::require_padding(std::size_t at) const {
    const bool padding = std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(at), bytes_.end(),
                                     [](std::uint8_t byte) { return byte == 0 || byte == 0xff; });
    if (!padding) damaged("data follow their end");
}

void require_image(const StreamBytes& stream, const DicomHeader& header, std::int64_t columns,
                   std::int64_t rows, std::int64_t samples, int bits) {
    if (columns != header.columns || rows != header.rows)
        stream.differs("of " + std::to_string(columns) + " x " + std::to_string(rows) + " pixels",
                       std::to_string(header.columns) + " x " + std::to_string(header.rows));
    if (samples != header.samples)
        stream.differs("of " + std::to_string(samples) + (samples == 1 ? " sample" : " samples"),
                       std::to_string(header.samples));
    // Some encoders take the unused bits along. Where they leave a byte away, GDCM gives samples of
    // one byte, but for lossless JPEG.
    const bool narrow = bits <= 8 && header.bits_allocated > 8;
    const bool lossless_jpeg =
        header.transfer_syntax.ends_with(".4.57") || header.transfer_syntax.ends_with(".4.70");
    if ((bits != header.bits_stored && bits != header.bits_allocated) || (narrow && !lossless_jpeg))
        stream.differs("of " + std::to_string(bits) + " bits",
                       std::to_string(header.bits_stored) + " in samples of " +
                           std::to_string(header.bits_allocated));
}

std::vector<std::uint8_t> compressed_stream(const InputFile& file, DicomHeader& header) {
    StreamBytes stream = join_fragments(file, header);
    if (header.transfer_syntax.starts_with(jpeg2000_syntaxes))
        check_jpeg2000(stream, header);
    else
        check_jpeg(stream, header);
    return stream.all();
}

bool is_rle(const DicomHeader& header) { return header.transfer_syntax == rle_syntax; }

bool is_lossy(const DicomHeader& header) {
    const std::string& syntax = header.transfer_syntax;
    return syntax.ends_with(".4.50") || syntax.ends_with(".4.51") || syntax.ends_with(".4.81") ||
           syntax.ends_with(".4.91");
}

std::vector<std::uint8_t> decode_rle(const InputFile& file, const DicomHeader& header) {
    const StreamBytes stream = join_fragments(file, header);
    const std::size_t bytes = static_cast<std::size_t>(header.bits_allocated) / 8;
    const std::size_t planes = static_cast<std::size_t>(header.samples) * bytes;
    const std::uint32_t segments = little_u32(stream, 0);
    if (segments != planes)
        stream.differs("in " + std::to_string(segments) + " run-length segments");
    constexpr std::size_t head = 64;
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i <= planes; ++i) {
        ends.push_back(i < planes ? little_u32(stream, 4 + 4 * i) : stream.size());
        if (i == 0 ? ends[0] != head : ends[i] < ends[i - 1] || ends[i] > stream.size())
            stream.damaged("their run-length segments lie in no order");
    }
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(header.rows * header.columns) *
                                     planes);
    // The highest byte of a sample comes first in the file, last in memory.
    for (std::size_t i = 0; i < planes; ++i) {
        const std::size_t place = i / bytes * bytes + (bytes - 1 - i % bytes);
        decode_segment(stream, ends[i], ends[i + 1], std::span(pixels).subspan(place), planes);
    }
    return pixels;
}

}  // namespace tesela::io

#include "io/dicom_frames.h"

#include <algorithm>
#include <span>

namespace tesela::io {
namespace {

constexpr std::int64_t item_head = 8;

// The bytes that a frame takes without compression.
std::int64_t bytes_needed(const DicomHeader& h) {
    const std::int64_t pixels = h.rows * h.columns;
    if (h.layout.packed_bits) return (pixels + 7) / 8;
    if (h.layout.shared_colors) return 2 * pixels;
    return pixels * h.samples * (h.bits_allocated / 8);
}

[[noreturn]] void fail_size(const InputFile& file, const DicomHeader& h, std::int64_t count) {
    throw unreadable(file.path(),
                     "its DICOM header claims " + std::to_string(h.columns) + " x " +
                         std::to_string(h.rows) + " pixels" +
                         (count > 1 ? " in " + std::to_string(count) + " frames" : "") +
                         ", more than the file holds");
}

// One behind the other. What lies behind the last pixel is of no use to the decoder, but for a byte
// that makes it even.
void place_plain(const InputFile& file, const DicomWalker& walker,
                 std::vector<DicomHeader>& frames) {
    const DicomHeader& h = frames.front();
    const std::int64_t needed = bytes_needed(h), pixels = h.rows * h.columns;
    const std::int64_t begin = walker.pixels->value, there = walker.pixels_end - begin;
    const auto count = std::ssize(frames);
    if (h.layout.packed_bits ? count * pixels > 8 * there : count * needed > there)
        fail_size(file, h, count);
    if (count > 1 && h.layout.swapped_bytes > 1 &&
        (h.layout.packed_bits || needed % h.layout.swapped_bytes > 0))
        throw unsupported(file.path(), "the layout of its DICOM pixels is not supported");
    for (std::int64_t i = 0; i < count; ++i) {
        DicomHeader& frame = frames[static_cast<std::size_t>(i)];
        const std::int64_t bit = h.layout.packed_bits ? i * pixels : 8 * i * needed;
        frame.layout.skipped_bits = static_cast<int>(bit % 8);
        frame.pixels_begin = begin + bit / 8;
        frame.pixels_end =
            h.layout.packed_bits ? begin + (bit + pixels + 7) / 8 : frame.pixels_begin + needed;
    }
    if (count == 1) frames[0].pixels_end = begin + std::min(there, needed + needed % 2);
}

[[noreturn]] void fail_table(const InputFile& file) {
    throw unreadable(file.path(),
                     "its compressed pixels are damaged (their offset table is not that of their "
                     "frames)");
}

// The offsets of frames from the first fragment on, as the table in front of it has them.
std::vector<std::int64_t> offsets_in(const InputFile& file, const DicomWalker::Fragment& table) {
    std::vector<std::uint8_t> raw(static_cast<std::size_t>(table.length));
    if (raw.size() % 4 > 0) fail_table(file);
    file.read(table.begin, raw);
    std::vector<std::int64_t> offsets;
    for (std::size_t at = 0; at < raw.size(); at += 4)
        offsets.push_back(raw[at] | raw[at + 1] << 8 | raw[at + 2] << 16 |
                          std::int64_t{raw[at + 3]} << 24);
    return offsets;
}

// Where the first fragment of each frame begins, with its head.
std::vector<std::int64_t> starts_of(const InputFile& file, const DicomWalker& walker,
                                    std::size_t count) {
    const auto& table = walker.fragments.front();
    const std::span fragments = std::span(walker.fragments).subspan(1);
    if (table.length != 0 && table.length != 4 * static_cast<std::int64_t>(count)) fail_table(file);
    const std::vector<std::int64_t> offsets = offsets_in(file, table);
    std::vector<std::int64_t> starts;
    if (count > 1 && fragments.size() == count) {
        for (const auto& fragment : fragments) starts.push_back(fragment.begin - item_head);
        return starts;
    }
    const std::int64_t first = table.begin + table.length;
    if (count == 1) {
        if (!offsets.empty() && offsets[0] != 0) fail_table(file);
        return {first};
    }
    if (offsets.empty())
        throw unsupported(file.path(), "its " + std::to_string(count) + " frames lie in " +
                                           std::to_string(fragments.size()) +
                                           " fragments, and no table says which are whose");
    for (const std::int64_t offset : offsets) {
        const std::int64_t value = first + offset + item_head;
        const auto found = std::lower_bound(
            fragments.begin(), fragments.end(), value,
            [](const DicomWalker::Fragment& f, std::int64_t begin) { return f.begin < begin; });
        const bool is_start = found != fragments.end() && found->begin == value;
        if (!is_start || (starts.empty() ? offset != 0 : first + offset <= starts.back()))
            fail_table(file);
        starts.push_back(first + offset);
    }
    return starts;
}

void place_compressed(const InputFile& file, const DicomWalker& walker,
                      std::vector<DicomHeader>& frames) {
    if (walker.fragments.empty()) fail_table(file);
    const std::vector<std::int64_t> starts = starts_of(file, walker, frames.size());
    const auto& last = walker.fragments.back();
    constexpr std::int64_t most_times_smaller = 4096;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        frames[i].pixels_begin = starts[i];
        frames[i].pixels_end = i + 1 < starts.size() ? starts[i + 1] : last.begin + last.length;
        if (bytes_needed(frames[i]) >
            most_times_smaller * (frames[i].pixels_end - frames[i].pixels_begin))
            fail_size(file, frames[i], std::ssize(frames));
    }
}

}  // namespace

std::vector<DicomHeader> with_pixels(const InputFile& file, const DicomWalker& walker,
                                     const DicomHeader& header, std::int64_t count) {
    constexpr std::int64_t most = 1 << 16;
    if (count > most)
        throw unsupported(file.path(), "DICOM files of more than " + std::to_string(most) +
                                           " frames are not supported, and it claims " +
                                           std::to_string(count));
    std::vector<DicomHeader> frames(static_cast<std::size_t>(count), header);
    if (header.compressed)
        place_compressed(file, walker, frames);
    else
        place_plain(file, walker, frames);
    return frames;
}

}  // namespace tesela::io

// Writes PNG: stripes of rows, filtered and packed by all cores, are one stream of deflate
// (RFC 1950) in a chunk each.
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "io/deflate_pieces.h"
#include "io/in_order.h"
#include "io/picture.h"
#include "io/pixel_size.h"
#include "io/png_filter.h"
#include "io/zlib_stream.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Row = std::span<const std::uint8_t>;

void put(Bytes& bytes, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}
void put(Bytes& bytes, std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
}

class PngWriter {
  public:
    PngWriter(const AnyImage& image, OutputFile& file, Compression compression, bool in_print)
        : image_(image),
          file_(file),
          compression_(compression),
          in_print_(in_print),
          shape_(shape_of(image)),
          value_bytes_(static_cast<std::size_t>(pixel_type_bytes(pixel_type_of(image)))),
          row_bytes_(static_cast<std::size_t>(shape_.x * shape_.channels) * value_bytes_) {}

    void write() {
        constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
        file_.write_or_throw(signature.data(), signature.size());
        write_header();
        write_pixels();
        put_chunk("IEND", {});
    }

  private:
    struct Stripe {
        Bytes packed;
        std::uint32_t checksum;
        std::int64_t unpacked;
    };

    void put_chunk(std::string_view name, const Bytes& data) {
        Bytes chunk;
        chunk.reserve(data.size() + 12);
        put(chunk, static_cast<std::uint32_t>(data.size()));
        put(chunk, name);
        chunk.insert(chunk.end(), data.begin(), data.end());
        put(chunk, crc32_gzip_refl(0, chunk.data() + 4, chunk.size() - 4));
        file_.write_or_throw(chunk.data(), chunk.size());
    }

    void write_header() {
        static constexpr std::uint8_t colors[] = {0, 4, 2,
                                                  6};  // gray and RGB, without and with alpha
        Bytes header;
        put(header, static_cast<std::uint32_t>(shape_.x));
        put(header, static_cast<std::uint32_t>(shape_.y));
        header.push_back(static_cast<std::uint8_t>(8 * value_bytes_));
        header.push_back(colors[shape_.channels - 1]);
        header.insert(header.end(), 3, 0);  // deflate, the five filters, rows from top to bottom
        put_chunk("IHDR", header);
        constexpr auto printed = static_cast<std::uint32_t>(
            print_pixels_of_inch * micrometers_of_meter / micrometers_of_inch + 0.5);
        if (in_print_) return put_resolution({printed, printed});
        const auto counts = png_counts.counts_of(shape_, geometry_of(image_));
        if (!counts) return;
        put_resolution(*counts);
        Bytes text;
        put(text, std::string_view("Software\0", 9));
        put(text, software);
        put_chunk("tEXt", text);
    }

    void put_resolution(const std::array<std::uint32_t, 2>& counts) {
        Bytes size;
        for (const std::uint32_t count : counts) put(size, count);
        size.push_back(1);  // in a meter
        put_chunk("pHYs", size);
    }

    void write_pixels() {
        constexpr std::size_t stripe_bytes = 1 << 20;
        const auto rows =
            static_cast<std::int64_t>(std::max<std::size_t>(1, stripe_bytes / (row_bytes_ + 1)));
        const std::int64_t stripes = (shape_.y + rows - 1) / rows;
        std::uint32_t checksum = 1;
        make_in_order(
            stripes, 0,
            [&](std::int64_t i) {
                return packed_stripe(i * rows, std::min(shape_.y, (i + 1) * rows));
            },
            [&](std::int64_t i, Stripe& stripe) {
                checksum = static_cast<std::uint32_t>(
                    adler32_combine(checksum, stripe.checksum, stripe.unpacked));
                constexpr std::uint8_t head[] = {0x78, 0x9c};  // deflate, a window of 32 KiB
                if (i == 0) stripe.packed.insert(stripe.packed.begin(), head, std::end(head));
                if (i == stripes - 1) put(stripe.packed, checksum);
                put_chunk("IDAT", stripe.packed);
            });
    }

    Stripe packed_stripe(std::int64_t first, std::int64_t end) const {
        const Bytes bytes = filtered(first, end);
        return {packed(bytes, first, end == shape_.y), isal_adler32(1, bytes.data(), bytes.size()),
                std::ssize(bytes)};
    }

    // The rows, each with its filter before it. What is not packed gets none.
    Bytes filtered(std::int64_t first, std::int64_t end) const {
        Bytes out(static_cast<std::size_t>(end - first) * (row_bytes_ + 1));
        PngFilter filter(row_bytes_, value_bytes_ * static_cast<std::size_t>(shape_.channels));
        Bytes here, before;  // in the order of bytes of PNG
        const Bytes zeros(row_bytes_);
        Row above = first > 0 ? row(first - 1, before) : Row(zeros);
        for (std::int64_t y = first; y < end; ++y) {
            const auto to = std::span(out).subspan(
                static_cast<std::size_t>(y - first) * (row_bytes_ + 1), row_bytes_ + 1);
            const Row values = row(y, here);
            if (compression_ == Compression::none)
                std::copy(values.begin(), values.end(), to.begin() + 1);
            else
                filter.apply(values, above, to);
            above = values;
            std::swap(here, before);
        }
        return out;
    }

    // A row with its highest bytes first, in `room` where the machine has them last.
    Row row(std::int64_t y, Bytes& room) const {
        const Row stored(static_cast<const std::uint8_t*>(pixel_data(image_)) +
                             static_cast<std::size_t>(y) * row_bytes_,
                         row_bytes_);
        if (value_bytes_ == 1 || std::endian::native == std::endian::big) return stored;
        room.resize(row_bytes_);
        for (std::size_t i = 0; i < row_bytes_; i += 2) {
            room[i] = stored[i + 1];
            room[i + 1] = stored[i];
        }
        return room;
    }

    Bytes packed(const Bytes& bytes, std::int64_t first, bool last) const {
        constexpr int usual = 6, best = 9;
        switch (compression_) {
            case Compression::none:
                return deflate_small(bytes, last, 0);
            case Compression::fast:
                return deflate_fast(bytes, last);
            case Compression::small:
                return shorter(deflate_small(bytes, last, best, Matching::runs),
                               with_matches(bytes, first, last, best));
            case Compression::automatic:
                break;
        }
        // Runs of a byte alone are found ten times as fast as all that repeats, and where nothing
        // else does, as in photographs and many label maps, they give the shorter file, too.
        const double ratio = ratio_of_runs(bytes);
        constexpr double surely = 0.95, perhaps = 1.1;
        if (ratio < surely) return deflate_small(bytes, last, usual, Matching::runs);
        Bytes matches = with_matches(bytes, first, last, usual);
        if (ratio > perhaps) return matches;
        return shorter(deflate_small(bytes, last, usual, Matching::runs), std::move(matches));
    }

    static Bytes shorter(Bytes a, Bytes b) { return a.size() <= b.size() ? a : b; }

    Bytes with_matches(const Bytes& bytes, std::int64_t first, bool last, int level) const {
        constexpr std::size_t window = 1 << 15;
        const auto rows = static_cast<std::int64_t>(window / (row_bytes_ + 1) + 1);
        const Bytes before = filtered(std::max<std::int64_t>(first - rows, 0), first);
        return deflate_small(bytes, last, level, Matching::filtered,
                             Row(before).last(std::min(before.size(), window)));
    }

    // The length that the middle of a stripe has by runs alone, in proportion to that by matches.
    static double ratio_of_runs(const Bytes& bytes) {
        const std::size_t sample = std::min<std::size_t>(bytes.size(), 1 << 16);
        const auto middle = std::span(bytes).subspan((bytes.size() - sample) / 2, sample);
        constexpr int level = 6;
        return static_cast<double>(deflate_small(middle, true, level, Matching::runs).size()) /
               static_cast<double>(zlib_packed(middle, level).size());
    }

    const AnyImage& image_;
    OutputFile& file_;
    const Compression compression_;
    const bool in_print_;
    const Shape shape_;
    const std::size_t value_bytes_, row_bytes_;
};

}  // namespace

void write_png(const AnyImage& image, OutputFile& file, Compression compression, bool in_print) {
    PngWriter(image, file, compression, in_print).write();
    file.close();
}

}  // namespace tesela::io

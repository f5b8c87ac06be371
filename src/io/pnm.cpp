// Portable bitmaps, gray maps and pixmaps (netpbm.sourceforge.net/doc/pnm.html): P1 to P6, of 1, 8
// and 16 bits.
#include <algorithm>
#include <limits>

#include "io/picture.h"

namespace tesela::io {
namespace {

constexpr int bits_form = 1, text_forms = 3;  // P1 and P4 are bits, P1 to P3 texts

bool is_blank(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The bytes of a file, with comments between the words of its head.
class Source {
  public:
    explicit Source(const InputFile& file) : file_(file), piece_(std::size_t{1} << 16) {}

    // -1 behind the last byte.
    int next() {
        if (at_ == got_) {
            got_ = file_.read_some(offset_, piece_);
            offset_ += static_cast<std::int64_t>(got_);
            at_ = 0;
        }
        return at_ == got_ ? -1 : piece_[at_++];
    }
    std::int64_t place() const { return offset_ - static_cast<std::int64_t>(got_ - at_); }

    // A whole number with blanks and comments before it, and one byte behind it.
    std::int64_t number(const char* what) {
        int c = visible();
        std::int64_t value = 0;
        if (c < '0' || c > '9') refuse(what);
        for (; c >= '0' && c <= '9'; c = next()) {
            value = 10 * value + (c - '0');
            if (value > std::numeric_limits<std::int32_t>::max()) refuse(what);
        }
        if (c >= 0 && !is_blank(static_cast<std::uint8_t>(c)) && c != '#') refuse(what);
        if (c == '#') pass_comment();
        return value;
    }
    // One of the bits of P1, which need no blanks in between.
    int bit() {
        const int c = visible();
        if (c != '0' && c != '1') refuse("pixels");
        return c - '0';
    }
    // The next byte that is neither blank nor of a comment.
    int visible() {
        int c = next();
        while (c >= 0 && (is_blank(static_cast<std::uint8_t>(c)) || c == '#')) {
            if (c == '#') pass_comment();
            c = next();
        }
        return c;
    }

  private:
    void pass_comment() {
        for (int c = next(); c >= 0 && c != '\n' && c != '\r';) c = next();
    }
    [[noreturn]] void refuse(const char* what) const {
        throw unreadable(file_.path(), std::string("the PNM file has no valid ") + what +
                                           " before byte " + std::to_string(place()));
    }

    const InputFile& file_;
    std::vector<std::uint8_t> piece_;
    std::size_t at_ = 0, got_ = 0;
    std::int64_t offset_ = 0;
};

struct Header {
    int form = 0;  // 1 to 6
    std::int64_t width = 0, height = 0, largest = 1;

    bool is_bits() const { return form % text_forms == bits_form; }
    bool is_text() const { return form <= text_forms; }
    int channels() const { return form % text_forms == 0 ? 3 : 1; }
    int sample_bytes() const { return largest > 0xff ? 2 : 1; }
    std::int64_t row_bytes() const {
        return is_bits() ? (width + 7) / 8 : width * channels() * sample_bytes();
    }
};

Header parse(Source& source, const InputFile& file) {
    Header h;
    source.next();  // P
    h.form = source.next() - '0';
    h.width = source.number("width");
    h.height = source.number("height");
    if (!h.is_bits()) h.largest = source.number("largest value");
    if (h.width == 0 || h.height == 0)
        throw unreadable(file.path(), "the PNM header claims " + std::to_string(h.width) + " x " +
                                          std::to_string(h.height) + " pixels");
    constexpr std::int64_t most = 0xffff;
    if (h.largest == 0 || h.largest > most)
        throw unreadable(file.path(), "the PNM header has the largest value " +
                                          std::to_string(h.largest) + ", not 1 to 65535");
    // Of text a sample takes a digit, and a blank but for bits.
    const std::int64_t left = file.size() - source.place();
    const std::int64_t samples = h.width * h.channels();
    const std::int64_t row = !h.is_text() ? h.row_bytes() : h.is_bits() ? samples : 2 * samples;
    if (row > (left + 1) / h.height)
        throw unreadable(file.path(), "the header claims " + std::to_string(h.width) + " x " +
                                          std::to_string(h.height) +
                                          " pixels, more than the file holds");
    return h;
}

// Bits are stored as they are where indices are asked for; otherwise 1 is black.
std::uint8_t of_bit(int bit, bool as_indices) {
    if (as_indices) return static_cast<std::uint8_t>(bit);
    return bit != 0 ? 0 : 255;
}

template <class T>
void read_text(Source& source, const InputFile& file, const Header& h, bool as_indices,
               Image<T>& image) {
    for (T& value : image.pixels()) {
        if (h.is_bits()) {
            value = of_bit(source.bit(), as_indices);
            continue;
        }
        const std::int64_t sample = source.number("pixels");
        if (sample > h.largest)
            throw unreadable(file.path(), "a pixel of the PNM file is " + std::to_string(sample) +
                                              ", above its largest value, " +
                                              std::to_string(h.largest));
        value = static_cast<T>(sample);
    }
}

template <class T>
void read_rows(const InputFile& file, const Header& h, std::int64_t offset, bool as_indices,
               Image<T>& image) {
    std::vector<std::uint8_t> row(static_cast<std::size_t>(h.row_bytes()));
    T* out = image.data();
    for (std::int64_t y = 0; y < h.height; ++y) {
        file.read(offset + y * h.row_bytes(), row);
        if (h.is_bits())
            for (std::int64_t x = 0; x < h.width; ++x)
                *out++ =
                    of_bit(row[static_cast<std::size_t>(x / 8)] >> (7 - x % 8) & 1, as_indices);
        else if (h.sample_bytes() == 1)
            out = std::copy(row.begin(), row.end(), out);
        else
            for (std::size_t i = 0; i < row.size(); i += 2)
                *out++ = static_cast<T>(row[i] << 8 | row[i + 1]);
    }
}

// Values above the largest one of a header that says so are as they are stored.
std::vector<std::string> warnings_of(const Header& h, bool has_more) {
    std::vector<std::string> warnings;
    const std::int64_t usual = h.sample_bytes() == 1 ? 0xff : 0xffff;
    if (!h.is_bits() && h.largest != usual)
        warnings.push_back("the largest value of the PNM file is " + std::to_string(h.largest) +
                           "; values are as they are stored");
    if (has_more)
        warnings.emplace_back(
            "the PNM file holds more than one picture, of which the first is read");
    return warnings;
}

}  // namespace

bool is_pnm(std::span<const std::uint8_t> head) {
    return head.size() > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' &&
           (is_blank(head[2]) || head[2] == '#');
}

ReadResult read_pnm(const InputFile& file, const DecodeOptions& options) {
    Source source(file);
    const Header h = parse(source, file);
    const PixelType type = h.sample_bytes() == 1 ? PixelType::u8 : PixelType::u16;
    AnyImage any = allocate(file.path(), type, {h.width, h.height, 1, 1, h.channels()}, options,
                            h.row_bytes());
    const std::int64_t offset = source.place();
    const auto read = [&](auto& image) {
        if (h.is_text())
            read_text(source, file, h, options.indices, image);
        else
            read_rows(file, h, offset, options.indices, image);
    };
    if (type == PixelType::u8)
        read(std::get<Image<std::uint8_t>>(any));
    else
        read(std::get<Image<std::uint16_t>>(any));
    const bool has_more = !h.is_text() && file.size() > offset + h.height * h.row_bytes();
    return {std::move(any), "PNM", warnings_of(h, has_more)};
}

}  // namespace tesela::io

// GIF (CompuServe's GIF89a specification, appendix F for the compression): the first frame.
#include <algorithm>
#include <array>

#include "io/picture.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Colors = std::vector<std::array<std::uint8_t, 3>>;

constexpr unsigned extension = 0x21, frame_mark = 0x2c, end_of_file = 0x3b;

class Source {
  public:
    explicit Source(const InputFile& file)
        : file_(file), bytes_(static_cast<std::size_t>(file.size())) {
        file.read(0, bytes_);
    }

    [[noreturn]] void damaged(const std::string& reason) const {
        throw unreadable(file_.path(), "its GIF data are damaged: " + reason);
    }
    std::span<const std::uint8_t> take(std::size_t count) {
        if (count > bytes_.size() - at_) damaged("they end early");
        at_ += count;
        return std::span(bytes_).subspan(at_ - count, count);
    }
    unsigned u8() { return take(1)[0]; }
    unsigned u16() {
        const auto pair = take(2);
        return pair[0] | unsigned{pair[1]} << 8;
    }
    // Data in blocks with their lengths in front, to the empty one.
    Bytes blocks() {
        Bytes data;
        while (const std::size_t length = u8()) {
            const auto block = take(length);
            data.insert(data.end(), block.begin(), block.end());
        }
        return data;
    }
    // `marks` has the logarithm of their number, less one.
    Colors colors(unsigned marks) {
        Colors colors(std::size_t{2} << (marks & 7));
        for (auto& color : colors) std::ranges::copy(take(color.size()), color.begin());
        return colors;
    }

  private:
    const InputFile& file_;
    Bytes bytes_;
    std::size_t at_ = 0;
};

struct Frame {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
    bool is_interlaced = false;
    int transparent = -1;  // index
    Colors colors;
    unsigned code_bits = 0;
    Bytes data;
};

struct Gif {
    std::int64_t width = 0, height = 0;
    unsigned background = 0;  // index, of what the frame leaves out
    Frame first;
    std::int64_t frames = 0;

    bool is_covered() const { return first.width == width && first.height == height; }
};

Frame take_frame(Source& source, const Colors& shared) {
    Frame frame;
    frame.left = source.u16();
    frame.top = source.u16();
    frame.width = source.u16();
    frame.height = source.u16();
    const unsigned marks = source.u8();
    frame.is_interlaced = marks & 0x40;
    frame.colors = marks & 0x80 ? source.colors(marks) : shared;
    frame.code_bits = source.u8();
    frame.data = source.blocks();
    return frame;
}

// What a graphic control extension says of the next frame.
int transparent_in(unsigned label, const Bytes& data) {
    constexpr unsigned control = 0xf9;
    return label == control && data.size() >= 4 && (data[0] & 1) ? data[3] : -1;
}

Gif parse(Source& source) {
    source.take(6);
    Gif gif;
    gif.width = source.u16();
    gif.height = source.u16();
    const unsigned marks = source.u8();
    gif.background = source.u8();
    source.u8();  // the aspect of a pixel
    const Colors shared = marks & 0x80 ? source.colors(marks) : Colors();
    int transparent = -1;
    for (;;) {
        const unsigned mark = source.u8();
        if (mark == end_of_file) break;
        if (mark == extension) {
            const unsigned label = source.u8();
            const Bytes data = source.blocks();
            if (const int index = transparent_in(label, data); index >= 0) transparent = index;
        } else if (mark == frame_mark) {
            Frame frame = take_frame(source, shared);
            if (gif.frames++ > 0) continue;
            frame.transparent = transparent;
            gif.first = std::move(frame);
        } else {
            source.damaged("a block of an unknown kind");
        }
    }
    return gif;
}

void check(const Gif& gif, const InputFile& file, const Source& source) {
    const Frame& f = gif.first;
    if (gif.frames == 0) throw unsupported(file.path(), "it is a GIF without a picture");
    if (f.width < 1 || f.height < 1 || f.left + f.width > gif.width ||
        f.top + f.height > gif.height)
        source.damaged("the first frame is empty or reaches beyond the picture");
    constexpr unsigned least = 2, most = 8;
    if (f.code_bits < least || f.code_bits > most)
        source.damaged("codes of " + std::to_string(f.code_bits) + " bits");
    // A code stands for at most as many pixels as there are codes.
    constexpr std::int64_t most_times_smaller = 4096;
    if (gif.width * gif.height > most_times_smaller * file.size())
        source.damaged("they claim " + std::to_string(gif.width) + " x " +
                       std::to_string(gif.height) + " pixels, more than the file holds");
}

// The indices of a frame's pixels, in the order of the file.
Bytes unpacked(const Frame& frame, const Source& source) {
    constexpr std::size_t most_codes = 4096;
    const unsigned clear = 1u << frame.code_bits, end = clear + 1;
    const auto count = static_cast<std::size_t>(frame.width * frame.height);
    struct Entry {
        std::uint16_t before = 0;  // the string without its last pixel
        std::uint16_t length = 0;
        std::uint8_t first = 0, last = 0;
    };
    std::array<Entry, most_codes> table{};
    for (unsigned i = 0; i < clear; ++i)
        table[i] = {0, 1, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i)};
    Bytes pixels;
    pixels.reserve(count);
    unsigned bits = frame.code_bits + 1, next = end + 1, held = 0, held_bits = 0;
    int before = -1;
    std::size_t at = 0;
    while (pixels.size() < count) {
        for (; held_bits < bits; held_bits += 8) {
            if (at == frame.data.size()) source.damaged("the pixels end early");
            held |= unsigned{frame.data[at++]} << held_bits;
        }
        const unsigned code = held & ((1u << bits) - 1);
        held >>= bits;
        held_bits -= bits;
        if (code == end) source.damaged("the pixels end early");
        if (code == clear) {
            bits = frame.code_bits + 1;
            next = end + 1;
            before = -1;
            continue;
        }
        const bool is_new = code == next && before >= 0;  // the one that is made by itself
        if (code > next || (code == next && !is_new) || (before < 0 && code > clear))
            source.damaged("a code that nothing was said of");
        if (before >= 0 && next < most_codes) {
            const Entry& head = table[static_cast<std::size_t>(before)];
            table[next++] = {static_cast<std::uint16_t>(before),
                             static_cast<std::uint16_t>(head.length + 1), head.first,
                             is_new ? head.first : table[code].first};
            if (next == 1u << bits && next < most_codes) ++bits;
        }
        const std::size_t length = table[code].length, begin = pixels.size();
        if (length > count - begin) source.damaged("more pixels than the frame has");
        pixels.resize(begin + length);
        for (std::size_t i = length, part = code; i-- > 0; part = table[part].before)
            pixels[begin + i] = table[part].last;
        before = static_cast<int>(code);
    }
    return pixels;
}

// The rows of a frame in the order of the file.
std::vector<std::int64_t> row_order(const Frame& frame) {
    std::vector<std::int64_t> rows;
    if (frame.is_interlaced) {
        constexpr std::array<std::pair<int, int>, 4> passes{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
        for (const auto& [first, step] : passes)
            for (std::int64_t y = first; y < frame.height; y += step) rows.push_back(y);
    } else {
        for (std::int64_t y = 0; y < frame.height; ++y) rows.push_back(y);
    }
    return rows;
}

// Calls `put` with the pixels of the picture that a frame has, and their indices.
template <class Put>
void for_each_pixel(const Frame& frame, const Bytes& indices, const Put& put) {
    auto index = indices.begin();
    for (const std::int64_t y : row_order(frame))
        for (std::int64_t x = 0; x < frame.width; ++x) put(frame.left + x, frame.top + y, *index++);
}

bool is_gray(const Colors& colors) {
    return std::all_of(colors.begin(), colors.end(), [](const auto& color) {
        return color[0] == color[1] && color[1] == color[2];
    });
}

void put_colors(const Gif& gif, const Bytes& indices, const Source& source,
                Image<std::uint8_t>& image) {
    const Frame& frame = gif.first;
    const int channels = image.shape().channels, shown = channels - image.has_alpha;
    for_each_pixel(frame, indices, [&](std::int64_t x, std::int64_t y, std::uint8_t index) {
        if (index >= frame.colors.size())
            source.damaged("a pixel has the color " + std::to_string(index) + " of " +
                           std::to_string(frame.colors.size()));
        if (index == frame.transparent) return;  // as what lies outside of the frame
        std::uint8_t* out = &image(x, y);
        std::copy_n(frame.colors[index].data(), shown, out);
        if (image.has_alpha) out[shown] = 255;
    });
}

}  // namespace

ReadResult read_gif(const InputFile& file, const DecodeOptions& options) {
    require_memory(file.path(), 0, options.max_bytes, file.size());
    Source source(file);
    const Gif gif = parse(source);
    check(gif, file, source);
    const Frame& frame = gif.first;
    const bool is_seen_through = !options.indices && (frame.transparent >= 0 || !gif.is_covered());
    const int channels =
        options.indices ? 1 : (is_gray(frame.colors) ? 1 : 3) + (is_seen_through ? 1 : 0);
    const std::int64_t work = 2 * file.size() + frame.width * frame.height;
    ReadResult result{allocate(file.path(), PixelType::u8, {gif.width, gif.height, 1, 1, channels},
                               options, work),
                      "GIF",
                      {}};
    result.work_bytes = work;
    auto& image = std::get<Image<std::uint8_t>>(result.image);
    image.has_alpha = is_seen_through;
    const Bytes indices = unpacked(frame, source);
    if (options.indices) {
        std::fill(image.pixels().begin(), image.pixels().end(),
                  static_cast<std::uint8_t>(gif.background));
        for_each_pixel(frame, indices, [&](std::int64_t x, std::int64_t y, std::uint8_t index) {
            image(x, y) = index;
        });
    } else {
        put_colors(gif, indices, source, image);
    }
    if (gif.frames > 1)
        result.warnings.push_back("it is a GIF of " + std::to_string(gif.frames) +
                                  " pictures, of which the first is read");
    return result;
}

}  // namespace tesela::io

// Flow fields as the programs of J. L. Barron, D. J. Fleet and S. S. Beauchemin write and read them
// ("Performance of optical flow techniques", IJCV 12, 1994; the README of their test data): six
// floats (width and height of the frame, of the part with vectors, and that part's place), then
// pairs of floats, row by row. Their machines were big-endian; files made by the same programs on
// others are not. (100, 100) is no vector. Vectors are drawn, and compared, with y upward.
#include <algorithm>
#include <array>
#include <cmath>

#include "io/flow.h"

namespace tesela::io {
namespace {

using Header = std::array<float, 6>;

constexpr float no_value = 100;
constexpr std::int64_t largest_length = 1 << 24;  // to here floats are exact integers

bool is_count(float value) {
    return value >= 0 && value <= static_cast<float>(largest_length) && std::floor(value) == value;
}

// The borders without vectors are as wide as some filter. The bound keeps a damaged header from
// asking for a frame that is far larger than the file.
bool fits(std::int64_t frame, std::int64_t length, std::int64_t offset) {
    constexpr std::int64_t widest_borders = 1024;
    return length >= 1 && offset + length <= frame && frame <= 2 * length + widest_borders;
}

std::optional<BarronHeader> as_header(Header words, std::endian order) {
    convert_words(words.data(), words.size(), order);
    if (!std::all_of(words.begin(), words.end(), is_count)) return {};
    const auto number = [&](std::size_t i) { return static_cast<std::int64_t>(words[i]); };
    const BarronHeader h{number(0), number(1), number(2), number(3), number(4), number(5), order};
    if (!fits(h.frame_width, h.width, h.left) || !fits(h.frame_height, h.height, h.top)) return {};
    return h;
}

}  // namespace

std::optional<BarronHeader> barron_header(const InputFile& file) {
    Header words{};
    if (file.size() < static_cast<std::int64_t>(sizeof words)) return {};
    file.read(0, {reinterpret_cast<std::uint8_t*>(words.data()), sizeof words});
    const auto header = as_header(words, std::endian::big);
    return header ? header : as_header(words, std::endian::little);
}

FlowField read_barron(const InputFile& file, const BarronHeader& header,
                      const ReadOptions& options) {
    FlowField stored =
        make_claimed_flow(file, sizeof(Header), header.width, header.height, options);
    file.read(sizeof(Header), {reinterpret_cast<std::uint8_t*>(stored.data()),
                               stored.pixels().size() * sizeof(float)});
    convert_words(stored.data(), stored.pixels().size(), header.order);
    for (std::int64_t i = 0; i < stored.shape().points(); ++i) {
        float* vector = stored.data() + 2 * i;
        if (vector[0] == no_value && vector[1] == no_value)
            vector[0] = vector[1] = unknown_flow;
        else
            vector[1] = -vector[1];
    }
    if (header.width == header.frame_width && header.height == header.frame_height) return stored;
    FlowField flow = make_flow(file.path(), header.frame_width, header.frame_height, options);
    std::fill(flow.pixels().begin(), flow.pixels().end(), unknown_flow);
    for (std::int64_t y = 0; y < header.height; ++y)
        std::copy_n(stored.data() + 2 * y * header.width, 2 * header.width,
                    flow.data() + 2 * ((header.top + y) * header.frame_width + header.left));
    return flow;
}

void write_barron(const FlowField& flow, OutputFile& file) {
    const Shape& shape = flow.shape();
    const std::string cannot = "cannot write " + quoted(file.shown()) + ": Barron's format ";
    if (shape.x > largest_length || shape.y > largest_length)
        throw TooNarrow(cannot + "holds lengths up to 16777216; use .flo");
    const auto width = static_cast<float>(shape.x), height = static_cast<float>(shape.y);
    Header header{width, height, width, height, 0, 0};
    std::vector<float> words = flow.pixels();
    for (std::size_t i = 0; i < words.size(); i += 2) {
        if (!is_known(words[i], words[i + 1])) {
            words[i] = words[i + 1] = no_value;
            continue;
        }
        words[i + 1] = -words[i + 1];
        if (words[i] == no_value && words[i + 1] == no_value)
            throw TooNarrow(cannot + "takes the motion (100, -100) for an unknown one; use .flo");
    }
    convert_words(header.data(), header.size(), std::endian::big);
    convert_words(words.data(), words.size(), std::endian::big);
    file.write_or_throw(header.data(), sizeof header);
    file.write_or_throw(words.data(), words.size() * sizeof(float));
    file.close();
}

}  // namespace tesela::io

#include "io/video/palette.h"

#include <algorithm>

namespace tesela::io {
namespace {

constexpr int bits = 7, dropped = 8 - bits, levels = 1 << bits;

struct Color {
    std::array<std::uint8_t, 3> level{};
    std::int64_t count = 0;
};
// A range of the colors.
struct Box {
    std::size_t first = 0, end = 0;
    int axis = 0;    // along which it is longest
    int extent = 0;  // there
};

Box box_of(const std::vector<Color>& colors, std::size_t first, std::size_t end) {
    Box box{first, end};
    for (int axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        int least = levels, most = 0;
        for (std::size_t i = first; i < end; ++i) {
            least = std::min<int>(least, colors[i].level[at]);
            most = std::max<int>(most, colors[i].level[at]);
        }
        if (most - least > box.extent) {
            box.extent = most - least;
            box.axis = axis;
        }
    }
    return box;
}

// Where half of the pixels are on either side.
std::size_t cut(std::vector<Color>& colors, const Box& box) {
    const auto axis = static_cast<std::size_t>(box.axis);
    const auto begin = colors.begin() + static_cast<std::ptrdiff_t>(box.first);
    const auto end = colors.begin() + static_cast<std::ptrdiff_t>(box.end);
    std::sort(begin, end,
              [&](const Color& a, const Color& b) { return a.level[axis] < b.level[axis]; });
    std::int64_t all = 0, sum = 0;
    for (auto color = begin; color != end; ++color) all += color->count;
    std::size_t at = box.first;
    while (at + 1 < box.end && 2 * (sum += colors[at].count) < all) ++at;
    return std::clamp(at + 1, box.first + 1, box.end - 1);
}

std::uint32_t mean_of(const std::vector<Color>& colors, const Box& box) {
    std::array<std::int64_t, 3> sum{};
    std::int64_t count = 0;
    for (std::size_t i = box.first; i < box.end; ++i) {
        count += colors[i].count;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += colors[i].count * colors[i].level[c];
    }
    std::uint32_t color = 0xff;
    for (const std::int64_t channel : sum)
        color = color << 8 | static_cast<std::uint32_t>(255 * channel / ((levels - 1) * count));
    return color;
}

std::size_t place_of(const std::uint8_t* pixel, int channels) {
    std::size_t place = 0;
    for (int c = 0; c < 3; ++c)
        place = place << bits | static_cast<std::size_t>(pixel[channels == 3 ? c : 0] >> dropped);
    return place;
}

}  // namespace

Palette palette_of(const Image<std::uint8_t>& image) {
    const int channels = image.shape().channels;
    const std::int64_t points = image.shape().points();
    std::vector<std::int64_t> counts(std::size_t{1} << 3 * bits);
    for (std::int64_t i = 0; i < points; ++i)
        ++counts[place_of(&image.data()[i * channels], channels)];
    std::vector<Color> colors;
    for (std::size_t place = 0; place < counts.size(); ++place)
        if (counts[place] > 0)
            colors.push_back({{static_cast<std::uint8_t>(place >> 2 * bits),
                               static_cast<std::uint8_t>(place >> bits & (levels - 1)),
                               static_cast<std::uint8_t>(place & (levels - 1))},
                              counts[place]});
    std::vector<Box> boxes{box_of(colors, 0, colors.size())};
    Palette palette;
    while (boxes.size() < palette.colors.size()) {
        const auto longest =
            std::max_element(boxes.begin(), boxes.end(),
                             [](const Box& a, const Box& b) { return a.extent < b.extent; });
        if (longest->extent == 0) break;
        const std::size_t middle = cut(colors, *longest), end = longest->end;
        *longest = box_of(colors, longest->first, middle);
        boxes.push_back(box_of(colors, middle, end));
    }
    std::vector<std::uint8_t> number(counts.size());
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        palette.colors[b] = mean_of(colors, boxes[b]);
        for (std::size_t i = boxes[b].first; i < boxes[b].end; ++i) {
            const auto& level = colors[i].level;
            number[std::size_t{level[0]} << 2 * bits | std::size_t{level[1]} << bits | level[2]] =
                static_cast<std::uint8_t>(b);
        }
    }
    palette.pixels.resize(static_cast<std::size_t>(points));
    for (std::int64_t i = 0; i < points; ++i)
        palette.pixels[static_cast<std::size_t>(i)] =
            number[place_of(&image.data()[i * channels], channels)];
    return palette;
}

}  // namespace tesela::io

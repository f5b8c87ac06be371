#include <algorithm>
#include <cmath>

#include "tesela/picture_text.h"

namespace tesela {
namespace {

constexpr std::size_t most_entries = 30, most_characters = 40;

// Characters of UTF-8, not bytes.
std::string cut(const std::string& text) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u) continue;
        if (characters++ == most_characters) return text.substr(0, i) + "...";
    }
    return text;
}

// Those that are shown, and a line of the others.
std::vector<std::string> texts_of(const std::vector<LegendEntry>& entries) {
    const bool all = entries.size() <= most_entries;
    const std::size_t shown = all ? entries.size() : most_entries - 1;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < shown; ++i) texts.push_back(cut(entries[i].text));
    if (!all) texts.push_back("and " + std::to_string(entries.size() - shown) + " more");
    return texts;
}

void fill(Image<std::uint8_t>& picture, std::int64_t left, std::int64_t top, std::int64_t side,
          const Rgb& color) {
    for (std::int64_t y = top; y < top + side; ++y)
        for (std::int64_t x = left; x < left + side; ++x)
            for (int c = 0; c < std::min(picture.shape().channels, 3); ++c)
                picture(x, y, 0, 0, c) = color[static_cast<std::size_t>(c)];
}

}  // namespace

Image<std::uint8_t> with_legend(const Image<std::uint8_t>& picture,
                                const std::vector<LegendEntry>& entries) {
    const Shape& shape = picture.shape();
    if (entries.empty()) return picture;
    const double letters =
        std::clamp(static_cast<double>(std::min(shape.x, shape.y)) / 40, 9.0, 40.0);
    const auto side = static_cast<std::int64_t>(std::lround(letters)), gap = side;
    const std::int64_t pitch = 2 * side;
    const std::vector<std::string> texts = texts_of(entries);
    double widest = 0;
    for (const std::string& text : texts) widest = std::max(widest, text_width(text, letters));
    Shape larger = shape;
    larger.x += 3 * gap + side + static_cast<std::int64_t>(std::ceil(widest));
    larger.y = std::max(shape.y, gap + pitch * std::ssize(texts));
    Image<std::uint8_t> result(larger, picture.geometry);
    std::fill(result.pixels().begin(), result.pixels().end(), std::uint8_t{255});
    for (std::int64_t y = 0; y < shape.y; ++y)
        std::copy_n(&picture(0, y), shape.x * shape.channels, &result(0, y));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::int64_t top = gap + pitch * static_cast<std::int64_t>(i);
        const std::int64_t left = shape.x + gap;
        const bool is_rest = i + 1 == texts.size() && texts.size() < entries.size();
        if (!is_rest) fill(result, left, top, side, entries[i].color);
        draw_text(result, static_cast<double>(left + side + gap), static_cast<double>(top + side),
                  texts[i], {letters});
    }
    return result;
}

}  // namespace tesela

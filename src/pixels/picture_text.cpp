#include "tesela/picture_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "pixels/ink.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Strokes of the characters from '!' to '~', a line of points each. A point is two hexadecimal
// digits, x from the left and y from below: letters stand on 3, small ones reach to 9, capitals to
// c, and tails to 0.
constexpr std::array<std::string_view, 94> strokes{
    "0c06|0303",                            // !
    "0c0a|2c2a",                            // "
    "1329|5369|0646|0868",                  // #
    "7a5c2c0a0928577675532305|3d32",        // $
    "038c|0b1c2b1a0b|6475847364",           // %
    "832a2b3c4c5b5a0705234386",             // &
    "0c0a",                                 // '
    "2c0a0422",                             // (
    "0c2a2402",                             // )
    "2b27|0a48|084a",                       // *
    "0666|3933",                            // +
    "1401",                                 // ,
    "0646",                                 // -
    "0303",                                 // .
    "026c",                                 // /
    "2c4c6a654323050a2c",                   // 0
    "0a3c33",                               // 1
    "0a2c4c6a680363",                       // 2
    "0b2c4c6b694828|486665432304",          // 3
    "535c0676",                             // 4
    "6c1c0829496765432304",                 // 5
    "6b4c2c0a05234365664828 06",            // 6
    "0c6c23",                               // 7
    "2c4c6b694828090b2c|4866654323050628",  // 8
    "042343656a4c2c0a09274769",             // 9
    "0303|0808",                            // :
    "1401|1919",                            // ;
    "690663",                               // <
    "0868|0565",                            // =
    "096603",                               // >
    "0a2c4c6a693736|3333",                  // ?
    "7355467758|788a6c2c0a052373",          // @
    "034c83|1676",                          // A
    "030c5c6b695808|587774 5303",           // B
    "8a6c2c0a05236385",                     // C
    "030c5c89865303",                       // D
    "7c0c0373|0858",                        // E
    "7c0c03|0858",                          // F
    "8a6c2c0a052363858757",                 // G
    "030c|838c|0888",                       // H
    "030c",                                 // I
    "6c65432305",                           // J
    "030c|8c07|3983",                       // K
    "0c0363",                               // L
    "030c458c83",                           // M
    "030c838c",                             // N
    "2c6c8a856323050a2c",                   // O
    "030c5c7b785707",                       // P
    "2c6c8a856323050a2c|5682",              // Q
    "030c5c7b785707|4773",                  // R
    "7a5c2c0a0928577675532305",             // S
    "0c8c|4c43",                            // T
    "0c052363858c",                         // U
    "0c438c",                               // V
    "0c336b93cc",                           // W
    "038c|0c83",                            // X
    "0c488c|4843",                          // Y
    "0c8c0383",                             // Z
    "2c0c0222",                             // [
    "0c62",                                 // backslash
    "0c2c2202",                             // ]
    "083b68",                               // ^
    "0262",                                 // _
    "0c1a",                                 // `
    "6963|6849290705234364",                // a
    "0c03|0829496765432304",                // b
    "6849290705234364",                     // c
    "6c63|6849290705234364",                // d
    "06666749290705234364",                 // e
    "4c3c2b23|0949",                        // f
    "6961402001|6849290705234364",          // g
    "0c03|0829496763",                      // h
    "0903|0c0c",                            // i
    "29211000|2c2c",                        // j
    "0c03|6906|2763",                       // k
    "0c0413",                               // l
    "0903|0829395753|587989a7a3",           // m
    "0903|0829496763",                      // n
    "294967654323050729",                   // o
    "0900|0829496765432304",                // p
    "6960|6849290705234364",                // q
    "0903|072949",                          // r
    "584919080716465554431304",             // s
    "2c243343|0949",                        // t
    "0905234364|6963",                      // u
    "093369",                               // v
    "09235883a9",                           // w
    "0369|0963",                            // x
    "0933|69211000",                        // y
    "09690363",                             // z
    "3c2b28172624 33",                      // {
    "0c02",                                 // |
    "0c1b18271614 03",                      // }
    "0628472 9",                            // ~
};
constexpr std::string_view unknown = "030c5c5303";
// In units of the points.
constexpr double base = 3, highest = 12, capital = 9, space = 5, gap = 3;
constexpr double pen = 0.065;  // radius, of a capital's height

using Line = std::vector<InkPoint>;

std::vector<Line> lines_of(std::string_view text) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::vector<Line> lines(1);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '|') {
            lines.emplace_back();
        } else if (text[i] != ' ') {
            lines.back().push_back({double(digit(text[i])), double(digit(text[i + 1]))});
            ++i;
        }
    }
    return lines;
}

// Calls `take` with each character's strokes and where they begin; gives where the text ends. Of a
// character of several bytes the first one counts.
template <class Take>
double for_each_character(std::string_view text, const Take& take) {
    double at = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0u) == 0x80u) continue;
        if (c == ' ') {
            at += space;
            continue;
        }
        const bool known = c > ' ' && c <= '~';
        const std::vector<Line> lines =
            lines_of(known ? strokes[static_cast<std::size_t>(c - '!')] : unknown);
        double width = 0;
        for (const Line& line : lines)
            for (const InkPoint& point : line) width = std::max(width, point.x);
        take(lines, at);
        at += width + gap;
    }
    return std::max(at - gap, 0.0);
}

// Both in um: the largest of 1, 2, 5, 10, ... that is at most a quarter of the width.
double bar_length(double width) {
    const double most = width / 4;
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    for (const double step : {5.0, 2.0})
        if (step * power <= most) return step * power;
    return power;
}

}  // namespace

double text_width(std::string_view text, double height) {
    return for_each_character(text, [](const auto&, double) {}) * height / capital;
}

void draw_text(Image<std::uint8_t>& picture, double x, double y, std::string_view text,
               const TextStyle& style) {
    const double unit = style.height / capital, radius = std::max(pen * style.height, 0.5);
    const double ahead = text_width(text, style.height), up = (highest - base) * unit,
                 down = base * unit;
    const auto reached = [&](const InkPoint& low, const InkPoint& high) {
        return reached_box(picture.shape(), radius, low, high);
    };
    Ink ink(style.upwards ? reached({x - up, y - ahead}, {x + down, y})
                          : reached({x, y - up}, {x + ahead, y + down}),
            radius);
    for_each_character(text, [&](const std::vector<Line>& lines, double at) {
        const auto place = [&](const InkPoint& point) -> InkPoint {
            const double along = (at + point.x) * unit, above = (point.y - base) * unit;
            if (style.upwards) return {x - above, y - along};
            return {x + along, y - above};
        };
        for (const Line& line : lines)
            for (std::size_t i = 0; i + 1 < line.size(); ++i)
                ink.stroke(place(line[i]), place(line[i + 1]));
    });
    ink.print(picture, [&](std::uint32_t) { return style.color; });
}

double draw_scale_bar(Image<std::uint8_t>& picture) {
    if (!picture.geometry.known())
        throw InvalidArgument(
            "the picture does not say the size of its pixels, which a scale bar "
            "is drawn by");
    const Shape& shape = picture.shape();
    const double pixel = picture.geometry.spacing_mm()[0] * 1000;
    const double length = bar_length(pixel * static_cast<double>(shape.x));
    const auto bar = std::max<std::int64_t>(1, std::llround(length / pixel));
    const std::int64_t thick = std::max<std::int64_t>(2, shape.y / 100), border = 2;
    const std::int64_t left = std::max(border, shape.x / 40);
    const std::int64_t top = std::max<std::int64_t>(border, shape.y - shape.y / 40 - thick);
    char text[32];
    if (length >= 1000)
        std::snprintf(text, sizeof text, "%g mm", length / 1000);
    else
        std::snprintf(text, sizeof text, "%g um", length);
    const double letters = std::max(9.0, 2.2 * static_cast<double>(thick));
    const auto text_side = static_cast<std::int64_t>(text_width(text, letters));
    const auto above = static_cast<std::int64_t>(1.8 * letters);  // of the text, with its border
    const std::int64_t right = left + std::max(bar, text_side) + border;
    for (std::int64_t y = std::max<std::int64_t>(top - border - above, 0);
         y < std::min(shape.y, top + thick + border); ++y)
        for (std::int64_t x = left - border; x < std::min(shape.x, right); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const bool inside = x >= left && x < left + bar && y >= top && y < top + thick;
                picture(x, y, 0, 0, c) = inside ? 0 : 255;
            }
    draw_text(picture, static_cast<double>(left), static_cast<double>(top) - 0.5 * letters, text,
              {letters});
    return length;
}

}  // namespace tesela

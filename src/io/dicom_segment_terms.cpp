#include "io/dicom_segment_terms.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace tesela::io {
namespace {

constexpr std::string_view terminology_key = "TerminologyEntry:",
                           algorithm_type_key = "DicomSegmentAlgorithmType:",
                           algorithm_name_key = "DicomSegmentAlgorithmName:";

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        if (end == text.size()) return parts;
        text.remove_prefix(end + 1);
    }
}

// "SCT^10200004^Liver"
DicomCode code_in(const std::string& text) {
    const std::vector<std::string> parts = split(text, '^');
    constexpr std::size_t longest = 16;  // of a value and a scheme (SH)
    const bool is_code = parts.size() == 3 && !parts[0].empty() && !parts[1].empty() &&
                         parts[0].size() <= longest && parts[1].size() <= longest;
    return is_code ? DicomCode{parts[0], parts[1], parts[2]} : DicomCode{};
}

// Its parts stand between separators, which it may not hold.
std::string text_of(const DicomCode& code) {
    std::string text;
    for (std::string part : {code.scheme, code.value, code.meaning}) {
        for (char& c : part)
            if (c == '^' || c == '~' || c == '|' || c == ':') c = ' ';
        text += part + "^";
    }
    text.pop_back();
    return text;
}

// The context, category, type and its modifier; the context, region and its modifier.
void take_terminology(std::string_view entry, SegmentTerms& terms) {
    constexpr std::size_t parts_needed = 4, parts_of_region = 7;
    const std::vector<std::string> parts = split(entry, '~');
    if (parts.size() < parts_needed) return;
    const DicomCode category = code_in(parts[1]), type = code_in(parts[2]);
    if (category.empty() || type.empty()) return;
    terms.category = category;
    terms.type = type;
    terms.type_modifier = code_in(parts[3]);
    if (parts.size() < parts_of_region) return;
    terms.region = code_in(parts[5]);
    terms.region_modifier = code_in(parts[6]);
}

// Of sRGB (IEC 61966-2-1), linear, to XYZ and back (Lindbloom, RGB/XYZ Matrices), and its white.
constexpr double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                 {0.2126729, 0.7151522, 0.0721750},
                                 {0.0193339, 0.1191920, 0.9503041}};
constexpr double from_xyz[3][3] = {{3.2404542, -1.5371385, -0.4985314},
                                   {-0.9692660, 1.8760108, 0.0415560},
                                   {0.0556434, -0.2040259, 1.0572252}};
constexpr double white[3] = {0.95047, 1.0, 1.08883};
constexpr double epsilon = 216.0 / 24389, kappa = 24389.0 / 27;  // of CIE 15

using Triple = std::array<double, 3>;

Triple times(const double (&matrix)[3][3], const Triple& v) {
    Triple product{};
    for (std::size_t row = 0; row < 3; ++row)
        product[row] = matrix[row][0] * v[0] + matrix[row][1] * v[1] + matrix[row][2] * v[2];
    return product;
}

double linear(double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}
double encoded(double value) {
    return value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

}  // namespace

SegmentTerms terms_of_tags(const std::string& tags) {
    SegmentTerms terms;
    for (const std::string& tag : split(tags, '|')) {
        const auto value = [&](std::string_view key) { return tag.substr(key.size()); };
        if (tag.starts_with(terminology_key)) take_terminology(value(terminology_key), terms);
        if (tag.starts_with(algorithm_name_key)) terms.algorithm_name = value(algorithm_name_key);
        if (!tag.starts_with(algorithm_type_key)) continue;
        const std::string type = value(algorithm_type_key);
        if (type == "MANUAL" || type == "SEMIAUTOMATIC") terms.algorithm_type = type;
    }
    return terms;
}

std::string tags_of_terms(const SegmentTerms& terms) {
    std::string tags;
    SegmentTerms found = terms;
    found.algorithm_type = SegmentTerms{}.algorithm_type;
    found.algorithm_name.clear();
    if (!(found == SegmentTerms{}))
        tags = std::string(terminology_key) + "Segmentation category and type - DICOM~" +
               text_of(terms.category) + "~" + text_of(terms.type) + "~" +
               text_of(terms.type_modifier) + "~Anatomic codes - DICOM~" + text_of(terms.region) +
               "~" + text_of(terms.region_modifier) + "|";
    if (terms.algorithm_type == found.algorithm_type) return tags;
    tags += std::string(algorithm_type_key) + terms.algorithm_type + "|";
    std::string name = terms.algorithm_name;
    std::replace(name.begin(), name.end(), '|', ' ');
    return name.empty() ? tags : tags + std::string(algorithm_name_key) + name + "|";
}

std::array<std::int64_t, 3> cielab_of(const Rgb& color) {
    Triple rgb{};
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = linear(color[c] / 255.0);
    Triple f = times(to_xyz, rgb);
    for (std::size_t c = 0; c < 3; ++c) {
        const double part = f[c] / white[c];
        f[c] = part > epsilon ? std::cbrt(part) : (kappa * part + 16) / 116;
    }
    const Triple lab{116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
    constexpr double steps = 65535;
    const auto stored = [](double part) {
        return std::clamp<std::int64_t>(std::llround(part * steps), 0, 65535);
    };
    return {stored(lab[0] / 100), stored((lab[1] + 128) / 255), stored((lab[2] + 128) / 255)};
}

Rgb color_of_cielab(const std::array<std::int64_t, 3>& cielab) {
    constexpr double steps = 65535;
    const double l = 100 * static_cast<double>(cielab[0]) / steps,
                 a = 255 * static_cast<double>(cielab[1]) / steps - 128,
                 b = 255 * static_cast<double>(cielab[2]) / steps - 128;
    const double fy = (l + 16) / 116;
    Triple xyz{fy + a / 500, fy, fy - b / 200};
    for (std::size_t c = 0; c < 3; ++c) {
        const double cube = xyz[c] * xyz[c] * xyz[c];
        xyz[c] = white[c] * (cube > epsilon ? cube : (116 * xyz[c] - 16) / kappa);
    }
    const Triple rgb = times(from_xyz, xyz);
    Rgb color{};
    for (std::size_t c = 0; c < 3; ++c)
        color[c] = static_cast<std::uint8_t>(
            std::lround(255 * std::clamp(encoded(std::max(rgb[c], 0.0)), 0.0, 1.0)));
    return color;
}

}  // namespace tesela::io

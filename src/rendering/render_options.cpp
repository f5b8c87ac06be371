#include <algorithm>
#include <charconv>
#include <cmath>

#include "rendering/levels.h"
#include "tesela/error.h"
#include "tesela/render.h"

namespace tesela {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

template <class T>
std::optional<T> number_of(std::string_view text, int base = 10) {
    T value{};
    const char* end = text.data() + text.size();
    std::from_chars_result read{};
    if constexpr (std::is_integral_v<T>)
        read = std::from_chars(text.data(), end, value, base);
    else
        read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return {};
    return value;
}

[[noreturn]] void wrong(std::string_view option, std::string_view text, std::string_view form) {
    throw InvalidArgument("--" + std::string(option) + ": '" + std::string(text) + "' is not " +
                          std::string(form));
}

// As many numbers as `count`, or any where that is 0.
std::vector<double> numbers_of(std::string_view option, std::string_view text, std::size_t count,
                               std::string_view form) {
    std::vector<double> numbers;
    for (const std::string_view part : parts_of(text, ',')) {
        const auto number = number_of<double>(part);
        if (!number || !std::isfinite(*number)) wrong(option, text, form);
        numbers.push_back(*number);
    }
    if (count > 0 && numbers.size() != count) wrong(option, text, form);
    return numbers;
}

void set_size(RenderSettings& settings, const std::string& text) {
    const auto sides = parts_of(text, 'x');
    const auto width = number_of<std::int64_t>(sides.front());
    const auto height = number_of<std::int64_t>(sides.back());
    constexpr std::int64_t most = 16384;
    if (sides.size() != 2 || !width || !height || *width < 1 || *height < 1 || *width > most ||
        *height > most)
        wrong("size", text, "WIDTHxHEIGHT with sides from 1 to 16384");
    settings.width = *width;
    settings.height = *height;
}

Background background_of(const std::string& text) {
    if (text == "transparent") return {{}, true};
    if (text == "black") return {};
    if (text == "white") return {{1, 1, 1}};
    if (text == "gray") return {{0.5, 0.5, 0.5}};
    const auto number = text.size() == 7 && text[0] == '#'
                            ? number_of<std::uint32_t>(std::string_view(text).substr(1), 16)
                            : std::nullopt;
    if (!number) wrong("background", text, "black, white, gray, #rrggbb or transparent");
    Background background;
    for (std::size_t c = 0; c < 3; ++c)
        background.color[c] = (*number >> (16 - 8 * c) & 255) / 255.0;
    return background;
}

std::optional<ClipBox> box_of(const char* option, const std::string& text) {
    if (text.empty()) return {};
    const auto n = numbers_of(option, text, 6, "six numbers x0,y0,z0,x1,y1,z1");
    return ClipBox{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
}

}  // namespace

RenderSettings settings_of(const RenderOptions& options) {
    validate_options(options);
    RenderSettings settings{
        .mode = options.mode, .step = options.step, .shading = !options.no_shading};
    set_size(settings, options.size);
    settings.background = background_of(options.background);
    if (!options.iso.empty())
        settings.isovalues = numbers_of("iso", options.iso, 0, "values V,V,...");
    settings.clip_box = box_of("clip-box", options.clip_box);
    settings.focus = box_of("focus", options.focus);
    if (!options.clip_plane.empty())
        for (const std::string_view plane : parts_of(options.clip_plane, ';')) {
            const auto n = numbers_of("clip-plane", plane, 4, "four numbers nx,ny,nz,d");
            settings.clip_planes.push_back({{n[0], n[1], n[2]}, n[3]});
        }
    return settings;
}

std::optional<int> fixed_level_of(const RenderOptions& options) {
    if (options.level == "auto") return {};
    const auto level = number_of<int>(options.level);
    if (!level || *level < 0 || *level > rendering::coarsest_level)
        wrong("level", options.level, "auto or a number from 0 to 4");
    return level;
}
int level_of(const RenderOptions& options) { return fixed_level_of(options).value_or(0); }

void set_opacities(std::vector<LabelColor>& colors, const std::string& text) {
    if (text.empty()) return;
    for (const std::string_view part : parts_of(text, ',')) {
        const auto sides = parts_of(part, '=');
        const auto label = number_of<std::uint32_t>(sides.front());
        const auto opacity = number_of<double>(sides.back());
        if (sides.size() != 2 || !label || !opacity || !(*opacity >= 0 && *opacity <= 1))
            wrong("label-opacity", text, "LABEL=OPACITY,... with opacities from 0 to 1");
        const auto found =
            std::find_if(colors.begin(), colors.end(),
                         [&](const LabelColor& candidate) { return candidate.label == *label; });
        if (found == colors.end())
            throw InvalidArgument("--label-opacity: there is no label " + std::to_string(*label));
        found->opacity = *opacity;
    }
}

}  // namespace tesela

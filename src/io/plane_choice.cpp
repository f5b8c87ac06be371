#include "io/plane_choice.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tesela::io {
namespace {

std::string count_text(std::int64_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

// " (DAPI, GFP)"; a list of many ends with an ellipsis.
std::string names_text(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12, longest = 40;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i ? ", " : " (") + printable(names[i]).substr(0, longest);
    if (names.size() > most) text += ", ...";
    return text.empty() ? text : text + ")";
}

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

// -1 for all.
std::int64_t index_in(const fs::path& path, const std::string& thing, std::int64_t count,
                      std::optional<std::int64_t> asked, bool where_several) {
    if (!asked || (where_several && count == 1)) return -1;
    if (*asked >= 0 && *asked < count) return *asked;
    const std::string range = count == 1 ? "0 alone" : "0 to " + std::to_string(count - 1);
    throw InvalidArgument("--" + thing.substr(0, thing.find(' ')) + " is " +
                          std::to_string(*asked) + ", but " + quoted(path) + " has " +
                          count_text(count, thing) + ": " + range);
}

std::optional<std::int64_t> number_in(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end) return {};
    return value;
}

std::int64_t channel_in(const fs::path& path, int count, const std::vector<std::string>& names,
                        const PlaneChoice& choice) {
    if (choice.channel.empty() || (choice.where_several && count == 1)) return -1;
    const auto number = number_in(choice.channel);
    if (number && *number >= 0 && *number < count) return *number;
    std::int64_t found = -1;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!same_name(names[i], choice.channel)) continue;
        if (found >= 0)
            throw InvalidArgument("--channel is " + choice.channel + ", but " + quoted(path) +
                                  " has several channels of this name: give the number");
        found = static_cast<std::int64_t>(i);
    }
    if (found >= 0) return found;
    const std::string last = count == 1 ? "" : " to " + std::to_string(count - 1);
    throw InvalidArgument("--channel is " + printable(choice.channel) + ", but " + quoted(path) +
                          " has " + count_text(count, "channel") + ": 0" + last +
                          names_text(names));
}

template <class T>
Image<T> cut(const Image<T>& whole, const ChosenPlanes& chosen) {
    const std::int64_t z0 = std::max<std::int64_t>(chosen.slice, 0);
    const std::int64_t t0 = std::max<std::int64_t>(chosen.time, 0);
    const int channel = static_cast<int>(std::max<std::int64_t>(chosen.channel, 0));
    Image<T> part(chosen.left_of(whole.shape()), whole.geometry);
    part.has_alpha = whole.has_alpha && chosen.channel < 0;
    T* out = part.data();
    const Shape& shape = part.shape();
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y) {
                const T* row = &whole(0, y, z0 + z, t0 + t, channel);
                for (std::int64_t x = 0; x < shape.x; ++x, row += whole.shape().channels)
                    out = std::copy_n(row, shape.channels, out);
            }
    return part;
}

}  // namespace

Shape ChosenPlanes::left_of(Shape whole) const {
    if (channel >= 0) whole.channels = 1;
    if (slice >= 0) whole.z = 1;
    if (time >= 0) whole.t = 1;
    return whole;
}

ChosenPlanes chosen_planes(const fs::path& path, const Shape& whole,
                           const std::vector<std::string>& channel_names,
                           const PlaneChoice& choice) {
    return {channel_in(path, whole.channels, channel_names, choice),
            index_in(path, "slice", whole.z, choice.slice, choice.where_several),
            index_in(path, "time point", whole.t, choice.time, choice.where_several)};
}

std::vector<std::string> color_names(const Shape& shape, bool has_alpha) {
    std::vector<std::string> names;
    const int colors = shape.channels - (has_alpha ? 1 : 0);
    if (colors == 3) names = {"red", "green", "blue"};
    if (colors == 1 && has_alpha) names = {"gray"};
    if (!names.empty() && has_alpha) names.emplace_back("alpha");
    return names;
}

void move_to_slice(std::int64_t slice, Geometry& geometry) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        geometry.origin[axis] +=
            geometry.direction[3 * axis + 2] * geometry.spacing[2] * static_cast<double>(slice);
}

void note_choice(const ChosenPlanes& chosen, ReadResult& read) {
    if (chosen.channel < 0) return;
    const auto index = static_cast<std::size_t>(chosen.channel);
    read.channel_names = index < read.channel_names.size() ? std::vector{read.channel_names[index]}
                                                           : std::vector<std::string>();
    read.separate_channels = false;
}

void choose_planes(const fs::path& path, const DecodeOptions& options, ReadResult& read) {
    if (!options.choice.given()) return;
    const Shape whole = shape_of(read.image);
    const auto names = read.channel_names.empty() && !read.separate_channels
                           ? color_names(whole, has_alpha(read.image))
                           : read.channel_names;
    const ChosenPlanes chosen = chosen_planes(path, whole, names, options.choice);
    const Shape part = chosen.left_of(whole);
    if (part == whole) return;
    const int value = pixel_type_bytes(pixel_type_of(read.image));
    const std::int64_t bytes = whole.elements() * value, left = part.elements() * value;
    require_memory(path, left, options.max_bytes, bytes);
    std::visit([&](auto& image) { image = cut(image, chosen); }, read.image);
    if (chosen.slice >= 0 && geometry_of(read.image).known())
        move_to_slice(chosen.slice, geometry_of(read.image));
    read.work_bytes = std::max(read.work_bytes + bytes - left, bytes);
    note_choice(chosen, read);
}

void require_limits(const ReadResult& read, const fs::path& path, const ImageLimits& limits) {
    const Shape& shape = shape_of(read.image);
    const int colors = shape.channels - (has_alpha(read.image) ? 1 : 0);
    const bool is_color = colors == 1 || (colors == 3 && !read.separate_channels);
    std::string kept, options;
    const auto add = [&](const std::string& has, const std::string& option) {
        kept += (kept.empty() ? "" : " and ") + has;
        options += (options.empty() ? "" : ", ") + option;
    };
    if (!limits.any_channels && !is_color)
        add(count_text(colors, "channel") + names_text(read.channel_names) + " that are no color",
            "--channel N or NAME");
    if (limits.axes < 3 && shape.z > 1) add(count_text(shape.z, "slice"), "--slice N");
    if (limits.axes < 4 && shape.t > 1) add(count_text(shape.t, "time point"), "--time N");
    if (kept.empty()) return;
    throw UnsupportedFormat(quoted(path) + " has " + kept + ": choose one by " + options +
                            ", counted from 0");
}

}  // namespace tesela::io

#include "viewer/server/image_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <type_traits>

#include "core/threads.h"
#include "pixels/slice_panels.h"
#include "viewer/server/slices.h"

namespace tesela::viewer {
namespace {

template <class T>
bool is_number(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isfinite(value);
    else
        return true;
}

struct ChannelValues {
    double lowest = 0, highest = 0;
    double black = 0, white = 1;
};

// 0.5 % and 99.5 % of the values, of every n-th where there are many.
template <class T>
void choose_window(const PixelView<T>& image, int channel, ChannelValues& values) {
    constexpr std::int64_t most = 1 << 20;
    constexpr double tail = 0.005;
    const std::int64_t points = image.shape().points(), channels = image.shape().channels;
    const std::int64_t step = (points + most - 1) / most;
    std::vector<T> sample;
    sample.reserve(static_cast<std::size_t>(points / step + 1));
    for (std::int64_t i = 0; i < points; i += step) {
        const T value = image.data()[i * channels + channel];
        if (is_number(value)) sample.push_back(value);
    }
    if (sample.empty()) return;
    const auto at = [&](double part) {
        const auto place = sample.begin() + static_cast<std::ptrdiff_t>(
                                                part * static_cast<double>(sample.size() - 1));
        std::nth_element(sample.begin(), place, sample.end());
        return static_cast<double>(*place);
    };
    values.black = at(tail);
    values.white = at(1 - tail);
    if (values.black < values.white) return;
    values.black = values.lowest;
    values.white = std::max(values.highest, values.lowest + 1);
}

// Of the channel; lowest > highest where it has no number. Large images are looked through by
// several threads.
template <class T>
std::array<T, 2> extremes_of(const PixelView<T>& image, int channel, int threads) {
    constexpr std::int64_t part = std::int64_t{1} << 21;
    const std::int64_t points = image.shape().points(), channels = image.shape().channels;
    std::array<T, 2> all{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
    std::mutex mutex;
    detail::for_each_index((points + part - 1) / part, threads, [&](std::int64_t i) {
        const T* const end = image.data() + std::min(points, (i + 1) * part) * channels;
        std::array<T, 2> own{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
        for (const T* at = image.data() + i * part * channels + channel; at < end; at += channels) {
            if (!is_number(*at)) continue;
            own = {std::min(own[0], *at), std::max(own[1], *at)};
        }
        const std::lock_guard lock(mutex);
        all = {std::min(all[0], own[0]), std::max(all[1], own[1])};
    });
    return all;
}

template <class T>
ChannelValues values_of(const PixelView<T>& image, int channel, Role role, int threads) {
    const auto [lowest, highest] = extremes_of(image, channel, threads);
    if (lowest > highest) return {};
    ChannelValues values{static_cast<double>(lowest), static_cast<double>(highest)};
    if (role == Role::labels)  // which are not shown by brightness
        values.white = std::max(values.highest, 1.0);
    else
        choose_window(image, channel, values);
    return values;
}

bool is_color(const Image& image) {
    const AnyImageView& view = image.pixels.view();
    const int colors = view.shape().channels - (view.has_alpha() ? 1 : 0);
    const bool may_be = view.pixel_type() == PixelType::u8 || view.pixel_type() == PixelType::u16;
    return colors == 3 && may_be && !image.separate_channels && image.role == Role::image;
}

// Told apart by eyes that do not tell red from green.
std::string_view color_of_channel(int channel, int channels, bool color) {
    if (color) return std::array{"#ff0000", "#00ff00", "#0000ff", "#ffffff"}[channel & 3];
    if (channels == 1) return "#ffffff";
    return std::array{
        "#00ff00", "#ff00ff", "#00ffff", "#ffff00", "#ff8000", "#8080ff", "#ffffff"}[channel % 7];
}

Json channels_of(const Image& image, int threads) {
    const AnyImageView& view = image.pixels.view();
    const int channels = view.shape().channels;
    const bool color = is_color(image);
    Json list = Json::array();
    for (int c = 0; c < channels; ++c) {
        ChannelValues values = view.visit(
            [&](const auto& pixels) { return values_of(pixels, c, image.role, threads); });
        // Photographs are shown as they are.
        if (color) values.black = 0;
        if (color) values.white = view.pixel_type() == PixelType::u8 ? 255 : values.highest;
        const auto index = static_cast<std::size_t>(c);
        list.push_back(
            {{"name", index < image.channel_names.size() ? image.channel_names[index] : ""},
             {"color", color_of_channel(c, channels, color)},
             {"lowest", values.lowest},
             {"highest", values.highest},
             {"window", {values.black, values.white}}});
    }
    return list;
}

// {"x": ["R", "L"], ...}: where an axis begins and ends.
Json axes_of(const Geometry& geometry) {
    constexpr std::string_view sides = "RLAPIS";
    const std::string ends = geometry.orientation();
    Json axes = Json::object();
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t end = sides.find(ends[a]);
        axes[std::string(1, "xyz"[a])] = {std::string(1, sides[end ^ 1]),
                                          std::string(1, sides[end])};
    }
    return axes;
}

}  // namespace

std::string color_text(const std::array<std::uint8_t, 3>& color) {
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", color[0], color[1], color[2]);
    return text;
}

Json facts_of(const Image& image, int threads) {
    const AnyImageView& view = image.pixels.view();
    const Shape& shape = view.shape();
    const Geometry& geometry = view.geometry();
    Json direction = Json::array();
    for (std::size_t row = 0; row < 3; ++row)
        direction.push_back({geometry.direction[3 * row], geometry.direction[3 * row + 1],
                             geometry.direction[3 * row + 2]});
    Json json{{"id", image.id},
              {"name", image.name},
              {"role", image.role == Role::labels ? "labels" : "image"},
              {"of", image.of ? Json(*image.of) : Json()},
              {"shape",
               {{"x", shape.x},
                {"y", shape.y},
                {"z", shape.z},
                {"t", shape.t},
                {"channels", shape.channels}}},
              {"pixel_type", short_name(view.pixel_type())},
              {"spacing", geometry.spacing},
              {"unit", unit_symbol(geometry.unit)},
              {"origin", geometry.origin},
              {"direction", std::move(direction)},
              {"has_geometry", geometry.known()}};
    if (has_patient(geometry)) json["axes"] = axes_of(geometry);
    json["has_alpha"] = view.has_alpha();
    json["is_color"] = is_color(image);
    json["channels"] = channels_of(image, threads);
    json["warnings"] = image.warnings;
    json["labels"] = Json::array();
    if (const SharedLabelTable& table = image.pixels.label_table())
        for (const auto& [label, described] : *table)
            json["labels"].push_back({{"label", label},
                                      {"name", described.name},
                                      {"color", color_text(color_of(table.get(), label))}});
    return json;
}

}  // namespace tesela::viewer

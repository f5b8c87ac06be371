// The text of --seeds.
#include <charconv>
#include <limits>
#include <string>

#include "tesela/error.h"
#include "tesela/seeds.h"

namespace tesela {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The parts between separators, at least one.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

[[noreturn]] void refuse(std::string_view part, const std::string& reason) {
    throw InvalidArgument("--seeds: '" + std::string(part) + "' " + reason);
}

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

// Takes "=L" off the end.
std::optional<std::uint32_t> take_label(std::string_view& part) {
    const std::string_view whole = part;
    const std::size_t place = part.find('=');
    if (place == std::string_view::npos) return {};
    const auto label = number<std::uint32_t>(trimmed(part.substr(place + 1)));
    part = trimmed(part.substr(0, place));
    constexpr auto highest = std::numeric_limits<std::uint32_t>::max() - 1;
    if (!label || *label == 0 || *label > highest)
        refuse(whole, "has no label behind '=': write a whole number from 1 on; 0 is no region");
    return label;
}

// Coordinates, whether `mm` stands behind the last, and their frame.
struct Coordinates {
    std::vector<double> values;
    bool millimeters = false;
    Frame frame = Frame::lps;
};
// `frame` where the text names one.
Coordinates read_coordinates(std::string_view part, std::optional<Frame> frame) {
    const std::string_view whole = part;
    Coordinates result;
    result.frame = frame.value_or(Frame::lps);
    result.millimeters = part.ends_with("mm");
    if (result.millimeters) part = trimmed(part.substr(0, part.size() - 2));
    for (const std::string_view text : split(part, ',')) {
        const auto value = number<double>(text);
        if (!value)
            refuse(whole, "is not a place: '" + std::string(text) +
                              "' is not a number; write x,y or x,y,z in pixels, or with mm behind "
                              "the last in millimeters");
        result.values.push_back(*value);
    }
    if (frame && !result.millimeters)
        refuse(whole,
               "is in pixels, and RAS and LPS are frames of millimeters: write mm behind it");
    return result;
}

SeedPlace place_of(const Coordinates& coordinates, std::size_t first, std::size_t count) {
    SeedPlace place;
    place.coordinates = static_cast<int>(count);
    place.millimeters = coordinates.millimeters;
    place.frame = coordinates.frame;
    for (std::size_t axis = 0; axis < count; ++axis)
        place.at[axis] = coordinates.values[first + axis];
    return place;
}

SeedPoint read_point(std::string_view part, std::optional<Frame> frame) {
    SeedPoint point;
    const std::string_view whole = part;
    point.label = take_label(part);
    const Coordinates coordinates = read_coordinates(part, frame);
    const std::size_t count = coordinates.values.size();
    if (count < 2 || count > 4) refuse(whole, "is not a point: write two to four coordinates");
    point.place = place_of(coordinates, 0, count);
    return point;
}

SeedBox read_box(std::string_view part, std::optional<Frame> frame) {
    SeedBox box;
    const std::string_view whole = part;
    box.label = take_label(part);
    const Coordinates coordinates = read_coordinates(part, frame);
    const std::size_t count = coordinates.values.size();
    if (count != 4 && count != 6 && count != 8)
        refuse(whole, "is not a box: write two corners, x0,y0,x1,y1 or x0,y0,z0,x1,y1,z1");
    box.first = place_of(coordinates, 0, count / 2);
    box.last = place_of(coordinates, count / 2, count / 2);
    return box;
}

SeedBall read_ball(std::string_view part, std::optional<Frame> frame) {
    SeedBall ball;
    const std::string_view whole = part;
    ball.label = take_label(part);
    const Coordinates coordinates = read_coordinates(part, frame);
    const std::size_t count = coordinates.values.size();
    if (count < 3 || count > 5)
        refuse(whole, "is not a ball: write a center and a radius, x,y,r or x,y,z,r");
    ball.center = place_of(coordinates, 0, count - 1);
    ball.radius = coordinates.values.back();
    if (!(ball.radius > 0)) refuse(whole, "is not a ball: its radius must be above 0");
    return ball;
}

constexpr std::string_view ras = "RAS:", lps = "LPS:";

void take_prefix(std::string_view& text, std::string_view prefix) {
    if (text.starts_with(prefix)) text = trimmed(text.substr(prefix.size()));
}

// What stands in front of the first part may stand in front of others too.
template <class Seed>
std::vector<Seed> read_list(std::string_view text, std::optional<Frame> frame,
                            Seed (*read)(std::string_view, std::optional<Frame>),
                            std::string_view kind = {}) {
    std::vector<Seed> seeds;
    std::vector<std::string_view> parts = split(text, ';');
    for (std::string_view& part : parts) {
        if (frame) take_prefix(part, *frame == Frame::ras ? ras : lps);
        take_prefix(part, kind);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!parts[i].empty() || i + 1 < parts.size() || i == 0)  // a last ';' is no error
            seeds.push_back(read(parts[i], frame));
    return seeds;
}

// What can only be meant as coordinates.
bool looks_like_points(std::string_view text) {
    return text.find(',') != std::string_view::npos &&
           text.find_first_not_of("0123456789+-.eE,;= m") == std::string_view::npos;
}

}  // namespace

std::optional<Seeds> parse_seeds(std::string_view text) {
    constexpr std::string_view grid = "grid:", box = "box:", ball = "ball:";
    text = trimmed(text);
    if (text.empty()) throw InvalidArgument("--seeds: the text is empty");
    if (text == "auto") return AutomaticSeeds{};
    if (text == "grid") return GridSeeds{};
    if (text.starts_with(grid)) {
        try {
            return GridSeeds{Length::parse(text.substr(grid.size()))};
        } catch (const InvalidArgument& error) {
            refuse(text, std::string("is not a grid: ") + error.what());
        }
    }
    std::optional<Frame> frame;
    if (text.starts_with(ras)) frame = Frame::ras;
    if (text.starts_with(lps)) frame = Frame::lps;
    if (frame) text = trimmed(text.substr(ras.size()));
    if (text.starts_with(box)) return read_list(text, frame, read_box, box);
    if (text.starts_with(ball)) return read_list(text, frame, read_ball, ball);
    if (frame || looks_like_points(text)) return read_list(text, frame, read_point);
    return {};
}

}  // namespace tesela

#include "tesela/tile_features.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "texture/lbp_planes.h"
#include "texture/tile_planes.h"

namespace tesela {
namespace {

using std::int64_t;
using std::size_t;

constexpr size_t bins = 256;
constexpr std::array channel_names{"L", "a", "b"};
// Of descriptor_names.
constexpr std::array<size_t, 4> thesis_descriptors{1, 2, 0, 14};
constexpr const char* thesis_names[] = {"contrast", "correlation", "asm", "homogeneity"};
constexpr int directions = 4;

// The number behind the last '-', where `text` is prefix-NUMBER; 0 for anything else.
int number_of(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return 0;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, number);
    return error == std::errc() && stop == end ? number : 0;
}

int64_t total(std::span<const std::uint32_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

// Mean, standard deviation, cube root of the third central moment.
void color_moments(std::span<const std::uint32_t> histogram, double* features) {
    const auto pixels = static_cast<double>(total(histogram));
    double mean = 0, square = 0, cube = 0;
    for (size_t v = 0; v < bins; ++v) mean += static_cast<double>(v) * histogram[v];
    mean /= pixels;
    for (size_t v = 0; v < bins; ++v) {
        const double difference = static_cast<double>(v) - mean;
        square += difference * difference * histogram[v];
        cube += difference * difference * difference * histogram[v];
    }
    features[0] = mean;
    features[1] = std::sqrt(square / pixels);
    features[2] = std::cbrt(cube / pixels);
}

// Mean and range of each descriptor over the directions.
void haralick(const std::array<Descriptors, directions>& by_direction, double* features) {
    for (size_t d = 0; d < haralick_descriptors; ++d) {
        double sum = 0, lowest = by_direction[0][d], highest = lowest;
        for (const Descriptors& descriptors : by_direction) {
            sum += descriptors[d];
            lowest = std::min(lowest, descriptors[d]);
            highest = std::max(highest, descriptors[d]);
        }
        features[2 * d] = sum / directions;
        features[2 * d + 1] = highest - lowest;
    }
}

// -ln sum sqrt(h_i / 10) of the shares h_i of the classes; 0 without codes.
double bhattacharyya(std::span<const std::uint32_t> codes) {
    std::array<int64_t, 10> classes{};
    for (size_t code = 0; code < bins; ++code)
        classes[static_cast<size_t>(uniform_class(static_cast<int>(code)))] += codes[code];
    const auto pixels = static_cast<double>(total(codes));
    if (pixels == 0) return 0;
    double sum = 0;
    for (const int64_t count : classes) sum += std::sqrt(static_cast<double>(count) / pixels / 10);
    return -std::log(sum);
}

}  // namespace

FeatureSet::FeatureSet(std::string_view groups) {
    groups_ = groups == "default" ? "color,haralick-1,haralick-3,lbp-8-1,lbp-16-2" : groups;
    size_t begin = 0;
    while (begin <= groups_.size()) {
        const size_t end = std::min(groups_.find(',', begin), groups_.size());
        add(groups_.substr(begin, end - begin));
        begin = end + 1;
    }
}

void FeatureSet::add(const std::string& group) {
    const int distance = number_of(group, "haralick-");
    const int thesis_levels = group == "thesis" ? 4 : number_of(group, "thesis-");
    if (!parts_.empty() && (parts_.front().kind == Group::Kind::thesis || thesis_levels > 0))
        throw InvalidArgument("--features: 'thesis' stands alone, not in a list");
    if (group == "color") {
        parts_.push_back({Group::Kind::color});
        for (const std::string channel : channel_names)
            for (const char* moment : {"-mean", "-deviation", "-skewness"})
                names_.push_back(channel + moment);
    } else if (distance >= 1 && distance <= 99) {
        add_haralick(group, distance);
    } else if (group == "lbp-8-1" || group == "lbp-16-2" || group == "lbp-24-3") {
        const int radius = group.back() - '0';
        const LbpOptions pattern{.points = 8 * radius, .radius = static_cast<double>(radius)};
        parts_.push_back({Group::Kind::pattern, add_pattern(pattern)});
        for (int code = 0; code < lbp_codes(pattern); ++code)
            names_.push_back(group + "-" + std::to_string(code));
    } else if (thesis_levels >= 2 && thesis_levels <= 64) {
        add_thesis(thesis_levels);
    } else {
        throw InvalidArgument("there is no group of features '" + group +
                              "': give default, thesis, or a list of color, haralick-1, "
                              "haralick-3, lbp-8-1, lbp-16-2, lbp-24-3");
    }
}

void FeatureSet::add_haralick(const std::string& group, int distance) {
    constexpr int levels = 16;
    levels_ = levels;
    parts_.push_back({Group::Kind::haralick, offsets_.size()});
    for (int d = 0; d < directions; ++d) offsets_.push_back(offset_at(distance, 45 * d));
    for (const std::string channel : channel_names)
        for (size_t d = 0; d < haralick_descriptors; ++d)
            for (const char* over : {"-mean", "-range"})
                names_.push_back(group + "-" + channel + "-" + std::string(descriptor_names[d]) +
                                 over);
}

void FeatureSet::add_thesis(int levels) {
    levels_ = levels;
    range_ = ColorRange::full;
    parts_.push_back({Group::Kind::thesis, add_pattern({.shape = LbpShape::square})});
    offsets_.push_back({1, 0});
    for (const std::string channel : channel_names)
        for (const std::string name : thesis_names) names_.push_back(channel + "-" + name);
    names_.push_back("lbp-bhattacharyya");
}

size_t FeatureSet::add_pattern(const LbpOptions& pattern) {
    patterns_.push_back(pattern);
    return patterns_.size() - 1;
}

TileCounts FeatureSet::count(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                             std::int32_t ny, int64_t count, std::int32_t stride) const {
    TileCounts counts;
    counts.tiles = count;
    const auto [planes, levels] =
        offsets_.empty() ? LabLevels{lab_planes(queue, tiles, nx, ny, count, stride), {}}
                         : lab_levels(queue, tiles, nx, ny, count, stride, levels_, range_);
    const bool has_color = std::any_of(parts_.begin(), parts_.end(), [](const Group& part) {
        return part.kind == Group::Kind::color;
    });
    // All is enqueued before anything is waited for.
    Buffer<std::uint32_t> colors, matrices;
    std::vector<Buffer<std::uint32_t>> patterns;
    if (has_color) colors = plane_histograms(queue, planes, {}, 0);
    if (!offsets_.empty()) matrices = cooccurrence(queue, levels, {}, levels_, offsets_);
    for (const LbpOptions& pattern : patterns_)
        patterns.push_back(plane_histograms(queue, lbp_planes(queue, planes, pattern), {}, 0));
    if (has_color) counts.colors = queue.download(colors);
    if (!offsets_.empty()) counts.matrices = queue.download(matrices);
    for (const auto& pattern : patterns) counts.patterns.push_back(queue.download(pattern));
    return counts;
}

void FeatureSet::describe(const TileCounts& counts, int64_t tile,
                          std::span<double> features) const {
    double* at = features.data();
    const auto place = static_cast<size_t>(tile);
    const auto descriptors = [&](size_t channel, size_t offset) {
        const size_t cells = static_cast<size_t>(levels_) * static_cast<size_t>(levels_);
        const auto* first =
            counts.matrices.data() + ((3 * place + channel) * offsets_.size() + offset) * cells;
        CooccurrenceMatrix matrix{levels_, {first, first + cells}};
        return descriptors_of(range_ == ColorRange::half ? symmetric(matrix) : matrix);
    };
    const auto codes = [&](size_t pattern) {
        return std::span(counts.patterns[pattern]).subspan(place * bins, bins);
    };
    for (const Group& part : parts_) {
        if (part.kind == Group::Kind::color) {
            for (size_t channel = 0; channel < 3; ++channel, at += 3)
                color_moments(std::span(counts.colors).subspan((3 * place + channel) * bins, bins),
                              at);
        } else if (part.kind == Group::Kind::haralick) {
            for (size_t channel = 0; channel < 3; ++channel, at += 2 * haralick_descriptors) {
                std::array<Descriptors, directions> by_direction;
                for (size_t d = 0; d < directions; ++d)
                    by_direction[d] = descriptors(channel, part.first_offset + d);
                haralick(by_direction, at);
            }
        } else if (part.kind == Group::Kind::pattern) {
            const auto histogram = codes(part.first_offset);
            const auto pixels = static_cast<double>(std::max<int64_t>(total(histogram), 1));
            for (int code = 0; code < lbp_codes(patterns_[part.first_offset]); ++code)
                *at++ = histogram[static_cast<size_t>(code)] / pixels;
        } else {
            for (size_t channel = 0; channel < 3; ++channel) {
                const Descriptors all = descriptors(channel, 0);
                for (const size_t d : thesis_descriptors) *at++ = all[d];
            }
            *at++ = bhattacharyya(codes(part.first_offset));
        }
    }
}

int64_t FeatureSet::device_bytes(int64_t points, int64_t count) const {
    const int64_t planes = 3 * count;
    const int64_t cells =
        planes * static_cast<int64_t>(offsets_.size()) * levels_ * levels_ + planes * int64_t{bins};
    constexpr int64_t most_cells = 1 << 24;  // of pieces of rows (texture/plane_counts.cpp)
    const auto patterns = static_cast<int64_t>(patterns_.size());
    return points * (2 * planes + (1 + patterns) * count) +
           4 * (cells + std::max(2 * cells, most_cells));
}

std::vector<double> tile_features(const AnyImageView& tile, const FeatureSet& set, Queue& queue) {
    const auto* bytes = tile.get_if<std::uint8_t>();
    if (!bytes || bytes->shape().channels < 3 || bytes->shape().z > 1 || bytes->shape().t > 1)
        throw UnsupportedFormat("features of tiles are those of 8-bit colors");
    const Shape& shape = bytes->shape();
    const auto pixels = queue.lend(std::span<const std::uint8_t>(bytes->pixels()), "tile");
    std::vector<double> features(set.size());
    set.describe(set.count(queue, pixels, static_cast<std::int32_t>(shape.x),
                           static_cast<std::int32_t>(shape.y), 1, shape.channels),
                 0, features);
    return features;
}

}  // namespace tesela

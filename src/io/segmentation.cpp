#include "io/segmentation.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "io/labels.h"

namespace tesela::io {
namespace {

using Segments = std::vector<StoredSegment>;

void check_segments(const InputFile& file, const VolumeHeader& header) {
    const std::int64_t layers = header.shape().channels;
    if (header.shape().t > 1)
        throw unsupported(file.path(), "it is a segmentation with a time axis");
    if (header.type == NumberType::f32 || header.type == NumberType::f64)
        throw unsupported(file.path(), "it is a segmentation of floating-point numbers");
    std::set<std::pair<std::int64_t, std::uint32_t>> seen;
    for (const StoredSegment& segment : header.segments) {
        if (segment.layer >= layers)
            throw unreadable(file.path(), "a segment is in layer " + std::to_string(segment.layer) +
                                              ", and it has " + std::to_string(layers));
        if (!seen.emplace(segment.layer, segment.value).second)
            throw unreadable(file.path(), "two segments of layer " + std::to_string(segment.layer) +
                                              " have the label value " +
                                              std::to_string(segment.value));
    }
}

// Without what is made of the label where nothing else is known, here and in 3D Slicer.
LabelDescription known_of(std::uint32_t label, LabelDescription description) {
    SegmentFields& of = description.segment;
    const std::string made = made_name(label);
    if (of.name_is_automatic && description.name == made) description.name.clear();
    if (of.color_is_automatic && description.color == label_color(label)) description.color.reset();
    if (of.id == made) of.id.clear();
    of.name_is_automatic &= !description.name.empty();
    of.color_is_automatic &= description.color.has_value();
    return description;
}

// Of the segments in a layer, by their values.
SharedLabelTable table_of(const Segments& segments, std::int64_t layer) {
    LabelTable table;
    for (const StoredSegment& segment : segments)
        if (segment.layer == layer)
            table[segment.value] = known_of(segment.value, segment.description);
    return std::make_shared<const LabelTable>(std::move(table));
}

// Layer that was chosen as a channel; the first where the choice is none, which is refused later.
std::int64_t chosen_layer(const std::string& channel) {
    std::int64_t layer = 0;
    std::from_chars(channel.data(), channel.data() + channel.size(), layer);
    return layer;
}

// Segments of layers by the number that each has in the file, from 1 on.
class Layers {
  public:
    Layers(const Segments& segments, int count) : numbers_(static_cast<std::size_t>(count)) {
        for (std::size_t i = 0; i < segments.size(); ++i)
            numbers_[static_cast<std::size_t>(segments[i].layer)][segments[i].value] =
                static_cast<std::uint32_t>(i + 1);
        last_.resize(numbers_.size());
    }

    // 0 where a value is that of no segment.
    std::uint32_t number_of(std::size_t layer, std::uint32_t value) {
        auto& [last_value, last_number] = last_[layer];  // of a run of voxels
        if (value == last_value) return last_number;
        const auto found = numbers_[layer].find(value);
        last_value = value;
        return last_number = found == numbers_[layer].end() ? 0 : found->second;
    }

  private:
    std::vector<std::map<std::uint32_t, std::uint32_t>> numbers_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> last_;
};

struct Merged {
    LabelImage labels;
    std::int64_t in_several = 0, in_none = 0;  // voxels
};

// `label_of`: the label of each segment.
Merged merged(const AnyImage& layers, const Segments& segments,
              const std::vector<std::uint32_t>& label_of) {
    return std::visit(
        [&](const auto& stored) {
            Shape shape = stored.shape();
            const auto count = static_cast<std::size_t>(std::exchange(shape.channels, 1));
            Merged made{LabelImage(shape, stored.geometry)};
            Layers numbers(segments, static_cast<int>(count));
            const auto* value = stored.data();
            for (std::uint32_t& label : made.labels.pixels()) {
                std::uint32_t last = 0;
                int inside = 0;
                bool is_unknown = false;
                for (std::size_t layer = 0; layer < count; ++layer, ++value) {
                    if (*value == 0) continue;
                    const std::uint32_t number =
                        numbers.number_of(layer, static_cast<std::uint32_t>(*value));
                    last = std::max(last, number);
                    inside += number > 0;
                    is_unknown |= number == 0;
                }
                label = last > 0 ? label_of[last - 1] : 0;
                made.in_several += inside > 1;
                made.in_none += is_unknown;
            }
            return made;
        },
        layers);
}

// Values of their own where all differ, their numbers in the file elsewhere.
std::vector<std::uint32_t> labels_of(const Segments& segments) {
    std::vector<std::uint32_t> values, numbers;
    std::set<std::uint32_t> different;
    for (const StoredSegment& segment : segments) {
        values.push_back(segment.value);
        different.insert(segment.value);
        numbers.push_back(static_cast<std::uint32_t>(values.size()));
    }
    return different.size() == values.size() ? values : numbers;
}

std::string layers_text(int layers, const Merged& made, bool are_numbered) {
    std::string text = "its " + std::to_string(layers) + " layers are joined into one label map";
    if (made.in_several > 0)
        text += ": " + std::to_string(made.in_several) +
                (made.in_several == 1 ? " voxel is" : " voxels are") +
                " in several segments, the last of which counts";
    if (are_numbered) text += "; labels are the numbers of the segments, from 1";
    return text + "; --channel N reads one layer";
}

void join_layers(const InputFile& file, const Segments& segments, const DecodeOptions& options,
                 ReadResult& read) {
    const Shape shape = shape_of(read.image);
    const auto stored = static_cast<std::int64_t>(pixel_bytes(read.image));
    constexpr std::int64_t label = 4;
    require_memory(file.path(), shape.points() * label, options.max_bytes, stored);
    const std::vector<std::uint32_t> label_of = labels_of(segments);
    const Merged made = merged(read.image, segments, label_of);
    LabelTable table;
    bool are_numbered = false;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        table[label_of[i]] = known_of(label_of[i], segments[i].description);
        are_numbered |= label_of[i] != segments[i].value;
    }
    read.warnings.push_back(layers_text(shape.channels, made, are_numbered));
    if (made.in_none > 0)
        read.warnings.push_back(
            std::to_string(made.in_none) +
            (made.in_none == 1 ? " voxel has the value" : " voxels have values") +
            " of no segment, which is left out");
    read.image = smallest_type(made.labels);
    read.label_table = std::make_shared<const LabelTable>(std::move(table));
    read.separate_channels = false;
    read.work_bytes = std::max(read.work_bytes, stored + label * shape.points());
}

}  // namespace

bool is_segmentation(const fs::path& path) {
    const InputFile file(path);
    const std::vector<std::uint8_t> head = file.head(4);
    return std::string(head.begin(), head.end()) == "NRRD" && !parse_nrrd(file).segments.empty();
}

ReadResult read_segmentation(const InputFile& file, VolumeHeader header,
                             const DecodeOptions& options) {
    if (header.segments.empty()) return read_volume(file, std::move(header), options);
    check_segments(file, header);
    const Segments segments = header.segments;
    const bool has_layers = header.shape().channels > 1;
    header.meaning = ChannelMeaning::other;
    ReadResult read = read_volume(file, std::move(header), options);
    const std::string& channel = options.choice.channel;
    if (has_layers && channel.empty())
        join_layers(file, segments, options, read);
    else
        read.label_table = table_of(segments, has_layers ? chosen_layer(channel) : 0);
    return read;
}

}  // namespace tesela::io

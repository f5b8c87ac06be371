#include "io/zarr/image_label.h"

#include <optional>
#include <set>

#include "io/zarr/metadata.h"

namespace tesela::io::zarr {
namespace {

constexpr std::uint32_t most_made_up = 4096;
constexpr const char* value_key = "label-value";

// The labels that occur, beyond those whose colors are always written only those of the table.
std::set<std::uint32_t> labels_in(const AnyImage& image, const LabelTable& table) {
    std::vector<bool> is_there(most_made_up);
    std::set<std::uint32_t> labels;
    const bool has_larger = table.lower_bound(most_made_up) != table.end();
    std::visit(
        [&](const auto& typed) {
            std::uint32_t last = 0;
            for (const auto value : typed.pixels()) {
                if (!(value > 0)) continue;
                const auto label = static_cast<std::uint32_t>(value);
                if (label < most_made_up)
                    is_there[label] = true;
                else if (has_larger && label != last && table.contains(label))
                    labels.insert(label);
                last = label;
            }
        },
        image);
    for (std::uint32_t label = 1; label < most_made_up; ++label)
        if (is_there[label]) labels.insert(label);
    return labels;
}

Json property_of(std::uint32_t label, const LabelDescription& description) {
    Json property{{value_key, label}};
    const SegmentFields& segment = description.segment;
    if (!description.name.empty()) property["name"] = description.name;
    if (!segment.id.empty()) property["segment_id"] = segment.id;
    if (!segment.tags.empty()) property["segment_tags"] = segment.tags;
    return property;
}

// Others number labels beyond what a label map holds, or leave the number out.
std::optional<std::uint32_t> label_of(const Json& entry) {
    if (!has(entry, value_key) || !entry.at(value_key).is_number_unsigned()) return {};
    const auto value = entry.at(value_key).get<std::uint64_t>();
    if (value > 0xffffffff) return {};
    return static_cast<std::uint32_t>(value);
}

std::optional<Rgb> color_in(const Json& entry) {
    constexpr std::size_t parts = 4;
    if (!has(entry, "rgba") || !entry.at("rgba").is_array() || entry.at("rgba").size() != parts)
        return {};
    Rgb color{};
    for (std::size_t c = 0; c < color.size(); ++c) {
        const Json& part = entry.at("rgba").at(c);
        if (!part.is_number_unsigned() || part.get<std::uint64_t>() > 0xff) return {};
        color[c] = part.get<std::uint8_t>();
    }
    return color;
}

// The entries of a list, where there is one.
template <class Take>
void for_each_label(const Json& image_label, const char* list, const Take& take) {
    if (!has(image_label, list) || !image_label.at(list).is_array()) return;
    for (const Json& entry : image_label.at(list))
        if (const auto label = label_of(entry)) take(*label, entry);
}

}  // namespace

Json image_label(bool is_format_3) {
    Json described = Json::object();
    if (!is_format_3) described["version"] = "0.4";
    return described;
}

Json image_label(bool is_format_3, const AnyImage& labels, const LabelTable& table) {
    Json colors = Json::array(), properties = Json::array();
    for (const std::uint32_t label : labels_in(labels, table)) {
        const auto found = table.find(label);
        if (label < most_made_up || found->second.color) {
            const Rgb color = color_of(&table, label);
            colors.push_back({{value_key, label}, {"rgba", {color[0], color[1], color[2], 255}}});
        }
        if (found == table.end()) continue;
        Json property = property_of(label, found->second);
        if (property.size() > 1) properties.push_back(std::move(property));
    }
    Json described = image_label(is_format_3);
    if (!colors.empty()) described["colors"] = std::move(colors);
    if (!properties.empty()) described["properties"] = std::move(properties);
    return described;
}

SharedLabelTable label_table_of(const Json& image_label) {
    LabelTable table;
    for_each_label(image_label, "colors", [&](std::uint32_t label, const Json& entry) {
        const auto color = color_in(entry);
        if (color && *color != label_color(label)) table[label].color = color;
    });
    for_each_label(image_label, "properties", [&](std::uint32_t label, const Json& entry) {
        LabelDescription known{text_of(entry, "name")};
        known.segment.id = text_of(entry, "segment_id");
        known.segment.tags = text_of(entry, "segment_tags");
        if (known == LabelDescription{}) return;
        known.color = table[label].color;
        table[label] = std::move(known);
    });
    return std::make_shared<const LabelTable>(std::move(table));
}

}  // namespace tesela::io::zarr

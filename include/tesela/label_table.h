// What the labels of a label map stand for: their names and colors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tesela/color.h"

namespace tesela {

// What 3D Slicer keeps of a segment beside its name and color.
struct SegmentFields {
    std::string id = {};    // of one segment alone; empty: made of the label
    std::string tags = {};  // "KEY:VALUE|KEY:VALUE|", with the terminology
    // Made by a program, not chosen by a person.
    bool name_is_automatic = false, color_is_automatic = false;

    bool operator==(const SegmentFields&) const = default;
};

struct LabelDescription {
    std::string name = {};          // UTF-8; empty: it has none
    std::optional<Rgb> color = {};  // not given: label_color
    SegmentFields segment = {};

    bool operator==(const LabelDescription&) const = default;
};

// By label. Labels that do not occur in a label map may be in it, and others may be missing.
using LabelTable = std::map<std::uint32_t, LabelDescription>;
using SharedLabelTable = std::shared_ptr<const LabelTable>;  // null: nothing is known

// Whether a label has a name.
bool has_names(const LabelTable& table);
// Empty where it has none.
std::string label_name(const LabelTable& table, std::uint32_t label);
// Its own, or label_color. `table` may be null.
Rgb color_of(const LabelTable* table, std::uint32_t label);

// Takes what `more` says of a label in place of what `table` does.
void update(LabelTable& table, const LabelTable& more);

// "1=liver,2=kidney": whole numbers from 0 to 4294967295, each once. A name that holds a comma or
// begins with a quote is quoted, with quotes in it doubled: 1="kidney, left". Throws
// InvalidArgument.
LabelTable parse_label_names(std::string_view text);

}  // namespace tesela

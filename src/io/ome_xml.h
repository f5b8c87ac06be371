// Elements of OME-XML, which may carry a prefix: "OME:Pixels".
#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "io/slide.h"

namespace tesela::io {

inline std::string_view ome_name(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    const auto colon = name.find(':');
    return colon == name.npos ? name : name.substr(colon + 1);
}

// The first child of the name; an empty node where there is none.
inline pugi::xml_node ome_child(const pugi::xml_node& node, std::string_view name) {
    for (const pugi::xml_node& child : node.children())
        if (ome_name(child) == name) return child;
    return {};
}

// What an element Pixels says.
OmePixels ome_pixels(const pugi::xml_node& pixels);

}  // namespace tesela::io

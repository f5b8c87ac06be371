#include "viewer/server/label_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "tesela/align.h"
#include "tesela/components.h"
#include "tesela/error.h"
#include "tesela/mask.h"
#include "tesela/measure.h"
#include "viewer/server/label_strokes.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

using Index = std::array<std::int64_t, 3>;

constexpr std::int64_t highest_label = 0xffffffff;
constexpr std::size_t most_points = 20'000;  // of a stroke
constexpr double farthest = 1e6;             // voxels from the first one, for points of a stroke
constexpr std::size_t longest_name = 200;

Index lengths_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

// ---- what a page may write ---------------------------------------------------------------------

std::uint32_t label_in(const Json& edit, std::string_view key, std::int64_t lowest = 1) {
    return static_cast<std::uint32_t>(whole_in(edit, key, lowest, highest_label));
}
bool has(const Json& edit, std::string_view key) {
    const auto found = edit.find(std::string(key));
    return found != edit.end() && !found->is_null();
}
std::int64_t time_in(const Json& edit, const Shape& shape) {
    return has(edit, "t") ? whole_in(edit, "t", 0, shape.t - 1) : 0;
}

std::array<double, 3> point_of(const Json& value, std::string_view key) {
    if (!value.is_array() || value.size() != 3)
        throw Refused(400, "'" + std::string(key) + "' must be three numbers", std::string(key));
    std::array<double, 3> point{};
    for (std::size_t a = 0; a < 3; ++a) {
        if (!value[a].is_number() || !(std::abs(value[a].get<double>()) <= farthest))
            throw Refused(400, "'" + std::string(key) + "' must be numbers of at most 1,000,000",
                          std::string(key));
        point[a] = value[a].get<double>();
    }
    return point;
}
const Json& member(const Json& edit, std::string_view key) {
    if (!has(edit, key))
        throw Refused(400, "'" + std::string(key) + "' is missing", std::string(key));
    return edit.at(std::string(key));
}
Index voxel_in(const Json& edit, std::string_view key, const Shape& shape) {
    const auto point = point_of(member(edit, key), key);
    Index voxel{};
    for (std::size_t a = 0; a < 3; ++a) {
        voxel[a] = static_cast<std::int64_t>(std::floor(point[a] + 0.5));
        if (voxel[a] < 0 || voxel[a] >= lengths_of(shape)[a])
            throw Refused(400, "'" + std::string(key) + "' is beyond the image", std::string(key));
    }
    return voxel;
}

// The axis that a disc or a slice lies across.
std::optional<int> across_in(const Json& edit) {
    const auto axis = find_string(edit, "across");
    if (!axis) return {};
    for (const int a : {0, 1, 2})
        if (*axis == std::string(1, "xyz"[a])) return a;
    throw Refused(400, "'across' must be x, y or z", "across");
}

Stroke stroke_in(const Json& edit) {
    Stroke stroke;
    const Json& points = member(edit, "points");
    if (!points.is_array() || points.empty() || points.size() > most_points)
        throw Refused(400, "'points' must be a list of 1 to 20,000 points", "points");
    for (const Json& point : points) stroke.points.push_back(point_of(point, "points"));
    const Json& radius = member(edit, "radius");
    if (!radius.is_number() || !(radius.get<double>() > 0) || !(radius.get<double>() <= 1e6))
        throw Refused(400, "'radius' must be a number above 0 and at most 1,000,000", "radius");
    stroke.radius = radius.get<double>();
    stroke.across = across_in(edit);
    return stroke;
}

// ---- boxes of label maps -----------------------------------------------------------------------

std::int64_t first_of_frame(const LabelView& labels, std::int64_t t) {
    const Shape& shape = labels.shape();
    return t * shape.x * shape.y * shape.z;
}

std::int64_t length_of(const LabelBox& box, std::size_t axis) {
    return box.last[axis] - box.first[axis] + 1;
}

// Calls visit(index in the label map, index in the box) for the points of a box, in raster order.
template <class Visit>
void for_each_point(const LabelBox& box, std::int64_t t, const LabelView& labels, Visit visit) {
    const Shape& shape = labels.shape();
    std::int64_t in_box = 0;
    for (std::int64_t z = box.first[2]; z <= box.last[2]; ++z)
        for (std::int64_t y = box.first[1]; y <= box.last[1]; ++y) {
            std::int64_t at =
                first_of_frame(labels, t) + (z * shape.y + y) * shape.x + box.first[0];
            for (std::int64_t x = box.first[0]; x <= box.last[0]; ++x) visit(at++, in_box++);
        }
}

// What becomes of the points of a box: new_label(index in the box, label before).
template <class NewLabel>
LabelDifference changed_in(const LabelBox& box, std::int64_t t, const LabelView& labels,
                           NewLabel new_label) {
    LabelDifference difference;
    if (box.empty()) return difference;
    for_each_point(box, t, labels, [&](std::int64_t at, std::int64_t in_box) {
        const std::uint32_t before = labels.data()[at], after = new_label(in_box, before);
        if (after != before) difference.add(at, 1, before, after);
    });
    difference.close();
    return difference;
}
// The same of the whole label map, all frames: new_label(index, label before).
template <class NewLabel>
LabelDifference changed_anywhere(const LabelView& labels, NewLabel new_label) {
    LabelDifference difference;
    for (std::int64_t at = 0; at < labels.shape().points(); ++at) {
        const std::uint32_t before = labels.data()[at], after = new_label(at, before);
        if (after != before) difference.add(at, 1, before, after);
    }
    difference.close();
    return difference;
}

// The smallest box that holds a label in a frame. Throws Refused where it does not occur.
LabelBox box_of_label(const LabelView& labels, std::int64_t t, std::uint32_t label) {
    const Shape& shape = labels.shape();
    LabelBox box{.first = lengths_of(shape), .last = {-1, -1, -1}};
    const std::uint32_t* row = labels.data() + first_of_frame(labels, t);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y, row += shape.x) {
            const auto* end = row + shape.x;
            const auto* first = std::find(row, end, label);
            if (first == end) continue;
            const auto* last = end - 1;
            while (*last != label) --last;
            const Index low{first - row, y, z}, high{last - row, y, z};
            for (std::size_t a = 0; a < 3; ++a) {
                box.first[a] = std::min(box.first[a], low[a]);
                box.last[a] = std::max(box.last[a], high[a]);
            }
        }
    if (box.empty())
        throw Refused(400, "there is no voxel of label " + std::to_string(label), "label");
    return box;
}

// 255 where a box has the label. A box of one slice is a picture.
tesela::Image<std::uint8_t> mask_of(const LabelView& labels, const LabelBox& box, std::int64_t t,
                                    std::uint32_t label) {
    Index lengths{length_of(box, 0), length_of(box, 1), length_of(box, 2)};
    Geometry geometry{.spacing = labels.geometry.spacing, .unit = labels.geometry.unit};
    if (lengths[2] > 1)
        for (const std::size_t thin : {std::size_t{0}, std::size_t{1}})
            if (lengths[thin] == 1 && labels.shape().z > 1) {
                // The same points in the same order, as an image without the thin axis.
                for (std::size_t a = thin; a < 2; ++a) {
                    std::swap(lengths[a], lengths[a + 1]);
                    std::swap(geometry.spacing[a], geometry.spacing[a + 1]);
                }
                break;
            }
    tesela::Image<std::uint8_t> mask({lengths[0], lengths[1], lengths[2]}, geometry);
    for_each_point(box, t, labels, [&](std::int64_t at, std::int64_t in_box) {
        mask.data()[in_box] = labels.data()[at] == label ? 255 : 0;
    });
    return mask;
}

LabelBox widened(LabelBox box, const Shape& shape) {
    for (std::size_t a = 0; a < 3; ++a) {
        box.first[a] = std::max<std::int64_t>(box.first[a] - 1, 0);
        box.last[a] = std::min(box.last[a] + 1, lengths_of(shape)[a] - 1);
    }
    return box;
}

// ---- edits -------------------------------------------------------------------------------------

// A change of the table, where it is one.
void describe_label(LabelStep& step, const LabelTable& table, std::uint32_t label,
                    const std::optional<LabelDescription>& after) {
    const auto found = table.find(label);
    std::optional<LabelDescription> before;
    if (found != table.end()) before = found->second;
    if (before != after) step.table.push_back({label, before, after});
}

// Whether a tool may change points of a label: of one alone, where the page says so.
auto paints_over(const Json& edit) {
    const bool any = !has(edit, "over");
    const std::uint32_t over = any ? 0 : label_in(edit, "over", 0);
    return [any, over](std::uint32_t label) { return any || label == over; };
}

LabelStep stroke(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "points", "radius", "across", "over", "t"});
    const std::uint32_t label = label_in(edit, "label", 0);
    const Shape& shape = scene.labels.shape();
    const PaintedBox painted = painted_by(stroke_in(edit), shape, scene.labels.geometry);
    const auto may_change = paints_over(edit);
    return {.name = label == 0 ? "erase" : "brush",
            .difference = changed_in(painted.box, time_in(edit, shape), scene.labels,
                                     [&](std::int64_t at, std::uint32_t before) {
                                         const bool is_inside =
                                             painted.inside[static_cast<std::size_t>(at)] != 0;
                                         return is_inside && may_change(before) ? label : before;
                                     })};
}

LabelStep box(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "first", "last", "over", "t"});
    const std::uint32_t label = label_in(edit, "label", 0);
    const Shape& shape = scene.labels.shape();
    const Index a = voxel_in(edit, "first", shape), b = voxel_in(edit, "last", shape);
    LabelBox painted;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        painted.first[axis] = std::min(a[axis], b[axis]);
        painted.last[axis] = std::max(a[axis], b[axis]);
    }
    const auto may_change = paints_over(edit);
    return {.name = label == 0 ? "erase box" : "box",
            .difference = changed_in(painted, time_in(edit, shape), scene.labels,
                                     [&](std::int64_t, std::uint32_t before) {
                                         return may_change(before) ? label : before;
                                     })};
}

// The labels of another image on the grid of the scene's.
ImagePointer source_in(const Json& edit, const LabelScene& scene) {
    if (!has(edit, "from")) return nullptr;
    return scene.open(static_cast<int>(whole_in(edit, "from", 1, 1 << 30)));
}
LabelImage labels_of(const Image& image, const LabelView& like) {
    if (image.pixels.shape().t != like.shape().t)
        throw Refused(400, "'" + image.name + "' has another number of time points", "from");
    const auto refuse = [&](const std::string& what, const Error& error) {
        return Refused(400, "'" + image.name + "' " + what + ": " + error.what(), "from");
    };
    const LabelImage labels = [&] {
        try {
            return label_map_of(image.pixels.view());
        } catch (const Error& error) {
            throw refuse("is no label map", error);
        }
    }();
    try {
        return align_to({like.shape(), like.geometry}, labels);
    } catch (const InvalidArgument& error) {
        throw refuse("lies on another grid", error);
    }
}

// The part of one label that hangs together at a point gets another label.
LabelStep component(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "at", "from", "over", "t"});
    const Shape& shape = scene.labels.shape();
    const std::uint32_t label = label_in(edit, "label", 0);
    const std::int64_t t = time_in(edit, shape);
    const Index at = voxel_in(edit, "at", shape);
    const ImagePointer source = source_in(edit, scene);
    const LabelImage other = source ? labels_of(*source, scene.labels) : LabelImage({1});
    const LabelView from = source ? LabelView(other) : scene.labels;
    const std::uint32_t taken = from(at[0], at[1], at[2], t);
    if (taken == 0) throw Refused(400, "there is no label at this point", "at");
    const LabelBox box = box_of_label(from, t, taken);
    const LabelImage parts =
        components(mask_of(from, box, t, taken), {}, scene.queue(), ComponentOutput::labels_only)
            .labels;
    std::int64_t in_box = 0;
    for (std::size_t a = 3; a-- > 0;) in_box = in_box * length_of(box, a) + at[a] - box.first[a];
    const std::uint32_t part = parts.data()[in_box];
    const auto may_change = paints_over(edit);
    return {
        .name = label == 0 ? "erase component" : "component",
        .difference = changed_in(box, t, scene.labels, [&](std::int64_t i, std::uint32_t before) {
            const bool is_taken = parts.data()[i] == part;
            return is_taken && may_change(before) ? label : before;
        })};
}

// All labels of another image, or all as one.
LabelStep take(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "from", "label", "over"});
    member(edit, "from");
    const ImagePointer source = source_in(edit, scene);
    const LabelImage other = labels_of(*source, scene.labels);
    const bool as_one = has(edit, "label");
    const std::uint32_t label = as_one ? label_in(edit, "label") : 0;
    const auto may_change = paints_over(edit);
    LabelStep step{.name = "take labels"};
    step.difference = changed_anywhere(scene.labels, [&](std::int64_t at, std::uint32_t before) {
        const std::uint32_t taken = other.data()[at];
        if (taken == 0 || !may_change(before)) return before;
        return as_one ? label : taken;
    });
    const SharedLabelTable& table = source->pixels.label_table();
    if (table && !as_one)
        for (const auto& [number, described] : *table)
            if (!scene.table.contains(number)) describe_label(step, scene.table, number, described);
    return step;
}

LabelStep fill(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "across", "index", "t"});
    const Shape& shape = scene.labels.shape();
    const std::int64_t t = time_in(edit, shape);
    const std::uint32_t label = label_in(edit, "label");
    // With a point around it, so that what is thin in a volume is no picture.
    LabelBox box = widened(box_of_label(scene.labels, t, label), shape);
    if (const auto across = across_in(edit)) {
        const auto a = static_cast<std::size_t>(*across);
        box.first[a] = box.last[a] = whole_in(edit, "index", 0, lengths_of(shape)[a] - 1);
    }
    const auto mask = mask_of(scene.labels, box, t, label);
    const HoleResult filled = fill_holes(mask, {}, scene.queue());
    const auto& inside = std::get<tesela::Image<std::uint8_t>>(filled.image);
    return {
        .name = "fill holes",
        .difference = changed_in(box, t, scene.labels, [&](std::int64_t at, std::uint32_t before) {
            return before == 0 && inside.data()[at] ? label : before;
        })};
}

LabelStep split(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "depth", "t"});
    const Shape& shape = scene.labels.shape();
    const std::int64_t t = time_in(edit, shape);
    const std::uint32_t label = label_in(edit, "label");
    SplitOptions options;
    if (has(edit, "depth")) {
        if (!edit.at("depth").is_number() || !(edit.at("depth").get<double>() > 0))
            throw Refused(400, "'depth' must be a number above 0", "depth");
        options.depth = edit.at("depth").get<double>();
    }
    const LabelBox box = widened(box_of_label(scene.labels, t, label), shape);
    const SplitResult made =
        split_objects(mask_of(scene.labels, box, t, label), options, scene.queue());
    if (made.parts < 2)
        throw Refused(400, "label " + std::to_string(label) + " has no neck where it would split",
                      "label");
    if (made.parts > highest_label - scene.highest)
        throw Refused(400, "there are not so many labels left", "label");
    // The largest part keeps the label.
    std::vector<std::int64_t> sizes(made.parts + std::size_t{1}, 0);
    for (const std::uint32_t part : made.labels.pixels())
        if (part > 0) ++sizes[part];
    const auto largest =
        static_cast<std::uint32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    const auto label_of = [&](std::uint32_t part) {
        if (part == largest) return label;
        return scene.highest + part - (part > largest ? 1 : 0);
    };
    return {
        .name = "split",
        .difference = changed_in(box, t, scene.labels, [&](std::int64_t at, std::uint32_t before) {
            const std::uint32_t part = made.labels.data()[at];
            return part > 0 ? label_of(part) : before;
        })};
}

LabelStep merge(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "labels", "label"});
    const std::uint32_t into = label_in(edit, "label");
    const Json& list = member(edit, "labels");
    if (!list.is_array() || list.empty() || list.size() > 10'000)
        throw Refused(400, "'labels' must be a list of labels", "labels");
    std::set<std::uint32_t> merged;
    for (const Json& label : list) merged.insert(label_in(Json{{"labels", label}}, "labels"));
    merged.erase(into);
    LabelStep step{.name = "merge"};
    step.difference = changed_anywhere(scene.labels, [&](std::int64_t, std::uint32_t before) {
        return before != 0 && merged.contains(before) ? into : before;
    });
    for (const std::uint32_t label : merged) describe_label(step, scene.table, label, {});
    return step;
}

LabelStep erase(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label"});
    const std::uint32_t label = label_in(edit, "label");
    LabelStep step{.name = "delete"};
    step.difference = changed_anywhere(scene.labels, [&](std::int64_t, std::uint32_t before) {
        return before == label ? 0 : before;
    });
    describe_label(step, scene.table, label, {});
    return step;
}

Rgb color_in(const std::string& text) {
    const bool is_color = text.size() == 7 && text[0] == '#' &&
                          text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
    if (!is_color) throw Refused(400, "'color' must be like #a0b1c2", "color");
    const auto value = std::stoul(text.substr(1), nullptr, 16);
    return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value)};
}

LabelStep describe(const Json& edit, const LabelScene& scene) {
    allow_keys(edit, {"edit", "revision", "label", "name", "color"});
    const std::uint32_t label = label_in(edit, "label");
    const auto found = scene.table.find(label);
    LabelDescription after = found == scene.table.end() ? LabelDescription{} : found->second;
    if (const auto name = find_string(edit, "name")) {
        const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
        if (name->size() > longest_name || std::any_of(name->begin(), name->end(), is_control))
            throw Refused(400, "'name' must be a line of at most 200 bytes", "name");
        after.name = *name;
        after.segment.name_is_automatic = false;
    }
    if (const auto color = find_string(edit, "color")) {
        after.color = color_in(*color);
        after.segment.color_is_automatic = false;
    }
    LabelStep step{.name = "describe"};
    describe_label(step, scene.table, label, after);
    return step;
}

struct EditKind {
    std::string_view name;
    LabelStep (*make)(const Json&, const LabelScene&);
    bool is_independent;
};
constexpr std::array edit_kinds{
    EditKind{"stroke", stroke, true},        EditKind{"box", box, true},
    EditKind{"component", component, false}, EditKind{"take", take, false},
    EditKind{"fill", fill, false},           EditKind{"split", split, false},
    EditKind{"merge", merge, false},         EditKind{"delete", erase, false},
    EditKind{"describe", describe, true}};

const EditKind& kind_in(const Json& edit) {
    const std::string name = string_in(edit, "edit");
    const auto* found = std::find_if(edit_kinds.begin(), edit_kinds.end(),
                                     [&](const EditKind& kind) { return kind.name == name; });
    if (found == edit_kinds.end()) throw Refused(400, "there is no edit '" + name + "'", "edit");
    return *found;
}

}  // namespace

bool is_independent(const Json& edit) { return kind_in(edit).is_independent; }

LabelStep step_of(const Json& edit, const LabelScene& scene) {
    return kind_in(edit).make(edit, scene);
}

}  // namespace tesela::viewer

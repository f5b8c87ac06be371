// Images of any size that are read part by part, and label maps that are written so. The caller of
// an operation opens both.
#pragma once

#include <functional>
#include <memory>

#include "operations/kind.h"
#include "operations/operation.h"
#include "tesela/components.h"
#include "tesela/image_parts.h"
#include "tesela/label_table.h"

namespace tesela::operations {

// What is read in boxes, where it lies, which may be corrected, and what its values stand for.
struct ImageParts {
    std::shared_ptr<const PartSource> input;
    Geometry geometry = {};
    SharedLabelTable labels = {};

    const Shape& shape() const { return input->facts().shape; }
};
// Labels that stand for what the table says, with their numbers of points.
struct LabelParts {
    const PartLabels& labels;
    Geometry geometry = {};
    const std::vector<std::int64_t>& points;  // of the labels 1, 2, ...
    SharedLabelTable table = {};
};
// Bytes of the host for what is known of objects, how many of which there are shows while the work
// is done. Among what the caller opens, by the name below; where there is none, there is no limit.
struct PartRoom {
    std::int64_t bytes = 0;
};
inline constexpr std::string_view part_room = "room";
inline std::int64_t room_of(const Values& parts) {
    const auto* room = parts.find<PartRoom>(part_room);
    return room ? room->bytes : 0;
}
using WriteLabelParts = std::function<void(const LabelParts& labels, const Progress& progress)>;

namespace kinds {
inline constexpr Kind parts = kind_of<ImageParts>("image in parts");
inline constexpr Kind label_parts = kind_of<WriteLabelParts>("label map in parts");
}  // namespace kinds

}  // namespace tesela::operations

// Edits of a label map: from what a page asks for to what changes.
#pragma once

#include <cstdint>
#include <functional>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "viewer/server/images.h"
#include "viewer/server/label_history.h"

namespace tesela::viewer {

// A label map as an edit finds it.
struct LabelScene {
    LabelView labels;
    const LabelTable& table;
    std::uint32_t highest = 0;              // label that occurs or is in the table
    std::function<ImagePointer(int)> open;  // another image, by its number
    std::function<Queue&()> queue;          // to compute with
};

// Whether an edit means the same whatever other edits came before it: it is then made on top of
// them. Others were chosen by what the user saw.
bool is_independent(const Json& edit);

// What `{"edit": "stroke", ...}` changes, as viewer/README.md says; an edit of points that all have
// the label already changes nothing. Throws Refused that names the member that is wrong, and as the
// functions of the library that compute it do.
LabelStep step_of(const Json& edit, const LabelScene& scene);

}  // namespace tesela::viewer

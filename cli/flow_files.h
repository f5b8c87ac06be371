// What `tesela flow` writes.
#pragma once

#include <filesystem>

#include "tesela/options.h"

namespace tesela::cli {

struct FlowFiles {
    std::filesystem::path flow, color, arrows, warped;
    double max_motion = 0;
};

template <class V>
void describe(V&& v, FlowFiles& o) {
    v("flow", o.flow,
      "flow field: Middlebury .flo, KITTI .png or Barron's .F; of a sequence a folder of .flo "
      "files, or a video in the color code");
    v("color", o.color,
      "picture of the flow in the color code of the Middlebury benchmark; of a sequence, like the "
      "two below, a folder or a video (.mp4, .mkv, .mov, .avi, .y4m, - for Y4M on standard "
      "output)");
    v("arrows", o.arrows, "picture of the first frame with arrows");
    v("warped", o.warped, "the second frame taken back along the flow, to compare with the first");
    v("max-motion", o.max_motion,
      "motion that has full color, and an arrow of full length; 0: the longest; of a sequence that "
      "of its first field",
      OptionRange{.lowest = 0, .unit = "pixels"});
}

}  // namespace tesela::cli
